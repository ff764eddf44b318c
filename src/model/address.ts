import { Failure } from './failure.js';

/** An address that a token may be sent to. `prefix`: its path, without a slash at the end. */
export interface Address {
  origin: string;
  prefix: string;
  isLoopback: boolean;
}

/** Why a text is not such an address. `secret`: the text may hold a password and must not be shown. */
interface AddressFault {
  code: 'wrong-value' | 'secret-in-file';
  message: string;
  hint: string;
  secret: boolean;
}

/** This machine: what is sent there does not go over a network. */
const LOOPBACK = /^(?:localhost|\[::1\]|127(?:\.\d{1,3}){3})$/;

/** Takes an address apart; null where it is safe. `name`: the key or the variable that holds it. The text is never repeated. */
export function checkAddress(name: string, text: string): AddressFault | null {
  const read = readAddress(name, text);
  return 'code' in read ? read : null;
}

/** The same for one that has to be safe by now: a Failure where it is not. */
export function parseAddress(name: string, text: string): Address {
  const read = readAddress(name, text);
  if (!('code' in read)) return read;
  throw new Failure({ code: 'invalid-base-url', message: read.message, hint: read.hint });
}

/** The origin of a URL, the same however its host is written: with a dot at its end, or as one of the names of this machine. */
export function serverOf(url: string): string {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/\.$/, '');
  return `${protocol}//${LOOPBACK.test(host) ? 'localhost' : host}:${port}`;
}

function readAddress(name: string, text: string): Address | AddressFault {
  // The URL parser forgives white space and backslashes; what is sent later would not be what was checked.
  const url = !/[\s\\]/.test(text) && URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.hostname === '')
    return {
      code: 'wrong-value',
      message: `${name} is not an address.`,
      hint: 'Write it in full: https://send.example.com',
      secret: text.includes('@'),
    };
  if (url.username !== '' || url.password !== '')
    return {
      code: 'secret-in-file',
      message: `${name} holds a user name or password.`,
      hint: 'Remove them: the token has a variable of its own. If they were in a file, change the password.',
      secret: true,
    };
  if (text.includes('?') || text.includes('#'))
    return {
      code: 'wrong-value',
      message: `${name} has a query or a fragment.`,
      hint: 'Write only the scheme, the host and, if there is one, the path.',
      secret: true,
    };
  const isLoopback = LOOPBACK.test(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback))
    return {
      code: 'wrong-value',
      message: `${name} begins with ${url.protocol}//, which would send the token unencrypted.`,
      hint: 'Write https://. Only a loopback address (localhost, 127.0.0.1, [::1]) may have http://.',
      secret: false,
    };
  return { origin: url.origin, prefix: url.pathname.replace(/\/+$/, ''), isLoopback };
}
