/** Tasks for a person in the service's web app. They are derived from live values, so finished tasks disappear. */
import { isSameName } from '../model/characters.js';
import type { Environment } from '../model/environment.js';
import { isEmpty, union, without } from '../model/leads.js';
import type { ByHandTask, Change, PlanProblem, SectionName, Step } from '../model/outputs.js';
import type { Campaign, CampaignSpec } from '../model/spec.js';
import type { LeadRefs, StateEntry } from '../model/state.js';
import type { Target } from '../model/target.js';
import { label } from '../model/words.js';
import { extrasOf } from '../sections/extras.js';
import { SECTIONS } from '../sections/index.js';
import { specTarget, withFacts } from '../sections/target.js';

/** If a campaign must be restored, that is its only task. */
export function listTasks(target: Target, manifest: string): ByHandTask[] {
  const { spec, id, row } = target;
  if (id === null) return [];
  // If the service never shows the status, no plan could detect that a person changed it.
  const sections = SECTIONS.filter(({ name }) => name !== 'status' || target.status.basis === 'shown');
  const changes = sections.flatMap((section) => section.byHand(target));
  const restorations = changes.filter(isRestoring);
  return (restorations.length > 0 ? restorations : changes).map((change) => {
    const { path, kind, from, to } = change;
    const section = change.section === 'campaign' ? null : change.section;
    const does = section !== null ? kind : isRestoring(change) ? 'restore' : 'rename';
    const task = taskFor({ id, name: row?.name ?? spec.name, manifest }, does);
    return { ...task, section, path, place: describePlace(section, path), from, to };
  });
}

/** Marks removed leads as doubtful, so that attaching them again needs approval. Returns `null` if there are none. */
export function withoutRemovedLeads(
  entry: StateEntry,
  spec: CampaignSpec,
  environment: Environment,
): { entry: StateEntry; leads: LeadRefs } | null {
  const { id, recorded } = entry;
  const target = withFacts(specTarget(spec, environment), { id, recorded });
  const changes = SECTIONS.flatMap((section) => (section.name === 'leads' ? section.byHand(target) : []));
  const idsOf = (kind: 'lists' | 'ids') =>
    changes.flatMap(({ path, from }) => (path === kind && Array.isArray(from) ? from.map(Number) : []));
  const leads = { lists: idsOf('lists'), ids: idsOf('ids') };
  if (isEmpty(leads)) return null;
  const attached = without(recorded.attached, leads);
  const doubtful = union(recorded.doubtful, leads);
  return { entry: { ...entry, recorded: { ...recorded, attached, doubtful } }, leads };
}

function isRestoring({ section, path }: Change): boolean {
  return section === 'campaign' && path === 'status';
}

/** "sequence, step 2: email_body" */
function describePlace(section: SectionName | null, path: string): string {
  if (section === null) return path;
  return path === '' ? section : `${section}, ${label(path)}`;
}

/**
 * Returns a task only if the name changed in the manifest. If it changed in the web app, the manifest must take the new
 * name.
 */
export function renameByHand({ campaign, id, earlier, candidates }: Target): ByHandTask[] {
  const { spec, manifest } = campaign;
  const before = candidates.find((row) => row.id === earlier?.id && isSameName(row.name, earlier.name));
  if (id !== null || before === undefined || isSameName(before.name, spec.name)) return [];
  const rename = { ...taskFor({ ...before, manifest }, 'rename'), path: 'name', place: 'name' };
  return [{ ...rename, from: before.name, to: spec.name }];
}

function taskFor(
  { id, name, manifest }: { id: number | null; name: string; manifest: string },
  does: ByHandTask['does'],
): ByHandTask {
  return { campaign: name, id, manifest, does, section: null, path: '', place: '', from: null, to: null };
}

export function attachByHand(problems: readonly PlanProblem[], { manifest, spec }: Campaign): ByHandTask[] {
  if (problems.every(({ code }) => code !== 'launch-needs-senders')) return [];
  return [taskFor({ id: null, name: spec.name, manifest }, 'attach')];
}

/**
 * No plan can detect that a person did it, so the tasks stay until the campaign that is replaced is recorded as replaced.
 * `replaced`: its target, if it was read.
 */
export function carryByHand(
  { id, campaign, predecessor }: Target,
  steps: readonly Step[],
  replaced: Target | null,
): ByHandTask[] {
  const { manifest, spec } = campaign;
  const isPending = steps.some(({ stage }) => stage === 'create' || stage === 'launch');
  if (predecessor === null || !isPending) return [];
  const task = {
    ...taskFor({ id, name: spec.name, manifest }, 'carry'),
    from: predecessor.name ?? predecessor.id,
    replaces: predecessor.id,
  };
  const shown = replaced?.live ? extrasOf(replaced.live) : [];
  const rest = { ...task, place: shown.length === 0 ? NOT_SHOWN : `what else it has of ${NOT_SHOWN}` };
  return [...shown.map(({ path, words }) => ({ ...task, path, place: words })), rest];
}

const NOT_SHOWN = 'attachments, tags, sender accounts and limits that manifests do not have';

/** A campaign that a person may delete. */
export interface LeftOver {
  id: number;
  name: string;
  manifest: string;
  status: string | null;
  superseded_by?: number;
}

export function deleteByHand(campaigns: readonly LeftOver[]): ByHandTask[] {
  return campaigns.map(({ status, superseded_by, ...campaign }) => ({
    ...taskFor(campaign, 'delete'),
    from: status,
    ...(superseded_by === undefined ? {} : { superseded_by }),
  }));
}
