import { groupBy } from '../model/json.js';
import type {
  ApplyResult,
  CampaignOutcome,
  History,
  HistoryRun,
  RunResult,
  StepResult,
} from '../model/reports.js';
import type { Run, RunStep } from '../model/state.js';
import { count, listed, shortCommit } from '../model/words.js';
import { viewByHand } from './by-hand.js';
import { byHandText } from './document-text.js';
import { changeLines } from './plan-text.js';
import { problemLines } from './problems.js';
import { type Colour, type Column, type TextOptions, tableLines, visibleLine } from './terminal.js';
import { counts, hanging, wrap } from './words.js';

const STEPS: Record<StepResult, [Colour, string, string]> = {
  done: ['green', '✓', ''],
  failed: ['red', '✗', 'failed'],
  in_doubt: ['magenta', '?', 'in doubt'],
  not_run: ['dim', '·', 'not run'],
};

/** Minimum number of campaigns for which finished ones are shown on one line each. */
const MIN_BRIEF = 20;

/** If there are many campaigns, shows finished ones on one line each, then failed ones, then those without a request. */
export function renderApplyText(result: ApplyResult, options: TextOptions): string {
  const { campaigns, environment } = result;
  const idle = campaigns.filter(isIdle);
  const isBrief = (campaign: CampaignOutcome) => campaigns.length >= MIN_BRIEF && campaign.result === 'done';
  const done = campaigns.filter(isBrief);
  const blocks = campaigns
    .filter((campaign) => !isBrief(campaign) && !isIdle(campaign))
    .flatMap((campaign) => ['', ...campaignLines(campaign, options)]);
  const [first = '', ...rest] = closing(result, idle.length, options);
  const lines = [
    options.paint('bold', `Apply to ${environment}`),
    ...(done.length === 0 ? [] : ['', ...done.map((campaign) => briefLine(campaign, options))]),
    ...blocks,
    ...idleLines(idle, options),
    '',
    first,
    ...noteLines(done, options),
    ...rest,
    ...byHandText(
      viewByHand(result.by_hand, () => `--env ${environment}`),
      options,
    ),
  ];
  return `${lines.join('\n')}\n`;
}

function isIdle({ steps }: CampaignOutcome): boolean {
  return steps.length > 0 && steps.every((step) => step.result === 'not_run');
}

function idleLines(idle: readonly CampaignOutcome[], { paint, width }: TextOptions): string[] {
  if (idle.length === 0) return [];
  const names = listed(idle.map(({ name }) => visibleLine(name)));
  const text = `· ${count(idle.length, 'campaign')} not run (no request was sent): ${names}`;
  return ['', ...hanging(text, width - 2).map((line) => paint('dim', line))];
}

function noteLines(done: readonly CampaignOutcome[], { width }: TextOptions): string[] {
  const notes = done.flatMap(({ name, steps }) =>
    [...new Set(steps.flatMap(({ detail }) => detail?.split('; ') ?? []))].map((note) => ({ name, note })),
  );
  return [...groupBy(notes, ({ note }) => note)].flatMap(([note, holders]) => {
    const names = holders.map(({ name }) => visibleLine(name));
    return hanging(`${listed(names, MAX_NAMED)}: ${visibleLine(note)}.`, width);
  });
}

const MAX_NAMED = 3;

function briefLine({ name, id, steps }: CampaignOutcome, { paint }: TextOptions): string {
  const launched = steps.some((step) => step.id === 'launch') ? ' · launched' : '';
  // Excludes the read-back, as the plan does.
  const sent = steps.filter(({ method }) => method !== 'GET').length;
  const about = `${id === null ? '' : `id ${id} · `}${count(sent, 'request')}${launched}`;
  return `${paint('green', '✓')} ${visibleLine(name)}  ${paint('dim', about)}`;
}

function campaignLines(campaign: CampaignOutcome, options: TextOptions): string[] {
  const { result, name, id, manifest, steps, remaining } = campaign;
  const { paint } = options;
  const sign = result === 'done' ? paint('green', '✓') : paint('red', '✗');
  const where = `${id === null ? '' : `id ${id} · `}${visibleLine(manifest)}`;
  const remainingHead = `    ${paint('red', 'Still different from the manifest:')}`;
  return [
    `${sign} ${paint('bold', visibleLine(name))}  ${paint('dim', where)}`,
    ...steps
      .filter((step) => step.result !== 'not_run')
      .flatMap((step) => [
        `    ${signed(step.result, step.title, options)}`,
        ...detailLines(step.detail, options),
      ]),
    ...unsentLines(steps, options),
    ...(remaining.length === 0 ? [] : [remainingHead, ...changeLines(remaining, options)]),
  ];
}

function unsentLines(steps: CampaignOutcome['steps'], { paint, width }: TextOptions): string[] {
  const titles = steps.filter(({ result }) => result === 'not_run').map(({ title }) => title);
  if (titles.length === 0) return [];
  const text = `· not run: ${visibleLine(titles.join(', '))}`;
  return hanging(text, width - 6).map((line) => `    ${paint('dim', line)}`);
}

function signed(result: StepResult | null, title: string, { paint }: TextOptions): string {
  const [colour, sign, word] =
    result === null ? (['magenta', '?', 'outcome not recorded'] as const) : STEPS[result];
  return `${paint(colour, sign)} ${visibleLine(title)}${word && `  ${paint(colour, word)}`}`;
}

function detailLines(detail: string | null, { paint, width }: TextOptions): string[] {
  if (detail === null) return [];
  return wrap(visibleLine(detail), width - 8).map((line) => `        ${paint('dim', line)}`);
}

const IN_DOUBT =
  'In doubt: campaignctl sent the request, but the service has not shown whether it took effect. Run plan again: it reads the service first.';
const LEADS_IN_DOUBT =
  "Only the service's web app shows which leads are attached: check there before you allow repeat-attach or no-leads.";
const INCOMPLETE = 'Completed requests are not sent twice. Run plan, review the result, and apply again.';

function closing(
  { summary, campaigns, problems }: ApplyResult,
  idle: number,
  options: TextOptions,
): string[] {
  const { done, incomplete, blocked, unchanged, not_read } = summary;
  const others = counts(
    [incomplete - idle, 'incomplete'],
    [idle, 'not run'],
    [blocked, 'with blocked changes'],
    [unchanged, 'unchanged'],
    [not_read, 'not read'],
  );
  const doubtful = campaigns.flatMap(({ steps }) => steps.filter(({ result }) => result === 'in_doubt'));
  return [
    `${[`${count(done, 'campaign')} done`, ...others].join(', ')}.`,
    ...(doubtful.length > 0 ? [IN_DOUBT] : []),
    ...(doubtful.some(({ id }) => id.startsWith('leads')) ? [LEADS_IN_DOUBT] : []),
    ...(incomplete > 0 && doubtful.length === 0 ? [INCOMPLETE] : []),
    ...problems.flatMap((problem) => problemLines(problem, options, '')),
  ];
}

const RESULTS: Record<RunResult, [Colour, string]> = {
  done: ['green', 'done'],
  incomplete: ['red', 'incomplete'],
  interrupted: ['yellow', 'interrupted'],
  died: ['red', 'never finished'],
};

const RUN_COLUMNS: readonly Column<Run>[] = [
  { head: 'run', cell: ({ run }) => run, least: 16 },
  { head: 'when', cell: ({ at }) => clock(at).replace(/:\d\dZ$/, 'Z') },
  { head: 'command', cell: ({ command = '-' }) => command },
  { head: 'who', cell: ({ who }) => who, least: 8 },
  { head: 'commit', cell: ({ commit }) => (commit === null ? '-' : shortCommit(commit)) },
  { head: 'requests', cell: ({ steps }) => String(steps.length), isRight: true },
  {
    head: 'result',
    cell: ({ result, pending }) => `${RESULTS[result][1]}${pending ? ', pending' : ''}`,
    colour: ({ result }) => RESULTS[result][0],
  },
];

export function renderRunsText(environment: string, runs: readonly Run[], options: TextOptions): string {
  if (runs.length === 0) return `The state records no runs for ${environment}.\n`;
  const lines = [
    options.paint('bold', `Runs on ${environment}`),
    '',
    ...tableLines({ columns: RUN_COLUMNS, rows: runs }, options),
    ...(runs.some(({ pending }) => pending) ? pendingLines(options) : []),
  ];
  return `${lines.join('\n')}\n`;
}

function pendingLines({ width }: TextOptions): string[] {
  const text =
    'The next plan or apply reads the service to find out whether the pending requests took effect.';
  return ['', ...wrap(text, width)];
}

export function renderRunText(run: Run, options: TextOptions): string {
  const { paint } = options;
  const [colour, word] = RESULTS[run.result];
  const names = [...new Set(run.steps.map(({ name }) => name))];
  const lines = [
    `${paint('bold', run.run)}  ${paint(colour, word)}${run.pending ? paint('magenta', '  pending') : ''}`,
    `  when    ${clock(run.at)}${run.ended === null ? '' : ` to ${clock(run.ended)}`}`,
    `  who     ${visibleLine(run.who)}, campaignctl ${visibleLine(run.tool)}`,
    ...(run.command === undefined ? [] : [`  command ${visibleLine(run.command)}`]),
    `  commit  ${run.commit === null ? 'not known' : visibleLine(run.commit)}${run.checkout === undefined ? '' : `, with ${visibleLine(run.checkout)} checked out`}`,
    `  plan    ${visibleLine(run.fingerprint)}`,
    ...names.flatMap((name) => [
      '',
      paint('bold', visibleLine(name)),
      ...run.steps.filter((step) => step.name === name).flatMap((step) => requestLines(step, options)),
    ]),
    ...(run.pending ? pendingLines(options) : []),
  ];
  return `${lines.join('\n')}\n`;
}

export function reportHistory(environment: string, runs: readonly Run[]): History {
  return { version: 1, environment, runs: runs.map(reportRun) };
}

function reportRun({
  run,
  at,
  ended,
  who,
  commit,
  tool,
  result,
  pending,
  fingerprint,
  ...rest
}: Run): HistoryRun {
  const { command, checkout, steps } = rest;
  return {
    ...{ run, command: command ?? null, at, ended, who, commit },
    ...(checkout === undefined ? {} : { checkout }),
    ...{ tool, result, pending, fingerprint },
    requests: steps.map(({ step: { title, method, path }, ...request }) => {
      const { at, manifest, name, id, result, detail } = request;
      return { at, manifest, name, id, title, method, path, result, detail };
    }),
  };
}

function requestLines({ at, step, id, result, detail }: RunStep, options: TextOptions): string[] {
  const request = `${step.method} ${visibleLine(step.path)}${id === null ? '' : `  id ${id}`}`;
  return [
    `  ${clock(at)}  ${signed(result, step.title, options)}  ${options.paint('dim', request)}`,
    ...detailLines(detail, options),
  ];
}

function clock(at: string): string {
  return visibleLine(at.replace('T', ' ').replace(/\.\d+Z$/, 'Z'));
}
