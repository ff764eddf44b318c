/** Documents in a terminal. */
import { count, listed, thousands } from '../model/words.js';
import { type ByHandView, byHandEnd, byHandTitle, inBrackets, type TaskView } from './by-hand.js';
import type { ChangeView, EmailView } from './changes.js';
import { splitLines } from './diffs.js';
import {
  type Block,
  type CalendarBlock,
  type Card,
  type Cell,
  type Document,
  type DocumentColumn,
  FATE_LOOKS,
  type Fact,
  type Head,
  type Look,
  type Member,
  type Outcome,
  type OutcomeStep,
  type OutcomesBlock,
  type Part,
  type ProjectResult,
  type Steps,
  type TableBlock,
  type Tasks,
} from './document.js';
import { dayCell, dayWords, togetherWords } from './launches.js';
import type { DocumentTextOptions } from './options.js';
import type { CampaignLink, Message, Notice, NoticeKind } from './plan-notices.js';
import { hintLines, problemLines, renderFailureText } from './problems.js';
import {
  type Colour,
  type Column,
  leastWidth,
  plain,
  type TextOptions,
  tableLines,
  visibleCopy,
  visibleCopyLine,
  visibleLine,
} from './terminal.js';
import { textDiff } from './text-diff.js';
import { broken, cut, hanging, unbroken, wrap } from './words.js';

/** Maximum number of cards shown in full. If there are more, new campaigns take one or two lines. */
const MAX_WHOLE = 25;
const BRIEF =
  'New campaigns are shown in brief, because the plan is long. --target NAME shows one in full; --full shows all of them.';
const WHOLE_EMAILS =
  'Emails are cut to one line. --full prints them whole; --format html shows them as recipients get them.';
/** Number of lines after which the head is repeated, because only the end of a long report stays visible. */
const SCREEN = 30;
/** Maximum number of messages in a notice if the campaigns repeat them. */
const MAX_LISTED = 12;
const MAX_BLOCKS = 2;
/** Maximum number of names in a message if cards repeat them. */
const MAX_REPEATED = 3;
/** Maximum number of rows of a table whose facts the cards repeat. */
const MAX_ROWS = 15;

export function documentText(document: Document, options: DocumentTextOptions): string {
  const cards = document.reduce((sum, block) => sum + (block.is === 'cards' ? block.cards.length : 0), 0);
  const isBrief = !options.full && cards > MAX_WHOLE;
  const lines = document.flatMap((block) => blockLines(block, options, isBrief));
  const isCut =
    !options.full && document.some((block) => block.is === 'cards' && block.cards.some(hasBodies));
  if (isCut) lines.push('', ...hanging(options.paint('dim', WHOLE_EMAILS), options.width));
  if (isBrief) lines.push('', ...hanging(options.paint('dim', BRIEF), options.width));
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

const COLOURS: Record<Look, Colour | null> = {
  new: 'green',
  changed: 'yellow',
  blocked: 'red',
  launch: 'magenta',
  quiet: null,
};

function painted(paint: TextOptions['paint'], look: Look, text: string): string {
  const colour = COLOURS[look];
  return colour === null ? text : paint(colour, text);
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

function indented(text: string, indent: string, width: number): string[] {
  return hanging(text, width - indent.length).map((line) => `${indent}${broken(line)}`);
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

const NOTICES: Record<NoticeKind, { colour: Colour; sign: string }> = {
  launch: { colour: 'magenta', sign: '!' },
  raise: { colour: 'magenta', sign: '!' },
  emails: { colour: 'magenta', sign: '!' },
  stop: { colour: 'yellow', sign: '!' },
  unmanaged: { colour: 'magenta', sign: '!' },
  error: { colour: 'red', sign: '✗' },
  hazard: { colour: 'magenta', sign: '!' },
  accepted: { colour: 'green', sign: '✓' },
  blocked: { colour: 'red', sign: '✗' },
  removed: { colour: 'yellow', sign: '!' },
  drift: { colour: 'yellow', sign: '!' },
  warning: { colour: 'yellow', sign: '!' },
  calm: { colour: 'green', sign: '✓' },
  unreadable: { colour: 'dim', sign: '!' },
  quiet: { colour: 'dim', sign: '' },
};

function noticeLines({ kind, title, messages, hint }: Notice, options: DocumentTextOptions): string[] {
  const { paint, width, full = false } = options;
  const { colour, sign } = NOTICES[kind];
  const plainMessages = messages.filter(({ code }) => code === null);
  const follow = plainMessages.every((message) => message.campaigns.some(({ anchor }) => anchor !== null));
  const most = full || !follow ? plainMessages.length : MAX_LISTED;
  return [
    '',
    ...wrap(paint(colour, title), width),
    ...messageLines(plainMessages, { width, most, more: ': see below' }),
    ...messages
      .filter(({ code }) => code !== null)
      .flatMap((problem) => codedLines(problem, paint(colour, `${sign} ${problem.code}`), options)),
    ...hintLines(hint, '    ', options),
  ];
}

/** `more`: how to see the others. */
export function messageLines(
  messages: readonly Message[],
  { width, most, more }: { width: number; most: number; more: string },
): string[] {
  const rest = messages.slice(most).reduce((sum, message) => sum + message.campaigns.length, 0);
  return [
    ...messages.slice(0, most).flatMap(({ campaigns, text }) => {
      const names = campaigns.map(({ name }) => unbroken(visibleLine(name)));
      const line = [listed(names), visibleLine(text)].filter(Boolean).join(': ');
      return indented(line, '  ', width - 2);
    }),
    ...(rest === 0 ? [] : [`  and ${thousands(rest)} more${more}`]),
  ];
}

function codedLines(
  { campaigns, text, hint, blocks }: Message,
  head: string,
  options: DocumentTextOptions,
): string[] {
  const { paint, width, full = false } = options;
  const times = campaigns.length > 1 ? ` ${campaigns.length} ×` : '';
  const names = campaigns.map(({ name }) => unbroken(visibleLine(name)));
  const shown = full || blocks.length <= MAX_BLOCKS ? blocks : blocks.slice(0, 1);
  // Their cards follow.
  const most = !full && campaigns.every(({ anchor }) => anchor !== null) ? MAX_REPEATED : campaigns.length;
  const hidden = blocks.length - shown.length;
  return [
    ...indented(names.length === 0 ? head : `${head}${times}  ${listed(names, most)}`, '  ', width),
    ...wrap(visibleLine(text), width - 6).map((line) => `      ${paint('dim', line)}`),
    ...hintLines(hint, '      ', options),
    ...shown.flatMap(({ where, lines }) => [
      ...wrap(visibleLine(where), width - 8).map((line) => `        ${paint('dim', line)}`),
      ...lines.map((line) => `          ${visibleLine(line)}`),
    ]),
    ...(hidden === 0
      ? []
      : [`        ${paint('dim', `--full also shows the lines for ${count(hidden, 'other campaign')}.`)}`]),
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

function cellWords(cell: Cell = ''): string {
  if (typeof cell === 'string') return cell;
  return 'look' in cell ? cell.words : listed(cell.map(({ name }) => name));
}

function cardsLines(cards: readonly Card[], options: DocumentTextOptions, isBrief: boolean): string[] {
  const takesLine = (card: Card | undefined) => isBrief && card?.isNew === true && card.members.length === 1;
  const isShort = (card: Card | undefined) => takesLine(card) || (card !== undefined && isBare(card));
  return cards.flatMap((card, at) => [
    ...(isShort(card) && isShort(cards[at - 1]) ? [] : ['']),
    ...(takesLine(card) ? briefLines(card, options) : cardLines(card, options)),
  ]);
}

function isBare({ parts, codes, remarks, members }: Card): boolean {
  return parts.length + codes.length + remarks.length === 0 && members.length === 1;
}

function cardLines(card: Card, options: DocumentTextOptions): string[] {
  const { paint, width } = options;
  return [
    ...whereLines(card, options),
    ...leadLines(card, options),
    ...card.remarks.flatMap((words) => indented(paint('yellow', words), '    ', width)),
    ...card.parts.flatMap((part) => partLines(part, options)),
    ...codeLines(card, options),
    ...(card.members.length === 1 ? [] : memberLines(card.members, options)),
  ];
}

/** If they say more than the changes of leads, which follow. */
function leadLines({ leads, explainsLeads }: Card, { width }: TextOptions): string[] {
  return leads === null || !explainsLeads ? [] : indented(visibleLine(leads), '    ', width);
}

function memberLines(members: readonly Member[], options: DocumentTextOptions): string[] {
  const { paint, width, full = false } = options;
  const groups = new Map<string, string[]>();
  for (const { name, leads, parts } of members) {
    const facts = [leads ?? '', ...(full ? parts.flatMap(wholeValues) : [])].filter(Boolean).join(' · ');
    groups.set(facts, [...(groups.get(facts) ?? []), unbroken(visibleLine(name))]);
  }
  const lines = [...groups].flatMap(([facts, names]) =>
    indented([names.join(', '), visibleLine(facts)].filter(Boolean).join(': '), '      ', width),
  );
  return [`    ${paint('bold', 'campaigns')}`, ...lines];
}

function wholeValues(part: Part): string[] {
  if (part.is === 'emails') return [];
  return part.changes.flatMap((change) =>
    change.form === 'value' ? [`${change.name} ${change.whole}`.trim()] : [],
  );
}

function whereLines(card: Card, options: TextOptions): string[] {
  const { paint, width } = options;
  const [head, where] = [nameLine(card, options), visibleLine(card.where)];
  if (where === '') return headingLines(head, width);
  const length = nameLine(card, { ...options, paint: plain }).length + 2 + where.length;
  if (length <= width) return [`${head}  ${paint('dim', where)}`];
  return [...headingLines(head, width), ...indented(paint('dim', where), '    ', width)];
}

function headingLines(text: string, width: number): string[] {
  return wrap(text, width).length === 1 ? [text] : hanging(text, width - 2);
}

function briefLines(card: Card, options: TextOptions): string[] {
  const { themes, isLaunch, leads, subjects } = card;
  const room = Math.max(20, options.width - nameLine(card, { ...options, paint: plain }).length - 2);
  const words = [...themes, ...(isLaunch || leads === null ? [] : [leads])];
  const short = cut(words.map(visibleLine).join(' · '), room);
  const quoted = isLaunch
    ? subjects.map(({ subject, isVariant }) => `${isVariant ? 'or ' : ''}"${visibleCopyLine(subject)}"`)
    : [];
  return [
    ...headingLines(
      `${nameLine(card, options)}${short && `  ${options.paint('dim', short)}`}`,
      options.width,
    ),
    ...leadLines(card, options),
    ...(quoted.length === 0 ? [] : indented(`sends ${quoted.join(', ')}`, '    ', options.width)),
    ...codeLines(card, options),
  ];
}

function nameLine({ sign, title, facts }: Card, { paint }: TextOptions): string {
  const [action, ...others] = facts;
  const words = others.map((fact) =>
    painted(paint, fact.look, fact.look === 'launch' ? fact.words.toUpperCase() : fact.words),
  );
  const head = painted(paint, action?.look ?? 'quiet', `${sign} ${visibleLine(title)}`);
  return `${head}  ${[action?.words ?? '', ...words].join(' · ')}`;
}

function codeLines({ codes }: Card, { paint }: TextOptions): string[] {
  return codes.length === 0 ? [] : [`    ${paint('dim', `see: ${codes.join(', ')}`)}`];
}

export function partLines(part: Part, options: DocumentTextOptions): string[] {
  const { paint } = options;
  if (part.is === 'emails') {
    if (part.sent.length === 0) return [];
    const lines = emailLines(part.sent, options).map((line) => `      ${line}`);
    return [`    ${paint('bold', 'sends')}`, ...lines];
  }
  const { section, changes, compared, sameAs } = part;
  const lines = changes.flatMap((change) =>
    sameAs === null || options.full ? changeLines(change, options) : sameLines(change, sameAs, options),
  );
  if (section === 'campaign') return lines.map((line) => `    ${line}`);
  const mark = part.mark === null ? '' : `  ${painted(paint, FATE_LOOKS[part.mark], part.mark)}`;
  const beside = compared && `  ${paint('dim', compared)}`;
  const head = `    ${paint('bold', section)}${mark}${beside}`;
  if (section === 'status') return lines.map((line) => `${head}  ${line}`);
  return [head, ...lines.map((line) => `      ${line}`)];
}

/** `+ "Autumn sequence", 2 emails, the same as those of Spring` */
function sameLines(
  { name }: ChangeView,
  { name: other }: CampaignLink,
  { paint, width }: TextOptions,
): string[] {
  const words = `+ ${name}, the same as those of ${visibleLine(other)}`;
  return hanging(words, width - 6).map((line) => paint('green', line));
}

function changeLines(change: ChangeView, options: DocumentTextOptions): string[] {
  const { paint, width, full } = options;
  const { name } = change;
  const room = width - 6;
  const note = change.note && `  ${paint('dim', `(${visibleLine(change.note)})`)}`;
  const isGone = 'isNew' in change && !change.isNew;
  const added = (text: string) => (isGone ? paint('red', `- ${text}`) : paint('green', `+ ${text}`));
  const edited = name && `${paint('yellow', '~')} ${name}`;
  switch (change.form) {
    case 'update': {
      const isShort = name.length + change.from.length + change.to.length + 7 <= room;
      if (!isShort && name !== '') return [`${edited}${note}`, ...textDiff(change, options)];
      const line = `${edited && `${edited}  `}${change.from} ${paint('yellow', '→')} ${change.to}`;
      return hanging(`${line}${note}`, room);
    }
    case 'text':
      return [`${edited}${note}`, ...textDiff(change, options)];
    case 'value': {
      const { value, whole } = change;
      const more = full !== false || value === whole ? '' : `  ${paint('dim', '(--full shows all)')}`;
      return hanging(`${added(`${name && `${name}  `}${full ? whole : value}`)}${more}${note}`, room);
    }
    case 'emails': {
      const emails = emailLines(change.emails, { ...options, width: width - 2 });
      const [first = '', ...rest] = name === '' ? emails : [name, ...emails];
      return [`${added(first)}${note}`, ...rest.map(added)];
    }
  }
}

function emailLines(emails: readonly EmailView[], { width, full = false }: DocumentTextOptions): string[] {
  return emails.flatMap(({ label, email, how }) => {
    const head = `${label}: ${visibleCopyLine(email.email_subject)}  (${how})`;
    if (full) return [head, ...splitLines(email.email_body).map((text) => `     ${visibleCopy(text)}`)];
    const body = email.email_body.replace(/<[^<>]*>/g, ' ').replace(/[ \t\r\n]+/g, ' ');
    return [...hanging(head, width - 10), `     ${cut(visibleCopyLine(body.trim()), width - 15)}`];
  });
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

/** More lines than that are shown as a difference, if the current text is known. */
const MAX_LINES = 3;

export function byHandText(
  block: Tasks,
  { paint, width, full = false }: TextOptions & { full?: boolean },
): string[] {
  const { groups } = block;
  if (groups.length === 0) return [];
  let isShortened = false;
  const textLines = ({ name, text, before }: TaskView['texts'][number], from: string | null): string[] => {
    const head = [`  ${name}`, ...(from === null ? [] : [paint('red', `- ${visibleLine(from)}`)])];
    const lines = splitLines(text).map(visibleCopy);
    if (!full && before !== null && lines.length > MAX_LINES) {
      isShortened = true;
      return [...head, ...textDiff({ from: before, to: text }, { paint, width: width - 8 })];
    }
    // These texts are not wrapped, and the name is not in their line, so that they can be copied.
    const whole = lines.map((line) => paint('green', lines.length === 1 ? `+ ${line}` : `    ${line}`));
    return [...head, ...whole];
  };
  const lines = groups.flatMap(({ campaigns, tasks }) => [
    ...hanging(campaignNames(campaigns, full), width - 4).map((line) => `  ${line}`),
    ...tasks.flatMap(({ words, from, texts }) => [
      ...hanging(`[ ] ${visibleLine(words)}`, width - 6).map((line) => `    ${line}`),
      ...texts.flatMap((text) => textLines(text, from)).map((line) => `        ${line}`),
    ]),
  ]);
  const end = `${byHandEnd(groups)}${isShortened ? ' --full prints the texts to enter.' : ''}`;
  const endLines = hanging(end, width - 2).map((line) => `  ${paint('dim', line)}`);
  return ['', paint('yellow', byHandTitle(block)), ...lines, ...endLines];
}

/** Cards have the other names. */
const MAX_NAMES = 3;

function campaignNames(campaigns: ByHandView['campaigns'], full: boolean): string {
  const names = campaigns.map(({ name, id }) => `${visibleLine(name)}${inBrackets(id)}`);
  const [only = ''] = names;
  return names.length === 1
    ? only
    : `${thousands(names.length)} × the same: ${listed(names, full ? names.length : MAX_NAMES)}`;
}
