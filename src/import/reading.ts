import { manifestParser } from '../manifest/documents.js';
import { LIMITS, type ReadFile } from '../manifest/files.js';
import type { RuleSwitch } from '../manifest/resolve.js';
import type { Environment } from '../model/environment.js';
import { checkCampaigns } from '../rules/check.js';
import type { Policy } from '../rules/policies.js';

/** Contents of files, not yet written, by path relative to the project. */
export type Texts = ReadonlyMap<string, string>;

export interface ManifestReading {
  environment: Environment;
  environments: readonly Environment[];
  rules: Readonly<Record<string, RuleSwitch>>;
  policies: readonly Policy[];
  readFile: ReadFile;
}

export function textOf(file: string, texts: Texts, { readFile }: Pick<ManifestReading, 'readFile'>): string {
  const read = readFile(file, LIMITS.manifest);
  return texts.get(file) ?? ('text' in read ? read.text : '');
}

export function readManifest(file: string, texts: Texts, reading: ManifestReading) {
  const { environment, environments, rules, policies } = reading;
  const readFile: ReadFile = (name, limit) => {
    const text = texts.get(name);
    return text === undefined ? reading.readFile(name, limit) : { text };
  };
  const names = environments.map(({ name }) => name);
  const { documents, findings } = manifestParser(names, readFile).parse(file, textOf(file, texts, reading));
  const checked = checkCampaigns(documents, environment, { readFile, rules, policies });
  return { ...checked, documents, findings: [...findings, ...checked.findings] };
}
