import { Failure } from './failure.js';

/** `prefix`: the path without a trailing slash. */
export interface Address {
  origin: string;
  prefix: string;
  isLoopback: boolean;
}

/** `insecureHttp`: true if plain http is allowed for all hosts, not only for loopback addresses. */
interface AddressRules {
  insecureHttp?: boolean;
}

/** `secret`: true if the text may contain a password, so that it must not be shown. */
interface AddressFault {
  code: 'wrong-value' | 'secret-in-file';
  message: string;
  hint: string;
  secret: boolean;
}

const LOOPBACK = /^(?:localhost|\[::1\]|127(?:\.\d{1,3}){3})$/;

/** `hostname`: in lower case, without the port; IPv6 in brackets. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname);
}

export function parseAddress(name: string, text: string, rules: AddressRules = {}): Address {
  const fault = checkAddress(name, text, rules);
  if (fault !== null) throw new Failure({ ...fault, code: 'invalid-base-url' });
  const { origin, pathname, hostname } = new URL(text);
  return { origin, prefix: pathname.replace(/\/+$/, ''), isLoopback: isLoopback(hostname) };
}

/**
 * A host without a scheme, or a URL with white space around it, as the URL that is meant. Lower case only, because a token of
 * several parts looks the same otherwise.
 */
export function urlMeant(text: string): string | null {
  const [, url] =
    /^\s*(?:https?:\/*)?((?:[a-z\d-]+\.)+[a-z]{2,24}(?::\d{1,5})?(?:\/[a-z\d._/-]*)?)\s*$/.exec(text) ?? [];
  return url === undefined || url.length > 100 ? null : `https://${url.replace(API_PATH, '')}`;
}

/** What campaignctl adds to the base URL. A gateway may have `/api` in its own path as well, so only a proposal leaves it out. */
const API_PATH = /\/api(?:\/campaigns)?\/*$/;
const LIST_PATH = /\/api\/campaigns\/*$/;

/** What may be copied with an address. */
const AROUND = /^[\s"'<]+|[\s"'>,;]+$/g;

const LITERAL = 'Write the URL itself, such as https://send.example.com: variables are not filled in here.';

/** Returns `null` if the address is safe. `name`: the key or variable. The fault contains no secret of the address. */
export function checkAddress(
  name: string,
  text: string,
  { insecureHttp = false }: AddressRules = {},
): AddressFault | null {
  // The URL parser silently normalises white space and backslashes, so the request would go to a different address.
  const url = !/[\s\\]/.test(text) && URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.hostname === '')
    return {
      code: 'wrong-value',
      message: `${name} is not a URL.`,
      hint: text.trim().startsWith('$')
        ? LITERAL
        : `Write the full URL: ${urlMeant(text.replace(AROUND, '')) ?? 'https://send.example.com'}`,
      secret: text.includes('@'),
    };
  const [odd] = /[^\w.:[\]-]/u.exec(url.host) ?? /[,;'">]$/.exec(text) ?? [];
  if (odd !== undefined && !text.includes('@'))
    return {
      code: 'wrong-value',
      message: `${name} contains ${JSON.stringify(odd)}, which is not part of a URL.`,
      hint: /[${}]/.test(odd)
        ? LITERAL
        : `Write the URL alone, such as ${urlMeant(text.replaceAll(odd, '')) ?? 'https://send.example.com'}`,
      secret: false,
    };
  if (url.username !== '' || url.password !== '')
    return {
      code: 'secret-in-file',
      message: `${name} contains a user name or password.`,
      hint: 'Remove the credentials: campaignctl reads the token from a variable. If they were in a file, change the password.',
      secret: true,
    };
  if (text.includes('?') || text.includes('#'))
    return {
      code: 'wrong-value',
      message: `${name} contains a query or a fragment.`,
      hint: 'Write only the scheme, the host and, if needed, the path.',
      secret: true,
    };
  const [added] = LIST_PATH.exec(url.pathname) ?? [];
  if (name === 'base_url' && added !== undefined)
    return {
      code: 'wrong-value',
      message: `base_url ends with ${added}, which campaignctl adds itself.`,
      hint: `Write base_url: ${url.origin}${url.pathname.replace(API_PATH, '')}`,
      secret: false,
    };
  const isHttp = url.protocol === 'http:';
  if (url.protocol === 'https:' || (isHttp && (insecureHttp || isLoopback(url.hostname)))) return null;
  const standIn =
    isHttp && name === 'base_url'
      ? ' For a stand-in in a container network, add insecure_http: true to the environment.'
      : '';
  return {
    code: 'wrong-value',
    message: `${name} begins with ${url.protocol}//, so the token would be sent unencrypted.`,
    hint: `Write https://. Only loopback addresses (localhost, 127.0.0.1, [::1]) may use http://.${standIn}`,
    secret: false,
  };
}
