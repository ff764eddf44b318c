/** A service that goes on to say "draft" for most of a minute after it has accepted a launch: no run takes that for a launch without effect. */
import { expect, it } from 'vitest';
import type { Ran } from '../support/apply.js';
import { fakeClock } from '../support/clock.js';
import type { Service } from '../support/service/service.js';
import { SPEC } from '../system/trust/full-campaign.js';
import { Death, killer } from '../system/trust/killer.js';
import { applying } from './spring.js';

const LATE = 45_000;

/** A campaign that is ready, on a service that is late from now on; and what was sent by then. */
function late(
  use: (apply: (more?: object) => Promise<Ran>, service: Service) => Promise<void>,
): Promise<string[]> {
  return applying({}, async ({ service, apply }) => {
    const clock = fakeClock(Date.UTC(2026, 2, 2));
    expect((await apply({ ...SPEC, status: 'paused' }, { clock })).result).toBe('done');
    service.behave({ lag: LATE }, clock.elapsed);
    await clock.sleep(LATE);
    const before = service.writes().length;
    await use((more) => apply(SPEC, { clock, ...more }), service);
    return service
      .writes()
      .slice(before)
      .map(({ path }) => path.split('/').at(-1) ?? '');
  });
}

it('whose answer was lost is watched for as long as one that was answered', async () => {
  const sent = await late(async (apply, service) => {
    service.answerThen('PATCH', '/api/campaigns/101/resume', { reset: true, effect: true });
    expect((await apply()).result).toBe('done');
  });
  expect(sent).toEqual(['resume']);
});

it.each(['once it has its effect', 'before its outcome is noted', 'once its outcome is noted'] as const)(
  'of a run that died %s is waited for by the next one',
  async (point) => {
    const sent = await late(async (apply) => {
      await expect(apply(killer(point, 1))).rejects.toBeInstanceOf(Death);
      expect((await apply()).result).toBe('done');
    });
    expect(sent).toEqual(['resume']);
  },
);
