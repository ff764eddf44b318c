import { bounceRate, leadsLeft, replyRate, sumResults } from '../model/answer.js';
import { groupProblems, type Problem } from '../model/outputs.js';
import type { Inventory, InventoryEntry, InventoryStatus, InventorySummary } from '../model/reports.js';
import { volumeLine } from '../model/volume.js';
import { count, listed, percent, thousands } from '../model/words.js';
import { code, markdownTable, prose } from './markdown.js';
import { problemLines } from './problems.js';
import { type ProjectPart, projectName } from './projects.js';
import { type Colour, type Column, leastWidth, type TextOptions, tableLines } from './terminal.js';
import { counts, environmentWords, hanging, serviceWords, summed } from './words.js';

const STATUSES: Record<InventoryStatus, [Colour, string]> = {
  unclear: ['magenta', 'unclear'],
  missing: ['red', 'missing'],
  gone: ['red', 'gone'],
  removed: ['red', 'removed'],
  outside: ['yellow', 'outside'],
  superseded: ['dim', 'replaced'],
  new: ['green', 'not created'],
  unmanaged: ['yellow', 'unmanaged'],
  managed: ['dim', 'managed'],
};

const NONE = '—';
const HIDDEN = '?';
const SET = '*';

type ListColumn = Column<InventoryEntry>;

const KIND: ListColumn = {
  head: '',
  cell: ({ status }) => STATUSES[status][1],
  colour: ({ status }) => STATUSES[status][0],
};
const NAME: ListColumn = { head: 'name', cell: ({ name }) => name };
const CUT_NAME: ListColumn = { ...NAME, least: 16 };
const IDENTITY: readonly ListColumn[] = [
  { head: 'id', cell: ({ id }) => (id === null ? NONE : String(id)), isRight: true },
  { head: 'status', cell: statusWord, least: 9 },
];
const RESULTS: readonly ListColumn[] = [
  { head: 'sent', cell: ({ results }) => numberCell(results.sent), isRight: true },
  { head: 'replies', cell: ({ results }) => rateCell(results.replies, replyRate(results)), isRight: true },
  { head: 'bounces', cell: ({ results }) => rateCell(results.bounced, bounceRate(results)), isRight: true },
  { head: 'left', cell: ({ results }) => numberCell(leadsLeft(results)), isRight: true },
];
const CAP: ListColumn = {
  head: 'cap',
  cell: ({ cap }) => (cap === 'unlimited' ? 'none' : numberCell(cap)),
  isRight: true,
};
const MANIFEST: readonly ListColumn[] = [
  { head: 'manifest', cell: ({ manifest }) => manifest ?? NONE, isPath: true, least: 18 },
  {
    head: 'last apply',
    cell: ({ last }) =>
      last === null ? NONE : `${last.at.slice(0, 10)}${last.how === 'import' ? ' (import)' : ''}`,
  },
];

/** As many columns as leave room for whole names. */
function columnsFor({ campaigns }: Inventory, width: number): readonly ListColumn[] {
  const hasResults = campaigns.some(({ results }) => Object.values(results).some((value) => value !== null));
  const caps = campaigns.some(({ cap }) => cap !== null) ? [CAP] : [];
  const numbers = [...(hasResults ? RESULTS : []), ...caps];
  const start = [KIND, NAME, ...IDENTITY];
  const [, STATUS] = IDENTITY;
  // On a narrow terminal, the results stay: first the ids go, then the names are cut.
  const narrow = hasResults ? [...(STATUS === undefined ? [] : [STATUS]), ...numbers] : null;
  const choices = [
    [...start, ...numbers, ...MANIFEST],
    [...start, ...numbers],
    ...(narrow === null
      ? []
      : [
          [KIND, NAME, ...narrow],
          [NAME, ...narrow],
          [CUT_NAME, ...narrow],
          [CUT_NAME, ...numbers],
        ]),
    [...start, ...caps],
    start,
  ];
  return choices.find((columns) => leastWidth(columns, campaigns) <= width) ?? [KIND, ...IDENTITY, NAME];
}

/** The live status; a dash if there is no campaign, and a question mark if the status is unknown. */
function statusWord({ status, id, live_status, status_basis }: InventoryEntry): string {
  if (live_status === null) return id === null || status === 'missing' ? NONE : HIDDEN;
  return status_basis === 'set' ? `${live_status}${SET}` : live_status;
}

/** An unknown number is shown as a dash, never as 0. */
function numberCell(value: number | null): string {
  return value === null ? '–' : thousands(value);
}

function rateCell(value: number | null, rate: number | null): string {
  return `${numberCell(value)}${rate === null ? '' : ` (${percent(rate)})`}`;
}

export function renderListText(inventory: Inventory, options: TextOptions): string {
  const { paint, width } = options;
  const { environment, summary, campaigns } = inventory;
  const next = nextSteps(inventory).flatMap(([command, does]) => hanging(`→ ${command} ${does}`, width - 4));
  const blocks = [
    [`  ${countsLine(summary)}`],
    campaigns.length === 0
      ? []
      : tableLines({ columns: columnsFor(inventory, width), rows: campaigns }, options),
    sumLines(inventory).map((line) => `  ${line}`),
    ...problemsOf(inventory).map((problem) => problemLines(problem, options, '  ')),
    next.map((line) => `  ${line}`),
  ];
  const head = paint('bold', `Campaigns of ${environment} (${serviceWords(inventory)})`);
  const shown = blocks.filter(({ length }) => length > 0).map((lines) => lines.join('\n'));
  return `${[head, ...shown].join('\n\n')}\n`;
}

export function renderListMarkdown(inventory: Inventory): string {
  const { summary, campaigns } = inventory;
  const columns = columnsFor(inventory, Number.POSITIVE_INFINITY);
  const table = {
    heads: columns.map(({ head }) => head),
    right: columns.flatMap(({ isRight }, at) => (isRight ? [at] : [])),
    rows: campaigns.map((entry) => columns.map(({ cell }) => prose(cell(entry)))),
  };
  const blocks = [
    `### Campaigns of ${code(environmentWords(inventory))}: ${countsLine(summary)}`,
    ...(campaigns.length === 0 ? [] : [markdownTable(table)]),
    ...sumLines(inventory),
    ...problemsOf(inventory).map(({ message, hint }) => `> ⚠ ${prose(`${message} ${hint}`.trim())}`),
    nextSteps(inventory)
      .map(([command, does]) => `- ${code(command)} ${does}`)
      .join('\n'),
  ];
  return `${blocks.join('\n\n').trimEnd()}\n`;
}

export function renderListsMarkdown(parts: readonly ProjectPart<Inventory>[]): string {
  const inventories = parts.flatMap(({ result }) => result ?? []);
  const blocks = parts.map((part) => {
    const { result, failure } = part;
    const body = result === null ? `> ✗ ${prose(failure?.message ?? '')}\n` : renderListMarkdown(result);
    return `## ${code(projectName(part))}\n\n${body}`;
  });
  return [`${listTotals(inventories)}\n`, ...blocks].join('\n');
}

export function listTotals(inventories: readonly Inventory[]): string {
  if (inventories.length === 0) return '';
  const counted = countsLine(summed(inventories.map(({ summary }) => summary)));
  const results = totalsLine(sumResults(inventories.map(({ totals }) => totals)));
  return [counted, results].filter(Boolean).join(' · ');
}

function countsLine(summary: InventorySummary): string {
  const some = (...all: InventoryStatus[]) =>
    counts(...all.map((status) => [summary[status], STATUSES[status][1]] as const));
  const parts = some('managed', 'unmanaged', 'removed', 'outside', 'superseded', 'gone');
  const live = `${count(summary.live, 'campaign')}${parts.length === 0 ? '' : `: ${parts.join(', ')}`}`;
  return [live, ...some('unclear', 'missing', 'new')].join(' · ');
}

function sumLines({ totals, volume, campaigns }: Inventory): string[] {
  const hidesStatus = campaigns.some((entry) => statusWord(entry) === HIDDEN);
  const isSet = campaigns.some(({ status_basis }) => status_basis === 'set');
  const notes = [
    isSet ? `${SET}: as campaignctl last set it; the service's list does not show the status.` : '',
    hidesStatus ? `${HIDDEN}: the service's list does not show the status.` : '',
  ];
  return [totalsLine(totals), volumeLine(volume), ...notes].filter(Boolean);
}

/** Empty if the totals are unknown. */
function totalsLine(totals: Inventory['totals']): string {
  const parts = [
    [totals.sent, 'sent', null],
    [totals.replies, 'replies', replyRate(totals)],
    [totals.bounced, 'bounces', bounceRate(totals)],
    [leadsLeft(totals), 'leads left', null],
  ] as const;
  const known = parts.filter(([value]) => value !== null);
  return known
    .map(
      ([value, words, rate]) => `${numberCell(value)} ${words}${rate === null ? '' : ` (${percent(rate)})`}`,
    )
    .join(' · ');
}

const NEXT: readonly [status: InventoryStatus, command: string, does: string][] = [
  ['unmanaged', 'import --all', 'writes manifests for campaigns without one'],
  ['new', 'plan', 'shows what apply would create'],
];

function nextSteps({ environment, summary }: Inventory): [command: string, does: string][] {
  return NEXT.flatMap(([status, command, does]) =>
    summary[status] > 0 ? [[`campaignctl ${command} --env ${environment}`, does]] : [],
  );
}

/** Lists each problem once. Some messages do not name the campaign. */
function problemsOf(inventory: Inventory): Problem[] {
  return groupProblems(inventory).flatMap(({ code, severity, messages }) =>
    messages.map(({ message, hint, campaigns }) => {
      const names =
        code.startsWith('policy/') || code === 'launch-held'
          ? `${listed(campaigns.map(({ name }) => name))}: `
          : '';
      return { code, severity, message: `${names}${message}`, hint };
    }),
  );
}
