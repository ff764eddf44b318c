/**
 * Lint rules and policies, run by one engine in linear time. Findings have stable codes, explained in docs/rules.md and
 * docs/policies.md.
 */
export {
  type CheckedCampaigns,
  type Checker,
  checkCampaigns,
  createChecker,
  RULES,
  type RuleSwitches,
  switchViolations,
} from './check.js';
export { compilePolicies, type Policy, policyTexts } from './policies.js';
export { checkResults } from './results.js';
