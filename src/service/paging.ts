/** Returns complete lists or fails, because a missed campaign would be created twice. See docs/decisions/0003. */
import { Failure } from '../model/failure.js';
import type { JsonObject } from '../model/json.js';
import type { ReportProgress } from '../model/progress.js';
import type { Channel } from './channel.js';
import type { Received } from './decode.js';
import { nextPage, type PageInfo, readPageInfo } from './page-info.js';
import { readPath } from './read-path.js';

export interface PagedList<Row> {
  /** The beginning of a sentence: `The list of campaigns`. */
  label: string;
  /** The path from the origin, without the query. */
  path: string;
  accepted: readonly number[];
  decode(reading: Received): { rows: { key: string; row: Row }[]; layers: JsonObject[] };
  contradicts?(first: Row, again: Row): boolean;
}

interface ListPage<Row> {
  rows: { key: string; row: Row }[];
  info: PageInfo;
  partial: boolean;
  bytes: number;
}

/** `keys`: ids. `added`: number of keys that are on no earlier page. */
interface VisitedPage<Row> extends ListPage<Row>, PagePlace {
  keys: ReadonlySet<string>;
  added: number;
}

/**
 * `last`: the last page; `null` if the service refused it. `fault`: why the list cannot end there. `isDoubtful`: true if a
 * query was refused with a web page, which may come from a proxy.
 */
interface PagesRead<Row> {
  pages: VisitedPage<Row>[];
  isDoubtful: boolean;
  last: ListPage<Row> | null;
  fault: string | null;
}

/** `doubt`: why the rows may be incomplete. `isProven`: true if no second reading is needed. */
interface Judged<Row> {
  rows: ReadonlyMap<string, Row>;
  doubt: string | null;
  isProven: boolean;
}

interface PagePlace {
  path: string;
  /** True if the page was not announced. */
  sought: boolean;
}

/** Limits for one reading, in bytes and milliseconds. */
const MAX_BYTES = 256 * 1024 * 1024;
const MAX_LIST_TIME = 10 * 60_000;
const MAX_READINGS = 4;
const WAIT = 300;

/**
 * Reads the list until a reading is proven complete or agrees with the one before. Fails if the fourth or a later reading
 * is in doubt.
 */
export async function readWhole<Row>(
  channel: Channel,
  list: PagedList<Row>,
  report?: ReportProgress,
): Promise<Row[]> {
  const { clock, closed, connection } = channel;
  let before: Judged<Row> | null = null;
  for (let reading = 1; ; reading += 1) {
    const judged: Judged<Row> = judge(await readPages(channel, list, { report }), list);
    const { rows, isProven } = judged;
    const doubt = judged.doubt ?? (before && !isSame(before, judged, list) ? 'two readings differ' : null);
    if (doubt === null && (isProven || before !== null)) return [...rows.values()];
    if (reading >= MAX_READINGS && doubt !== null)
      throw new Failure({
        code: 'incomplete-list',
        message: `${list.label} is incomplete: ${doubt}. It was read ${reading} times.`,
        hint: `A campaign that is missing from the list would be created twice, so nothing is planned. If campaigns are changing right now, run the command again. ${connection.sentence}`,
      });
    before = judged.doubt === null ? judged : null;
    if (doubt !== null) await clock.sleep(WAIT * reading * (1 + clock.random()), closed);
  }
}

function isSame<Row>(first: Judged<Row>, second: Judged<Row>, { contradicts }: PagedList<Row>): boolean {
  if (first.rows.size !== second.rows.size) return false;
  return [...first.rows].every(([key, row]) => {
    const again = second.rows.get(key);
    return again !== undefined && !contradicts?.(row, again);
  });
}

/**
 * Reads the list once, or twice if that proves it complete, and adds each row to `rows` as soon as it is read, even if it is
 * there already. Resolves with why rows may be missing, or with `null`.
 */
export async function readSome<Row>(
  channel: Channel,
  list: PagedList<Row>,
  rows: Row[],
): Promise<string | null> {
  const add = (page: VisitedPage<Row>) => void rows.push(...page.rows.map(({ row }) => row));
  try {
    const first = judge(await readPages(channel, list, { onPage: add }), list);
    if (first.doubt !== null || first.isProven) return first.doubt;
    const second = judge(await readPages(channel, list, { onPage: add }), list);
    return second.doubt === null && isSame(first, second, list) ? null : 'two readings differ';
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return `${error.message.replace(/\.$/, '')} (${channel.connection.brief})`;
  }
}

async function readPages<Row>(
  channel: Channel,
  list: PagedList<Row>,
  {
    onPage = () => undefined,
    report,
  }: { onPage?: (page: VisitedPage<Row>) => void; report?: ReportProgress | undefined },
): Promise<PagesRead<Row>> {
  const pages: VisitedPage<Row>[] = [];
  report?.({ doing: 'list', done: 0, total: null, about: null });
  let isDoubtful = false;
  const read = readAhead((path) =>
    readPage(channel, list, path, () => {
      isDoubtful = true;
    }),
  );
  const began = channel.clock.elapsed();
  const [ids, visited] = [new Set<string>(), new Set<string>()];
  let [bytes, total] = [0, 0];
  // With `?page=1`, services that default to cursors return numbered pages. If the service refuses the query, it is
  // omitted.
  let place: PagePlace = { path: `${list.path}?page=1`, sought: true };
  let page = await read(place.path, null);
  if (page === null) {
    place = { path: list.path, sought: false };
    page = await read(place.path, null);
  }
  for (let number = 1; ; number += 1) {
    visited.add(place.path);
    const before = ids.size;
    const keys = new Set(page?.rows.map(({ key }) => key));
    for (const key of keys) ids.add(key);
    const added = ids.size - before;
    if (page !== null) {
      bytes += page.bytes;
      if (bytes > MAX_BYTES || channel.clock.elapsed() - began > MAX_LIST_TIME)
        throw new Failure({
          code: 'endless-list',
          message: `${list.label} did not end within ten minutes or 256 MiB (pages read: ${number}).`,
          hint: `The service may return page after page without an end. Nothing was sent. Check the service. ${channel.connection.sentence}`,
        });
      total = Math.max(total, page.info.total ?? 0);
      const visit = { ...page, ...place, keys, added };
      pages.push(visit);
      onPage(visit);
      report?.({ doing: 'list', done: ids.size, total: total >= ids.size ? total : null, about: null });
    }
    if (number > 1 && added === 0) {
      // An unannounced page may be empty. Once the total is reached, the list is proven complete.
      const isEnd = place.sought || (total > 0 && ids.size >= total);
      const fault = isEnd ? null : `page ${number} was announced but contains nothing new`;
      return { pages, isDoubtful, last: page, fault };
    }
    const next = page && placeAfter(channel, list, { place, page, number, collected: ids.size });
    if (page === null || next === null) return { pages, isDoubtful, last: page, fault: null };
    if (visited.has(next.path))
      return { pages, isDoubtful, last: page, fault: `page ${number} links back to an earlier page` };
    place = next;
    page = await read(place.path, page.info.lastPage);
  }
}

function judge<Row>(
  { pages, last, fault, isDoubtful }: PagesRead<Row>,
  { contradicts }: PagedList<Row>,
): Judged<Row> {
  const rows = new Map<string, Row>();
  let clash: string | null = null;
  for (const { key, row } of pages.flatMap((page) => page.rows)) {
    const first = rows.get(key);
    if (first === undefined) rows.set(key, row);
    else if (contradicts?.(first, row)) clash ??= `id ${key} is listed twice, with different names`;
  }
  const total = pages.reduce((most, { info }) => Math.max(most, info.total ?? 0), 0);
  const counts = `rows read: ${rows.size}${total > 0 ? ` of ${total}` : ''}`;
  const isPart = pages.some(({ partial, info }) => partial && info.total === null);
  const part = isPart ? 'the response is partial (status 206)' : null;
  const broken = part ?? traceOfMove(pages) ?? fault;
  if (broken !== null) return { rows, doubt: `${broken}; ${counts}`, isProven: false };
  if (rows.size < total) return { rows, doubt: counts, isProven: false };
  const isTotal = total > 0 && total === rows.size;
  const doubt = (isTotal ? null : doubtWithoutTotal(pages, rows.size)) ?? clash ?? hiddenWay(last);
  // There is no page 2, or it was not announced and is empty or equal to page 1.
  const isOnePage = pages.slice(1).every(({ added, sought }) => added === 0 && sought);
  const isProven = (isTotal && !isTotalOfPage(pages)) || isOnePage;
  return { rows, doubt, isProven: isProven && !isDoubtful };
}

function traceOfMove(pages: readonly VisitedPage<unknown>[]): string | null {
  const [from, to] = new Set(pages.flatMap(({ info }) => info.total ?? []));
  if (to !== undefined && !isTotalOfPage(pages))
    return `its total changed from ${from} to ${to} while it was being read`;
  // For a page past the end, a service may return the first or the previous page.
  const isRepeated = ({ keys }: VisitedPage<unknown>, at: number) =>
    [pages[0], pages[at - 1]].some((page) => page !== undefined && hasSameKeys(page.keys, keys));
  const moved = pages.find((page, at) => at > 0 && page.added < page.keys.size && !isRepeated(page, at));
  if (moved === undefined) return null;
  const id = [...moved.keys].find((key) => pages.find(({ keys }) => keys.has(key)) !== moved);
  return `it changed while it was being read: id ${id} is on two pages`;
}

function isTotalOfPage(pages: readonly VisitedPage<unknown>[]): boolean {
  return pages.every((page) => page.info.total === page.rows.length);
}

function hasSameKeys(first: ReadonlySet<string>, second: ReadonlySet<string>): boolean {
  return first.size === second.size && [...second].every((key) => first.has(key));
}

function doubtWithoutTotal(pages: readonly VisitedPage<unknown>[], size: number): string | null {
  const least = pages.reduce((most, { info }) => Math.max(most, info.least), 0);
  if (size < least) return `rows read: ${size}, but the response indicates at least ${least}`;
  // A short page in the middle is the only sign that a list shrank.
  const length = pages[0]?.rows.length ?? 0;
  const isShort = (page: VisitedPage<unknown> | undefined) =>
    page !== undefined && !page.path.includes('cursor=') && page.rows.length < length;
  if (pages.some(({ added }, index) => added > 0 && isShort(pages[index - 1])))
    return `a page in the middle is shorter than the first; rows read: ${size}`;
  // The service returned a full page again instead of the next one.
  const isRepeated = pages.some(({ rows, added }) => rows.length > 0 && added === 0);
  const pageSize = pages.map(({ info }) => info.pageSize).find((most) => most !== null);
  if (!isRepeated || pageSize !== size) return null;
  return `page 1 is full (${pageSize} rows), and page 2 repeats it`;
}

/** If the last page has rows and an unknown page token, more pages may exist. Returns the reason for the doubt, or `null`. */
function hiddenWay(last: ListPage<unknown> | null): string | null {
  if (last === null || last.rows.length === 0 || nextPage(last.info, 1, 0).kind !== 'unsaid') return null;
  const { hidden } = last.info;
  return hidden === null
    ? null
    : `it may have more pages: the response contains "${hidden}", a page link that campaignctl does not know`;
}

const REFUSED_QUERY = [400, 404, 405, 422];

/** `null` if the service refuses the query. `onWebPage` is called if it does so with a web page. */
async function readPage<Row>(
  channel: Channel,
  { accepted, decode }: PagedList<Row>,
  path: string,
  onWebPage: () => void,
): Promise<ListPage<Row> | null> {
  const queried = path.includes('?');
  const reading = await readPath(channel, path, queried ? REFUSED_QUERY : accepted);
  if (queried && reading.status >= 400) {
    if (reading.body === null && reading.bytes > 0) onWebPage();
    return null;
  }
  const { rows, layers } = decode(reading);
  const { headers, status, bytes } = reading;
  return { rows, info: readPageInfo(layers, headers), partial: status === 206, bytes };
}

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
      // Searches for more pages only if the list announces none.
      if (!place.sought || page.rows.length === 0) return null;
      return { path: `${list.path}?page=${number + 1}`, sought: true };
  }
}

/** Rejects links to other origins, to protect the token. */
export function resolveLink({ origin, connection, quote }: Channel, link: string, path: string): string {
  const page = `${origin}${path}`;
  const url = URL.canParse(link, page) ? new URL(link, page) : null;
  // Services behind a TLS proxy may use http in their links; the request still uses https.
  const isSameOrigin =
    url !== null && (url.origin === origin || url.origin.replace(/^http:/, 'https:') === origin);
  if (isSameOrigin && url.username === '') return `${url.pathname}${url.search}`;
  throw new Failure({
    code: 'foreign-link',
    message: `The response to GET ${quote(new URL(page).pathname)} links to a different address for the next page: ${quote(link)}. campaignctl does not follow the link, because the token is sent only to base_url.`,
    hint: `If that is the address of the service, set base_url to it. ${connection.sentence}`,
  });
}

const WINDOW = 32;
const NUMBER = /([?&]page=)(\d+)(?=&|$)/;

/** Reads numbered pages ahead once the last page number is known. */
function readAhead<Answer>(
  readOne: (path: string) => Promise<Answer>,
): (path: string, last: number | null) => Promise<Answer> {
  const started = new Map<string, Promise<Answer>>();

  function start(path: string): Promise<Answer> {
    const answer = started.get(path) ?? readOne(path);
    started.set(path, answer);
    // Handles the rejection of a page that is never needed.
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
