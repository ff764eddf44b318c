/** A service that goes on to say "draft" for most of a minute after it has accepted a launch: no run takes that for a launch without effect. */
import { expect, it } from 'vitest';
import { type RunOptions, run } from '../support/apply.js';
import { campaign } from '../support/campaigns.js';
import { fakeClock } from '../support/clock.js';
import { environment } from '../support/environment.js';
import { withFolder } from '../support/folder.js';
import { startService, type TestService, TOKEN } from '../support/service/service.js';
import { shaped } from '../support/service/shape.js';
import { SPEC } from '../system/trust/full-campaign.js';
import { Death, killer } from '../system/trust/killer.js';

const LATE = 45_000;

/** A campaign that is ready, on a service that is late from now on; and what was sent by then. */
async function late(use: (usual: RunOptions, service: TestService) => Promise<void>): Promise<string[]> {
  const service = await startService(shaped({}), { campaigns: [], templates: [] });
  try {
    await withFolder(async (folder) => {
      const clock = fakeClock(Date.UTC(2026, 2, 2));
      const usual: RunOptions = {
        ...{ url: service.url, token: TOKEN, folder, clock, environment: environment() },
        campaigns: [campaign('spring.yaml', SPEC)],
      };
      const paused = [campaign('spring.yaml', { ...SPEC, status: 'paused' })];
      expect((await run({ ...usual, campaigns: paused })).result).toBe('done');
      service.behave({ lag: LATE }, clock.elapsed);
      await clock.sleep(LATE);
      const before = service.writes().length;
      await use(usual, service);
      service.requests.splice(0, service.requests.length, ...service.writes().slice(before));
    });
    return service.writes().map(({ path }) => path.split('/').at(-1) ?? '');
  } finally {
    await service.close();
  }
}

it('whose answer was lost is watched for as long as one that was answered', async () => {
  const sent = await late(async (usual, service) => {
    service.answerThen('PATCH', '/api/campaigns/101/resume', { reset: true, effect: true });
    expect((await run(usual)).result).toBe('done');
  });
  expect(sent).toEqual(['resume']);
});

it.each(['once it has its effect', 'before its outcome is noted', 'once its outcome is noted'] as const)(
  'of a run that died %s is waited for by the next one',
  async (point) => {
    const sent = await late(async (usual) => {
      await expect(run({ ...usual, ...killer(point, 1) })).rejects.toBeInstanceOf(Death);
      expect((await run(usual)).result).toBe('done');
    });
    expect(sent).toEqual(['resume']);
  },
);
