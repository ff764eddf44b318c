import { Failure } from '../model/failure.js';
import { type Ahead, createAhead } from './ahead.js';
import type { Clock } from './clock.js';
import { nextPage, type PageInfo } from './next-page.js';
import { createTally, type Tally } from './tally.js';

/** One page of a list: its rows by id, and what it says about the rest. */
export interface Page<Row> {
  rows: readonly { key: string; row: Row }[];
  announced: PageInfo;
}

/** `partial`: the answer says of itself that it is a part only. `bytes`: what the answer was made of. */
export interface ReadPage<Row> extends Page<Row> {
  partial: boolean;
  bytes: number;
}

/** A list that is read page by page. */
export interface PagedList<Row> {
  /** Begins a sentence: `The list of campaigns`. */
  label: string;
  /** From the origin, without query. */
  path: string;
  /** Whether to ask for `?page=1` first, and for pages that nobody announced; not every resource knows pages. */
  numbered: boolean;
  clock: Clock;
  /** Ends the wait before another reading. */
  closed: AbortSignal;
  /** Null: the service refuses this query. Failure for everything else that is not a page. */
  readPage(path: string): Promise<ReadPage<Row> | null>;
  /** Whether two rows of one id cannot both be true. */
  contradicts(first: Row, again: Row): boolean;
  /** Turns a link in the page at `path` into a path of the same origin; Failure for another origin. */
  resolveLink(link: string, path: string): string;
}

/** A page to be read. `sought`: nobody announced it. */
interface Turn {
  path: string;
  number: number;
  sought: boolean;
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
export async function readWhole<Row>(list: PagedList<Row>): Promise<Row[]> {
  for (let reading = 1; ; reading += 1) {
    const { rows, doubt } = await walk(list);
    if (doubt === null) return rows;
    if (reading === MOST_READINGS) throw incomplete(`${list.label} is not complete: ${doubt}`);
    await list.clock.sleep(WAIT * reading * (1 + list.clock.random()), list.closed);
  }
}

/** One walk from the first page to the last. */
async function walk<Row>(list: PagedList<Row>): Promise<{ rows: Row[]; doubt: string | null }> {
  const ahead = createAhead(list.readPage);
  const tally = createTally(list.contradicts);
  const visited = new Set<string>();
  const began = list.clock.now();
  let bytes = 0;
  let { turn, page } = await readFirst(list, ahead);

  while (turn.number <= MOST_PAGES) {
    visited.add(turn.path);
    bytes += page?.bytes ?? 0;
    if (bytes > MOST_BYTES || list.clock.now() - began > MOST_TIME) throw endless(list.label, turn.number);
    if (page?.partial && page.announced.total === null)
      return { rows: [], doubt: 'the answer says that it is a part only (status 206)' };
    const fresh = page === null ? 0 : tally.add(page, !turn.path.includes('cursor='));
    if (turn.number > 1 && fresh === 0) {
      // Nobody promised a page that was only sought, and a total that is reached proves the list complete.
      if (turn.sought || tally.reachesTotal()) return ended(tally, page);
      return {
        rows: [],
        doubt: `page ${turn.number} was announced and brings nothing new; ${tally.counts()}`,
      };
    }
    const next = page === null ? null : nextTurn(list, turn, { page, collected: tally.size() });
    if (next === null) return ended(tally, page);
    if (visited.has(next.path)) {
      return {
        rows: [],
        doubt: `page ${turn.number} points back to a page that was read; ${tally.counts()}`,
      };
    }
    const last = page?.announced.lastPage ?? null;
    turn = next;
    page = await ahead.read(turn.path, last);
  }
  return { rows: [], doubt: `it has more than ${MOST_PAGES} pages` };
}

/** A page with rows where the list should have ended, beside a token that is not understood: this may be its first page. */
function ended<Row>(tally: Tally<Row>, page: Page<Row> | null): { rows: Row[]; doubt: string | null } {
  const hidden = page === null || page.rows.length === 0 ? null : unheeded(page.announced);
  const doubt = hidden === null ? null : `it may go on in a way that is not known here, by "${hidden}"`;
  return { rows: tally.rows(), doubt: tally.doubt() ?? doubt };
}

function unheeded(announced: PageInfo): string | null {
  return nextPage(announced, 1, 0).kind === 'unsaid' ? announced.hidden : null;
}

/** `?page=1` restores numbered pages where cursors have become the default; services that refuse it are asked plainly. */
async function readFirst<Row>(list: PagedList<Row>, ahead: Ahead<ReadPage<Row> | null>) {
  if (list.numbered) {
    const path = `${list.path}?page=1`;
    const page = await ahead.read(path, null);
    if (page !== null) return { turn: { path, number: 1, sought: true } satisfies Turn, page };
  }
  const page = await ahead.read(list.path, null);
  return { turn: { path: list.path, number: 1, sought: false } satisfies Turn, page };
}

/** Where the list goes on after this page; null at its end. */
function nextTurn<Row>(
  list: PagedList<Row>,
  turn: Turn,
  read: { page: Page<Row>; collected: number },
): Turn | null {
  const number = turn.number + 1;
  const onward = nextPage(read.page.announced, turn.number, read.collected);
  switch (onward.kind) {
    case 'link':
      return { path: list.resolveLink(onward.link, turn.path), number, sought: false };
    case 'cursor':
      return { path: `${list.path}?cursor=${encodeURIComponent(onward.cursor)}`, number, sought: false };
    case 'number':
      return { path: `${list.path}?page=${number}`, number, sought: false };
    case 'end':
      return null;
    case 'unsaid':
      // Pages that are announced nowhere must be found out; once announced, saying nothing means the end.
      if (!turn.sought || read.page.rows.length === 0) return null;
      return { path: `${list.path}?page=${number}`, number, sought: true };
  }
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
