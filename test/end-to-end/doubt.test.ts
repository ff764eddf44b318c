import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { applyPlan, survey } from '../../src/apply/index.js';
import type { CampaignSpec } from '../../src/model/spec.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { openWriter } from '../../src/service/index.js';
import { openStore } from '../../src/state/index.js';
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
      const onward = request(new URL(`${sandbox.url}${incoming.url}`), { method, headers }, (answer) => {
        if (hit) return answer.resume().on('end', () => fault.answer(outgoing));
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        return answer.pipe(outgoing);
      });
      return onward.end(Buffer.concat(chunks));
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const close = () => {
    proxy.closeAllConnections();
    proxy.close();
  };
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, close };
}

/** One run: survey and apply, with a clock that does not make anybody wait. */
async function run(url: string, folder: string) {
  let now = 0;
  const sleep = async (milliseconds: number) => {
    now += milliseconds;
  };
  const options = { baseUrl: url, token: 'secret', parallelism: 2, requestsPerMinute: null, trace: null };
  const service = openWriter(options);
  const store = openStore(join(folder, 'state'));
  const campaigns = [campaign('spring.yaml', SPEC)];
  // Attaching again is safe on the sandbox, which skips what is there.
  const where = environment({ attach_repeat: 'safe' });
  try {
    const records = await store.readAll();
    const made = await survey({
      environment: where,
      campaigns,
      targets: [],
      records,
      reader: service,
      holdLaunch: false,
    });
    const tools = {
      service,
      store,
      parallelism: 2,
      now: () => now,
      sleep,
      emit: () => {},
      stopping: () => false,
    };
    return { requests: made.plan.summary.requests, ...(await applyPlan(made, tools)) };
  } finally {
    await service.close();
  }
}

describe.each(['documented', 'reported'] as const)('on a service as it is %s', (like) => {
  describe.each(Object.entries(FAULTS))('a write that is %s', (_, fault) => {
    it.each(Array.from({ length: WRITES }, (__, index) => index + 1))(
      'leaves nothing twice: write %d',
      (nth) =>
        withFolder(async (folder) => {
          const sandbox = await startSandbox({ like, file: null });
          const proxy = await faulty(sandbox, nth, fault);
          try {
            const first = await run(proxy.url, folder);
            const attaches = nth === 6 || nth === 7;
            // What can be read is settled in the same run; what is attached cannot be read.
            expect(first.result).toBe(fault.effect && !attaches ? 'done' : 'incomplete');
            if (first.result === 'incomplete') {
              const told = first.campaigns[0]?.steps.map(({ result }) => result) ?? [];
              expect(told.filter((result) => result === 'in_doubt')).toHaveLength(1);
              expect((await run(proxy.url, folder)).result).toBe('done');
            }
            expect((await run(proxy.url, folder)).requests).toBe(0);
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
