import { exactly, type Html, html, trusted } from './markup.js';

/** What a page of ours may load: nothing but what stands in it. */
export const POLICY =
  "default-src 'none'; img-src data:; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'";

/** Characters on a line of a frame, beside another one and on a phone. */
const LINE = { wide: 62, narrow: 38 };

/**
 * A mail as mail programs show it, behind glass: a frame without any right, whose document may load nothing. Either alone
 * would let something through. `text` is the text form, from which the height is guessed: no script can measure it.
 */
export function mailFrame(mail: { title: string; html: string; text: string }): Html {
  const { wide, narrow } = LINE;
  const size = `--wide:${linesOf(mail.text, wide)};--narrow:${linesOf(mail.text, narrow)}`;
  const content = trusted(exactly(documentOf(mail.html)));
  return html`<iframe class="mail" sandbox="" loading="lazy" referrerpolicy="no-referrer" title="${mail.title}" style="${trusted(size)}" srcdoc="${content}"></iframe>`;
}

/** The mail stands in the body as it was written: a policy in front of it holds for all of it. */
function documentOf(mail: string): string {
  return `<!doctype html><html><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${POLICY}"><meta http-equiv="x-dns-prefetch-control" content="off"><style>${STYLE}</style></head><body>${mail.replace(FRAMES, '<$1x-$2')}`;
}

/**
 * What would be a frame in the frame. No mail program shows any, and a browser opens a connection for one before it finds
 * that it may not load it.
 */
const FRAMES = /<(\/?)(i?frame|object|embed|portal|fencedframe)/gi;

/** White ground and dark text, as most mail programs have them; links look like links and lead nowhere. */
const STYLE =
  'html{background:#fff;color:#1d2127;color-scheme:light}body{margin:16px;font:15px/1.5 Arial,"Liberation Sans",sans-serif;overflow-wrap:anywhere}a{pointer-events:none!important}img{max-width:100%}';

function linesOf(text: string, width: number): number {
  const lines = text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / width)), 0);
  return Math.min(lines, 200);
}
