/** Recognises web pages that arrive instead of JSON: sign-in pages, error pages of proxies, or a web app at a wrong address. */
import { isUtf8 } from 'node:buffer';
import { decodeHTML } from 'entities';
import type { Quote } from './mask.js';
import type { RawAnswer } from './wire.js';

/** `title`: on one line; `null` if the page has none. `by`: who answered, as `answeredBy` says. */
export interface WebPage {
  title: string | null;
  by: string[];
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
  return { title: decodeHTML(title).replace(/\s+/g, ' ').trim() || null, by: answeredBy(headers) };
}

/** Names the servers and proxies that sent a response, such as `server nginx`. */
export function answeredBy(headers: RawAnswer['headers']): string[] {
  return ['server', 'via'].flatMap((name) => {
    const value = [headers[name] ?? []].flat().join(', ').trim();
    return value === '' ? [] : [`${name} ${value}`];
  });
}

export function aboutWebPage({ title, by }: WebPage, quote: Quote): string[] {
  return [...(title === null ? [] : [`title "${quote(title)}"`]), ...by.map((name) => quote(name, 60))];
}

export function describeWebPage(page: WebPage, quote: Quote): string {
  const about = aboutWebPage(page, quote);
  return about.length === 0 ? 'a web page' : `a web page (${about.join(', ')})`;
}
