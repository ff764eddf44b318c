/** The workspace behind the token changes before a pause: the campaign that shows the id is a different one. */
import { expect, it } from 'vitest';
import type { CampaignSpec } from '../../src/model/spec.js';
import type { RunOptions } from '../support/apply.js';
import { campaign } from '../support/campaigns.js';
import { environment } from '../support/environment.js';
import type { Service } from '../support/service/service.js';
import { active, draft } from '../support/service/store.js';
import { applying, entry42, KNOWN, NAME, SCHEDULE, SEQUENCE } from './spring.js';

const WINTER = 'Winter installers';
const RAN = { ...KNOWN, status: 'running', has_run: true };
const SPRING: Partial<CampaignSpec> = {
  schedule: SCHEDULE,
  sequence: SEQUENCE,
  leads: { ids: [1] },
  replaces: WINTER,
};

/** Campaign 42 is to be paused because its manifest was removed, because it is replaced, or because the manifest says so. */
const ROLES: Record<string, Pick<RunOptions, 'campaigns'>> = {
  removed: { campaigns: [] },
  replaced: { campaigns: [campaign('spring.yaml', { name: NAME, ...SPRING })] },
  declared: { campaigns: [campaign('winter.yaml', { name: WINTER, status: 'paused' })] },
};
const CHANGES: Record<string, (service: Service) => () => void> = {
  'has a different name': ({ store }) => {
    const [winter] = store.campaigns;
    if (winter !== undefined) winter.name = 'A different client';
    return () => {
      if (winter !== undefined) Object.assign(winter, { name: WINTER, status: 'active' });
    };
  },
  'does not exist': ({ store }) => {
    const [winter] = store.campaigns.splice(0, 1);
    return () =>
      void store.campaigns.unshift(...(winter === undefined ? [] : [{ ...winter, status: 'active' }]));
  },
};

it.each(
  Object.keys(ROLES).flatMap((role) =>
    Object.keys(CHANGES).flatMap((change) =>
      (['shown', 'hidden'] as const).map((status) => ({ role, change, status })),
    ),
  ),
)(
  'a $role campaign that $change when it is read back is not reported as paused: status $status',
  async (scene) => {
    const { role, change, status } = scene;
    const campaigns = [active(42, WINTER), draft(43, 'Another')];
    await applying({ shape: { status, none: '404' }, campaigns }, async ({ service, state, apply }) => {
      await state.save({ ...entry42(RAN), manifest: 'winter.yaml', name: WINTER });
      const options = {
        environment: { ...environment(), on_removal: 'pause' as const },
        ...ROLES[role],
      };
      let restore = () => {};
      const { campaigns: outcomes, result } = await apply(
        {},
        {
          ...options,
          service: (real) => ({
            ...real,
            async send(request, terms) {
              const sent = await real.send(request, terms);
              // The token belongs to the other workspace from the pause on.
              if (request.path.endsWith('/pause')) restore = CHANGES[change]?.(service) ?? restore;
              return sent;
            },
          }),
        },
      );
      const winter = outcomes.find(({ name }) => name === WINTER);
      expect(result).toBe('incomplete');
      expect(winter?.steps.map(({ id, result: ended }) => `${id} ${ended}`)).toEqual([
        'pause in_doubt',
        'read-back failed',
      ]);
      expect(winter?.steps.at(-1)?.detail).toContain('does not show campaign 42 under its name');
      expect(service.writes().map(({ path }) => path)).toEqual(['/api/campaigns/42/pause']);

      restore();
      const again = await apply({}, options);
      const writes = service.writes().map(({ path }) => path);
      expect(writes.slice(1, 2)).toEqual(['/api/campaigns/42/pause']);
      expect(again.result).toBe('done');
    });
  },
);

it('a removed campaign that a person renames before the plan is paused', () =>
  applying({ campaigns: [active(42, 'Winter 2')] }, async ({ service, state, apply }) => {
    await state.save({ ...entry42(RAN), manifest: 'winter.yaml', name: WINTER });
    const { result } = await apply(
      {},
      { campaigns: [], environment: { ...environment(), on_removal: 'pause' } },
    );
    expect([result, service.store.campaigns[0]?.status]).toEqual(['done', 'paused']);
  }));

it('a removed campaign is paused although its record shows no name', () =>
  applying({ campaigns: [active(42, WINTER)] }, async ({ service, state, apply }) => {
    await state.save({ ...entry42(RAN), manifest: 'winter.yaml', name: WINTER });
    const { answer } = service;
    service.answer = (arrived) => {
      const reply = answer(arrived);
      const isRecord = arrived.method === 'GET' && arrived.url.pathname === '/api/campaigns/42';
      const body = reply?.body as { data: object };
      return reply && isRecord ? { ...reply, body: { data: { ...body.data, name: undefined } } } : reply;
    };
    const { result } = await apply(
      {},
      { campaigns: [], environment: { ...environment(), on_removal: 'pause' } },
    );
    expect([result, service.store.campaigns[0]?.status]).toEqual(['done', 'paused']);
  }));
