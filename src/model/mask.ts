/** Replaces the token in a string, including its JSON-, URL- and HTML-escaped forms. */
export type Mask = (text: string) => string;

/** A shorter token could be an ordinary word. */
export const SHORTEST_IN_CONTENT = 8;

const MASKED = '[token]';

export function createMask(token: string): Mask {
  const escaped = new RegExp(Array.from(token, anySpelling).join(''), 'g');
  return (text) => {
    const plain = text.replaceAll(token, MASKED);
    return /[\\%&]/.test(plain) ? plain.replace(escaped, MASKED) : plain;
  };
}

/** Matches `/` as `/`, `\/`, `\u002f`, `%2F`, `&#x2F;`, `&#47;` or `&sol;`. */
function anySpelling(character: string): string {
  const code = character.charCodeAt(0).toString(16).padStart(2, '0');
  const hex = code.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
  const itself = character.replace(/[^\w]/, '\\$&');
  const short = '"/\\'.includes(character) ? `|\\\\${itself}` : '';
  const named = /\w/.test(character) && character !== '_' ? '' : '|&[a-z]+;';
  const numeric = `&#(?:[xX]0*${hex}|0*${character.charCodeAt(0)});`;
  return `(?:\\\\u00${hex}|%${hex}|${numeric}${named}${short}|${itself})`;
}

/** A token whose value is known. `variable`: where it comes from. */
export interface KnownToken {
  variable: string;
  token: string;
  mask: Mask;
}

/** Variables of the environment. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** The tokens that these variables contain, but for those that could be ordinary words. */
export function knownTokens(variables: Iterable<string>, env: EnvironmentVariables): KnownToken[] {
  return [...new Set(variables)].flatMap((variable) => {
    const token = env[variable]?.trim() ?? '';
    return token.length < SHORTEST_IN_CONTENT ? [] : [{ variable, token, mask: createMask(token) }];
  });
}

/** For messages, which may have cut a token: then its beginning is hidden, too. */
export function hideTokens(text: string, tokens: readonly KnownToken[]): string {
  return tokens.reduce((shown, { token, mask }) => hideBeginnings(mask(shown), token), text);
}

function hideBeginnings(text: string, token: string): string {
  const [first = '', ...rest] = text.split('…');
  return rest.reduce((shown, part) => `${hideEnd(shown, token)}…${part}`, first);
}

function hideEnd(text: string, token: string): string {
  for (let length = token.length - 1; length >= SHORTEST_IN_CONTENT / 2; length -= 1)
    if (text.endsWith(token.slice(0, length))) return `${text.slice(0, -length)}${MASKED}`;
  return text;
}

/** Hides credentials in addresses. */
export function maskAddresses(text: string): string {
  return text.replace(/[^\s'"]+/g, (word) => {
    const from = word.lastIndexOf('@') + 1;
    const [scheme = ''] = /\w{1,20}:\/\//.exec(word) ?? [];
    const address = from === 0 ? word : `${scheme}${word.slice(from)}`;
    return scheme === '' ? address : address.replace(/[?#].*$/, '');
  });
}
