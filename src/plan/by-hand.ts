import type { ListedCampaign } from '../model/answer.js';
import { isSameName } from '../model/characters.js';
import type { Environment } from '../model/environment.js';
import type { ByHandTask, Change, Problem, RemovedCampaign, SectionName } from '../model/outputs.js';
import { isScratch, PROBE } from '../model/probe.js';
import type { Campaign, CampaignSpec } from '../model/spec.js';
import type { LeadRefs, StateEntry } from '../model/state.js';
import { label } from '../model/words.js';
import { type CampaignContext, SECTIONS } from '../sections/index.js';
import { isEmpty, union, without } from '../sections/leads.js';
import { classifyStatus, type Meaning, showsNoStatus } from '../sections/sending.js';
import type { Match } from './match.js';

/** Tasks for a person in the service's web app, derived from live values: a finished task is not found again. */

/** A campaign that is gone has to be restored first. */
export function tasksByHand(context: CampaignContext, manifest: string): ByHandTask[] {
  const { spec, id, listed } = context;
  if (id === null) return [];
  // No plan would see a change of a status that is never shown.
  const sections = SECTIONS.filter(({ name }) => name !== 'status' || !showsNoStatus(context));
  const changes = sections.flatMap((section) => section.byHand(context));
  const gone = changes.filter(isRestoring);
  return (gone.length > 0 ? gone : changes).map((change) => {
    const { section, path, kind, from, to } = change;
    const of = section === 'campaign' ? null : section;
    const does = of !== null ? kind : isRestoring(change) ? 'restore' : 'rename';
    const whose = { campaign: listed?.name ?? spec.name, id, manifest };
    return { ...whose, does, section: of, path, place: describePlace(of, path), from, to };
  });
}

/** Attached leads that the manifest no longer names; none if it manages no leads. */
function leadsLeft({ id, recorded }: StateEntry, spec: CampaignSpec, environment: Environment): LeadRefs {
  const context = { spec, recorded, environment, id, listed: null, answers: null, templates: null };
  const changes = SECTIONS.flatMap((section) => (section.name === 'leads' ? section.byHand(context) : []));
  const idsOf = (kind: keyof LeadRefs) =>
    changes.flatMap(({ path, from }) => (path === kind && Array.isArray(from) ? from.map(Number) : []));
  return { lists: idsOf('lists'), ids: idsOf('ids') };
}

/** The entry once a person has removed these leads: attaching them again needs approval. `null` if there are none. */
export function withoutLeadsLeft(
  entry: StateEntry,
  spec: CampaignSpec,
  environment: Environment,
): { entry: StateEntry; leads: LeadRefs } | null {
  const leads = leadsLeft(entry, spec, environment);
  if (isEmpty(leads)) return null;
  const { attached, doubtful } = entry.recorded;
  const recorded = {
    ...entry.recorded,
    attached: without(attached, leads),
    doubtful: union(doubtful, leads),
  };
  return { entry: { ...entry, recorded }, leads };
}

function isRestoring({ section, path }: Change): boolean {
  return section === 'campaign' && path === 'status';
}

/** "sequence, step 2: email_body" */
function describePlace(section: SectionName | null, path: string): string {
  if (section === null) return path;
  return path === '' ? section : `${section}, ${label(path)}`;
}

/** The rename of a campaign whose manifest has a new name. */
export function renameByHand({
  campaign: { spec, manifest },
  id,
  entry = null,
  rivals = [],
}: Pick<Match, 'campaign' | 'id'> & Partial<Pick<Match, 'entry' | 'rivals'>>): ByHandTask[] {
  const before = rivals.find((one) => one.id === entry?.id);
  if (id !== null || before === undefined || isSameName(before.name, spec.name)) return [];
  return [
    {
      ...{ campaign: before.name, id: before.id, manifest, does: 'rename', section: null },
      ...{ path: 'name', place: 'name', from: before.name, to: spec.name },
    },
  ];
}

/** Sender accounts of a new campaign that apply cannot launch without them. */
export function attachByHand(
  problems: readonly Pick<Problem, 'code'>[],
  { manifest, spec }: Pick<Campaign, 'manifest' | 'spec'>,
): ByHandTask[] {
  if (problems.every(({ code }) => code !== 'launch-needs-senders')) return [];
  return [
    {
      ...{ campaign: spec.name, id: null, manifest, does: 'attach', section: null },
      ...{ path: '', place: '', from: null, to: null },
    },
  ];
}

/** A campaign to delete or archive. */
export type LeftOver = Pick<RemovedCampaign, 'id' | 'name' | 'manifest' | 'status' | 'superseded_by'>;

/** Scratch campaigns of probes in any checkout, unless they are in use. */
export function scratchCampaigns(listed: readonly ListedCampaign[], { service }: Environment): LeftOver[] {
  return listed
    .filter(
      ({ name, status }) => isScratch(name) && MAY_GO.includes(classifyStatus(status, service.statuses)),
    )
    .map((row) => ({ ...row, manifest: PROBE }));
}

/** A row may show no status: probes neither launch nor attach leads. */
const MAY_GO: readonly Meaning[] = ['stopped', 'unknown'];

export function deleteByHand(left: readonly LeftOver[]): ByHandTask[] {
  return left.map(({ id, name, manifest, status, superseded_by }) => ({
    ...{ campaign: name, id, manifest, does: 'delete', section: null },
    ...{ path: '', place: '', from: status, to: null },
    ...(superseded_by === undefined ? {} : { superseded_by }),
  }));
}
