import type { ListedCampaign } from '../model/answer.js';
import type { StatusWords } from '../model/environment.js';
import type { Problem } from '../model/outputs.js';
import { meaningOf } from '../sections/status.js';
import type { Match } from './match.js';

/** What manifests tell that replace a campaign which replaces another one in its turn: apply goes one link at a time. */
interface ChainContext {
  all: readonly Match[];
  rows: ReadonlyMap<number, ListedCampaign>;
  statuses: StatusWords;
}

/** The manifest of the campaign that this one replaces, where it is to be created, or is there by another manifest. */
export function ofReplaced({ campaign, predecessor }: Match, all: readonly Match[]): Match | null {
  const { replaces } = campaign.spec;
  if (replaces === undefined) return null;
  const means = (one: Match) =>
    predecessor === null ? one.campaign.spec.name === replaces : one.id === predecessor.id;
  return all.find((one) => one.campaign !== campaign && means(one)) ?? null;
}

/**
 * What speaks against replacing a campaign in the same plan in which that one replaces another: should the pause of the first one fail, the
 * third would run beside it. Null: it has taken its place, or none that may send is left.
 */
export function notReady(match: Match, { all, rows, statuses }: ChainContext): Problem | null {
  const middle = ofReplaced(match, all);
  const first = middle?.predecessor ?? null;
  if (middle === null || first === null) return null;
  if (match.id !== null && match.predecessor?.entry?.recorded.superseded_by === match.id) return null;
  const row = rows.get(first.id);
  const meaning = meaningOf(row?.status ?? null, statuses);
  const isDone = middle.id !== null && first.entry?.recorded.superseded_by === middle.id;
  const rests = meaning === 'unknown' ? isDone : meaning === 'stopped' || meaning === 'finished';
  if (row === undefined || meaning === 'gone' || (middle.id !== null && rests)) return null;
  const { manifest, spec } = match.campaign;
  const { campaign } = middle;
  const made = middle.id === null ? 'is not created yet' : 'has not taken its place';
  return {
    code: 'replaces-not-ready',
    severity: 'error',
    message: `${manifest} ("${spec.name}") replaces "${campaign.spec.name}" (${campaign.manifest}), which replaces campaign ${first.id} "${row.name}" and ${made}. If the pause of campaign ${first.id} failed, two of them would mail.`,
    hint: `Apply ${campaign.manifest} alone first: campaignctl apply ${campaign.manifest}. If "${campaign.spec.name}" is not needed, delete its manifest and write replaces: ${JSON.stringify(row.name)} into ${manifest}.`,
  };
}
