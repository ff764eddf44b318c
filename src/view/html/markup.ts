import { visible } from '../visible.js';

/** Markup that goes out as it is. Only this file makes it, of templates written here: foreign text is always escaped. */
export interface Html {
  readonly markup: string;
}

/** What a template takes: markup as it is, texts and numbers as text, lists one after the other, null as nothing. */
export type Piece = Html | string | number | null | readonly Piece[];

/** A template of markup. Control and bidi characters of texts are shown, not obeyed: `<U+202E>`. */
export function html(parts: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  return {
    markup: parts.map((part, at) => (at === 0 ? '' : markupOf(pieces[at - 1] ?? null)) + part).join(''),
  };
}

function markupOf(piece: Piece): string {
  if (piece === null) return '';
  if (typeof piece === 'number') return String(piece);
  if (typeof piece === 'string') return escaped(visible(piece.replace(/\r\n?/g, '\n')));
  return 'markup' in piece ? piece.markup : piece.map(markupOf).join('');
}

/** A text as a recipient sees it: joiners of emoji and the like keep their work, in an element of their own. */
export function asSeen(text: string): Html {
  return { markup: `<bdi>${exactly(text)}</bdi>` };
}

/** Text for an attribute that holds a document of its own: every character arrives there as it is. */
export function exactly(text: string): string {
  return escaped(text.replace(/\r\n?/g, '\n')).replace(INVISIBLE, (found) => {
    const code = found.codePointAt(0) ?? 0;
    // References to control characters mean something else; no mail holds them.
    return code < 0xa0 ? '\ufffd' : `&#x${code.toString(16)};`;
  });
}

/** Trusted markup that was made elsewhere in this program. */
export function trusted(markup: string): Html {
  return { markup };
}

const INVISIBLE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;

/** Also breaks what would start a command in the log of a pipeline, if somebody prints the page. */
function escaped(text: string): string {
  return text
    .replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`)
    .replace(/:(?=:)/g, '&#58;')
    .replace(/##+/g, (signs) => '&#35;'.repeat(signs.length));
}
