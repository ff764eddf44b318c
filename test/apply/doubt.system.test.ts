import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { CampaignSpec } from '../../src/model/spec.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { run } from '../support/apply.js';
import { campaign } from '../support/campaigns.js';
import { environment } from '../support/environment.js';
import { withFolder } from '../support/folder.js';

/** A campaign with every kind of write: eight of them, a variant and a launch among them. */
const SPEC: Partial<CampaignSpec> = {
  settings: { max_emails_per_day: 200, max_new_leads_per_day: 100, reputation_building: true },
  schedule: { days: ['monday'], start_time: '09:00', end_time: '17:00', timezone: 'Europe/Paris' },
  sequence: {
    title: 'Spring',
    steps: [
      {
        email_subject: 'A question',
        email_body: '<p>Hi</p>',
        wait_in_days: 2,
        variants: [{ email_subject: 'Another question', email_body: '<p>Hello</p>' }],
      },
      { email_subject: 'A question', email_body: '<p>Still there?</p>', wait_in_days: 3, thread_reply: true },
    ],
  },
  leads: { lists: [5], ids: [1, 2, 3] },
  status: 'running',
};
const WRITES = 8;

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

describe.each(['documented', 'reported'] as const)('on a service as it is %s', (like) => {
  describe.each(Object.entries(FAULTS))('a write that is %s', (_, fault) => {
    it.each(Array.from({ length: WRITES }, (__, index) => index + 1))(
      'leaves nothing twice: write %d',
      (nth) =>
        withFolder(async (folder) => {
          const sandbox = await startSandbox({ profile: like, file: null });
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
            const [only, ...others] = sandbox.state().campaigns;
            expect(others).toEqual([]);
            expect(only).toMatchObject({ status: 'active', resumes: 1, lists: [5], leads: [1, 2, 3] });
            expect(only?.steps.map(({ email_subject }) => email_subject.replace('Re: ', ''))).toEqual([
              'A question',
              'A question',
              'Another question',
            ]);
          } finally {
            proxy.close();
            await sandbox.close();
          }
        }),
    );
  });
});
