/** A run after one that ended early waits only for requests that the service can show and does not show yet. */
import { expect, it } from 'vitest';
import type { CampaignSpec } from '../../src/model/spec.js';
import type { RunOptions } from '../support/apply.js';
import { fakeClock } from '../support/clock.js';
import type { Service } from '../support/service/service.js';
import type { Shape } from '../support/service/shape.js';
import { dies, killer } from '../system/trust/killer.js';
import { applying, SCHEDULE, SEQUENCE } from './spring.js';

const SPEC: Partial<CampaignSpec> = {
  settings: { max_emails_per_day: 200 },
  schedule: SCHEDULE,
  sequence: SEQUENCE,
  leads: { ids: [1, 2] },
  status: 'running',
};
const OTHER_COPY: Partial<CampaignSpec> = {
  ...SPEC,
  sequence: { title: 'Spring', steps: SEQUENCE.steps.map((step) => ({ ...step, email_body: 'Goodbye' })) },
};

interface Scene {
  shape?: Partial<Shape>;
  before?: (service: Service, clock: ReturnType<typeof fakeClock>) => void;
  /** How the first run ends. */
  first?: Partial<RunOptions>;
  killed?: boolean;
  spec?: Partial<CampaignSpec>;
}

/** The seconds that the second run waits before it plans, and its result. */
async function secondRun({ shape = {}, before, first = {}, killed = false, spec = SPEC }: Scene) {
  return applying({ shape }, async ({ service, apply }) => {
    const clock = fakeClock();
    before?.(service, clock);
    const ran = apply(SPEC, { ...first, clock });
    if (killed) await dies(ran);
    else expect((await ran).result).toBe('incomplete');
    await clock.sleep(1_000);
    const waited = { seconds: 0, titles: [] as string[] };
    const { result } = await apply(spec, {
      clock,
      wait(outstanding) {
        waited.titles.push(...outstanding.map(({ title }) => title));
        waited.seconds += Math.max(...outstanding.map(({ wait }) => wait)) / 1000;
      },
    });
    return { ...waited, result };
  });
}

const NOTHING = { seconds: 0, titles: [], result: 'done' };

it('a request that was refused costs the next run nothing, whether or not the manifest was changed since', async () => {
  const refused = (service: Service) =>
    service.answerThen('POST', '/api/campaigns/101/sequence-steps', {
      ...{ status: 422, body: { message: 'The subject is too long.' }, effect: false },
    });
  expect(await secondRun({ before: refused })).toEqual(NOTHING);
  expect(await secondRun({ before: refused, spec: OTHER_COPY })).toEqual(NOTHING);
  expect(await secondRun({ before: refused, shape: { status: 'hidden' } })).toEqual(NOTHING);
});

it.each([1, 2, 3, 4])('neither does an interrupt after write %d', async (nth) => {
  const stop = new AbortController();
  let ended = 0;
  const emit: RunOptions['emit'] = ({ type }) => {
    if (type !== 'step-ended') return;
    ended += 1;
    if (ended === nth) stop.abort();
  };
  expect(await secondRun({ first: { emit, stop: stop.signal } })).toEqual(NOTHING);
});

it.each([1, 2, 3, 4])('nor a crash after write %d, if the service shows its effect', async (nth) => {
  const { seconds } = await secondRun({ first: killer('once it has its effect', nth), killed: true });
  expect(seconds).toBe(0);
});

it('a creation without a response that the service does not show is awaited for a minute', async () => {
  const waited = await secondRun({ first: killer('once it is noted', 1), killed: true });
  expect(waited).toEqual({ seconds: 60, titles: ['create the campaign'], result: 'done' });
});

it('emails that were accepted and are not shown yet are awaited for the rest of their minute, and not posted again', async () => {
  const waited = await secondRun({
    first: killer('once its outcome is noted', 4),
    killed: true,
    before: (service, clock) => service.behave({ lag: 30_000 }, clock.elapsed),
  });
  expect(waited).toMatchObject({
    titles: ['update the settings', 'set the schedule', 'create the sequence of 1 email'],
    result: 'done',
  });
});

it('a launch without a response is not awaited if the service shows no status', async () => {
  const waited = await secondRun({
    shape: { status: 'hidden' },
    before: (service) =>
      service.answerThen('PATCH', '/api/campaigns/101/resume', { reset: true, effect: true }),
  });
  expect(waited).toEqual({ seconds: 0, titles: [], result: 'incomplete' });
});
