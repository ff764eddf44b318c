import { isObject, type Json, type JsonObject } from '../model/json.js';
import type { AnswerHeaders } from './wire.js';

/** How a page says that the list goes on: by a link, a cursor or the next number; or it ends; or says nothing. */
export type NextPage =
  | { kind: 'link'; link: string }
  | { kind: 'cursor'; cursor: string }
  | { kind: 'number' }
  | { kind: 'end' }
  | { kind: 'unsaid' };

/** What a page says about the list it belongs to; null where it says nothing. */
export interface PageInfo {
  link: string | null;
  cursor: string | null;
  /** A next page by number, or more by a flag. */
  more: boolean;
  /** Something says in so many words that this is the last page. */
  ends: boolean;
  lastPage: number | null;
  total: number | null;
  /** Rows that there are at least: a count, which may be that of the page. */
  least: number;
  /** How many rows a page holds at most; null where nothing says so. */
  pageSize: number | null;
  /** The name of something that looks like the way to the next page but is not understood; null as a rule. */
  hidden: string | null;
}

/** Reads what surrounds the rows: the objects around them, their `meta`, `links` and `pagination`, and `Link`. */
export function readPageInfo(layers: readonly JsonObject[], headers: AnswerHeaders): PageInfo {
  const places = layers.flatMap(placesIn);
  const nexts = valuesOf(places, [
    'next_page_url',
    'next_url',
    'next',
    'next_page',
    'nextPageUrl',
    'nextPage',
  ]);
  const cursors = valuesOf(places, ['next_cursor', 'nextCursor', 'next_page_token', 'nextPageToken']);
  const flags = valuesOf(places, ['has_more', 'has_more_pages', 'has_next_page', 'hasMore', 'hasNextPage']);
  const texts = nexts.map(textOf).filter((text) => text !== null);
  const opaque = texts.find((text) => !isLink(text) && !/^\d+$/.test(text));
  // Some services give the cursor of the last row even where nothing follows it.
  const cursor = flags.includes(false) ? undefined : cursors.map(textOf).find((text) => text !== null);
  return {
    link: texts.find(isLink) ?? linkHeader(headers),
    cursor: cursor ?? opaque ?? null,
    more: flags.includes(true) || nexts.some((next) => readCount(next) !== null),
    ends: flags.includes(false) || [...nexts, ...cursors].some(isEnd),
    lastPage: firstCount(
      valuesOf(places, ['last_page', 'total_pages', 'page_count', 'lastPage', 'totalPages']),
    ),
    total: firstCount([...valuesOf(places, TOTALS), ...headerTotals(headers)]),
    least: Math.max(0, ...counts(valuesOf(places, ['count']))),
    pageSize: firstCount(valuesOf(places, ['per_page', 'perPage', 'page_size', 'pageSize', 'limit'])),
    hidden: hiddenIn(places),
  };
}

/** Chooses among what was announced. `page` counts from 1, `collected` is the number of rows so far. */
export function nextPage(announced: PageInfo, page: number, collected: number): NextPage {
  const { link, cursor, more, ends, lastPage, total } = announced;
  if (link !== null) return { kind: 'link', link };
  if (cursor !== null) return { kind: 'cursor', cursor };
  if (more || (lastPage !== null && page < lastPage)) return { kind: 'number' };
  if (ends || lastPage !== null) return { kind: 'end' };
  if (total === null) return { kind: 'unsaid' };
  return total > collected ? { kind: 'number' } : { kind: 'end' };
}

/** `count` is not among them: it may be that of the page. */
const TOTALS = [
  'total',
  'total_count',
  'total_results',
  'total_items',
  'total_records',
  'totalCount',
  'totalResults',
  'totalItems',
  'totalRecords',
];

/**
 * Names of tokens that lead to a next page. Written closely: `message`, `path`, `per_page`, `request_id`, `next_send_at`
 * or `prev_cursor` tell nothing, and a false alarm would make a whole service unreadable.
 */
const TOKEN =
  /^(?:next|next_?(?:page|url|uri|link|href|cursor|token|offset|key|marker|start|after|batch)\w*|continuation\w*|continue|after|starting_?after|cursor|page_?token|scroll_?id|marker|bookmark|(?:is_?)?truncated)$/i;

function hiddenIn(places: readonly JsonObject[]): string | null {
  for (const place of places) {
    for (const name in place) if (TOKEN.test(name) && holdsToken(place[name])) return name;
  }
  return null;
}

function holdsToken(value: Json | undefined): boolean {
  if (isObject(value)) return Object.values(value).some(holdsToken);
  return (
    value === true || (typeof value === 'string' && value !== '') || (typeof value === 'number' && value > 0)
  );
}

function placesIn(layer: JsonObject): JsonObject[] {
  const { meta, links, _links, pagination, paging, cursor } = layer;
  const inMeta = isObject(meta) ? [meta.links, meta.pagination, meta.cursor] : [];
  return [layer, meta, links, _links, pagination, paging, cursor, ...inMeta].filter(isObject);
}

/** What stands under these names. One loop: this runs for every answer that could have pages. */
function valuesOf(places: readonly JsonObject[], names: readonly string[]): Json[] {
  const values: Json[] = [];
  for (const place of places) {
    for (const name of names) {
      const value = place[name];
      if (value !== undefined) values.push(value);
    }
  }
  return values;
}

function isEnd(next: Json): boolean {
  return next === null || next === '' || next === false;
}

function firstCount(values: readonly Json[]): number | null {
  return counts(values)[0] ?? null;
}

function counts(values: readonly Json[]): number[] {
  return values.map(readCount).filter((count) => count !== null);
}

/** `X-Total-Count: 40`, `Content-Range: items 0-14/40`. */
function headerTotals(headers: AnswerHeaders): Json[] {
  const range = headers['content-range'];
  const whole = typeof range === 'string' ? /\/(\d+)\s*$/.exec(range)?.[1] : undefined;
  return [
    headers['x-total-count'],
    headers['x-total'],
    headers['total-count'],
    headers['x-wp-total'],
    whole,
  ].filter((value) => typeof value === 'string');
}

function textOf(value: Json | undefined): string | null {
  const text = isObject(value) ? (value.href ?? value.url ?? value.link) : value;
  return typeof text === 'string' && text !== '' ? text : null;
}

function isLink(text: string): boolean {
  return /^(?:https?:)?\/|\?/i.test(text);
}

function readCount(value: Json | undefined): number | null {
  const count = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : null;
}

/** `Link: <https://…?page=2>; rel="next"` */
function linkHeader(headers: AnswerHeaders): string | null {
  const header = headers.link;
  if (header === undefined) return null;
  const text = Array.isArray(header) ? header.join(', ') : header;
  return /<([^>]*)>[^,<]*;\s*rel="?next"?(?:[\s;,]|$)/i.exec(text)?.[1] ?? null;
}
