/** What a probe finds on services of every shape, and what it leaves there. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CHOICES, mixedShapes, type Shape, SINGLE_CHANGES, shaped } from '../support/service/shape.js';
import { expectedOf, journalsOf, probing, valuesOf } from './scratch.js';

/** What a probe finds depends on these alone, one at a time; the others come mixed. */
const DECISIVE: (keyof Shape)[] = [
  'status',
  'rows',
  'noStatus',
  'scheduleRepost',
  'sequenceRepost',
  'variants',
];
const OTHERS = (Object.keys(CHOICES) as (keyof Shape)[]).filter((name) => !DECISIVE.includes(name));

async function finds(shape: Shape): Promise<void> {
  await probing(shape, async ({ folder, service, others, probe }) => {
    const result = await probe();
    expect(valuesOf(result)).toEqual(expectedOf(shape));
    expect([result.complete, result.problems]).toEqual([true, []]);
    const made = service.store.campaigns.filter(({ id }) => others.every((one) => one.id !== id));
    expect(result.campaigns).toEqual(made.map(({ id, name }) => ({ id, name })));
    expect(result.requests).toBe(service.writes().length);
    const [journal, ...more] = journalsOf(folder);
    expect([journal?.open, more]).toEqual([false, []]);
    for (const { value, evidence } of result.findings) if (value !== null) expect(evidence).not.toEqual([]);
  });
}

describe('a probe finds how the service is', () => {
  const decisive = SINGLE_CHANGES.filter((change) => DECISIVE.some((name) => name in change));
  test.each([{}, ...decisive, ...mixedShapes(OTHERS)])('%j', (change) => finds(shaped(change)));

  const reposts = CHOICES.sequenceRepost.flatMap((sequenceRepost) =>
    CHOICES.variants.map((variants) => ({ sequenceRepost, variants })),
  );
  test.each(reposts)('%j', (change) => finds(shaped(change)));

  test('in any shape', () => {
    const drawn = Object.entries(CHOICES).map(([name, choices]) => [
      name,
      fc.constantFrom<unknown>(...choices),
    ]);
    const shape = fc.record(Object.fromEntries(drawn)) as fc.Arbitrary<Shape>;
    return fc.assert(fc.asyncProperty(shape, finds), { numRuns: Number(process.env.TRUST_CASES ?? 20) });
  });
});
