/** Which campaigns a plan reads, and how often. */
import { expect, it } from 'vitest';
import type { Campaign } from '../../src/model/spec.js';
import { SCHEDULE, SEQUENCE } from '../apply/spring.js';
import { run } from '../support/apply.js';
import { campaign } from '../support/campaigns.js';
import { environment } from '../support/environment.js';
import { withFolder } from '../support/folder.js';
import { type Fault, openService, type Service, TOKEN } from '../support/service/service.js';
import { type Shape, shaped } from '../support/service/shape.js';
import { wireTo } from '../support/service/wire.js';

const CONTENT = { schedule: SCHEDULE, sequence: SEQUENCE };
const NAMES = ['Spring', 'Summer', 'Autumn'];
const ALL = NAMES.map((name) => campaign(`${name.toLowerCase()}.yaml`, { name, ...CONTENT }));

interface Scene {
  service: Service;
  /** Applies with all approvals, and returns the number of requests to each path of a campaign. */
  apply(campaigns: readonly Campaign[]): Promise<Record<string, number>>;
}

const scene = (shape: Partial<Shape>, use: (scene: Scene) => Promise<void>) =>
  withFolder(async (top) => {
    const service = openService(shaped(shape), { campaigns: [], templates: [] });
    await use({
      service,
      async apply(campaigns) {
        const before = service.requests.length;
        await run({
          ...{ url: 'https://send.example.com', token: TOKEN, folder: `${top}/state`, campaigns },
          environment: environment(),
          wire: () => wireTo(service),
        });
        const counts: Record<string, number> = {};
        for (const { method, path } of service.requests.slice(before)) {
          const [, place] = /^\/api\/campaigns\/(\d+.*)$/.exec(path) ?? [];
          if (place !== undefined) counts[`${method} ${place}`] = (counts[`${method} ${place}`] ?? 0) + 1;
        }
        return counts;
      },
    });
    expect(service.violations).toEqual([]);
  });

it('only the campaign that the service contradicts is read again', () =>
  scene({}, async ({ service, apply }) => {
    await apply(ALL);
    const none = { status: 200, body: { data: [] }, effect: false };
    service.answerThen('GET', '/api/campaigns/102/sequence-steps', none);
    expect(await apply(ALL)).toEqual({
      ...{ 'GET 101/schedule': 1, 'GET 101/sequence-steps': 1 },
      ...{ 'GET 102/schedule': 2, 'GET 102/sequence-steps': 2 },
      ...{ 'GET 103/schedule': 1, 'GET 103/sequence-steps': 1 },
    });
  }));

it('only the campaign whose status vanished is read again, with the list', () =>
  scene({}, async ({ service, apply }) => {
    const running = ALL.map(({ spec, manifest }) =>
      campaign(manifest, { ...spec, leads: { ids: [1] }, status: 'paused' }),
    );
    await apply(running);
    const row = { id: 102, name: 'Summer' };
    service.answerThen('GET', '/api/campaigns/102', { status: 200, body: { data: row }, effect: false });
    const rows = service.store.campaigns.map(({ id, name, status }) => ({
      ...{ id, name },
      ...(id === 102 ? {} : { status }),
    }));
    service.answerThen('GET', '/api/campaigns', { status: 200, body: { data: rows }, effect: false });
    const counts = await apply(running);
    expect([counts['GET 101'], counts['GET 102'], counts['GET 103']]).toEqual([1, 2, 1]);
  }));

it.each([{}, { status: 'hidden' } as const])(
  'a campaign that was replaced is not read once it is idle: %j',
  (shape) =>
    scene(shape, async ({ apply }) => {
      const [spring] = ALL;
      const old = campaign('spring.yaml', { ...spring?.spec, leads: { ids: [1] }, status: 'running' });
      const successor = campaign('spring.yaml', { ...old.spec, name: 'Spring 2', replaces: 'Spring' });
      await apply([old]);
      await apply([successor]);
      const isOld = (place: string) => place.startsWith('GET 101');
      expect(Object.keys(await apply([successor])).filter(isOld)).toEqual([]);
      const { replaces: _, ...alone } = successor.spec;
      expect(Object.keys(await apply([campaign('spring.yaml', alone)])).filter(isOld)).toEqual([]);
    }),
);

it.each<[string, Fault]>([
  ['with a fault', { status: 500, body: { message: 'broken' }, effect: false }],
  ['with a refusal', { status: 403, body: { message: 'not yours' }, effect: false }],
  ['unreadably', { status: 200, body: { data: { start_time: 9 } }, effect: false }],
  ['with a page', { status: 200, body: '<!doctype html><title>Sign in</title>', effect: false }],
])('a replaced campaign whose hours the service answers %s is replaced without comparing them', (_, fault) =>
  withFolder(async (top) => {
    const service = openService(shaped({}), { campaigns: [], templates: [] });
    const at = { url: 'https://send.example.com', token: TOKEN, folder: `${top}/state` };
    const apply = (...campaigns: Campaign[]) =>
      run({ ...at, campaigns, environment: environment(), wire: () => wireTo(service) });
    const old = { name: 'Spring', ...CONTENT, leads: { ids: [1] }, status: 'running' as const };
    await apply(campaign('spring.yaml', old));
    const successor = campaign('spring.yaml', { ...old, name: 'Spring 2', replaces: 'Spring' });
    for (let time = 0; time < 20; time += 1) service.answerThen('GET', '/api/campaigns/101/schedule', fault);
    const { plan, result } = await apply(successor);
    expect(plan.campaigns[0]?.replaces).toMatchObject({ running: true, copy: [], schedule: null });
    expect(result).toBe('done');
    expect(service.writes().filter(({ path }) => path === '/api/campaigns/101/pause')).toHaveLength(1);
    expect(service.violations).toEqual([]);
  }),
);

it('the own hours of a replaced campaign with a manifest must be readable', () =>
  scene({}, async ({ service, apply }) => {
    const [spring] = ALL;
    await apply([campaign('spring.yaml', { ...spring?.spec })]);
    const old = campaign('spring.yaml', { ...spring?.spec, status: 'paused' });
    const successor = campaign('new.yaml', { ...spring?.spec, name: 'Spring 2', replaces: 'Spring' });
    service.answerThen('GET', '/api/campaigns/101/schedule', {
      ...{ status: 403, body: { message: 'not yours' }, effect: false },
    });
    await expect(apply([old, successor])).rejects.toMatchObject({ code: 'no-access' });
  }));
