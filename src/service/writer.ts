import type { Json } from '../model/json.js';
import type { Answered, Begun, Channel } from './channel.js';
import { findRefusal, refusalMessage } from './decode.js';
import { createRetryPolicy } from './retry.js';

/** What came of one write. */
export type Sent =
  /** 2xx. `body` in its envelope, null when empty. It proves nothing: read back. */
  | { kind: 'accepted'; status: number; body: Json }
  /** The service said no: nothing happened. */
  | { kind: 'refused'; status: number; message: string }
  /** Nothing can have happened: no connection, 429 to the end, or interrupted before it was sent. */
  | { kind: 'unsent'; message: string }
  /** Nobody knows: settle by reading. */
  | { kind: 'in_doubt'; message: string; repeat: Repeat };

/**
 * Whether sending it again may help once reading shows nothing. `late`: it may still be at work behind a proxy, or here,
 * that gave up waiting for it. `never`: it would be answered in the same way.
 */
export type Repeat = 'soon' | 'late' | 'never';

export interface Writer {
  /**
   * Sends one write; again only where nothing can have happened. `path` is below the base URL. Once `stop` is aborted
   * nothing is begun any more; what is on its way is finished. Never throws.
   */
  send(request: WriteRequest, stop?: AbortSignal): Promise<Sent>;
}

export interface WriteRequest {
  method: 'POST' | 'PATCH';
  path: string;
  /** Null: no body at all. */
  body: Json;
}

export function createWriter(channel: Channel): Writer {
  return {
    async send(request, stop) {
      const stopped = stop === undefined ? channel.closed : AbortSignal.any([channel.closed, stop]);
      const policy = createRetryPolicy(channel, stopped);
      const endpoint = `${request.method} ${channel.quote(request.path, 200)}`;
      const path = `${channel.prefix}${request.path}`;
      let last = `${endpoint} was not sent`;
      for (;;) {
        const attempt = await channel.attempt({ ...request, path }, policy.turn());
        if (attempt.kind !== 'withheld') {
          const sent = judge(attempt, channel, endpoint);
          if (sent.kind !== 'unsent') return sent;
          last = sent.message;
        }
        if (await policy.again(attempt)) continue;
        if (stopped.aborted) return unsent(`${endpoint} was interrupted before it was sent`);
        return unsent(`${last}, ${policy.account()}`);
      }
    },
  };
}

function unsent(message: string): Sent {
  return { kind: 'unsent', message };
}

function judge(attempt: Begun, channel: Channel, endpoint: string): Sent {
  if (attempt.kind === 'answered') return judgeAnswer(attempt, channel, endpoint);
  if (!attempt.sent) return unsent(`${endpoint} was not sent: ${attempt.reason}`);
  if (attempt.status === 429) return unsent(`${endpoint} was put off with status 429`);
  if (attempt.status !== null && isRefusal(attempt.status)) {
    return { kind: 'refused', status: attempt.status, message: `no readable reason, ${attempt.reason}` };
  }
  return {
    kind: 'in_doubt',
    message: `${endpoint}: ${attempt.reason}`,
    repeat: attempt.timedOut ? 'late' : 'soon',
  };
}

function judgeAnswer(answered: Answered, { quote }: Channel, endpoint: string): Sent {
  const { status, body, empty } = answered;
  if (status === 429) return unsent(`${endpoint} was put off with status 429`);
  if (isRefusal(status)) return refused(answered);
  if (status < 300 && empty) return { kind: 'accepted', status, body: null };
  if (status < 300 && body !== undefined) {
    return findRefusal(body) === null ? { kind: 'accepted', status, body } : refused(answered);
  }
  const said = empty ? 'an empty body' : answered.excerpt();
  const redirect = status >= 300 && status < 400 ? ', a redirect, which is not followed' : '';
  return {
    kind: 'in_doubt',
    message: `${endpoint} was answered with status ${status}${redirect}: ${said}`,
    repeat: redirect !== '' ? 'never' : GAVE_UP.includes(status) ? 'late' : 'soon',
  };

  function refused({ excerpt }: Answered): Sent {
    const fallback = empty ? 'no reason given' : excerpt(300);
    return { kind: 'refused', status, message: quote(refusalMessage(body, fallback), 300) };
  }
}

/** What a proxy says that no longer waits for the service behind it. */
const GAVE_UP = [408, 504, 524];

/** A 408 is not among them: it may have been said by a proxy behind which the request went on. */
function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}
