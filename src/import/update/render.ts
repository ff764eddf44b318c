import { parseYaml } from '../../manifest/index.js';
import { isObject, type Json } from '../../model/json.js';
import { double, literal, plain } from './styles.js';

/** Where new lines go: their column, and how lines end. */
interface Lines {
  column: number;
  eol: string;
}

/** A value behind its key: on the same line, or on the lines below. Begins with what stands between colon and value. */
export function behindKey(value: Json, { column, eol }: Lines): string {
  const below = { column: column + 2, eol };
  if (isObject(value)) return eol + ' '.repeat(below.column) + mapLines(value, below);
  if (Array.isArray(value) && value.some(isObject)) return eol + listLines(value, below);
  return ` ${typeof value === 'string' ? textAt(value, { column, eol }) : inFlow(value)}`;
}

/** The keys of a section; the first one stands where the caller is. */
export function mapLines(value: { [key: string]: Json }, lines: Lines): string {
  return Object.entries(value)
    .map(([key, inner]) => `${key}:${behindKey(inner, lines)}`)
    .join(lines.eol + ' '.repeat(lines.column));
}

function listLines(items: readonly Json[], { column, eol }: Lines): string {
  return items.map((item) => ' '.repeat(column) + itemLines(item, { column, eol }, 1)).join(eol);
}

/** An item with its dash; `gap`: blanks between the two. */
export function itemLines(item: Json, { column, eol }: Lines, gap: number): string {
  const inner = isObject(item)
    ? mapLines(item, { column: column + 1 + gap, eol })
    : typeof item === 'string'
      ? (sound(plain(item)) ?? double(item))
      : inFlow(item);
  return `-${' '.repeat(gap)}${inner}`;
}

/** A value on one line, as flow collections take it. */
export function inFlow(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(inFlow).join(', ')}]`;
  if (isObject(value)) {
    const pairs = Object.entries(value).map(([key, inner]) => `${key}: ${inFlow(inner)}`);
    return `{ ${pairs.join(', ')} }`;
  }
  if (typeof value !== 'string') return String(value);
  return /^[a-z_]+$/.test(value) ? (sound(value) ?? double(value)) : double(value);
}

/** The plainest spelling that reads as this text. */
function textAt(text: string, { column, eol }: Lines): string {
  const indent = column + 2;
  const tried = text.includes('\n')
    ? literal(text, { column, indent, head: '', eol, width: 80, paragraphs: [] })
    : plain(text);
  return sound(tried, text, column) ?? double(text);
}

function sound(written: string | null, text = written, column = 0): string | null {
  if (written === null) return null;
  const parsed = parseYaml('', `${' '.repeat(column)}key: ${written}\n`);
  const value = parsed.documents[0]?.value;
  return parsed.findings.length === 0 && isObject(value ?? null) && isObject(value) && value.key === text
    ? written
    : null;
}
