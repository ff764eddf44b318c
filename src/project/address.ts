import type { Violation } from '../manifest/index.js';
import type { JsonObject } from '../model/json.js';
import type { Path } from '../model/problem.js';

/** What is wrong with the address and the token's variable of an environment. Never repeats what may be a secret. */
export function addressViolations(environment: JsonObject, path: Path): Violation[] {
  const { base_url, token_env } = environment;
  return [
    ...(typeof base_url === 'string' && base_url !== ''
      ? urlViolations(base_url, [...path, 'base_url'])
      : []),
    ...(typeof token_env === 'string' && token_env !== ''
      ? tokenViolations(token_env, [...path, 'token_env'])
      : []),
  ];
}

function urlViolations(text: string, path: Path): Violation[] {
  // The URL parser forgives white space and backslashes; what is sent later would not be what was checked.
  const url = !/[\s\\]/.test(text) && URL.canParse(text) ? new URL(text) : null;
  const at = { path, target: 'value' } as const;
  if (url === null || url.hostname === '') {
    const hint = 'Write it in full: https://send.example.com';
    return [{ code: 'wrong-value', message: 'base_url is not an address.', hint, ...at, ...hidden(text) }];
  }
  if (url.username !== '' || url.password !== '') {
    const message = 'base_url holds a user name or password.';
    const hint =
      'Take it out of the file and replace it where it is used; the token goes into the variable of token_env.';
    return [{ code: 'secret-in-file', message, hint, ...at, secret: true }];
  }
  if (text.includes('?') || text.includes('#')) {
    const hint = 'Write scheme, host and, if there is one, the path only.';
    return [
      { code: 'wrong-value', message: 'base_url has a query or a fragment.', hint, ...at, secret: true },
    ];
  }
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) return [];
  const message = `base_url begins with ${url.protocol}//: the token would go over the network in the clear.`;
  const hint = 'Write https://; http:// is taken for a loopback address (localhost, 127.0.0.1, [::1]) only.';
  return [{ code: 'wrong-value', message, hint, ...at }];
}

/** What cannot be read as an address may still hold one with a password. */
function hidden(text: string): { secret?: true } {
  return text.includes('@') ? { secret: true } : {};
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

function tokenViolations(text: string, path: Path): Violation[] {
  const at = { path, target: 'value', secret: true } as const;
  const hint = 'Write the name of an environment variable, such as CAMPAIGNS_TOKEN.';
  if (looksLikeToken(text)) {
    const replace = 'If it is a token, replace it in the service: it was in a file.';
    return [
      {
        code: 'secret-in-file',
        message: 'token_env looks like a token itself.',
        hint: `${hint} ${replace}`,
        ...at,
      },
    ];
  }
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(text)) return [];
  return [
    { code: 'wrong-value', message: 'token_env is not the name of an environment variable.', hint, ...at },
  ];
}

/** Long, and either with characters that no name has or a jumble of letters and digits without words. */
function looksLikeToken(text: string): boolean {
  if (/^(bearer|basic)\s/i.test(text) || /^\d+\|/.test(text)) return true;
  if (text.length < 16) return false;
  return (
    !/^[A-Za-z_][A-Za-z0-9_]*$/.test(text) ||
    (/\d/.test(text) && /[a-z]/.test(text)) ||
    (!text.includes('_') && /\d/.test(text))
  );
}
