import type { Problem } from '../model/outputs.js';
import {
  groupProblems,
  type Inventory,
  type InventoryEntry,
  type InventoryStatus,
  type InventorySummary,
} from '../model/outputs.js';
import { bounceRate, leadsLeft, percent, replyRate, sumResults, volumeLine } from '../model/volume.js';
import { count, listed, thousands } from '../model/words.js';
import { cellCode, code, markdownTable, prose } from './markdown.js';
import { problemLines } from './problems.js';
import { type ProjectPart, projectName } from './projects.js';
import { type Colour, type Table, type TextOptions, tableLines, visibleLine } from './terminal.js';
import { counts, hanging, summed } from './words.js';

const STATUSES: Record<InventoryStatus, [Colour, string]> = {
  unclear: ['magenta', 'unclear'],
  missing: ['red', 'missing'],
  gone: ['red', 'gone'],
  removed: ['red', 'removed'],
  outside: ['yellow', 'outside'],
  superseded: ['dim', 'replaced'],
  new: ['green', 'not created'],
  unmanaged: ['yellow', 'unmanaged'],
  scratch: ['yellow', 'scratch'],
  managed: ['dim', 'managed'],
};

const NONE = '—';
const HIDDEN = '?';

/** `least`: minimum width; columns with the lowest `order` shrink first. */
interface Column {
  head: string;
  cell(entry: InventoryEntry): string;
  isRight?: boolean;
  least?: number;
  order?: number;
}

const STATUS: Column = { head: '', cell: ({ status }) => STATUSES[status][1], least: 10, order: 4 };
const NAME: Column = { head: 'name', cell: ({ name }) => name, least: 24, order: 2 };
const WORD: Column = { head: 'status', cell: statusWord, least: 9, order: 3 };
const MANIFEST: Column = {
  head: 'manifest',
  cell: ({ manifest }) => manifest ?? NONE,
  least: 18,
  order: 1,
};
const ID: Column = {
  head: 'id',
  cell: ({ id }) => (id === null ? NONE : String(id)),
  isRight: true,
};
/** When it was last in sync. */
const LAST: Column = {
  head: 'last apply',
  cell: ({ last }) =>
    last === null ? NONE : `${last.at.slice(0, 10)}${last.how === 'import' ? ' (import)' : ''}`,
  least: 10,
  order: 6,
};
const RESULTS: readonly Column[] = [
  { head: 'sent', cell: ({ results }) => numberCell(results.sent), isRight: true },
  {
    head: 'replies',
    cell: ({ results }) => rateCell(results.replies, replyRate(results)),
    isRight: true,
  },
  {
    head: 'bounces',
    cell: ({ results }) => rateCell(results.bounced, bounceRate(results)),
    isRight: true,
  },
  { head: 'left', cell: ({ results }) => numberCell(leadsLeft(results)), isRight: true },
];
const CAP: Column = {
  head: 'cap',
  cell: ({ cap }) => (cap === 'unlimited' ? 'none' : numberCell(cap)),
  isRight: true,
};

/** Numbers if any is shown; no manifests on a narrow terminal. */
function columnsOf({ campaigns }: Inventory, width: number): Column[] {
  const hasResults = campaigns.some(({ results }) => Object.values(results).some((value) => value !== null));
  const numbers = [
    ...(hasResults ? RESULTS : []),
    ...(campaigns.some(({ cap }) => cap !== null) ? [CAP] : []),
  ];
  const chosen = [STATUS, NAME, ID, WORD, ...numbers];
  return width < (hasResults ? 120 : 72) ? chosen : [...chosen, MANIFEST, LAST];
}

function tableOf(columns: readonly Column[], rows: readonly string[][]): Table {
  const shrink = columns
    .flatMap(({ order, least }, at) => (order && least ? [{ order, at, least }] : []))
    .sort((a, b) => a.order - b.order);
  return {
    heads: columns.map(({ head }) => head),
    right: columns.flatMap(({ isRight }, at) => (isRight ? [at] : [])),
    ...(columns.includes(MANIFEST) ? { path: columns.indexOf(MANIFEST) } : {}),
    shrink: shrink.map(({ at, least }) => [at, least] as const),
    rows,
  };
}

/** A missing number is a dash, never 0. */
function numberCell(value: number | null): string {
  return value === null ? '–' : thousands(value);
}

function rateCell(value: number | null, rate: number | null): string {
  return `${numberCell(value)}${rate === null ? '' : ` (${percent(rate)})`}`;
}

/** "1,200 sent · 12 replies (1.2 %) · 3 bounces (0.3 %) · 400 leads left"; empty if unknown. */
function totalsLine({ totals }: Pick<Inventory, 'totals'>): string {
  const leadCount = leadsLeft(totals);
  const parts = [
    [totals.sent, 'sent', null],
    [totals.replies, 'replies', replyRate(totals)],
    [totals.bounced, 'bounces', bounceRate(totals)],
    [leadCount, 'leads left', null],
  ] as const;
  return parts
    .flatMap(([value, words, rate]) =>
      value === null ? [] : [`${thousands(value)} ${words}${rate === null ? '' : ` (${percent(rate)})`}`],
    )
    .join(' · ');
}

const HIDDEN_NOTE = 'the list of the service does not show the status';

/** Counts, table, problems, next steps. */
export function renderListText(inventory: Inventory, options: TextOptions): string {
  const { paint, width } = options;
  const { environment, base_url, summary, campaigns } = inventory;
  const look = (cell: string, at: number, column: number) =>
    column === 0 ? paint(STATUSES[campaigns[at]?.status ?? 'managed'][0], cell) : cell;
  const columns = columnsOf(inventory, width);
  const rows = campaigns.map((entry) => columns.map(({ cell }) => cell(entry)));
  const table = tableLines(tableOf(columns, rows), options, look);
  const sums = [totalsLine(inventory), volumeLine(inventory.volume)].filter(Boolean);
  const next = nextSteps(inventory).flatMap(([command, does]) => hanging(`→ ${command} ${does}`, width - 4));
  const all = [
    paint('bold', `Campaigns of ${environment} (${visibleLine(base_url)})`),
    '',
    `  ${countsLine(summary)}`,
    ...(campaigns.length === 0 ? [] : ['', ...table]),
    ...(sums.length === 0 ? [] : ['', ...sums.map((line) => `  ${line}`)]),
    ...(hidesStatus(inventory) ? ['', paint('dim', `  ${HIDDEN}  ${HIDDEN_NOTE}`)] : []),
    ...problemsOf(inventory).flatMap((problem) => ['', ...problemLines(problem, options, '  ')]),
    ...(next.length === 0 ? [] : ['', ...next.map((line) => `  ${line}`)]),
  ];
  return `${all.join('\n')}\n`;
}

export function renderListMarkdown(inventory: Inventory): string {
  const { environment, summary, campaigns } = inventory;
  const columns = columnsOf(inventory, Number.POSITIVE_INFINITY);
  const rows = campaigns.map((entry) => columns.map((column) => markdownCell(entry, column)));
  const sums = [totalsLine(inventory), volumeLine(inventory.volume)].filter(Boolean);
  const lines = [
    `### Campaigns of ${code(environment)}: ${countsLine(summary)}`,
    '',
    ...(campaigns.length === 0 ? [] : [markdownTable(tableOf(columns, rows)), '']),
    ...sums.flatMap((line) => [line, '']),
    ...(hidesStatus(inventory) ? [`${HIDDEN}: ${HIDDEN_NOTE}.`, ''] : []),
    ...problemsOf(inventory).flatMap((problem) => [
      `> ⚠ ${prose(`${problem.message} ${problem.hint}`.trim())}`,
      '',
    ]),
    ...nextSteps(inventory).map(([command, does]) => `- ${code(command)} ${does}`),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

/** Foreign words are code. */
function markdownCell(entry: InventoryEntry, column: Column): string {
  const cell = column.cell(entry);
  const isForeign =
    column === NAME ||
    (column === WORD && entry.live_status !== null) ||
    (column === MANIFEST && entry.manifest !== null);
  return isForeign ? cellCode(cell) : prose(cell);
}

/** A dash without a campaign, a question mark if not shown. */
function statusWord({ status, id, live_status }: InventoryEntry): string {
  return live_status ?? (id === null || status === 'missing' ? NONE : HIDDEN);
}

function hidesStatus({ campaigns }: Inventory): boolean {
  return campaigns.some((entry) => statusWord(entry) === HIDDEN);
}

/** Sums over several inventories. */
export function listTotals(inventories: readonly Inventory[]): string {
  if (inventories.length === 0) return '';
  const counted = countsLine(summed(inventories.map(({ summary }) => summary)));
  const results = totalsLine({ totals: sumResults(inventories.map(({ totals }) => totals)) });
  return [counted, results].filter(Boolean).join(' · ');
}

/** By folder, with totals first. */
export function renderListsMarkdown(parts: readonly ProjectPart<Inventory>[]): string {
  const inventories = parts.flatMap(({ result }) => result ?? []);
  const blocks = parts.map((part) => {
    const { result, failure } = part;
    const body = result === null ? `> ✗ ${prose(failure?.message ?? '')}\n` : renderListMarkdown(result);
    return `## ${code(projectName(part))}\n\n${body}`;
  });
  return [`${listTotals(inventories)}\n`, ...blocks].join('\n');
}

/** "30 campaigns: 12 managed, 18 unmanaged · 1 not created" */
function countsLine(summary: InventorySummary): string {
  const some = (...all: InventoryStatus[]) =>
    counts(...all.map((status) => [summary[status], STATUSES[status][1]] as const));
  const parts = some('managed', 'unmanaged', 'removed', 'outside', 'superseded', 'scratch', 'gone').join(
    ', ',
  );
  const live = `${count(summary.live, 'campaign')}${parts && `: ${parts}`}`;
  return [live, ...some('unclear', 'missing', 'new')].join(' · ');
}

function nextSteps({ environment, summary, campaigns }: Inventory): [command: string, does: string][] {
  const { unmanaged, removed, outside, new: creations } = summary;
  const which =
    unmanaged === 1
      ? 'a manifest for the campaign without one'
      : `manifests for the ${thousands(unmanaged)} campaigns without one`;
  const idOf = (wanted: InventoryStatus) =>
    summary[wanted] === 1 ? campaigns.find(({ status }) => status === wanted)?.id : 'ID';
  const steps: [number, string, string][] = [
    [unmanaged, 'import --all', `writes ${which}`],
    [creations, 'plan', 'shows what apply would create'],
    [removed, `forget ${idOf('removed')}`, 'takes a campaign without its manifest out of the state'],
    [
      outside,
      `forget ${idOf('outside')}`,
      `takes a campaign whose manifest is not among those of ${environment} out of the state`,
    ],
  ];
  return steps.flatMap(([number, command, does]) =>
    number > 0 ? [[`campaignctl ${command} --env ${environment}`, does]] : [],
  );
}

/** Each problem once. */
function problemsOf(inventory: Inventory): Problem[] {
  return groupProblems(inventory).flatMap(({ code, severity, sayings }) =>
    sayings.map(({ message, hint, campaigns }) => {
      const names = isPolicy(code) ? `${listed(campaigns.map(({ name }) => name))}: ` : '';
      return { code, severity, message: `${names}${message}`, hint };
    }),
  );
}

/** Messages of policies do not name the campaign. */
function isPolicy(code: string): boolean {
  return code.startsWith('policy/');
}
