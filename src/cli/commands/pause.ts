import { EXIT, type ExitCode, usage } from '../../model/failure.js';
import type { LostProjects } from '../../model/reports.js';
import { nameIn } from '../../operations/campaign-names.js';
import { READ_WITHIN, within } from '../../operations/pause-waits.js';
import { openPlace, type ProjectPlace } from '../../operations/place.js';
import { type ProjectUnit, parseShard, partOf, unitsToPause, worstExit } from '../../operations/projects.js';
import { documentText } from '../../view/document-text.js';
import { type PauseNumbers, pausesDocument, renderKeptStoppedText } from '../../view/pause.js';
import { type ProjectPart, projectName } from '../../view/projects.js';
import { type PauseFlags, type PauseUnit, pauseUnits } from '../pause-units.js';
import type { Shell } from '../shell.js';

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
    const title = length === 1 ? null : titleOf(unit, flags);
    const open = async () => {
      const { config, debug } = flags;
      const placeFlags = { config, env: environment, debug, manifests: unit.manifests };
      const err = (lines: string) =>
        shell.err(title === null ? lines : lines.replace(/^(?=.)/gm, `${title}: `));
      const place = await openPlace({ ...placeFlags, isPause: true }, { ...shell, err, cwd: unit.root });
      places.push(place);
      return place;
    };
    const selection = { names, all, unmanaged };
    return [{ project, environment, failure, title, selection, ownName, open }];
  });
  try {
    const { parts, code } = await pauseUnits(units, flags, shell);
    const isTotalled = flags.recursive && parts.length > 0;
    const totals = isTotalled ? showTotals(parts, await lost.found(), shell) : EXIT.ok;
    tellKeptStopped(parts, chosen, flags, shell);
    return worstExit([code, totals]);
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

/** Ends the report, once for all projects. */
function tellKeptStopped(
  parts: readonly ProjectPart<PauseNumbers>[],
  chosen: readonly ProjectUnit[],
  { all, recursive }: PauseFlags,
  { out, onOut: { width } }: Shell,
): void {
  const readable = chosen.filter(({ failure }) => failure === null);
  const text = renderKeptStoppedText(parts, { width, recursive, all: all ? readable : null });
  if (text !== '') out(parts.length === 1 && !recursive ? text : `\n${text}`);
}

async function listUnits(flags: PauseFlags, shell: Shell): Promise<ProjectUnit[]> {
  const { env, config, recursive, shard } = flags;
  if (shard !== null && !recursive) throw usage('--shard needs --recursive.', 'Add --recursive.');
  if (config !== null && recursive)
    throw usage(
      '--recursive applies to whole projects; it cannot be combined with --config.',
      'Remove --config.',
    );
  return unitsToPause({ env, config, recursive }, shell);
}
