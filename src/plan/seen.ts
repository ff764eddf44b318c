import equal from 'fast-deep-equal';
import type { ListedCampaign } from '../model/answer.js';
import { type Environment, serviceAddress } from '../model/environment.js';
import type { CampaignSpec } from '../model/spec.js';
import type { PendingOperations, RecordedState, Seen, StateEntry } from '../model/state.js';
import { isEmpty } from '../sections/leads.js';
import { sendingBy } from '../sections/sending.js';
import { fingerprint } from './fingerprint.js';
import type { Match, Predecessor } from './match.js';
import type { PlannedWork } from './work.js';

/**
 * Chooses what `--refresh changed` leaves unread: seen equal, and unchanged in manifest and list. When in doubt, a campaign is
 * read.
 */

/** Without results, which change with every email. */
function stableRow({ numbers: _, ...row }: ListedCampaign): ListedCampaign {
  return row;
}

/** Manifest, environment and row, as compared between runs. */
function seenInputs(
  spec: CampaignSpec,
  row: ListedCampaign,
  {
    environment,
    tool,
    recorded: { known, attached },
    replaced,
  }: Comparer & { recorded: RecordedState; replaced: Pick<Predecessor, 'id' | 'listed'> | null },
): Seen {
  const { id: _, ...listed } = stableRow(row);
  const { sandbox, token_env, workspace, service, lead_lists, schedule_templates } = environment;
  const lists = (spec.leads?.lists ?? []).map((list) => lead_lists[list]);
  const template = spec.schedule && 'template' in spec.schedule && schedule_templates[spec.schedule.template];
  const address = serviceAddress(environment);
  const other = replaced && { ...replaced, listed: replaced.listed && stableRow(replaced.listed) };
  const own = { known, attached, ...(other === null ? {} : { replaced: other }) };
  const compared = { tool, sandbox, address, token_env, workspace, service, lists, template, own };
  return { manifest: fingerprint(spec), environment: fingerprint(compared), listed };
}

/** `tool`: the program's version; another may decode otherwise. */
export interface Comparer {
  environment: Environment;
  tool: string;
}

/** Milliseconds that make `updated_at` distinct despite whole seconds and clock skew. */
const DISTINCT = 60_000;

function isDistinct({ updated_at }: ListedCampaign, at: number): boolean {
  if (updated_at === null) return true;
  const changed = Date.parse(/[zZ]$|[+-]\d\d:?\d\d$/.test(updated_at) ? updated_at : `${updated_at}Z`);
  return Number.isNaN(changed) || changed < at - DISTINCT;
}

/** Problems of every campaign of some services. */
const LASTING = ['not-readable', 'status-believed'];

/**
 * `null` if the campaign differs, or the plan has something to repeat. `at`: before its row was read, in milliseconds since 1970.
 */
export function seenNow(
  { plan, context, campaign, predecessor, listed, byHand }: PlannedWork,
  { tool, at }: { tool: string; at: number },
): Seen | null {
  const { spec, environment, recorded } = context;
  const { remarks, lintProblems: found = [] } = campaign;
  const isQuiet = plan.problems.every(
    (problem) => remarks.includes(problem) || found.includes(problem) || LASTING.includes(problem.code),
  );
  if (plan.action !== 'none' || !isQuiet || byHand.length > 0) return null;
  if (listed === null) return null;
  const replaced = predecessor && { id: predecessor.id, listed: predecessor.listed };
  const seen = seenInputs(spec, listed, { environment, tool, recorded, replaced });
  return equal(seen, recorded.seen) || isDistinct(listed, at) ? seen : null;
}

/** For an imported campaign, which equals its manifest. */
export function seenAtImport(
  spec: CampaignSpec,
  listed: ListedCampaign,
  { at, ...comparer }: Comparer & { recorded: RecordedState; at: number },
): Seen | null {
  return isDistinct(listed, at) ? seenInputs(spec, listed, { ...comparer, replaced: null }) : null;
}

export function restsInList({ status }: ListedCampaign, { service }: Environment): boolean {
  return sendingBy(status, { service }).state === 'no';
}

interface UnreadContext extends Comparer {
  entries: readonly StateEntry[];
  pending: readonly PendingOperations[];
  again: ReadonlySet<string>;
}

/** The matches among `planned` that need no reading. `all`: of every manifest. */
export function unreadMatches(
  planned: readonly Match[],
  all: readonly Match[],
  { entries, pending, again, ...comparer }: UnreadContext,
): Set<Match> {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const rivals = new Set(all.flatMap((match) => match.rivals.map(({ id }) => id)));
  const replaced = new Set(all.map(({ predecessor }) => predecessor?.id));
  const isPending = ({ id, name }: Predecessor) => pending.some((one) => one.id === id || one.name === name);
  const isReplaced = ({ entry, listed }: Predecessor, by: number) =>
    entry?.recorded.superseded_by === by && (listed === null || restsInList(listed, comparer.environment));
  const isSeen = (match: Match) => {
    const { campaign, id, listed, problems, predecessor } = match;
    const { spec, manifest } = campaign;
    const entry = byId.get(id ?? 0);
    if (id === null || listed === null || entry === undefined) return false;
    const { seen, doubtful, attached_at, at_defaults, superseded_by } = entry.recorded;
    const isUnsure = !isEmpty(doubtful) || attached_at !== null || at_defaults;
    const isOpen = pending.some(
      (one) => one.id === id || one.name === spec.name || one.manifest === manifest,
    );
    const replaces = predecessor && { id: predecessor.id, listed: predecessor.listed };
    const isUnderWay = predecessor !== null && !(isReplaced(predecessor, id) && !isPending(predecessor));
    const isInSuccession = isUnderWay || replaced.has(id) || superseded_by !== undefined;
    const isDoubted = isUnsure || isOpen || isInSuccession || problems.length > 0 || rivals.has(id);
    return (
      !isDoubted &&
      !again.has(manifest) &&
      equal(seen, seenInputs(spec, listed, { ...comparer, recorded: entry.recorded, replaced: replaces }))
    );
  };
  return new Set(planned.filter(isSeen));
}
