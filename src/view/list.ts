import type { Problem } from '../model/outputs.js';
import {
  groupProblems,
  type Inventory,
  type InventoryEntry,
  type InventoryStatus,
  type InventorySummary,
} from '../model/outputs.js';
import { count, thousands } from '../model/words.js';
import { cellCode, code, markdownTable, prose } from './markdown.js';
import { problemLines } from './problems.js';
import { type Colour, type TextOptions, tableLines, visibleLine } from './terminal.js';
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

const COLUMNS = {
  heads: ['', 'name', 'id', 'status', 'manifest', 'last apply'],
  right: [2],
  path: 4,
  shrink: [
    [4, 18],
    [1, 24],
    [3, 9],
    [4, 10],
    [1, 12],
    [5, 10],
  ],
} as const;

const NONE = '—';
const HIDDEN = '?';
const HIDDEN_NOTE = 'the list of the service does not show the status';

/** Live campaigns beside manifests for a terminal: counts, a table with what needs attention first, why, and what next. */
export function renderListText(inventory: Inventory, options: TextOptions): string {
  const { paint, width } = options;
  const { environment, base_url, summary, campaigns } = inventory;
  const look = (cell: string, at: number, column: number) =>
    column === 0 ? paint(STATUSES[campaigns[at]?.status ?? 'managed'][0], cell) : cell;
  const table = tableLines({ ...COLUMNS, rows: campaigns.map(cellsOf) }, options, look);
  const next = nextSteps(inventory).flatMap(([command, does]) => hanging(`→ ${command} ${does}`, width - 4));
  const all = [
    paint('bold', `Campaigns of ${environment} (${visibleLine(base_url)})`),
    '',
    `  ${countsLine(summary)}`,
    ...(campaigns.length === 0 ? [] : ['', ...table]),
    ...(hidesStatus(inventory) ? ['', paint('dim', `  ${HIDDEN}  ${HIDDEN_NOTE}`)] : []),
    ...problemsOf(inventory).flatMap((problem) => ['', ...problemLines(problem, options, '  ')]),
    ...(next.length === 0 ? [] : ['', ...next.map((line) => `  ${line}`)]),
  ];
  return `${all.join('\n')}\n`;
}

/** The same as a table of Markdown. */
export function renderListMarkdown(inventory: Inventory): string {
  const { environment, summary, campaigns } = inventory;
  const lines = [
    `### Campaigns of ${code(environment)}: ${countsLine(summary)}`,
    '',
    ...(campaigns.length === 0
      ? []
      : [markdownTable({ ...COLUMNS, rows: campaigns.map(markdownCells) }), '']),
    ...(hidesStatus(inventory) ? [`${HIDDEN}: ${HIDDEN_NOTE}.`, ''] : []),
    ...problemsOf(inventory).flatMap((one) => [`> ⚠ ${prose(`${one.message} ${one.hint}`.trim())}`, '']),
    ...nextSteps(inventory).map(([command, does]) => `- ${code(command)} ${does}`),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

/** Names, words of the service and files are code; our own words are not. */
function markdownCells(entry: InventoryEntry): string[] {
  const [status = '', name = '', id = '', word = '', manifest = '', last = ''] = cellsOf(entry);
  const shown = entry.live_status === null ? word : cellCode(word);
  const file = entry.manifest === null ? manifest : cellCode(manifest);
  return [status, cellCode(name), id, shown, file, prose(last)];
}

/** In the order of `COLUMNS`. `last apply` is the day on which the campaign was last seen as its manifest said. */
function cellsOf(entry: InventoryEntry): string[] {
  const { status, name, id, manifest, last } = entry;
  return [
    STATUSES[status][1],
    name,
    id === null ? NONE : String(id),
    statusWord(entry),
    manifest ?? NONE,
    last === null ? NONE : `${last.at.slice(0, 10)}${last.how === 'import' ? ' (import)' : ''}`,
  ];
}

/** The service's word; a dash where there is no campaign, a question mark where the list does not show it. */
function statusWord({ status, id, live_status }: InventoryEntry): string {
  return live_status ?? (id === null || status === 'missing' ? NONE : HIDDEN);
}

function hidesStatus({ campaigns }: Inventory): boolean {
  return campaigns.some((entry) => statusWord(entry) === HIDDEN);
}

/** The same over several inventories. */
export function listTotals(inventories: readonly Inventory[]): string {
  return inventories.length === 0 ? '' : countsLine(summed(inventories.map(({ summary }) => summary)));
}

/** "30 campaigns: 12 managed, 18 unmanaged · 1 not created". */
function countsLine(summary: InventorySummary): string {
  const some = (...all: InventoryStatus[]) =>
    counts(...all.map((status) => [summary[status], STATUSES[status][1]] as const));
  const parts = some('managed', 'unmanaged', 'removed', 'outside', 'superseded', 'scratch', 'gone').join(
    ', ',
  );
  const live = `${count(summary.live, 'campaign')}${parts && `: ${parts}`}`;
  return [live, ...some('unclear', 'missing', 'new')].join(' · ');
}

/** What a reader may do next, as command and what it does. */
function nextSteps({ environment, summary, campaigns }: Inventory): [command: string, does: string][] {
  const { unmanaged, removed, outside, new: made } = summary;
  const which =
    unmanaged === 1
      ? 'a manifest for the campaign without one'
      : `manifests for the ${thousands(unmanaged)} campaigns without one`;
  const idOf = (wanted: InventoryStatus) =>
    summary[wanted] === 1 ? campaigns.find(({ status }) => status === wanted)?.id : 'ID';
  const steps: [number, string, string][] = [
    [unmanaged, 'import --all', `writes ${which}`],
    [made, 'plan', 'shows what apply would create'],
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

/** Each problem once, whichever entries it concerns. */
function problemsOf(inventory: Inventory): Problem[] {
  return groupProblems(inventory).flatMap(({ code, severity, sayings }) =>
    sayings.map(({ message, hint }) => ({ code, severity, message, hint })),
  );
}
