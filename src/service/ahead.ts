/** Reads numbered pages before their turn, once their number is known. */
export interface Ahead<Page> {
  /** The page at `path`; starts the pages that follow it up to page `last`. Each path is read once. */
  read(path: string, last: number | null): Promise<Page>;
}

/** Enough to keep every connection busy, few enough to be held in memory and to waste little on a wrong number. */
const WINDOW = 32;
const NUMBER = /([?&]page=)(\d+)(?=&|$)/;

export function createAhead<Page>(readPage: (path: string) => Promise<Page>): Ahead<Page> {
  const started = new Map<string, Promise<Page>>();

  function start(path: string): Promise<Page> {
    const page = started.get(path) ?? readPage(path);
    started.set(path, page);
    // A page whose turn never comes may fail unheard.
    page.catch(() => undefined);
    return page;
  }

  return {
    read(path, last) {
      const page = start(path);
      const number = Number(NUMBER.exec(path)?.[2] ?? Number.NaN);
      const end = Math.min(last ?? 0, number + WINDOW);
      for (let next = number + 1; next <= end; next += 1) {
        start(path.replace(NUMBER, (_, name: string) => `${name}${next}`));
      }
      return page;
    },
  };
}
