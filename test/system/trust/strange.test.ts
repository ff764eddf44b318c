/** Services and networks that behave strangely. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { isObject, type Json, type JsonObject } from '../../../src/model/json.js';
import type { Campaign, CampaignSpec } from '../../../src/model/spec.js';
import type { Sandbox } from '../../../src/sandbox/index.js';
import { type Reader, systemClock, type Writer } from '../../../src/service/index.js';
import { type Ran, type RunOptions, run } from '../../support/apply.js';
import { campaign } from '../../support/campaigns.js';
import { environment } from '../../support/environment.js';
import { withFolder } from '../../support/folder.js';
import { expectOnce, SPEC, withSandbox } from './full-campaign.js';
import { Death, dies } from './killer.js';

type Service = Reader & Writer;
type Send = Service['send'];

const SPRING = campaign('spring.yaml', SPEC);
const where = environment({ attach_repeat: 'safe' });

const beside = (use: (options: Omit<RunOptions, 'campaigns'>, sandbox: Sandbox) => Promise<void>) =>
  withSandbox((sandbox, folder) => use({ url: sandbox.url, folder, environment: where }, sandbox));

/** A proxy between program and service that handles one kind of request differently. */
const odd =
  (
    isMeant: (path: string) => boolean,
    send: (real: Service, ...args: Parameters<Send>) => ReturnType<Send>,
  ) =>
  (real: Service): Service => ({
    ...real,
    send: (request, stop) => (isMeant(request.path) ? send(real, request, stop) : real.send(request, stop)),
  });
const bodyOf = ({ body }: { body: Json }): JsonObject => (isObject(body) ? body : {});
const isCreate = (path: string) => path === '/api/campaigns';
const isSequence = (path: string) => path.endsWith('/sequence-steps');

async function sendLate(url: string, { method, path, body }: Parameters<Send>[0]): Promise<void> {
  const headers = { authorization: 'Bearer secret-token', 'content-type': 'application/json' };
  const { status } = await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) });
  expect(status).toBeLessThan(300);
}

/** Accepts no writes, so that only the plan is visible. */
const mute = (real: Service): Service => ({
  ...real,
  send: async () => ({ kind: 'refused', status: 422, message: 'Not now.' }),
});

/** The first campaign's step with this id. */
const stepOf = ({ campaigns }: Ran, id: string) => campaigns[0]?.steps.find((step) => step.id === id);

const LOST = { kind: 'in_doubt', message: 'the connection was closed' } as const;

/** A faster clock, on which two seconds are forty. */
const FAST = 20;
const fastClock = {
  ...systemClock,
  elapsed: () => FAST * systemClock.elapsed(),
  sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(ms / FAST, signal),
};

// Runs them concurrently, because they mostly wait.
describe.concurrent('a request that is in flight when its run ends is awaited by the next run', () => {
  it.each([
    ['a creation of a run that dies', isCreate, 0],
    ['a sequence of a run that dies', isSequence, 0],
    ['a sequence of a run that dies, with the clock set forward by an hour', isSequence, 3_600_000],
    ['a sequence of a run that is interrupted while it looks for it', isSequence, null],
  ])('%s', { timeout: 40_000 }, (_, isMeant, ahead) =>
    beside(async (options, sandbox) => {
      let late: Promise<unknown> = Promise.resolve();
      const stop = new AbortController();
      const base = { ...options, campaigns: [SPRING], clock: fastClock };
      const service = odd(isMeant, async (_service, request) => {
        late = sleep(ahead === null ? 2_500 : 2_000).then(() => sendLate(options.url, request));
        if (ahead !== null) throw new Death('killed');
        setTimeout(() => stop.abort(), 100);
        return LOST;
      });
      const first = run({ ...base, service, stop: stop.signal });
      if (ahead !== null) await dies(first);
      else expect(stepOf(await first, 'sequence')?.result).toBe('in_doubt');
      const clock = { ...fastClock, now: () => Date.now() + (ahead ?? 0) };
      expect((await run({ ...base, clock })).result).toBe('done');
      await late;
      expectOnce(sandbox);
    }),
  );
});

it('two new campaigns with similar names are not confused if a response is lost', () =>
  beside(async (options, sandbox) => {
    const longer = campaign('b.yaml', { name: 'Spring installers FR' });
    let lost = false;
    const service = odd(isCreate, async (real, request) => {
      if (bodyOf(request).name !== 'Spring installers FR' || lost) return real.send(request);
      lost = true;
      return LOST;
    });
    const { campaigns } = await run({ ...options, campaigns: [SPRING, longer], service });
    expect(campaigns.map(({ result }) => result)).toEqual(['done', 'incomplete']);
    expect((await run({ ...options, campaigns: [SPRING, longer] })).result).toBe('done');
    const names = sandbox.state().campaigns.map(({ name }) => name);
    expect(names.sort()).toEqual(['Spring installers', 'Spring installers FR']);
  }));

describe('a service that changes names', () => {
  const smith: Campaign = campaign('smith.yaml', { name: 'Smith & Sons of Bristol' });
  const names: [how: string, stored: string][] = [
    ['with entities', 'Smith &amp; Sons of Bristol'],
    ['with other blanks', 'Smith &  Sons of\u00a0Bristol'],
    ['cut', 'Smith & Sons of Br'],
  ];
  const renaming = (stored: string, lost: boolean) =>
    odd(isCreate, async (real, request) => {
      const sent = await real.send({ ...request, body: { ...bodyOf(request), name: stored } });
      return lost ? LOST : sent;
    });

  it.each(names.flatMap(([how, stored]) => [false, true].map((lost) => [how, stored, lost] as const)))(
    '%s (%s), response lost: %s, needs approval before a second campaign is created',
    (how, stored, lost) =>
      beside(async (options, sandbox) => {
        const isUnknown = how === 'cut' && lost;
        const service = renaming(stored, lost);
        const first = await run({ ...options, campaigns: [smith], service });
        expect(first.campaigns).toMatchObject([{ id: isUnknown ? null : 1, result: 'incomplete' }]);
        const [step] = first.campaigns[0]?.steps ?? [];
        expect(step?.result).toBe(isUnknown ? 'in_doubt' : 'failed');
        const again = await run({ ...options, campaigns: [smith], service: mute });
        expect(again.plan.campaigns[0]?.problems).toContainEqual(
          expect.objectContaining({ code: 'rename', severity: 'hazard' }),
        );
        expect(sandbox.state().campaigns).toHaveLength(1);
      }),
  );

  it('needs approval even without a state', () =>
    beside(async (options, sandbox) => {
      await run({ ...options, campaigns: [campaign('old.yaml', { name: 'Smith &amp; Sons of Bristol' })] });
      await withFolder(async (folder) => {
        const { plan } = await run({ ...options, folder, campaigns: [smith], service: mute });
        expect(plan.campaigns[0]?.problems).toMatchObject([
          { code: 'rename', message: expect.stringContaining('the same name spelt differently') },
        ]);
      });
      expect(sandbox.state().campaigns).toHaveLength(1);
    }));
});

it('a response to a creation with the id of an existing campaign is not trusted', () =>
  beside(async (options, sandbox) => {
    const other = campaign('other.yaml', { name: 'Another team' });
    await run({ ...options, campaigns: [other] });
    const before = sandbox.state().campaigns[0];
    const service = odd(isCreate, async (real, request) => {
      const sent = await real.send(request);
      return sent.kind === 'accepted' ? { ...sent, body: { id: 1, name: 'Spring installers' } } : sent;
    });
    const { campaigns } = await run({ ...options, campaigns: [SPRING], service });
    expect(campaigns).toMatchObject([{ id: 2, result: 'done' }]);
    expect(sandbox.state().campaigns[0]).toEqual(before);
  }));

describe('a campaign', () => {
  it('that is renamed during a run is not launched', () =>
    beside(async (options) => {
      const service = (real: Service): Service => ({
        ...real,
        async read(name, id) {
          const part = await real.read(name, id);
          if (name === 'campaign' && part.is === 'shown')
            Object.assign(part.value, { name: { ...part, value: 'Another' } });
          return part;
        },
      });
      const { campaigns } = await run({ ...options, campaigns: [SPRING], service });
      expect(campaigns[0]).toMatchObject({
        result: 'incomplete',
        remaining: [{ path: 'name', kind: 'update', from: 'Another', to: 'Spring installers' }],
      });
      expect(campaigns[0]?.steps.at(-1)).toMatchObject({ id: 'launch', result: 'not_run' });
    }));

  it('with only part of its emails is in doubt, and gets nothing more', () =>
    beside(async (options, sandbox) => {
      const service = odd(isSequence, async (real, request) => {
        const body = bodyOf(request);
        const steps = body.sequence_steps;
        await real.send({
          ...request,
          body: { ...body, sequence_steps: Array.isArray(steps) ? steps.slice(0, 1) : [] },
        });
        return LOST;
      });
      const ran = await run({ ...options, campaigns: [SPRING], service });
      expect(stepOf(ran, 'sequence')).toMatchObject({
        result: 'in_doubt',
        detail: expect.stringContaining('does not show an effect'),
      });
      expect(sandbox.state().campaigns[0]?.steps).toHaveLength(1);
    }));
});

it('a creation whose response is lost, and whose manifest was renamed since, is found by its old name and reported', () =>
  beside(async (options, sandbox) => {
    const alpha = (name: string, more: Partial<CampaignSpec> = {}) => campaign('a.yaml', { name, ...more });
    const service = odd(isCreate, async (real, request) => {
      await real.send(request);
      throw new Death('killed');
    });
    await dies(run({ ...options, campaigns: [alpha('Alpha')], service }));
    const { plan } = await run({ ...options, campaigns: [alpha('Alpha 2')] });
    expect(plan.campaigns[0]?.problems).toMatchObject([
      { code: 'rename', message: expect.stringContaining('campaign 1 ("Alpha")') },
    ]);
    expect(plan.problems).toMatchObject([
      {
        code: 'unfinished-run',
        message: expect.stringMatching(/^"Alpha": .*it exists as campaign 1\.$/),
      },
    ]);
    expect(sandbox.state().campaigns.length).toBe(2);
  }));

it('the lead count before an attachment in doubt is the one before the first of the run, and is not reported for a later one', () =>
  beside(async (options) => {
    const service = odd(
      (path) => path.endsWith('/attach-leads'),
      async () => LOST,
    );
    const unsure = { ...options, environment: environment({ attach_repeat: 'unknown' }) };
    const { campaigns } = await run({ ...unsure, campaigns: [SPRING], service });
    const detail = campaigns[0]?.steps.find(({ result }) => result === 'in_doubt')?.detail;
    expect(detail).toMatch(/which leads are attached(?:; .* \d+)?$/);
    const first = odd(
      (path) => path.includes('/attach-'),
      async () => LOST,
    );
    await withFolder(async (folder) => {
      const spec = { ...SPEC, name: 'Second' };
      const { campaigns: others } = await run({
        ...unsure,
        folder,
        campaigns: [campaign('b.yaml', spec)],
        service: first,
      });
      const lines = others[0]?.steps.find(({ result }) => result === 'in_doubt')?.detail;
      expect(lines).toMatch(/total_leads is now 0 \(0 before\)$/);
    });
  }));
