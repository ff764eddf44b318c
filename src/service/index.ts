/**
 * The way to the service: paced requests, answers without envelopes, whole lists. Promises that a write is sent once
 * unless nothing can have happened, that a list is complete or an error, that what cannot be read is never taken for
 * empty, and that the token goes to one origin and into no message. Knows nothing of manifests, plans or state, and
 * must not: it decides what was answered, not what it means.
 */
import { openChannel, type ServiceOptions } from './channel.js';
import { createReader, type Reader } from './reader.js';
import { createWriter, type Writer } from './writer.js';

export type { ServiceOptions } from './channel.js';
export { createdCampaign } from './decode.js';
export { type Clock, systemClock } from './pacing.js';
export type { FirstPage } from './paging.js';
export { type Reader, readAnswers, readCampaign } from './reader.js';
export type { Exchange, Wire } from './wire.js';
export type { Sent, WriteGuard, Writer } from './writer.js';

/** Opens the service for reading only. Failure where base URL, token or proxy cannot be used. */
export function openReader(options: ServiceOptions): Reader {
  return createReader(openChannel(options));
}

/** Opens the service for reading and writing, over the same connections and at the same pace. */
export function openWriter(options: ServiceOptions): Reader & Writer {
  const channel = openChannel(options);
  return { ...createReader(channel), ...createWriter(channel) };
}
