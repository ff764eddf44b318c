import fc from 'fast-check';
import type { Fault } from './service.js';
import { CHOICES, LITERAL, type Shape } from './shape.js';

export const HTML = '<html><h1>502 Bad Gateway</h1></html>';

export const fault: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({ reset: fc.constant(true as const), effect: fc.boolean() }),
  fc.record({ cut: fc.constant(true as const), effect: fc.constant(true) }),
  fc.record({
    status: fc.constantFrom(500, 502, 503, 408),
    body: fc.constantFrom(HTML, { message: 'Server Error' }),
    effect: fc.boolean(),
  }),
  fc.record({
    status: fc.constant(429),
    body: fc.constant({ message: 'Too Many' }),
    effect: fc.constant(false),
  }),
  fc.record({ status: fc.constant(200), body: fc.constant(HTML), effect: fc.boolean() }),
);

/** All kinds of lost responses to a write, by name, with and without the effect of the write. */
export const LOST_ANSWERS: [name: string, fault: Fault][] = [false, true].flatMap(
  (effect): [string, Fault][] => [
    [`reset, effect: ${effect}`, { reset: true, effect }],
    [`500, effect: ${effect}`, { status: 500, body: { message: 'Server Error' }, effect }],
    [`408, effect: ${effect}`, { status: 408, body: { message: 'Timeout' }, effect }],
    [`HTML, effect: ${effect}`, { status: 200, body: HTML, effect }],
  ],
);

const anyChoices = fc.record(
  Object.fromEntries(
    Object.entries(CHOICES).map(([name, choices]) => [name, fc.constantFrom<unknown>(...choices)]),
  ),
) as fc.Arbitrary<Shape>;

/** Every fourth service is a literal one. */
export const anyShape = fc.oneof(
  { weight: 3, arbitrary: anyChoices },
  { weight: 1, arbitrary: anyChoices.map((drawn): Shape => ({ ...drawn, ...LITERAL })) },
);
