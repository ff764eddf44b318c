import { expect, test } from 'vitest';
import { isObject, type JsonObject } from '../../../src/model/json.js';
import type { Plan } from '../../../src/model/outputs.js';
import { openReader } from '../../../src/service/index.js';
import { fakeClock } from '../../support/clock.js';
import { withProject } from '../../support/project.js';
import { openService, type Recorded, TOKEN } from '../../support/service/service.js';
import {
  BASE,
  CHOICES,
  mixedShapes,
  type Shape,
  SINGLE_CHANGES,
  shaped,
  showsStatus,
} from '../../support/service/shape.js';
import { wireTo } from '../../support/service/wire.js';
import { held, projectFiles, usedWorkspace, wanted } from './agency.js';

function outlook(shape: Shape): 'whole' | 'no variants' | 'launch fails' {
  const { variants, sequenceRepost, resume } = shape;
  if (variants === 'step_id' && sequenceRepost !== 'append') return 'no variants';
  return resume === 'failed' && showsStatus(shape) ? 'launch fails' : 'whole';
}

/** Plans, runs a dry run, applies and plans again, and checks each against the contract. */
function converges(drawn: Shape): Promise<void> {
  const shape: Shape = { ...drawn, defaults: 'documented' };
  const options = { shape, ...usedWorkspace(), files: projectFiles('{url}', shape) };
  return withProject(options, async ({ exits, plan, service, write }) => {
    const others = structuredClone(service.store.campaigns);
    const expected = outlook(shape);
    await exits(2, 'plan --detailed-exitcode');
    const rehearsal = await exits(0, 'apply --dry-run --format json');
    expect(service.writes()).toEqual([]);

    await exits(expected === 'whole' ? 0 : 4, 'apply --yes --allow launch');
    expect(service.store.campaigns.slice(0, others.length)).toEqual(others);
    const sent = service.writes();
    if (expected !== 'no variants') {
      expect(inCampaigns(sent)).toEqual(rehearsed(rehearsal.out));
      expect(sent.filter(({ effect }) => effect === null)).toEqual([]);
    }
    const full = wanted(shape);
    const now = held(service.store);
    // Without a status, the progress of an accepted launch is not checked. Each list advances it.
    if (expected === 'whole' && shape.resume !== 'immediate' && !showsStatus(shape)) {
      const status = now['Spring installers']?.status ?? '';
      expect(['queued', 'launching', 'active', 'failed']).toContain(status);
      full['Spring installers'].status = status;
    }
    const { 'Spring installers': spring, ...rest } = full;
    expect(Object.keys(now).sort()).toEqual(Object.keys(full).sort());
    expect(now).toMatchObject(rest);
    if (expected === 'whole') expect(now).toEqual(full);
    if (expected === 'launch fails')
      expect(now).toEqual({ ...rest, 'Spring installers': { ...spring, status: 'failed' } });
    if (expected === 'no variants') expect(sent.some(({ path }) => path.endsWith('/resume'))).toBe(false);

    await exits(expected === 'whole' ? 0 : 2, 'plan --detailed-exitcode');
    if (expected === 'whole') {
      await exits(0, 'apply --yes --allow launch');
      await write({ '.campaignctl': null });
      expect(changed(await plan())).toEqual(unreadable(shape));
    }
    expect(service.writes()).toEqual(sent);
  });
}

function changed({ campaigns }: Plan): string[] {
  return campaigns.flatMap(({ name, changes }) =>
    changes.map(({ section, path }) => `${name}: ${section} ${path}`),
  );
}

function unreadable(shape: Shape): string[] {
  const { reputation, templates } = shape;
  const isHidden = !showsStatus(shape);
  return [
    ...(templates === 'ids-only' ? ['Office hours | by template: schedule template'] : []),
    ...(isHidden ? ['Quiet one: status '] : []),
    ...(reputation === 'hidden' ? ['Spring installers: settings reputation_building'] : []),
    'Spring installers: leads lists',
    'Spring installers: leads ids',
    ...(isHidden ? ['Spring installers: status '] : []),
  ];
}

/** The requests of a dry run by campaign. Values that are known only later are question marks. */
function rehearsed(json: string): Record<string, string[]> {
  const { campaigns, removed, replaced } = JSON.parse(json) as Plan;
  const pauses = [...removed, ...replaced].map(({ name, step }) => ({
    name,
    steps: step === null ? [] : [step],
  }));
  return Object.fromEntries(
    [...pauses, ...campaigns]
      .filter(({ steps }) => steps.length > 0)
      .map(({ name, steps }) => [
        name,
        steps.map(
          ({ method, path, body }) => `${method} ${path.replace('{campaign_id}', '?')} ${written(body)}`,
        ),
      ]),
  );
}

/** The writes that the service received, in the same form. */
function inCampaigns(writes: readonly Recorded[]): Record<string, string[]> {
  const names: Record<string, string> = {};
  const campaigns: Record<string, string[]> = {};
  for (const { method, path, body, effect } of writes) {
    const initial = /^created (\d+)$/.exec(effect ?? '')?.[1];
    const fields = isObject(body as JsonObject | null) ? (body as JsonObject) : null;
    if (initial !== undefined) names[initial] = String(fields?.name);
    const id = initial ?? path.split('/')[3] ?? '';
    const name = names[id] ?? '';
    const line = `${method} ${path.replace(`/${id}/`, '/?/')} ${written(fields)}`;
    campaigns[name] = [...(campaigns[name] ?? []), line];
  }
  return campaigns;
}

function written(body: JsonObject | null): string {
  return JSON.stringify(body, (key, value) => (key === 'variant_from_step' && value !== null ? '?' : value));
}

/** Choices that affect the plan or the result. */
const DECISIVE = ['status', 'resume', 'sequenceRepost', 'variants', 'templates', 'reputation', 'totals'];
const names = Object.keys(BASE) as (keyof Shape)[];
test.concurrent.each([
  ...SINGLE_CHANGES.filter((change) => DECISIVE.some((name) => name in change)),
  { status: 'hidden', noStatus: 'empty' } as const,
  ...mixedShapes(names.filter((name) => !DECISIVE.includes(name))),
])('a service that differs from the base: %j', (changes) => converges(shaped(changes)));

const lists = CHOICES.list.flatMap((list) => CHOICES.envelope.map((envelope) => ({ list, envelope })));
test.each(lists)('an empty workspace is read as one: $list, $envelope', async (changes) => {
  const wire = wireTo(openService(shaped(changes), { campaigns: [], templates: [] }));
  const limits = { parallelism: 2, requestsPerMinute: null, trace: null };
  const names = { environment: 'production', tokenVariable: 'CAMPAIGNS_TOKEN' };
  const address = { baseUrl: 'https://send.example.com', names, token: TOKEN };
  const reader = openReader({ ...address, ...limits, clock: fakeClock(), wire });
  expect(await reader.campaigns()).toEqual([]);
  await reader.close();
});
