/**
 * Services that show exactly what the API document writes, with each gap of the document filled in each way, alone and in
 * drawn combinations. The project file has no `service:` key. `TRUST_CASES` sets the number of drawn services, `TRUST_SEED`
 * the first one.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyLiteral, describeLiteral, type Literal, SINGLE_GAPS } from '../../support/literal/shape.js';
import { mainJob, secondApply, withDesk } from './literal.js';

const CASES = Number(process.env.TRUST_CASES ?? 50);
const SEED = Number(process.env.TRUST_SEED ?? 20261127);

const named = (shapes: readonly Partial<Literal>[]) =>
  shapes.map((shape) => ({ shape, name: describeLiteral(shape) }));

const STEPWISE = ['status', 'settingsUntilSet', 'noSchedule', 'noSteps', 'scheduleBody', 'stepsBody'];

/** Frameworks answer a query that they do not know with their page for a missing route. */
const REFUSED_BY_PAGE: Partial<Literal> = { queries: 404, refusal: 'web page' };

test.each(named([{}, ...SINGLE_GAPS, REFUSED_BY_PAGE]))(
  'a campaign is created, launched, extended, changed and paused: $name',
  ({ shape }) => mainJob(shape),
);

test.each(named([{}, ...SINGLE_GAPS.filter((gap) => STEPWISE.some((name) => name in gap))]))(
  'a campaign without emails is completed and launched: $name',
  ({ shape }) => secondApply(shape),
);

test(`${CASES} drawn services from seed ${SEED}`, { timeout: 60_000 + CASES * 2_000 }, async () => {
  const failures: string[] = [];
  for (const [index, shape] of fc.sample(anyLiteral, { numRuns: CASES, seed: SEED }).entries())
    await (index % 2 === 0 ? mainJob(shape) : secondApply(shape)).catch((error: unknown) => {
      failures.push(`${describeLiteral(shape)}\n${error instanceof Error ? error.message : error}`);
    });
  expect(failures, `${failures.length} of ${CASES} fail`).toEqual([]);
});

test('a launch without a response is not sent again until the campaign was paused', () =>
  withDesk({}, async ({ service, run, write, apply, plan }) => {
    const sent = (end: string) => service.writes.filter(({ path }) => path.endsWith(end)).length;
    service.loseAnswerTo('/resume');
    expect((await run('apply --yes --allow launch')).code).toBe(4);
    expect(sent('/resume')).toBe(1);

    const [campaign] = (await plan()).campaigns;
    expect(campaign?.steps).toEqual([]);
    expect(campaign?.problems.map(({ severity }) => severity)).toContain('blocked');
    for (const _ of [1, 2]) expect((await run('apply --yes --allow launch')).code).toBe(4);
    expect(sent('/resume')).toBe(1);

    await write({ status: 'paused' });
    await apply();
    expect([sent('/pause'), sent('/resume')]).toEqual([1, 1]);
    await write();
    await apply(' --allow launch');
    expect([sent('/pause'), sent('/resume')]).toEqual([1, 2]);
    expect(service.refusals).toEqual([]);
  }));
