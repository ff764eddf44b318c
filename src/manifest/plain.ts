import type { Json, JsonObject } from '../model/json.js';

/**
 * The value of a YAML text of the plain form that manifests have as a rule: one document, sections and lists by indentation, texts on
 * one line or below `|`, lists of words in brackets, comments. Null for any other text, be it right or wrong: the library reads it,
 * which takes twenty times as long, and says what is wrong with it. What both read is the same to them.
 */
export function plainYaml(text: string): JsonObject | null {
  if (text.length > MOST_CHARACTERS || !text.endsWith('\n') || UNUSUAL.test(text)) return null;
  try {
    return new PlainText(text).document();
  } catch (error) {
    if (error === NOT_PLAIN) return null;
    throw error;
  }
}

/** Nothing of this size passes a limit of the parser. */
const MOST_CHARACTERS = 200_000;
const MOST_LEVELS = 20;
const MOST_KEYS = 500;

/** Tabs, line ends of other systems, a byte order mark; lines that begin or end documents, or speak to the parser. */
const UNUSUAL = /[\t\r\ufeff]|^(?:---|\.\.\.|%)/m;

const NOT_PLAIN = new Error('The text is not of the plain form.');

const KEY = /([A-Za-z_][\w-]{0,99}):(?= |$)/y;
/** Keys that are no texts, or no ordinary keys of an object. */
const OTHER_KEY = /^(?:null|true|false|__proto__)$/i;

const QUOTED = /^(?:"([^"\\]*)"|'([^']*)') *(?: #.*)?$/;
const BRACKETS = /^(?:\[([^[\]{}#]*)\]|\{([^[\]{}#]*)\}) *(?: #.*)?$/;
const ENTRY = /^([A-Za-z_][\w-]{0,99}): +(.+)$/;
const PLAIN = /^(?:[\w<(/$\u00a1-\ufffd]|\.\.?\/)/;
const WHOLE = /^(?:0|[1-9]\d{0,14})$/;
const WORD = /^(?:null|true|false)$/i;
/** A time, a date: no number, although it begins with a digit. */
const NO_NUMBER = /^\d+[^\d.eExXoO_]/;

class PlainText {
  readonly #lines: string[];
  /** The line that is looked at, never an empty one or a comment, and its indentation: -1 at the end. */
  #at = 0;
  #indent = -1;

  constructor(text: string) {
    this.#lines = text.slice(0, -1).split('\n');
    this.#skip();
  }

  document(): JsonObject {
    const value = this.#map(0, 0);
    // A line that is indented like nothing above it goes on with a value, or is wrong.
    if (this.#indent !== -1 || Object.keys(value).length === 0) throw NOT_PLAIN;
    return value;
  }

  #line(): string {
    return this.#lines[this.#at] ?? '';
  }

  #skip(): void {
    for (; this.#at < this.#lines.length; this.#at++) {
      const indent = indentOf(this.#line());
      if (indent === null || this.#line()[indent] === '#') continue;
      this.#indent = indent;
      return;
    }
    this.#indent = -1;
  }

  #map(indent: number, level: number): JsonObject {
    const map: JsonObject = {};
    for (let keys = 0; this.#indent === indent; keys++) {
      KEY.lastIndex = indent;
      const [, key = ''] = KEY.exec(this.#line()) ?? [];
      if (!isUsual(key, map) || level > MOST_LEVELS || keys > MOST_KEYS) throw NOT_PLAIN;
      map[key] = this.#valueOf(this.#line().slice(KEY.lastIndex), indent, level);
    }
    return map;
  }

  #list(indent: number, level: number): Json[] {
    const list: Json[] = [];
    while (this.#indent === indent && this.#line().startsWith('- ', indent)) {
      const inner = indent + 1 + (indentOf(this.#line().slice(indent + 1)) ?? 0);
      KEY.lastIndex = inner;
      if (KEY.test(this.#line())) {
        // Its keys are those of a section that begins further right.
        this.#lines[this.#at] = ' '.repeat(inner) + this.#line().slice(inner);
        this.#indent = inner;
        list.push(this.#map(inner, level + 1));
      } else list.push(this.#scalar(this.#line().slice(inner)));
    }
    return list;
  }

  /** What stands behind a key, or below it. */
  #valueOf(behind: string, indent: number, level: number): Json {
    const start = indentOf(behind);
    const text = start === null ? '' : behind.slice(start);
    if (text === '|' || text === '|-') return this.#literal(indent, text === '|' ? '\n' : '');
    if (text !== '' && !text.startsWith('#')) return this.#scalar(text);
    this.#at++;
    this.#skip();
    const isList = this.#line().startsWith('- ', this.#indent);
    if (this.#indent >= indent && isList) return this.#list(this.#indent, level + 1);
    if (this.#indent <= indent) throw NOT_PLAIN;
    return this.#map(this.#indent, level + 1);
  }

  /** A text that is as long as its lines are indented further. */
  #literal(indent: number, end: string): string {
    const text: string[] = [];
    let own: number | null = null;
    for (this.#at++; this.#at < this.#lines.length; this.#at++) {
      const line = this.#line();
      const start = indentOf(line);
      if (start === null) {
        if (line.length > (own ?? 0)) throw NOT_PLAIN;
        text.push('');
        continue;
      }
      own ??= start;
      if (start < own || own <= indent) break;
      text.push(line.slice(own));
    }
    while (text.at(-1) === '') text.pop();
    if (text.length === 0) throw NOT_PLAIN;
    this.#skip();
    return text.join('\n') + end;
  }

  #scalar(text: string): Json {
    this.#at++;
    this.#skip();
    const [inBrackets, list, map] = BRACKETS.exec(text) ?? [];
    if (inBrackets === undefined) return wordOf(text);
    const items = itemsOf(list ?? map ?? '');
    return list === undefined ? entriesOf(items) : items.map(wordOf);
  }
}

function itemsOf(text: string): string[] {
  return /^ *$/.test(text) ? [] : text.split(',').map((item) => item.replace(/^ +| +$/g, ''));
}

function entriesOf(items: readonly string[]): JsonObject {
  const map: JsonObject = {};
  for (const item of items) {
    const [, key = '', text = ''] = ENTRY.exec(item) ?? [];
    if (!isUsual(key, map)) throw NOT_PLAIN;
    map[key] = wordOf(text);
  }
  return map;
}

function isUsual(key: string, map: JsonObject): boolean {
  return key !== '' && !OTHER_KEY.test(key) && !Object.hasOwn(map, key);
}

/** Null for a line of nothing but spaces. */
function indentOf(line: string): number | null {
  for (let at = 0; at < line.length; at++) if (line.charCodeAt(at) !== 32) return at;
  return null;
}

function wordOf(text: string): Json {
  const quoted = QUOTED.exec(text);
  if (quoted !== null) return quoted[1] ?? quoted[2] ?? '';
  const value = text.replace(/ #.*$/, '').replace(/ +$/, '');
  if (!PLAIN.test(value) || value.includes(': ') || value.endsWith(':')) throw NOT_PLAIN;
  if (WHOLE.test(value)) return Number(value);
  if (value === 'true' || value === 'false') return value === 'true';
  if (WORD.test(value) || (/^\d/.test(value) && !NO_NUMBER.test(value))) throw NOT_PLAIN;
  return value;
}
