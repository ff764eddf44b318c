import fc from 'fast-check';
import type { Fault } from './service.js';

export const HTML = '<html><h1>502 Bad Gateway</h1></html>';

/** What may come between a service and its client: lost, cut and wrong answers, with and without the effect of the request. */
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
