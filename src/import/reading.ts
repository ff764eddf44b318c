import { manifestParser } from '../manifest/documents.js';
import { LIMITS, type ReadFile } from '../manifest/files.js';
import type { RuleSwitch } from '../manifest/resolve.js';
import type { Environment } from '../model/environment.js';
import { checkCampaigns } from '../rules/check.js';
import type { Policy } from '../rules/policies.js';

/** File contents that are not yet written, by project-relative path. */
export type Texts = ReadonlyMap<string, string>;

/** Without `readFile`, manifests cannot refer to other files. */
export interface ManifestReading {
  environment: Environment;
  environments: readonly Environment[];
  rules: Readonly<Record<string, RuleSwitch>>;
  policies: readonly Policy[];
  readFile?: ReadFile;
}

export function textOf(file: string, texts: Texts, { readFile }: Pick<ManifestReading, 'readFile'>): string {
  const known = texts.get(file);
  if (known !== undefined) return known;
  const read = readFile?.(file, LIMITS.manifest) ?? { text: '' };
  return 'text' in read ? read.text : '';
}

export function readManifest(file: string, texts: Texts, reading: ManifestReading) {
  const { environment, environments, rules, policies } = reading;
  const readFile: ReadFile = (name, limit) => {
    const text = texts.get(name);
    if (text !== undefined) return { text };
    return reading.readFile?.(name, limit) ?? { problem: 'file-not-found' };
  };
  const names = environments.map(({ name }) => name);
  const { documents, findings } = manifestParser(names, readFile).parse(file, textOf(file, texts, reading));
  const checked = checkCampaigns(documents, environment, { readFile, rules, policies });
  return { ...checked, documents, findings: [...findings, ...checked.findings] };
}
