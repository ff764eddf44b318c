/** Crashes at every point of an apply, and full disks. After the next run, everything exists once. */
import { rm } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/model/failure.js';
import type { Store } from '../../../src/state/store.js';
import { type RunOptions, run } from '../../support/apply.js';
import { campaign } from '../../support/campaigns.js';
import { environment } from '../../support/environment.js';
import { withFolder } from '../../support/folder.js';
import { ATTACHMENTS, expectOnce, openSandbox, type QuietSandbox, SPEC, WRITES } from './full-campaign.js';
import { dies, killer, POINTS } from './killer.js';

const CAMPAIGNS = [campaign('spring.yaml', SPEC)];

function options({ wire }: QuietSandbox, folder: string, attach_repeat: 'safe' | 'unknown'): RunOptions {
  return {
    url: 'https://send.example.com',
    wire,
    folder,
    campaigns: CAMPAIGNS,
    environment: environment({ attach_repeat }),
  };
}

describe.each(['documented', 'reported'] as const)('on a service as it is %s', (like) => {
  const scene = (use: (sandbox: QuietSandbox, folder: string) => Promise<void>) =>
    withFolder((folder) => use(openSandbox(like), `${folder}/state`));

  // For these, one of the two services is enough.
  const writes = like === 'reported' ? WRITES : [];
  describe.each(POINTS)('a run that crashes %s', (point) => {
    it.each(writes)('is completed by the next one: write %d', (nth) =>
      scene(async (sandbox, folder) => {
        const usual = options(sandbox, folder, 'safe');
        await dies(run({ ...usual, ...killer(point, nth) }));
        const second = await run(usual);
        expect(second.result, JSON.stringify(second.campaigns)).toBe('done');
        expectOnce(sandbox);
        const third = await run(usual);
        expect(third.plan.summary.requests).toBe(0);
        expect(
          third.plan.campaigns.flatMap(({ problems }) => problems.map(({ code }) => code)),
        ).not.toContain('unfinished-run');
      }),
    );

    it.each(WRITES)('leaves doubt only about the attachment in progress: write %d', (nth) =>
      scene(async (sandbox, folder) => {
        const usual = options(sandbox, folder, 'unknown');
        await dies(run({ ...usual, ...killer(point, nth) }));
        const second = await run(usual);
        const hazards = second.plan.campaigns
          .flatMap(({ problems }) => problems)
          .filter(({ severity }) => severity === 'hazard');
        const asked = hazards.filter(({ code }) => code !== 'launch').map(({ code }) => code);
        // An attachment without a recorded outcome may or may not have happened.
        const noted = point === 'before it is noted' || point === 'once its outcome is noted';
        const inDoubt = ATTACHMENTS.includes(nth) && !noted;
        const [list, rest] = ATTACHMENTS;
        const isCounted =
          like === 'reported' &&
          ((nth === list && point === 'once its outcome is noted') ||
            (nth === rest && point === 'before it is noted'));
        expect(asked).toEqual(inDoubt || isCounted ? ['repeat-attach'] : []);
        expect(second.result).toBe('done');
        expectOnce(sandbox);
        expect((await run(usual)).plan.summary.requests).toBe(0);
      }),
    );

    it.each(writes)('and loses its state is also completed: write %d', (nth) =>
      scene(async (sandbox, folder) => {
        const usual = options(sandbox, folder, 'safe');
        await dies(run({ ...usual, ...killer(point, nth) }));
        await rm(folder, { recursive: true, force: true });
        expect((await run(usual)).result).toBe('done');
        expectOnce(sandbox);
        expect((await run(usual)).plan.summary.requests).toBe(0);
      }),
    );
  });

  it.each(['before the record', 'once the record is there'] as const)(
    'a run that crashes at its end, %s, leaves nothing to do',
    (point) =>
      scene(async (sandbox, folder) => {
        const usual = options(sandbox, folder, 'unknown');
        await dies(run({ ...usual, ...killer(point, 0) }));
        const second = await run(usual);
        expect(second.plan.summary.requests).toBe(0);
        expectOnce(sandbox);
        const third = await run(usual);
        expect(third.plan).toMatchObject({ summary: { requests: 0 }, campaigns: [{ action: 'none' }] });
        expect(third.plan.campaigns[0]?.problems.map(({ code }) => code)).not.toContain('unfinished-run');
      }),
  );

  it('a run that crashes while it reconciles an earlier one is reconciled in the same way', () =>
    scene(async (sandbox, folder) => {
      const usual = options(sandbox, folder, 'safe');
      await dies(run({ ...usual, ...killer('once it has its effect', 4) }));
      await dies(run({ ...usual, ...killer('once the record is there', 0) }));
      await dies(run({ ...usual, ...killer('once it has its effect', 1) }));
      expect((await run(usual)).result).toBe('done');
      expectOnce(sandbox);
    }));
});

const full = () => new Failure({ code: 'state-unusable', message: 'No space left.', hint: '' });

/** A disk that becomes full: the journal fails from the nth intent on. */
function fullAt(nth: number) {
  return (real: Store): Store => ({
    ...real,
    async begin(start, now) {
      const journal = await real.begin(start, now);
      let intents = 0;
      const refuse = async () => {
        throw full();
      };
      return {
        ...journal,
        async intend(intent) {
          intents += 1;
          if (intents >= nth) throw full();
          await journal.intend(intent);
        },
        conclude: async (conclusion) => (intents >= nth ? undefined : journal.conclude(conclusion)),
        end: refuse,
      };
    },
    save: async () => {
      throw full();
    },
  });
}

it.each(WRITES)(
  'a request that cannot be recorded is not sent, and the next run continues from there: write %d',
  (nth) =>
    withFolder(async (folder) => {
      const sandbox = openSandbox();
      const usual = options(sandbox, folder, 'safe');
      const troubles: string[] = [];
      const emit = (event: { type: string }) => void (event.type === 'trouble' && troubles.push(event.type));
      const first = await run({ ...usual, store: fullAt(nth), emit });
      expect(first.result).toBe('incomplete');
      expect(troubles).toEqual(['trouble']);
      const results = first.campaigns[0]?.steps.map(({ result }) => result) ?? [];
      expect(results.filter((result) => result === 'done')).toHaveLength(nth === 8 ? 8 : nth - 1);
      expect(first.campaigns[0]?.steps.find(({ result }) => result === 'failed')?.detail).toContain(
        'No space left.',
      );
      expect(sandbox.effects()).toBe(nth - 1);
      expect((await run(usual)).result).toBe('done');
      expectOnce(sandbox);
      expect((await run(usual)).plan.summary.requests).toBe(0);
    }),
);
