/**
 * Selects the campaigns that `--refresh changed` can skip: in sync when last read, with an unchanged manifest and list row.
 * When in doubt, campaignctl reads the campaign.
 */
import equal from 'fast-deep-equal';
import type { ListedCampaign } from '../model/answer.js';
import { type Environment, serviceAddress } from '../model/environment.js';
import { isEmpty, listOf } from '../model/leads.js';
import type { CampaignSpec } from '../model/spec.js';
import type { PendingOperations, RecordedState, Seen } from '../model/state.js';
import type { Predecessor, Target } from '../model/target.js';
import { statusInList } from '../sections/sending.js';
import { fingerprint, specFingerprint } from './fingerprint.js';
import { isSucceededBy, type Planned } from './planned.js';

/** Omits the results, which change with every email. */
function stableRow({ numbers: _, record: _record, ...row }: ListedCampaign): ListedCampaign {
  return row;
}

/** `tool`: the program's version, because a different version may decode values differently. */
export interface Comparer {
  environment: Environment;
  tool: string;
}

interface SeenInput {
  spec: CampaignSpec;
  listed: ListedCampaign;
  recorded: RecordedState;
  predecessor: Predecessor | null;
}

function seenInputs(
  { spec, listed: row, recorded, predecessor }: SeenInput,
  { environment, tool }: Comparer,
): Seen {
  const { id: _, ...listed } = stableRow(row);
  const { sandbox, token_env, workspace, service, lead_lists, schedule_templates } = environment;
  const lists = (spec.leads?.lists ?? []).map((list) => lead_lists[listOf(list)]);
  const template = spec.schedule && 'template' in spec.schedule && schedule_templates[spec.schedule.template];
  const { known, attached } = recorded;
  const succeeded = predecessor && {
    id: predecessor.id,
    listed: predecessor.row && stableRow(predecessor.row),
  };
  const record = { known, attached, ...(succeeded === null ? {} : { replaced: succeeded }) };
  const address = serviceAddress(environment);
  const compared = {
    tool,
    sandbox,
    address,
    token_env,
    workspace,
    service,
    lists,
    template,
    recorded: record,
  };
  return { manifest: specFingerprint(spec), environment: fingerprint(compared), listed };
}

/** Minimum milliseconds between `updated_at` and a reading, to allow for whole seconds and clock skew. */
const DISTINCT = 60_000;

function isDistinct({ updated_at }: ListedCampaign, at: number): boolean {
  if (updated_at === null) return true;
  const changed = Date.parse(/[zZ]$|[+-]\d\d:?\d\d$/.test(updated_at) ? updated_at : `${updated_at}Z`);
  return Number.isNaN(changed) || changed < at - DISTINCT;
}

/** Codes of problems that every campaign has on some services. */
const LASTING = ['not-readable'];

/**
 * Returns `null` if the campaign differs, or if the plan must repeat a problem. `at`: the time just before its row was
 * read, in milliseconds since 1970.
 */
export function seenNow(
  { plan, target, byHand }: Planned,
  { tool, at }: { tool: string; at: number },
): Seen | null {
  const { campaign, spec, environment, recorded, predecessor, row: listed } = target;
  const isQuiet = plan.problems.every(
    (problem) => campaign.remarks.includes(problem) || LASTING.includes(problem.code),
  );
  if (plan.action !== 'none' || !isQuiet || byHand.length > 0 || listed === null) return null;
  const seen = seenInputs({ spec, listed, recorded, predecessor }, { environment, tool });
  return equal(seen, recorded.seen) || isDistinct(listed, at) ? seen : null;
}

export function seenAtImport(
  spec: CampaignSpec,
  listed: ListedCampaign,
  { recorded, at, ...comparer }: Comparer & { recorded: RecordedState; at: number },
): Seen | null {
  return isDistinct(listed, at) ? seenInputs({ spec, listed, recorded, predecessor: null }, comparer) : null;
}

interface UnreadContext extends Comparer {
  listed: readonly ListedCampaign[];
  pending: readonly PendingOperations[];
  again: ReadonlySet<string>;
}

export function unreadTargets(
  planned: readonly Target[],
  all: readonly Target[],
  { pending, again, environment, tool, listed }: UnreadContext,
): Set<Target> {
  const candidates = new Set(all.flatMap((target) => target.candidates.map(({ id }) => id)));
  const predecessors = new Set(all.map(({ predecessor }) => predecessor?.id));
  const isPending = (campaign: { id: number; name: string }) =>
    pending.some((operations) => operations.id === campaign.id || operations.name === campaign.name);
  const isSettled = ({ id, name, entry, row }: Predecessor, by: number) =>
    isSucceededBy(entry, by) &&
    (row === null || statusInList(row, entry, { environment, listed }).sends === 'no') &&
    !isPending({ id, name: name ?? '' });
  const isSeen = ({ campaign, id, row, entry, problems, predecessor }: Target) => {
    if (id === null || row === null || entry === null) return false;
    const { spec, manifest } = campaign;
    const { recorded } = entry;
    const isDoubted =
      problems.length > 0 ||
      candidates.has(id) ||
      again.has(manifest) ||
      isPending({ id, name: spec.name }) ||
      pending.some((operations) => operations.manifest === manifest);
    const isUnsure = !isEmpty(recorded.doubtful) || recorded.attached_at !== null || recorded.at_defaults;
    const isInSuccession =
      predecessors.has(id) ||
      recorded.superseded_by !== undefined ||
      (predecessor !== null && !isSettled(predecessor, id));
    if (isDoubted || isUnsure || isInSuccession) return false;
    return equal(
      recorded.seen,
      seenInputs({ spec, listed: row, recorded, predecessor }, { environment, tool }),
    );
  };
  return new Set(planned.filter(isSeen));
}
