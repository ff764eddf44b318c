import { Failure } from '../model/failure.js';

/** Where the service is. `prefix` is the path in front of `/api`, without a slash at its end. */
export interface Target {
  origin: string;
  prefix: string;
  loopback: boolean;
}

/** Takes the base URL apart; Failure where the token could be read by others on the way. */
export function parseTarget(baseUrl: string): Target {
  if (!URL.canParse(baseUrl)) throw invalidUrl('it is not a URL');
  const url = new URL(baseUrl);
  const loopback = isLoopback(url.hostname);
  if (url.username !== '' || url.password !== '') throw invalidUrl('it holds a user name or password');
  if (url.search !== '' || url.hash !== '') throw invalidUrl('it holds a query or a fragment');
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && loopback)) {
    throw invalidUrl('it is neither https nor a loopback address');
  }
  return { origin: url.origin, prefix: url.pathname.replace(/\/+$/, ''), loopback };
}

/** Failure where the token cannot stand in a header. The message never shows it. */
export function checkToken(token: string): void {
  if (/^[\t\x20-\x7e\x80-\xff]+$/.test(token) && token.trim() === token) return;
  throw new Failure({
    code: 'invalid-token',
    message:
      'The token cannot be sent: it is empty, or holds line breaks, outer spaces or other unusual characters.',
    hint: 'Check the environment variable: a line end copied along with the token is the usual cause.',
  });
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

// The URL itself is not shown: what is wrong with it may be a password in it.
function invalidUrl(why: string): Failure {
  return new Failure({
    code: 'invalid-base-url',
    message: `The base URL cannot be used: ${why}.`,
    hint: 'Write base_url as https://host, or http:// with a loopback address; a path may follow.',
  });
}
