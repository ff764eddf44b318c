import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { ProbeResult } from '../../src/model/reports.js';
import { isScratch } from '../../src/model/scratch.js';
import { openPlace } from '../../src/operations/place.js';
import { probeEnvironment } from '../../src/operations/probe.js';
import { toInterrupt, type World } from '../../src/operations/world.js';
import { fakeClock } from '../support/clock.js';
import { writeFiles } from '../support/command.js';
import { withFolder } from '../support/folder.js';
import { openService, type Service, startService, TOKEN } from '../support/service/service.js';
import type { Shape } from '../support/service/shape.js';
import { draft, type StoredCampaign } from '../support/service/store.js';
import { wireTo } from '../support/service/wire.js';

const URL = 'https://send.example.com';
const PROJECT = `version: 1
manifests: [campaigns/*.yaml]
environments:
  production: { base_url: "${URL}", token_env: CAMPAIGNS_TOKEN }
`;

export interface Probing {
  folder: string;
  service: Service;
  others: StoredCampaign[];
  /** Probes as the command does, without confirmation. `more`: changes to the world. */
  probe(more?: Partial<World>, options?: { write?: boolean; signal?: AbortSignal }): Promise<ProbeResult>;
}

/** A project whose service has two foreign campaigns, which no probe may change. */
export async function probing(shape: Shape, work: (at: Probing) => Promise<void>): Promise<void> {
  const { store, others } = workspace();
  const service = openService(shape, store);
  await beside({ service, others, url: URL, wire: () => wireTo(service) }, work);
}

/** The same over HTTP, so that commands can run. A manifest manages one of the two campaigns. */
export async function serving(shape: Shape, work: (at: Probing) => Promise<void>): Promise<void> {
  const { store, others } = workspace();
  const service = await startService(shape, store);
  try {
    await beside({ service, others, url: service.url, wire: () => undefined }, async (at) => {
      await writeFiles(at.folder, { 'campaigns/spring.yaml': `name: "${others[0]?.name}"\n` });
      await work(at);
    });
  } finally {
    await service.close();
  }
}

function workspace() {
  const others = [11, 12].map((id) => ({
    ...draft(id, `Another team's ${id}`),
    status: 'active',
    lists: [1],
  }));
  return { others, store: { campaigns: structuredClone(others), templates: [] } };
}

async function beside(
  {
    service,
    others,
    url,
    wire,
  }: Pick<Probing, 'service' | 'others'> & { url: string; wire(): World['wire'] },
  work: (at: Probing) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    await writeFiles(folder, { 'campaignctl.yaml': PROJECT.replace(URL, url) });
    const world = {
      cwd: folder,
      env: { CAMPAIGNS_TOKEN: TOKEN },
      now: () => 0,
      err: () => undefined,
    };
    const probe: Probing['probe'] = async (
      more = {},
      { write = false, signal = new AbortController().signal } = {},
    ) => {
      const local: World = { ...world, clock: fakeClock(), ...more };
      const carried = wire();
      if (carried !== undefined && more.wire === undefined) local.wire = carried;
      const place = await openPlace({ config: null, env: null, debug: false }, local);
      const listener = { confirm: null, sending: () => undefined, tell: () => undefined };
      return probeEnvironment({ place, write, lockTimeout: 0 }, listener, toInterrupt(signal));
    };
    await work({ folder, service, others, probe });
    expectHarmless(service, others);
  });
}

/** At most two campaigns per probe, no leads, no launch, no write to foreign campaigns, and only documented requests. */
export function expectHarmless(service: Service, others: readonly StoredCampaign[], probes = 2): void {
  expect(service.violations).toEqual([]);
  const created = service.store.campaigns.filter(({ id }) => others.every((campaign) => campaign.id !== id));
  expect(service.store.campaigns.filter((other) => !created.includes(other))).toEqual(others);
  expect(
    created.every(({ name, lists, leads }) => isScratch(name) && lists.length + leads.length === 0),
  ).toBe(true);
  expect(created.length).toBeLessThanOrEqual(2 * probes);
  expect(new Set(created.map(({ name }) => name)).size).toBe(created.length);
  const sent = service.writes().map(({ method, path }) => `${method} ${path.replace(/\d+/, 'ID')}`);
  const may = [
    'POST /api/campaigns',
    'POST /api/campaigns/ID/schedule',
    'POST /api/campaigns/ID/sequence-steps',
  ];
  expect(sent.filter((word) => !may.includes(word))).toEqual([]);
  const effects = service.writes().filter(({ effect }) => effect !== null);
  expect(new Set(effects.map(({ path, body }) => JSON.stringify([path, body]))).size).toBe(effects.length);
}

export function valuesOf({ findings }: ProbeResult): Record<string, string | null> {
  return Object.fromEntries(findings.map(({ key, value }) => [key, value]));
}

/** The lines of every journal, and whether a run is open. */
export function journalsOf(folder: string): { open: boolean; lines: Record<string, unknown>[] }[] {
  const path = join(folder, '.campaignctl/state/production/journal');
  return readdirSync(path).map((file) => ({
    open: file.endsWith('.open.jsonl'),
    lines: readFileSync(join(path, file), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  }));
}

export function expectedOf(shape: Shape): Record<string, unknown> {
  const { status, rows, scheduleRepost, sequenceRepost, variants, noStatus } = shape;
  const isShown = status === 'shown' || (status === 'listed' && rows === 'whole');
  const byId = sequenceRepost === 'append' ? 'step_id' : null;
  return {
    // An empty status may be set once a campaign is launched.
    status: isShown ? 'shown' : noStatus === 'empty' ? null : 'hidden',
    schedule_repost: { replace: 'replace', refuse: 'refuse', ignore: null }[scheduleRepost],
    sequence_repost: sequenceRepost,
    variant_reference: variants === 'order' ? 'order' : byId,
  };
}
