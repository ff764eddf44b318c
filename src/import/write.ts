import { Document, isScalar, type ScalarTag, type Tags, visit } from 'yaml';
import { badText } from '../manifest/errors.js';
import {
  codePoint,
  type Readership,
  replaceHidden,
  visibleCopyLine,
  visibleLine,
} from '../model/characters.js';
import { isObject, type Json, type JsonObject, mapValues } from '../model/json.js';

export function mapTexts(value: Json, replace: (text: string) => string): Json {
  if (typeof value === 'string') return replace(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, replace));
  return isObject(value) ? mapValues(value, (inner) => mapTexts(inner, replace)) : value;
}

/** Writes YAML lines: lists of scalars on one line, bodies as block scalars if possible. */
export function blockYaml(value: JsonObject): string {
  // A no-break space is legitimate in emails, but misleading in names.
  const names = new Set([value.name, isObject(value.sequence) ? value.sequence.title : null]);
  const needsEscapes = (text: string) =>
    (!isVisible(text) && !isBlock(text)) || (names.has(text) && visibleLine(text) !== text);
  const quoted: ScalarTag = {
    tag: 'tag:yaml.org,2002:str',
    default: true,
    identify: (node) => typeof node === 'string' && needsEscapes(node),
    resolve: (text) => text,
    stringify: ({ value: text }) => quotedText(String(text), names.has(String(text)) ? 'name' : 'email'),
  };
  const document = new Document(value, { ...SCHEMA, customTags: (tags: Tags) => [quoted, ...tags] });
  visit(document, {
    Seq(_, list) {
      if (list.items.every(isOnOneLine)) list.flow = true;
    },
  });
  return document.toString({ lineWidth: 0, flowCollectionPadding: false, blockQuote: 'literal' });
}

/** YAML 1.1 readers must see the same values, so `no` and `09:00` are quoted. */
const SCHEMA = { schema: 'core', compat: 'yaml-1.1' } as const;

function isOnOneLine(item: unknown): boolean {
  return isScalar(item) && !String(item.value).includes('\n');
}

export function isVisible(text: string): boolean {
  return visibleCopyLine(text) === text;
}

export function isBlock(text: string): boolean {
  const isSafe = !/[\r\u2028\u2029\ufeff]/.test(text) && badText(text) === null;
  return isSafe && text.includes('\n') && /^[^\s]/.test(text) && !/\n\s*\n$|[^\S\n]$/.test(text);
}

export function quotedText(text: string, readers: Readership = 'email'): string {
  const escaped = (character: string) => {
    const hex = codePoint(character).slice(2);
    return character.length > 1 ? `\\U${hex.padStart(8, '0')}` : `\\u${hex}`;
  };
  const json = JSON.stringify(text);
  return replaceHidden(json, escaped, readers);
}

export function commentLine(text: string): string {
  return `# ${visibleLine(text)}\n`;
}
