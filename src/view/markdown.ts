import { escapeText } from 'entities';
import { visibleLine } from './terminal.js';

const APART = '<!-- -->';

/**
 * Escapes untrusted text, so that it contains no markup and notifies nobody. An empty comment breaks up `@name`, `#1`,
 * `:word:` and addresses.
 */
export function prose(text: string): string {
  return visibleLine(text)
    .replace(/[\\`*[\]|~$]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\$&')
    .replace(/^(?:[-+=]|\d+[.)])/, (start) => `${start.slice(0, -1)}\\${start.slice(-1)}`)
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(
      /[@#%](?=[\w"])|!(?=["\d])|\\[~$](?=\w)|&amp;(?=\w)|GH(?=-\d)|:(?=[\w+-]+:|\/)|(?<=ww)w(?=\.)/gi,
      `$&${APART}`,
    );
}

export function code(text: string, show = visibleLine): string {
  const shown = show(text);
  if (shown.trim() === '') return shown === '' ? '*empty*' : '*blank*';
  const longest = Math.max(0, ...(shown.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = /^[` ]|[` ]$/.test(shown) ? ' ' : '';
  return `${fence}${pad}${shown}${pad}${fence}`;
}

/** In tables, a vertical bar ends the cell, even inside code. */
export function cellCode(text: string): string {
  const spelt = visibleLine(text).replace(/\\+(?=\|)/g, (backslashes) =>
    '<U+005C>'.repeat(backslashes.length),
  );
  return code(spelt).replaceAll('|', '\\|');
}

export function fence(text: string, language = ''): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const ticks = '`'.repeat(longest + 1);
  return `${ticks}${language}\n${text}\n${ticks}`;
}

export function link(text: string, url: string | null): string {
  return url === null ? text : `[${text}](<${url}>)`;
}

/** Text inside `code` notifies nobody. */
export function htmlCode(text: string): string {
  return `<code>${escapeText(visibleLine(text))}</code>`;
}

/** Cells contain Markdown. `right`: columns of numbers. */
export function markdownTable({
  heads,
  right = [],
  rows,
}: {
  heads: readonly string[];
  right?: readonly number[];
  rows: readonly (readonly string[])[];
}): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = heads.map((_, at) => (right.includes(at) ? '--:' : '---'));
  return [heads, rule, ...rows].map(line).join('\n');
}

export function alert(kind: string, lines: readonly string[]): string {
  return [`[!${kind}]`, ...lines].map((line) => (line === '' ? '>' : `> ${line}`)).join('\n');
}

/** A collapsible block without consecutive empty lines. */
export function fold(summary: string, open: boolean, blocks: readonly string[]): string {
  const all = [
    `<details${open ? ' open' : ''}><summary>${summary}</summary>`,
    '',
    ...blocks,
    '',
    '</details>',
  ];
  return `${all.filter((block, at) => block !== '' || all[at - 1] !== '').join('\n')}\n`;
}

const CUT = '\n**Too long to show here:** the remaining lines were left out.\n';

/**
 * Returns the first level that fits within `limit`. If none fits, returns those lines of the last level for which there is
 * room. The last level must not contain fences or folds.
 */
export function firstThatFits(levels: readonly (() => string)[], limit: number): string {
  let text = '';
  for (const level of levels) {
    text = level();
    if (text.length <= limit) return text;
  }
  let room = limit - CUT.length;
  const lines = text.split('\n').filter(({ length }) => {
    const fits = length < room;
    if (fits) room -= length + 1;
    return fits;
  });
  return `${lines.join('\n').trimEnd()}\n${CUT}`;
}
