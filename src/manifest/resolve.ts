import type { Environment } from '../model/environment.js';
import { isObject, type Json, type JsonObject } from '../model/json.js';
import type { Path, Place } from '../model/problem.js';
import type { Campaign, CampaignSpec } from '../model/spec.js';
import { fillBodies } from './emails.js';
import { valueAt } from './expand.js';
import type { Values } from './expressions.js';
import type { ReadFile } from './file-text.js';
import { errorAt, type SourceFinding } from './finding.js';
import { fillIds } from './ids.js';
import type { GivenValue } from './instances.js';
import { unknownEnvironments, unknownNames } from './names.js';
import type { Origin } from './origin.js';
import { applyOverlay, isFromOverlay, without } from './overlay.js';
import type { Piece } from './pieces.js';
import { STRICT } from './strict.js';
import { validate } from './validate.js';
import type { Violation } from './violation.js';

/**
 * One campaign of a manifest, parsed and checked: its shared pieces put in, its expressions replaced. `manifest` is its name
 * in plans; `unused` are values of `for_each` that the document itself does not use; `broken` names the sections that are not as the schema says, '' for the document as a whole.
 */
export interface ManifestDocument {
  manifest: string;
  file: string;
  document: number;
  value: Json;
  pieces: readonly Piece[];
  values: Values;
  origin: Origin;
  unused: readonly GivenValue[];
  broken: string[];
}

/** How a project, or one manifest, weighs a rule of the linter. */
export type RuleSwitch = 'off' | 'warning' | 'error';

/**
 * A campaign to be linted. `at` tells where a value of the resolved spec was written (base, overlay, shared piece or body file);
 * `unused`: values of `for_each` that nothing uses, and where the first of the name is given; `waive`: the policies that its
 * manifest waives, with the reasons; `lint`: the rules that it weighs differently.
 */
export interface LintSubject extends Omit<Campaign, 'remarks'> {
  unused?: readonly GivenValue[];
  waive: Readonly<Record<string, string>>;
  lint: Readonly<Record<string, RuleSwitch>>;
  at(path: Path, options?: { text?: string; target?: 'key' | 'value' }): Place;
}

/**
 * A manifest for one environment. `sound` says whether nothing is wrong with it; where something is, `subject` holds
 * the sections that are right, so that they can be linted all the same, or is null where there is no name.
 */
export interface Resolved {
  subject: LintSubject | null;
  sound: boolean;
  /** Whether every section that policies speak of is right. */
  whole: boolean;
  findings: SourceFinding[];
}

/** What is wrong with a document as it is written, before any overlay. `environments`: those of the project. */
export function checkDocument(
  { value, pieces, origin }: Pick<ManifestDocument, 'value' | 'pieces' | 'origin'>,
  environments: readonly string[],
) {
  const violations = violationsOf(value, pieces);
  const strange = isObject(value) ? unknownEnvironments(value, environments) : [];
  return {
    broken: [...new Set(violations.map(({ path }) => sectionOf(path)))],
    findings: [
      ...violations.map(origin.report),
      ...strange.map(({ path, ...wording }) => errorAt({ ...origin.at(path), target: 'key' }, wording)),
    ],
  };
}

/** A piece in an overlay is a whole section, not only what differs, and is checked as one. */
function violationsOf(value: Json, pieces: readonly Piece[]): Violation[] {
  const own = pieces.filter(({ path }) => path.length > 1).map(({ path }) => path);
  const rest = own.reduce<Json>(withoutPath, value);
  const inPieces = own.flatMap((path) => {
    const document = { name: '-', [String(path.at(-1))]: valueAt(value, path) ?? null };
    return validate(document, STRICT).map((one) => ({ ...one, path: [...path, ...one.path.slice(1)] }));
  });
  return [...validate(rest, STRICT), ...inPieces];
}

function withoutPath(value: Json, path: Path): Json {
  const [key = '', ...rest] = path.map(String);
  if (!isObject(value)) return value;
  return rest.length === 0 ? without(value, key) : { ...value, [key]: withoutPath(value[key] ?? null, rest) };
}

/**
 * A document for one environment: overlay applied, checked again, names looked up, files read in. Names and files of
 * a document that is wrong elsewhere are checked all the same, so that everything is said at once.
 */
export function resolve(source: ManifestDocument, environment: Environment, readFile: ReadFile): Resolved {
  const { value, broken, origin, values } = source;
  if (!isObject(value)) return { subject: null, sound: false, whole: false, findings: [] };
  const overlay = overlayFor(source, value, environment.name);
  const base = [...overlay.whole].reduce(without, without(without(value, 'environments'), 'lint'));
  const merged = applyOverlay(base, overlay.value ?? {});
  const written = (path: Path): Path => writtenIn(overlay, path, environment.name);
  const at = (path: Path): Place => origin.at(written(path));
  const sequence = fillBodies(merged.sequence, at, { readFile, values });
  const leads = fillIds(merged.leads, at, readFile);
  const violations = broken.length === 0 && overlay.value !== null ? validate(merged, STRICT) : [];
  const names = unknownNames(merged, environment);
  const wrong = new Set([
    ...broken,
    ...[...violations, ...names].map(({ path }) => sectionOf(path)),
    ...(sequence.findings.length > 0 ? ['sequence'] : []),
    ...(leads.findings.length > 0 ? ['leads'] : []),
  ]);
  const { waive, ...sections } = merged;
  const filled = { ...sections, sequence: sequence.value, leads: leads.value };
  const subject: LintSubject = {
    manifest: source.manifest,
    file: source.file,
    document: source.document,
    lint: switchesOf(value, wrong),
    spec: specOf(filled, wrong),
    unused: wrong.size > 0 ? [] : unusedIn(source, environment.name, sequence.names),
    waive: waiversOf(waive),
    at: (path, options = {}) => ({
      ...at(path),
      ...(sequence.origin(path) ?? leads.origin(path)),
      target: options.target ?? 'value',
      text: options.text ?? null,
    }),
  };
  return {
    subject: typeof merged.name !== 'string' || wrong.has('name') || wrong.has('') ? null : subject,
    sound: wrong.size === 0,
    whole: [...wrong].every((section) => section === 'waive'),
    findings: origin.settle([
      ...violations.map((violation) => origin.report({ ...violation, path: written(violation.path) })),
      ...names.map(({ path, ...wording }) => errorAt(at(path), wording)),
      ...sequence.findings,
      ...leads.findings,
    ]),
  };
}

/** What the bodies do not use either; nothing where other environments have bodies of their own, which are not read now. */
function unusedIn(
  { value, unused }: ManifestDocument,
  environment: string,
  names: ReadonlySet<string>,
): GivenValue[] {
  const overlays = valueAt(value, ['environments']);
  const others = Object.entries(isObject(overlays) ? overlays : {}).filter(([name]) => name !== environment);
  const isOpen = others.some(([, overlay]) => isObject(overlay) && overlay.sequence !== undefined);
  return isOpen ? [] : unused.filter(({ name }) => !names.has(name));
}

/** The section that a path leads into, in an overlay too; '' for the document as a whole. */
export function sectionOf(path: Path): string {
  return String((path[0] === 'environments' ? path[2] : path[0]) ?? '');
}

/** The overlay of one environment, null if it has none; `whole` are its sections that come from a piece. */
interface Overlay {
  value: JsonObject | null;
  whole: ReadonlySet<string>;
}

function overlayFor({ pieces }: ManifestDocument, document: JsonObject, environment: string): Overlay {
  const value = valueAt(document, ['environments', environment]);
  const own = pieces.filter(({ path }) => path.length > 1 && path[1] === environment);
  return {
    value: isObject(value) ? value : null,
    whole: new Set(own.map(({ path }) => String(path.at(-1)))),
  };
}

/** The path in the document of a value of the merged one. */
function writtenIn({ value, whole }: Overlay, path: Path, environment: string): Path {
  const isIn =
    path.length > 0 && value !== null && (whole.has(String(path[0])) || isFromOverlay(value, path));
  return isIn ? ['environments', environment, ...path] : path;
}

/** What the validator has seen as names with reasons. */
function waiversOf(waive: Json | undefined): Record<string, string> {
  const entries = isObject(waive) ? Object.entries(waive) : [];
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

/** The validator has seen them, unless they are left out. */
function switchesOf({ lint }: JsonObject, left: ReadonlySet<string>): LintSubject['lint'] {
  return isObject(lint) && !left.has('lint') ? (lint as Record<string, RuleSwitch>) : {};
}

/** The one place where a checked document becomes a spec: the validator has seen every section that is not left out. */
function specOf(filled: { [key: string]: Json | undefined }, left: ReadonlySet<string>): CampaignSpec {
  const sections = Object.entries(filled).filter(([key, section]) => section !== undefined && !left.has(key));
  return Object.fromEntries(sections) as unknown as CampaignSpec;
}
