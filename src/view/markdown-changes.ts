import type { DesiredStep } from '../model/spec.js';
import { count } from '../model/words.js';
import { type ChangeView, howSent, showing, shownPair, viewChanges } from './changes.js';
import { diffBody, linesOf, type Row, type Stretch, sidesOf, stretchText } from './diffs.js';
import { code, fence, prose } from './markdown.js';
import type { SectionView } from './plan-view.js';
import { visibleCopy, visibleCopyLine } from './terminal.js';
import { short } from './words.js';

/** List items, and fences for multi-line values. */

/** One line, without bodies, or everything. */
export const DETAILS = ['line', 'brief', 'full'] as const;
export type Detail = (typeof DETAILS)[number];

export function sectionItems(
  { section, changes, sent, compared }: Omit<SectionView, 'drift'>,
  detail: Detail,
): string[] {
  const head =
    section === 'campaign'
      ? []
      : ['', `**${section}**${sent ? '' : ' (not sent)'}${compared === null ? '' : `: ${compared}`}`, ''];
  return [...head, ...viewChanges(changes).flatMap((change) => changeBlocks(change, detail))];
}

function changeBlocks(change: ChangeView, detail: Detail): string[] {
  const note = change.note && ` (${prose(change.note)})`;
  const name = 'name' in change ? prose(change.name) : '';
  const show = showing('name' in change ? change.name : '');
  const verb = 'isNew' in change && !change.isNew ? 'removed' : 'new';
  switch (change.form) {
    case 'update': {
      const [from, to] = shownPair(change, 200).map((text) => code(text, show));
      return [`- ${name && `${name}: `}${from} → ${to}${note}`];
    }
    case 'text': {
      const rows = diffBody(change.from, change.to, detail === 'full' ? 2 : 0);
      return [`- ${name}${note}`, '', block(rows), ''];
    }
    case 'value':
      return [`- ${verb}: ${name} ${code(short(change.value, 200, show), show)}${note}`];
    case 'line':
      return [`- new: ${code(change.line)}${note}`];
    case 'email':
      return [`- ${verb}: ${name}${note}`, '', ...stepBlocks(change.step, detail)];
    case 'sequence':
      return [
        `- new: ${code(change.title)}, ${count(change.steps.length, 'email')}${note}`,
        '',
        ...change.steps.flatMap((step, at) => stepBlocks(step, detail, `${at + 1}\\. `)),
      ];
  }
}

function stepBlocks({ variants, ...email }: DesiredStep, detail: Detail, lead = ''): string[] {
  return [email, ...variants].flatMap((message, at) => {
    const head = `${at === 0 ? lead : `variant ${at}: `}${code(message.email_subject, visibleCopyLine)} (${howSent(message)})`;
    const lines = linesOf(message.email_body).flatMap((text) => wrapped([{ kind: 'same', text }]));
    return [
      head,
      '',
      ...(detail === 'full' ? [fence(lines.map((line) => textOf(line)).join('\n')), ''] : []),
    ];
  });
}

/** Comments do not wrap lines in fences. */
const WIDTH = 96;

/** As a diff; of a long line, the part that differs. */
function block(rows: readonly Row[]): string {
  const lines = rows.flatMap((row) =>
    row.kind === 'line'
      ? wrapped(row.stretches.map((stretch) => ({ ...stretch, text: stretchText(stretch) }))).flatMap(
          diffLines,
        )
      : [`@@ ${count(row.lines, 'unchanged line')} @@`],
  );
  return fence(lines.join('\n'), 'diff');
}

function diffLines(line: readonly Stretch[]): string[] {
  return sidesOf(line).map(({ sign, stretches }) =>
    sign === ' ' ? `  ${textOf(stretches)}`.trimEnd() : `${sign} ${textOf(stretches)}`,
  );
}

function textOf(stretches: readonly Stretch[]): string {
  return visibleCopy(stretches.map(({ text }) => text).join(''));
}

/** Breaks after blanks. */
function wrapped(stretches: readonly Stretch[]): Stretch[][] {
  const lines: Stretch[][] = [[]];
  let column = 0;
  for (const { kind, text } of stretches)
    for (const word of text.match(/\S+\s*|\s+/g) ?? []) {
      if (column > 0 && column + word.trimEnd().length > WIDTH) {
        lines.push([]);
        column = 0;
      }
      const last = lines.at(-1)?.at(-1);
      if (last?.kind === kind) last.text += word;
      else lines.at(-1)?.push({ kind, text: word });
      column += word.length;
    }
  return lines;
}
