/** The text of an HTML email, as mail programs without HTML show it. */
import { attributeValue, decodeText, type HtmlTag, readHtml } from './html.js';

const LINES = new Set('address article body center dd div dt footer header li main section tr'.split(' '));
const PARAGRAPHS = new Set('p h1 h2 h3 h4 h5 h6 blockquote ul ol table pre hr'.split(' '));

type TextPiece = { words: string } | { exact: string } | { lines: 1 | 2 } | 'line break';

/** Open elements. `lists`: for each list, its next number, or `null` for bullets. */
interface Open {
  lists: (number | null)[];
  link: { href: string; from: number } | null;
  kept: number;
}

export function htmlToText(html: string): string {
  const open: Open = { lists: [], link: null, kept: 0 };
  const pieces: TextPiece[] = [];
  for (const tag of readHtml(html)) {
    if (tag.kind === 'text') {
      const text = decodeText(tag.source);
      pieces.push(open.kept > 0 ? { exact: text } : { words: text });
    } else if (tag.kind === 'open') {
      pieces.push(...lineBreaks(tag.name, open));
      pieces.push(...opened(tag, open, pieces.length));
    } else pieces.push(...closed(tag.name, open, pieces), ...lineBreaks(tag.name, open));
  }
  return joined(pieces);
}

function lineBreaks(name: string, { lists }: Open): TextPiece[] {
  if (LINES.has(name)) return [{ lines: 1 }];
  if (!PARAGRAPHS.has(name)) return [];
  return [{ lines: lists.length > 0 && /^[ou]l$/.test(name) ? 1 : 2 }];
}

function opened(tag: HtmlTag, open: Open, at: number): TextPiece[] {
  const { name } = tag;
  if (name === 'ul' || name === 'ol') open.lists.push(name === 'ol' ? 1 : null);
  if (name === 'pre') open.kept += 1;
  if (name === 'a') open.link = { href: (attributeValue(tag, 'href') ?? '').trim(), from: at };
  if (name === 'br') return ['line break'];
  if (name === 'hr') return [{ exact: '----------' }];
  if (name === 'li') return [{ exact: bullet(open) }];
  if (name === 'td' || name === 'th') return [{ words: ' ' }];
  return name === 'img' ? [{ words: bracketed(attributeValue(tag, 'alt') ?? '') }] : [];
}

function closed(name: string, open: Open, pieces: readonly TextPiece[]): TextPiece[] {
  if (name === 'ul' || name === 'ol') open.lists.pop();
  if (name === 'pre') open.kept = Math.max(0, open.kept - 1);
  if (name !== 'a' || open.link === null) return [];
  const { href, from } = open.link;
  open.link = null;
  return linkAddress(href, joined(pieces.slice(from)));
}

function linkAddress(href: string, text: string): TextPiece[] {
  const plain = (address: string) => address.trim().replace(/^(?:mailto:|tel:|https?:\/\/)|\/$/gi, '');
  if (href === '' || href.startsWith('#') || plain(href) === plain(text)) return [];
  return [{ words: text.trim() === '' ? href : ` (${href})` }];
}

function bracketed(alt: string): string {
  return alt.trim() === '' ? '' : `[${alt.trim()}]`;
}

function bullet({ lists }: Open): string {
  const number = lists.at(-1) ?? null;
  if (number !== null) lists[lists.length - 1] = number + 1;
  const indent = '  '.repeat(Math.max(0, Math.min(lists.length, 8) - 1));
  return `${indent}${number === null ? '-' : `${number}.`} `;
}

function joined(pieces: readonly TextPiece[]): string {
  const parts: string[] = [];
  let lines = 0;
  let breaks = 0;
  let space = false;
  const put = (text: string): void => {
    const ends = parts.length === 0 ? 0 : Math.min(2, Math.max(lines, breaks));
    const gap = space && ends === 0 && parts.length > 0 && parts.at(-1)?.endsWith(' ') === false;
    parts.push(ends > 0 ? '\n'.repeat(ends) : gap ? ' ' : '', text);
    lines = 0;
    breaks = 0;
    space = false;
  };
  for (const piece of pieces) {
    if (piece === 'line break') breaks += 1;
    else if ('lines' in piece) lines = Math.max(lines, piece.lines);
    else if ('exact' in piece) put(piece.exact);
    else {
      const words = piece.words.replace(/[ \t\r\n\f]+/g, ' ');
      space ||= words.startsWith(' ');
      if (words === '' || words === ' ') continue;
      put(words.replace(/^ | $/g, ''));
      space = words.endsWith(' ');
    }
  }
  const text = parts
    .join('')
    .replace(/[\u00a0\u2002\u2003]/g, ' ')
    .replace(/[\u00ad\u200b\u200c]/g, '');
  return text.replace(/ +$/gm, '').trimEnd();
}
