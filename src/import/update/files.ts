import {
  LIMITS,
  manifestParser,
  type ReadFile,
  type RuleSwitch,
  type SourceFinding,
} from '../../manifest/index.js';
import type { Environment } from '../../model/environment.js';
import type { CampaignSpec } from '../../model/spec.js';
import { type Policy, resolveCampaigns } from '../../rules/index.js';
import { type Edit, editText, editValue } from './edit.js';
import { type FileEdit, valueAt, written } from './writing.js';

/** Files with texts that are not written yet, by path; the others are as they are on the disk. */
export type Texts = ReadonlyMap<string, string>;

/** What reading manifests takes. `environments`: all of the project. */
export interface Reading {
  readFile: ReadFile;
  environments: readonly Environment[];
  rules: Readonly<Record<string, RuleSwitch>>;
  policies: readonly Policy[];
}

export function readWith(texts: Texts, readFile: ReadFile): ReadFile {
  return (file, limit) => {
    const text = texts.get(file);
    return text === undefined ? readFile(file, limit) : { text };
  };
}

/** The text of a file; empty where it cannot be read. */
export function textOf(file: string, texts: Texts, { readFile }: Reading): string {
  const result = readWith(texts, readFile)(file, LIMITS.body);
  return 'text' in result ? result.text : '';
}

/** One manifest file for one environment, as it would be read with these texts. */
export function resolveFile(file: string, environment: Environment, texts: Texts, reading: Reading) {
  const names = reading.environments.map(({ name }) => name);
  const readFile = readWith(texts, reading.readFile);
  const { documents, findings } = manifestParser(names, readFile).parse(file, textOf(file, texts, reading));
  const { rules, policies } = reading;
  const resolved = resolveCampaigns(documents, environment, { readFile, rules, policies });
  return { ...resolved, documents, findings: [...findings, ...resolved.findings] };
}

/** The errors of a manifest file in any environment that were not there before. */
export function newErrors(file: string, before: Texts, after: Texts, reading: Reading): SourceFinding[] {
  const errorsOf = (texts: Texts) =>
    reading.environments.flatMap((environment) =>
      resolveFile(file, environment, texts, reading).findings.filter(({ severity }) => severity === 'error'),
    );
  const known = new Set(errorsOf(before).map(keyOf));
  return errorsOf(after).filter((finding) => !known.has(keyOf(finding)));
}

function keyOf({ code, message }: SourceFinding): string {
  return JSON.stringify([code, message]);
}

/** What a manifest says in each environment, by the name of the environment. */
export function specsOf(manifest: string, file: string, texts: Texts, reading: Reading) {
  const specs = new Map<string, CampaignSpec>();
  for (const environment of reading.environments) {
    const { campaigns } = resolveFile(file, environment, texts, reading);
    const found = campaigns.find((campaign) => campaign.manifest === manifest);
    if (found !== undefined) specs.set(environment.name, found.spec);
  }
  return specs;
}

/** The texts with one edit made; null where that is not possible. */
export function applyEdit(texts: Texts, edit: FileEdit, reading: Reading): Texts | null {
  const text = edit.kind === 'file' ? edit.text : editText(textOf(edit.file, texts, reading), edit);
  return text === null ? null : new Map([...texts, [edit.file, text]]);
}

/** Edits of steps in the base become one: the whole list in the overlay, since lists are not merged. */
export function intoOverlay(edits: readonly FileEdit[], value: Parameters<typeof valueAt>[0], name: string) {
  const path = ['sequence', 'steps'];
  const isBase = (edit: FileEdit): edit is FileEdit & Edit =>
    edit.kind !== 'file' && edit.path[0] === 'sequence' && edit.path[1] === 'steps';
  const [first, ...more] = edits.filter(isBase);
  const steps = valueAt(value, path);
  if (first === undefined || steps === undefined) return edits;
  const list = [first, ...more].reduce(
    (now, edit) => editValue(now, edit.path.slice(2), edit),
    written(steps),
  );
  const whole = { ...first, kind: 'set' as const, path: ['environments', name, ...path], value: list };
  return [...edits.filter((edit) => !isBase(edit)), whole];
}
