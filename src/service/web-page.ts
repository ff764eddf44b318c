/** Recognises web pages that arrive instead of JSON: sign-in pages, error pages of proxies, or a web app at a wrong address. */
import { isUtf8 } from 'node:buffer';
import { decodeHTML } from 'entities';
import type { Quote } from './mask.js';
import type { RawAnswer } from './wire.js';

/** `title`: on one line; `null` if the page has none. */
export interface WebPage {
  title: string | null;
}

/** The beginning of a page, which contains its title. */
const HEAD = 64 * 1024;
const TITLE = /<title(?:\s[^<>]{0,200})?>([^<]*)<\/title/i;

/** For a body that is not JSON. Some services send JSON as `text/html`. */
export function findWebPage({ headers, bytes }: Pick<RawAnswer, 'headers' | 'bytes'>): WebPage | null {
  const start = bytes.subarray(0, HEAD);
  const text = start
    .toString(isUtf8(bytes) ? 'utf8' : 'latin1')
    .replace(/^\ufeff/, '')
    .trimStart();
  const type = [headers['content-type'] ?? ''].flat()[0] ?? '';
  const isHtml = /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(type);
  if (bytes.length === 0 || !(isHtml || text.startsWith('<'))) return null;
  const [, title = ''] = TITLE.exec(text) ?? [];
  return { title: decodeHTML(title).replace(/\s+/g, ' ').trim() || null };
}

export function describeWebPage({ title }: WebPage, quote: Quote): string {
  return title === null ? 'a web page' : `a web page (title "${quote(title)}")`;
}
