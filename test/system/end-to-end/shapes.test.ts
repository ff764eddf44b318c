import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isObject, type JsonObject } from '../../../src/model/json.js';
import type { Plan } from '../../../src/model/outputs.js';
import { command, writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';
import { type Recorded, startService } from '../../support/service/service.js';
import { CHOICES, type Shape, SINGLE_CHANGES, shaped, showsStatus } from '../../support/service/shape.js';
import { held, projectFiles, usedWorkspace, wanted } from './agency.js';

/** What the contract says of a service of this shape: whether variants can follow their steps, and launches succeed. */
function outlook(shape: Shape): 'whole' | 'no variants' | 'launch fails' {
  const { variants, sequenceRepost, resume } = shape;
  if (variants === 'step_id' && sequenceRepost !== 'append') return 'no variants';
  return resume === 'failed' && showsStatus(shape) ? 'launch fails' : 'whole';
}

/** Plans, rehearses, applies and plans again, and holds each against the contract. */
async function converges(drawn: Shape): Promise<void> {
  // What a service makes of a new campaign cannot be rehearsed: made-settings.test.ts has the others.
  const shape: Shape = { ...drawn, defaults: 'documented' };
  const service = await startService(shape, usedWorkspace());
  try {
    await withFolder(async (folder) => {
      await writeFiles(folder, projectFiles(service.url, shape));
      const others = structuredClone(service.store.campaigns);

      const first = await command(folder, ['plan', '--detailed-exitcode']);
      expect(first.code, first.err).toBe(2);
      const rehearsal = await command(folder, ['apply', '--dry-run', '--format', 'json']);
      expect(rehearsal.code, rehearsal.err).toBe(0);
      expect(service.writes()).toEqual([]);

      const applied = await command(folder, ['apply', '--yes', '--allow', 'launch']);
      const expected = outlook(shape);
      expect(applied.code, `${applied.out}${applied.err}`).toBe(expected === 'whole' ? 0 : 4);
      expect(service.violations).toEqual([]);
      expect(service.store.campaigns.slice(0, others.length)).toEqual(others);
      const sent = service.writes();
      if (expected !== 'no variants') {
        expect(inCampaigns(sent)).toEqual(rehearsed(rehearsal.out));
        expect(sent.filter(({ effect }) => effect === null)).toEqual([]);
      }
      const full = wanted(shape);
      const now = held(service.store);
      // How far an accepted launch has come is not looked at where no status is shown: each list moves it on.
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

      const again = await command(folder, ['plan', '--detailed-exitcode']);
      expect(again.code, `${again.out}${again.err}`).toBe(expected === 'whole' ? 0 : 2);
      if (expected === 'whole') {
        const repeated = await command(folder, ['apply', '--yes', '--allow', 'launch']);
        expect(repeated.code, `${repeated.out}${repeated.err}`).toBe(0);
        await rm(join(folder, '.campaignctl'), { recursive: true });
        const forgetful = await command(folder, ['plan', '--format', 'json']);
        expect(changed(forgetful.out)).toEqual(unreadable(shape));
      }
      expect(service.writes()).toEqual(sent);
      expect(service.violations).toEqual([]);
    });
  } finally {
    await service.close();
  }
}

/** What a plan would change, by campaign and path. */
function changed(json: string): string[] {
  const { campaigns } = JSON.parse(json) as Plan;
  return campaigns.flatMap(({ name, changes }) =>
    changes.map(({ section, path }) => `${name}: ${section} ${path}`),
  );
}

/** What is known from the state alone, and asked for again once the state is lost. */
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

/** The requests of a rehearsal by campaign; what is known only later is a question mark. */
function rehearsed(json: string): Record<string, string[]> {
  const { requests } = JSON.parse(json) as {
    requests: { campaign: string; method: string; path: string; body: JsonObject | null }[];
  };
  const campaigns: Record<string, string[]> = {};
  for (const { campaign, method, path, body } of requests) {
    const line = `${method} ${path.replace('{campaign_id}', '?')} ${written(body)}`;
    campaigns[campaign] = [...(campaigns[campaign] ?? []), line];
  }
  return campaigns;
}

/** The writes that the service got, in the same words. */
function inCampaigns(writes: readonly Recorded[]): Record<string, string[]> {
  const names: Record<string, string> = {};
  const campaigns: Record<string, string[]> = {};
  for (const { method, path, body, effect } of writes) {
    const made = /^created (\d+)$/.exec(effect ?? '')?.[1];
    const fields = isObject(body as JsonObject | null) ? (body as JsonObject) : null;
    if (made !== undefined) names[made] = String(fields?.name);
    const id = made ?? path.split('/')[3] ?? '';
    const name = names[id] ?? '';
    const line = `${method} ${path.replace(`/${id}/`, '/?/')} ${written(fields)}`;
    campaigns[name] = [...(campaigns[name] ?? []), line];
  }
  return campaigns;
}

function written(body: JsonObject | null): string {
  return JSON.stringify(body, (key, value) => (key === 'variant_from_step' && value !== null ? '?' : value));
}

describe('a service that differs from the base in one respect', () => {
  test.concurrent.each(
    [{}, ...SINGLE_CHANGES].map((changes) => [JSON.stringify(changes), shaped(changes)] as const),
  )('%s', async (_name, shape) => converges(shape));
});

describe('an empty workspace', () => {
  const shapes = CHOICES.list.flatMap((list) => CHOICES.envelope.map((envelope) => ({ list, envelope })));
  test.concurrent.each(shapes)('$list, $envelope', async (changes) => {
    const shape = shaped(changes);
    const service = await startService(shape, { campaigns: [], templates: [] });
    await withFolder(async (folder) => {
      const { 'campaignctl.yaml': project = '' } = projectFiles(service.url, shape);
      await writeFiles(folder, {
        'campaignctl.yaml': project,
        'campaigns/first.yaml':
          'name: The first\nsettings: { plain_text: true, reputation_building: false }\n',
      });
      const applied = await command(folder, ['apply', '--yes']);
      expect(applied.code, applied.out + applied.err).toBe(0);
      expect(service.store.campaigns.map(({ name }) => name)).toEqual(['The first']);
      const again = await command(folder, ['plan', '--detailed-exitcode']);
      expect(again.code, again.out + again.err).toBe(0);
      expect(service.violations).toEqual([]);
    });
    await service.close();
  });
});

const anyShape = fc.record(
  Object.fromEntries(
    Object.entries(CHOICES).map(([name, choices]) => [name, fc.constantFrom<unknown>(...choices)]),
  ),
) as fc.Arbitrary<Shape>;

describe('services of any shape', () => {
  const shapes = fc.sample(anyShape, { numRuns: 30, seed: 20261121 });
  test.concurrent.each(shapes.map((shape, index) => [index, shape] as const))(
    'number %i',
    async (_index, shape) => converges(shape),
  );
});
