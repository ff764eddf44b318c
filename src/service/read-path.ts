/** Judges the responses to reads; `writer.ts` judges those to writes. */
import type { Answered, Channel, Judgement } from './channel.js';
import { findError, findRefusal, type Received, refusalMessage, saysNothing } from './decode.js';
import { interrupted, refusedRead, unreadableService, webPage } from './failures.js';

/** These statuses come from proxies and say that the fault is temporary, so even a web page is retried. */
const TEMPORARY = [408, 429, 502, 503, 504];

/** For these paths, an accepted status means that nothing exists or that the query is refused, whatever the body. */
const MAY_BE_ABSENT = /\/(?:schedule|sequence-steps|campaigns\?page=1|templates\?page=1)$/;

/**
 * `accepted`: error statuses that the caller handles. Throws a Failure for any other error, for a web page and for an
 * unreadable response.
 */
export async function readPath(
  channel: Channel,
  path: string,
  accepted: readonly number[],
): Promise<Received> {
  const { closed, quote, connection } = channel;
  const source = { url: `GET ${quote(connection.url(path), 300)}`, connection, quote };
  const read = await channel.send({ method: 'GET', path, body: null }, closed, (attempt) =>
    attempt.kind === 'lost' ? { fault: attempt.reason } : judge(attempt),
  );
  if ('result' in read) return read.result;
  if (closed.aborted) throw interrupted(source);
  throw unreadableService(source, read);

  function judge(answered: Answered): Judgement<Received> {
    const { status, headers, body, leak, bytes, page, excerpt } = answered;
    const faulty = () => ({
      fault: `status ${status}: ${bytes === 0 ? 'empty body' : quote(refusalMessage(body, excerpt()), 300)}`,
    });
    const isAccepted = accepted.includes(status);
    const isAbsent = isAccepted && MAY_BE_ABSENT.test(path);
    const isRedirect = status >= 300 && status < 400;
    if (page !== null && !isAbsent && !isRedirect && !TEMPORARY.includes(status))
      throw webPage(source, { status, page });
    if (status === 408 || status === 429 || status >= 500) return faulty();
    if (status >= 300 && !isAccepted) throw refusedRead(source, answered);
    // An empty 200 may be a truncated response; 204 and accepted refusals need no body.
    const isEmpty = bytes === 0 && (status >= 400 || status === 204);
    if (body === undefined && !isEmpty && !isAbsent) return faulty();
    const refused = status < 400 ? (findRefusal(body) ?? findError(body)) : null;
    if (refused !== null && !saysNothing(refused)) return faulty();
    const endpoint = `GET ${quote(path, 200)}`;
    return { result: { ...source, endpoint, status, headers, body: body ?? null, leak, bytes } };
  }
}
