import { setMaxListeners } from 'node:events';
import { Failure } from '../model/failure.js';
import type { Json } from '../model/json.js';
import type { Answered, Channel, GuardedChannel, Judgement } from './channel.js';
import { UNREADABLE } from './channel.js';
import { findRefusal, refusalMessage } from './decode.js';
import { createReader, type Reader } from './reader.js';
import type { LostAnswer, ServiceRequest } from './wire.js';

/** What came of one write. */
export type Sent =
  /** 2xx. `body` in its envelope, null when empty. It proves nothing: read back. */
  | { kind: 'accepted'; status: number; body: Json }
  /** The service said no: nothing happened. */
  | { kind: 'refused'; status: number; message: string }
  /** Nothing can have happened: no connection, 429 to the end, or interrupted before it was sent. */
  | { kind: 'unsent'; message: string }
  /** Only reading tells what happened. */
  | { kind: 'in_doubt'; message: string };

export interface Writer {
  /** Sends one write; again only where nothing can have happened. `path` is below the base URL. Throws only what `guard` throws and is no Failure. */
  send(request: WriteRequest, terms?: SendTerms): Promise<Sent>;
}

/** On what a write is sent. */
export interface SendTerms {
  /** Once it is aborted nothing is begun any more; what is on its way is finished. */
  stop?: AbortSignal;
  /**
   * What speaks against sending it now; null if nothing does. Asked each time that it may leave, after every wait, and reads
   * ahead of all that waits through `reader`, always the same one. Where it throws a Failure, nothing is sent; what could
   * not be read is asked again like a request that did not arrive.
   */
  guard?: WriteGuard;
}

export type WriteGuard = (reader: Pick<Reader, 'read' | 'campaigns'>) => Promise<string | null>;

export type WriteRequest = ServiceRequest & { method: 'POST' | 'PATCH' };

export function createWriter(channel: GuardedChannel): Writer {
  const { closed, prefix, quote } = channel;
  const either = new WeakMap<AbortSignal, AbortSignal>();
  const past = createReader(channel.past);

  async function ask(guard: WriteGuard): Promise<Judgement<Sent> | null> {
    try {
      const message = await guard(past);
      return message === null ? null : { result: { kind: 'unsent', message } };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const { code, message } = error;
      return code === UNREADABLE
        ? { fault: message.replace(/\.$/, '') }
        : { result: { kind: 'unsent', message } };
    }
  }

  /** One for each signal, not for each write. */
  function closedOr(stop: AbortSignal): AbortSignal {
    const known = either.get(stop);
    if (known !== undefined) return known;
    const signal = AbortSignal.any([closed, stop]);
    // All writes that wait listen to it.
    setMaxListeners(0, signal);
    either.set(stop, signal);
    return signal;
  }

  return {
    async send(request, { stop, guard } = {}) {
      const stopped = stop === undefined ? closed : closedOr(stop);
      const endpoint = `${request.method} ${quote(request.path, 200)}`;
      const sent = await channel
        .send<Sent>(
          { ...request, path: `${prefix}${request.path}` },
          stopped,
          (attempt) =>
            attempt.kind === 'lost' ? judgeLost(attempt, endpoint) : judge(attempt, channel, endpoint),
          guard && (() => ask(guard)),
        )
        .catch(fenced);
      if ('result' in sent) return sent.result;
      const { fault, tried } = sent;
      if (stopped.aborted) return { kind: 'unsent', message: `${endpoint} was interrupted` };
      return { kind: 'unsent', message: fault === null ? `${endpoint} was ${tried}` : `${fault}, ${tried}` };
    },
  };
}

/** For `catch`: a fence kept it from leaving. */
function fenced(error: unknown): { result: Sent } {
  if (error instanceof Failure) return { result: { kind: 'unsent', message: error.message } };
  throw error;
}

/** A fault, which is tried again, only where nothing can have happened. */
function judgeLost({ sent, status, reason }: LostAnswer, endpoint: string): Judgement<Sent> {
  if (!sent) return { fault: `no connection for ${endpoint}: ${reason}` };
  if (status === 429) return limited(endpoint);
  if (status !== null && isRefusal(status))
    return { result: { kind: 'refused', status, message: `no readable reason, ${reason}` } };
  return { result: { kind: 'in_doubt', message: `no answer to ${endpoint}: ${reason}` } };
}

function judge(
  { status, body, bytes, excerpt }: Answered,
  { quote }: Channel,
  endpoint: string,
): Judgement<Sent> {
  if (status === 429) return limited(endpoint);
  const isSuccess = status < 300 && (bytes === 0 || body !== undefined);
  if (isRefusal(status) || (isSuccess && findRefusal(body) !== null)) {
    const message = refusalMessage(body, bytes === 0 ? 'no reason given' : excerpt(300));
    return { result: { kind: 'refused', status, message: quote(message, 300) } };
  }
  if (isSuccess) return { result: { kind: 'accepted', status, body: body ?? null } };
  const isRedirect = status >= 300 && status < 400;
  const said = `status ${status}${isRedirect ? ', a redirect, which is not followed' : ''}`;
  const message = `the service answered ${endpoint} with ${said}: ${bytes === 0 ? 'an empty body' : excerpt()}`;
  return { result: { kind: 'in_doubt', message } };
}

function limited(endpoint: string): Judgement<Sent> {
  return { fault: `the service answered ${endpoint} with status 429` };
}

/** A 408 is not among them: it may have been said by a proxy behind which the request went on. */
function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}
