import { expect, it } from 'vitest';
import type { Exchange, Wire } from '../../src/service/index.js';
import { run } from '../support/apply.js';
import { campaign } from '../support/campaigns.js';
import { environment } from '../support/environment.js';
import { withFolder } from '../support/folder.js';
import { expectOnce, openSandbox, SPEC, WRITES } from '../system/trust/full-campaign.js';

const answered = (status: number, text: string): Exchange => ({
  ...{ kind: 'answered', status, headers: {} },
  bytes: Buffer.from(text),
});
const CUT: Exchange = { kind: 'lost', sent: true, status: null, reason: 'the connection was closed' };
const FAILING = answered(502, '<html>bad gateway</html>');
/** What a network can do to one write. `effect`: the service has done it all the same. */
const FAULTS: Record<string, { effect: boolean; answer: Exchange }> = {
  'lost before its effect': { effect: false, answer: CUT },
  'lost after its effect': { effect: true, answer: CUT },
  'answered with 502 in HTML before its effect': { effect: false, answer: FAILING },
  'answered with 502 in HTML after its effect': { effect: true, answer: FAILING },
  'answered with half an answer': { effect: true, answer: answered(200, '{"data":{"id":') },
};

/** How a write is lost does not depend on the service; what shows of its effect does. */
const CASES = Object.entries(FAULTS).flatMap(([title, fault]) =>
  (title === 'lost after its effect'
    ? ['documented' as const, 'reported' as const]
    : ['reported' as const]
  ).flatMap((like) => WRITES.map((nth) => [like, title, nth, fault] as const)),
);

it.each(CASES)(
  'on a service as it is %s, a write that is %s leaves nothing twice: write %d',
  (like, _, nth, fault) =>
    withFolder(async (folder) => {
      const sandbox = openSandbox(like);
      let writes = 0;
      const wire = (): Wire => {
        const real = sandbox.wire();
        return {
          ...real,
          async exchange(request, ...more) {
            const isHit = request.method !== 'GET' && ++writes === nth;
            if (isHit && !fault.effect) return fault.answer;
            const answer = await real.exchange(request, ...more);
            return isHit ? fault.answer : answer;
          },
        };
      };
      // Attaching again is safe on the sandbox, which skips what is there.
      const apply = () =>
        run({
          ...{ url: 'https://send.example.com', wire, folder, campaigns: [campaign('spring.yaml', SPEC)] },
          environment: environment({ attach_repeat: 'safe' }),
        });
      // What reading leaves open stops the campaign; only a later run may send it again.
      const results = (await apply()).campaigns[0]?.steps.map(({ result }) => result) ?? [];
      const open = results.indexOf('in_doubt');
      expect(results).toEqual(
        results.map((_, at) => (open < 0 || at < open ? 'done' : at === open ? 'in_doubt' : 'not_run')),
      );
      if (!fault.effect) expect(open).toBeGreaterThanOrEqual(0);
      expect((await apply()).result).toBe('done');
      expect((await apply()).plan.summary.requests).toBe(0);
      expectOnce(sandbox);
    }),
);
