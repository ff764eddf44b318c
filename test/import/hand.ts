import { isObject, type Json, type JsonObject } from '../../src/model/json.js';

/** Picks one of `choices` from a sequence of numbers. */
export type Pick = (choices: number) => number;

export function picking(numbers: readonly number[]): Pick {
  let at = 0;
  return (choices) => {
    at += 1;
    return (numbers[at % Math.max(1, numbers.length)] ?? 0) % choices;
  };
}

/**
 * Writes a value as a person might: in any style that can represent it, with comments and blank lines anywhere, as flow or
 * block, with any indentation. Comments are numbered.
 */
export function byHand(value: JsonObject, pick: Pick, eol: string): string {
  let comments = 0;
  const comment = () => {
    comments += 1;
    return `# c${comments}: "x" - [y]`;
  };
  const maybe = (text: () => string) => (pick(3) === 0 ? text() : '');
  const behind = () => maybe(() => ` ${comment()}`);
  const above = (column: number) =>
    maybe(() => '\n') + maybe(() => `${' '.repeat(column)}${comment()}\n`) + maybe(() => '\n');

  function map(object: JsonObject, column: number, isInline: boolean): string {
    return Object.entries(object)
      .map(([key, inner], index) => {
        const head = index === 0 && isInline ? '' : above(column) + ' '.repeat(column);
        return `${head}${key}:${entry(inner, column)}`;
      })
      .join('');
  }
  function entry(inner: Json, column: number): string {
    const below = column + 1 + pick(4);
    if (isObject(inner))
      return pick(4) === 0 ? ` ${flow(inner)}${behind()}\n` : `${behind()}\n${map(inner, below, false)}`;
    if (Array.isArray(inner)) {
      if (inner.length === 0 || pick(3) === 0) return ` ${flow(inner)}${behind()}\n`;
      const dash = pick(2) === 0 ? column : below;
      return `${behind()}\n${inner.map((item) => listItem(item, dash)).join('')}`;
    }
    const blanks = ' '.repeat(1 + pick(3));
    const written = block(inner, column);
    if (written !== null) return `${blanks}${written}`;
    return `${blanks}${scalar(inner)}${behind()}\n`;
  }
  function listItem(item: Json, dash: number): string {
    const gap = 1 + pick(3);
    const head = `${above(dash)}${' '.repeat(dash)}-${' '.repeat(gap)}`;
    if (!isObject(item)) return `${head}${scalar(item)}${behind()}\n`;
    return pick(4) === 0 ? `${head}${flow(item)}\n` : head + map(item, dash + 1 + gap, true);
  }
  function scalar(inner: Json): string {
    if (inner === null) return ['null', '~'][pick(2)] ?? 'null';
    if (typeof inner !== 'string') return String(inner);
    const styles = [double(inner)];
    if (/^[A-Za-z][A-Za-z ]*[a-z]$/.test(inner) && !/^(null|true|false)$/i.test(inner)) styles.push(inner);
    if (!/[\r\n\ufeff]/.test(inner)) styles.push(`'${inner.replaceAll("'", "''")}'`);
    return styles[pick(styles.length)] ?? '';
  }
  function block(inner: Json, column: number): string | null {
    if (typeof inner !== 'string' || pick(2) === 0) return null;
    if (!/\S/.test(inner) || /\r|\ufeff|\n\s*\n$|^\s|\n\s+$/.test(inner)) return null;
    const indent = ' '.repeat(column + 1 + pick(5));
    const lines = inner.replace(/\n$/, '').split('\n');
    const chomp = inner.endsWith('\n') ? '' : '-';
    const isFolded = pick(2) === 0 && lines.every((line) => /^\S(.*\S)?$/.test(line) && !line.includes('  '));
    const rows = isFolded
      ? lines.flatMap((line, at) => [...(at > 0 ? [''] : []), ...line.split(' ')])
      : lines;
    const body = rows.map((row) => (row === '' ? '' : indent + row)).join('\n');
    return `${isFolded ? '>' : '|'}${chomp}${behind()}\n${body}\n${maybe(() => '\n\n')}`;
  }
  function flow(inner: Json): string {
    const pad = ' '.repeat(pick(2));
    const comma = `${' '.repeat(pick(2))},${' '.repeat(1 + pick(2))}`;
    if (Array.isArray(inner)) return `[${pad}${inner.map(flow).join(comma)}${pad}]`;
    if (!isObject(inner)) return typeof inner === 'string' ? double(inner) : String(inner);
    return `{${pad}${Object.entries(inner)
      .map(([key, element]) => `${key}: ${flow(element)}`)
      .join(comma)}${pad}}`;
  }
  return (above(0) + map(value, 0, false) + above(0)).replaceAll('\n', eol);
}

function double(text: string): string {
  return JSON.stringify(text).replaceAll('\ufeff', '\\ufeff');
}
