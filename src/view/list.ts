/** Live campaigns next to their manifests: of one environment, or of many projects in one table. */

import { areOfSandbox, isOfSandbox } from '../model/environment.js';
import { launchArgument } from '../model/hold.js';
import type { Problem } from '../model/outputs.js';
import { groupProblems } from '../model/problem-groups.js';
import type {
  Inventory,
  InventoryEntry,
  InventoryStatus,
  InventorySummary,
  Results,
} from '../model/reports.js';
import { bounceRate, leadsLeft, replyRate, sumResults } from '../model/results.js';
import { capWords, isOverCapacity, unclearWords, volumeLine } from '../model/volume.js';
import { count, dayOf, listed, percent, thousands } from '../model/words.js';
import {
  type Cell,
  type Document,
  type DocumentColumn,
  type Fact,
  paragraph,
  plainHead,
  problemsBlock,
} from './document.js';
import { type Lost, lostProblems, unreadLost } from './lost.js';
import { placedCommands } from './placed.js';
import { markOf } from './plan-document.js';
import { failuresBlock, namesOf, type ProjectPart, projectsHead } from './projects.js';
import { counts, serviceWords, summed } from './words.js';

const STATUSES: Record<InventoryStatus, Fact> = {
  unclear: { look: 'launch', words: 'unclear' },
  missing: { look: 'blocked', words: 'missing' },
  gone: { look: 'blocked', words: 'gone' },
  removed: { look: 'blocked', words: 'removed' },
  outside: { look: 'changed', words: 'outside' },
  superseded: { look: 'quiet', words: 'replaced' },
  new: { look: 'new', words: 'not created' },
  unmanaged: { look: 'changed', words: 'unmanaged' },
  managed: { look: 'quiet', words: 'managed' },
};

const NONE = '—';
const HIDDEN = '?';
const SET = '*';

interface ListColumn extends DocumentColumn {
  cell(entry: InventoryEntry): Cell;
}

/** On a narrow terminal, the results stay: first the manifests go, then ids and kinds, and then names are cut. */
const START: readonly ListColumn[] = [
  { head: '', cell: ({ status }) => STATUSES[status], drop: 2 },
  { head: 'name', cell: ({ name }) => name, least: 16, isName: true },
  { head: 'id', cell: ({ id }) => (id === null ? NONE : String(id)), isRight: true, drop: 3 },
  { head: 'status', cell: statusWord, least: 9, drop: 1 },
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
  { head: 'manifest', cell: ({ manifest }) => manifest ?? NONE, isPath: true, least: 18, drop: 4 },
  {
    head: 'last apply',
    cell: ({ last }) =>
      last === null ? NONE : `${dayOf(last.at)}${last.how === 'import' ? ' (import)' : ''}`,
    drop: 4,
  },
];

function columnsOf({ campaigns }: Inventory): readonly ListColumn[] {
  const hasResults = campaigns.some(({ results }) => Object.values(results).some((value) => value !== null));
  const caps = campaigns.some(({ cap }) => cap !== null) ? [CAP] : [];
  // Without results, the ids are what a narrow terminal has room for.
  const start = hasResults ? START : START.map(({ drop: _, ...column }) => column);
  return [...start, ...(hasResults ? RESULTS : []), ...caps, ...MANIFEST];
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

export function listDocument(inventory: Inventory): Document {
  const { environment, summary, campaigns } = inventory;
  const columns = columnsOf(inventory);
  return [
    plainHead('Campaigns of', {
      ...{ subject: environment, service: serviceWords(inventory), verdict: countsLine(summary) },
      ...{ isInsecure: inventory.insecure_http === true, mark: markOf(isOfSandbox(inventory)) },
      numbersAt: 'start',
    }),
    {
      ...{ is: 'table', id: 'list', title: 'Campaigns', number: campaigns.length, columns },
      ...{ rows: campaigns.map((entry) => columns.map(({ cell }) => cell(entry))), isRepeated: false },
    },
    ...paragraph(sumLines(inventory)),
    ...problemsBlock(problemsOf(inventory)),
    ...paragraph(nextSteps(inventory)),
  ];
}

interface ProjectColumn extends DocumentColumn {
  cell(part: ProjectPart<Inventory>): Cell;
}

const ofResult =
  (say: (inventory: Inventory) => Cell) =>
  ({ result }: ProjectPart<Inventory>): Cell =>
    result === null ? '–' : say(result);

const MARK_COLUMN: ProjectColumn = { head: '', cell: markCell };

const PROJECT_COLUMNS: readonly ProjectColumn[] = [
  { head: 'running', cell: ofResult(runningCell), isRight: true },
  { head: 'a day', cell: ofResult(capacityCell), isRight: true },
  { head: 'sent', cell: ofResult(({ totals }) => numberCell(totals.sent)), isRight: true },
  {
    head: 'replies',
    cell: ofResult(({ totals }) => rateCell(totals.replies, replyRate(totals))),
    isRight: true,
  },
  {
    head: 'bounces',
    cell: ofResult(({ totals }) => rateCell(totals.bounced, bounceRate(totals))),
    isRight: true,
  },
  { head: 'left', cell: ofResult(({ totals }) => numberCell(leadsLeft(totals))), isRight: true },
  {
    head: 'problems',
    cell: ({ result }) => String(result === null ? 1 : problemsOf(result).length),
    isRight: true,
  },
];

function markCell({ result }: ProjectPart<Inventory>): Fact {
  if (result === null) return { look: 'blocked', words: '✗' };
  return problemsOf(result).length > 0 ? { look: 'changed', words: '!' } : { look: 'new', words: '✓' };
}

function runningCell({ volume, campaigns }: Inventory): Cell {
  return atLeast(volume.running, { isPartial: hiddenIn(campaigns) > 0, isUnknown: volume.running === 0 });
}

/** "640 of 800": the daily caps of what runs, and the capacity. */
function capacityCell({ volume, campaigns }: Inventory): Cell {
  const { cap, unlimited, not_shown, running, capacity } = volume;
  const isPartial = not_shown > 0 || hiddenIn(campaigns) > 0;
  const sum = unlimited > 0 ? 'no cap' : atLeast(cap, { isPartial, isUnknown: not_shown === running });
  const words = capacity === null ? sum : `${sum} of ${thousands(capacity)}`;
  return isOverCapacity(volume) ? { look: 'changed', words } : words;
}

/** Those that need a person first: what could not be listed, then what has most problems. */
export function sortedByNeed<Part extends Pick<ProjectPart<Inventory>, 'result'>>(
  parts: readonly Part[],
): Part[] {
  const need = ({ result }: Part) => (result === null ? Number.POSITIVE_INFINITY : problemsOf(result).length);
  return parts.toSorted((a, b) => (need(a) === need(b) ? 0 : need(b) - need(a)));
}

/** "≥ 120", or a question mark if none of it is known. */
function atLeast(
  number: number,
  { isPartial, isUnknown }: { isPartial: boolean; isUnknown: boolean },
): string {
  if (!isPartial) return thousands(number);
  return isUnknown ? HIDDEN : `≥ ${thousands(number)}`;
}

/** The number of campaigns that may be sending, because the list does not show their status. */
function hiddenIn(campaigns: readonly InventoryEntry[]): number {
  return campaigns.filter((entry) => statusWord(entry) === HIDDEN).length;
}

/** One table over projects, in their order, and then what is wrong in each. */
export function listsDocument(parts: readonly ProjectPart<Inventory>[], lost: Lost = null): Document {
  const inventories = parts.flatMap(({ result }) => result ?? []);
  const gone = lost?.projects ?? [];
  const { common, nameOf } = namesOf([...parts, ...gone]);
  const name: ProjectColumn = { head: 'project', cell: nameOf, isName: true, least: 16 };
  const columns = [MARK_COLUMN, name, ...PROJECT_COLUMNS];
  const rows = parts.map((part) => columns.map(({ cell }) => cell(part)));
  const failed = parts.filter(({ result }) => result === null).length;
  // A project without a file has a row, because its campaigns may still send.
  const goneRows = gone.map((project) => lostRow(nameOf(project), columns));
  const allRows = [...rows.slice(0, failed), ...goneRows, ...rows.slice(failed)];
  const problems = parts.flatMap((part) =>
    part.result === null
      ? []
      : problemsOf(part.result, part.project).map((problem) => ({
          ...problem,
          message: `${nameOf(part)}: ${problem.message}`,
        })),
  );
  const insecure = parts.filter(({ result }) => result?.insecure_http === true).map(nameOf);
  const verdict = [
    insecure.length === 0 ? '' : `insecure http: ${listed(insecure, 3)}`,
    listTotals(inventories),
    ...counts([gone.length, `${gone.length === 1 ? 'project' : 'projects'} without a project file`]),
  ]
    .filter(Boolean)
    .join(' · ');
  return [
    plainHead(`${projectsHead(parts, 'listed')}${common === null ? '' : ` for ${common}`}`, {
      ...{ mark: markOf(areOfSandbox(inventories)), verdict: verdict || null, numbersAt: 'start' },
    }),
    {
      ...{ is: 'table', id: 'list', title: 'Projects', number: allRows.length, columns, rows: allRows },
      isRepeated: false,
    },
    ...failuresBlock(parts, 'a list, left out of all numbers', nameOf),
    ...problemsBlock([...lostProblems(lost, nameOf), ...problems]),
    ...unreadLost(lost),
  ];
}

function lostRow(name: string, columns: readonly ProjectColumn[]): Cell[] {
  const cells: Record<string, Cell> = { '': { look: 'changed', words: '!' }, project: name, problems: '1' };
  return columns.map(({ head }) => cells[head] ?? '–');
}

function listTotals(inventories: readonly Inventory[]): string {
  if (inventories.length === 0) return '';
  const counted = countsLine(summed(inventories.map(({ summary }) => summary)));
  const results = totalsLine(sumResults(inventories.map(({ totals }) => totals)));
  const { capacity: _, ...numbers } = summed(inventories.map(({ volume }) => volume));
  const volume = { ...numbers, capacity: null };
  const together = volume.running === 0 ? '' : `, together ${capWords(volume)}`;
  const unclear = hiddenIn(inventories.flatMap(({ campaigns }) => campaigns));
  const running = `${thousands(volume.running)} running${together}${unclearWords({ unclear })}`;
  return [counted, running, results].filter(Boolean).join(' · ');
}

function countsLine(summary: InventorySummary): string {
  const some = (...all: InventoryStatus[]) =>
    counts(...all.map((status) => [summary[status], STATUSES[status].words] as const));
  const parts = some('managed', 'unmanaged', 'removed', 'outside', 'superseded', 'gone');
  const live = `${count(summary.live, 'campaign')}${parts.length === 0 ? '' : `: ${parts.join(', ')}`}`;
  return [live, ...some('unclear', 'missing', 'new')].join(' · ');
}

function sumLines({ totals, volume, campaigns }: Inventory): string[] {
  const unclear = hiddenIn(campaigns);
  const running = volumeLine(volume) || (unclear > 0 ? `${count(0, 'campaign')} running` : '');
  const isSet = campaigns.some(({ status_basis }) => status_basis === 'set');
  const notes = [
    isSet ? `${SET}: as campaignctl last set it; the service's list does not show the status.` : '',
    unclear > 0 ? `${HIDDEN}: the service's list does not show the status.` : '',
  ];
  return [totalsLine(totals), `${running}${unclearWords({ unclear })}`, ...notes].filter(Boolean);
}

/** Empty if the totals are unknown. */
function totalsLine(totals: Results): string {
  const parts = [
    [totals.sent, 'sent', null],
    [totals.replies, 'replies', replyRate(totals)],
    [totals.bounced, 'bounces', bounceRate(totals)],
    [leadsLeft(totals), 'leads left', null],
  ] as const;
  return parts
    .filter(([value]) => value !== null)
    .map(
      ([value, words, rate]) => `${numberCell(value)} ${words}${rate === null ? '' : ` (${percent(rate)})`}`,
    )
    .join(' · ');
}

const NEXT: readonly [status: InventoryStatus, command: string, does: string][] = [
  ['unmanaged', 'import --all', 'writes manifests for campaigns without one'],
  ['new', 'plan', 'shows what apply would create'],
];

function nextSteps({ environment, summary }: Inventory): string[] {
  return NEXT.flatMap(([status, command, does]) =>
    summary[status] > 0 ? [`→ campaignctl ${command} --env ${environment} ${does}`] : [],
  );
}

/** Lists each problem once. Some messages do not name the campaign. `project`: its folder, for commands. */
function problemsOf(inventory: Inventory, project = '.'): Problem[] {
  const { environment } = inventory;
  return groupProblems(inventory).flatMap(({ code, severity, messages }) =>
    messages.map(({ message, hint, campaigns }) => {
      const names =
        code.startsWith('policy/') || code === 'launch-held'
          ? `${listed(campaigns.map(({ name }) => name))}: `
          : '';
      const launches = campaigns.map(({ name }) => `--allow ${launchArgument(name)}`).join(' ');
      const named = hint.replace('--allow launch="NAME"', () => launches);
      const place = (text: string) => placedCommands(text, project, { environment });
      return { code, severity, message: `${names}${place(message)}`, hint: place(named) };
    }),
  );
}
