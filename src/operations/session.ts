import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { nearest } from '../manifest/errors.js';
import { Failure, usage } from '../model/failure.js';
import { differs, type LocatedFinding, type Problem, type RefreshMode } from '../model/outputs.js';
import { parseGlob } from '../model/pattern.js';
import { isOfProbe } from '../model/probe.js';
import type { Campaign } from '../model/spec.js';
import { count, listed } from '../model/words.js';
import { fingerprint, type Selection } from '../plan/fingerprint.js';
import { entryFile } from '../plan/match.js';
import { unapplied } from '../plan/promotion.js';
import type { Refresh } from '../plan/refresh.js';
import type { SavedPlan } from '../plan/saved-plan.js';
import { refuseOtherEnvironment, refuseOtherSources } from '../plan/saved-plan.js';
import { isDeclared } from '../plan/work.js';
import { describedIn, loadCampaigns, selectedOf } from '../project/campaigns.js';
import { configFor, type Project, readProject, selectEnvironment } from '../project/project.js';
import { visibleLine } from '../view/terminal.js';
import { type PlaceFlags, type ProjectPlace, placeOf, stateOf } from './place.js';
import { askedEnvironment, type World } from './world.js';

/**
 * An environment with its valid campaigns. `selected`: of the requested files. `outside`: files of other environments. `sources`:
 * SHA-256 (hex) of the source files.
 */
export interface Session extends ProjectPlace {
  campaigns: Campaign[];
  selected: Campaign[];
  outside: ReadonlySet<string>;
  sources: Record<string, string>;
  selection: Selection;
  refresh: RefreshMode;
  /** Manifests to read in any case: those of a saved plan. */
  again: ReadonlySet<string>;
}

/** `mayBeEmpty`: allows patterns without a match; `warn` reports them. */
export interface SessionFlags extends PlaceFlags {
  files?: string[];
  target?: string[];
  hold?: 'launch'[];
  refresh?: RefreshMode | null;
  mayBeEmpty?: 'warn' | 'quiet';
}

/**
 * Failure for an invalid manifest; warnings are counted on stderr. With a saved plan, reads its selection; Failure if anything
 * has changed.
 */
export async function openSession(
  flags: SessionFlags,
  world: World,
  saved: SavedPlan | null = null,
): Promise<Session> {
  const project = await readProject({ cwd: world.cwd, config: flags.config });
  const asked = askedEnvironment(flags, world);
  if (saved !== null) refuseOtherEnvironment(saved, asked);
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
    // A removed file of a saved plan is a change.
    if (saved !== null && error instanceof Failure) refuseOtherSources(saved, hashes, project.file);
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
  if (saved !== null) refuseOtherSources(saved, sourcesOf(saved.selection.target), project.file);
  const empty = loaded.findings.filter(({ code }) => code === 'no-match');
  // After the last manifest was deleted, the plan still names its campaigns.
  const knows = async () => [...(await store.readAll()), ...(await store.pending())].length > 0;
  const isEmptied =
    empty.length > 0 && selection.files.length === 0 && (flags.mayBeEmpty === 'warn' || (await knows()));
  if (isEmptied) for (const { message } of empty) world.err(`! ${visibleLine(message)}\n`);
  const mayBeEmpty = isEmptied || flags.mayBeEmpty === 'quiet';
  const findings = loaded.findings.filter((finding) => !mayBeEmpty || !empty.includes(finding));
  stopOnErrors(findings, 'Correct them first. Nothing was read from the service and nothing was sent.');
  tellWarnings(selectedOf({ ...loaded, findings }).findings, world);
  // A saved plan holds the names of its manifests.
  const target = saved === null ? targetsOf(selected, selection.target) : selection.target;
  return {
    ...place,
    campaigns,
    selected,
    outside: loaded.outside,
    sources: sourcesOf(target),
    selection: { ...selection, target },
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

/** State entries and unreconciled requests. `outside`: campaigns of theirs in files of other environments. */
export async function readState({ project, store, outside }: Session) {
  const [entries, operations] = await Promise.all([store.readAll(), store.pending()]);
  const pending = operations.filter((operation) => !isOfProbe(operation));
  const files = [...entries, ...pending].flatMap((known) => entryFile(known, outside) ?? []);
  return {
    entries,
    pending,
    probes: operations.filter(isOfProbe),
    outside: describedIn(project, new Set(files)),
  };
}

/** Relative to the project: a saved plan may be applied from another folder. */
function selectionOf(
  { root }: Project,
  { files = [], target = [], hold = [] }: SessionFlags,
  { cwd }: World,
): Selection {
  const fromRoot = (file: string) => relative(root, resolve(realpathSync.native(cwd), file)) || '.';
  // An empty name is refused later.
  return { files: files.map((file) => file && fromRoot(file)), target, hold };
}

/** Failure if there are errors. */
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
 * Expands targets: names or patterns, commas, `!` to exclude. Only exclusions mean all others. Failure if a target matches
 * nothing, or nothing is left.
 */
export function targetsOf(campaigns: readonly Campaign[], targets: readonly string[]): string[] {
  const names = campaigns.map(({ spec }) => spec.name);
  // A name may contain these characters.
  const isName = (target: string) => names.includes(target.replace(/^!/, '')) || names.includes(target);
  const parts = targets.flatMap((target) => (isName(target) ? [target] : partsOf(target)));
  const isExclusion = (part: string) => part.startsWith('!') && !names.includes(part);
  const namesOf = (part: string) => (names.includes(part) ? [part] : matching(part, names));
  const included = parts.filter((part) => !isExclusion(part));
  const excluded = new Set(parts.filter(isExclusion).flatMap((part) => namesOf(part.slice(1))));
  const meant = targets.length > 0 && included.length === 0 ? names : included.flatMap(namesOf);
  const selected = [...new Set(meant)].filter((name) => !excluded.has(name));
  if (targets.length === 0 || selected.length > 0) return selected;
  throw new Failure({
    code: 'unknown-target',
    message: `No campaign is left (--target ${listed(targets)}).`,
    hint: 'Exclude fewer campaigns.',
  });
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
  const pattern = parseGlob(part);
  const isPattern = pattern !== null;
  const matches = isPattern ? names.filter((name) => pattern.test(name)) : [];
  if (matches.length > 0) return matches;
  const near = isPattern ? null : nearest(part, names);
  const exact = `Write the name exactly as in the manifest${isPattern ? '; * stands for any text, ? for one character' : ''}.`;
  throw new Failure({
    code: 'unknown-target',
    message: `No manifest has ${isPattern ? 'a name like' : 'the name'} "${part}" (--target).`,
    hint: near === null ? exact : `Did you mean "${near}"?`,
  });
}

/** Changes that were not applied to `earlier` (`null`: not required), by its state. */
export async function unappliedBefore(
  { works }: Pick<Refresh, 'works'>,
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
  const declared = works.filter(isDeclared);
  if (!declared.some(({ plan }) => differs(plan))) return [];
  const { campaigns } = await loadCampaigns(project, {
    environments: [before],
    files: selection.files,
    cwd: project.root,
  });
  const entries = await stateOf(project, before, world).store.readAll();
  return unapplied(declared, environment, {
    environment: before,
    campaigns: campaigns[before.name] ?? [],
    entries,
  });
}
