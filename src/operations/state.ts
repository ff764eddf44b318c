import { relative } from 'node:path';
import { nearest } from '../manifest/index.js';
import { addressOf } from '../model/environment.js';
import { Failure } from '../model/failure.js';
import type { Campaign } from '../model/spec.js';
import {
  type ElsewhereEntry,
  type LeadRefs,
  type PendingOperations,
  type StateEntry,
  UNKNOWN_STATE,
} from '../model/state.js';
import { withoutLeadsLeft } from '../plan/index.js';
import { loadCampaigns } from '../project/index.js';
import type { Moved, StateKind } from '../state/index.js';
import { describeRun, withLock } from './run.js';
import { openPlace, type PlaceFlags, type ProjectPlace } from './session.js';
import type { World } from './world.js';

/**
 * What the state keeps of a campaign that is to be forgotten. `entry` is null for one that a run may have created and whose id
 * it never learned. `base_url`: the service that the entry is of; null where its file tells none. `pending`: what earlier runs left open of it. `manifest`: one that still means it; null: none.
 */
export interface Forgettable {
  name: string;
  entry: StateEntry | null;
  base_url: string | null;
  pending: PendingOperations[];
  manifest: string | null;
}

/**
 * Removes a campaign from the state, and what journals have open of it. Sends nothing. `confirm`
 * rejects where it is not to be done. Failure where the state does not know it, knows several, or has open operations that the
 * next apply of its manifest has to reconcile: to forget these might make the campaign twice.
 */
export async function forgetCampaign(
  place: ProjectPlace,
  wanted: string,
  { confirm, ...waiting }: Parameters<typeof withLock>[1] & { confirm(known: Forgettable): Promise<void> },
): Promise<Forgettable> {
  return withLock(place, waiting, async ({ store }) => {
    const [{ entries: here, elsewhere }, pending] = await Promise.all([store.read(), store.pending()]);
    const found = find(wanted, { here, elsewhere, pending }, place);
    const known = { ...found, manifest: await manifestOf(found, place) };
    if (known.pending.length > 0 && known.manifest !== null) throw open(known, known.manifest);
    await confirm(known);
    // In this order: an entry without what its journal has open would be believed.
    if (known.entry !== null) await store.remove({ id: known.entry.id, base_url: known.base_url });
    await store.closePending(known.pending);
    return known;
  });
}

interface Known {
  here: readonly StateEntry[];
  elsewhere: readonly ElsewhereEntry[];
  pending: readonly PendingOperations[];
}

/**
 * Takes leads off the list of what is to be done by hand: those that the state has as attached to a campaign, and its manifest does not
 * name. A person has removed them, which no request shows: whether they are still there counts as not known from now on, so that nothing
 * attaches them again without approval. `confirm` rejects where it is not to be done. Gives those leads; null: there are none.
 */
export async function forgetLeads(
  place: ProjectPlace,
  wanted: string,
  {
    confirm,
    ...waiting
  }: Parameters<typeof withLock>[1] & { confirm(known: Forgettable, leads: LeadRefs): Promise<void> },
): Promise<LeadRefs | null> {
  return withLock(place, waiting, async ({ store }) => {
    const [{ entries: here }, pending] = await Promise.all([store.read(), store.pending()]);
    const found = find(wanted, { here, elsewhere: [], pending }, place);
    const campaign = await campaignOf(found, place);
    const known = { ...found, manifest: campaign === 'unsound' ? null : (campaign?.manifest ?? null) };
    if (found.pending.length > 0) throw open(known, known.manifest ?? found.pending[0]?.manifest ?? '');
    const left =
      known.entry === null || campaign === null || campaign === 'unsound'
        ? null
        : withoutLeadsLeft(known.entry, campaign.spec, place.environment);
    if (left === null) return null;
    await confirm(known, left.leads);
    await store.save(left.entry);
    return left.leads;
  });
}

/** By id or by name; an id goes first. An entry of another service is meant only where nothing of this one is. */
function find(
  wanted: string,
  { here, elsewhere, pending }: Known,
  { environment }: ProjectPlace,
): Omit<Forgettable, 'manifest'> {
  const known = new Map(here.map((entry) => [entry.id, entry]));
  for (const { id, name, manifest } of pending)
    if (id !== null && !known.has(id)) known.set(id, { id, name, manifest, recorded: UNKNOWN_STATE });
  const ours = [...known.values()].map((entry) => ({ entry, base_url: addressOf(environment) }));
  const all = [...ours, ...elsewhere];
  const isPinned = all.some(({ entry }) => String(entry.id) === wanted);
  const isMeant = ({ entry: { id, name } }: ElsewhereEntry) => (isPinned ? String(id) : name) === wanted;
  const nameless = isPinned ? [] : pending.filter(({ id, name }) => id === null && name === wanted);
  const own = ours.filter(isMeant);
  const called = own.length > 0 || nameless.length > 0 ? own : elsewhere.filter(isMeant);
  const [first] = called;
  const second = called.find(({ entry }) => entry.id !== first?.entry.id);
  if (second !== undefined)
    throw new Failure({
      code: 'ambiguous-entry',
      message: `The state of ${environment.name} knows ${called.length} campaigns called "${wanted}": ${called.map(({ entry }) => entry.id).join(', ')}.`,
      hint: `Name the one you mean by its id: campaignctl forget ${second.entry.id} --env ${environment.name}. Nothing was changed.`,
    });
  if (first !== undefined)
    return {
      ...first,
      name: first.entry.name,
      pending: own.length > 0 ? openOf(first.entry, ours, pending) : [],
    };
  if (nameless.length > 0)
    return { name: wanted, entry: null, base_url: addressOf(environment), pending: nameless };
  const near = nearest(wanted, [...new Set(all.map(({ entry }) => entry.name))]);
  throw new Failure({
    code: 'unknown-entry',
    message: `The state of ${environment.name} knows no campaign ${/^\d+$/.test(wanted) ? wanted : `"${wanted}"`}.`,
    hint: `${near === null ? 'campaignctl list shows the campaigns that were applied from here.' : `Did you mean "${near}"?`} Nothing was changed.`,
  });
}

/** What runs left open of a campaign; what they asked for by its name alone, too, unless another one has that name. */
function openOf(
  { id, name }: StateEntry,
  ours: readonly ElsewhereEntry[],
  pending: readonly PendingOperations[],
): PendingOperations[] {
  const hasTwin = ours.some(({ entry }) => entry.id !== id && entry.name === name);
  return pending.filter((one) => one.id === id || (one.id === null && one.name === name && !hasTwin));
}

/** A manifest that means the campaign; with errors in the manifests, it counts as there if anything of it is open. */
async function manifestOf(found: Omit<Forgettable, 'manifest'>, place: ProjectPlace): Promise<string | null> {
  const { pending } = found;
  const campaign = await campaignOf(found, place);
  if (campaign !== 'unsound') return campaign?.manifest ?? null;
  return pending[0]?.manifest ?? null;
}

/** Its campaign; null: none means it. */
async function campaignOf(
  { name, entry }: Omit<Forgettable, 'manifest'>,
  { project, environment, world }: ProjectPlace,
): Promise<Campaign | 'unsound' | null> {
  const means = ({ spec, manifest }: Campaign) =>
    spec.name === name ||
    // That of a replaced campaign may be the manifest of the one that took its place.
    (entry !== null &&
      (spec.id === entry.id || (manifest === entry.manifest && !entry.recorded.superseded_by)));
  try {
    const options = { environments: [environment], files: [], cwd: world.cwd };
    const { campaigns, findings } = await loadCampaigns(project, options);
    const found = (campaigns[environment.name] ?? []).find(means);
    if (found !== undefined) return found;
    const isSound = findings.every(({ severity, code }) => severity === 'warning' || code === 'no-match');
    if (isSound) return null;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
  }
  return 'unsound';
}

function open({ name, pending }: Forgettable, manifest: string): Failure {
  const runs = [...new Set(pending.map(({ run }) => run))].join(', ');
  return new Failure({
    code: 'pending-operations',
    message: `An earlier run (${runs}) did not find out what became of requests that it sent for "${name}", and ${manifest} may still manage that campaign.`,
    hint: 'Run campaignctl apply, which finds out first, or delete the manifest. Nothing was changed.',
  });
}

/** Moves the state of an environment to a branch or a folder. `isWritten`: the project file says already that it is there. */
export async function migrateState(
  flags: PlaceFlags,
  to: StateKind,
  world: World,
): Promise<Moved & { environment: string; place: string; isWritten: boolean }> {
  const { project, environment, folder, backend } = await openPlace(flags, world);
  const { who, at } = await describeRun(project.root, world);
  const moved = await backend.move(to, `${who} at ${at}`);
  const place = to === 'git' ? 'its branch' : `the folder ${relative(project.root, folder)}`;
  return { ...moved, environment: environment.name, place, isWritten: environment.state.backend === to };
}
