/** What applies and earlier runs did. */
import { isOfSandbox } from '../model/environment.js';
import { groupBy } from '../model/json.js';
import {
  type ApplyResult,
  type CampaignOutcome,
  type History,
  type HistoryRun,
  type RunResult,
  type StepOutcome,
  type StepResult,
  stageOf,
} from '../model/reports.js';
import type { Stage } from '../model/sections.js';
import type { Run, RunStep } from '../model/state.js';
import { ATTACH, count, listed, REFUSED, RESUME, shortCommit, thousands } from '../model/words.js';
import { viewByHand } from './by-hand.js';
import { groupSections, viewChanges } from './changes.js';
import {
  type Block,
  type Document,
  type DocumentColumn,
  type Fact,
  type Outcome,
  type OutcomeStep,
  type Part,
  paragraph,
  plainHead,
  problemsBlock,
} from './document.js';
import { type PlacedProject, placedCommands, placedOutcomes } from './placed.js';
import {
  failuresBlock,
  namesOf,
  type ProjectPart,
  projectFlags,
  projectName,
  projectsHead,
  resultsOf,
} from './projects.js';
import { counts, summed } from './words.js';

const STEPS: Record<StepResult, Pick<OutcomeStep, 'look' | 'sign' | 'result'>> = {
  done: { look: 'new', sign: '✓', result: '' },
  failed: { look: 'blocked', sign: '✗', result: 'failed' },
  in_doubt: { look: 'launch', sign: '?', result: 'in doubt' },
  not_run: { look: 'quiet', sign: '·', result: 'not run' },
};
const UNRECORDED = { look: 'launch', sign: '?', result: 'outcome not recorded' } as const;

/** Minimum number of campaigns for which finished ones are shown on one line each. */
const MIN_BRIEF = 20;

export function applyDocument(result: ApplyResult): Document {
  const { campaigns, environment, run } = result;
  const verdict = sumLine(result, campaigns.filter(isIdle).length);
  const about = run === null ? [] : [`Run ${run}`];
  return [
    plainHead('Apply to', { subject: environment, about, verdict, numbersAt: 'end' }),
    ...applyBlocks(result, '', `--env ${environment}`),
  ];
}

/** If there are many campaigns, shows finished ones on one line each, then failed ones, then those without a request. */
function applyBlocks(result: ApplyResult, title: string, place: string): Block[] {
  const { campaigns, problems } = result;
  const idle = campaigns.filter(isIdle);
  const isBrief = (campaign: CampaignOutcome) => campaigns.length >= MIN_BRIEF && campaign.result === 'done';
  const done = campaigns.filter(isBrief);
  const others = campaigns.filter((campaign) => !isBrief(campaign) && !isIdle(campaign));
  const outcomes = [...done.map(briefOutcome), ...others.map(outcomeOf)];
  return [
    ...(outcomes.length === 0 ? [] : [{ is: 'outcomes', title, facts: [], outcomes } satisfies Block]),
    ...paragraph(idleLine(idle)),
    ...paragraph(noteLines(done)),
    ...paragraph(nextLines(result)),
    ...problemsBlock(problems),
    ...tasksBlock(result, place),
  ];
}

function tasksBlock(result: ApplyResult, place: string): Block[] {
  const groups = viewByHand(result.by_hand, () => place, { isApplied: true });
  return groups.length === 0 ? [] : [{ is: 'tasks', groups, isSandbox: isOfSandbox(result) }];
}

/** Applies of several projects. */
export function appliesDocument(parts: readonly ProjectPart<ApplyResult>[]): Document {
  const results = parts.flatMap(({ result }) => result ?? []);
  const verdict = results.length === 0 ? null : appliedTotals(results);
  return [
    plainHead(projectsHead(parts, 'done'), { verdict, numbersAt: 'start' }),
    { is: 'results', results: resultsOf(parts, APPLIED) },
    ...failuresBlock(parts, 'a result'),
    ...parts.flatMap(({ result, ...part }) =>
      result === null ? [] : applyBlocks(placedResult(result, part), projectName(part), projectFlags(part)),
    ),
  ];
}

function placedResult(result: ApplyResult, { project, environment }: PlacedProject): ApplyResult {
  const place = (text: string) => placedCommands(text, project, { environment });
  const problems = result.problems.map((problem) => {
    return { ...problem, message: place(problem.message), hint: place(problem.hint) };
  });
  return { ...placedOutcomes(result, project), problems };
}

export const APPLIED = { done: 'done', totals: appliedTotals, isOpen: isOpenApply };

function appliedTotals(results: readonly ApplyResult[]): string {
  const idle = results.flatMap(({ campaigns }) => campaigns.filter(isIdle)).length;
  const done = sumLine({ summary: summed(results.map(({ summary }) => summary)) }, idle);
  const tasks = results.flatMap(({ by_hand }) => by_hand).length;
  return [done.replace(/\.$/, ''), ...counts([tasks, 'to do by hand'])].join(' · ');
}

/** True if somebody has to do something. */
function isOpenApply({ by_hand }: ApplyResult): boolean {
  return by_hand.length > 0;
}

function isIdle({ steps }: CampaignOutcome): boolean {
  return steps.length > 0 && steps.every((step) => step.result === 'not_run');
}

function idleLine(idle: readonly CampaignOutcome[]): string[] {
  if (idle.length === 0) return [];
  const names = listed(idle.map(({ name }) => name));
  return [`${count(idle.length, 'campaign')} not run (no request was sent): ${names}`];
}

function noteLines(done: readonly CampaignOutcome[]): string[] {
  const notes = done.flatMap(({ name, steps }) =>
    [...new Set(steps.flatMap(({ detail }) => detail?.split('; ') ?? []))].map((note) => ({ name, note })),
  );
  return [...groupBy(notes, ({ note }) => note)].map(([note, holders]) => {
    const names = holders.map(({ name }) => name);
    return `${listed(names, MAX_NAMED)}: ${note}.`;
  });
}

const MAX_NAMED = 3;

function briefOutcome({ name, id, steps }: CampaignOutcome): Outcome {
  const about = `${idWords(id)}${deeds(steps).join(' · ')}`;
  return { mark: '✓', name, about, steps: [], unsent: [], parts: [] };
}

/** What was done to a campaign: "settings", "created", "2 leads", "launched". */
function deeds(steps: readonly StepOutcome[]): string[] {
  const sent = [...groupBy(steps.filter(isRequest), stageOf)];
  const isCreated = sent.some(([stage]) => stage === 'create');
  return sent.flatMap(([stage, [first, ...others]]) => {
    switch (stage) {
      case 'leads':
        return others.length === 0
          ? [first.title.replace(ATTACH, '')]
          : [`leads, ${count(others.length + 1, 'request')}`];
      case 'launch':
        return [first.title === RESUME ? 'resumed' : 'launched'];
      case 'create':
        return ['created'];
      case 'pause':
        return isCreated ? [] : ['paused'];
      case 'sequence':
        return isCreated ? [] : ['emails'];
      default:
        return isCreated || stage === null ? [] : [stage];
    }
  });
}

/** Excludes the read-back, as the plan does. */
function isRequest({ method }: StepOutcome): boolean {
  return method !== 'GET';
}

function idWords(id: number | null): string {
  return id === null ? '' : `id ${id} · `;
}

function outcomeOf({ result, name, id, manifest, steps, remaining }: CampaignOutcome): Outcome {
  const isSent = (step: StepOutcome) => step.result !== 'not_run';
  return {
    ...{ mark: result === 'done' ? '✓' : '✗', name, about: `${idWords(id)}${manifest}` },
    steps: steps
      .filter(isSent)
      .map(({ title, detail, result }) => ({ ...STEPS[result], words: title, detail, at: '', request: '' })),
    unsent: steps.filter((step) => !isSent(step)).map(({ title }) => title),
    parts: groupSections(remaining).map(
      ({ section, changes }): Part => ({
        ...{
          is: 'changes',
          section,
          mark: null,
          compared: '',
          sameAs: null,
          changes: viewChanges(changes),
          isPlain: false,
        },
      }),
    ),
  };
}

const IN_DOUBT =
  'In doubt: campaignctl sent the request, but the service has not shown whether it took effect. Run plan again: it reads the service first.';
const LEADS_IN_DOUBT =
  "Only the service's web app shows which leads are attached: check there before you allow repeat-attach or no-leads.";
const NOT_CORRECTED =
  'Completed requests are not sent twice. What the service refused, it refuses again: correct the cause first, then run plan, review the result, and apply again.';
const INCOMPLETE = 'Completed requests are not sent twice. Run plan, review the result, and apply again.';
const DIFFERENT =
  'All requests were completed, but the service shows other values. Run plan: it shows what is left, and whether apply can change it.';

/** In the words of the plan: first each campaign once, then what people notice. */
function sumLine({ summary }: Pick<ApplyResult, 'summary'>, idle: number): string {
  const { created, changed, incomplete, blocked, unchanged, not_read } = summary;
  const campaigns = counts(
    [created, 'created'],
    [changed, 'changed'],
    [incomplete - idle, 'incomplete'],
    [idle, 'not run'],
    [blocked, 'blocked'],
    [not_read, 'not read'],
  );
  const { launched, resumed, paused, held } = summary;
  const rest = counts(
    [launched, 'launched'],
    [resumed, 'resumed'],
    [paused, 'paused'],
    [held, held === 1 ? 'launch held' : 'launches held'],
  );
  const all = [...campaigns, `${thousands(unchanged)} unchanged`];
  return `${[all.join(', '), ...rest].join(' · ')}.`;
}

function nextLines({ summary, campaigns }: ApplyResult): string[] {
  const incomplete = campaigns.filter(({ result }) => result === 'incomplete');
  const sent = campaigns.flatMap(({ steps }) => steps);
  const doubtful = sent.filter(({ result }) => result === 'in_doubt');
  const isRefused = sent.some(({ detail }) => detail?.startsWith(REFUSED));
  const again = incomplete.every(isOnlyDifferent) ? DIFFERENT : isRefused ? NOT_CORRECTED : INCOMPLETE;
  return [
    ...(doubtful.length > 0 ? [IN_DOUBT] : []),
    ...(doubtful.some((step) => stageOf(step) === 'leads') ? [LEADS_IN_DOUBT] : []),
    ...(summary.incomplete > 0 && doubtful.length === 0 ? [again] : []),
  ];
}

function isOnlyDifferent({ steps, remaining }: CampaignOutcome): boolean {
  return remaining.length > 0 && steps.filter(isRequest).every(({ result }) => result === 'done');
}

const RESULTS: Record<RunResult, Fact> = {
  done: { look: 'new', words: 'done' },
  incomplete: { look: 'blocked', words: 'incomplete' },
  interrupted: { look: 'changed', words: 'interrupted' },
  died: { look: 'blocked', words: 'never finished' },
};

interface RunColumn extends DocumentColumn {
  cell(run: Run): string | Fact;
}

const RUN_COLUMNS: readonly RunColumn[] = [
  { head: 'run', cell: ({ run }) => run, least: 16, isName: true },
  { head: 'when', cell: ({ at }) => clock(at).replace(/:\d\dZ$/, 'Z') },
  { head: 'command', cell: ({ command = '-' }) => command },
  { head: 'who', cell: ({ who }) => who, least: 8, isName: true },
  { head: 'commit', cell: ({ commit }) => (commit === null ? '-' : shortCommit(commit)) },
  { head: 'requests', cell: ({ steps }) => String(steps.length), isRight: true },
  { head: 'result', cell: (run) => withMoves(runResult(run), run) },
];

function runResult({ result, pending }: Run): Fact {
  const { look, words } = RESULTS[result];
  return { look, words: `${words}${pending ? ', pending' : ''}` };
}

/** "done · 2 launched · 1 paused" */
function withMoves({ look, words }: Fact, { steps }: Run): Fact {
  const number = (stage: Stage, isCounted: (result: RunStep['result']) => boolean) =>
    steps.filter(({ step, result }) => step.stage === stage && isCounted(result)).length;
  const isDone = (result: RunStep['result']) => result === 'done';
  const isOpen = (result: RunStep['result']) => result === 'in_doubt' || result === null;
  const moves = counts(
    [number('launch', isDone), 'launched'],
    [number('launch', isOpen), 'may be launched'],
    [number('pause', isDone), 'paused'],
    [number('pause', isOpen), 'may be paused'],
  );
  return { look, words: [words, ...moves].join(' · ') };
}

/** The newest runs of an environment. */
export interface EnvironmentRuns {
  environment: string;
  runs: readonly Run[];
}

/** The last runs of an environment, a line each. */
export function runsDocument(environment: string, runs: readonly Run[]): Document {
  const subject = environment;
  if (runs.length === 0)
    return [plainHead('Runs on', { subject, verdict: `The state records no runs for ${environment}.` })];
  return [
    plainHead('Runs on', { subject }),
    {
      ...{ is: 'table', id: 'runs', title: 'Runs', number: runs.length, columns: RUN_COLUMNS },
      ...{ rows: runs.map((run) => RUN_COLUMNS.map(({ cell }) => cell(run))), isRepeated: false },
    },
    ...pendingNote(runs),
  ];
}

/** Maximum number of runs of all projects together. */
const MAX_TOGETHER = 50;

/** The last runs of several projects in one table, newest first. */
export function historiesDocument(parts: readonly ProjectPart<EnvironmentRuns>[]): Document {
  const { common, nameOf } = namesOf(parts);
  const all = parts.flatMap((part) => part.result?.runs.map((run) => ({ run, name: nameOf(part) })) ?? []);
  const newest = [...all].sort((a, b) => (a.run.at < b.run.at ? 1 : -1)).slice(0, MAX_TOGETHER);
  const [, ...others] = RUN_COLUMNS;
  const columns: DocumentColumn[] = [
    { head: 'project', least: 16, isName: true },
    ...others.map((column) => (column.head === 'requests' ? { ...column, drop: 1 } : column)),
    { head: 'run', drop: 2 },
  ];
  const without = parts.filter(({ result }) => result?.runs.length === 0).map(nameOf);
  const older = all.length - newest.length;
  const notes = [
    without.length === 0 ? '' : `No runs are recorded for ${listed(without)}.`,
    older === 0 ? '' : `${count(older, 'older run')} not shown.`,
  ].filter(Boolean);
  return [
    plainHead(`Runs on ${common === null ? '' : `${common} in `}${projectsHead(parts, 'read')}`),
    ...(newest.length === 0
      ? []
      : [
          {
            ...{ is: 'table', id: 'runs', title: 'Runs', number: newest.length, columns, isRepeated: false },
            rows: newest.map(({ run, name }) => [name, ...others.map(({ cell }) => cell(run)), run.run]),
          } satisfies Block,
        ]),
    ...paragraph(notes),
    ...pendingNote(newest.map(({ run }) => run)),
    ...failuresBlock(parts, 'a history', nameOf),
  ];
}

/** Runs with every request. */
export function requestsDocument(environment: string, runs: readonly Run[]): Document {
  return [
    plainHead('Runs on', { subject: environment }),
    ...runs.map(
      (run): Block => ({
        is: 'outcomes',
        title: `${run.run}  ${runResult(run).words}`,
        facts: runFacts(run),
        outcomes: [...groupBy(run.steps, ({ name }) => name)].map(([name, steps]) => ({
          ...{ mark: '', name, about: '', steps: steps.map(requestOf), unsent: [], parts: [] },
        })),
      }),
    ),
    ...pendingNote(runs),
  ];
}

function runFacts({ at, ended, who, tool, command, commit, checkout, fingerprint }: Run): string[] {
  return [
    `when    ${clock(at)}${ended === null ? '' : ` to ${clock(ended)}`}`,
    `who     ${who}, campaignctl ${tool}`,
    ...(command === undefined ? [] : [`command ${command}`]),
    `commit  ${commit ?? 'not known'}${checkout === undefined ? '' : `, with ${checkout} checked out`}`,
    ...(fingerprint === '' ? [] : [`plan    ${fingerprint}`]),
  ];
}

function requestOf({ at, step, id, result, detail }: RunStep): OutcomeStep {
  const request = `${step.method} ${step.path}${id === null ? '' : `  id ${id}`}`;
  const outcome = result === null ? UNRECORDED : STEPS[result];
  return { ...outcome, words: step.title, detail, at: clock(at), request };
}

/** Only an apply changes the state, so only an apply ends this. */
const SETTLED = 'The next campaignctl apply records that, also if it has nothing to send.';

/** A pause of a campaign that the state does not know is pending, too, although it is known to have taken effect. */
function pendingNote(runs: readonly Run[]): Block[] {
  const pending = runs.filter((run) => run.pending);
  const isOpen = ({ steps }: Run) =>
    steps.length === 0 || steps.some(({ result }) => result === null || result === 'in_doubt');
  return paragraph([
    ...(pending.every(isOpen)
      ? []
      : [
          `done, pending: the requests were done, but the state does not know their campaigns yet. ${SETTLED}`,
        ]),
    ...(pending.some(isOpen)
      ? [
          `pending: it is not known whether requests took effect. campaignctl plan shows what the service says. ${SETTLED}`,
        ]
      : []),
  ]);
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

function clock(at: string): string {
  return at.replace('T', ' ').replace(/\.\d+Z$/, 'Z');
}
