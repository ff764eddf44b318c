/**
 * What is legal in a manifest and still wrong: rules that hold everywhere, and policies, which are rules that a project declares.
 * They run in one engine, which promises findings with stable codes and places, each explained in `docs/rules.md` or
 * `docs/policies.md`, in time in proportion to what is written, and that nothing is waived silently. It must not read files, look
 * up lines, or guess what a service does where a manifest is silent.
 */
export {
  type CheckedCampaigns,
  type Checker,
  checkCampaigns,
  createChecker,
  RULES,
  type RuleSwitches,
  switchViolations,
  unusedWaivers,
  type Waiver,
} from './check.js';
export { compilePolicies, type Policy, policyTexts } from './policies.js';
export { checkResults } from './results.js';
