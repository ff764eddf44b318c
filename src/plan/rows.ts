/**
 * Selects the campaigns whose list row stands for the record: it shows all that the manifest manages and the guards use, and its status is
 * the one that the state last knew. When in doubt, campaignctl reads the record.
 */
import type { ListedCampaign } from '../model/answer.js';
import type { Environment } from '../model/environment.js';
import { isEmpty } from '../model/leads.js';
import { SETTING_NAMES } from '../model/sections.js';
import type { CampaignSpec } from '../model/spec.js';
import type { PendingOperations, RecordedState } from '../model/state.js';
import type { Target } from '../model/target.js';
import { isKnownStatus } from '../sections/sending.js';
import { decodeRow } from '../service/index.js';
import type { Matched } from './match.js';
import { isDeclared, type Planned } from './planned.js';

export function isFromRow({ live }: Target): boolean {
  return live?.record.is === 'shown' && live.record.value.isRow;
}

/** True if the plan neither changes the campaign nor reports anything that its files alone do not explain. */
export function isUnremarkable({ plan, target: { campaign }, byHand }: Planned): boolean {
  return (
    plan.action === 'none' &&
    plan.steps.length === 0 &&
    byHand.length === 0 &&
    plan.problems.every((problem) => campaign.remarks.includes(problem))
  );
}

interface RowsContext {
  environment: Environment;
  pending: readonly PendingOperations[];
  /** Ids of campaigns whose records are read. */
  doubted: ReadonlySet<number>;
}

/** The ids of these campaigns. */
export function standingTargets(
  { targets, manifests }: Matched,
  { environment, pending, doubted }: RowsContext,
): Set<number> {
  const inSuccession = new Set([...targets, ...manifests].map(({ predecessor }) => predecessor?.id));
  const candidates = new Set(manifests.flatMap((target) => target.candidates.map(({ id }) => id)));
  const isPending = ({ id, campaign: { manifest, spec } }: Target) =>
    pending.some(
      (operations) =>
        operations.id === id || operations.name === spec.name || operations.manifest === manifest,
    );
  const standing = targets.filter((target) => {
    const { id, campaign, row, known, reads, problems, predecessor } = target;
    if (
      !isDeclared(target) ||
      id === null ||
      row === null ||
      known === null ||
      reads?.includes('campaign') !== true
    )
      return false;
    const isClear = problems.length === 0 && target.candidates.length === 0 && !candidates.has(id);
    const isAlone = predecessor === null && !inSuccession.has(id);
    if (!isClear || !isAlone || doubted.has(id) || isPending(target)) return false;
    return (
      isSettled(known.recorded) &&
      row.status !== null &&
      isKnownStatus(row.status, known.recorded, environment) &&
      showsManaged(row, campaign.spec)
    );
  });
  return new Set(standing.flatMap(({ id }) => id ?? []));
}

/** True if nothing is in doubt, held, or too recent to be shown. */
function isSettled(recorded: RecordedState): boolean {
  const { doubtful, attached_at, at_defaults, not_kept, launch_held, paused, superseded_by } = recorded;
  const open = [attached_at ?? undefined, not_kept, launch_held, paused, superseded_by];
  return isEmpty(doubtful) && !at_defaults && open.every((fact) => fact === undefined);
}

/** False also if the row cannot be read, which is no error as long as the record can be. */
function showsManaged(row: ListedCampaign, { settings = {} }: CampaignSpec): boolean {
  if (row.record === undefined || row.type !== undefined) return false;
  const record = decodeRow(row);
  const shown = record.is === 'shown' ? record.value.settings : record;
  if (shown.is !== 'shown') return false;
  return SETTING_NAMES.every((name) => settings[name] === undefined || shown.value[name] !== undefined);
}
