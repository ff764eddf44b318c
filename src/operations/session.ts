import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import type { Refresh } from '../apply/index.js';
import { nearest } from '../manifest/index.js';
import { addressOf, type Environment } from '../model/environment.js';
import { Failure, usage } from '../model/failure.js';
import { differs, type LocatedFinding, type Problem, type RefreshMode } from '../model/outputs.js';
import type { Campaign } from '../model/spec.js';
import { count } from '../model/words.js';
import {
  fileOf,
  fingerprint,
  type OutsideFiles,
  refuseOtherEnvironment,
  refuseOtherSources,
  type SavedPlan,
  type Selection,
  unapplied,
} from '../plan/index.js';
import {
  branchClaims,
  configFor,
  describedIn,
  isBelow,
  loadCampaigns,
  type Project,
  readProject,
  realPlace,
  selectEnvironment,
  selectedOf,
} from '../project/index.js';
import { type Backend, folderBackend, openBranch, type Store, sharedBackend } from '../state/index.js';
import { visibleLine } from '../view/index.js';
import { askedEnvironment, type World } from './world.js';

/** A project and one of its environments. `store`: what `backend` keeps, or what the world has instead. */
export interface ProjectPlace {
  project: Project;
  environment: Environment;
  folder: string;
  backend: Backend;
  store: Store;
  world: World;
  debug: boolean;
}

/** An environment with its campaigns, all of them valid. `selected`: those of the files that were asked for; `outside`: files that belong to other environments. `sources`: the files that the selected campaigns are made from, with the SHA-256 of their text in hex; of the project file, that of what it says of this environment. */
export interface Session extends ProjectPlace {
  campaigns: Campaign[];
  selected: Campaign[];
  outside: ReadonlySet<string>;
  sources: Record<string, string>;
  selection: Selection;
  refresh: RefreshMode;
  /** Manifests whose campaigns are read, whatever `refresh` says: those that were for a saved plan. */
  again: ReadonlySet<string>;
}

export interface PlaceFlags {
  /** The project file; null: found from the working directory upward. */
  config: string | null;
  /** The environment; null: $CAMPAIGNCTL_ENV, else the default, else the only one. */
  env: string | null;
  /** Whether to tell every request, one line each. */
  debug: boolean;
  parallelism?: number | null;
}

/** What a session depends on. `mayBeEmpty`: patterns that match no manifest are no error. */
export interface SessionFlags extends PlaceFlags {
  files?: string[];
  target?: string[];
  hold?: 'launch'[];
  refresh?: RefreshMode | null;
  mayBeEmpty?: boolean;
}

export async function openPlace(flags: PlaceFlags, world: World): Promise<ProjectPlace> {
  const project = await readProject({ cwd: world.cwd, config: flags.config });
  return placeOf(project, askedEnvironment(flags, world), flags, world);
}

function placeOf(
  project: Project,
  name: string | null,
  { parallelism = null, debug }: PlaceFlags,
  world: World,
): ProjectPlace {
  const chosen = selectEnvironment(project, name);
  const limits = { ...chosen.limits, parallelism: parallelism ?? chosen.limits.parallelism };
  const environment = { ...chosen, limits };
  return { project, environment, ...stateOf(project, chosen, world), world, debug };
}

/** The state of a sandbox stays with it, on this machine. */
function stateOf({ root, file, environments }: Project, environment: Environment, world: World) {
  const { state, name, sandbox } = environment;
  const folder = join(root, state.path, name);
  refuseLinks(root, [folder, sandboxFile(root, name)]);
  const address = addressOf(environment);
  const own = Object.values(environments).flatMap(({ token_env }) => token_env ?? []);
  const secrets = [...own, ...(world.tokens ?? [])];
  const backend =
    state.backend === 'git' && sandbox === null
      ? shared({ root, projectFile: file }, { name, address, secrets }, state)
      : folderBackend(folder, { address, environment: name });
  return { folder, backend, store: world.store?.(backend.store, name) ?? backend.store };
}

function shared(
  at: { root: string; projectFile: string },
  { name, address, secrets }: { name: string; address: string; secrets: readonly string[] },
  {
    path,
    remote,
    branch,
    lease,
    project,
    repositories = [],
  }: Extract<Environment['state'], { backend: 'git' }>,
): Backend {
  const folder = join(at.root, path, name);
  const named = { project: project ?? null, repositories };
  const branchOptions = { remote, branch, ...named, environment: name, secrets };
  const claims = async (top: string) =>
    (await branchClaims(top, at.projectFile)).filter(
      (claim) => claim.remote === remote && claim.branch === branch && (claim.environment ?? name) === name,
    );
  const kept = openBranch({ ...at, ...branchOptions, claims, folder: join(folder, 'branch.git') });
  return sharedBackend({ folder, address, branch: kept, environment: name, seconds: lease });
}

/** Where the sandbox of an environment keeps its campaigns. */
export function sandboxFile(root: string, environment: string): string {
  return join(root, '.campaignctl', 'sandbox', `${environment}.json`);
}

/** Links may lead what is kept beside the manifests out of the project, or into .git. */
function refuseLinks(root: string, paths: readonly string[]): void {
  for (const path of paths) {
    const real = realPlace(path);
    const parts = relative(root, real).toLowerCase().split(sep);
    if (isBelow(root, real) && !parts.includes('.git')) continue;
    throw new Failure({
      code: 'file-outside-project',
      message: `${path} would lie outside the project or in .git: a link leads there.`,
      hint: 'Replace the link by a folder, or change state: path: in the project file.',
    });
  }
}

/**
 * Reads project and manifests. A manifest with errors stops everything; warnings are counted on stderr. With a saved plan it
 * reads the selection of that plan, and throws a Failure if anything has changed since.
 */
export async function openSession(
  flags: SessionFlags,
  world: World,
  saved: SavedPlan | null = null,
): Promise<Session> {
  const project = await readProject({ cwd: world.cwd, config: flags.config });
  const asked = askedEnvironment(flags, world);
  if (saved !== null) {
    refuseOtherEnvironment(saved, asked);
    refuseOtherProject(saved, project);
  }
  const place = placeOf(project, saved?.plan.environment ?? asked, flags, world);
  const { environment, store } = place;
  const selection = saved?.selection ?? selectionOf(project, flags, world);
  const hashes: Record<string, string> = {
    [project.file]: fingerprint(configFor(project, environment.name)),
  };
  const loaded = await loadCampaigns(project, {
    environments: [environment],
    inPlan: true,
    files: saved?.selection.files ?? flags.files ?? [],
    cwd: saved === null ? world.cwd : project.root,
    look(file, text) {
      hashes[file] = hashOf(text);
    },
  }).catch((error: unknown) => {
    // Files of a saved plan that were removed are a change of the manifests, not a slip of the pen.
    if (saved !== null && error instanceof Failure) refuseOtherSources(saved, hashes, null, project.file);
    throw error;
  });
  const campaigns = loaded.campaigns[environment.name] ?? [];
  const selected = campaigns.filter(({ file }) => loaded.selected.has(file));
  const sourcesOf = (target: readonly string[]) => {
    const isSelected = ({ spec }: Campaign) => target.length === 0 || target.includes(spec.name);
    const used = selected
      .filter(isSelected)
      .flatMap(({ manifest }) => [...(loaded.filesOf.get(manifest) ?? [])]);
    const files = new Set([project.file, ...used, ...Object.keys(saved?.sources ?? {})]);
    return Object.fromEntries(Object.entries(hashes).filter(([file]) => files.has(file)));
  };
  if (saved !== null) {
    const specs = new Map(campaigns.map(({ manifest, spec }) => [manifest, spec]));
    const chosen = selectEnvironment(project, environment.name);
    const sources = sourcesOf(saved.selection.target);
    refuseOtherSources(saved, sources, { environment: chosen, specs }, project.file);
  }
  const empty = loaded.findings.filter(({ code }) => code === 'no-match');
  // Where the last manifest was deleted, the plan has to say which campaigns go on without one.
  const knows = async () => [...(await store.readAll()), ...(await store.pending())].length > 0;
  const isEmptied = empty.length > 0 && selection.files.length === 0 && (await knows());
  if (isEmptied) for (const { message } of empty) world.err(`! ${visibleLine(message)}\n`);
  const mayBeEmpty = flags.mayBeEmpty || isEmptied;
  const findings = loaded.findings.filter((finding) => !mayBeEmpty || !empty.includes(finding));
  stopOnErrors(findings, 'Correct them first. Nothing was read from the service and nothing was sent.');
  tellWarnings(selectedOf({ ...loaded, findings }).findings, world);
  // A saved plan holds names, which are those of the manifests that it was made from.
  const target = saved === null ? targetsOf(selected, selection.target) : selection.target;
  return {
    ...{
      ...place,
      campaigns,
      selected,
      outside: loaded.outside,
      sources: sourcesOf(target),
      selection: { ...selection, target },
    },
    ...(saved === null ? { refresh: flags.refresh ?? 'all', again: new Set() } : refreshOf(saved)),
  };
}

/** A saved plan is made again from the same campaigns. */
function refreshOf({ plan }: SavedPlan): Pick<Session, 'refresh' | 'again'> {
  const read = plan.campaigns.filter(({ action }) => action !== 'not_read');
  return {
    refresh: plan.mode === 'changed' ? 'changed' : 'all',
    again: new Set(read.map(({ manifest }) => manifest)),
  };
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** A project file that has changed says so before anything that it names is looked for. */
function refuseOtherProject(saved: SavedPlan, project: Project): void {
  const hash = fingerprint(configFor(project, saved.plan.environment));
  if (saved.sources[project.file] === hash) return;
  const sources = { ...saved.sources, [project.file]: hash };
  const environment = project.environments[saved.plan.environment] ?? null;
  const specs = new Map(saved.plan.campaigns.map(({ manifest }, at) => [manifest, saved.specs[at]]));
  refuseOtherSources(saved, sources, environment && { environment, specs }, project.file);
}

/** What the files outside of which some are entries describe now. Others need not be read. */
export function describedOutside(
  { project, outside }: { project: Project; outside: ReadonlySet<string> },
  applied: readonly { manifest: string }[],
): OutsideFiles {
  return describedIn(project, new Set(applied.flatMap((one) => fileOf(one, outside) ?? [])));
}

/** Files are kept relative to the project: a saved plan may be applied from another folder. */
function selectionOf(
  { root }: Project,
  { files = [], target = [], hold = [] }: SessionFlags,
  { cwd }: World,
): Selection {
  const fromRoot = (file: string) => relative(root, resolve(realpathSync.native(cwd), file)) || '.';
  // An empty name stays one, to be refused.
  return { files: files.map((file) => file && fromRoot(file)), target, hold };
}

/** Failure with all errors among these. */
export function stopOnErrors(findings: readonly LocatedFinding[], hint: string): void {
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return;
  const message = `The manifests have ${count(errors.length, 'error')}.`;
  throw new Failure({ code: 'invalid-manifests', message, hint }, { findings: errors });
}

export function tellWarnings({ length }: readonly LocatedFinding[], world: World): void {
  if (length === 0) return;
  world.err(
    `The manifests have ${count(length, 'warning')}: run campaignctl validate to see ${length === 1 ? 'it' : 'them'}.\n`,
  );
}

/**
 * The names of the campaigns that targets mean: each is a name, or a pattern with `*` and `?`, or several of these with commas. Failure
 * if one of them means no campaign: what is left out would stand for all.
 */
export function targetsOf(campaigns: readonly Campaign[], targets: readonly string[]): string[] {
  const names = campaigns.map(({ spec }) => spec.name);
  // A name may hold any of these characters.
  const parts = targets.flatMap((target) => (names.includes(target) ? [target] : partsOf(target)));
  return [...new Set(parts.flatMap((part) => (names.includes(part) ? [part] : matching(part, names))))];
}

function partsOf(target: string): string[] {
  const parts = target.split(',').map((part) => part.trim());
  if (!parts.includes('')) return parts;
  throw usage(
    `A part of --target "${target}" is empty.`,
    'Most likely, a variable is not set. Give a value, or leave it out.',
  );
}

function matching(part: string, names: readonly string[]): string[] {
  const isPattern = /[*?]/.test(part);
  const source = part
    .replace(/[\\^$.|+()[\]{}/]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  const pattern = new RegExp(`^${source}$`, 'su');
  const found = isPattern ? names.filter((name) => pattern.test(name)) : [];
  if (found.length > 0) return found;
  const near = isPattern ? null : nearest(part, names);
  const exact = `Write the name exactly as in the manifest${isPattern ? '; * stands for any text, ? for one character' : ''}.`;
  throw new Failure({
    code: 'unknown-target',
    message: `No manifest has ${isPattern ? 'a name like' : 'the name'} "${part}" (--target).`,
    hint: near === null ? exact : `Did you mean "${near}"?`,
  });
}

/**
 * What would change and was not applied to another environment before. `earlier`: its name, null where nothing is required.
 * Reads files only: what was applied there is known from its state.
 */
export async function unappliedBefore(
  { work }: Pick<Refresh, 'work'>,
  { project, environment, selection, world }: Session,
  earlier: string | null,
): Promise<Problem[]> {
  if (earlier === null) return [];
  if (earlier === environment.name) {
    throw usage(
      `--require-applied names ${earlier}, the environment that this run applies to.`,
      'Name the environment before it, for example: apply --env production --require-applied staging.',
    );
  }
  const before = selectEnvironment(project, earlier);
  if (!work.some(({ plan }) => differs(plan))) return [];
  const { campaigns } = await loadCampaigns(project, {
    environments: [before],
    files: selection.files,
    cwd: project.root,
  });
  const entries = await stateOf(project, before, world).store.readAll();
  return unapplied(work, environment, {
    environment: before,
    campaigns: campaigns[before.name] ?? [],
    entries,
  });
}
