/** Servers trim what they store, some with the invisible characters that look like white space. */
const EDGES = /^[\s\u200b\u200e\ufeff]+|[\s\u200b\u200e\ufeff]+$/g;

/** The canonical form of a text: one kind of line end, no white space around the whole. */
export function canonicalText(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(EDGES, '');
}

/** The canonical form where null is legal: an empty text is the same as none. */
export function canonicalOptionalText(text: string | null): string | null {
  return text === null ? null : canonicalText(text) || null;
}
