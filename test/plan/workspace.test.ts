import { expect, it } from 'vitest';
import type { Json } from '../../src/model/json.js';
import { checkWorkspace } from '../../src/plan/refresh.js';
import type { Reader } from '../../src/service/index.js';
import { decodePart } from '../../src/service/live.js';
import { environment } from '../support/environment.js';
import { failureOf } from '../support/failure.js';

/** Checks a workspace that is pinned to campaign 7, "Home". `body`: what the service shows of it. */
function check(
  body: Json,
  workspace: { campaign_id: number; name: string } | null = { campaign_id: 7, name: 'Home' },
) {
  const read = async (name: 'campaign', id: number) => {
    expect(workspace?.campaign_id).toBe(id);
    return decodePart(name, { endpoint: `GET /api/campaigns/${id}`, body });
  };
  return checkWorkspace({ ...environment(), workspace }, { read } as unknown as Reader);
}

it('a pinned workspace is the one that shows the campaign with its name', async () => {
  await check({ id: 7, name: 'Home' });
  await check({ id: 7, name: ' Home ' });
  await check(null, null);
});

it.each<[Json, string]>([
  [null, 'has no such campaign'],
  [{ id: 7, name: 'Other' }, 'calls it "Other"'],
  [{ id: 7, status: 'draft' }, 'shows it without a name'],
])('any other workspace is refused: %j', async (body, seen) => {
  const { code, message } = await failureOf(check(body));
  expect([code, message]).toEqual([
    'wrong-workspace',
    expect.stringContaining(`this token's workspace ${seen}. Nothing was sent.`),
  ]);
});
