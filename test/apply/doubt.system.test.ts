import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import type { Sandbox } from '../../src/sandbox/index.js';
import { run } from '../support/apply.js';
import { campaign } from '../support/campaigns.js';
import { environment } from '../support/environment.js';
import { expectOnce, SPEC, WRITES, withSandbox } from '../system/trust/full-campaign.js';

/** What a network can do to one write. `effect`: the service has done it all the same. */
const FAULTS = {
  'lost before its effect': { effect: false, answer: cut },
  'lost after its effect': { effect: true, answer: cut },
  'answered with 500 before its effect': { effect: false, answer: failing },
  'answered with 502 in HTML after its effect': { effect: true, answer: failing },
  'answered with half an answer': { effect: true, answer: half },
};

function cut(answer: ServerResponse) {
  answer.destroy();
}
function failing(answer: ServerResponse) {
  answer.writeHead(502, { 'content-type': 'text/html' }).end('<html>bad gateway</html>');
}
function half(answer: ServerResponse) {
  answer.writeHead(200, { 'content-type': 'application/json' }).end('{"data":{"id":');
}

type Fault = (typeof FAULTS)[keyof typeof FAULTS];

/** Passes everything on to the sandbox, but for one write. */
async function faulty(sandbox: Sandbox, nth: number, fault: Fault) {
  let writes = 0;
  const proxy = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      if (incoming.method !== 'GET') writes += 1;
      const hit = incoming.method !== 'GET' && writes === nth;
      if (hit && !fault.effect) return fault.answer(outgoing);
      const { method, headers } = incoming;
      const forwarded = request(new URL(`${sandbox.url}${incoming.url}`), { method, headers }, (answer) => {
        if (hit) return answer.resume().on('end', () => fault.answer(outgoing));
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        return answer.pipe(outgoing);
      });
      return forwarded.end(Buffer.concat(chunks));
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const close = () => {
    proxy.closeAllConnections();
    proxy.close();
  };
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, close };
}

/** One run, with a state of its own; attaching again is safe on the sandbox, which skips what is there. */
function once(url: string, folder: string, attach_repeat: 'safe' | 'unknown' = 'safe') {
  const campaigns = [campaign('spring.yaml', SPEC)];
  return run({ url, folder, campaigns, environment: environment({ attach_repeat }) });
}

/** How a write is lost does not depend on the service, what shows of its effect does. */
const CASES = [
  ...Object.entries(FAULTS).map(([title, fault]) => ['reported', title, fault] as const),
  ['documented', 'lost after its effect', FAULTS['lost after its effect']] as const,
].flatMap(([like, title, fault]) => WRITES.map((nth) => [like, title, nth, fault] as const));

it.each(CASES)(
  'a service as it is %s: a write that is %s leaves nothing twice: write %d',
  (like, _, nth, fault) =>
    withSandbox(async (sandbox, folder) => {
      const proxy = await faulty(sandbox, nth, fault);
      try {
        // What reading leaves open stops the campaign; only a later run may send it again.
        const first = await once(proxy.url, folder);
        const results = first.campaigns[0]?.steps.map(({ result }) => result) ?? [];
        const open = results.indexOf('in_doubt');
        expect(results).toEqual(
          results.map((_, at) => (open < 0 || at < open ? 'done' : at === open ? 'in_doubt' : 'not_run')),
        );
        if (!fault.effect) expect(open).toBeGreaterThanOrEqual(0);
        expect((await once(proxy.url, folder)).result).toBe('done');
        expect((await once(proxy.url, folder)).plan.summary.requests).toBe(0);
        expectOnce(sandbox);
      } finally {
        proxy.close();
      }
    }, like),
);
