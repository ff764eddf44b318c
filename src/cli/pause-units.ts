/** Pauses environments of one or several projects at the same time, and reports them in order. */
import { EXIT, type ExitCode, Failure } from '../model/failure.js';
import type { PausePlan, PauseResult } from '../model/reports.js';
import { count } from '../model/words.js';
import type { ProjectPlace } from '../operations/place.js';
import { type PreparedPause, preparePause } from '../operations/prepare-pause.js';
import { type ProjectUnit, worstExit } from '../operations/projects.js';
import { pauseCampaigns } from '../operations/send-pauses.js';
import { type PauseSelection, unknownCampaign } from '../operations/suspects.js';
import type { Interrupt } from '../operations/world.js';
import { type PauseNumbers, pauseTotals, renderPausePlanText, renderPauseResultText } from '../view/pause.js';
import { placedCommands, placedFailure } from '../view/placed.js';
import { renderFailureText } from '../view/problems.js';
import type { ProjectPart } from '../view/projects.js';
import type { Flags } from './commands.js';
import { type OrderedReports, openReports, type UnitReport } from './ordered-reports.js';
import { confirm, type Shell, watchInterrupts } from './shell.js';

export type PauseFlags = Flags<'pause'>;

/** `ownName`: a name of the command line as this project has it; `null` if it names a campaign of another one. */
export interface PauseUnit extends Pick<ProjectUnit, 'project' | 'environment' | 'failure'> {
  title: string | null;
  selection: PauseSelection;
  ownName(written: string): string | null;
  open(): Promise<ProjectPlace>;
}

/** One environment. `result`: `null` until the pause requests have been sent. */
interface EnvironmentPause {
  unit: PauseUnit;
  place: ProjectPlace;
  prepared: PreparedPause;
  result: PauseResult | null;
}

/** Says with an error that it came before the first request. */
async function beforePausing<T>(environment: string | null, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Failure) || error.exitCode !== EXIT.error) throw error;
    const where = environment === null ? '' : ` in ${environment}`;
    const { code, hint, exitCode, findings, others, details } = error;
    const message = `${error.message} Nothing was paused${where}.`;
    const then = "Then run pause again, or pause the campaigns in the service's web app.";
    throw new Failure({ code, message, hint: `${hint} ${then}` }, { exitCode, findings, others, details });
  }
}

/** `parts`: empty if it was interrupted before anything was paused. */
interface PausedUnits {
  parts: ProjectPart<PauseNumbers>[];
  code: ExitCode;
}

/** `idsMeanRows`: false if ids may mean campaigns of several environments. */
interface PauseCommand {
  units: readonly PauseUnit[];
  flags: PauseFlags;
  shell: Shell;
  interrupt: Interrupt;
  failures: Map<PauseUnit, Failure>;
  idsMeanRows: boolean;
}

export async function pauseUnits(
  units: readonly PauseUnit[],
  flags: PauseFlags,
  shell: Shell,
): Promise<PausedUnits> {
  const interrupt = watchInterrupts(shell);
  const failures: PauseCommand['failures'] = new Map();
  const idsMeanRows = flags.env !== null || units.length === 1;
  const command: PauseCommand = { units, flags, shell, interrupt, failures, idsMeanRows };
  const reports = openReports(units, shell);
  const all = await prepareUnits(command, reports);
  const unknown = unknownName(all, flags, failures.size);
  if (unknown?.exitCode === EXIT.error && !all.some(wasSent)) throw unknown;
  reports.begin();
  if (!flags.yes) {
    if (interrupt.signal.aborted) return { parts: [], code: EXIT.interrupted };
    await ask(all, shell, { flags, interrupt });
    await sendAfterQuestion(all, command);
  }
  if (unknown !== null) shell.fail(renderFailureText(unknown, shell.onErr));
  const isPartial = unknown !== null || (failures.size > 0 && failures.size < units.length);
  const parts = partsOf(units, { all, failures }, (each) => exitCodeOf(each, { flags, interrupt }));
  const codes = parts.map(({ exit_code }) => exit_code);
  return { parts, code: worstExit([...codes, ...(isPartial ? [EXIT.incomplete] : [])]) };
}

/** With `--yes`, also pauses: each environment immediately, instead of waiting for the slowest service. */
async function prepareUnits(
  command: PauseCommand,
  reports: OrderedReports<PauseUnit>,
): Promise<EnvironmentPause[]> {
  const { units, flags, interrupt, idsMeanRows } = command;
  const preparing = units.map((unit) =>
    settle<EnvironmentPause>(unit, { command, reports }, async () => {
      const { place, prepared } = await beforePausing(unit.environment, async () => {
        if (unit.failure !== null) throw unit.failure;
        const place = await unit.open();
        const request = { selection: unit.selection, isUrgent: flags.yes, idsMeanRows };
        return { place, prepared: await preparePause(place, request, interrupt) };
      });
      const result = flags.yes ? await send({ place, prepared }, command) : null;
      const each = { unit, place, prepared, result };
      reports.add(unit, reportOf(each, command, { withPlan: true }));
      // Otherwise, an unknown name may be all there is to report.
      if (wasSent(each)) reports.begin();
      return each;
    }),
  );
  return (await Promise.all(preparing)).filter((each) => each !== null);
}

async function sendAfterQuestion(all: readonly EnvironmentPause[], command: PauseCommand): Promise<void> {
  const reports = openReports(
    all.map(({ unit }) => unit),
    command.shell,
  );
  reports.begin();
  const sending = all.map((each) =>
    settle(each.unit, { command, reports }, async () => {
      each.result = await send(each, command);
      reports.add(each.unit, reportOf(each, command, { withPlan: false }));
    }),
  );
  await Promise.all(sending);
}

async function send(
  { place, prepared }: Pick<EnvironmentPause, 'place' | 'prepared'>,
  { flags, interrupt }: PauseCommand,
): Promise<PauseResult | null> {
  if (!isDue(prepared, flags)) return null;
  return pauseCampaigns(place, prepared, interrupt);
}

/** Reports a failure, which does not stop the other environments. */
async function settle<T>(
  unit: PauseUnit,
  {
    command: { units, failures, shell },
    reports,
  }: { command: PauseCommand; reports: OrderedReports<PauseUnit> },
  work: () => Promise<T>,
): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Failure) || units.length === 1) throw error;
    failures.set(unit, error);
    const text = renderFailureText(placedFailure(error, unit), shell.onErr);
    let isTold = false;
    const tell = () => {
      if (!isTold) shell.fail(`${unit.title}: ${text}`);
      isTold = true;
    };
    reports.add(unit, { print: tell, brief: tell });
    return null;
  }
}

function reportOf(
  each: EnvironmentPause,
  { flags, shell }: PauseCommand,
  { withPlan }: { withPlan: boolean },
): UnitReport {
  const { unit, result } = each;
  const options = { ...shell.onOut, title: unit.title };
  return {
    print() {
      if (withPlan) shell.out(renderPausePlanText(shownPlan(each), options));
      if (result === null) return;
      const text = renderPauseResultText(result, options);
      shell.out(flags.recursive ? placedCommands(text, unit.project, unit) : text);
    },
    brief() {
      if (result === null) return;
      shell.err(`${unit.title}: ${pauseTotals([result])}. Its report follows.\n`);
    },
  };
}

/** In the order of the units. An environment may also fail after it was prepared. */
function partsOf(
  units: readonly PauseUnit[],
  { all, failures }: { all: readonly EnvironmentPause[]; failures: PauseCommand['failures'] },
  codeOf: (each: EnvironmentPause) => ExitCode,
): PausedUnits['parts'] {
  return units.flatMap((unit): PausedUnits['parts'] => {
    const { project, environment } = unit;
    const failure = failures.get(unit);
    if (failure !== undefined)
      return [{ project, environment, exit_code: failure.exitCode, result: null, failure }];
    return all.flatMap((each) => {
      if (each.unit !== unit) return [];
      const { idle, outcomes } = each.result ?? { ...each.prepared.plan, outcomes: [] };
      return [{ project, environment, exit_code: codeOf(each), result: { idle, outcomes }, failure: null }];
    });
  });
}

function wasSent({ result }: EnvironmentPause): boolean {
  return result !== null && result.outcomes.length > 0;
}

/** Without a question, the plan is shown with what was found later. The result says what is not known. */
function shownPlan({ prepared: { plan }, result }: EnvironmentPause): PausePlan {
  if (result === null) return plan;
  const { outcomes, idle } = result;
  const others = plan.others.filter(({ id }) => !outcomes.some((outcome) => outcome.id === id));
  return { ...plan, targets: outcomes, others, idle, apply: null, doubts: [], unread: [] };
}

/** Without a question, campaigns may also be found once the state or a slow list has been read. */
function isDue(
  { plan, rest, listing }: PreparedPause,
  { yes, all, unmanaged }: Pick<PauseFlags, 'yes' | 'all' | 'unmanaged'>,
): boolean {
  const isMissing = plan.unmatched.length > 0;
  const needsState = plan.unread.length > 0 && (all || isMissing);
  const needsList = listing.isCutOff && (all || unmanaged || isMissing);
  const isFound = plan.targets.length > 0 || rest.length > 0 || plan.apply !== null;
  return isFound || (yes && (needsState || needsList));
}

/** An unread state or manifest matters only to `--all`; an incomplete list, unless all campaigns were given by id. */
function exitCodeOf(
  { unit: { selection }, prepared: { plan }, result }: EnvironmentPause,
  { flags, interrupt }: { flags: PauseFlags; interrupt: Interrupt },
): ExitCode {
  const { outcomes, note, apply, doubts, unread } = result ?? {
    ...plan,
    outcomes: [],
    note: null,
    apply: null,
  };
  const isStopped = outcomes.every((outcome) => outcome.result === 'paused');
  if (!isStopped && interrupt.signal.aborted) return EXIT.interrupted;
  const isUnshown = outcomes.some(({ status, result: word }) => word === 'paused' && status === null);
  const isUnrecorded = note !== null && isUnshown;
  const needsList = flags.all || flags.unmanaged || selection.names.some((name) => !/^\d+$/.test(name));
  const isDoubtful = (doubts.length > 0 && needsList) || (flags.all && unread.length > 0);
  return isStopped && !isUnrecorded && !isDoubtful && apply === null ? EXIT.ok : EXIT.incomplete;
}

/** The first name that no environment has; `null` if there is none. */
function unknownName(
  all: readonly EnvironmentPause[],
  { names }: Pick<PauseFlags, 'names'>,
  failed: number,
): Failure | null {
  if (all.length === 0) return null;
  const found = all.map(({ prepared, result }) => result ?? prepared.plan);
  const isUnmatched = (word: string) =>
    all.every(({ unit: { ownName } }, at) => {
      const own = ownName(word);
      return own === null || found[at]?.unmatched.includes(own) === true;
    });
  const name = names.find(isUnmatched);
  if (name === undefined) return null;
  const unread = failed === 0 ? [] : [`${count(failed, 'environment')} could not be read`];
  const reasons = [...new Set(found.flatMap((each) => [...each.doubts, ...each.unread])), ...unread];
  const isPlaced = name.includes(': ');
  const existing = all.flatMap(({ unit: { project }, prepared: { listing, known } }) =>
    [...listing.rows, ...known.entries.values()].flatMap((campaign) =>
      isPlaced ? [`${project}: ${campaign.name}`, campaign.name] : [campaign.name],
    ),
  );
  const isCertain = reasons.length === 0;
  const failure = idOnlyInList(all, name) ?? unknownCampaign(name, existing, { isCertain });
  if (isCertain) return failure;
  const { code, message, hint } = failure;
  const doubt = `It may exist all the same: ${reasons.map((reason) => reason.replace(/\.$/, '')).join('; ')}.`;
  return new Failure({ code, message: `${message} ${doubt}`, hint }, { exitCode: EXIT.incomplete });
}

/** Ids differ between environments, so without `--env` only an id that the state knows is used. */
function idOnlyInList(all: readonly EnvironmentPause[], name: string): Failure | null {
  const shown = all.find(({ prepared: { listing } }) => listing.rows.some(({ id }) => String(id) === name));
  if (shown === undefined) return null;
  const { unit } = shown;
  const { environment } = shown.prepared.plan;
  return new Failure({
    code: 'unknown-campaign',
    message: `Campaign ${name} was not paused: ids differ between environments, and no state knows this one.`,
    hint: `To pause campaign ${name} of ${environment}, run ${placedCommands(`campaignctl pause ${name} --env ${environment}`, unit.project)}.`,
  });
}

async function ask(
  all: readonly EnvironmentPause[],
  shell: Shell,
  { flags, interrupt: { signal } }: { flags: PauseFlags; interrupt: Interrupt },
): Promise<void> {
  const due = all.filter(({ prepared }) => isDue(prepared, flags));
  if (due.length === 0) return;
  const number = due.reduce((sum, { prepared }) => sum + prepared.plan.targets.length, 0);
  const what = number === 1 ? 'this campaign' : `these ${number} campaigns`;
  await confirm(shell, `Type "yes" to pause ${what}: `, { signal, kept: 'nothing was paused' });
}
