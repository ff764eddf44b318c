import { marked, replaceHidden, visible } from '../model/characters.js';
import { STYLE } from './html-style.js';

/**
 * Pages for a browser promise one file that loads nothing and runs nothing, whatever the texts in it say: all markup comes from
 * the templates of this file, and mails stand behind the glass of a frame.
 */

/** What a page is made of. `script` is only for pages that we serve ourselves; a page in a file has none. */
interface PageParts {
  title: string;
  header: Html;
  main: Html;
  style?: string;
  script?: PageScript | null;
}

/** A script of ours. `nonce` is new for each answer, and the only thing that lets a script run. */
export interface PageScript {
  nonce: string;
  source: string;
}

/** A page of its own: nothing in it is loaded from elsewhere, and nothing in it runs but a script of ours. */
export function page({ title, header, main, style = '', script = null }: PageParts): string {
  const policy =
    script === null ? POLICY : `${POLICY}; script-src 'nonce-${script.nonce}'; connect-src 'self'`;
  const running =
    script === null ? null : html`<script nonce="${script.nonce}">${trusted(script.source)}</script>`;
  const { markup } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${trusted(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${trusted(STYLE)}${trusted(style)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top">${header}</header>
<main id="main" tabindex="-1">${main}</main>
<footer>Made by campaignctl. Emails are shown as they are, in frames that load nothing and run nothing.</footer>
${running}</body>
</html>
`;
  return markup;
}

/** What a page of ours may load: nothing but what stands in it. */
export const POLICY =
  "default-src 'none'; img-src data:; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'";

/** Characters on a line of a frame, beside another one and on a phone. */
const WIDE = 62;
const NARROW = 38;

/**
 * A mail as mail programs show it, behind glass: a frame without any right, whose document may load nothing. Either alone
 * would let something through. `text` is the text form, from which the height is guessed: no script can measure it.
 */
export function mailFrame(mail: { title: string; html: string; text: string }): Html {
  const size = `--wide:${linesOf(mail.text, WIDE)};--narrow:${linesOf(mail.text, NARROW)}`;
  const content = trusted(exactly(documentOf(mail.html)));
  return html`<iframe class="mail" sandbox="" loading="lazy" referrerpolicy="no-referrer" title="${mail.title}" style="${trusted(size)}" srcdoc="${content}"></iframe>`;
}

/** The mail stands in the body as it was written: a policy in front of it holds for all of it. */
function documentOf(mail: string): string {
  return `<!doctype html><html><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${POLICY}"><meta http-equiv="x-dns-prefetch-control" content="off"><style>${FRAME_STYLE}</style></head><body>${mail.replace(FRAMES, '<$1x-$2')}`;
}

/**
 * What would be a frame in the frame. No mail program shows any, and a browser opens a connection for one before it finds
 * that it may not load it.
 */
const FRAMES = /<(\/?)(i?frame|object|embed|portal|fencedframe)/gi;

/** White ground and dark text, as most mail programs have them; links look like links and lead nowhere. */
const FRAME_STYLE =
  'html{background:#fff;color:#1d2127;color-scheme:light}body{margin:16px;font:15px/1.5 Arial,"Liberation Sans",sans-serif;overflow-wrap:anywhere}a{pointer-events:none!important}img{max-width:100%}';

function linesOf(text: string, width: number): number {
  const lines = text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / width)), 0);
  return Math.min(lines, 200);
}

/** Markup that goes out as it is. Only this file makes it, of templates written here: foreign text is always escaped. */
export interface Html {
  readonly markup: string;
}

/** What a template takes: markup as it is, texts and numbers as text, lists one after the other, null as nothing. */
export type Fragment = Html | string | number | null | readonly Fragment[];

/** A template of markup. Control and bidi characters of texts are shown, not obeyed: `<U+202E>`. */
export function html(parts: TemplateStringsArray, ...fragments: readonly Fragment[]): Html {
  return {
    markup: parts.map((part, at) => (at === 0 ? '' : markupOf(fragments[at - 1] ?? null)) + part).join(''),
  };
}

function markupOf(fragment: Fragment): string {
  if (fragment === null) return '';
  if (typeof fragment === 'number') return String(fragment);
  if (typeof fragment === 'string') return escaped(visible(fragment.replace(/\r\n?/g, '\n')));
  return 'markup' in fragment ? fragment.markup : fragment.map(markupOf).join('');
}

/** A text as a recipient sees it, in an element of its own, tabs and all; what recipients do not see is marked. */
export function asSeen(text: string): Html {
  const shown = replaceHidden(text.replace(/\r\n?/g, '\n'), (found) =>
    found === '\t' ? found : marked(found),
  );
  return { markup: `<bdi>${escaped(shown)}</bdi>` };
}

/** Text for an attribute that holds a document of its own: every character arrives there as it is. */
export function exactly(text: string): string {
  return replaceHidden(escaped(text.replace(/\r\n?/g, '\n')), (found) => {
    const code = found.codePointAt(0) ?? 0;
    // References to control characters mean something else; no mail holds them.
    return found === '\t' ? found : code < 0xa0 ? '\ufffd' : `&#x${code.toString(16)};`;
  });
}

/** Trusted markup that was made elsewhere in this program. */
export function trusted(markup: string): Html {
  return { markup };
}

/** Also breaks what would start a command in the log of a pipeline that prints the page. */
function escaped(text: string): string {
  return text
    .replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`)
    .replace(/:(?=:)/g, '&#58;')
    .replace(/##+/g, (signs) => '&#35;'.repeat(signs.length));
}
