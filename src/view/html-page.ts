/**
 * A page loads nothing and runs only our script. All markup comes from templates in this file; emails are in sandboxed
 * frames.
 */
import { createHash } from 'node:crypto';
import { LONG_SUBJECT, type Mail } from '../email/mail.js';
import { marked, replaceHidden, visible, visibleCopy } from '../model/characters.js';
import { escapedMarkup } from './terminal.js';

interface PageParts {
  title: string;
  header: Html;
  main: Html;
  style?: string;
  /** The only script; the content security policy contains its hash. */
  script?: string;
  /** True if the script may read from the server of the page, and from nowhere else. */
  isServed?: boolean;
}

export function page({ title, header, main, style = '', script, isServed }: PageParts): string {
  const hash = createHash('sha256')
    .update(script ?? '')
    .digest('base64');
  const scripts = script === undefined ? '' : `; script-src 'sha256-${hash}'`;
  const policy = `${POLICY}${scripts}${isServed ? "; connect-src 'self'" : ''}`;
  const running = script === undefined ? null : html`<script>${trusted(script)}</script>`;
  return html`<!doctype html>
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
<a class="skip" href="#list">Skip to the campaigns</a>
<header class="top">${header}</header>
<main>${main}</main>
<footer>Made by campaignctl. Emails are shown as they are, in frames that load nothing and run nothing.</footer>
${running}</body>
</html>
`.markup;
}

const POLICY =
  "default-src 'none'; img-src data:; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'";

const WIDE = 62;
const NARROW = 38;

/**
 * Shows an email in a sandboxed frame whose policy forbids loading anything. `text`: used to estimate the height, which no
 * script can measure.
 */
export function mailFrame(mail: { title: string; html: string; text: string }): Html {
  const size = `--wide:${estimateLines(mail.text, WIDE)};--narrow:${estimateLines(mail.text, NARROW)}`;
  const content = exactly(wrapMail(mail.html));
  return html`<iframe class="mail" sandbox="" loading="lazy" referrerpolicy="no-referrer" title="${mail.title}" style="${trusted(size)}" srcdoc="${content}"></iframe>`;
}

/** The policy precedes the email, so that it applies to the whole email. */
function wrapMail(mail: string): string {
  return `<!doctype html><html><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${POLICY}"><meta http-equiv="x-dns-prefetch-control" content="off"><style>${FRAME_STYLE}</style></head><body>${mail.replace(FRAMES, '<$1x-$2')}`;
}

/** Matches frames inside the email, for which browsers connect before they apply the Content-Security-Policy. */
const FRAMES = /<(\/?)(i?frame|object|embed|portal|fencedframe)/gi;

/** Makes emails look as they do in most mail programs, and disables links. */
const FRAME_STYLE =
  'html{background:#fff;color:#1d2127;color-scheme:light}body{margin:16px;font:15px/1.5 Arial,"Liberation Sans",sans-serif;overflow-wrap:anywhere}a{pointer-events:none!important}img{max-width:100%}';

function estimateLines(text: string, width: number): number {
  const lines = text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / width)), 0);
  return Math.min(lines, 200);
}

/** Markup that only this file can create. Untrusted text in it is escaped. */
export interface Html {
  readonly markup: string;
}

export type Fragment = Html | string | number | null | readonly Fragment[];

/** Escapes values and shows control and bidi characters, for example as `<U+202E>`. */
export function html(parts: TemplateStringsArray, ...fragments: readonly Fragment[]): Html {
  return {
    markup: parts
      .map((part, at) => (at === 0 ? '' : renderFragment(fragments[at - 1] ?? null)) + part)
      .join(''),
  };
}

function renderFragment(fragment: Fragment): string {
  if (fragment === null) return '';
  if (typeof fragment === 'number') return String(fragment);
  if (typeof fragment === 'string') return escapedMarkup(visible(fragment.replace(/\r\n?/g, '\n')));
  return 'markup' in fragment ? fragment.markup : fragment.map(renderFragment).join('');
}

export function fold(summary: Fragment, inside: Fragment): Html {
  return html`<details class="fold"><summary>${summary}</summary>${inside}</details>`;
}

/** Text for screen readers. */
export function unseen(text: string): Html {
  return html`<span class="unseen">${text}</span>`;
}

export function copied(text: string): Html {
  return { markup: escapedMarkup(visibleCopy(text.replace(/\r\n?/g, '\n'))) };
}

/** The text as recipients see it, with hidden characters marked. */
export function asSeen(text: string): Html {
  const shown = replaceHidden(
    text.replace(/\r\n?/g, '\n'),
    (character) => (character === '\t' ? character : marked(character)),
    'email',
  );
  return { markup: `<bdi>${escapedMarkup(shown)}</bdi>` };
}

/** Keeps every character that an HTML attribute can represent, except that line breaks become LF. */
export function exactly(text: string): Html {
  const spelt = replaceHidden(escapedMarkup(text.replace(/\r\n?/g, '\n')), (character) => {
    const code = character.codePointAt(0) ?? 0;
    // HTML replaces references to control characters with different characters.
    return character === '\t' ? character : code < 0xa0 ? '\ufffd' : `&#x${code.toString(16)};`;
  });
  return trusted(spelt);
}

function trusted(markup: string): Html {
  return { markup };
}

/** Contrast is at least 4.5 in both colour schemes. */
const COLOURS = `
:root { color-scheme: light dark;
  --ground: #f5f6f8; --card: #fff; --sunk: #f0f2f5; --line: #d5dae1; --text: #1c2128; --quiet: #57606a; --link: #0b5cad;
  --add: #116329; --add-ground: #dcf5e3; --drop: #a40e26; --drop-ground: #ffe3e1;
  --change: #7a4b00; --change-ground: #fff1d0; --launch: #6430a8; --launch-ground: #f0e7fc; --bar: #2f6fb5; }
@media (prefers-color-scheme: dark) { :root {
  --ground: #0f1318; --card: #171c23; --sunk: #1f252d; --line: #343c47; --text: #e4e9f0; --quiet: #9ba6b3; --link: #7db7ff;
  --add: #7ee2a0; --add-ground: #12351f; --drop: #ffa7a0; --drop-ground: #4a1a1c;
  --change: #f0c674; --change-ground: #3a2d0c; --launch: #cfb0ff; --launch-ground: #33214d; --bar: #6aa5e8; } }
`;

const TEXT = `
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; -webkit-text-size-adjust: 100%; }
body { margin: 0 auto; padding: 0 1.25rem 3rem; max-width: 76rem; background: var(--ground); color: var(--text);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", sans-serif;
  font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
h1, h2, h3, h4, h5, h6 { margin: 0; line-height: 1.25; text-wrap: balance; }
h1 { font-size: 1.9rem; letter-spacing: -.015em; } h2 { font-size: 1.3rem; margin: 2.25rem 0 .75rem; }
h3 { font-size: 1.1rem; } h4 { font-size: 1rem; } h5 { font-size: .95rem; }
h6 { font-size: .82rem; color: var(--quiet); font-weight: 600; margin: .9rem 0 .35rem; }
p { margin: .4rem 0; } ul, ol { margin: .4rem 0; padding-left: 1.3rem; }
a { color: var(--link); text-underline-offset: .15em; }
a:focus-visible, button:focus-visible, summary:focus-visible, input:focus-visible, pre:focus-visible, iframe:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 4px; }
code { font: .86em/1.4 ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; }
small { display: block; font-size: .8rem; color: var(--quiet); font-weight: 400; }
ins { background: var(--add-ground); color: var(--add); text-decoration: underline; text-decoration-thickness: 2px; text-underline-offset: .18em; border-radius: 3px; padding: 0 .12em; }
del { background: var(--drop-ground); color: var(--drop); text-decoration: line-through; border-radius: 3px; padding: 0 .12em; }
ins::before, ins::after, del::before, del::after, .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
ins::before { content: " [added: "; } del::before { content: " [removed: "; } ins::after, del::after { content: "] "; }
.quiet, .where, .eyebrow { color: var(--quiet); } .where { font-size: .85rem; }
.eyebrow { text-transform: uppercase; letter-spacing: .08em; font-size: .75rem; font-weight: 600; margin: 0 0 .25rem; }
.skip { position: absolute; left: -100vw; } .skip:focus { left: 1rem; top: .5rem; background: var(--card); padding: .4rem .8rem; z-index: 1; }
.top { padding-top: 2.25rem; } .headline { font-size: 1.1rem; }
footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--quiet); font-size: .85rem; }
.chip { display: inline-block; font-size: .76rem; line-height: 1.3; font-weight: 600; padding: .12rem .5rem; border-radius: 1rem; border: 1px solid var(--line); color: var(--quiet); background: var(--card); white-space: normal; vertical-align: .1em; }
.chip.quiet { font-weight: 400; } .chip.new { color: var(--add); background: var(--add-ground); border-color: transparent; }
.chip.changed, .chip.change, .chip.drift, .chip.warning { color: var(--change); background: var(--change-ground); border-color: transparent; }
.chip.removed, .chip.blocked { color: var(--drop); background: var(--drop-ground); border-color: transparent; }
.chip.launch { color: var(--launch); background: var(--launch-ground); border-color: transparent; }
.sign { display: inline-block; width: 1.1em; text-align: center; font-weight: 700; color: var(--quiet); }
.sign.new { color: var(--add); } .sign.changed { color: var(--change); } .sign.blocked { color: var(--drop); }
`;

const PARTS = `
.counts { list-style: none; display: flex; flex-wrap: wrap; gap: .1rem 1.1rem; padding: 0; margin: .5rem 0 0; color: var(--quiet); }
.counts strong { color: var(--text); } .counts .launch strong { color: var(--launch); } .counts .new strong { color: var(--add); } .counts .changed strong { color: var(--change); } .counts .blocked strong { color: var(--drop); }
.eyebrow .where { text-transform: none; letter-spacing: 0; font-weight: 400; font-size: .85rem; }
.mark { display: inline-block; width: 1.1em; font-weight: 700; } .mark.new { color: var(--add); } .mark.changed { color: var(--change); } .mark.blocked { color: var(--drop); } .steps { list-style: none; padding: 0; } .steps small { display: inline; }
.sign-words.new { color: var(--add); } .sign-words.changed { color: var(--change); } .sign-words.blocked { color: var(--drop); } .sign-words.launch { color: var(--launch); } .sign-words.quiet { color: var(--quiet); }
.sentence ins { text-decoration: none; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 17rem), 1fr)); gap: .8rem; }
.notice { background: var(--card); border: 1px solid var(--line); border-left: 5px solid var(--quiet); border-radius: 10px; padding: .8rem 1rem; margin: .6rem 0; }
.notice.launch, .notice.raise, .notice.emails, .notice.unmanaged { border-left-color: var(--launch); } .notice.accepted { border-left-color: var(--add); } .notice.error, .notice.blocked { border-left-color: var(--drop); } .notice.stop, .notice.hazard, .notice.drift, .notice.warning { border-left-color: var(--change); }
.notice h3 { font-size: 1rem; margin-bottom: .2rem; } .group + .group { border-top: 1px solid var(--line); margin-top: .6rem; padding-top: .4rem; }
.hint { color: var(--quiet); } .hint::before { content: "→ "; }
.links { list-style: none; padding: 0; } .links li { margin: .15rem 0; }
.group h4 { font-size: .95rem; } .group h4 + p { margin: 0; }
.group .links { display: flex; flex-wrap: wrap; gap: 0 1.2rem; }
.group pre { background: var(--sunk); border-radius: 8px; padding: .4rem .7rem; overflow: auto; }
.chip.real { color: var(--drop); background: var(--drop-ground); border-color: transparent; font-size: .8rem; letter-spacing: 0; }
.next { border: 1px solid var(--line); border-radius: 10px; background: var(--card); padding: .6rem 1rem; margin-top: 1rem; } .next h2 { font-size: 1rem; margin: 0; } .next ol { margin: .3rem 0; }
.search { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; gap: .4rem .6rem; align-items: center; padding: .6rem 0; background: var(--ground); } .search[hidden] { display: none; }
.search input, .search select, .search button { font: inherit; font-size: .92rem; color: var(--text); background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: .35rem .7rem; min-height: 2.4rem; max-width: 100%; }
.search button[aria-pressed=true] { color: var(--launch); background: var(--launch-ground); border-color: var(--launch); font-weight: 600; }
.folder { margin: .6rem 0; } .folder > summary { padding: .5rem .2rem; display: flex; flex-wrap: wrap; gap: .2rem .8rem; align-items: baseline; border-bottom: 1px solid var(--line); } .folder > summary::before { content: "▸"; color: var(--quiet); } .folder[open] > summary::before { content: "▾"; }
.facts-line { flex-basis: 100%; color: var(--text); font-size: .93rem; } .own { display: block; font-size: .93rem; }
[hidden] { display: none !important; }
.chips { display: inline-flex; flex-wrap: wrap; gap: .25rem; }
.campaigns { margin-top: 1.5rem; }
.campaign { background: var(--card); border: 1px solid var(--line); border-radius: 12px; margin: .5rem 0; }
.campaign > summary { padding: .6rem 1rem; display: flex; flex-wrap: wrap; gap: .1rem .75rem; align-items: baseline; cursor: pointer; list-style: none; border-radius: 12px; }
.campaign > summary::-webkit-details-marker { display: none; }
.campaign > summary::before { content: "▸"; color: var(--quiet); width: .8em; } .campaign[open] > summary::before { content: "▾"; }
.campaign[open] > summary { border-bottom: 1px solid var(--line); border-radius: 12px 12px 0 0; background: var(--sunk); }
.campaign .where { flex-basis: 100%; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; } .inside { padding: .4rem 1.1rem 1.1rem; }
.section { margin-top: 1.4rem; } .section > h4 { margin-bottom: .5rem; }
summary { cursor: pointer; } :is(.fold, .looks) > summary { color: var(--link); font-size: .88rem; padding: .2rem 0; }
.names { list-style: none; padding: 0; columns: 20rem; column-gap: 2rem; } .names li { break-inside: avoid; padding: .15rem 0; } .names li:target { background: var(--change-ground); }
.by-hand h2 { font-size: 1rem; margin: 0 0 .2rem; } .by-hand h3 { font-size: .95rem; } .tasks { list-style: none; padding: 0; } .tasks li { margin: .4rem 0; } .tasks figure { margin: .3rem 0 .3rem 1.6rem; } .tasks pre { max-height: 16rem; overflow: auto; white-space: pre-wrap; margin: .3rem 0 .7rem; padding: .5rem .7rem; background: var(--sunk); border-radius: 8px; }
fieldset.decision { border: 1px solid var(--line); border-radius: 8px; padding: .5rem 1rem 1rem; margin: .75rem 0; }
fieldset.decision legend { font-weight: 600; padding: 0 .4rem; }
fieldset.decision ul { list-style: none; padding: 0; margin: .25rem 0 .75rem; display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 22rem), 1fr)); gap: .2rem 2rem; } fieldset.decision li { margin: 0; }
fieldset.decision label { display: flex; gap: .5rem; } fieldset.decision label input { flex: none; margin-top: .35rem; } .unknown { display: block; max-width: 14rem; } .notice h2, .notice h3 { text-wrap: wrap; } table.projects { max-width: none; } table.projects .fold { display: inline-block; }
button.all { font: inherit; font-size: .88rem; color: var(--text); background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: .3rem .8rem; cursor: pointer; }
.keys { font-size: .82rem; flex-basis: 100%; } @media (hover: none) { .keys { display: none; } } kbd { font: .95em ui-monospace, monospace; border: 1px solid var(--line); border-radius: 4px; padding: 0 .3em; }
p.link { text-align: right; margin: .8rem 0 0; font-size: .82rem; } p.value small { display: inline; }
fieldset.decision pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: .75rem 0 0; max-height: 12rem; overflow: auto; }
th.n, td.n { text-align: right; }
.scroll { overflow-x: auto; } table.calendar { max-width: none; } table.calendar th.n { white-space: nowrap; } table.calendar .date { display: block; font-weight: 400; }
table.calendar td, table.calendar th { padding: .3rem .45rem; } table.calendar td.off { color: var(--quiet); } table.calendar tbody th, table.calendar tfoot th { width: auto; min-width: 9rem; } tfoot th, tfoot td { border-bottom: 0; vertical-align: bottom; font-weight: 600; }
.bar { display: block; position: relative; height: 3.2rem; min-width: 1.6rem; margin-bottom: .2rem; background: linear-gradient(to top, var(--bar) var(--part), transparent var(--part)); }
.bar.over { background: linear-gradient(to top, var(--drop) var(--part), transparent var(--part)); } .capacity { position: absolute; left: -.45rem; right: -.45rem; bottom: var(--part); border-top: 2px dashed var(--change); }
@media (min-width: 48.01rem) {
  table.wide { width: 100%; max-width: none; table-layout: auto; }
  table.wide td.n, table.wide thead th { white-space: nowrap; overflow-wrap: normal; }
  table.wide tbody th { width: auto; min-width: 9rem; } table.wide td.whole { white-space: nowrap; }
  .sideways { display: none; }
}
@media (min-width: 64rem) {
  .two { display: grid; grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); gap: 0 1.6rem; } .side { min-width: 0; }
}
@media (max-width: 48rem) {
  table.wide thead { display: none; }
  table.wide tr, table.wide th { display: block; width: auto; }
  table.wide th { border: 0; padding-block: 0; } table.wide tr { border-bottom: 1px solid var(--line); padding-block: .3rem; }
  table.wide td { display: inline-block; border: 0; padding-block: 0; text-align: left; }
  table.wide td::before { content: attr(data-head) " "; color: var(--quiet); }
  table.wide td.none { display: none; }
  table.wide td.kind + th { display: inline-block; border: 0; padding-block: 0; }
}
figure.command { display: flex; gap: .6rem; align-items: start; margin: .2rem 0 .6rem; max-width: none; } figure.command pre { flex: 1; margin: 0; padding: .4rem .7rem; white-space: pre-wrap; overflow-wrap: anywhere; background: var(--sunk); border-radius: 8px; }
.flag { white-space: nowrap; }
button.copy { font: inherit; font-size: .88rem; color: var(--link); background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: .3rem .8rem; cursor: pointer; }
table { border-collapse: collapse; width: 100%; max-width: 52rem; font-size: .93rem; }
th, td { text-align: left; vertical-align: top; padding: .45rem .6rem; border-bottom: 1px solid var(--line); font-weight: 400; }
thead th { color: var(--quiet); font-size: .8rem; font-weight: 600; } tbody th { width: 44%; }
.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .15rem .8rem; margin: .5rem 0; font-size: .93rem; }
.facts dt { color: var(--quiet); } .facts dd { margin: 0; grid-column: 2; white-space: pre-wrap; }
`;

const MAILS = `
.timeline { list-style: none; padding: 0; }
p.day { margin: 0; font-weight: 600; font-size: .9rem; padding: .2rem 0; }
.wait { color: var(--quiet); font-size: .88rem; padding: .55rem 0; margin: 0; } .values { font-size: .88rem; } .value { display: inline-block; margin-right: .8rem; }
.email { border: 1px solid var(--line); border-radius: 10px; padding: .7rem .9rem; margin: .3rem 0; min-width: 0; }
.email > header, .email > summary { display: flex; flex-wrap: wrap; gap: .3rem .5rem; align-items: baseline; }
.email > summary::before { content: "▸"; color: var(--quiet); } .email[open] > summary::before { content: "▾"; }
.diff { border: 1px solid var(--line); border-radius: 8px; padding: .3rem 0; font-size: .93rem; background: var(--card); }
.diff .line { margin: 0; padding: .12rem .8rem .12rem 1.5rem; white-space: pre-wrap; position: relative; min-height: 1.55em; }
.diff .touched { background: var(--sunk); } .diff .touched::before { content: "~"; position: absolute; left: .6rem; font-weight: 700; color: var(--change); }
figure { margin: 0; min-width: 0; max-width: 42rem; } .email figure { margin-top: .6rem; } figcaption { font-size: .82rem; font-weight: 600; color: var(--quiet); margin-bottom: .3rem; }
.card { border: 1px solid var(--line); border-radius: 8px; overflow: hidden; background: var(--card); }
.mail-subject { margin: 0; padding: .5rem .8rem; font-weight: 600; font-size: .95rem; border-bottom: 1px solid var(--line); }
iframe.mail { display: block; width: 100%; border: 0; background: #fff; height: clamp(6rem, calc(var(--wide) * 1.41rem + 3.2rem), 30rem); resize: vertical; }
.choice { display: flex; flex-wrap: wrap; align-items: baseline; gap: .3rem 1.2rem; border: 1px solid var(--line); border-radius: 10px; background: var(--card); padding: .5rem 1rem .7rem; margin: 1.2rem 0; } .choice legend { font-weight: 600; font-size: .88rem; padding: 0 .3rem; } .choice input { accent-color: var(--bar); width: 1.05rem; height: 1.05rem; vertical-align: -.15em; margin: 0 .25rem 0 0; }
.notice h2 { font-size: 1rem; margin: 0 0 .2rem; }
.variants { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 0 1rem; }
.forms { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 17rem), 1fr)); gap: 0 .8rem; } .form { max-width: none; }
.gap { background: var(--change-ground); color: var(--change); outline: 1px dashed; border-radius: 3px; padding: 0 .25em; font-size: .85em; }
.excerpt { background: var(--sunk); border-radius: 8px; padding: .4rem .7rem; margin: .4rem 0; white-space: pre-wrap; } .spot { background: var(--drop-ground); color: var(--drop); text-decoration: underline; } .warning .spot { background: var(--change-ground); color: var(--change); } .choice input[type=number] { font: inherit; color: var(--text); background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: .1rem .5rem; width: 7rem; height: auto; vertical-align: baseline; margin: 0 0 0 .3rem; }
.targets { list-style: none; padding: 0; font-size: .85rem; } .targets li { margin: .1rem 0; } .targets li::before { content: "→ "; color: var(--quiet); }
.spintax { font-size: .88rem; margin-top: .5rem; } .spintax > ul { list-style: none; padding: 0; margin: 0; } .spintax > ul > li { display: flex; flex-wrap: wrap; gap: 0 .8rem; align-items: baseline; } .spintax p { margin: .2rem 0; }
.choices { list-style: none; padding: 0; margin: .15rem 0 .5rem; display: flex; flex-wrap: wrap; gap: .3rem .5rem; } .choices li { border: 1px solid var(--line); border-radius: 8px; padding: .1rem .6rem; white-space: pre-wrap; min-width: 0; }
.leads { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: .9rem 1.2rem; margin-top: .4rem; } .as { min-width: 0; } .whom { font-weight: 600; margin: 0; }
.inbox .line { overflow: hidden; border: 1px solid var(--line); border-radius: 8px; padding: .35rem .7rem; white-space: nowrap; } .inbox .line > * { display: block; overflow: hidden; text-overflow: ellipsis; } .inbox { padding: .1rem 0 .3rem; } .inbox p { margin: .2rem 0; } .inbox .chip { margin-right: .2rem; }
q { quotes: "“" "”"; background: var(--sunk); border-radius: 4px; padding: .05em .35em; }
pre.plain { margin: 0; padding: .8rem; white-space: pre-wrap; font: .9rem/1.5 ui-monospace, Menlo, Consolas, "Liberation Mono", monospace; background: #fff; color: #1d2127; max-height: 30rem; overflow: auto; }
`;

const MEDIA = `
@media (max-width: 40rem) {
  body { padding: 0 .8rem 2rem; } h1 { font-size: 1.55rem; } .inside { padding: .3rem .75rem .9rem; } .campaign > summary { padding: .75rem; } :is(.campaign, .folder) > summary h3 { flex: 1; min-width: calc(100% - 2rem); }
  .notice { padding: .6rem .75rem; } .email { padding: .6rem .65rem; }
  iframe.mail { height: clamp(6rem, calc(var(--narrow) * 1.41rem + 3.2rem), 30rem); }
  table.compared thead { display: none; } table.compared :is(tr, th, td) { display: block; width: auto; } table.compared :is(th, td) { border: 0; padding-block: 0; } table.compared tr { border-bottom: 1px solid var(--line); padding-block: .3rem; }
  th, td { padding: .4rem .35rem; } tbody th { width: 42%; } .facts { grid-template-columns: minmax(0, 1fr); } .facts dd { grid-column: 1; margin-bottom: .3rem; }
}
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
@media print {
  body { max-width: none; padding: 0; background: #fff; } .skip, nav, .choice, .search { display: none; }
  iframe.mail { height: max(6rem, calc(var(--narrow) * 1.6rem + 4rem)); } pre.plain { max-height: none; overflow: visible; }
  details:not(.fold)::details-content { content-visibility: visible; height: auto; display: block; }
  h2, h3, h4, h5, summary { break-after: avoid; } .card, tr, .notice { break-inside: avoid; }
}
`;

/** System fonts and one column. Colour is never the only cue. */
const STYLE = `${COLOURS}${TEXT}${PARTS}${MAILS}${MEDIA}`;

/** Browsers also load collapsed frames, so emails beyond this number are shown as text. */
const MAX_FRAMES = 200;

export function framed(frames: readonly number[]): boolean[] {
  let sum = 0;
  return frames.map((number) => {
    sum += number;
    return sum <= MAX_FRAMES;
  });
}

export function mailBody(mail: Mail, { title, inFrame }: { title: string; inFrame: boolean }): Html {
  if (mail.html !== null && inFrame) return mailFrame({ title, html: mail.html, text: mail.text });
  return html`<pre class="plain" tabindex="0" role="group" aria-label="${title}">${asSeen(mail.text)}</pre>`;
}

export function subjectSeen({ subject }: Mail): Html {
  return subject === '' ? html`<span class="quiet">no subject</span>` : asSeen(subject);
}

export function mailCard(mail: Mail, options: { title: string; inFrame: boolean }): Html {
  const isLong = mail.length > LONG_SUBJECT;
  const note = html` <span class="chip warning">${mail.length} characters: cut off on most phones</span>`;
  return html`<div class="card"><p class="mail-subject">${subjectSeen(mail)}${isLong ? note : null}</p>${mailBody(mail, options)}</div>`;
}
