import type { Change } from '../model/outputs.js';
import { count } from '../model/words.js';
import { type ChangeView, type EmailView, viewChanges } from './changes.js';
import { cutExcerpt, diffLines, splitLines, splitSides, wrapped } from './diffs.js';
import { code, fence, prose } from './markdown.js';
import { visibleCopyLine } from './terminal.js';

/** One line per change, no bodies, or everything. */
export type Detail = 'line' | 'brief' | 'full';

export function changeItems(changes: readonly Change[], detail: Detail): string[] {
  return viewChanges(changes).flatMap((change) => changeBlocks(change, detail));
}

function changeBlocks(change: ChangeView, detail: Detail): string[] {
  const name = prose(change.name);
  const note = change.note && ` (${prose(change.note)})`;
  const verb = 'isNew' in change && !change.isNew ? 'removed' : 'new';
  switch (change.form) {
    case 'update':
      return [`- ${name && `${name}: `}${copyCode(change.from)} → ${copyCode(change.to)}${note}`];
    case 'text':
      return [`- ${name}${note}`, '', diffFence(change, detail === 'full' ? 2 : 0), ''];
    case 'value':
      return [`- ${verb}: ${name && `${name} `}${copyCode(change.value)}${note}`];
    case 'emails':
      return [`- ${verb}${name && `: ${name}`}${note}`, '', ...emailBlocks(change.emails, detail)];
  }
}

function copyCode(text: string): string {
  return code(text, visibleCopyLine);
}

export function emailBlocks(emails: readonly EmailView[], detail: Detail): string[] {
  return emails.flatMap(({ label, email, how }) => {
    const head = `${label}: ${copyCode(email.email_subject)} (${how})`;
    return [head, '', ...(detail === 'full' ? [bodyFence(email.email_body), ''] : [])];
  });
}

/** Platforms do not wrap lines of code blocks in comments. */
const WIDTH = 96;

function bodyFence(body: string): string {
  const lines = splitLines(body).flatMap((text) => wrapped([{ kind: 'same', text }], WIDTH));
  return fence(
    lines
      .flatMap(splitSides)
      .map(({ text }) => text)
      .join('\n'),
  );
}

/** Shows a diff; for a long line, only the part that differs. */
function diffFence({ from, to }: { from: string; to: string }, context: number): string {
  const lines = diffLines(from, to).flatMap((line) => wrapped(line, WIDTH));
  const rows = cutExcerpt(lines, context).flatMap((row) =>
    typeof row === 'number'
      ? [`@@ ${count(row, 'unchanged line')} @@`]
      : splitSides(row).map(({ sign, text }) => `${sign} ${text}`.trimEnd()),
  );
  return fence(rows.join('\n'), 'diff');
}
