/**
 * The HTTP client. Retries a write only if it cannot have had an effect. The token is sent to only one origin and never
 * appears in messages.
 */
import { openChannel, type ServiceOptions } from './channel.js';
import { createReader, type Reader } from './reader.js';
import { createWriter, type Writer } from './writer.js';

export { type Clock, systemClock } from './clock.js';
export { decodeRow } from './live.js';
export { type Reader, readCampaign, readCampaigns } from './reader.js';
export type { Sent, Writer } from './writer.js';

export function openReader(options: ServiceOptions): Reader {
  return createReader(openChannel(options));
}

export function openWriter(options: ServiceOptions): Reader & Writer {
  const channel = openChannel(options);
  return { ...createReader(channel), ...createWriter(channel) };
}
