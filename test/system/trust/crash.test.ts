/** Crashes at every point of an apply. After the next run, everything exists once. */
import { rm } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
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
        // The leads of a campaign whose creation got no response are also unknown, unless it shows that it has none.
        const isFound = nth === 1 && like === 'documented' && point !== 'once it is noted';
        const inDoubt = (ATTACHMENTS.includes(nth) || isFound) && !noted;
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
