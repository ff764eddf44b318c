import { Failure } from '../model/failure.js';
import type { Json } from '../model/json.js';
import type { Answered, Channel, GuardedChannel, Judgement } from './channel.js';
import { findError, findRefusal, refusalMessage } from './decode.js';
import { UNREADABLE } from './failures.js';
import { createReader, type Reader } from './reader.js';
import type { LostAnswer, ServiceRequest } from './wire.js';

export type Sent =
  /** The status is 2xx, which does not prove an effect: read back. `body` includes its envelope; `null` if empty. */
  | { kind: 'accepted'; status: number; body: Json }
  /** The service refused the request, which had no effect. */
  | { kind: 'refused'; status: number; message: string }
  /**
   * No effect is expected: there was no connection, the response was 429, or sending was prevented. `limited`: the guard
   * prevented a further attempt after a 429.
   */
  | { kind: 'unsent'; message: string; limited?: true }
  /** The effect is unknown until the service is read. */
  | { kind: 'in_doubt'; message: string };

export interface Writer {
  /** Sends one write. Retries it only if it cannot have had an effect. `path` is relative to the base URL. */
  send(request: WriteRequest, terms?: SendTerms): Promise<Sent>;
}

export interface SendTerms {
  /** After an abort, nothing starts; a request in flight is completed. */
  stop?: AbortSignal;
  /**
   * Runs before every attempt. Returns why not to send, or `null`. If it cannot read the service, the attempt is retried.
   */
  guard?: WriteGuard;
}

type WriteGuard = (reader: Pick<Reader, 'read' | 'campaigns'>) => Promise<string | null>;

export type WriteRequest = ServiceRequest & { method: 'POST' | 'PATCH' };

export function createWriter(channel: GuardedChannel): Writer {
  const { closed, connection, prefix, quote } = channel;
  const direct = createReader(channel.direct);

  async function ask(guard: WriteGuard, isLimited: boolean): Promise<Judgement<Sent> | null> {
    const limited = isLimited ? { limited: true as const } : {};
    try {
      const message = await guard(direct);
      return message === null ? null : { result: { kind: 'unsent', message, ...limited } };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const { code, message } = error;
      return code === UNREADABLE
        ? { fault: message.replace(/\.$/, '') }
        : { result: { kind: 'unsent', message, ...limited } };
    }
  }

  return {
    async send(request, { stop, guard } = {}) {
      const stopped = stop === undefined ? closed : AbortSignal.any([closed, stop]);
      const endpoint = `${request.method} ${quote(request.path, 200)}`;
      const url = `${request.method} ${quote(connection.url(`${prefix}${request.path}`), 300)}`;
      const place = { endpoint, url, brief: connection.brief };
      let isLimited = false;
      const sent = await channel
        .send<Sent>(
          { ...request, path: `${prefix}${request.path}` },
          stopped,
          (attempt) => {
            isLimited ||= attempt.status === 429;
            return attempt.kind === 'lost' ? judgeLost(attempt, place) : judge(attempt, channel, place);
          },
          guard && (() => ask(guard, isLimited)),
        )
        .catch((error: unknown): { result: Sent } => {
          // The fence prevented the request.
          if (error instanceof Failure) return { result: { kind: 'unsent', message: error.message } };
          throw error;
        });
      if ('result' in sent) return sent.result;
      const { fault, tried } = sent;
      if (stopped.aborted) return { kind: 'unsent', message: `${endpoint} was interrupted` };
      if (fault === null) return { kind: 'unsent', message: `${endpoint} was ${tried}` };
      return { kind: 'unsent', message: `${fault} (${tried}) (${connection.brief})` };
    },
  };
}

/** Each message names `endpoint` (or `url`, if there was no connection) and `brief`, the settings that led there. */
interface WritePlace {
  endpoint: string;
  url: string;
  brief: string;
}

/** Only a request that cannot have had an effect counts as a fault and is retried. */
function judgeLost(
  { sent, status, reason }: LostAnswer,
  { endpoint, url, brief }: WritePlace,
): Judgement<Sent> {
  if (!sent) return { fault: `could not connect to send ${url}: ${reason}` };
  if (status === 429) return limited(endpoint);
  if (status !== null && isRefusal(status))
    return {
      result: { kind: 'refused', status, message: `no readable reason: ${reason} (${endpoint}, ${brief})` },
    };
  return { result: { kind: 'in_doubt', message: `no response to ${endpoint}: ${reason} (${brief})` } };
}

function judge(
  { status, body, bytes, excerpt }: Answered,
  { quote }: Channel,
  { endpoint, brief }: WritePlace,
): Judgement<Sent> {
  if (status === 429) return limited(endpoint);
  const isSuccess = status < 300 && (bytes === 0 || body !== undefined);
  if (isRefusal(status) || (isSuccess && findRefusal(body) !== null)) {
    const message = refusalMessage(body, bytes === 0 ? 'no reason given' : excerpt(300));
    const whole = `${quote(message, 300).replace(/\.$/, '')} (${endpoint}, ${brief})`;
    return { result: { kind: 'refused', status, message: whole } };
  }
  // An error in a response with status 200 may concern only some of the leads.
  if (isSuccess && findError(body) === null)
    return { result: { kind: 'accepted', status, body: body ?? null } };
  const isRedirect = status >= 300 && status < 400;
  const shown = `status ${status}${isRedirect ? ' (a redirect, which campaignctl does not follow)' : ''}`;
  const message = `the service answered ${endpoint} with ${shown}: ${bytes === 0 ? 'an empty body' : excerpt()} (${brief})`;
  return { result: { kind: 'in_doubt', message } };
}

function limited(endpoint: string): Judgement<Sent> {
  return { fault: `the service answered ${endpoint} with status 429` };
}

/** Excludes 408, which may come from a proxy that forwarded the request. */
function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}
