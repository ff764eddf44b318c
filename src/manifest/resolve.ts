import type { Environment } from '../model/environment.js';
import { isObject, type Json, type JsonObject } from '../model/json.js';
import type { Path, Place } from '../model/problem.js';
import type { CampaignSpec } from '../model/spec.js';
import { fillBodies } from './emails.js';
import type { ReadFile } from './file-text.js';
import { errorAt, placeOf, type SourceFinding } from './finding.js';
import { fillIds } from './ids.js';
import type { LintSubject } from './lint/rule.js';
import { unknownEnvironments, unknownNames } from './names.js';
import { applyOverlay, isFromOverlay, without } from './overlay.js';
import { manifestSchema } from './schema.js';
import { type Rules, validate } from './validate.js';
import { validate as validator } from './validator.generated.js';
import { findingOf } from './violation.js';

const RULES: Rules = { validator, schema: manifestSchema };

/**
 * One document of a manifest, parsed and checked. `manifest` is its name in plans; `broken` names the sections that
 * are not as the schema says, '' for the document as a whole.
 */
export interface ManifestDocument {
  manifest: string;
  file: string;
  document: number;
  value: Json;
  broken: string[];
}

/**
 * A manifest for one environment. `sound` says whether nothing is wrong with it; where something is, `subject` holds
 * the sections that are right, so that they can be linted all the same, or is null where there is no name.
 */
export interface Resolved {
  subject: LintSubject | null;
  sound: boolean;
  findings: SourceFinding[];
}

/** What is wrong with a document as it is written, before any overlay. `environments`: those of the project. */
export function checkDocument(root: Place, value: Json, environments: readonly string[]) {
  const violations = validate(value, RULES);
  const strange = isObject(value) ? unknownEnvironments(value, environments) : [];
  return {
    broken: [...new Set(violations.map(({ path }) => sectionOf(path)))],
    findings: [
      ...violations.map((violation) => findingOf({ ...root, path: violation.path }, violation)),
      ...strange.map(({ path, ...wording }) => errorAt({ ...root, path, target: 'key' }, wording)),
    ],
  };
}

/**
 * A document for one environment: overlay applied, checked again, names looked up, files read in. Names and files of
 * a document that is wrong elsewhere are checked all the same, so that everything is said at once.
 */
export function resolve(source: ManifestDocument, environment: Environment, readFile: ReadFile): Resolved {
  const { value, broken } = source;
  if (!isObject(value)) return { subject: null, sound: false, findings: [] };
  const overlay = overlayFor(value, environment.name);
  const merged = applyOverlay(without(value, 'environments'), overlay ?? {});
  const at = (path: Path): Place => writtenAt(source, path, { environment: environment.name, overlay });
  const sequence = fillBodies(merged.sequence, at, readFile);
  const leads = fillIds(merged.leads, at, readFile);
  const violations = broken.length === 0 && overlay !== null ? validate(merged, RULES) : [];
  const names = unknownNames(merged, environment);
  const wrong = new Set([
    ...broken,
    ...[...violations, ...names].map(({ path }) => sectionOf(path)),
    ...(sequence.findings.length > 0 ? ['sequence'] : []),
    ...(leads.findings.length > 0 ? ['leads'] : []),
  ]);
  const filled = { ...merged, sequence: sequence.value, leads: leads.value };
  const subject: LintSubject = {
    manifest: source.manifest,
    file: source.file,
    document: source.document,
    spec: specOf(filled, wrong),
    at: (path, options = {}) => ({
      ...(sequence.origin(path) ?? leads.origin(path) ?? at(path)),
      target: options.target ?? 'value',
      text: options.text ?? null,
    }),
  };
  return {
    subject: typeof merged.name !== 'string' || wrong.has('name') || wrong.has('') ? null : subject,
    sound: wrong.size === 0,
    findings: [
      ...violations.map((violation) => findingOf(at(violation.path), violation)),
      ...names.map(({ path, ...wording }) => errorAt(at(path), wording)),
      ...sequence.findings,
      ...leads.findings,
    ],
  };
}

/** The section that a path leads into, in an overlay too; '' for the document as a whole. */
function sectionOf(path: Path): string {
  return String((path[0] === 'environments' ? path[2] : path[0]) ?? '');
}

function overlayFor(document: JsonObject, environment: string): JsonObject | null {
  const { environments } = document;
  if (!isObject(environments) || !Object.hasOwn(environments, environment)) return null;
  const overlay = environments[environment];
  return isObject(overlay) ? overlay : null;
}

function writtenAt(
  { file, document }: ManifestDocument,
  path: Path,
  { environment, overlay }: { environment: string; overlay: JsonObject | null },
): Place {
  const inOverlay = overlay !== null && path.length > 0 && isFromOverlay(overlay, path);
  return placeOf(file, document, inOverlay ? ['environments', environment, ...path] : path);
}

/** The one place where a checked document becomes a spec: the validator has seen every section that is not left out. */
function specOf(filled: { [key: string]: Json | undefined }, left: ReadonlySet<string>): CampaignSpec {
  const sections = Object.entries(filled).filter(([key, section]) => section !== undefined && !left.has(key));
  return Object.fromEntries(sections) as unknown as CampaignSpec;
}
