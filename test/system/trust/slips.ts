/** A project in two checkouts, their service, and what people do to them between and during runs. */
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { fakeClock } from '../../support/clock.js';
import type { Service } from '../../support/service/service.js';
import { showsStatus } from '../../support/service/shape.js';
import { draft, type StoredCampaign } from '../../support/service/store.js';
import { type Hand, type RunSlip, type Scenario, type Slip, STATUSES, WORDS, type Written } from './draws.js';

export const EMAILS = [
  { email_subject: 'A question', email_body: 'Hi', wait_in_days: 3 },
  { email_subject: 'Any news?', email_body: 'Still there?', wait_in_days: 2, thread_reply: true },
];
export const VARIANT = { email_subject: 'Another question', email_body: 'Hello' };

function manifest({ name, id, cap, lists, refill, ids, status, replaces }: Written): string {
  const entries = lists.map((list) => (refill === null ? list : { list, refill }));
  const [first, ...others] = EMAILS;
  return JSON.stringify({
    name,
    ...(id === null ? {} : { id }),
    ...(replaces === null ? {} : { replaces }),
    settings: { max_emails_per_day: cap, max_new_leads_per_day: 1, reputation_building: true },
    schedule: { days: ['monday'], start_time: '09:00', end_time: '17:00', timezone: 'Europe/Paris' },
    sequence: { title: name, steps: [{ ...first, variants: [VARIANT] }, ...others] },
    ...(lists.length + ids.length > 0 ? { leads: { lists: entries, ids } } : {}),
    ...(status === null ? {} : { status }),
  });
}

function project(drawn: Scenario, base_url: string): string {
  const { shape, onRemoval, removalOf, repeat, words, told: shown, parallelism } = drawn;
  const service = {
    ...{ sequence_repost: 'unknown', variant_reference: shape.variants, attach_repeat: repeat },
    ...(shown && words === 'own' ? { statuses: STATUSES } : {}),
  };
  const isOwn = removalOf === 'environment';
  const against = onRemoval === 'pause' ? 'warn' : 'pause';
  const production = { base_url, token_env: 'CAMPAIGNS_TOKEN', service };
  return JSON.stringify({
    version: 1,
    manifests: ['campaigns/*.yaml'],
    defaults: { on_removal: isOwn ? against : onRemoval, limits: { parallelism } },
    lint: { 'shared-lead-list': 'off', 'shared-lead-ids': 'off' },
    environments: { production: { ...production, ...(isOwn ? { on_removal: onRemoval } : {}) } },
  });
}

/** A project in two checkouts, which share manifests but not the state, and their service. */
export interface Scene {
  folder: string;
  drawn: Scenario;
  service: Service;
  clock: Pick<ReturnType<typeof fakeClock>, 'now' | 'elapsed' | 'sleep' | 'jump'>;
  written: Written[];
  removed: Written[];
  names: number;
  /** Names of campaigns for which a successor was written. */
  replaced: Set<string>;
  /** Ids that manifests pinned, by their names when they were succeeded. */
  pinned: Map<string, number>;
  /** Checkouts whose state no longer contains all attached leads. */
  stale: Set<string>;
  /** Lead counts that a checkout saw after an attachment, if they cannot have been outdated. */
  looked: Map<string, number>;
  /** Campaigns that a checkout knows: it wrote to them, or found them idle and in sync. */
  ours: Set<string>;
  kept: Pick<Scene, 'looked' | 'ours'>;
  /** By checkout, campaign, list and value of `refill`: whether a run that ended as done attached the list for it. */
  refilled: Map<string, boolean>;
  /** Campaigns that a person launched where no status is shown: nothing can know that they send. */
  unseen: Set<number>;
  /** Mailed leads of each campaign, as `list 1` and `lead 11`. */
  mailed: Map<number, Set<string>>;
}

/** The id of a campaign that runs before the first apply. No response shows that it has list 4. */
export const STRANGER = 11;

export function openScene(input: Pick<Scene, 'folder' | 'drawn' | 'service' | 'clock'>): Scene {
  const { drawn, service, clock } = input;
  const { lag, sync, createdAs: initial, words } = drawn;
  const written = ['one', 'two', 'three'].slice(0, drawn.campaigns).map(
    (name): Written => ({
      ...{ file: `${name}.yaml`, name, id: null, cap: 100, lists: [1], refill: null, ids: [] },
      ...{ status: 'running', replaces: null },
    }),
  );
  // Without statuses, only a launch and a pause change whether a campaign runs.
  const createdAs = showsStatus(drawn.shape) ? initial : 'draft';
  service.behave({ lag, sync, createdAs, words: WORDS[words] }, clock.elapsed);
  if (drawn.stranger)
    service.store.campaigns.push({ ...draft(STRANGER, 'two'), status: 'active', lists: [4] });
  return {
    ...input,
    ...{
      written,
      removed: [],
      names: 0,
      replaced: new Set(),
      pinned: new Map(),
      stale: new Set(),
      looked: new Map(),
      ours: new Set(),
      unseen: new Set(),
      refilled: new Map(),
    },
    kept: { looked: new Map(), ours: new Set() },
    mailed: new Map(),
  };
}

/** The current files of the project. */
export function filesOf({ drawn, written }: Scene, url: string): Record<string, string> {
  return {
    'campaignctl.yaml': project(drawn, url),
    ...Object.fromEntries(written.map((each) => [`campaigns/${each.file}`, manifest(each)])),
  };
}

/** The single manifest of a run; `null` for all. */
export function onlyOf({ only }: RunSlip, { written }: Scene): Written | null {
  return only === null ? null : (written[only.which % Math.max(1, written.length)] ?? null);
}

/** Names for each list and lead of a campaign or request. */
export function keysOf({ lists, leads }: Pick<StoredCampaign, 'lists' | 'leads'>): string[] {
  return [...lists.map((id) => `list ${id}`), ...leads.map((id) => `lead ${id}`)];
}

export const SENDING = /^(active|queued|launching)$/;

/** A running campaign mails its leads. */
export function noteMailed({ service, mailed }: Scene): void {
  for (const campaign of service.store.campaigns) {
    if (!SENDING.test(campaign.status)) continue;
    const had = mailed.get(campaign.id) ?? new Set();
    for (const key of keysOf(campaign)) had.add(key);
    mailed.set(campaign.id, had);
  }
}

const NOTHING: Scene['kept'] = { looked: new Map(), ours: new Set() };

/** Longer than any lag. */
export const LONG = 10_000;

/** Performs any slip except a run. */
export async function slipUp(each: Exclude<Slip, RunSlip>, scene: Scene): Promise<void> {
  const { folder, service, written, removed, stale, clock } = scene;
  const state = join(folder, 'a', '.campaignctl', 'state');
  await clock.sleep(LONG);
  switch (each.do) {
    case 'return':
      written.push(...removed.splice(0, 1));
      return;
    case 'keep-state':
      scene.kept = { looked: new Map(scene.looked), ours: new Set(scene.ours) };
      await rm(join(folder, 'kept'), { recursive: true, force: true });
      await cp(state, join(folder, 'kept'), { recursive: true }).catch(() => undefined);
      return;
    case 'old-state':
    case 'lose-state': {
      const { looked, ours } = each.do === 'old-state' ? scene.kept : NOTHING;
      const isOfA = (key: string) => key.startsWith('a ');
      stale.add('a');
      const others = [...scene.looked].filter(([key]) => !isOfA(key));
      scene.looked = new Map([...others, ...[...looked].filter(([key]) => isOfA(key))]);
      scene.ours = new Set([...[...scene.ours].filter((key) => !isOfA(key)), ...[...ours].filter(isOfA)]);
      await rm(state, { recursive: true, force: true });
      if (each.do === 'old-state')
        await cp(join(folder, 'kept'), state, { recursive: true }).catch(() => undefined);
      return;
    }
    case 'pause-by-hand':
    case 'launch-by-hand':
    case 'attach-by-hand':
    case 'settings-by-hand':
    case 'archive-by-hand':
    case 'clock':
      byHand(each, scene);
      break;
    default: {
      const meant = written[each.which % Math.max(1, written.length)];
      if (meant !== undefined) edit(each, meant, scene);
    }
  }
  noteMailed(scene);
  await clock.sleep(LONG);
  service.calm();
}

export function byHand(each: Hand, { service, stale, clock, drawn, unseen }: Scene): StoredCampaign | null {
  if (each.do === 'clock') {
    clock.jump(each.by);
    return null;
  }
  const live = service.store.campaigns[each.which];
  if (live === undefined) return null;
  switch (each.do) {
    case 'attach-by-hand':
      live.lists.push(4);
      stale.add('a').add('b');
      return null;
    case 'settings-by-hand':
      Object.assign(live.settings, { plain_text: true, unsubscribe_text: 'Leave' });
      return null;
    case 'archive-by-hand':
      Object.assign(live, { status: 'archived', pending: [] });
      return null;
    default: {
      if (live.schedule === null || live.steps.length === 0 || live.status === 'archived') return null;
      const was = live.status;
      Object.assign(live, { status: each.do === 'pause-by-hand' ? 'paused' : 'active', pending: [] });
      if (live.status === 'active' && was !== 'active' && !showsStatus(drawn.shape)) unseen.add(live.id);
      return live.status === was ? null : live;
    }
  }
}

type Edit = Exclude<Slip, RunSlip | Hand>;

function edit(each: Edit, meant: Written, scene: Scene): void {
  const { written, removed } = scene;
  const added = (list: number[], id: number) => [...new Set([...list, id])];
  switch (each.do) {
    case 'cap':
      meant.cap = each.cap;
      return;
    case 'list':
      meant.lists = added(meant.lists, each.list);
      return;
    case 'refill':
      meant.refill = each.value;
      return;
    case 'lead':
      meant.ids = added(meant.ids, each.lead);
      return;
    case 'many':
      meant.ids = Array.from({ length: 1_001 }, (_, index) => index + 1);
      return;
    case 'status':
      meant.status = each.status;
      return;
    case 'remove':
      removed.push(...written.splice(written.indexOf(meant), 1));
      return;
    case 'move':
      meant.file = `moved-${scene.names++}.yaml`;
      return;
    case 'rename':
      meant.name = `named-${scene.names++}`;
      return;
    // Copy cannot be changed, so a new campaign replaces the old one.
    case 'succeed':
      // A pinned campaign is known by the name in its manifest, too.
      if (meant.id !== null) scene.pinned.set(meant.name, meant.id);
      Object.assign(meant, { replaces: meant.name, name: `named-${scene.names++}`, id: null });
      scene.replaced.add(meant.replaces ?? '');
      return;
    case 'pin':
      meant.id = meant.id === null ? (scene.service.store.campaigns[each.campaign]?.id ?? 999) : null;
      return;
    case 'twin':
      if (written.length < 4) written.push({ ...meant, file: `twin-${scene.names++}.yaml` });
  }
}
