import { EXIT, type ExitCode, Failure, usage } from '../../model/failure.js';
import type { LostProjects, PausePlan, PauseResult } from '../../model/reports.js';
import { count } from '../../model/words.js';
import { nameIn } from '../../operations/campaign-names.js';
import { openPlace, type ProjectPlace } from '../../operations/place.js';
import {
  type PauseSelection,
  type PreparedPause,
  preparePause,
  suggestName,
} from '../../operations/prepare-pause.js';
import { liveUnits, type ProjectUnit, parseShard, partOf, worstExit } from '../../operations/projects.js';
import { pauseCampaigns } from '../../operations/send-pauses.js';
import { READ_WITHIN, within } from '../../operations/suspects.js';
import type { Interrupt } from '../../operations/world.js';
import { documentText } from '../../view/document-text.js';
import {
  type PauseNumbers,
  pausesDocument,
  renderPausePlanText,
  renderPauseResultText,
} from '../../view/pause.js';
import { placedCommands, placedFailure } from '../../view/placed.js';
import { renderFailureText } from '../../view/problems.js';
import { type ProjectPart, projectName } from '../../view/projects.js';
import type { Flags } from '../commands.js';
import { confirm, type Shell, watchInterrupts } from '../shell.js';

type PauseFlags = Flags<'pause'>;

/** `ownName`: a name of the command line as this project has it; `null` if it names a campaign of another one. */
interface PauseUnit extends Pick<ProjectUnit, 'project' | 'environment' | 'failure'> {
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

export async function run(flags: PauseFlags, shell: Shell): Promise<ExitCode> {
  if (flags.names.length === 0 && !flags.all && !flags.unmanaged)
    throw usage(
      'No campaigns to pause were specified.',
      'Specify names, or pass --all, --unmanaged, or both for everything in the workspace.',
    );
  const chosen = await listUnits(flags, shell);
  tellLeftOut(chosen, flags, shell);
  const lost = startLost(chosen, flags, shell);
  const places: ProjectPlace[] = [];
  const { all, unmanaged } = flags;
  const units = partOf(chosen, parseShard(flags.shard)).flatMap((unit, _, { length }): PauseUnit[] => {
    const { project, environment, failure } = unit;
    const ownName = (written: string) => (flags.recursive ? nameIn(written, unit, chosen) : written);
    const names = flags.names.flatMap((name) => ownName(name) ?? []);
    // Names of other projects only.
    if (names.length === 0 && !all && !unmanaged) return [];
    const open = async () => {
      const { config, debug } = flags;
      const placeFlags = { config, env: environment, debug, manifests: unit.manifests };
      const place = await openPlace({ ...placeFlags, isPause: true }, { ...shell, cwd: unit.root });
      places.push(place);
      return place;
    };
    const title = length === 1 ? null : titleOf(unit, flags);
    const selection = { names, all, unmanaged };
    return [{ project, environment, failure, title, selection, ownName, open }];
  });
  try {
    const { parts, code } = await pauseUnits(units, flags, shell);
    if (!flags.recursive || parts.length === 0) return code;
    return worstExit([code, showTotals(parts, await lost.found(), shell)]);
  } finally {
    // A remote repository that does not answer must not keep the command from ending.
    lost.stop();
    await Promise.all(places.map(({ backend }) => backend.close()));
  }
}

/** Without `--env`, sandboxes are left out if another environment can be paused. */
function tellLeftOut(chosen: readonly ProjectUnit[], { env }: PauseFlags, shell: Shell): void {
  if (env !== null) return;
  const left = chosen.flatMap(({ manifests, root }) => {
    const isChosen = (name: string) => chosen.some((unit) => unit.root === root && unit.environment === name);
    const all = Object.values(manifests?.project.environments ?? {});
    return all.flatMap(({ name, sandbox }) => (sandbox === null || isChosen(name) ? [] : [name]));
  });
  for (const name of new Set(left))
    shell.err(`! ${name} left out, because a sandbox sends no email. To pause there, add --env ${name}.\n`);
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

const LATE = 'The git remote did not answer in time.';

/** Without --recursive, there is one project. */
function titleOf({ project, environment }: ProjectUnit, { chdir, recursive }: PauseFlags): string {
  if (recursive || environment === null) return projectName({ project, environment });
  return chdir === null ? environment : projectName({ project: chdir, environment });
}

/** Projects whose file is gone may still send, and cannot be paused. They are looked for while the others are paused. */
function startLost(
  units: readonly ProjectUnit[],
  { env, all, unmanaged, recursive }: PauseFlags,
  shell: Shell,
) {
  const stopping = new AbortController();
  const { CAMPAIGNCTL_ENV: _, ...variables } = shell.env;
  const world = { ...shell, env: variables, signal: stopping.signal };
  const find = async () => {
    if (!recursive || !(all || unmanaged)) return null;
    const { findLostProjects } = await import('../../operations/lost-projects.js');
    return findLostProjects(units, { env }, world);
  };
  const finding = find();
  // Nobody awaits it if the command fails.
  finding.catch(() => undefined);
  return {
    found: () => within(finding, READ_WITHIN, () => ({ projects: [], unread: [LATE] })),
    stop: () => stopping.abort(),
  };
}

/** Returns `incomplete` if projects without a file may still send. */
function showTotals(
  parts: readonly ProjectPart<PauseNumbers>[],
  lost: LostProjects | null,
  shell: Shell,
): ExitCode {
  shell.out(`\n${documentText(pausesDocument(parts, lost), { ...shell.onOut, full: false })}`);
  const isDoubtful = lost !== null && (lost.projects.length > 0 || lost.unread.length > 0);
  return isDoubtful ? EXIT.incomplete : EXIT.ok;
}

/** `parts`: empty if it was interrupted before anything was paused. */
interface PausedUnits {
  parts: ProjectPart<PauseNumbers>[];
  code: ExitCode;
}

async function pauseUnits(
  units: readonly PauseUnit[],
  flags: PauseFlags,
  shell: Shell,
): Promise<PausedUnits> {
  const interrupt = watchInterrupts(shell);
  const failures = new Map<PauseUnit, Failure>();
  const settle = async <T>(unit: PauseUnit, work: () => Promise<T>): Promise<T | null> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Failure) || units.length === 1) throw error;
      failures.set(unit, error);
      shell.err(`${unit.title}: ${renderFailureText(placedFailure(error, unit), shell.onErr)}`);
      return null;
    }
  };
  // Ids differ between environments.
  const idsMeanRows = flags.env !== null || units.length === 1;
  const options = { isUrgent: flags.yes, idsMeanRows };
  const pause = ({ unit: { selection }, place, prepared }: Omit<EnvironmentPause, 'result'>) =>
    isDue(prepared, flags)
      ? pauseCampaigns(place, prepared, { selection, wasAsked: !flags.yes, idsMeanRows, interrupt })
      : null;
  const showPlan = (each: EnvironmentPause) =>
    shell.out(renderPausePlanText(shownPlan(each), { ...shell.onOut, title: each.unit.title }));
  const showResult = ({ unit: { title }, result }: EnvironmentPause) => {
    if (result === null) return;
    shell.out(renderPauseResultText(result, { ...shell.onOut, title, recursive: flags.recursive }));
  };
  const early = new Set<EnvironmentPause>();
  const preparing = units.map((unit) =>
    settle<EnvironmentPause>(unit, async () => {
      const { place, prepared } = await beforePausing(unit.environment, async () => {
        if (unit.failure !== null) throw unit.failure;
        const place = await unit.open();
        return { place, prepared: await preparePause(place, unit.selection, options, interrupt) };
      });
      if (!flags.yes) return { unit, place, prepared, result: null };
      // Each environment pauses and reports immediately instead of waiting for the slowest service.
      const each = { unit, place, prepared, result: await pause({ unit, place, prepared }) };
      if (wasSent(each)) {
        early.add(each);
        showPlan(each);
        showResult(each);
      }
      return each;
    }),
  );
  const all = (await Promise.all(preparing)).filter((each) => each !== null);
  const unknown = unknownName(all, flags, failures.size);
  if (unknown?.exitCode === EXIT.error && !all.some(wasSent)) throw unknown;
  const others = all.filter((each) => !early.has(each));
  for (const each of others) showPlan(each);
  if (flags.yes) for (const each of others) showResult(each);
  else {
    if (interrupt.signal.aborted) return { parts: [], code: EXIT.interrupted };
    await ask(all, shell, { flags, interrupt });
    const pausing = all.map(async (each) => {
      each.result = await settle(each.unit, async () => pause(each));
      showResult(each);
    });
    await Promise.all(pausing);
  }
  if (unknown !== null) shell.err(renderFailureText(unknown, shell.onErr));
  const isPartial = unknown !== null || (failures.size > 0 && failures.size < units.length);
  const parts = partsOf(all, failures, (each) => exitCodeOf(each, { flags, interrupt }));
  const codes = parts.map(({ exit_code }) => exit_code);
  return { parts, code: worstExit([...codes, ...(isPartial ? [EXIT.incomplete] : [])]) };
}

/** Those that failed come first. An environment may also fail after it was prepared. */
function partsOf(
  all: readonly EnvironmentPause[],
  failures: ReadonlyMap<PauseUnit, Failure>,
  codeOf: (each: EnvironmentPause) => ExitCode,
): PausedUnits['parts'] {
  const failed = [...failures].map(([{ project, environment }, failure]) => {
    return { project, environment, exit_code: failure.exitCode, result: null, failure };
  });
  const paused = all.flatMap((each) => {
    const { unit, prepared, result } = each;
    const { project, environment } = unit;
    const { idle, outcomes } = result ?? { ...prepared.plan, outcomes: [] };
    const part = { project, environment, exit_code: codeOf(each), result: { idle, outcomes }, failure: null };
    return failures.has(unit) ? [] : [part];
  });
  return [...failed, ...paused];
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
  const needsList = listing.isLate && (all || unmanaged || isMissing);
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
  const failure =
    idOnlyInList(all, name) ??
    new Failure({
      code: 'unknown-campaign',
      message: `${reasons.length === 0 ? 'The service has' : 'campaignctl found'} no campaign with the name or id "${name}".`,
      hint: suggestName(name, existing),
    });
  if (reasons.length === 0) return failure;
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

async function listUnits(flags: PauseFlags, shell: Shell): Promise<ProjectUnit[]> {
  const { env, config, recursive, shard } = flags;
  if (shard !== null && !recursive) throw usage('--shard needs --recursive.', 'Add --recursive.');
  if (config !== null && recursive)
    throw usage(
      '--recursive applies to whole projects; it cannot be combined with --config.',
      'Remove --config.',
    );
  return liveUnits({ env, config, recursive }, shell);
}
