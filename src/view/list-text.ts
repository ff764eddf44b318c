import type { Inventory, InventoryEntry, InventoryStatus } from '../model/inventory.js';
import {
  hidesStatus,
  inventoryLine,
  lastWord,
  nextSteps,
  problemsOf,
  STANDING_WORDS,
  statusWord,
} from './inventory-words.js';
import { problemLines } from './plan-text.js';
import { type Colour, type Column, fitted, type TextOptions, visibleLine } from './terminal.js';
import { wrap } from './words.js';

const COLOURS: Record<InventoryStatus, Colour> = {
  unclear: 'magenta',
  missing: 'red',
  gone: 'red',
  new: 'green',
  unmanaged: 'yellow',
  managed: 'dim',
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

/** Live campaigns beside manifests for a terminal: counts, a table with what needs attention first, why, and what next. */
export function renderListText(inventory: Inventory, options: TextOptions): string {
  const { paint, width } = options;
  const { environment, base_url, summary, campaigns } = inventory;
  const [head = [], ...rows] = fitted(COLUMNS, campaigns.map(row), width - 2);
  const lines = rows.map((shown, at) => {
    const [standing = '', ...rest] = shown;
    const colour = COLOURS[campaigns[at]?.status ?? 'managed'];
    return `  ${[paint(colour, standing), ...rest].join('  ')}`;
  });
  const table = lines.length === 0 ? [] : ['', paint('dim', `  ${head.join('  ')}`), ...lines];
  const hidden = hidesStatus(inventory)
    ? ['', paint('dim', '  ?  the list of the service does not show the status')]
    : [];
  const problems = problemsOf(inventory).flatMap((problem) => ['', ...problemLines(problem, options, '  ')]);
  const next = nextSteps(inventory).flatMap(([command, does]) =>
    wrap(`→ ${command} ${does}`, width - 4).map((line, at) => `  ${at === 0 ? '' : '  '}${line}`),
  );
  const all = [
    paint('bold', `Campaigns of ${environment} (${visibleLine(base_url)})`),
    '',
    `  ${inventoryLine(summary)}`,
    ...table,
    ...hidden,
    ...problems,
    ...(next.length === 0 ? [] : ['', ...next]),
  ];
  return `${all.join('\n')}\n`;
}

function row(entry: InventoryEntry): string[] {
  const { status, name, id, manifest } = entry;
  const cells = [
    STANDING_WORDS[status],
    name,
    id === null ? '—' : String(id),
    statusWord(entry),
    manifest ?? '—',
    lastWord(entry),
  ];
  return cells.map(visibleLine);
}
