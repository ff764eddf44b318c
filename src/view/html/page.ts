import { POLICY } from './frame.js';
import { type Html, html, trusted } from './markup.js';
import { STYLE } from './style.js';

/** What a page is made of. `script` is only for pages that we serve ourselves; a page in a file has none. */
export interface PageParts {
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
