import type { Page } from './pages.js';

/** What was read of a list so far, and whether it can be the whole of it. */
export interface Tally<Row> {
  /** Takes the rows that are new; gives their number. */
  add(page: Page<Row>, numbered: boolean): number;
  size(): number;
  /** True only if the service gave a total and it is reached. */
  reachesTotal(): boolean;
  rows(): Row[];
  /** Counts, for messages. */
  counts(): string;
  /** Why this cannot be the whole list; null if nothing speaks against it. */
  doubt(): string | null;
}

/** `contradicts`: whether two rows of one id cannot both be true. */
export function createTally<Row>(contradicts: (first: Row, again: Row) => boolean): Tally<Row> {
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
    size: () => rows.size,
    reachesTotal: () => total > 0 && rows.size >= total,
    rows: () => [...rows.values()],
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
