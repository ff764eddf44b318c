/**
 * Complete lists or a Failure: a missed campaign would be created twice. Without page information, an empty or repeated page 2
 * ends the list. Without a total, two readings must agree. See docs/decisions/0003.
 */
import { Failure } from '../model/failure.js';
import type { JsonObject } from '../model/json.js';
import type { Channel } from './channel.js';
import { readPath } from './channel.js';
import type { Reading } from './decode.js';
import { nextPage, type PageInfo, readPageInfo } from './page-info.js';

export interface PagedList<Row> {
  /** Begins a sentence: `The list of campaigns`. */
  label: string;
  /** From the origin, without query. */
  path: string;
  /** Request `?page=1` first, and pages that are not announced. */
  numbered: boolean;
  /** Error statuses of the list itself that `decode` understands. */
  accepted: readonly number[];
  /** The rows of a page by id, and their envelopes. Throws an UnreadableAnswer. */
  decode(reading: Reading): { rows: { key: string; row: Row }[]; layers: JsonObject[] };
  /** Two rows of one id contradict each other. Omitted if rows have fields that change with each reading. */
  contradicts?(first: Row, again: Row): boolean;
}

/** One page. `partial`: status 206. */
interface ListPage<Row> {
  rows: { key: string; row: Row }[];
  info: PageInfo;
  partial: boolean;
  bytes: number;
}

/** A visited page: its ids, the number of new rows, and whether a cursor led to it. */
interface VisitedPage extends PagePlace {
  info: PageInfo;
  keys: ReadonlySet<string>;
  length: number;
  added: number;
  byCursor: boolean;
}

/** One reading of all pages. `doubt`: why it may be incomplete. `isProven`: no second reading needed. */
interface Walk<Row> {
  rows: ReadonlyMap<string, Row>;
  doubt: string | null;
  isProven: boolean;
}

/** Address of a page. `sought`: the page was not announced. */
interface PagePlace {
  path: string;
  sought: boolean;
}

const MOST_PAGES = 100_000;
/** Limits of one reading, in bytes and milliseconds. */
const MOST_BYTES = 256 * 1024 * 1024;
const MOST_TIME = 10 * 60_000;
const MOST_READINGS = 4;
const WAIT = 300;

/** Reads again if the list contradicts itself, at most four times. */
export async function readWhole<Row>(channel: Channel, list: PagedList<Row>): Promise<Row[]> {
  const { clock, closed } = channel;
  let before: Walk<Row> | null = null;
  for (let reading = 1; ; reading += 1) {
    const walked: Walk<Row> = await walk(channel, list);
    const { rows, isProven } = walked;
    const doubt =
      walked.doubt ?? (before && !isSame(before, walked, list) ? 'two readings of it differ' : null);
    if (doubt === null && (isProven || before !== null)) return [...rows.values()];
    if (reading >= MOST_READINGS && doubt !== null)
      throw new Failure({
        code: 'incomplete-list',
        message: `${list.label} is not complete: ${doubt}. It was read ${reading} times.`,
        hint: 'A campaign that is missing from a list would be created twice, so nothing is planned. If campaigns are changing right now, run again.',
      });
    before = walked.doubt === null ? walked : null;
    if (doubt !== null) await clock.sleep(WAIT * reading * (1 + clock.random()), closed);
  }
}

/** Two readings show the same rows, in any order. */
function isSame<Row>(one: Walk<Row>, other: Walk<Row>, { contradicts }: PagedList<Row>): boolean {
  if (one.rows.size !== other.rows.size) return false;
  return [...one.rows].every(([key, row]) => {
    const again = other.rows.get(key);
    return again !== undefined && !contradicts?.(row, again);
  });
}

async function walk<Row>(channel: Channel, list: PagedList<Row>): Promise<Walk<Row>> {
  const read = readAhead((path) => readPage(channel, list, path));
  const began = channel.clock.elapsed();
  const rows = new Map<string, Row>();
  const pages: VisitedPage[] = [];
  const visited = new Set<string>();
  let [bytes, total] = [0, 0];
  let clash: string | null = null;
  const counts = () => `${rows.size}${total > 0 ? ` of ${total}` : ''} were read`;
  const doubtful = (doubt: string) => ({ rows, doubt, isProven: false });

  // `?page=1` restores numbered pages on services that default to cursors. Services that refuse the query are asked without it.
  const plain = { path: list.path, sought: false };
  let place: PagePlace = list.numbered ? { path: `${list.path}?page=1`, sought: true } : plain;
  let page = await read(place.path, null);
  if (page === null) {
    place = plain;
    page = await read(place.path, null);
  }
  for (let number = 1; ; number += 1) {
    const before = rows.size;
    visited.add(place.path);
    if (page !== null) {
      bytes += page.bytes;
      if (bytes > MOST_BYTES || channel.clock.elapsed() - began > MOST_TIME)
        throw endless(list.label, number);
      if (page.partial && page.info.total === null)
        return doubtful('the answer says that it is a part only (status 206)');
      for (const { key, row } of page.rows) {
        const first = rows.get(key);
        if (first === undefined) rows.set(key, row);
        else if (list.contradicts?.(first, row)) clash ??= `id ${key} is listed twice, with two names`;
      }
      const byCursor = place.path.includes('cursor=');
      const keys = new Set(page.rows.map(({ key }) => key));
      const visit = {
        ...place,
        info: page.info,
        keys,
        length: page.rows.length,
        added: rows.size - before,
        byCursor,
      };
      const repeated = [pages[0], pages.at(-1)].find(
        (one) => one !== undefined && hasSameKeys(one.keys, keys),
      );
      const moved = traceOfMove(visit, pages, repeated !== undefined);
      if (moved !== null) return doubtful(`${moved}; ${counts()}`);
      pages.push(visit);
      total = Math.max(total, page.info.total ?? 0);
    }
    if (number > 1 && rows.size === before) {
      // A page that was not announced may be empty, and a total that is reached proves the list complete.
      if (place.sought || (total > 0 && rows.size >= total)) break;
      return doubtful(`page ${number} was announced and brings nothing new; ${counts()}`);
    }
    const next =
      page === null ? null : placeAfter(channel, list, { place, page, number, collected: rows.size });
    if (page === null || next === null) break;
    if (visited.has(next.path))
      return doubtful(`page ${number} points back to a page that was read; ${counts()}`);
    if (number === MOST_PAGES) return doubtful(`it has more than ${MOST_PAGES} pages`);
    place = next;
    page = await read(place.path, page.info.lastPage);
  }
  if (rows.size < total) return doubtful(counts());
  const isTotal = total > 0 && total === rows.size;
  const doubt = (isTotal ? null : doubtWithoutTotal(pages, rows.size)) ?? clash ?? hiddenWay(page);
  const isProven = (isTotal && !isTotalOfPage(pages)) || isOnePage(pages, visited.size);
  return { rows, doubt, isProven };
}

/** A sign that rows moved between pages, or `null`. `isRepeated`: may be the answer for pages beyond the last. */
function traceOfMove(visit: VisitedPage, pages: readonly VisitedPage[], isRepeated: boolean): string | null {
  const { info, keys, added } = visit;
  const known = pages.map((page) => page.info.total).find((total) => total !== null) ?? null;
  if (!isTotalOfPage([...pages, visit]) && known !== null && info.total !== null && info.total !== known)
    return `its total went from ${known} to ${info.total} while it was read`;
  if (pages.length === 0 || added === keys.size || isRepeated) return null;
  const [again] = [...keys].filter((key) => pages.some((page) => page.keys.has(key)));
  return `it moved while it was read: id ${again} is on two pages`;
}

/** The "total" equals the page's rows, so it may be the page's. */
function isTotalOfPage(pages: readonly VisitedPage[]): boolean {
  return pages.every((page) => page.info.total === page.length);
}

function hasSameKeys(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...other].every((key) => one.has(key));
}

/** Page 2 was not announced, and is refused, empty or equal to page 1. */
function isOnePage(pages: readonly VisitedPage[], asked: number): boolean {
  return asked <= 2 && pages.slice(1).every(({ added, sought }) => added === 0 && sought);
}

/** Returns the reason to doubt a list of `size` rows without a total, or `null`. */
function doubtWithoutTotal(pages: readonly VisitedPage[], size: number): string | null {
  const least = pages.reduce((most, { info }) => Math.max(most, info.least), 0);
  if (size < least) return `${size} were read, and it says that there are at least ${least}`;
  // A short page in the middle is the only sign of a list that shrank.
  const length = pages[0]?.length ?? 0;
  const isShort = (page: VisitedPage | undefined) =>
    page !== undefined && !page.byCursor && page.length < length;
  if (pages.some(({ added }, index) => added > 0 && isShort(pages[index - 1])))
    return `a page in the middle is shorter than the first, ${size} were read`;
  // A full page that is returned again instead of the next one.
  const isRepeated = pages.some(({ length: rows, added }) => rows > 0 && added === 0);
  const pageSize = pages.map(({ info }) => info.pageSize).find((most) => most !== null);
  if (!isRepeated || pageSize !== size) return null;
  return `its only page is full with ${pageSize} and comes again instead of the next`;
}

/** The last page has rows and an unknown page token: further pages may exist. */
function hiddenWay(last: ListPage<unknown> | null): string | null {
  if (last === null || last.rows.length === 0 || nextPage(last.info, 1, 0).kind !== 'unsaid') return null;
  const { hidden } = last.info;
  return hidden === null ? null : `it may go on in a way that campaignctl does not know, by "${hidden}"`;
}

/** Statuses for an unknown query parameter. */
const REFUSED_QUERY = [400, 404, 405, 422];

/** `null` if the service refuses the query. Throws a Failure for everything else that is not a page. */
async function readPage<Row>(
  channel: Channel,
  { accepted, decode }: PagedList<Row>,
  path: string,
): Promise<ListPage<Row> | null> {
  const queried = path.includes('?');
  const reading = await readPath(channel, path, queried ? REFUSED_QUERY : accepted);
  if (queried && reading.status >= 400) return null;
  const { rows, layers } = decode(reading);
  const { headers, status, bytes } = reading;
  return { rows, info: readPageInfo(layers, headers), partial: status === 206, bytes };
}

/** Address of the next page; `null` at the end. */
function placeAfter<Row>(
  channel: Channel,
  list: PagedList<Row>,
  last: { place: PagePlace; page: ListPage<Row>; number: number; collected: number },
): PagePlace | null {
  const { place, page, number, collected } = last;
  const next = nextPage(page.info, number, collected);
  switch (next.kind) {
    case 'link':
      return { path: resolveLink(channel, next.link, place.path), sought: false };
    case 'cursor':
      return { path: `${list.path}?cursor=${encodeURIComponent(next.cursor)}`, sought: false };
    case 'number':
      return { path: `${list.path}?page=${number + 1}`, sought: false };
    case 'end':
      return null;
    case 'unsaid':
      // Only a list that announces no pages at all is probed for more.
      if (!place.sought || page.rows.length === 0) return null;
      return { path: `${list.path}?page=${number + 1}`, sought: true };
  }
}

/** Failure for another origin, because of the token. */
export function resolveLink({ origin, quote }: Channel, link: string, path: string): string {
  const page = `${origin}${path}`;
  const url = URL.canParse(link, page) ? new URL(link, page) : null;
  // Services behind a TLS proxy write http into their own links; the request still goes to https.
  const own = url !== null && (url.origin === origin || url.origin.replace(/^http:/, 'https:') === origin);
  if (own && url.username === '') return `${url.pathname}${url.search}`;
  throw new Failure({
    code: 'foreign-link',
    message: `The answer to GET ${quote(new URL(page).pathname)} names another address for its next page: ${quote(link)}. It is not followed: the token goes to base_url only.`,
    hint: 'If the service is at that address, set base_url to it.',
  });
}

/** Pages that are read ahead. */
const WINDOW = 32;
const NUMBER = /([?&]page=)(\d+)(?=&|$)/;

/** Reads each path once, and reads numbered pages ahead once the number of the last page is known. */
function readAhead<Answer>(
  readOne: (path: string) => Promise<Answer>,
): (path: string, last: number | null) => Promise<Answer> {
  const started = new Map<string, Promise<Answer>>();

  function start(path: string): Promise<Answer> {
    const answer = started.get(path) ?? readOne(path);
    started.set(path, answer);
    // A page that is never needed may fail.
    answer.catch(() => undefined);
    return answer;
  }

  return (path, last) => {
    const answer = start(path);
    const number = Number(NUMBER.exec(path)?.[2] ?? Number.NaN);
    const end = Math.min(last ?? 0, number + WINDOW);
    for (let next = number + 1; next <= end; next += 1) {
      start(path.replace(NUMBER, (_, name: string) => `${name}${next}`));
    }
    return answer;
  };
}

function endless(label: string, pages: number): Failure {
  return new Failure({
    code: 'endless-list',
    message: `${label} has no end: ${pages} pages were read.`,
    hint: 'Nothing was sent. Check the service and the base URL: every page points to another one.',
  });
}
