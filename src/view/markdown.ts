import { type Table, visible, visibleLine } from './terminal.js';

/** Nothing, where two characters must not be read as one thing. */
const APART = '<!-- -->';

/**
 * Foreign text in Markdown. It never becomes markup, and notifies no one: platforms look for `@name`, `#1`,
 * `:word:` and addresses in what Markdown has become, so these are parted by an empty comment.
 */
export function prose(text: string): string {
  return visibleLine(text)
    .replace(/[\\`*[\]|~$]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\$&')
    .replace(/^(?:[-+=]|\d+[.)])/, (start) => `${start.slice(0, -1)}\\${start.slice(-1)}`)
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(
      /[@#!%](?=[\w"])|\\[~$](?=\w)|&amp;(?=\w)|GH(?=-\d)|:(?=[\w+-]+:|\/)|(?<=ww)w(?=\.)/gi,
      `$&${APART}`,
    );
}

/** A foreign value as it is, on one line, shown by `show`. */
export function code(text: string, show = visibleLine): string {
  const shown = show(text);
  if (shown.trim() === '') return shown === '' ? '*empty*' : '*blank*';
  const longest = Math.max(0, ...(shown.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = /^[` ]|[` ]$/.test(shown) ? ' ' : '';
  return `${fence}${pad}${shown}${pad}${fence}`;
}

/** A code span in a cell, where a bar ends the cell even in code. A backslash before a bar could not be told from an escape. */
export function cellCode(text: string): string {
  const spelt = visibleLine(text).replace(/\\+(?=\|)/g, (found) => '<U+005C>'.repeat(found.length));
  return code(spelt).replaceAll('|', '\\|');
}

/** Foreign lines as they are, in a fence that none of them closes. */
export function fence(text: string, language = ''): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const ticks = '`'.repeat(longest + 1);
  return `${ticks}${language}\n${text}\n${ticks}`;
}

/** Markdown that leads to an address; as it is where there is none. */
export function link(text: string, url: string | null): string {
  return url === null ? text : `[${text}](<${url}>)`;
}

/** Foreign text inside of an HTML block, where Markdown is not read. */
export function html(text: string, show = visible): string {
  return show(text)
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;');
}

/** The same as a value on one line: inside `code` no one is notified. */
export function htmlCode(text: string): string {
  return `<code>${html(visibleLine(text))}</code>`;
}

/** A table whose cells are Markdown already. */
export function markdownTable({ heads, right = [], rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = heads.map((_, at) => (right.includes(at) ? '--:' : '---'));
  return [heads, rule, ...rows].map(line).join('\n');
}

/** An alert of GitHub and GitLab. */
export function alert(kind: string, lines: readonly string[]): string {
  return [`[!${kind}]`, ...lines].map((line) => (line === '' ? '>' : `> ${line}`)).join('\n');
}

/** Blocks that unfold; never two empty lines in a row. */
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

const CUT = '\n**Too long to show here:** more lines were left out.\n';

/** The first level of at most `limit` characters. Of the last level, the lines that fit: it must hold no fence and no fold. */
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
