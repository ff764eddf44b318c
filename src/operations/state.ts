import { nearest } from '../manifest/nearest.js';
import { parseAddress } from '../model/address.js';
import { SANDBOX } from '../model/environment.js';
import { Failure } from '../model/failure.js';
import type { Campaign } from '../model/spec.js';
import { type LeadRefs, type PendingOperations, type StateEntry, UNKNOWN_STATE } from '../model/state.js';
import { loadCampaigns } from '../project/campaigns.js';
import type { StateOwner } from '../state/files.js';
import {
  isCopy,
  isSameFile,
  otherFile,
  otherService,
  refuseOtherId,
  type StateUser,
} from '../state/owner.js';
import type { Store } from '../state/store.js';
import { type LockWait, recordRun, withLock } from './lock.js';
import type { ProjectPlace } from './place.js';
import { isAboutPatterns, stopOnErrors } from './validate.js';

/** `entry`: `null` if a crashed run may have created the campaign. `pending`: unreconciled requests. */
interface KnownCampaign {
  name: string;
  entry: StateEntry | null;
  pending: PendingOperations[];
}

/** `manifest`: a manifest that still describes the campaign, or `null`. */
export interface Forgettable extends KnownCampaign {
  manifest: string | null;
}

/**
 * `confirm` rejects to stop. Fails if the campaign has a manifest and pending requests, because it could be created twice.
 */
export async function forgetCampaign(
  place: ProjectPlace,
  wanted: string,
  { confirm, ...waiting }: LockWait & { confirm(known: Forgettable): Promise<void> },
): Promise<Forgettable> {
  return withLock(place, waiting, async ({ store }) => {
    const match = await find(wanted, store, place);
    const manifest = (await campaignOf(match, place))?.manifest ?? null;
    const known = { ...match, manifest };
    if (manifest !== null) refusePending(match, manifest);
    await confirm(known);
    // The entry is removed first, because without its pending requests it would be trusted.
    if (known.entry !== null) await store.remove(known.entry.id);
    await store.closePending(known.pending);
    await recordRun(place, 'forget');
    return known;
  });
}

/**
 * Forgets leads that the manifest no longer lists. Attaching them again needs approval. Returns `null` if there is nothing
 * to forget.
 */
export async function forgetLeads(
  place: ProjectPlace,
  wanted: string,
  { confirm, ...waiting }: LockWait & { confirm(known: Forgettable, leads: LeadRefs): Promise<void> },
): Promise<LeadRefs | null> {
  return withLock(place, waiting, async ({ store }) => {
    const match = await find(wanted, store, place);
    const campaign = await campaignOf(match, place);
    if (campaign === null || match.entry === null) return null;
    refusePending(match, campaign.manifest);
    const { withoutRemovedLeads } = await import('../plan/by-hand.js');
    const update = withoutRemovedLeads(match.entry, campaign.spec, place.environment);
    if (update === null) return null;
    await confirm({ ...match, manifest: campaign.manifest }, update.leads);
    await store.save(update.entry);
    await recordRun(place, 'forget');
    return update.leads;
  });
}

async function find(written: string, store: Store, { environment }: ProjectPlace): Promise<KnownCampaign> {
  const wanted = written.normalize('NFC');
  const [entries, pending] = await Promise.all([store.readAll(), store.pending()]);
  const known = new Map(entries.map((entry) => [entry.id, entry]));
  for (const { id, name, manifest } of pending)
    if (id !== null && !known.has(id)) known.set(id, { id, name, manifest, recorded: UNKNOWN_STATE });
  const all = [...known.values()];
  const isId = all.some(({ id }) => String(id) === wanted);
  const matching = all.filter(({ id, name }) => (isId ? String(id) : name) === wanted);
  const nameless = isId ? [] : pending.filter(({ id, name }) => id === null && name === wanted);
  const [first, second] = matching;
  if (second !== undefined)
    throw new Failure({
      code: 'ambiguous-entry',
      message: `The state of ${environment.name} has ${matching.length} campaigns called "${wanted}": ${matching.map(({ id }) => id).join(', ')}.`,
      hint: `Specify the campaign by id: campaignctl forget ${second.id} --env ${environment.name}. Nothing was changed.`,
    });
  if (first !== undefined) return { name: first.name, entry: first, pending: openOf(first, all, pending) };
  if (nameless.length > 0) return { name: wanted, entry: null, pending: nameless };
  const near = nearest(wanted, [...new Set(all.map(({ name }) => name))]);
  throw new Failure({
    code: 'unknown-entry',
    message: `The state of ${environment.name} has no campaign ${/^\d+$/.test(wanted) ? wanted : `"${wanted}"`}.`,
    hint: `${near === null ? 'campaignctl list shows names and ids.' : `Did you mean "${near}"?`} Nothing was changed.`,
  });
}

/** Finds pending requests by id or, unless another campaign has the same name, by name. */
function openOf(
  { id, name }: StateEntry,
  all: readonly StateEntry[],
  pending: readonly PendingOperations[],
): PendingOperations[] {
  const hasNamesake = all.some((entry) => entry.id !== id && entry.name === name);
  return pending.filter((run) => run.id === id || (run.id === null && run.name === name && !hasNamesake));
}

async function campaignOf(
  { name, entry }: KnownCampaign,
  { manifests, environment, world }: ProjectPlace,
): Promise<Campaign | null> {
  const means = ({ spec, manifest }: Campaign) =>
    spec.name === name ||
    // The file of a replaced campaign may belong to its successor.
    (entry !== null &&
      (spec.id === entry.id || (manifest === entry.manifest && !entry.recorded.superseded_by)));
  const options = { environments: [environment], files: [], cwd: world.cwd, env: world.env };
  const { campaigns, findings } = await loadCampaigns(manifests, options);
  stopOnErrors(
    findings.filter((finding) => !isAboutPatterns(finding)),
    'Correct the manifests first, because any of them may manage this campaign. Nothing was changed.',
  );
  return campaigns[environment.name]?.find(means) ?? null;
}

function refusePending({ name, pending }: KnownCampaign, manifest: string): void {
  if (pending.length === 0) return;
  const runs = [...new Set(pending.map(({ run }) => run))].join(', ');
  throw new Failure({
    code: 'pending-operations',
    message: `An earlier run (${runs}) ended before it knew the outcome of its requests for "${name}", and ${manifest} still manages that campaign.`,
    hint: 'Run campaignctl apply, which determines the outcome, or delete the manifest. Nothing was changed.',
  });
}

/** `from`: as recorded. */
export interface Rebased {
  kind: 'address' | 'file';
  from: string;
  to: string;
}

/**
 * Records the project's address and file as the owner of its state. A new address needs the recorded one as `from`.
 * `confirm` rejects to stop. Returns the changes: none if the state was empty or already belonged to them.
 */
export async function rebaseState(
  place: ProjectPlace,
  from: string | null,
  { confirm, ...waiting }: LockWait & { confirm(changes: readonly Rebased[]): Promise<void> },
): Promise<Rebased[]> {
  const { user } = place;
  // Only compared with the address in the state.
  const address = from === null ? null : parseAddress('--from', from, { insecureHttp: true });
  return withLock(place, waiting, async ({ store }) => {
    const recorded = await store.owner();
    if (recorded === null) return [];
    refuseOtherId(recorded, user);
    const changes: Rebased[] = [];
    if (!isSameFile(recorded, user)) {
      if (isCopy(recorded, user)) throw otherFile(recorded, user);
      changes.push({ kind: 'file', from: recorded.file, to: user.file });
    }
    if (recorded.base_url !== user.base_url) {
      if (address === null) throw otherService(recorded, user);
      refuseOtherAddress(recorded, `${address.origin}${address.prefix}`, user);
      changes.push({ kind: 'address', from: recorded.base_url, to: user.base_url });
    }
    if (changes.length === 0) return [];
    await confirm(changes);
    await store.rebase();
    await recordRun(place, 'state rebase');
    return changes;
  });
}

function refuseOtherAddress(
  { base_url }: StateOwner,
  from: string,
  { environment, base_url: to }: StateUser,
): void {
  const isSandbox = [base_url, to].includes(SANDBOX);
  if (!isSandbox && base_url === from) return;
  throw new Failure({
    code: 'state-of-other-service',
    message: `The state of ${environment} belongs to ${base_url}, not to ${isSandbox ? to : `${from} (--from)`}. Nothing was changed.`,
    hint: isSandbox
      ? 'A sandbox and a service cannot share a state: give the environment a different name.'
      : `If that service is now at ${to}, run campaignctl state rebase --env ${environment} --from ${base_url}.`,
  });
}
