/** A piece of a Markdown page that the tests act upon. `info` is the language of a fenced block. */
export type Piece =
  | { kind: 'block'; info: string; text: string }
  | { kind: 'edit'; file: string; from: string; to: string }
  | { kind: 'prose'; text: string };

const PIECE = /^```(\w*)\n([\s\S]*?)^```\n|^<!-- edit (\S+): (.+) → (.+) -->\n/gm;

/**
 * Cuts a page into fenced blocks, edits and what is between them, in order and without gaps. An edit is a comment
 * that readers do not see: `<!-- edit campaigns/spring.yaml: paused → running -->`.
 */
export function parsePage(page: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  const prose = (end: number) => {
    if (end > at) pieces.push({ kind: 'prose', text: page.slice(at, end) });
  };
  for (const match of page.matchAll(PIECE)) {
    prose(match.index);
    at = match.index + match[0].length;
    const [, info, text, file, from, to] = match;
    if (file === undefined) pieces.push({ kind: 'block', info: info ?? '', text: text ?? '' });
    else pieces.push({ kind: 'edit', file, from: from ?? '', to: to ?? '' });
  }
  prose(page.length);
  return pieces;
}

/** The page again, exactly as it was. */
export function printPage(pieces: readonly Piece[]): string {
  return pieces
    .map((piece) => {
      if (piece.kind === 'prose') return piece.text;
      if (piece.kind === 'block') return `\`\`\`${piece.info}\n${piece.text}\`\`\`\n`;
      return `<!-- edit ${piece.file}: ${piece.from} → ${piece.to} -->\n`;
    })
    .join('');
}
