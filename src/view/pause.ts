/** What `pause` stops, what it has stopped, and the totals over projects. */

import { literalGlob } from '../model/glob.js';
import type { PauseOutcome, PausePlan, PauseResult, RunningCampaign } from '../model/reports.js';
import { shellQuoted, shellWord } from '../model/shell.js';
import { count, listed, thousands } from '../model/words.js';
import { type Document, plainHead } from './document.js';
import { type Lost, lostProblems, unreadLost } from './lost.js';
import { type ProjectPart, projectName, projectsHead, resultsOf } from './projects.js';
import { type Colour, type Column, type TextOptions, tableLines, visibleLine } from './terminal.js';
import { capital, counts, hanging, indented, serviceWords } from './words.js';

interface PauseTextOptions extends TextOptions {
  title: string | null;
}

const COLUMNS: readonly Column<RunningCampaign>[] = [
  { head: 'name', cell: ({ name }) => name, least: 24 },
  { head: 'id', cell: ({ id }) => String(id), isRight: true },
  { head: 'status', cell: ({ status }) => status ?? 'not shown' },
  { head: 'manifest', cell: ({ manifest }) => manifest ?? 'none', isPath: true, least: 12 },
];

export function renderPausePlanText(plan: PausePlan, options: PauseTextOptions): string {
  const { targets, others, apply, idle } = plan;
  const doubts = [...plan.doubts, ...plan.unread];
  const { paint, width, title } = options;
  const service = serviceWords(plan);
  const place =
    title === null
      ? `${plan.environment} (${service})`
      : `${title}${plan.insecure_http ? ` (${service})` : ''}`;
  const isSure = apply === null && doubts.length === 0;
  const head =
    targets.length === 0 && isSure
      ? `Nothing to pause on ${place}`
      : `Sending on ${place}: ${count(targets.length, 'campaign')} to pause`;
  const lines = [
    paint('bold', head),
    ...(targets.length === 0 ? [] : ['', ...tableLines({ columns: COLUMNS, rows: targets }, options)]),
    ...othersLines(others).flatMap((line) => ['', ...indented(line, '  ', width)]),
    ...(idle === 0 || targets.length > 0 ? [] : ['', ...indented(idleLine(idle), '  ', width)]),
    ...(apply === null ? [] : ['', ...indented(applyLine(apply), '  ', width)]),
    ...doubts.flatMap((doubt) => ['', ...indented(`! ${sentence(doubt)}`, '  ', width)]),
    '',
  ];
  return `${lines.join('\n')}\n`;
}

function othersLines(others: readonly RunningCampaign[]): string[] {
  const sending = others.filter(({ status }) => status !== null);
  const unclear = others.filter(({ status }) => status === null);
  return [
    ...othersLine('Still sending because they were not selected', sending),
    ...othersLine(
      'Not selected, and they may be sending, because the list does not show their status',
      unclear,
    ),
  ];
}

function othersLine(what: string, others: readonly RunningCampaign[]): string[] {
  if (others.length === 0) return [];
  const names = listed(others.map(({ name }) => visibleLine(name)));
  const flags = [
    ...(others.some(({ manifest }) => manifest !== null) ? ['--all'] : []),
    ...(others.some(({ manifest }) => manifest === null) ? ['--unmanaged'] : []),
  ];
  return [
    `${what} (${count(others.length, 'campaign')}): ${names}. To pause them too, add ${flags.join(' ')}.`,
  ];
}

function idleLine(idle: number): string {
  return `${count(idle, 'selected campaign')} ${idle === 1 ? 'is' : 'are'} not sending.`;
}

function sentence(text: string): string {
  return `${capital(text).replace(/\.$/, '')}.`;
}

function applyLine(apply: string): string {
  return `An apply is running (${apply}). Selected campaigns that it launches in the next minute are paused too; it does not launch them again.`;
}

const RESULTS: Record<PauseOutcome['result'], [Colour, string, string]> = {
  paused: ['green', '✓', 'paused'],
  refused: ['red', '✗', 'refused'],
  running: ['red', '✗', 'still sending'],
  unknown: ['magenta', '?', 'not known'],
  not_sent: ['red', '✗', 'not sent'],
};

export function renderPauseResultText(result: PauseResult, options: PauseTextOptions): string {
  const { outcomes, note, apply } = result;
  const doubts = [...result.doubts, ...result.unread];
  const { paint, width, title } = options;
  const paused = outcomes.filter((outcome) => outcome.result === 'paused');
  const unknown = outcomes.filter((outcome) => outcome.result === 'unknown').length;
  const failures = outcomes.length - paused.length - unknown;
  const open = [
    ...(failures === 0 ? [] : [`${thousands(failures)} not paused`]),
    ...(unknown === 0 ? [] : [`${thousands(unknown)} not known`]),
  ];
  const sentences = [
    `${count(paused.length, 'campaign')} paused${open.length === 0 ? '' : `, ${open.join(', ')}: run pause again, or pause the rest in the service's web app`}.`,
    ...(apply === null
      ? []
      : [
          `The apply is still running (${apply}) and may launch campaigns: stop it with Ctrl-C, or run pause again.`,
        ]),
    ...(note === null ? [] : [`The state does not record these pauses: ${note}`]),
    ...doubts.map((doubt) => `Not known: ${doubt.replace(/\.$/, '')}.`),
  ];
  const lines = [
    ...(title === null ? [] : [paint('bold', title)]),
    ...outcomes.flatMap(({ name, id, result: word, detail }) => {
      const [colour, sign, words] = RESULTS[word];
      const text = `${sign} ${visibleLine(name)}  id ${id}  ${words}${detail === null ? '' : `: ${visibleLine(detail)}`}`;
      return hanging(text, width).map((line) => paint(colour, line));
    }),
    ...(outcomes.length === 0 ? [] : ['']),
    ...sentences.flatMap((text) => hanging(text, width)),
  ];
  return `${lines.join('\n')}\n`;
}

type PausedIn = Pick<ProjectPart<PauseNumbers>, 'project' | 'environment' | 'result'>;

/** `all`: where `pause` acted, if one command may update the manifests there; otherwise, each project has its own. */
interface KeptOptions extends Pick<TextOptions, 'width'> {
  recursive: boolean;
  all: readonly Pick<PausedIn, 'project' | 'environment'>[] | null;
}

/** How the next apply and the next plan take the stop into account. Empty if no manifest describes a paused campaign. */
export function renderKeptStoppedText(parts: readonly PausedIn[], options: KeptOptions): string {
  const paused = parts.flatMap((part) =>
    (part.result?.outcomes ?? [])
      .filter(({ result, manifest }) => result === 'paused' && manifest !== null)
      .map(({ name, declares }) => ({ ...part, name, declares })),
  );
  if (paused.length === 0) return '';
  const silent = paused.filter(({ declares }) => declares === 'none');
  const names = silent.map((each) =>
    visibleLine(options.recursive ? `${projectName(each)}: ${each.name}` : each.name),
  );
  const commands = importCommands(
    paused.filter(({ declares }) => declares !== 'none'),
    options,
  );
  const [command, ...more] = commands;
  const imports =
    more.length === 0
      ? `run ${command}, which writes status: paused.`
      : 'run these commands, which write status: paused:';
  const sentences = (texts: readonly string[]) => texts.flatMap((text) => hanging(text, options.width));
  const [only = '', ...otherNames] = new Set(paused.map(({ name }) => name));
  const again = otherNames.length > 0 ? '"NAME"' : shellQuoted(literalGlob(visibleLine(only)));
  const lines = [
    ...sentences(command === undefined ? [] : [`To keep paused campaigns stopped, ${imports}`]),
    ...(more.length === 0 ? [] : commands.map((each) => `  ${each}`)),
    ...sentences(names.length === 0 ? [] : [`${NO_STATUS} ${listed(names)}.`]),
    ...sentences([AGAIN.replace('"NAME"', () => again)]),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

const NO_STATUS =
  'If a manifest has no status, no apply launches its campaign, but no plan reports that somebody else launched it. To have that reported, write status: paused in the manifests of:';
const AGAIN = 'To launch a campaign again, write status: running and apply with --allow launch="NAME".';

/** A command for each environment if all projects have it; otherwise, one for each project and environment. */
function importCommands(
  paused: readonly Pick<PausedIn, 'project' | 'environment'>[],
  { all, recursive }: KeptOptions,
): string[] {
  const size = new Set(all?.map(({ project }) => project)).size;
  const commands = paused.map(({ project, environment }) => {
    const isEverywhere = all?.filter((part) => part.environment === environment).length === size;
    const place = isEverywhere ? '--recursive' : `-C ${shellWord(project)}`;
    return `campaignctl import --update --all${recursive ? ` ${place}` : ''} --env ${environment}`;
  });
  return [...new Set(commands)];
}

/** What the totals count. */
export type PauseNumbers = Pick<PauseResult, 'outcomes' | 'idle'>;

/** Ends the report over projects. The campaigns of those without a file cannot be paused from here. */
export function pausesDocument(parts: readonly ProjectPart<PauseNumbers>[], lost: Lost): Document {
  const results = parts.flatMap(({ result }) => result ?? []);
  const gone = lost?.projects ?? [];
  const verdict = [
    pauseTotals(results),
    ...counts([gone.length, `${gone.length === 1 ? 'project' : 'projects'} without a project file`]),
  ];
  return [
    plainHead(projectsHead(parts, 'done'), { verdict: verdict.join(' · '), numbersAt: 'start' }),
    { is: 'results', results: resultsOf(parts, { done: 'done', totals: pauseTotals }) },
    { is: 'problems', problems: lostProblems(lost) },
    ...unreadLost(lost),
  ];
}

export function pauseTotals(results: readonly PauseNumbers[]): string {
  const outcomes = results.flatMap((result) => result.outcomes);
  const paused = outcomes.filter(({ result }) => result === 'paused').length;
  const idle = results.reduce((sum, result) => sum + result.idle, 0);
  return [
    `${count(paused, 'campaign')} paused`,
    ...counts([outcomes.length - paused, 'not paused'], [idle, 'not sending']),
  ].join(', ');
}
