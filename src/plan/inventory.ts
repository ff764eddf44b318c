import type { ListedCampaign } from '../model/answer.js';
import type { Environment } from '../model/environment.js';
import { type Inventory, type InventoryEntry, STANDINGS, type Standing } from '../model/inventory.js';
import type { CampaignRecord } from '../model/memory.js';
import type { Problem } from '../model/problem.js';
import { meaningOf } from '../sections/status/words.js';
import type { Match } from './match.js';

/** What an inventory is made from: the complete list, every manifest's match in it, and what the state remembers. */
export interface InventoryInput {
  environment: Environment;
  listed: readonly ListedCampaign[];
  matches: readonly Match[];
  records: readonly CampaignRecord[];
}

/** Every manifest and every live campaign beside each other, what needs attention first, then by name. */
export function takeInventory({ environment, listed, matches, records }: InventoryInput): Inventory {
  const { statuses } = environment.service;
  const isGone = ({ status }: ListedCampaign) => meaningOf(status, statuses) === 'gone';
  const byId = new Map(records.map((record) => [record.id, record]));
  const told = new Set(matches.flatMap(({ id, listed: one }) => (one === null ? [] : [id])));
  const rivals = rivalsOf(matches, told);
  // A manifest that may mean one of several is told with each of them.
  const own = matches
    .filter((match) => match.id !== null || !match.rivals.some(({ id }) => rivals.get(id) === match))
    .map((match) => ofManifest(match, isGone, byId));
  const rest = listed
    .filter(({ id }) => !told.has(id))
    .map((one) => {
      const match = rivals.get(one.id);
      const standing = match !== undefined ? 'unclear' : isGone(one) ? 'gone' : 'unmanaged';
      const manifest = match?.campaign.manifest ?? null;
      return entry({ standing, ...one, manifest, record: byId.get(one.id), problems: match?.problems ?? [] });
    });
  const campaigns = [...own, ...rest].sort(inOrder);
  const numbers = STANDINGS.map((standing) => [
    standing,
    campaigns.filter((one) => one.standing === standing).length,
  ]);
  return {
    version: 1,
    environment: environment.name,
    base_url: environment.sandbox === null ? environment.base_url : 'sandbox',
    summary: { live: listed.length, ...Object.fromEntries(numbers) },
    campaigns,
  };
}

function ofManifest(
  match: Match,
  isGone: (one: ListedCampaign) => boolean,
  byId: ReadonlyMap<number, CampaignRecord>,
): InventoryEntry {
  const { campaign, id, listed, record, problems } = match;
  const { manifest, spec } = campaign;
  const own = id === null ? record : byId.get(id);
  const known = { name: spec.name, id, status: null, manifest, record: own ?? undefined, problems };
  if (listed !== null) {
    const standing = problems.length > 0 ? 'unclear' : isGone(listed) ? 'gone' : 'managed';
    return entry({ ...known, ...listed, standing });
  }
  if (id !== null) return entry({ ...known, standing: 'missing', problems: [...problems, notListed(id)] });
  const isMissing = problems.length === 1 && problems[0]?.code === 'missing';
  if (isMissing) return entry({ ...known, id: record?.id ?? null, standing: 'missing' });
  return entry({ ...known, record: undefined, standing: problems.length > 0 ? 'unclear' : 'new' });
}

/** Live campaigns that no manifest has for certain, with the match of the manifest that may mean them. */
function rivalsOf(matches: readonly Match[], taken: ReadonlySet<number | null>): Map<number, Match> {
  return new Map(
    matches.flatMap((match) =>
      match.rivals.filter(({ id }) => !taken.has(id)).map(({ id }) => [id, match] as const),
    ),
  );
}

function notListed(id: number): Problem {
  return {
    code: 'pinned-not-found',
    severity: 'error',
    message: `The manifest pins campaign ${id}, which is not in the list of the service.`,
    hint: 'Check id: in the manifest and that the token belongs to the right workspace; plan looks the campaign up by itself.',
  };
}

function entry({
  record,
  ...rest
}: Omit<InventoryEntry, 'last'> & {
  standing: Standing;
  record: CampaignRecord | undefined;
}): InventoryEntry {
  const { standing, name, id, status, manifest, problems } = rest;
  const last = record?.memory.last ?? null;
  const seen = last === null ? null : { at: last.at, how: last.how };
  return { standing, name, id, status, manifest, last: seen, problems };
}

/** A campaign that is gone needs attention only where a manifest names it. */
function inOrder(one: InventoryEntry, other: InventoryEntry): number {
  const rank = ({ standing, manifest }: InventoryEntry) =>
    standing === 'gone' && manifest === null ? STANDINGS.length : STANDINGS.indexOf(standing);
  if (rank(one) !== rank(other)) return rank(one) - rank(other);
  if (one.name !== other.name) return one.name < other.name ? -1 : 1;
  return (one.id ?? 0) - (other.id ?? 0);
}
