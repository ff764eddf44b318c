import { EXIT, Failure } from '../model/failure.js';
import type { Json } from '../model/json.js';
import type { Answered, Channel, RequestAttempt } from './channel.js';
import { findRefusal, type Origin, refusalMessage, saysNothing } from './decode.js';
import { createRetryPolicy } from './retry.js';
import type { AnswerHeaders } from './wire.js';

/** A body that was read. `status` is 2xx or one of those asked for; `body` is null where it is empty or says so. */
export interface Reading {
  status: number;
  headers: AnswerHeaders;
  body: Json;
  /** Bytes of the body as it came. */
  bytes: number;
  origin: Origin;
}

/** Either what was read, or what is wrong with this attempt and may be right the next time. */
type Verdict = { kind: 'read'; reading: Reading } | { kind: 'fault'; seen: string | null };

/**
 * Reads one path, as often as it takes. `accepted`: statuses from 400 on that mean something to the caller.
 * Failure where the service refuses, redirects, or does not answer in a readable way in the end.
 */
export async function readPath(
  channel: Channel,
  path: string,
  accepted: readonly number[],
): Promise<Reading> {
  const origin = { endpoint: `GET ${channel.quote(path, 200)}`, quote: channel.quote };
  const policy = createRetryPolicy(channel, channel.closed);
  let seen = '';
  for (;;) {
    const attempt = await channel.attempt({ method: 'GET', path, body: null }, policy.turn());
    const verdict = judge(attempt, origin, accepted);
    if (verdict.kind === 'read') return verdict.reading;
    seen = verdict.seen ?? seen;
    if (await policy.again(attempt)) continue;
    throw channel.closed.aborted ? interrupted(origin) : unreadableInTheEnd(origin, seen, policy.account());
  }
}

function judge(attempt: RequestAttempt, origin: Origin, accepted: readonly number[]): Verdict {
  if (attempt.kind === 'withheld') return { kind: 'fault', seen: null };
  if (attempt.kind === 'lost') return { kind: 'fault', seen: attempt.reason };
  const { status } = attempt;
  if (status === 408 || status === 429 || status >= 500) return fault(attempt, origin);
  if (status >= 300 && status < 400) throw redirected(attempt, origin);
  if (status === 401 || status === 403) throw noAccess(attempt, origin);
  if (status >= 400 && !accepted.includes(status)) throw refused(attempt, origin);
  return judgeBody(attempt, origin);
}

function judgeBody(answered: Answered, origin: Origin): Verdict {
  const { status, headers, body, bytes, empty } = answered;
  // An empty 200 may be an answer that was cut; 204 and the accepted refusals need no body.
  if (empty && (status >= 400 || status === 204))
    return { kind: 'read', reading: { status, headers, body: null, bytes, origin } };
  if (body === undefined) return fault(answered, origin);
  const refusal = status < 400 ? findRefusal(body) : null;
  if (refusal !== null && !saysNothing(refusal)) return fault(answered, origin);
  return { kind: 'read', reading: { status, headers, body, bytes, origin } };
}

function fault(answered: Answered, { quote }: Origin): Verdict {
  const said = answered.empty
    ? 'an empty body'
    : quote(refusalMessage(answered.body, answered.excerpt()), 300);
  return { kind: 'fault', seen: `status ${answered.status}, ${said}` };
}

function interrupted({ endpoint }: Origin): Failure {
  const problem = {
    code: 'interrupted',
    message: `${endpoint} was interrupted.`,
    hint: 'Reading changes nothing. Run again.',
  };
  return new Failure(problem, { exitCode: EXIT.interrupted });
}

function unreadableInTheEnd({ endpoint }: Origin, seen: string, account: string): Failure {
  const last = seen === '' ? '' : `; seen last: ${seen}`;
  return new Failure({
    code: 'service-unreadable',
    message: `${endpoint} could not be read, ${account}${last}.`,
    hint: 'Reading changes nothing. Check the service, the base URL and the network, then run again.',
  });
}

function redirected({ status, headers }: Answered, { endpoint, quote }: Origin): Failure {
  const location = typeof headers.location === 'string' ? ` to ${quote(headers.location)}` : '';
  return new Failure({
    code: 'redirected',
    message: `${endpoint} was answered with a redirect${location} (status ${status}). Redirects are not followed, the token stays here.`,
    hint: 'Set base_url to the address that the service really has.',
  });
}

function noAccess(answered: Answered, { endpoint, quote }: Origin): Failure {
  const said = quote(refusalMessage(answered.body, 'no reason given'), 300);
  const why =
    answered.status === 401 ? 'the token is not accepted' : 'the token may belong to another workspace';
  return new Failure({
    code: 'no-access',
    message: `${endpoint} was refused with status ${answered.status}, ${why}: ${said}`,
    hint: 'Check the token in the environment variable that token_env names, and the workspace it was made for.',
  });
}

function refused(answered: Answered, { endpoint, quote }: Origin): Failure {
  const said = quote(refusalMessage(answered.body, answered.excerpt()), 300);
  return new Failure({
    code: 'service-refused',
    message: `${endpoint} was refused with status ${answered.status}: ${said}`,
    hint: 'Check base_url: it is the part of the address in front of /api.',
  });
}
