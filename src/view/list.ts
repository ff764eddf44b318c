import type { Inventory, InventoryEntry, InventoryStatus, InventorySummary } from '../model/outputs.js';
import type { Problem } from '../model/problem.js';
import { cellCode, code, prose } from './markdown.js';
import { problemLines } from './plan-text.js';
import { type Colour, type Column, fitted, type TextOptions, visibleLine } from './terminal.js';
import { count, thousands, wrap } from './words.js';

const STATUSES: Record<InventoryStatus, [Colour, string]> = {
  unclear: ['magenta', 'unclear'],
  missing: ['red', 'missing'],
  gone: ['red', 'gone'],
  new: ['green', 'no campaign'],
  unmanaged: ['yellow', 'not managed'],
  managed: ['dim', 'managed'],
};

const COLUMNS: readonly Column[] = [
  { head: '' },
  {
    head: 'name',
    shrink: [
      { turn: 2, least: 24 },
      { turn: 5, least: 12 },
    ],
  },
  { head: 'id', right: true },
  { head: 'status', shrink: [{ turn: 3, least: 9 }] },
  {
    head: 'manifest',
    cut: 'start',
    shrink: [
      { turn: 1, least: 18 },
      { turn: 4, least: 10 },
    ],
  },
  { head: 'last apply', shrink: [{ turn: 6, least: 10 }] },
];

const NONE = '—';
const HIDDEN = '?';
const HIDDEN_NOTE = 'the list of the service does not show the status';

/** Live campaigns beside manifests for a terminal: counts, a table with what needs attention first, why, and what next. */
export function renderListText(inventory: Inventory, options: TextOptions): string {
  const { paint, width } = options;
  const { environment, base_url, summary, campaigns } = inventory;
  const rows = campaigns.map((entry) => cellsOf(entry).map(visibleLine));
  const [head = [], ...shown] = fitted(COLUMNS, rows, width - 2);
  const table = shown.map(([status = '', ...rest], at) => {
    const [colour] = STATUSES[campaigns[at]?.status ?? 'managed'];
    return `  ${[paint(colour, status), ...rest].join('  ')}`;
  });
  const next = nextSteps(inventory).flatMap(([command, does]) =>
    wrap(`→ ${command} ${does}`, width - 4).map((line, at) => `  ${at === 0 ? '' : '  '}${line}`),
  );
  const all = [
    paint('bold', `Campaigns of ${environment} (${visibleLine(base_url)})`),
    '',
    `  ${countsLine(summary)}`,
    ...(table.length === 0 ? [] : ['', paint('dim', `  ${head.join('  ')}`), ...table]),
    ...(hidesStatus(inventory) ? ['', paint('dim', `  ${HIDDEN}  ${HIDDEN_NOTE}`)] : []),
    ...problemsOf(inventory).flatMap((problem) => ['', ...problemLines(problem, options, '  ')]),
    ...(next.length === 0 ? [] : ['', ...next]),
  ];
  return `${all.join('\n')}\n`;
}

/** The same as a table of Markdown. */
export function renderListMarkdown(inventory: Inventory): string {
  const { environment, summary, campaigns } = inventory;
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const table = [
    line(COLUMNS.map(({ head }) => head)),
    line(COLUMNS.map(({ right }) => (right ? '--:' : '---'))),
    ...campaigns.map((entry) => line(markdownCells(entry))),
  ];
  const lines = [
    `### Campaigns of ${code(environment)}: ${countsLine(summary)}`,
    '',
    ...(campaigns.length === 0 ? [] : [...table, '']),
    ...(hidesStatus(inventory) ? [`${HIDDEN}: ${HIDDEN_NOTE}.`, ''] : []),
    ...problemsOf(inventory).flatMap(({ message, hint }) => [
      `> ⚠ ${prose(`${message} ${hint}`.trim())}`,
      '',
    ]),
    ...nextSteps(inventory).map(([command, does]) => `- ${code(command)} ${does}`),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

/** Names, words of the service and files are code; our own words are not. */
function markdownCells(entry: InventoryEntry): string[] {
  const [status = '', name = '', id = '', word = '', manifest = '', last = ''] = cellsOf(entry);
  return [
    status,
    cellCode(name),
    id,
    entry.live_status === null ? word : cellCode(word),
    entry.manifest === null ? manifest : cellCode(manifest),
    prose(last),
  ];
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

/** "30 campaigns: 12 managed, 18 not managed · 1 manifest without campaign". */
function countsLine(summary: InventorySummary): string {
  const { live, managed, unmanaged, gone, new: made, missing, unclear } = summary;
  const parts = [
    ...(managed > 0 ? [`${thousands(managed)} managed`] : []),
    ...(unmanaged > 0 ? [`${thousands(unmanaged)} not managed`] : []),
    ...(gone > 0 ? [`${thousands(gone)} gone`] : []),
  ];
  return [
    `${count(live, 'campaign')}${parts.length > 0 ? `: ${parts.join(', ')}` : ''}`,
    ...(unclear > 0 ? [`${thousands(unclear)} unclear`] : []),
    ...(missing > 0 ? [`${thousands(missing)} missing`] : []),
    ...(made > 0 ? [`${count(made, 'manifest')} without campaign`] : []),
  ].join(' · ');
}

/** What a reader may do next, as command and what it does. */
function nextSteps({ environment, summary }: Inventory): [command: string, does: string][] {
  const { unmanaged, new: made } = summary;
  const which = unmanaged === 1 ? 'a manifest for the one' : `manifests for the ${thousands(unmanaged)}`;
  const steps: [number, string, string][] = [
    [unmanaged, 'import --all', `writes ${which} not managed`],
    [made, 'plan', 'shows what would be made'],
  ];
  return steps.flatMap(([number, command, does]) =>
    number > 0 ? [[`campaignctl ${command} --env ${environment}`, does]] : [],
  );
}

/** Each problem once, whichever entries it concerns. */
function problemsOf({ campaigns }: Inventory): Problem[] {
  const all = campaigns.flatMap(({ problems }) => problems);
  return [...new Map(all.map((problem) => [problem.message, problem])).values()];
}
