/** Dies at every point of an apply, runs again, and finds everything once. */
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

  // On one of the two it makes no difference to these.
  const writes = like === 'reported' ? WRITES : [];
  describe.each(POINTS)('a run that dies %s', (point) => {
    it.each(writes)('is brought to its end by the next one: write %d', (nth) =>
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

    it.each(WRITES)('leaves no question but about what was being attached: write %d', (nth) =>
      scene(async (sandbox, folder) => {
        const usual = options(sandbox, folder, 'unknown');
        await dies(run({ ...usual, ...killer(point, nth) }));
        const second = await run(usual);
        const hazards = second.plan.campaigns
          .flatMap(({ problems }) => problems)
          .filter(({ severity }) => severity === 'hazard');
        const asked = hazards.filter(({ code }) => code !== 'launch').map(({ code }) => code);
        // An attachment of which the outcome was not noted may or may not have happened.
        const noted = point === 'before it is noted' || point === 'once its outcome is noted';
        // Nor is it known of a campaign that was asked for without an answer, unless it shows that it has none.
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

    it.each(writes)('and loses its state is brought to its end as well: write %d', (nth) =>
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
    'a run that dies at its end, %s, has nothing left to do',
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

  it('a run that dies while it reconciles an earlier one is reconciled like that one', () =>
    scene(async (sandbox, folder) => {
      const usual = options(sandbox, folder, 'safe');
      await dies(run({ ...usual, ...killer('once it has its effect', 4) }));
      await dies(run({ ...usual, ...killer('once the record is there', 0) }));
      await dies(run({ ...usual, ...killer('once it has its effect', 1) }));
      expect((await run(usual)).result).toBe('done');
      expectOnce(sandbox);
    }));
});
