import { setImmediate as nextTurn } from 'node:timers/promises';
import { commentWording } from '../manifest/cut-texts.js';
import { errorAt, type SourceFinding, toPlace } from '../manifest/errors.js';
import { LIMITS, type ReadFile, recordReads } from '../manifest/files.js';
import { inOrder, locateInScopes, positionsOf, type SourceFile } from '../manifest/locate.js';
import { mergeSameCause } from '../manifest/same-cause.js';
import { type Environment, originOf } from '../model/environment.js';
import { isObject, type Json, ownValue } from '../model/json.js';
import type { EnvironmentVariables } from '../model/mask.js';
import type { LintFinding, LocatedFinding } from '../model/outputs.js';
import type { Campaign, Described } from '../model/spec.js';
import { createChecker, RULES } from '../rules/check.js';
import { configSource } from './extends.js';
import { findManifests, patternFindings } from './manifests.js';
import type { OpenManifests } from './open-manifests.js';
import { type Project, tokensOf } from './project.js';

/**
 * `campaigns`: valid campaigns by environment, in file order. `selected`: files of requested manifests; `others`: all other
 * files. `outside`: files of other environments, which are not read. `unmatched`: names of environments whose patterns match
 * no file. `scopes`: the campaign that each finding is about. `manifests`: number of requested documents. `files`: all files
 * that were read. `uses`: those of each manifest.
 */
interface LoadedCampaigns {
  campaigns: Record<string, Campaign[]>;
  selected: ReadonlySet<string>;
  others: ReadonlySet<string>;
  outside: ReadonlySet<string>;
  unmatched: readonly string[];
  findings: LocatedFinding[];
  scopes: ReadonlyMap<LocatedFinding, string>;
  manifests: number;
  files: string[];
  uses: ReadonlyMap<string, ReadonlySet<string>>;
}

/**
 * `files`: requested files and folders, relative to `cwd`; empty for all. `env`: may contain tokens, which are errors.
 * `hasRules`: false to check neither rules nor policies.
 */
interface LoadOptions {
  environments: Environment[];
  files: readonly string[];
  cwd: string;
  env: EnvironmentVariables;
  inPlan?: boolean;
  hasRules?: boolean;
}

/** Fails if a requested file does not exist, or if a requested folder contains no manifest. */
export async function loadCampaigns(
  opened: OpenManifests,
  { environments, files, cwd, env, inPlan = false, hasRules = true }: LoadOptions,
): Promise<LoadedCampaigns> {
  const { project, shared } = opened;
  const matches = await findManifests(project, { files, cwd, environments });
  const selected = new Set(matches.selected);
  // Selected files come last, because the later of two equal names is reported.
  const others = matches.all.filter((file) => !selected.has(file));
  const manifests = [...others, ...selected];
  const { readFile, read } = recordReads(opened.readFile);
  const parsed = new Set<string>();
  const uses = new Map<string, ReadonlySet<string>>();
  const { lint: rules, policies } = hasRules ? project : { lint: NO_RULES, policies: [] };
  const tokens = tokensOf(project, env);
  const checkers = environments.map((environment) => ({
    environment,
    checker: createChecker(environment, { rules, policies, tokens }),
  }));
  let count = 0;
  const findings: SourceFinding[] = [];
  for (const file of manifests) {
    const manifest = opened.parse(file);
    for (const used of manifest.files) parsed.add(used);
    const bodies = recordReads(readFile);
    for (const { environment, checker } of checkers) {
      if (!matches.isOf(environment, file)) continue;
      for (const document of manifest.documents) checker.add(document, bodies.readFile);
    }
    uses.set(file, new Set([file, ...manifest.files, ...bodies.read]));
    if (selected.has(file)) count += manifest.count;
    findings.push(...manifest.findings);
    // Lets signal handlers run.
    await nextTurn();
  }
  findings.unshift(...patternFindings(project, matches, new Set([...parsed, ...read])));
  const lint = new Map<Campaign, readonly LintFinding[]>();
  const campaigns = checkers.map(({ environment, checker }) => {
    const checked = checker.finish();
    findings.push(...checked.findings);
    for (const [at, campaign] of checked.campaigns.entries()) lint.set(campaign, checked.lint[at] ?? []);
    return [environment.name, checked.campaigns] as const;
  });
  findings.push(...cutTexts(project), ...sharedWorkspaces(project, environments, campaigns));
  const isSound = [...findings, ...shared.findings].every(({ severity }) => severity === 'warning');
  const source = (file: string) =>
    configSource(project, file) ?? readSource(file, readFile, parsed.has(file));
  const scopes = locateInScopes(withoutConsequences(findings, shared.findings), source, tokens);
  const remarked = isSound && inPlan ? withLint(campaigns, lint, source) : campaigns;
  return {
    campaigns: Object.fromEntries(remarked),
    selected,
    others: new Set(others),
    outside: new Set(matches.outside),
    unmatched: matches.unmatched,
    findings: [...scopes.keys()],
    scopes,
    manifests: count,
    files: [...new Set([...parsed, ...read])],
    uses,
  };
}

/** Texts of the project file, and of the file that it extends, that YAML ends at " #". */
function cutTexts({ lint, extended, ...own }: Project): SourceFinding[] {
  const code = 'hash-cuts-text';
  const severity = ownValue(lint, code) ?? 'warning';
  if (severity === 'off') return [];
  return [own, ...(extended === null ? [] : [extended])].flatMap(({ file, document, cuts }) =>
    cuts.flatMap(({ path, cut }): SourceFinding[] => {
      if (cut.kind !== 'comment') return [];
      return [{ code, severity, place: toPlace(file, document, path), ...commentWording(path, cut) }];
    }),
  );
}

const NO_RULES = Object.fromEntries(RULES.map(({ code }) => [code, 'off' as const]));

/** A folder that may not be shared is one error, whatever uses its files. */
function withoutConsequences(
  findings: readonly SourceFinding[],
  refusedFolders: readonly SourceFinding[],
): SourceFinding[] {
  if (refusedFolders.length === 0) return [...findings];
  return [...refusedFolders, ...findings.filter(({ code }) => code !== 'file-outside-project')];
}

export function selectCampaigns({
  campaigns,
  selected,
  others,
  findings,
  files,
  manifests,
  uses,
  scopes,
}: LoadedCampaigns): Pick<
  LoadedCampaigns,
  'campaigns' | 'findings' | 'scopes' | 'files' | 'manifests' | 'uses'
> {
  return {
    campaigns: Object.fromEntries(
      Object.entries(campaigns).map(([name, all]) => [name, all.filter(({ file }) => selected.has(file))]),
    ),
    findings: findings.filter(({ file }) => !others.has(file)),
    files: files.filter((file) => !others.has(file)),
    manifests,
    uses,
    scopes,
  };
}

/** Campaigns that the files describe, including those in overlays; `null` for an invalid file. */
export function describedIn(
  opened: OpenManifests,
  files: Iterable<string>,
): Map<string, readonly Described[] | null> {
  const described = (file: string) => {
    const { documents, findings } = opened.parse(file);
    const isSound = findings.every(({ severity }) => severity !== 'error');
    return isSound ? documents.flatMap(({ value }) => describedBy(value)) : null;
  };
  return new Map([...files].map((file) => [file, described(file)]));
}

/** The names that a file gives campaigns, also if other parts of it are invalid. */
export function namesIn(opened: OpenManifests, file: string): string[] {
  const { documents } = opened.parse(file);
  return documents
    .filter(({ unresolved }) => !unresolved.some((path) => path.includes('name')))
    .flatMap(({ value }) => describedBy(value).map(({ name }) => name));
}

function describedBy(document: Json): Described[] {
  const { environments = null, ...base } = isObject(document) ? document : {};
  const overlays = Object.values(isObject(environments) ? environments : {});
  return [{}, ...overlays].flatMap((overlay) => {
    const { name, id } = { ...base, ...(isObject(overlay) ? overlay : {}) };
    return typeof name === 'string' ? [{ name, ...(typeof id === 'number' ? { id } : {}) }] : [];
  });
}

/** Reports environments that would apply the same manifests to one workspace but have separate states. */
function sharedWorkspaces(
  { file }: Project,
  environments: readonly Environment[],
  campaigns: readonly (readonly [string, readonly Campaign[]])[],
): SourceFinding[] {
  const manifests = new Map(
    campaigns.map(([name, all]) => [name, new Set(all.map(({ manifest }) => manifest))]),
  );
  const workspaceOf = (environment: Environment) =>
    environment.sandbox === null ? `${originOf(environment)} ${environment.token_env}` : null;
  return environments.flatMap((environment, at): SourceFinding[] => {
    const { name, token_env } = environment;
    const used = manifests.get(name) ?? new Set();
    const isShared = (other: Environment) =>
      workspaceOf(other) === workspaceOf(environment) &&
      [...(manifests.get(other.name) ?? [])].some((manifest) => used.has(manifest));
    const other = workspaceOf(environment) === null ? undefined : environments.slice(0, at).find(isShared);
    if (other === undefined) return [];
    const finding = errorAt(toPlace(file, 0, ['environments', name, 'base_url']), {
      code: 'shared-workspace',
      message: `${name} and ${other.name} use the same service and token (${token_env}): both would create and change the same campaigns, each with its own state.`,
      hint: 'Give each environment its own workspace and token, or its own manifests.',
    });
    return [{ ...finding, severity: 'warning' }];
  });
}

/** Findings become remarks with their file and line. */
function withLint(
  campaigns: readonly (readonly [environment: string, campaigns: Campaign[]])[],
  lint: ReadonlyMap<Campaign, readonly LintFinding[]>,
  source: (file: string) => SourceFile | null,
): [environment: string, campaigns: Campaign[]][] {
  const positions = positionsOf([...lint.values()].flat(), source);
  const withRemarks = (campaign: Campaign): Campaign => {
    const found = (lint.get(campaign) ?? []).flatMap((finding) => {
      const { place: _, ...problem } = finding;
      const position = positions.get(finding);
      return position === undefined ? [] : { ...problem, ...position };
    });
    const problems = mergeSameCause(found.sort(inOrder)).map(
      ({ code, severity, message, hint, file, line }) => ({
        code,
        severity,
        message,
        hint,
        at: `${file}:${line}`,
      }),
    );
    return problems.length === 0 ? campaign : { ...campaign, remarks: [...campaign.remarks, ...problems] };
  };
  return campaigns.map(([environment, all]) => [environment, all.map(withRemarks)]);
}

function readSource(file: string, readFile: ReadFile, isYaml: boolean): SourceFile | null {
  const kind = isYaml ? 'yaml' : 'plain';
  const result = readFile(file, isYaml ? LIMITS.manifest : LIMITS.ids);
  return 'text' in result ? { text: result.text, kind } : null;
}
