/** Breaks valid YAML at one place, as people do while typing. */
export interface Broken {
  text: string;
  /** Counted from 1. */
  line: number;
}

/** A line of a YAML file of block sections, as the tests write them. */
interface Line {
  text: string;
  indent: number;
  /** Null if the line holds no `key:`. */
  key: string | null;
  value: string;
  isText: boolean;
}

const KEY = /^( *(?:- )?)([\w-]+):(?: +(.*))?$/;

function linesOf(text: string): Line[] {
  let block: number | null = null;
  return text.split('\n').map((line) => {
    const indent = line.length - line.trimStart().length;
    if (block !== null && (line.trim() === '' || indent > block))
      return { text: line, indent, key: null, value: '', isText: true };
    block = null;
    const [, lead = '', key = null, value = ''] = KEY.exec(line) ?? [];
    if (/^[|>]/.test(value)) block = lead.length - (lead.endsWith('- ') ? 2 : 0);
    return { text: line, indent, key, value, isText: false };
  });
}

/** Returns the new line or lines; null if this break cannot happen at this line. */
type Break = (line: Line, before: Line | undefined) => string | null;

const TEXTS = ['name', 'title', 'email_subject', 'email_body', 'unsubscribe_text', 'reason'];

const isBlank = ({ text }: Line) => text.trim() === '' || text.trim().startsWith('#');

function structural(change: (line: Line) => string | null): Break {
  return (line) => (line.isText || isBlank(line) ? null : change(line));
}

function keyed(change: (line: Line, key: string, value: string) => string | null): Break {
  return structural((line) => (line.key === null ? null : change(line, line.key, line.value)));
}

function withValue({ text, value }: Line, changed: string): string {
  return text.slice(0, text.length - value.length) + changed;
}

const isPlain = (value: string) => /^[A-Za-z0-9]/.test(value);
const bare = (value: string) => value.replace(/^"(.*)"$/, '$1').replace(/^\{.*\}, /, '');

export const BREAKS: Readonly<Record<string, Break>> = {
  'one space more': structural(({ text }) => ` ${text}`),
  'one space less': structural(({ text, indent }) => (indent === 0 ? null : text.slice(1))),
  'a tab as indentation': structural(({ text, indent }) => (indent === 0 ? null : `\t${text.trimStart()}`)),
  'a no-break space in the indentation': structural(({ text, indent }) =>
    indent === 0 ? null : `\u00a0${text.slice(1)}`,
  ),
  'no space after the colon': keyed(({ text }, key, value) =>
    value === '' ? null : text.replace(`${key}: `, `${key}:`),
  ),
  'no colon': keyed(({ text }, key) => text.replace(`${key}:`, key)),
  'no space after the dash': structural(({ text }) =>
    /^ *- \S/.test(text) ? text.replace('- ', '-') : null,
  ),
  'a quote that is not closed': structural(({ text }) =>
    /"[^"]*$/.test(text) && (text.match(/"/g) ?? []).length === 2 ? text.replace(/"([^"]*)$/, '$1') : null,
  ),
  'a bracket that is not closed': structural(({ text }) =>
    /[\]}]$/.test(text) && !/["']/.test(text) ? text.slice(0, -1) : null,
  ),
  'a colon in text': keyed((line, key, value) =>
    TEXTS.includes(key) && !/^[|>]/.test(value) ? withValue(line, `Idea: ${bare(value)}`) : null,
  ),
  'text that begins with a number sign': keyed((line, key, value) =>
    TEXTS.includes(key) && !/^[|>]/.test(value) ? withValue(line, `#1 ${bare(value)}`) : null,
  ),
  'typographic quotes': keyed((line, _, value) =>
    isPlain(value) || value.startsWith('"')
      ? withValue(line, `\u201c${value.replaceAll('"', '')}\u201d`)
      : null,
  ),
  'a merge key': keyed(({ text, indent }) =>
    indent === 0 || text.includes('- ') ? null : `${' '.repeat(indent)}<<: *base\n${text}`,
  ),
  'conflict markers': structural(({ text }) => `<<<<<<< HEAD\n${text}\n=======\n${text}\n>>>>>>> topic`),
  'a misspelt key': keyed(({ text }, key) =>
    key.length > 3 && key.includes('_') ? text.replace(key, key.replace(/(.)_/, '_$1')) : null,
  ),
  'a key twice': keyed(({ text }, _, value) =>
    value === '' || /^[|>]/.test(value) || text.includes('- ') ? null : `${text}\n${text}`,
  ),
  'a line of text that is not indented': (line, before) =>
    line.isText && before?.isText && line.text.trim() !== '' ? line.text.trimStart() : null,
  'a line of text with one space less': (line, before) =>
    line.isText && before?.isText && line.text.trim() !== '' && line.text.slice(1) !== line.text.trimStart()
      ? line.text.slice(1)
      : null,
};

/** All places at which this break is possible. */
export function breakAll(text: string, kind: string): Broken[] {
  const lines = linesOf(text);
  return lines.flatMap((line, index) => {
    const changed = BREAKS[kind]?.(line, lines[index - 1]) ?? null;
    if (changed === null || changed === line.text) return [];
    const whole = lines.map(({ text }, at) => (at === index ? changed : text)).join('\n');
    return { text: whole, line: index + 1 };
  });
}
