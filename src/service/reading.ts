import { EXIT, Failure } from '../model/failure.js';
import type { Answered, Channel, Judgement } from './channel.js';
import { findRefusal, type Reading, refusalMessage, saysNothing } from './decode.js';

/** The code of what could not be read, and may be the next time. */
export const UNREADABLE = 'service-unreadable';

/**
 * Reads one path, as often as it takes. `accepted`: statuses from 400 on that mean something to the caller.
 * Failure where the service refuses, redirects, or does not answer in a readable way in the end.
 */
export async function readPath(
  channel: Channel,
  path: string,
  accepted: readonly number[],
): Promise<Reading> {
  const { closed, quote } = channel;
  const endpoint = `GET ${quote(path, 200)}`;
  const read = await channel.send({ method: 'GET', path, body: null }, closed, (attempt) =>
    attempt.kind === 'lost' ? { fault: attempt.reason } : judge(attempt),
  );
  if ('result' in read) return read.result;
  if (closed.aborted)
    throw new Failure(
      {
        code: 'interrupted',
        message: `${endpoint} was interrupted.`,
        hint: 'Reading changes nothing. Run again.',
      },
      { exitCode: EXIT.interrupted },
    );
  throw new Failure({
    code: UNREADABLE,
    message: `${endpoint} could not be read, ${read.tried}${read.fault === null ? '' : `; last error: ${read.fault}`}.`,
    hint: 'Reading changes nothing. Check the service, the base URL and the network, then run again.',
  });

  function judge(answered: Answered): Judgement<Reading> {
    const { status, headers, body, bytes, excerpt } = answered;
    const said = (fallback: string) => quote(refusalMessage(body, fallback), 300);
    const fault = `status ${status}, ${bytes === 0 ? 'an empty body' : said(excerpt())}`;
    if (status === 408 || status === 429 || status >= 500) return { fault };
    if (status >= 300 && !accepted.includes(status)) throw refusal(answered, said);
    // An empty 200 may be an answer that was cut; 204 and the accepted refusals need no body.
    const isEmpty = bytes === 0 && (status >= 400 || status === 204);
    if (body === undefined && !isEmpty) return { fault };
    const refused = status < 400 ? findRefusal(body) : null;
    if (refused !== null && !saysNothing(refused)) return { fault };
    return { result: { endpoint, quote, status, headers, body: body ?? null, bytes } };
  }

  function refusal({ status, headers, excerpt }: Answered, said: (fallback: string) => string): Failure {
    if (status < 400) {
      const location = typeof headers.location === 'string' ? ` to ${quote(headers.location)}` : '';
      return new Failure({
        code: 'redirected',
        message: `The service answered ${endpoint} with a redirect${location} (status ${status}). Redirects are not followed: the token goes to base_url only.`,
        hint: 'Set base_url to the address where the service really is.',
      });
    }
    if (status === 401 || status === 403) {
      const why =
        status === 401 ? 'it does not accept the token' : 'the token may belong to another workspace';
      return new Failure({
        code: 'no-access',
        message: `The service refused ${endpoint} with status ${status}, ${why}: ${said('no reason given')}`,
        hint: 'Check the token in the environment variable that token_env names, and the workspace it was made for.',
      });
    }
    return new Failure({
      code: 'service-refused',
      message: `The service refused ${endpoint} with status ${status}: ${said(excerpt())}`,
      hint: 'Check base_url: it is the part of the address in front of /api.',
    });
  }
}
