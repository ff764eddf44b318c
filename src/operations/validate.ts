import { realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import { nearest } from '../manifest/nearest.js';
import type { Environment } from '../model/environment.js';
import { Failure, inFiles } from '../model/failure.js';
import { parseGlob } from '../model/glob.js';
import type { LocatedFinding } from '../model/outputs.js';
import { emailTexts, previewedCampaign } from '../model/preview.js';
import type { Campaign } from '../model/spec.js';
import { count, listed } from '../model/words.js';
import { loadCampaigns, selectCampaigns } from '../project/campaigns.js';
import { type OpenManifests, openManifests } from '../project/open-manifests.js';
import { type Project, readCheckable, selectEnvironment } from '../project/project.js';
import { undeclaredVariables } from '../rules/variables.js';
import { errorsAndWarnings } from '../view/problems.js';
import { askedEnvironment, type World } from './world.js';

/** Named files are also compared with all others. */
export async function validateProject(
  manifests: OpenManifests,
  { env, files }: { env: string | null; files: readonly string[] },
  world: World,
): Promise<ReturnType<typeof selectCampaigns> & { unchecked: UncheckedVariables | null }> {
  const { project } = manifests;
  const name = askedEnvironment({ env }, world);
  const environments =
    name === null ? Object.values(project.environments) : [selectEnvironment(project, name)];
  const options = { environments, files, cwd: world.cwd, env: world.env };
  const loaded = selectCampaigns(await loadCampaigns(manifests, options));
  return { ...loaded, unchecked: uncheckedVariables(project, environments, loaded.campaigns) };
}

/** The errors of a project file, and those of its manifests that do not depend on it. */
export async function withManifestFindings(
  failure: Failure,
  { config, files }: { config: string | null; files: readonly string[] },
  { cwd, env }: World,
): Promise<Failure> {
  const project = failure.code === 'invalid-project' ? readCheckable({ cwd, config }) : null;
  if (project === null) return failure;
  const environments = Object.values(project.environments);
  const loaded = await loadCampaigns(openManifests(project), { environments, files, cwd, env }).catch(
    (error) => {
      if (error instanceof Failure) return null;
      throw error;
    },
  );
  const isOwn = ({ file, code }: LocatedFinding) => file !== project.file && !OF_PROJECT.has(code);
  const own = loaded === null ? [] : selectCampaigns(loaded).findings.filter(isOwn);
  if (own.length === 0) return failure;
  const folder = relative(realpathSync.native(cwd), project.root);
  const found = own.map((finding) => inFiles(finding, (file) => join(folder, file)));
  const { code, message } = failure;
  const hint =
    'Correct the files and run the command again. The manifests were checked only as far as they do not depend on the project file.';
  return new Failure({ code, message, hint }, { findings: [...failure.findings, ...found] });
}

/** Codes of findings that errors of the project file may cause. */
const OF_PROJECT: ReadonlySet<string> = new Set([
  ...['unknown-environment', 'unknown-lead-list', 'unknown-schedule-template', 'unknown-policy'],
  ...['undeclared-variable', 'misspelt-variable', 'no-match', 'near-match', 'not-in-environment'],
  ...['shared-workspace', 'file-outside-project'],
]);

/** `names`: variables that the emails use. `sections`: of the project file, where a list of variables is missing. */
export interface UncheckedVariables {
  names: string[];
  sections: string[];
}

/** `null` if all variables are checked. */
function uncheckedVariables(
  project: Project,
  environments: readonly Environment[],
  campaigns: Readonly<Record<string, readonly Campaign[]>>,
): UncheckedVariables | null {
  const used = environments.map((environment) => {
    const isOpen = environment.custom_variables === null;
    const texts = (isOpen ? (campaigns[environment.name] ?? []) : []).flatMap((campaign) =>
      emailTexts(previewedCampaign(campaign)),
    );
    const pieces = new Set(texts.flatMap((text) => text.match(/\{[^{}|]*\}/g) ?? []));
    return {
      section: `environments.${environment.name}`,
      names: undeclaredVariables([...pieces], environment),
    };
  });
  const open = used.filter(({ names }) => names.length > 0);
  if (open.length === 0) return null;
  const isEverywhere = Object.values(project.environments).every(
    ({ custom_variables }) => custom_variables === null,
  );
  return {
    names: [...new Set(open.flatMap(({ names }) => names))].sort(),
    sections: isEverywhere ? ['defaults'] : open.map(({ section }) => section),
  };
}

export function isAboutPatterns({ code }: LocatedFinding): boolean {
  return code === 'no-match' || code === 'near-match';
}

export function stopOnErrors(findings: readonly LocatedFinding[], hint: string): void {
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return;
  const message = `The manifests have ${count(errors.length, 'error')}.`;
  throw new Failure({ code: 'invalid-manifests', message, hint }, { findings: errors });
}

/** `shown`: the number of other findings, which the report shows with the campaigns. */
export function tellWarnings(
  findings: readonly LocatedFinding[],
  { file: projectFile, shown = 0 }: { file: string; shown?: number },
  { err }: Pick<World, 'err'>,
): void {
  const { length } = findings;
  if (length === 0) return;
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const isProject = findings.every(({ file }) => file === projectFile);
  const isMore = shown > 0 && !isProject;
  const found = errorsAndWarnings(errors, length - errors, isMore ? 'more ' : '');
  const where = isProject ? `${projectFile} has` : 'The manifests have';
  const than = isMore ? ' than are shown with the campaigns' : '';
  const which = isMore ? `all ${length + shown}` : length === 1 ? 'it' : 'them';
  err(`${where} ${found}${than}: run campaignctl validate to see ${which}.\n`);
}

/**
 * `written`: names or patterns; `!` excludes. If all exclude, the other campaigns are selected. Fails if they select no
 * campaign.
 */
export function targetsOf(campaigns: readonly Campaign[], written: readonly string[]): string[] {
  const targets = written.map((target) => target.normalize('NFC'));
  const names = campaigns.map(({ spec }) => spec.name);
  // Names may contain `!` and wildcards.
  const isExclusion = (target: string) => target.startsWith('!') && !names.includes(target);
  const namesOf = (target: string) => matching(target, names, '--target');
  const included = targets.filter((target) => !isExclusion(target));
  const excluded = new Set(targets.filter(isExclusion).flatMap((target) => namesOf(target.slice(1))));
  const meant = targets.length > 0 && included.length === 0 ? names : included.flatMap(namesOf);
  const selected = [...new Set(meant)].filter((name) => !excluded.has(name));
  if (targets.length === 0 || selected.length > 0) return selected;
  throw new Failure({
    code: 'unknown-target',
    message: `--target ${listed(targets)} excludes every campaign.`,
    hint: 'Exclude fewer campaigns.',
  });
}

/** Fails if no name matches. `written`: a name or pattern. `option`: the option that contains it. */
export function matching(written: string, names: readonly string[], option: string): string[] {
  const target = written.normalize('NFC');
  if (names.includes(target)) return [target];
  const pattern = parseGlob(target);
  const matches = pattern !== null ? names.filter((name) => pattern.test(name)) : [];
  if (matches.length > 0) return matches;
  throw unknownTarget(written, names, option);
}

/** Nothing in `names` matches. */
export function unknownTarget(written: string, names: readonly string[], option: string): Failure {
  const target = written.normalize('NFC');
  const isPattern = parseGlob(target) !== null;
  const near = isPattern ? null : nearest(target, names);
  const exact = `Write the name exactly as in the manifest${isPattern ? '; * matches any text, and ? matches one character' : ''}.`;
  return new Failure({
    code: 'unknown-target',
    message: `No manifest has ${isPattern ? 'a name that matches' : 'the name'} "${target}" (${option}).`,
    hint: near === null ? exact : `Did you mean "${near}"?`,
  });
}
