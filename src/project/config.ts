import { dirname, join, sep } from 'node:path';
import type { CutText } from '../manifest/cut-texts.js';
import { errorAt, type SourceFinding, toPlace } from '../manifest/errors.js';
import type { FileText } from '../manifest/files.js';
import { locate } from '../manifest/locate.js';
import { nearest } from '../manifest/nearest.js';
import { parseYaml } from '../manifest/parse.js';
import { validate } from '../manifest/validate.js';
import type { SourceAt, Violation } from '../manifest/violation.js';
import { toFinding } from '../manifest/wording.js';
import { sourcesOf } from '../manifest/written.js';
import { Failure } from '../model/failure.js';
import { isObject, type Json, type Path, valueAt, without } from '../model/json.js';
import type { KnownToken } from '../model/mask.js';
import type { LocatedFinding } from '../model/outputs.js';
import { compilePolicies, type Policy } from '../rules/policies.js';
import { tokenFindings } from '../rules/tokens.js';
import { checkProject } from './check.js';
import { checkableConfig } from './checkable.js';
import type { ProjectConfig } from './config.generated.js';
import { type ConfigFiles, extendedWording, misplacedKeys, placeOf, withExtended } from './extends.js';
import { extendsSchema, projectSchema } from './schema.js';
import { validate as validator } from './validator.generated.js';

/** `value`: the effective configuration. */
export interface ParsedConfig extends ConfigFiles {
  value: ProjectConfig;
  policies: Policy[];
}

/**
 * `read`: reads the file that the project file extends; `null` to leave it out. `omitted`: keys of the project file that are left
 * out, with their errors.
 */
interface ParseOptions {
  tokens?: readonly KnownToken[];
  read?: ((name: string) => FileText) | null;
  omitted?: readonly string[];
}

/** Paths in findings are relative to the folder that `file` is relative to. */
export function parseConfig(
  file: string,
  text: string,
  { tokens = [], read = null, omitted = [] }: ParseOptions = {},
): ParsedConfig {
  const { own, base, config } = parseFiles(file, text, { read, omitted });
  const secrets = [own, base].flatMap((part) => (part === null ? [] : secretsIn(part, tokens)));
  const files = { ...own, config: own.value, extended: base && { ...base, config: base.value } };
  const broken = [...own.findings, ...(base?.findings ?? []), ...secrets];
  // The schemas guarantee the type.
  const value = config as unknown as ProjectConfig;
  const { policies, violations } =
    broken.length > 0
      ? { policies: [], violations: [] }
      : compilePolicies(value.policies ?? {}, Object.keys(value.environments));
  const placed = [...checkProject(config), ...violations]
    .map((violation) => toFinding(placeOf(files, violation.path), violation))
    .filter((finding) => base === null || finding.place.file !== base.file || !isOfOthers(finding, value));
  const findings = [...broken, ...placed];
  if (findings.length > 0) throw invalidProject(own, base, locateIn([own, base], findings, tokens));
  return { ...(files as unknown as ConfigFiles), value, policies };
}

/** `config`: the values of both files, perhaps with errors. */
function parseFiles(
  file: string,
  text: string,
  { read, omitted }: Required<Pick<ParseOptions, 'read' | 'omitted'>>,
): { own: CheckedFile; base: ReturnType<typeof parseExtended>; config: Json } {
  const own = parseFile(
    file,
    text,
    (value, sourceAt) =>
      strayManifest(value) ?? validate(value, { validator, schema: projectSchema, copy: [] }, sourceAt),
    omitted,
  );
  const base = read === null ? null : parseExtended(own, read);
  return { own, base, config: base === null ? own.value : withExtended(own.value, base.name, base.value) };
}

/** What manifests can be checked with, although a file has errors; `null` if that is not known. */
export function parseCheckable(
  file: string,
  text: string,
  read: NonNullable<ParseOptions['read']>,
): ParsedConfig | null {
  const { own, base, config } = parseFiles(file, text, { read, omitted: [] });
  const findings = [...own.findings, ...(base?.findings ?? [])];
  const places = findings.flatMap(({ place }) => ('path' in place ? [place.path] : []));
  const value = checkableConfig(config, [...places, ...checkProject(config).map(({ path }) => path)]);
  if (value === null) return null;
  const { policies, violations } = compilePolicies(value.policies ?? {}, Object.keys(value.environments));
  return { ...own, config: value, extended: null, value, policies: violations.length > 0 ? [] : policies };
}

/** A manifest instead of a project file. */
function strayManifest(value: Json): Violation[] | null {
  if (!isObject(value)) return null;
  const isProject = ['version', 'manifests', 'extends'].some((key) => Object.hasOwn(value, key));
  const isManifest = ['name', 'sequence', 'schedule', 'leads'].some((key) => Object.hasOwn(value, key));
  if (isProject || !isManifest) return null;
  const message = 'This is a manifest, not a project file.';
  const hint = 'Specify the file that has version, manifests and environments, usually campaignctl.yaml.';
  return [{ code: 'wrong-value', message, hint, path: [], target: 'value' }];
}

function secretsIn({ file, document, value }: CheckedFile, tokens: readonly KnownToken[]): SourceFinding[] {
  const at = (path: Path, { text = null }: { text?: string | null }) => ({
    ...toPlace(file, document, path),
    text,
  });
  return tokenFindings(value, at, tokens);
}

/** Policies of several projects may be for environments that only some have. A misspelt name is still an error. */
function isOfOthers({ code, place }: SourceFinding, config: ProjectConfig): boolean {
  if (code !== 'unknown-environment' || !('path' in place)) return false;
  const name = valueAt(config as unknown as Json, place.path);
  return nearest(String(name), Object.keys(config.environments)) === null;
}

/** `value`: `null` if the file is not valid YAML. */
interface CheckedFile {
  file: string;
  text: string;
  document: number;
  cuts: readonly CutText[];
  value: Json;
  findings: SourceFinding[];
}

type ValueCheck = (value: Json, sourceAt: SourceAt | null) => readonly Violation[];

function parseFile(
  file: string,
  text: string,
  check: ValueCheck,
  omitted: readonly string[] = [],
): CheckedFile {
  const { documents, findings } = parseYaml(file, text);
  const [first, second] = documents;
  const parsed = { file, text, document: first?.document ?? 0, cuts: first?.cuts ?? [] };
  if (first === undefined || findings.length > 0) return { ...parsed, value: null, findings };
  if (second !== undefined) {
    const message = 'The file contains more than one document.';
    const hint = 'Remove the line "---" and everything below it.';
    const place = toPlace(file, second.document, []);
    return { ...parsed, value: null, findings: [errorAt(place, { code: 'wrong-value', message, hint })] };
  }
  const { document, numbers } = first;
  const value = omitted.reduce((rest, key) => (isObject(rest) ? without(rest, key) : rest), first.value);
  const wrong = check(value, sourcesOf(numbers)).map((violation) =>
    toFinding(toPlace(file, document, violation.path), violation),
  );
  return { ...parsed, value, findings: wrong };
}

/** Returns `null` if the project file extends no file. `name`: as in the project file. */
function parseExtended(
  { file, document, value, findings }: CheckedFile,
  read: (name: string) => FileText,
): (CheckedFile & { name: string }) | null {
  const name = isObject(value) ? value.extends : undefined;
  const isWrong = findings.some(({ place }) => 'path' in place && place.path[0] === 'extends');
  if (typeof name !== 'string' || isWrong) return null;
  const path = slashed(join(dirname(file), name));
  const result = read(name);
  if ('text' in result) return { ...parseFile(path, result.text, checkExtended), name: slashed(name) };
  const finding = errorAt(toPlace(file, document, ['extends']), extendedWording(result.problem, name));
  return { name, file: path, text: '', document: 0, cuts: [], value: null, findings: [finding] };
}

/** Uses the validator of project files, because both kinds of files have the same keys in common. */
function checkExtended(value: Json, sourceAt: SourceAt | null): Violation[] {
  const schema = { validator, schema: extendsSchema, copy: [] };
  if (!isObject(value)) return validate(value, schema, sourceAt);
  const misplaced = misplacedKeys(value);
  const rest = misplaced.reduce((others, { path: [key = ''] }) => without(others, String(key)), value);
  const whole = { version: 1, manifests: ['*'], environments: { sandbox: { sandbox: {} } }, ...rest };
  return [...misplaced, ...validate(whole, schema, sourceAt)];
}

function locateIn(
  files: readonly (CheckedFile | null)[],
  findings: readonly SourceFinding[],
  tokens: readonly KnownToken[],
): LocatedFinding[] {
  const source = (name: string) => files.find((candidate) => candidate?.file === name)?.text ?? '';
  return locate(findings, (name) => ({ text: source(name), kind: 'yaml' }), tokens);
}

function invalidProject(
  { file }: CheckedFile,
  base: CheckedFile | null,
  findings: readonly LocatedFinding[],
): Failure {
  const errors = findings.length === 1 ? 'an error' : `${findings.length} errors`;
  const isOwn = (finding: LocatedFinding) => finding.file === file;
  const message =
    base === null || findings.every(isOwn)
      ? `The project file ${file} has ${errors}.`
      : findings.some(isOwn)
        ? `The project file ${file} and ${base.file}, which it extends, have ${errors}.`
        : `${base.file}, which the project file ${file} extends, has ${errors}.`;
  const hint = `Correct the file${findings.some(isOwn) && !findings.every(isOwn) ? 's' : ''} and run the command again. Nothing was sent.`;
  return new Failure({ code: 'invalid-project', message, hint }, { findings });
}

function slashed(path: string): string {
  return path.replaceAll(sep, '/');
}
