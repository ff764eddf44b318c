/** A fenced block of a Markdown page, by the language that it names, or what is between two blocks. */
export type Piece = { kind: 'block'; info: string; text: string } | { kind: 'prose'; text: string };

const BLOCK = /^```(\w*)\n([\s\S]*?)^```\n/gm;

/** Cuts a page into fenced blocks and what is between them, in order and without gaps. */
export function parsePage(page: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  const prose = (end: number) => {
    if (end > at) pieces.push({ kind: 'prose', text: page.slice(at, end) });
  };
  for (const { index, 0: whole, 1: info = '', 2: text = '' } of page.matchAll(BLOCK)) {
    prose(index);
    at = index + whole.length;
    pieces.push({ kind: 'block', info, text });
  }
  prose(page.length);
  return pieces;
}

/** The page again, exactly as it was. */
export function printPage(pieces: readonly Piece[]): string {
  return pieces
    .map((piece) => (piece.kind === 'prose' ? piece.text : `\`\`\`${piece.info}\n${piece.text}\`\`\`\n`))
    .join('');
}

/** The targets of its links and pictures, but for those of other sites. */
export function linksOf(page: string): string[] {
  const links = [...page.matchAll(/(?:\]\(|\bsrc(?:set)?=")([^)"\s]+)[)"]/g)].map(
    ([, target = '']) => target,
  );
  return links.filter((target) => !/^https?:/.test(target));
}

/** The anchors of its headings, as code hosts make them. */
export function anchorsOf(page: string): string[] {
  return [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}
