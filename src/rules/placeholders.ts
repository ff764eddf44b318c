import type { Environment } from '../model/environment.js';
import {
  isBareVariable,
  isPlaceholderWord,
  isUnsubscribe,
  replacementHint,
  UNSUBSCRIBE_HINT,
} from './variables.js';

/** A placeholder of another tool or of a template, which the service sends as text. */
export interface Placeholder {
  start: number;
  text: string;
  kind: string;
  hint: string;
}

const NAME = '[\\p{L}_][\\p{L}\\p{N}_. -]{0,40}?';
const ENCODED_NAME = '(?:[\\p{L}\\p{N}_ .+-]|%20){1,41}?';
const [OPEN, CLOSE] = [
  ['%7[Bb]', '&#0*123;', '&#[xX]0*7[bB];', '&lbrace;', '&lcub;', '[｛﹛❴]'],
  ['%7[Dd]', '&#0*125;', '&#[xX]0*7[dD];', '&rbrace;', '&rcub;', '[｝﹜❵]'],
].map((forms) => `(?:${forms.join('|')})`);

type Reading = Pick<Placeholder, 'kind' | 'hint'> | null;

/** `read` returns `null` if the text is not a placeholder after all. */
interface Dialect {
  pattern: string;
  read(inner: string, environment: Environment): Reading;
}

const KIND = 'a placeholder that the service does not fill in';

const always = (pattern: string): Dialect => ({
  pattern,
  read: (inner, environment) => ({ kind: KIND, hint: replacementHint(inner, environment) }),
});

/** Marks that are common in ordinary text: only well-known names between them are placeholders. */
const ifKnown = (pattern: string): Dialect => ({ pattern, read: known });

function known(inner: string, environment: Environment): Reading {
  return isPlaceholderWord(inner, environment)
    ? { kind: KIND, hint: replacementHint(inner, environment) }
    : null;
}

/** Capitals without marks, outside braces and tags: `Bonjour PRÉNOM,`. */
const bare = (before: string, after: string, isMeant: typeof isPlaceholderWord): Dialect => ({
  pattern: `(?<![\\p{L}\\p{N}_{}|%$#@*~./=&?<[«"-])${before}([\\p{Lu}\\p{M}_]{3,30})(?![\\p{L}\\p{M}\\p{N}_}|%$#@*~=\\]>:»"-]|\\.\\p{L})${after}(?<!\\{[^{}\\n]{0,90})(?<!<[^<>]{0,200})`,
  read: (inner, environment) =>
    isMeant(inner, environment) ? { kind: KIND, hint: replacementHint(inner, environment) } : null,
});

/** Two or more words in lower case may be emphasis: <<worth it>>. */
const ifTitle = (pattern: string): Dialect => ({
  pattern,
  read: (inner, environment) =>
    !/\s\p{Ll}/u.test(inner) || isPlaceholderWord(inner, environment)
      ? { kind: KIND, hint: replacementHint(inner, environment) }
      : null,
});

/** Names of HTML elements that templates use as well. */
const ELEMENT = /^(?:address|code|data|details|label|link|mark|summary|time|title)$/;

const brace = (pattern: string): Dialect => ({
  pattern,
  read(inner, environment) {
    const name = inner.replace(/%20|\+/g, ' ');
    if (!/\p{L}/u.test(name)) return null;
    return {
      kind: 'written with braces that the service does not recognize',
      hint: replacementHint(name, environment),
    };
  },
});

const DIALECTS: readonly Dialect[] = [
  {
    // Before the rules that look at the link and at its target alone.
    pattern: '\\[[^\\]\\n]{1,200}\\]\\(\\s*(\\{\\{?[^{}()\\n]{1,60}\\}\\}?)\\s*\\)',
    read: (target) =>
      isUnsubscribe(target.replace(/^\{+|\}+$/g, ''))
        ? {
            kind: 'an unsubscribe link of another tool, which the service sends as text',
            hint: UNSUBSCRIBE_HINT,
          }
        : null,
  },
  always('\\*\\|([^|*\\n]{1,60})\\|\\*'),
  ifTitle(`<<\\s*(${NAME})\\s*>>`),
  ifTitle(`&lt;&lt;\\s*(${NAME})\\s*&gt;&gt;`),
  always(`\\[\\[\\s*(${NAME})\\s*\\]\\]`),
  always(`##(${NAME})##`),
  always('%%=?\\s*([A-Za-z_][\\w.()@, -]{0,60}?)\\s*=?%%'),
  always('<%[=-]?\\s*([\\w.@ -]{1,60}?)\\s*%>'),
  always('\\$\\{([^{}\\n]{1,60})\\}'),
  always('\\{\\s*\\$([A-Za-z_]\\w{0,40})\\s*\\}'),
  always('\\{!\\s*\\$?([\\w.]{1,60})\\s*\\}'),
  always('\\{\\{\\{([^{}\\n]{1,60})\\}\\}\\}'),
  always('~([A-Za-z]+\\.[\\w.]{1,40})~'),
  // An address may contain encoded bytes, such as %E2%82%AC, and {%else%} is Liquid.
  always(
    '%(?![0-9A-Fa-f]{2}[^%\\n]{0,40}%[0-9A-Fa-f]{2})(?!(?:else|raw|comment|break|continue|end[a-z]+)%\\})([A-Za-z_][\\w.-]{2,40})%',
  ),
  { pattern: '(?<![\\w\\]])\\[([^\\][|\\n]{1,60}(?:\\|[^\\][|\\n]{1,60}){1,9})\\](?!\\()', read: choices },
  { pattern: '\\[(?:spin|SPIN|Spin)\\]([^\\][\\n]{1,500})\\[/(?:spin|SPIN|Spin)\\]', read: choices },
  ifKnown('\\[([^\\][(\\n]{1,40})\\](?!\\()'),
  {
    pattern: '<([\\p{L}_][\\p{L}_ -]{1,40})>',
    read: (inner, environment) => (ELEMENT.test(inner) ? null : known(inner, environment)),
  },
  ifKnown('«([\\p{L}_][\\p{L}_ ]{1,40})»'),
  ifKnown('\\$([A-Za-z_]\\w{1,40})(?!\\w)\\$?'),
  ifKnown('#([A-Z][A-Z_]{1,40})#'),
  ifKnown('__([A-Z][A-Z_]{0,38}[A-Z])__'),
  bare(
    '(?<=(?:^|[\\n>])[ \\t]*\\p{Lu}\\p{Ll}{1,12} (?:[\\p{L}\\p{M}_]{1,20}\\.? )?)',
    '(?=(?: [\\p{Lu}\\p{M}_]{3,30})?[ \\t]*[,!])',
    isPlaceholderWord,
  ),
  bare('(?=\\p{L}+_)', '', isPlaceholderWord),
  bare('(?<!\\p{Lu}{2}[^\\p{L}\\n]{1,2})', '(?![^\\p{L}\\n]{1,2}\\p{Lu}{2})', isBareVariable),
  brace(`${OPEN}{1,3}(${ENCODED_NAME})(?:${CLOSE}|\\}){1,3}`),
  brace(`\\{(${ENCODED_NAME})${CLOSE}`),
  {
    pattern: '\\{\\{?\\s*(?:RANDOM|[Rr]andom|SPIN|[Ss]pin|SPINTAX|[Ss]pintax)\\s*[|:]([^{}]{1,500})\\}?\\}',
    read: choices,
  },
  { pattern: '\\{\\{([^{}]{1,500})\\}\\}', read: doubleBraces },
];

function choices(inner: string): Reading {
  const texts = inner.split('|').map((text) => text.trim());
  const hint = `Write {${texts.join('|')}}.`;
  return { kind: 'spintax of another tool, from which the service does not choose', hint };
}

const FILTER =
  /^(?:abs|append|ceil|capitali[sz]e|date|default|divided_by|downcase|escape|first|floor|join|last|lstrip|map|minus|modulo|newline_to_br|plus|prepend|remove|replace|round|rstrip|size|slice|sort|split|strip|strip_html|times|titlecase|titleize|truncate|truncatewords|uniq|upcase|url_encode)\b/;

/** Before a fallback in quotes. */
const OTHERWISE = /\s+(?:or|\?\?|\|\|)\s+(?=["'“‘])/;

/** Liquid has a rule of its own, because some services interpret it. */
function doubleBraces(inner: string, environment: Environment): Reading {
  const text = inner.trim();
  if (/^[#/^>!&=]|^else$/.test(text))
    return {
      kind: 'a condition or comment of another tool, which the service sends as text',
      hint: 'Remove it. For other recipients, write another campaign or a variant.',
    };
  const piped = text.replace(OTHERWISE, '|');
  const [first = '', second] = piped.split('|').map((part) => part.trim());
  if (second === undefined || FILTER.test(second)) return null;
  if (isPlaceholderWord(first, environment)) return { kind: KIND, hint: replacementHint(piped, environment) };
  return /[._]/.test(first) || piped !== text ? null : choices(text);
}

const ANY = new RegExp(DIALECTS.map(({ pattern }) => pattern).join('|'), 'gu');

export function findPlaceholders(text: string, environment: Environment): Placeholder[] {
  const found: Placeholder[] = [];
  const readings = new Map<string, Reading>();
  const mark = new RegExp(ANY);
  for (let match = mark.exec(text); match !== null; match = mark.exec(text)) {
    const [whole, ...groups] = match;
    const at = groups.findIndex((group) => group !== undefined);
    const reading = readings.get(whole) ?? DIALECTS[at]?.read(groups[at]?.trim() ?? '', environment) ?? null;
    readings.set(whole, reading);
    if (reading !== null) found.push({ start: match.index, text: whole, ...reading });
    else mark.lastIndex = match.index + 1;
  }
  return found;
}
