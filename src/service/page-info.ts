import { isObject, type Json, type JsonObject } from '../model/json.js';
import type { AnswerHeaders } from './wire.js';

/**
 * `more`, `ends`: true if a field says that there is, or is not, a next page. `least`: a count of rows, perhaps only of
 * this page.
 */
export interface PageInfo {
  link: string | null;
  cursor: string | null;
  more: boolean;
  ends: boolean;
  lastPage: number | null;
  total: number | null;
  least: number;
  pageSize: number | null;
  /** The name of a field that may contain a page token of an unknown form. */
  hidden: string | null;
}

/** Names are in snake case; camel case is accepted, too. */
const NAMES = {
  next: ['next_page_url', 'next_url', 'next', 'next_page'],
  cursor: ['next_cursor', 'next_page_token'],
  flag: ['has_more', 'has_more_pages', 'has_next_page'],
  lastPage: ['last_page', 'total_pages', 'page_count'],
  total: ['total', 'total_count', 'total_results', 'total_items', 'total_records'],
  count: ['count'],
  pageSize: ['per_page', 'page_size', 'limit'],
};

/**
 * Names of fields that may contain a token for the next page. A false match (`next_send_at`, `prev_cursor`) would make a
 * service unreadable.
 */
const TOKEN =
  /^(?:next|next_?(?:page|url|uri|link|href|cursor|token|offset|key|marker|start|after|batch)\w*|continuation\w*|continue|after|starting_?after|cursor|page_?token|scroll_?id|marker|bookmark|(?:is_?)?truncated)$/i;

export function readPageInfo(layers: readonly JsonObject[], headers: AnswerHeaders): PageInfo {
  const fields = layers.flatMap(placesIn).flatMap(Object.entries<Json>);
  const named = fields.map(([name, value]) => ({
    name: name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`),
    value,
  }));
  const valuesOf = (fact: keyof typeof NAMES) =>
    named.filter(({ name }) => NAMES[fact].includes(name)).map(({ value }) => value);
  const [next, cursors, flags] = [valuesOf('next'), valuesOf('cursor'), valuesOf('flag')];
  const texts = next.map(textOf).filter((text) => text !== null);
  const opaque = texts.find((text) => !isLink(text) && !/^\d+$/.test(text));
  // Some services return the cursor of the last row even if nothing follows.
  const cursor = flags.includes(false) ? undefined : cursors.map(textOf).find((text) => text !== null);
  return {
    link: texts.find(isLink) ?? linkHeader(headers),
    cursor: cursor ?? opaque ?? null,
    more: flags.includes(true) || counts(next).length > 0,
    ends: flags.includes(false) || [...next, ...cursors].some((value) => !value && value !== 0),
    lastPage: counts(valuesOf('lastPage'))[0] ?? null,
    total: counts([...valuesOf('total'), ...headerTotals(headers)])[0] ?? null,
    least: Math.max(0, ...counts(valuesOf('count'))),
    pageSize: counts(valuesOf('pageSize'))[0] ?? null,
    hidden: fields.find(([name, value]) => TOKEN.test(name) && holdsToken(value))?.[0] ?? null,
  };
}

export type NextPage =
  | { kind: 'link'; link: string }
  | { kind: 'cursor'; cursor: string }
  | { kind: 'number' | 'end' | 'unsaid' };

/** `page` counts from 1; `collected` is the number of rows so far. */
export function nextPage(info: PageInfo, page: number, collected: number): NextPage {
  const { link, cursor, more, ends, lastPage, total, pageSize } = info;
  if (link !== null) return { kind: 'link', link };
  if (cursor !== null) return { kind: 'cursor', cursor };
  if (more || (lastPage !== null && page < lastPage)) return { kind: 'number' };
  if (ends || lastPage !== null) return { kind: 'end' };
  if (total !== null && total > collected) return { kind: 'number' };
  // The "total" of a page may count only the page's own rows.
  const isOfPage =
    total !== null && page === 1 && collected > 0 && (pageSize === null || collected >= pageSize);
  return { kind: total === collected && !isOfPage ? 'end' : 'unsaid' };
}

/** True if a response with `rows` rows announces another page, or has rows and may contain a token for one. */
export function hasMore(info: PageInfo, rows: number): boolean {
  const { kind } = nextPage(info, 1, rows);
  return kind === 'unsaid' ? rows > 0 && info.hidden !== null : kind !== 'end';
}

function placesIn(layer: JsonObject): JsonObject[] {
  const { meta, links, _links, pagination, paging, cursor } = layer;
  const inMeta = isObject(meta) ? [meta.links, meta.pagination, meta.cursor] : [];
  return [layer, meta, links, _links, pagination, paging, cursor, ...inMeta].filter(isObject);
}

function holdsToken(value: Json): boolean {
  if (isObject(value)) return Object.values(value).some(holdsToken);
  return typeof value === 'number'
    ? value > 0
    : value === true || (typeof value === 'string' && value !== '');
}

function textOf(value: Json): string | null {
  const text = isObject(value) ? (value.href ?? value.url ?? value.link) : value;
  return typeof text === 'string' && text !== '' ? text : null;
}

function isLink(text: string): boolean {
  return /^(?:https?:)?\/|\?/i.test(text);
}

function counts(values: readonly Json[]): number[] {
  return values
    .map((value) => (typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value))
    .filter((count): count is number => Number.isSafeInteger(count) && Number(count) >= 0);
}

/** `X-Total-Count: 40`, `Content-Range: items 0-14/40`. */
function headerTotals(headers: AnswerHeaders): Json[] {
  const range = /\/(\d+)\s*$/.exec(String(headers['content-range']))?.[1];
  const names = ['x-total-count', 'x-total', 'total-count', 'x-wp-total'];
  return [...names.map((name) => headers[name]), range].filter((value) => typeof value === 'string');
}

/** `Link: <https://…?page=2>; rel="next"` */
function linkHeader({ link }: AnswerHeaders): string | null {
  const text = Array.isArray(link) ? link.join(', ') : (link ?? '');
  return /<([^>]*)>[^,<]*;\s*rel="?next"?(?:[\s;,]|$)/i.exec(text)?.[1] ?? null;
}
