import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jsonParts, printable } from '../../src/view/index.js';
import { planHtmlParts } from '../../src/view/plan-html.js';
import { planTextParts } from '../../src/view/plan-text.js';
import { escapedJson, plain } from '../../src/view/terminal.js';
import { planOf } from '../support/plans.js';
import { CREATED, campaign } from './plans.js';

const PLAN = planOf(
  Array.from({ length: 300 }, (_, at) =>
    campaign({
      ...CREATED,
      name: `::warning::Spring ${at}`,
      manifest: `campaigns/${at}.yaml`,
      changes: CREATED.changes.map((one) => ({ ...one, to: { title: `${at}`, steps: [] } })),
    }),
  ),
);

it.each<[string, () => Iterable<string>]>([
  ['text', () => planTextParts(PLAN, { paint: plain, width: 100 })],
  ['text in full', () => planTextParts(PLAN, { paint: plain, width: 100, full: true })],
  ['html', () => planHtmlParts(PLAN)],
  ['json', () => jsonParts(PLAN)],
])(
  'a plan of many creations as %s goes out as it is made, and the last look at a part is that at the whole',
  (_, made) => {
    const parts = [...made()];
    const whole = parts.join('');
    expect(whole).toContain('Spring 299');
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(whole.length / 8);
    expect(parts.map(printable).join('')).toBe(printable(whole));
  },
);

it('JSON in parts is the JSON of the whole', () => {
  const value = fc.oneof(fc.jsonValue(), fc.dictionary(fc.string(), fc.array(fc.jsonValue())));
  fc.assert(
    fc.property(value, (one) => {
      expect([...jsonParts(one)].join('')).toBe(`${escapedJson(JSON.stringify(one, null, 2))}\n`);
    }),
  );
});

it('leaves out of JSON what is not there', () => {
  expect(JSON.parse([...jsonParts({ a: undefined, b: [undefined, 1], c: undefined })].join(''))).toEqual({
    b: [null, 1],
  });
});
