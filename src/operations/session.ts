import { realpathSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { quoted } from '../manifest/errors.js';
import type { Environment } from '../model/environment.js';
import { Failure, usage } from '../model/failure.js';
import { type Hold, launchPattern } from '../model/hold.js';
import type { LocatedFinding, RefreshMode } from '../model/outputs.js';
import type { Campaign } from '../model/spec.js';
import { argumentOf, count, listed } from '../model/words.js';
import { fingerprint } from '../plan/fingerprint.js';
import type { Selection } from '../plan/input.js';
import { entryFile } from '../plan/match.js';
import { needsPromotion, withPromotion } from '../plan/promotion.js';
import type { Refresh } from '../plan/refresh.js';
import { refuseOtherEnvironment, refuseOtherSources, type SavedPlan } from '../plan/saved-plan.js';
import { describedIn, loadCampaigns, selectCampaigns } from '../project/campaigns.js';
import { type Project, selectEnvironment } from '../project/project.js';
import { openPlace, openState, type PlaceFlags, type ProjectPlace } from './place.js';
import { isAboutPatterns, matching, stopOnErrors, targetsOf, tellWarnings } from './validate.js';
import { askedEnvironment, type World } from './world.js';

/** A place with the valid campaigns of its environment, and what to plan. */
export interface Session {
  place: ProjectPlace;
  campaigns: Campaign[];
  /** Campaigns of the requested files. */
  selected: Campaign[];
  filesOfOtherEnvironments: ReadonlySet<string>;
  /** True if no file matches the patterns of the environment. */
  isUnmatched: boolean;
  /** Findings about patterns that match nothing, or only nearly. */
  unmatchedPatterns: readonly LocatedFinding[];
  /** Files that manifests are read from. */
  files: readonly string[];
  /** A hash for each manifest and one for the environment. */
  sources: Record<string, string>;
  selection: Selection;
  refresh: RefreshMode;
  /** Manifests whose campaigns a saved plan has read. */
  again: ReadonlySet<string>;
  /** The environment to which changes must have been applied; `null` if none is required. */
  earlier: Environment | null;
  /** True if only drift is shown. */
  drift: boolean;
}

export interface SessionFlags extends PlaceFlags {
  files?: string[];
  target?: string[];
  hold?: Hold[];
  refresh?: RefreshMode | null;
  /** Overrides `require_applied` in the project file, unless it is `null`. */
  requireApplied?: string | null;
  drift?: boolean;
  /** True if the command runs for several projects or environments. */
  isOneOfMany?: boolean;
  /** Suppresses warnings, such as those about patterns that match nothing yet. */
  isImport?: true;
}

/** Fails if a manifest is invalid, or if the saved plan was made from different values. */
export async function openSession(
  flags: SessionFlags,
  world: World,
  saved: SavedPlan | null = null,
): Promise<Session> {
  if (saved !== null) refuseOtherEnvironment(saved, askedEnvironment(flags, world));
  const place = await openPlace({ ...flags, env: saved?.plan.environment ?? flags.env }, world);
  const { project, environment } = place;
  const selection = saved?.selection ?? selectionOf(project, flags, world);
  const loaded = await loadCampaigns(place.manifests, {
    environments: [environment],
    inPlan: true,
    files: saved?.selection.files ?? flags.files ?? [],
    cwd: saved === null ? world.cwd : project.root,
    env: world.env,
  });
  const campaigns = loaded.campaigns[environment.name] ?? [];
  const selected = campaigns.filter(({ file }) => loaded.selected.has(file));
  // `refuseNoManifests` decides about patterns, because an import may write the first manifest.
  stopOnErrors(
    loaded.findings.filter((finding) => !isAboutPatterns(finding)),
    CORRECT_FIRST,
  );
  if (!flags.isImport) {
    const { findings } = selectCampaigns(loaded);
    const rest = unshown(findings, selected);
    tellWarnings(rest, { file: project.file, shown: findings.length - rest.length }, world);
  }
  // A saved plan names its campaigns, so patterns are not matched again.
  const target = saved === null ? targetsOf(selected, selection.target) : selection.target;
  if (saved === null && !flags.isOneOfMany) refuseUnknownHolds(selected, selection);
  const planned = selected.filter(({ spec }) => target.length === 0 || target.includes(spec.name));
  const sources = hashFiles(project, environment.name, planned);
  if (saved !== null) refuseOtherSources(saved, sources, project);
  return {
    place,
    campaigns,
    selected,
    filesOfOtherEnvironments: loaded.outside,
    isUnmatched: loaded.unmatched.includes(environment.name),
    unmatchedPatterns: loaded.findings.filter(isAboutPatterns),
    files: loaded.files,
    sources,
    selection: {
      ...selection,
      target,
      ...(saved === null && selection.target.length > 0 ? { patterns: selection.target } : {}),
    },
    refresh: saved === null ? (flags.refresh ?? 'all') : modeOf(saved),
    again: new Set(saved === null ? [] : manifestsRead(saved)),
    drift: flags.drift ?? false,
    earlier: flags.isImport
      ? null
      : earlierOf(project, environment, flags.requireApplied ?? saved?.plan.require_applied ?? null),
  };
}

/** Findings about campaigns of a plan are among its remarks. */
function unshown(findings: readonly LocatedFinding[], campaigns: readonly Campaign[]): LocatedFinding[] {
  const remarks = campaigns.flatMap((campaign) => campaign.remarks.map(({ code, at }) => `${code} ${at}`));
  const shown = new Set(remarks);
  return findings.filter(({ code, file, line }) => !shown.has(`${code} ${file}:${line}`));
}

/** A misspelt name would let a launch pass. */
function refuseUnknownHolds(campaigns: readonly Campaign[], { hold }: Pick<Selection, 'hold'>): void {
  const names = campaigns.map(({ spec }) => spec.name);
  for (const name of hold.map(launchPattern)) if (name !== null) matching(name, names, '--hold');
}

function earlierOf(
  project: Project,
  { name, require_applied }: Environment,
  required: string | null,
): Environment | null {
  const earlier = required ?? require_applied;
  if (earlier === null) return null;
  if (earlier !== name) return selectEnvironment(project, earlier);
  throw usage(
    `--require-applied is ${earlier}, the environment of this run.`,
    'Specify the environment that comes before it, for example: apply --env production --require-applied staging.',
  );
}

function hashFiles(project: Project, name: string, campaigns: readonly Campaign[]): Record<string, string> {
  const { allow, ...environment } = selectEnvironment(project, name);
  // The line numbers of approvals are left out, because they may change.
  const hazards = allow.map(({ hazard }) => hazard);
  return Object.fromEntries([
    [project.file, fingerprint({ ...environment, hazards })],
    ...campaigns.map(({ manifest, spec }) => [manifest, fingerprint(spec)]),
  ]);
}

/** To check a saved plan, the same campaigns are read and planned again. */
function modeOf({ plan }: SavedPlan): RefreshMode {
  return plan.mode === 'changed' ? 'changed' : 'all';
}

function manifestsRead({ plan }: SavedPlan): string[] {
  const read = plan.campaigns.filter(({ action }) => action !== 'not_read');
  return read.map(({ manifest }) => manifest);
}

/** `outside`: campaigns that files of other environments describe. */
export async function readState({ place: { manifests, store }, filesOfOtherEnvironments }: Session) {
  const [entries, pending] = await Promise.all([store.readAll(), store.pending()]);
  const isOfOthers = (file: string) => filesOfOtherEnvironments.has(file);
  const files = [...entries, ...pending].flatMap(({ manifest }) => entryFile(manifest, isOfOthers) ?? []);
  return {
    entries,
    pending,
    outside: describedIn(manifests, new Set(files)),
  };
}

const CORRECT_FIRST = 'Correct the manifests first. Nothing was read from the service or sent to it.';

/** Without manifests, every campaign in the state would count as removed. The cause is usually a mistake in a pattern. */
export function refuseNoManifests(
  { place: { project, environment }, isUnmatched, unmatchedPatterns: findings }: Session,
  { entries, pending }: Awaited<ReturnType<typeof readState>>,
): void {
  const known = new Map([...pending, ...entries].map((campaign) => [campaign.id ?? campaign.name, campaign]));
  if (isUnmatched && known.size === 0) stopOnErrors(findings, CORRECT_FIRST);
  if (!isUnmatched || known.size === 0) return;
  const { name, manifests } = environment;
  const patterns = (manifests ?? project.manifests).map(quoted).join(', ');
  const words = [...known.values()].map(argumentOf);
  const [which, all] =
    words.length > MAX_NAMED ? ['NAME', ' (for all of them: --all instead of NAME)'] : [words.join(' '), ''];
  const forgotten = words.length === 1 ? which : 'NAME';
  throw new Failure(
    {
      code: 'no-manifests',
      message: `No file matches the manifests of ${name} (${patterns}), but its state knows ${count(words.length, 'campaign')}: ${listed(words, MAX_NAMED)}. Nothing was read from the service or sent to it.`,
      hint: `Correct \`manifests\` in ${project.file}, or restore the files. To stop campaigns instead, run campaignctl pause ${which} --env ${name}${all}. To remove a campaign from the state, run campaignctl forget ${forgotten} --env ${name}.`,
    },
    { findings },
  );
}

const MAX_NAMED = 5;

/** A saved plan may be applied from a different folder, so its paths are relative to the project. */
function selectionOf(
  { root }: Project,
  { files = [], target = [], hold = [] }: SessionFlags,
  { cwd }: World,
): Selection {
  const fromRoot = (file: string) => relative(root, resolve(realpathSync.native(cwd), file)) || '.';
  return { files: files.map((file) => file && fromRoot(file)), target, hold };
}

/** Adds refusals of changes that, according to the state of the earlier environment, have not been applied there. */
export async function checkPromotion(
  refresh: Refresh,
  { place, selection, earlier, drift }: Session,
): Promise<Refresh> {
  if (earlier === null || drift || !refresh.plan.campaigns.some(needsPromotion)) return refresh;
  const { project, manifests, environment, world } = place;
  const { campaigns } = await loadCampaigns(manifests, {
    environments: [earlier],
    files: selection.files,
    cwd: project.root,
    env: world.env,
  });
  const entries = await openState(project, earlier, place).store.readAll();
  const before = { environment: earlier, campaigns: campaigns[earlier.name] ?? [], entries };
  return withPromotion(refresh, { environment, earlier: before });
}
