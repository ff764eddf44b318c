/** Documents in a terminal. */

import { listed, thousands } from '../model/words.js';
import { byHandText } from './by-hand-text.js';
import { cardsLines, partLines } from './card-text.js';
import type {
  Block,
  CalendarBlock,
  Card,
  Cell,
  Document,
  DocumentColumn,
  Fact,
  Head,
  Outcome,
  OutcomeStep,
  OutcomesBlock,
  ProjectResult,
  Steps,
  TableBlock,
} from './document.js';
import { dayCell, dayWords, togetherWords } from './launches.js';
import { COLOURS, painted } from './looks.js';
import { noticeLines } from './notice-text.js';
import type { DocumentTextOptions } from './options.js';
import { problemLines, renderFailureText } from './problems.js';
import {
  type Colour,
  type Column,
  leastWidth,
  type TextOptions,
  tableLines,
  visibleLine,
} from './terminal.js';
import { broken, hanging, indented, unbroken, wrap } from './words.js';

/** Maximum number of cards shown in full. If there are more, new campaigns take one or two lines. */
const MAX_WHOLE = 25;
const BRIEF =
  'New campaigns are shown in brief, because the plan is long. --target NAME shows one in full; --full shows all of them.';
const WHOLE_EMAILS =
  'Emails are cut to one line. --full prints them whole; --format html shows them as recipients get them.';
/** Number of lines after which the head is repeated, because only the end of a long report stays visible. */
const SCREEN = 30;
/** Maximum number of rows of a table whose facts the cards repeat. */
const MAX_ROWS = 15;

export function documentText(document: Document, options: DocumentTextOptions): string {
  const cards = document.reduce((sum, block) => sum + (block.is === 'cards' ? block.cards.length : 0), 0);
  const isBrief = !options.full && cards > MAX_WHOLE;
  const lines = document.flatMap((block) => blockLines(block, options, isBrief));
  const isCut =
    !options.full && document.some((block) => block.is === 'cards' && block.cards.some(hasBodies));
  if (isCut) lines.push('', ...hanging(options.paint('dim', WHOLE_EMAILS), options.width));
  if (isBrief && document.some((block) => block.is === 'cards' && block.cards.some(({ isNew }) => isNew)))
    lines.push('', ...hanging(options.paint('dim', BRIEF), options.width));
  const [head] = document;
  if (head?.is === 'head') lines.push(...endLines(head, document, options, lines.length));
  if (!options.before) lines.push(...document.flatMap((block) => applyLines(block, options)));
  return lines.map((line) => `${line}\n`).join('');
}

/** True if an email of a card is shown by its first words. */
function hasBodies({ parts }: Card): boolean {
  return parts.some((part) =>
    part.is === 'emails' ? part.sent.length > 0 : part.changes.some(({ form }) => form === 'emails'),
  );
}

function blockLines(block: Block, options: DocumentTextOptions, isBrief: boolean): string[] {
  switch (block.is) {
    case 'head':
      return headLines(block, options);
    case 'paragraph':
      return [
        '',
        ...block.lines.flatMap((line) =>
          indented(painted(options.paint, block.look, line), '  ', options.width),
        ),
      ];
    case 'problems':
      return block.problems.flatMap((problem) => ['', ...problemLines(problem, options, '  ')]);
    case 'notice':
      return noticeLines(block, options);
    case 'steps':
      return stepLines(block, options);
    case 'table':
      return block.only === undefined ? shownTable(block, options) : [];
    case 'calendar':
      return calendarLines(block, options);
    case 'cards':
      return cardsLines(block.cards, options, isBrief);
    case 'tasks':
      return byHandText(block, options);
    case 'notes':
      return block.notices.flatMap((notice) => noticeLines(notice, options));
    case 'results':
      return ['', ...resultLines(block.results, options)];
    case 'failures':
      return [
        '',
        ...wrap(options.paint('red', block.title), options.width),
        ...block.failures.flatMap(({ names, failure }) => [
          '',
          ...wrap(options.paint('bold', visibleLine(names.join(', '))), options.width),
          ...renderFailureText(failure, options).trimEnd().split('\n'),
        ]),
      ];
    case 'outcomes':
      return outcomesLines(block, options);
  }
}

function headLines(head: Head, { paint, width }: TextOptions): string[] {
  const { title, subject, service } = head;
  const words = `${title}${subject && ` ${subject}`}${service && ` (${service})`}`;
  const summary = head.numbersAt === 'end' ? '' : summaryLine(head, paint);
  const more = head.lines.map(({ look, words }) => painted(paint, look, words));
  const shown = [...(summary === '' ? [] : [summary]), ...more];
  return [
    ...wrap(paint('bold', words), width),
    ...(shown.length === 0 ? [] : ['', ...shown.flatMap((each) => indented(each, '  ', width))]),
  ];
}

function summaryLine({ verdict, counts, free }: Head, paint: TextOptions['paint']): string {
  if (verdict !== null) return verdict;
  const [main = [], ...others] = counts.map((group) =>
    group.map(({ look, number, words }) => painted(paint, look, unbroken(`${thousands(number)} ${words}`))),
  );
  return [main.join(', '), ...others.flat(), unbroken(free)].filter(Boolean).join('\u00a0· ');
}

function endLines(head: Head, document: Document, options: DocumentTextOptions, length: number): string[] {
  if (head.numbersAt === 'end') {
    const about = head.about.map((each) => options.paint('dim', each));
    return ['', ...hanging([summaryLine(head, options.paint), ...about].join(' '), options.width)];
  }
  if (head.numbersAt === 'start' || length <= SCREEN || options.before === 'question') return [];
  return ['', ...closingLines(head, document, options)];
}

function closingLines(head: Head, document: Document, { paint, width }: TextOptions): string[] {
  const summary = summaryLine(head, paint);
  const title = paint('bold', `${`${head.title} ${head.subject}`.trim()}${summary === '' ? '' : ':'}`);
  const refusals = document.flatMap((block) => (block.is === 'steps' ? (block.refusal ?? []) : []));
  return [
    ...indented(`${title} ${summary}`.trimEnd(), '', width),
    ...refusals.flatMap((refusal) => hanging(paint('red', refusal), width)),
    ...(head.needed === '' ? [] : hanging(paint('magenta', `Needs approval: ${head.needed}.`), width)),
  ];
}

/**
 * A reviewer in a terminal applies the plan, so only the commands are shown: those that approve something follow what needs
 * approval, the others are the last lines.
 */
function stepLines(block: Steps, options: TextOptions): string[] {
  const { refusal, applying } = block;
  const steps = isFree(block) ? [] : applying;
  return [
    ...(refusal === null ? [] : ['', ...hanging(options.paint('red', refusal), options.width)]),
    ...(steps.length === 0 ? [] : ['']),
    ...steps.flatMap(({ words, command }) => [
      ...indented(words, '  ', options.width),
      ...(command === null ? [] : [`    ${options.paint('bold', visibleLine(command))}`]),
    ]),
  ];
}

/** True if nothing has to be approved or is refused. */
function isFree({ decision, refusal }: Steps): boolean {
  return decision === null && refusal === null;
}

/** "To apply this plan, run: campaignctl apply --env production" */
function applyLines(block: Block, { paint, width }: TextOptions): string[] {
  if (block.is !== 'steps' || !isFree(block)) return [];
  const lines = block.applying.flatMap(({ words, command }) => {
    if (command === null) return [];
    const shown = visibleLine(command);
    return words.length + 1 + shown.length <= width
      ? [`${words} ${paint('bold', shown)}`]
      : [...hanging(words, width), `  ${paint('bold', shown)}`];
  });
  return lines.length === 0 ? [] : ['', ...lines];
}

/** If other blocks repeat its facts, only a table of several rows that fits on a screen is shown. */
function shownTable({ title, columns, rows, isRepeated }: TableBlock, options: TextOptions): string[] {
  if (rows.length === 0 || (isRepeated && (rows.length < 2 || rows.length > MAX_ROWS))) return [];
  const head = isRepeated ? [options.paint('bold', title)] : [];
  return ['', ...head, ...tableLines({ columns: fittingColumns(columns, rows, options), rows }, options)];
}

type CellRow = readonly Cell[];

/** Leaves out columns before names are cut; those with the number 1 only if that does not suffice. */
function fittingColumns(
  columns: readonly DocumentColumn[],
  rows: readonly CellRow[],
  { width, keepsNames = false }: TextOptions,
): readonly Column<CellRow>[] {
  const cuttable = columns.map(({ least, ...column }, at) => ({
    ...column,
    ...(least === undefined || (keepsNames && column.isName) ? {} : { least }),
    ...columnAt(at, rows),
  }));
  const drops = [...new Set(columns.flatMap(({ drop = 0 }) => (drop > 1 ? [drop] : [])))].sort(
    (a, b) => b - a,
  );
  const uncut = cuttable.map(({ least, ...column }) =>
    column.isName || least === undefined ? column : { ...column, least },
  );
  const without = (some: typeof uncut, number: number) => some.filter(({ drop = 0 }) => drop < number);
  const choices = [uncut, ...drops.map((number) => without(uncut, number))];
  const cut = [without(cuttable, 2), without(cuttable, 1)];
  return [...choices, ...cut].find((some) => leastWidth(some, rows) <= width) ?? without(cuttable, 1);
}

function columnAt(at: number, rows: readonly CellRow[]): Pick<Column<CellRow>, 'cell' | 'colour'> {
  const lookOf = (row: CellRow) => factIn(row[at])?.look;
  const colour = (row: CellRow): Colour => COLOURS[lookOf(row) ?? 'quiet'] ?? 'dim';
  return {
    cell: (row) => cellWords(row[at]),
    ...(rows.some((row) => lookOf(row) !== undefined) ? { colour } : {}),
  };
}

function factIn(cell: Cell = ''): Fact | null {
  return typeof cell === 'object' && 'look' in cell ? cell : null;
}

/** A line for each launch with the days on which it sends. */
function calendarLines(block: CalendarBlock, { paint, width }: TextOptions): string[] {
  const { title, days, rows, sum, isPartial, capacity } = block;
  const shown = rows.length <= MAX_ROWS ? rows : [];
  const isSummed = rows.length > 1 || rows.some(({ names }) => names.length > 1);
  const lines = [
    ...shown.map(({ names, cells, start }) => {
      const which = listed(names.map(({ name }) => unbroken(visibleLine(name))));
      const each = names.length > 1 ? ', each' : '';
      return `${which}${each}: ${cells === null ? ['not known', start].filter(Boolean).join(', ') : runsOf(days, cells)}`;
    }),
    ...(isSummed ? [`${togetherWords(isPartial)}: ${runsOf(days, sum)}`] : []),
    ...(capacity === null ? [] : [`capacity of all running campaigns: ${thousands(capacity)} a day`]),
  ];
  return ['', paint('bold', title), ...lines.flatMap((line) => indented(line, '  ', width))];
}

/** "Mon 2 Mar to Fri 6 Mar: 200 a day, Mon 9 Mar: 50" */
function runsOf(days: readonly string[], cells: readonly number[]): string {
  const runs: { first: string; last: string; emails: number }[] = [];
  for (const [at, day] of days.entries()) {
    const [emails = 0, before = 0] = [cells[at], cells[at - 1]];
    const run = runs.at(-1);
    if (run !== undefined && emails > 0 && emails === before) run.last = day;
    else if (emails > 0) runs.push({ first: day, last: day, emails });
  }
  const words = runs.map(({ first, last, emails }) => {
    const until = last === first ? '' : ` to ${dayWords(last, false)}`;
    const each = last === first ? '' : ' a day';
    return unbroken(`${dayWords(first, false)}${until}: ${dayCell(emails)}${each}`);
  });
  return words.join(', ') || 'none';
}

/** Names may be cut to the width of their column; their number stays. */
function cellWords(cell: Cell = ''): string {
  if (typeof cell === 'string') return cell;
  if ('look' in cell) return cell.words;
  const names = listed(cell.map(({ name }) => name));
  return cell.length > 1 ? `${thousands(cell.length)} × ${names}` : names;
}

export function resultLines(results: readonly ProjectResult[], { paint, width }: TextOptions): string[] {
  return results.flatMap(({ mark, names, words }) => {
    const all = names.map((name) => unbroken(visibleLine(name))).join(', ');
    const which =
      names.length === 1 ? all : `${thousands(names.length)} × ${words.replace(/\.$/, '')}: ${all}`;
    const line = `${paint(MARKS[mark], mark)} ${which}${names.length === 1 ? `: ${words}` : ''}`;
    return hanging(line, width - 4).map((each) => `  ${broken(each)}`);
  });
}

const MARKS = { '✓': 'green', '!': 'yellow', '✗': 'red' } as const;

/** Campaigns on one line each stand together. */
function outcomesLines({ title, facts, outcomes }: OutcomesBlock, options: TextOptions): string[] {
  const { paint, width } = options;
  const isBrief = ({ steps, unsent, parts }: Outcome) =>
    steps.length === 0 && unsent.length === 0 && parts.length === 0;
  return [
    ...(title === '' ? [] : ['', ...wrap(paint('bold', title), width)]),
    ...facts.flatMap((fact) => indented(paint('dim', visibleLine(fact)), '  ', width)),
    ...outcomes.flatMap((outcome, at) => {
      const before = outcomes[at - 1];
      const follows = isBrief(outcome) && before !== undefined && isBrief(before);
      return [...(follows ? [] : ['']), ...outcomeLines(outcome, options)];
    }),
  ];
}

function outcomeLines({ mark, name, about, steps, unsent, parts }: Outcome, options: TextOptions): string[] {
  const { paint, width } = options;
  const sign = mark === '' ? '' : `${paint(MARKS[mark], mark)} `;
  const indent = mark === '' ? '  ' : '    ';
  return [
    `${sign}${paint('bold', visibleLine(name))}${about && `  ${paint('dim', visibleLine(about))}`}`,
    ...steps.flatMap((step) => [
      `${indent}${stepLine(step, options)}`,
      ...(step.detail === null
        ? []
        : wrap(visibleLine(step.detail), width - 8).map((line) => `        ${paint('dim', line)}`)),
    ]),
    ...(unsent.length === 0
      ? []
      : indented(paint('dim', `· not run: ${visibleLine(unsent.join(', '))}`), indent, width)),
    ...(parts.length === 0 ? [] : [`${indent}${paint('red', 'Still different from the manifest:')}`]),
    ...parts.flatMap((part) => partLines(part, options)),
  ];
}

function stepLine({ look, sign, words, result, at, request }: OutcomeStep, { paint }: TextOptions): string {
  return [
    visibleLine(at),
    `${look === 'quiet' ? paint('dim', sign) : painted(paint, look, sign)} ${visibleLine(words)}`,
    look === 'quiet' ? paint('dim', result) : painted(paint, look, result),
    paint('dim', visibleLine(request)),
  ]
    .filter(Boolean)
    .join('  ');
}
