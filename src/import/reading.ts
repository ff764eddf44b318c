import { posix } from 'node:path';
import {
  LIMITS,
  type ManifestDocument,
  manifestParser,
  type ReadFile,
  type RuleSwitch,
} from '../manifest/index.js';
import '../model/html-library.js';
import type { Environment } from '../model/environment.js';
import { isObject, type Json } from '../model/json.js';
import { checkCampaigns, type Policy } from '../rules/index.js';

/** Texts of files that are not written yet, by their paths relative to the project. */
export type Texts = ReadonlyMap<string, string>;

/**
 * What a manifest is read with: the environment, all environments of the project, how it weighs the rules, and its policies.
 * `readFile` reads what is on the disk; without it, there is nothing.
 */
export interface ManifestReading {
  environment: Environment;
  environments: readonly Environment[];
  rules: Readonly<Record<string, RuleSwitch>>;
  policies: readonly Policy[];
  readFile?: ReadFile;
}

/** Reads files as if these texts were written: as the project does, without a mark at the start, and nothing too large. */
function withTexts(texts: Texts, others: ReadFile = () => ({ problem: 'file-not-found' })): ReadFile {
  return (file, limit) => {
    const text = texts.get(file);
    if (text === undefined) return others(file, limit);
    return Buffer.byteLength(text) > limit
      ? { problem: 'file-too-large' }
      : { text: text.replace(/^\ufeff/, '') };
  };
}

/** The text of a file once these texts are written; empty where it cannot be read. */
export function textOf(file: string, texts: Texts, { readFile }: Pick<ManifestReading, 'readFile'>): string {
  const found = withTexts(texts, readFile)(file, LIMITS.manifest);
  return 'text' in found ? found.text : '';
}

/** The campaigns of one manifest file once these texts are written, and everything that is wrong with it. */
export function readManifest(file: string, texts: Texts, reading: ManifestReading) {
  const { environment, environments, rules, policies } = reading;
  const readFile = withTexts(texts, reading.readFile);
  const names = environments.map(({ name }) => name);
  const { documents, findings } = manifestParser(names, readFile).parse(file, textOf(file, texts, reading));
  const resolved = checkCampaigns(documents, environment, { readFile, rules, policies });
  return { ...resolved, documents, findings: [...findings, ...resolved.findings] };
}

/** How often each file is named as the body of an email, in the base or an overlay of any of these documents. */
export function countBodies(documents: readonly ManifestDocument[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { file, value } of documents) {
    for (const name of bodiesIn(value)) {
      const path = posix.join(posix.dirname(file), name);
      counts.set(path, (counts.get(path) ?? 0) + 1);
    }
  }
  return counts;
}

function bodiesIn(value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap(bodiesIn);
  if (!isObject(value)) return [];
  const { email_body_file: own, ...rest } = value;
  return [...(typeof own === 'string' ? [own] : []), ...Object.values(rest).flatMap(bodiesIn)];
}
