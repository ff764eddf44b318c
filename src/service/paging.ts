/**
 * Lists page by page, each one whole or a Failure: a campaign missed is a campaign made twice. A list that contradicts
 * itself is read again; one that says nothing about pages is asked for the next one anyway.
 */
import { Failure } from '../model/failure.js';
import type { Channel } from './channel.js';
import { nextPage, type PageInfo } from './page-info.js';
import { type Reading, readPath } from './reading.js';

/** One page of a list: its rows by id, and what it says about the rest. */
export interface Page<Row> {
  rows: readonly { key: string; row: Row }[];
  announced: PageInfo;
}

/** A list that is read page by page. */
export interface PagedList<Row> {
  /** Begins a sentence: `The list of campaigns`. */
  label: string;
  /** From the origin, without query. */
  path: string;
  /** Whether to ask for `?page=1` first, and for pages that nothing announces; not every resource knows pages. */
  numbered: boolean;
  /** Refusals of the list itself, not of a query, that `decode` understands. */
  accepted: readonly number[];
  /** UnreadableAnswer for what is no page. */
  decode(reading: Reading): Page<Row>;
  /** Whether two rows of one id cannot both be true. */
  contradicts(first: Row, again: Row): boolean;
}

/** `partial`: the answer says of itself that it is a part only. `bytes`: what the answer was made of. */
type ReadPage<Row> = Page<Row> & { partial: boolean; bytes: number };

/** A page to be read. `sought`: nothing announced it. */
interface PagePlace {
  path: string;
  number: number;
  sought: boolean;
}

/** What one walk through the pages gave. `doubt`: why it cannot be the whole list; null if nothing speaks against it. */
interface Walked<Row> {
  rows: Row[];
  doubt: string | null;
}

const MOST_PAGES = 100_000;
/** Bytes and milliseconds that one reading of a list may take: what goes on beyond has no end. */
const MOST_BYTES = 256 * 1024 * 1024;
const MOST_TIME = 10 * 60_000;
const MOST_READINGS = 3;
const WAIT = 300;

/**
 * Reads the whole list, each row once. A list that contradicts itself (it moved while it was read, a page is
 * missing or comes again) is read again from the start; Failure if it still does. An incomplete list is never given.
 */
export async function readWhole<Row>(channel: Channel, list: PagedList<Row>): Promise<Row[]> {
  const { clock, closed } = channel;
  for (let reading = 1; ; reading += 1) {
    const { rows, doubt } = await walk(channel, list);
    if (doubt === null) return rows;
    if (reading === MOST_READINGS) throw incomplete(`${list.label} is not complete: ${doubt}`);
    await clock.sleep(WAIT * reading * (1 + clock.random()), closed);
  }
}

/** One walk from the first page to the last. */
async function walk<Row>(channel: Channel, list: PagedList<Row>): Promise<Walked<Row>> {
  const read = readAhead((path) => readPage(channel, list, path));
  const tally = createTally(list.contradicts);
  const visited = new Set<string>();
  const began = channel.clock.now();
  let bytes = 0;
  let { place, page } = await readFirst(list, read);

  while (place.number <= MOST_PAGES) {
    visited.add(place.path);
    bytes += page?.bytes ?? 0;
    if (bytes > MOST_BYTES || channel.clock.now() - began > MOST_TIME)
      throw endless(list.label, place.number);
    if (page?.partial && page.announced.total === null)
      return doubtful('the answer says that it is a part only (status 206)');
    const added = page === null ? 0 : tally.add(page, !place.path.includes('cursor='));
    if (place.number > 1 && added === 0) {
      // Nothing promised a page that was only sought, and a total that is reached proves the list complete.
      if (place.sought || tally.reachesTotal()) return ended(tally, page);
      return doubtful(`page ${place.number} was announced and brings nothing new; ${tally.counts()}`);
    }
    const next =
      page === null ? null : placeAfter(channel, list, { place, page, collected: tally.rows.size });
    if (next === null) return ended(tally, page);
    if (visited.has(next.path))
      return doubtful(`page ${place.number} points back to a page that was read; ${tally.counts()}`);
    const last = page?.announced.lastPage ?? null;
    place = next;
    page = await read(place.path, last);
  }
  return doubtful(`it has more than ${MOST_PAGES} pages`);
}

function doubtful(doubt: string): Walked<never> {
  return { rows: [], doubt };
}

/** A page with rows where the list should have ended, beside a token that is not understood: this may be its first page. */
function ended<Row>(tally: Tally<Row>, page: Page<Row> | null): Walked<Row> {
  const isLast = page === null || page.rows.length === 0 || nextPage(page.announced, 1, 0).kind !== 'unsaid';
  const hidden = isLast ? null : page.announced.hidden;
  const doubt = hidden === null ? null : `it may go on in a way that is not known here, by "${hidden}"`;
  return { rows: [...tally.rows.values()], doubt: tally.doubt() ?? doubt };
}

/** `?page=1` restores numbered pages where cursors have become the default; services that refuse it are asked plainly. */
async function readFirst<Row>(
  list: PagedList<Row>,
  read: ReadAhead<ReadPage<Row> | null>,
): Promise<{ place: PagePlace; page: ReadPage<Row> | null }> {
  if (list.numbered) {
    const path = `${list.path}?page=1`;
    const page = await read(path, null);
    if (page !== null) return { place: { path, number: 1, sought: true }, page };
  }
  return { place: { path: list.path, number: 1, sought: false }, page: await read(list.path, null) };
}

/** Statuses with which services refuse a query that they do not know. */
const REFUSED_QUERY = [400, 404, 405, 422];

/** Null: the service refuses this query. Failure for everything else that is not a page. */
async function readPage<Row>(
  channel: Channel,
  { accepted, decode }: PagedList<Row>,
  path: string,
): Promise<ReadPage<Row> | null> {
  const queried = path.includes('?');
  const reading = await readPath(channel, path, queried ? REFUSED_QUERY : accepted);
  if (queried && reading.status >= 400) return null;
  return { ...decode(reading), partial: reading.status === 206, bytes: reading.bytes };
}

/** Where the list goes on after this page; null at its end. */
function placeAfter<Row>(
  channel: Channel,
  list: PagedList<Row>,
  { place, page, collected }: { place: PagePlace; page: Page<Row>; collected: number },
): PagePlace | null {
  const number = place.number + 1;
  const next = nextPage(page.announced, place.number, collected);
  switch (next.kind) {
    case 'link':
      return { path: resolveLink(channel, next.link, place.path), number, sought: false };
    case 'cursor':
      return { path: `${list.path}?cursor=${encodeURIComponent(next.cursor)}`, number, sought: false };
    case 'number':
      return { path: `${list.path}?page=${number}`, number, sought: false };
    case 'end':
      return null;
    case 'unsaid':
      // Pages that are announced nowhere must be found out; once announced, saying nothing means the end.
      if (!place.sought || page.rows.length === 0) return null;
      return { path: `${list.path}?page=${number}`, number, sought: true };
  }
}

/**
 * Turns a link in the page at `path` into a path of the same origin. The token goes nowhere else: a link to another
 * origin is a Failure.
 */
export function resolveLink({ origin, quote }: Channel, link: string, path: string): string {
  const page = `${origin}${path}`;
  const url = URL.canParse(link, page) ? new URL(link, page) : null;
  // Behind a proxy that ends TLS, services write http into links to themselves; the request goes to https all the same.
  const own = url !== null && (url.origin === origin || url.origin.replace(/^http:/, 'https:') === origin);
  if (own && url.username === '') return `${url.pathname}${url.search}`;
  throw new Failure({
    code: 'foreign-link',
    message: `GET ${quote(new URL(page).pathname)} links to its next page at another address: ${quote(link)}. It is not followed, the token stays here.`,
    hint: 'Set base_url to the address that the service gives itself, if that is where it is.',
  });
}

/** The page at `path`; starts the pages that follow it up to page `last`. Each path is read once. */
type ReadAhead<Answer> = (path: string, last: number | null) => Promise<Answer>;

/** Enough to keep every connection busy, few enough to be held in memory and to waste little on a wrong number. */
const WINDOW = 32;
const NUMBER = /([?&]page=)(\d+)(?=&|$)/;

/** Reads numbered pages before their turn, once their number is known. */
function readAhead<Answer>(readOne: (path: string) => Promise<Answer>): ReadAhead<Answer> {
  const started = new Map<string, Promise<Answer>>();

  function start(path: string): Promise<Answer> {
    const answer = started.get(path) ?? readOne(path);
    started.set(path, answer);
    // A page whose turn never comes may fail unheard.
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

/** What was read of a list so far, and whether it can be the whole of it. */
interface Tally<Row> {
  rows: ReadonlyMap<string, Row>;
  /** Takes the rows that are new; gives their number. */
  add(page: Page<Row>, numbered: boolean): number;
  /** True only if the service gave a total and it is reached. */
  reachesTotal(): boolean;
  /** For messages. */
  counts(): string;
  /** Why this cannot be the whole list; null if nothing speaks against it. */
  doubt(): string | null;
}

function createTally<Row>(contradicts: PagedList<Row>['contradicts']): Tally<Row> {
  const rows = new Map<string, Row>();
  let total = 0;
  let least = 0;
  let pageSize: number | null = null;
  let repeated = false;
  let firstLength: number | null = null;
  let short = false;
  let uneven = false;
  let twofold: string | null = null;

  const counts = () => (total > 0 ? `${rows.size} of ${total} were read` : `${rows.size} were read`);
  return {
    rows,
    add({ rows: added, announced }, numbered) {
      const before = rows.size;
      for (const { key, row } of added) {
        const first = rows.get(key);
        if (first === undefined) rows.set(key, row);
        else if (contradicts(first, row)) twofold ??= key;
      }
      // The largest total ever said: if the list shrank while it was read, a row may have slipped to a page already read.
      total = Math.max(total, announced.total ?? 0);
      least = Math.max(least, announced.least);
      pageSize ??= announced.pageSize;
      if (added.length > 0 && rows.size === before) repeated = true;
      firstLength ??= added.length;
      if (short && rows.size > before) uneven = true;
      short = numbered && added.length < firstLength;
      return rows.size - before;
    },
    reachesTotal: () => total > 0 && rows.size >= total,
    counts,
    doubt() {
      if (rows.size < total) return counts();
      if (total === 0 && rows.size < least)
        return `${counts()}, and it says that there are at least ${least}`;
      if (twofold !== null) return `id ${twofold} is there twice, and not the same`;
      // Without a total, a short page in the middle is the only sign that the list shrank.
      if (uneven && total === 0) return `a page in the middle is shorter than the first, ${counts()}`;
      // A page that is as full as a page can be, and comes again instead of the next one.
      const full = repeated && total === 0 && pageSize !== null && rows.size === pageSize;
      return full ? `its only page is full with ${pageSize} and comes again instead of the next` : null;
    },
  };
}

function endless(label: string, pages: number): Failure {
  return new Failure({
    code: 'endless-list',
    message: `${label} has no end: ${pages} pages were read.`,
    hint: 'Nothing was sent. Check the service and the base URL: every page points to a further one.',
  });
}

function incomplete(message: string): Failure {
  return new Failure({
    code: 'incomplete-list',
    message: `${message}. It was read ${MOST_READINGS} times.`,
    hint: 'What is missing from a list would be made twice, so nothing is planned. If campaigns are being changed just now, run again.',
  });
}
