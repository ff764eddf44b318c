import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PROFILE_NAMES, type ProfileName } from '../../src/model/environment.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { readCases } from '../support/cases.js';
import { send, sendRaw, setUp, withSandbox } from './service.js';

type Request = string | [line: string, body: unknown];

/** Requests with their responses, and the stored workspace at the end. */
async function conversation(profile: ProfileName, requests: Request[]): Promise<string[]> {
  return await withSandbox({ profile }, async (sandbox) => {
    const lines: string[] = [];
    for (const request of requests) {
      if (request === 'set up') {
        await setUp(sandbox);
        continue;
      }
      const [line, body] = typeof request === 'string' ? [request] : request;
      const { status, body: answer } = await send(sandbox, line, body);
      const effect = sandbox.requests().at(-1)?.effect === true ? ', written' : '';
      lines.push(line, `  ${status}${effect} ${JSON.stringify(answer).replaceAll(sandbox.url, '')}`);
    }
    const { campaigns, templates } = sandbox.state();
    for (const { id, settings, sequenceTitles, lists, leads, resumes } of campaigns) {
      const { reputation_building } = settings;
      lines.push(`  ${JSON.stringify({ id, reputation_building, sequenceTitles, lists, leads, resumes })}`);
    }
    return [...lines, `  ${templates.length} templates`];
  });
}

const create = 'POST /api/campaigns';

describe.each(PROFILE_NAMES)('profile %s', (profile) => {
  let sandbox: Sandbox;
  /** Campaign 1 has steps 1001 and 1002; there is no campaign 2. */
  beforeAll(async () => {
    sandbox = await startSandbox({ profile, file: null });
    await setUp(sandbox);
  });
  afterAll(() => sandbox.close());

  test('answers requests, and stores what they write', async () => {
    const lines: string[] = [];
    for (const [title, requests] of readCases<Request[]>(import.meta.dirname, 'conversations'))
      lines.push(`# ${title}`, ...(await conversation(profile, requests)), '');
    await expect(lines.join('\n')).toMatchFileSnapshot(`golden/${profile}.txt`);
  });

  test('an invalid request is refused and changes nothing', async () => {
    const before = sandbox.state();
    const lines: string[] = [];
    for (const [line, bodies] of readCases<unknown[] | null>(import.meta.dirname, 'refusals')) {
      lines.push(`# ${line}`);
      for (const body of bodies ?? [undefined]) {
        const { status, body: answer } = await send(sandbox, line, body);
        const { message, errors = {} } = answer as { message?: string; errors?: Record<string, string[]> };
        const fields = Object.entries(errors).map(([field, messages]) => `${field}: ${messages.join(' ')}`);
        expect(message ?? '').toContain(Object.values(errors)[0]?.[0] ?? '');
        lines.push(`${status} ${fields.join('\n    ') || (status === 404 ? '' : message)}`.trimEnd());
        expect(sandbox.state()).toEqual(before);
        expect(sandbox.requests().at(-1)).toMatchObject({ status, effect: false });
      }
    }
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('golden/refusals.txt');
  });

  test.each([
    [{}],
    [{ authorization: 'Bearer ' }],
    [{ authorization: 'Bearer' }],
    [{ authorization: 'Basic secret' }],
  ])('headers %j are refused with 401', async (headers) => {
    const answer = await sendRaw(sandbox, 'GET /api/campaigns', null, headers as Record<string, string>);
    expect(answer).toEqual({ status: 401, body: { message: 'Unauthenticated.' } });
  });

  test('a body without its content type is refused: 415', async () => {
    const headers = { authorization: 'Bearer secret' };
    expect((await sendRaw(sandbox, create, '{"name":"Spring"}', headers)).status).toBe(415);
    const text = { ...headers, 'content-type': 'text/plain' };
    expect((await sendRaw(sandbox, create, '{"name":"Spring"}', text)).status).toBe(415);
  });

  test('a body that is not JSON is refused', async () => {
    const headers = { authorization: 'Bearer secret', 'content-type': 'application/json; charset=utf-8' };
    expect((await sendRaw(sandbox, create, '{"name":', headers)).status).toBe(400);
    expect(sandbox.requests().at(-1)).toMatchObject({ body: '{"name":', status: 400 });
  });
});
