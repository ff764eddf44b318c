import { expect, it } from 'vitest';
import { Failure } from '../../src/model/failure.js';
import { applyProject } from '../../src/operations/apply.js';
import { openSession } from '../../src/operations/session.js';
import { toInterrupt, type World } from '../../src/operations/world.js';
import { fakeClock } from '../support/clock.js';
import { writeFiles } from '../support/command.js';
import { withFolder } from '../support/folder.js';
import { openService, type Service, TOKEN } from '../support/service/service.js';
import { shaped } from '../support/service/shape.js';
import { draft } from '../support/service/store.js';
import { wireTo } from '../support/service/wire.js';

const PROJECT = `version: 1
manifests: [manifest.yaml]
environments:
  production:
    base_url: https://send.example.com
    token_env: CAMPAIGNS_TOKEN
    workspace: { campaign_id: 11, name: Ours }
    allow: [launch, adopt, missing]
`;
const MANIFEST = `name: Spring
id: 42
status: running
`;

/** Applies the launch of a campaign with two leads after asking. */
async function launch({
  asked,
  sent,
  more = {},
  others = [],
}: {
  asked?: (service: Service) => void;
  sent?: (service: Service) => void;
  more?: Partial<World>;
  others?: string[];
}) {
  const campaigns = [draft(11, 'Ours'), { ...draft(42, 'Spring'), leads: [1, 2] }];
  const service = openService(shaped({ totals: 'shown', launch: 'anything' }), { campaigns, templates: [] });
  const clock = fakeClock();
  return withFolder(async (cwd) => {
    const manifests = [MANIFEST, ...others.map((name) => `name: ${name}\n`)];
    await writeFiles(cwd, { 'campaignctl.yaml': PROJECT, 'manifest.yaml': manifests.join('---\n') });
    const world: World = {
      ...{ cwd, env: { CAMPAIGNS_TOKEN: TOKEN }, clock, now: clock.now, wire: wireTo(service) },
      err: () => undefined,
      ...more,
    };
    const session = await openSession(
      { config: null, env: null, debug: false, files: [], target: [] },
      world,
    );
    const listener = {
      review: () => undefined,
      confirm: async () => asked?.(service),
      sending: () => sent?.(service),
      emit: () => undefined,
    };
    const request = { session, saved: null, allow: [], lockTimeout: 0 };
    const ended = await applyProject(request, listener, toInterrupt(new AbortController().signal)).then(
      ({ result: { result, campaigns: outcomes } }) =>
        `${result} ${outcomes[0]?.steps.at(-1)?.detail ?? ''}`.trim(),
      (error) => {
        if (!(error instanceof Failure)) throw error;
        return `${error.code} ${error.details}`;
      },
    );
    return { ended, writes: service.writes().map(({ path }) => path) };
  });
}

const grow = ({ store }: Service) => {
  for (const campaign of store.campaigns)
    if (campaign.id === 42) campaign.leads = Array.from({ length: 50_002 }, (_, at) => at);
};
const move = ({ store }: Service) => {
  for (const campaign of store.campaigns) if (campaign.id === 11) campaign.name = 'Of another client';
};

it('launches what was shown', async () => {
  expect(await launch({})).toEqual({ ended: 'done', writes: ['/api/campaigns/42/resume'] });
});

it('refuses if more leads were added while it waited for the answer', async () => {
  expect(await launch({ asked: grow })).toEqual({
    ended: expect.stringMatching(/^plan-stale Spring: .* 2 .* 50002$/),
    writes: [],
  });
});

it('does not launch if leads are added or the workspace changes after the last plan', async () => {
  expect(await launch({ sent: grow })).toEqual({
    ended: expect.stringMatching(/ 50002/),
    writes: [],
  });
  expect(await launch({ sent: move })).toEqual({
    ended: expect.stringMatching(/campaign 11 .*"Ours"/),
    writes: [],
  });
});

it('finishes all requests in flight before it rejects with the error of a store', async () => {
  let ended = false;
  const store: World['store'] = (files) => ({
    ...files,
    async save({ name }) {
      if (name === 'Spring') throw new Error('the disk is gone');
      await new Promise((resolve) => setTimeout(resolve, 50));
      ended = true;
    },
  });
  await expect(launch({ more: { store }, others: ['Autumn', 'Winter'] })).rejects.toThrow('the disk is gone');
  expect(ended).toBe(true);
});
