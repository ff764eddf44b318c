import { EXIT, type ExitCode, Failure, usage } from '../../model/failure.js';
import type { PauseResult } from '../../model/reports.js';
import {
  type PauseSelection,
  type PreparedPause,
  pauseCampaigns,
  preparePause,
  refuseUnknown,
} from '../../operations/pause.js';
import { openPlace, type ProjectPlace } from '../../operations/place.js';
import { liveUnits, parseShard, partOf, worstExit } from '../../operations/projects.js';
import type { Interrupt } from '../../operations/world.js';
import { renderPausePlanText, renderPauseResultText } from '../../view/pause.js';
import { renderFailureText } from '../../view/problems.js';
import { projectName } from '../../view/projects.js';
import type { Flags } from '../commands.js';
import { confirm, type Shell, watchInterrupts } from '../shell.js';

type PauseFlags = Flags<'pause'>;

interface PauseUnit {
  title: string | null;
  failure: Failure | null;
  open(): Promise<ProjectPlace>;
}

/** One environment. `result`: `null` until the pause requests have been sent. */
interface EnvironmentPause {
  title: string | null;
  place: ProjectPlace;
  prepared: PreparedPause;
  result: PauseResult | null;
}

export async function run(flags: PauseFlags, shell: Shell): Promise<ExitCode> {
  const selection: PauseSelection = flags;
  if (flags.names.length === 0 && !flags.all && !flags.unmanaged)
    throw usage(
      'No campaigns to pause were specified.',
      'Specify names, or pass --all, --unmanaged, or both for everything in the workspace.',
    );
  const interrupt = watchInterrupts(shell);
  const units = await listUnits(flags, shell);
  const failures: Failure[] = [];
  const settle = async <T>(title: string | null, work: () => Promise<T>): Promise<T | null> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Failure) || units.length === 1) throw error;
      failures.push(error);
      shell.err(`${title}: ${renderFailureText(error, shell.onErr)}`);
      return null;
    }
  };
  const idsMeanRows = flags.env !== null;
  const options = { isUrgent: flags.yes, idsMeanRows };
  const pause = ({ place, prepared }: Pick<EnvironmentPause, 'place' | 'prepared'>) =>
    isDue(prepared)
      ? pauseCampaigns(place, prepared, { selection, wasAsked: !flags.yes, idsMeanRows, interrupt })
      : null;
  const preparing = units.map(({ title, failure, open }) =>
    settle<EnvironmentPause>(title, async () => {
      if (failure !== null) throw failure;
      const place = await open();
      const prepared = await preparePause(place, selection, options, interrupt);
      // With `--yes`, each environment pauses immediately instead of waiting for the slowest service.
      return { title, place, prepared, result: flags.yes ? await pause({ place, prepared }) : null };
    }),
  );
  const all = (await Promise.all(preparing)).filter((each) => each !== null);
  const unknown = unknownName(all, flags, failures);
  if (unknown !== null && all.every(({ result }) => (result?.outcomes ?? []).length === 0)) throw unknown;
  for (const { title, prepared } of all)
    shell.out(renderPausePlanText(prepared.plan, { ...shell.onOut, title }));
  if (!flags.yes) {
    if (interrupt.signal.aborted) return EXIT.interrupted;
    await ask(all, shell, interrupt);
    const pausing = all.map(async (each) => {
      each.result = await settle(each.title, async () => pause(each));
    });
    await Promise.all(pausing);
  }
  if (unknown !== null) shell.err(renderFailureText(unknown, shell.onErr));
  for (const { title, result } of all) {
    if (result === null) continue;
    shell.out(renderPauseResultText(result, { ...shell.onOut, title, recursive: flags.recursive }));
  }
  const codes = all.map(({ prepared, result }) => exitCodeOf(prepared, result, { flags, interrupt }));
  if (failures.length === units.length) return worstExit(failures.map(({ exitCode }) => exitCode));
  return worstExit([...codes, ...(failures.length > 0 || unknown !== null ? [EXIT.incomplete] : [])]);
}

function isDue({ plan, rest }: PreparedPause): boolean {
  return plan.targets.length > 0 || rest.length > 0 || plan.apply !== null;
}

/** An unread state or manifest matters only to `--all`; an incomplete list, unless all campaigns were given by id. */
function exitCodeOf(
  { plan }: PreparedPause,
  result: PauseResult | null,
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
  const needsList = flags.all || flags.unmanaged || flags.names.some((name) => !/^\d+$/.test(name));
  const isDoubtful = (doubts.length > 0 && needsList) || (flags.all && unread.length > 0);
  return isStopped && !isUnrecorded && !isDoubtful && apply === null ? EXIT.ok : EXIT.incomplete;
}

/** `null` if each name exists in an environment, or may exist in one that could not be read. */
function unknownName(
  all: readonly EnvironmentPause[],
  { names, env }: Pick<PauseFlags, 'names' | 'env'>,
  failures: readonly Failure[],
): Failure | null {
  const elsewhere = env === null ? idOnlyInList(all, names) : null;
  if (elsewhere !== null) return elsewhere;
  const isRead = all.every(
    ({ prepared: { listing, known } }) => listing.doubt === null && known.unread.length === 0,
  );
  if (!isRead || failures.length > 0) return null;
  const rows = all.flatMap(({ prepared: { listing, known } }) => [
    ...listing.rows,
    ...[...known.entries.values()].map(({ id, name }) => ({ id, name })),
  ]);
  try {
    refuseUnknown(names, rows);
    return null;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/** Ids differ between environments, so without `--env` only an id that the state knows is used. */
function idOnlyInList(all: readonly EnvironmentPause[], names: readonly string[]): Failure | null {
  for (const name of names.filter((word) => /^\d+$/.test(word))) {
    const isKnown = all.some(
      ({ prepared: { known, listing } }) =>
        known.entries.has(Number(name)) || listing.rows.some((row) => row.name === name),
    );
    const shown = all.find(({ prepared: { listing } }) => listing.rows.some(({ id }) => String(id) === name));
    if (isKnown || shown === undefined) continue;
    const { environment } = shown.prepared.plan;
    return new Failure({
      code: 'unknown-campaign',
      message: `No state knows a campaign ${name}, and ids differ between environments. It was not paused.`,
      hint: `To pause campaign ${name} of ${environment}, run campaignctl pause ${name} --env ${environment}.`,
    });
  }
  return null;
}

async function ask(all: readonly EnvironmentPause[], shell: Shell, { signal }: Interrupt): Promise<void> {
  const due = all.filter(({ prepared }) => isDue(prepared));
  if (due.length === 0) return;
  const number = due.reduce((sum, { prepared }) => sum + prepared.plan.targets.length, 0);
  const what = number === 1 ? 'this campaign' : `these ${number} campaigns`;
  await confirm(shell, `Type "yes" to pause ${what}: `, { signal, kept: 'nothing was paused' });
}

async function listUnits(flags: PauseFlags, shell: Shell): Promise<PauseUnit[]> {
  const { env, config, debug, recursive, shard } = flags;
  if (shard !== null && !recursive) throw usage('--shard needs --recursive.', 'Add --recursive.');
  if (config !== null && recursive)
    throw usage(
      '--recursive applies to whole projects; it cannot be combined with --config.',
      'Remove --config.',
    );
  const units = partOf(await liveUnits({ env, config, recursive }, shell), parseShard(shard));
  return units.map((unit) => ({
    title: units.length === 1 ? null : projectName(unit),
    failure: unit.failure,
    open: () => openPlace({ config, env: unit.environment, debug }, { ...shell, cwd: unit.root }),
  }));
}
