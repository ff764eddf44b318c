/** Crashes at every point of attaching a list again. It is never sent twice without approval, and never for a value that it had. */
import { expect, it } from 'vitest';
import { type RunOptions, run } from '../../support/apply.js';
import { campaign } from '../../support/campaigns.js';
import { environment } from '../../support/environment.js';
import { withFolder } from '../../support/folder.js';
import { openService, TOKEN } from '../../support/service/service.js';
import { shaped } from '../../support/service/shape.js';
import { draft } from '../../support/service/store.js';
import { wireTo } from '../../support/service/wire.js';
import { dies, killer, POINTS } from './killer.js';

/** A campaign that has list 5 for the value 1; its manifest now says 2. */
async function refilled(
  attach_repeat: 'unknown' | 'safe',
  use: (options: RunOptions, attached: () => number) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const service = openService(shaped({}), { campaigns: [draft(11, 'Another team')], templates: [] });
    const manifest = (refill: number) => [
      campaign('spring.yaml', { name: 'Spring', leads: { lists: [{ list: 5, refill }] } }),
    ];
    const options: RunOptions = {
      ...{
        url: 'https://send.example.com',
        token: TOKEN,
        folder,
        environment: environment({ attach_repeat }),
      },
      campaigns: manifest(1),
      wire: () => wireTo(service),
      refuses: true,
    };
    const attached = () => service.store.campaigns.find(({ name }) => name === 'Spring')?.lists.length ?? 0;
    expect((await run(options)).result).toBe('done');
    expect(attached()).toBe(1);
    await use({ ...options, campaigns: manifest(2) }, attached);
    // A value that comes back attaches nothing.
    const before = attached();
    for (const value of [1, 2]) {
      const again = await run({ ...options, campaigns: manifest(value) });
      expect([again.plan.summary.requests, attached()]).toEqual([0, before]);
    }
  });
}

const DONE = ['once its outcome is noted', 'before the record', 'once the record is there'];

it.each([...POINTS, 'before the record', 'once the record is there'] as const)(
  'a run that crashes %s leaves doubt only if the outcome is unknown',
  (point) =>
    refilled('unknown', async (options, attached) => {
      await dies(run({ ...options, refuses: false, ...killer(point, 1) }));
      const before = attached();
      const second = await run(options);
      const isDone = DONE.includes(point);
      const codes = second.plan.campaigns.flatMap(({ problems }) => problems.map(({ code }) => code));
      expect(codes.includes('repeat-attach')).toBe(!isDone);
      expect([second.result, attached()]).toEqual([isDone ? 'done' : 'incomplete', before]);
      expect((await run({ ...options, refuses: false })).result).toBe('done');
      expect(attached()).toBe(isDone ? before : before + 1);
    }),
);

it.each(POINTS)('on a service that skips attached leads, a run that crashes %s goes on', (point) =>
  refilled('safe', async (options, attached) => {
    await dies(run({ ...options, ...killer(point, 1) }));
    const before = attached();
    expect((await run(options)).result).toBe('done');
    expect(attached()).toBe(DONE.includes(point) ? before : before + 1);
  }),
);
