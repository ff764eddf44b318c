/** Errors of reads. Each names the URL, the environment and the variable of the token. */
import { EXIT, Failure } from '../model/failure.js';
import type { Json } from '../model/json.js';
import type { Connection } from './connection.js';
import { refusalMessage } from './decode.js';
import type { Quote } from './mask.js';
import { aboutWebPage, type WebPage } from './web-page.js';
import type { AnswerHeaders } from './wire.js';

/** `url`: method and full URL, quoted. */
interface ReadSource {
  url: string;
  connection: Connection;
  quote: Quote;
}

interface Refusal {
  status: number;
  headers: AnswerHeaders;
  body: Json | undefined;
  excerpt(): string;
}

export const UNREADABLE = 'service-unreadable';

export function interrupted({ url }: ReadSource): Failure {
  return new Failure(
    { code: 'interrupted', message: `${url} was interrupted.`, hint: 'Run the command again.' },
    { exitCode: EXIT.interrupted },
  );
}

/** `tried` ends a sentence. `fault`: the last attempt's fault; `null` if no attempt was made. */
export function unreadableService(
  { url, connection }: ReadSource,
  { tried, fault }: { tried: string; fault: string | null },
): Failure {
  return new Failure({
    code: UNREADABLE,
    message: `${url} could not be read (${tried})${fault === null ? '' : `; last error: ${fault}`}.`,
    hint: `Check the service and the network, then run the command again. ${connection.sentence}`,
  });
}

export function webPage(
  { url, connection, quote }: ReadSource,
  { status, page }: { status: number; page: WebPage },
): Failure {
  const about = [`status ${status}`, ...aboutWebPage(page, quote)].join(', ');
  if (status === PROXY_SIGN_IN) return refusedByProxy({ url, connection, quote }, `a web page (${about})`);
  return new Failure({
    code: 'web-page',
    message: `${url} answers with a web page (${about}), not with the API.`,
    hint: `Check ${connection.settings}.`,
  });
}

/** Only a proxy answers with it. */
const PROXY_SIGN_IN = 407;

function refusedByProxy({ url, connection }: ReadSource, answer: string): Failure {
  return new Failure({
    code: 'proxy-refused',
    message: `A proxy answered ${url} with ${answer}: it asks for a sign-in.`,
    hint: `Check HTTPS_PROXY (http://USER:PASSWORD@HOST:PORT) and NO_PROXY. ${connection.sentence}`,
  });
}

/** For a status of 300 or more. */
export function refusedRead(
  { url, connection, quote }: ReadSource,
  { status, headers, body, excerpt }: Refusal,
): Failure {
  const reason = (fallback: string) => quote(refusalMessage(body, fallback), 300);
  if (status < 400) {
    const location = typeof headers.location === 'string' ? ` to ${quote(headers.location)}` : '';
    return new Failure({
      code: 'redirected',
      message: `The service answered ${url} with a redirect${location} (status ${status}). Redirects are not followed, because the token is sent only to base_url.`,
      hint: `Set base_url to the service's actual address. If the redirect leads to a sign-in page, check the token. ${connection.sentence}`,
    });
  }
  if (status === 403 && body === undefined && headers.via !== undefined) {
    return new Failure({
      code: 'proxy-refused',
      message: `${url} was refused with status 403: ${reason(excerpt())}`,
      hint: `The answer is not JSON and passed a proxy, which may have refused the request: ask its administrator to allow the address, or add the host to NO_PROXY. ${connection.sentence}`,
    });
  }
  if (status === 401 || status === 403) {
    const why =
      status === 401 ? 'it does not accept the token' : 'the token may belong to a different workspace';
    return new Failure({
      code: 'no-access',
      message: `The service refused ${url} (status ${status}: ${why}): ${reason('no reason given')}`,
      hint: `Check that the token is valid and was created for the right workspace. ${connection.sentence}`,
    });
  }
  if (status === PROXY_SIGN_IN)
    return refusedByProxy({ url, connection, quote }, `status ${status} (${reason('no reason given')})`);
  return new Failure({
    code: 'service-refused',
    message: `The service refused ${url} with status ${status}: ${reason(excerpt())}`,
    hint: `Check ${connection.settings}.`,
  });
}
