/** A disk that becomes full in the middle of an apply. */
import { expect, it } from 'vitest';
import { Failure } from '../../../src/model/failure.js';
import type { Store } from '../../../src/state/store.js';
import { run } from '../../support/apply.js';
import { campaign } from '../../support/campaigns.js';
import { environment } from '../../support/environment.js';
import { withFolder } from '../../support/folder.js';
import { expectOnce, openSandbox, SPEC, WRITES } from './full-campaign.js';

const full = () => new Failure({ code: 'state-unusable', message: 'No space left.', hint: '' });

/** The journal fails from the nth intent on. */
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
      const campaigns = [campaign('spring.yaml', SPEC)];
      const where = environment({ attach_repeat: 'safe' });
      const options = {
        url: 'https://send.example.com',
        wire: sandbox.wire,
        folder,
        campaigns,
        environment: where,
      };
      const troubles: string[] = [];
      const emit = (event: { type: string }) => void (event.type === 'trouble' && troubles.push(event.type));
      const first = await run({ ...options, store: fullAt(nth), emit });
      expect(first.result).toBe('incomplete');
      expect(troubles).toEqual(['trouble']);
      const results = first.campaigns[0]?.steps.map(({ result }) => result) ?? [];
      expect(results.filter((result) => result === 'done')).toHaveLength(nth === 8 ? 8 : nth - 1);
      expect(first.campaigns[0]?.steps.find(({ result }) => result === 'failed')?.detail).toContain(
        'No space left.',
      );
      expect(sandbox.effects()).toBe(nth - 1);
      expect((await run(options)).result).toBe('done');
      expectOnce(sandbox);
      expect((await run(options)).plan.summary.requests).toBe(0);
    }),
);
