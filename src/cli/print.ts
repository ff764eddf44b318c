import type { Document } from '../view/document.js';
import { documentMarkdown } from '../view/document-markdown.js';
import { documentText } from '../view/document-text.js';
import type { LinkTo } from '../view/options.js';
import { renderJson } from '../view/terminal.js';
import type { ViewFlags } from './options.js';
import type { Shell } from './shell.js';

/** Maximum number of characters. A GitHub comment can contain 65,536. */
const MARKDOWN_LIMIT = 60_000;

/** `linkTo`: links to manifests, for Markdown. `value`: what JSON contains. */
interface PrintedReport {
  document: Document;
  value: unknown;
  linkTo?: LinkTo;
}

/** Prints a report in one of its forms. */
export async function printDocument(
  { document, value, ...links }: PrintedReport,
  { format, full = false }: { format: ViewFlags['format']; full?: boolean },
  shell: Shell,
): Promise<void> {
  switch (format) {
    case 'text':
      return shell.out(documentText(document, { ...shell.onOut, full }));
    case 'json':
      return shell.out(renderJson(value));
    case 'markdown':
      return shell.out(documentMarkdown(document, MARKDOWN_LIMIT, links));
    case 'html':
      return shell.out((await import('../view/document-html.js')).documentHtml(document));
  }
}
