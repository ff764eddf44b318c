import { manifestParser } from '../../src/manifest/documents.js';
import type { FileText } from '../../src/manifest/files.js';
import { locate } from '../../src/manifest/locate.js';
import type { RuleSwitch } from '../../src/manifest/resolve.js';
import type { Environment } from '../../src/model/environment.js';
import { checkCampaigns } from '../../src/rules/check.js';
import type { Policy } from '../../src/rules/policies.js';
import { environment } from '../support/environment.js';

/** An environment with all defaults. */
export const production: Environment = { ...environment(), custom_variables: null };

const unnamed = { lead_lists: {}, schedule_templates: {} };
export const staging: Environment = { ...production, name: 'staging', ...unnamed };

/** Parses and resolves `campaigns/spring.yaml`. Returns campaigns and located findings. */
export function check(
  files: Readonly<Record<string, string>>,
  options: {
    environments?: readonly Environment[];
    rules?: Record<string, RuleSwitch>;
    policies?: readonly Policy[];
  } = {},
) {
  const { environments = [production], rules = {}, policies = [] } = options;
  const readFile = (file: string): FileText => {
    const text = files[file];
    if (text !== undefined) return { text };
    return { problem: /^(?:\.\.)?\//.test(file) ? 'file-outside-project' : 'file-not-found' };
  };
  const main = 'campaigns/spring.yaml';
  const parsed = manifestParser(['production', 'staging'], readFile).parse(main, files[main] ?? '');
  const resolved = environments.map((environment) =>
    checkCampaigns(parsed.documents, environment, { readFile, rules, policies }),
  );
  const findings = locate([...parsed.findings, ...resolved.flatMap((each) => each.findings)], (file) => ({
    text: files[file] ?? '',
    kind: file === main || parsed.files.has(file) ? 'yaml' : 'plain',
  }));
  return { campaigns: resolved.map((item) => item.campaigns), findings };
}

export function seen(manifest: string, options?: Parameters<typeof check>[1]): string[][] {
  return check({ 'campaigns/spring.yaml': manifest }, options).findings.map(
    ({ line, column, length, code, message, hint }) => [`${line}:${column}+${length} ${code}`, message, hint],
  );
}
