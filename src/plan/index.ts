/** The only planner, a pure function: (live, desired) → changes → steps → plan. Views, sending and read-back use its value. */

export type { CampaignContext } from '../sections/index.js';
export {
  explainedLeads,
  sentLeads,
  totalLeads,
  union,
  withAttachment,
  withTotalLeads,
} from '../sections/leads.js';
export {
  hasRun,
  isSameStatus,
  isSeenAtRest,
  meaningOf,
  type Sending,
  sending,
  sendingBy,
  sendingStatus,
  showsNoStatus,
  strangerStatus,
  wordOf,
} from '../sections/sending.js';
export { crossedOfMade, settingsOfMade, showsSettings } from '../sections/settings.js';
export { contradiction, isUnmoved, withoutPause, withPausedWord } from '../sections/status.js';
export { refusals } from './approvals.js';
export { type BuiltPlan, buildPlan, type PlanInput } from './build.js';
export { withoutLeadsLeft } from './by-hand.js';
export { compareEnvironments } from './compare.js';
export { driftOf, lastAfter, unchangedSections } from './drift.js';
export type { SavedPlan } from './files.generated.js';
export { fingerprint, type Selection } from './fingerprint.js';
export type { UnkeptState } from './hazards.js';
export { isSending } from './inventory.js';
export { checkIdleOwners } from './leads.js';
export { fileOf, isReplacedBy, type Match, matchCampaigns, type OutsideFiles } from './match.js';
export { ALL } from './match-works.js';
export { campaignThat, howToDeclare } from './messages.js';
export { answersFor, liveOf, readableSections, record, recordShown, replan, setBack } from './order.js';
export { type OtherApply, unfinishedProbes } from './other-runs.js';
export { unapplied } from './promotion.js';
export { NO_EFFECT, recordSent, showsEffect } from './reconcile.js';
export { checkWorkspace, listInventory, type Refresh, type RefreshInput, refresh } from './refresh.js';
export {
  launchesWithMoreLeads,
  openPlan,
  refuseOtherEnvironment,
  refuseOtherLive,
  refuseOtherSources,
  savePlan,
} from './saved-plan.js';
export { seenAtImport, seenNow } from './seen.js';
export { isAtRest, withPause } from './succession.js';
export { type CampaignWork, hasStep, isDeclared, type PlannedWork } from './work.js';
