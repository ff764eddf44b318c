/**
 * (live, desired) → changes → steps → plan, for all manifests at once. This is the only planner: every view, the
 * sending and the read-back after it use the value that is made here. Pure: what was read comes in, a plan comes out.
 */

export type { CampaignContext } from '../sections/index.js';
export { explainedLeads, sentLeads, totalAfter, totalLeads, totalNow, union } from '../sections/leads.js';
export { crossedOfMade, settingsOfMade, showsSettings } from '../sections/settings.js';
export {
  contradiction,
  hasRun,
  isSameStatus,
  isSeenAtRest,
  isUnmoved,
  type LiveStatus,
  liveStatus,
  maySend,
  meaningOf,
  showsNoStatus,
  withoutPause,
  withPausedWord,
} from '../sections/status.js';
export { buildPlan, type PlanInput } from './build.js';
export { withoutLeadsLeft } from './by-hand.js';
export { ALL, answersOf, type PlannedBy, type RefreshedCampaign } from './campaign.js';
export { compareEnvironments } from './compare.js';
export { driftOf, lastAfter, unchangedSections } from './drift.js';
export type { SavedPlan } from './files.generated.js';
export { fingerprint, type Selection } from './fingerprint.js';
export {
  campaignThat,
  howToDeclare,
  type OtherApply,
  refusals,
  sendingStatus,
  strangerStatus,
  unfinishedProbes,
} from './hazards.js';
export { leadsOfEntries, sharedEntries, wordOf } from './holders.js';
export { type InventoryInput, takeInventory } from './inventory.js';
export { againstHolders } from './lead-hazards.js';
export {
  fileOf,
  isOutside,
  isRenamed,
  type Match,
  matchCampaigns,
  type OutsideFiles,
} from './match.js';
export { answersFor, liveOf, readableSections, record, recordShown, replan, setBack } from './order.js';
export { unapplied } from './promotion.js';
export {
  NO_EFFECT,
  recordSent,
  type Succession,
  showsEffect,
  type Work,
} from './reconcile.js';
export { type RefreshedRemoval, removedEntries } from './removed.js';
export {
  launchesWithMoreLeads,
  openPlan,
  refuseOtherEnvironment,
  refuseOtherLive,
  refuseOtherSources,
  savePlan,
} from './saved-plan.js';
export { restsInList, seenNow, unreadMatches } from './seen.js';
export {
  asOwnPause,
  isAtRest,
  type ReadPredecessor,
  withPause,
  withPredecessors,
} from './succession.js';
