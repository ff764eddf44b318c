/**
 * What is legal in a manifest and still wrong: the rules of the linter, which hold everywhere, and the policies, which a project
 * declares. They promise findings with stable codes and places, each explained in `docs/rules.md` or `docs/policies.md`. They
 * must not read files, look up lines, or guess what a service does where a manifest is silent.
 */
export { RULES } from './lint/index.js';
export { switchViolations } from './lint/switches.js';
export { type ResolvedCampaigns, resolveCampaigns } from './load.js';
export { policyViolations } from './policy/faults.js';
export { type Policy, policiesOf, policyTexts } from './policy/policies.js';
export { unusedWaivers, type Waiver } from './policy/waivers.js';
