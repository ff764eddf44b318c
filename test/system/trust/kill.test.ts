/** Real processes of the built program, killed, interrupted and started together. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../../src/sandbox/index.js';
import { command, type Ended, writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';
import { expectOnce, WRITES } from './full-campaign.js';

const PROGRAM = fileURLToPath(new URL('../../../dist/campaignctl.cjs', import.meta.url));
const TOKEN = 'secret-token-51c0';

const MANIFEST = `name: Spring installers
settings: { max_emails_per_day: 200, max_new_leads_per_day: 100, reputation_building: true }
schedule: { days: [monday], start_time: "09:00", end_time: "17:00", timezone: Europe/Paris }
sequence:
  title: Spring
  steps:
    - email_subject: A question
      email_body: <p>Hi</p>
      wait_in_days: 2
      variants: [{ email_subject: Another question, email_body: <p>Hello</p> }]
    - { email_subject: A question, email_body: <p>Still there?</p>, wait_in_days: 3, thread_reply: true }
leads: { lists: [5], ids: [1, 2, 3] }
status: running
`;
const project = (url: string) => `version: 1
manifests: [campaigns/*.yaml]
environments:
  production:
    base_url: ${url}
    token_env: CAMPAIGNS_TOKEN
    allow: [launch]
    service: { attach_repeat: safe }
`;

interface Scene {
  folder: string;
  sandbox: Sandbox;
  /** Starts the program; `ended` tells how it ended, with code null where a signal ended it. */
  start(...argv: string[]): {
    child: ChildProcess;
    ended: Promise<Omit<Ended, 'code'> & { code: number | null }>;
  };
}

/** Runs the program in this process: for what comes after, or beside, the process that a test is about. */
const run = (folder: string, ...argv: string[]) =>
  command(folder, argv, { CAMPAIGNS_TOKEN: TOKEN }, Date.now);

/** A project beside a service of which the nth write is told before (`noticed`) and after its effect. */
async function scene(
  { faults = [], like = 'reported' }: { faults?: string[]; like?: 'documented' | 'reported' },
  use: (scene: Scene, onWrite: (react: (nth: number) => void) => void) => Promise<void>,
): Promise<void> {
  let react = (_: number): void => undefined;
  let writes = 0;
  const sandbox = await startSandbox({
    profile: like,
    file: null,
    faults,
    onRequest({ method }) {
      if (method === 'GET') return;
      writes += 1;
      react(writes);
    },
  });
  try {
    await withFolder(async (folder) => {
      await writeFiles(folder, {
        'campaignctl.yaml': project(sandbox.url),
        'campaigns/spring.yaml': MANIFEST,
      });
      const start = (...argv: string[]) => {
        const env = { PATH: process.env.PATH, CAMPAIGNS_TOKEN: TOKEN };
        const child = spawn(process.execPath, [PROGRAM, ...argv], { cwd: folder, env });
        let [out, err] = ['', ''];
        child.stdout.on('data', (more) => {
          out += more;
        });
        child.stderr.on('data', (more) => {
          err += more;
        });
        child.stdin.end();
        const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) =>
          child.on('close', (code) => {
            expect(out + err, 'no stack trace').not.toMatch(/^\s+at .*:\d+/m);
            expect(out + err, 'no token').not.toContain(TOKEN);
            resolve({ code, out, err });
          }),
        );
        return { child, ended };
      };
      await use({ folder, sandbox, start }, (next) => {
        react = next;
      });
    });
  } finally {
    await sandbox.close();
  }
}

/** The writes of the campaign in their order, as the sandbox can be told to strike them. */
const PATHS = [
  'POST /api/campaigns',
  'PATCH /api/campaigns/*/update',
  'POST /api/campaigns/*/schedule',
  'POST /api/campaigns/*/sequence-steps#1',
  'POST /api/campaigns/*/sequence-steps#2',
  'POST /api/campaigns/*/leads/attach-lead-list',
  'POST /api/campaigns/*/leads/attach-leads',
  'PATCH /api/campaigns/*/resume',
];
const strike = (nth: number, kind: string) => {
  const path = PATHS[nth - 1] ?? '';
  return [path.includes('#') ? `${path}=${kind}` : `${path}#1=${kind}`];
};

/** As if an hour had gone by since: their age goes by the time that the machine has been up. */
function ageJournals(folder: string): void {
  const journals = `${folder}/.campaignctl/state/production/journal`;
  for (const name of readdirSync(journals)) {
    const text = readFileSync(`${journals}/${name}`, 'utf8');
    const aged = text.replace(/"uptime":(\d+)/g, (_, then) => `"uptime":${Number(then) - 3_600_000}`);
    expect(aged).not.toBe(text);
    writeFileSync(`${journals}/${name}`, aged);
  }
}

describe('kill -9 at a write', () => {
  // crash.test.ts has every point of each write; `TRUST_CASES` takes all of these.
  const isDeep = process.env.TRUST_CASES !== undefined;
  const points = (isDeep ? WRITES : [1, 4, 8]).flatMap((nth) =>
    ['before', 'after'].map((when) => [nth, when] as const),
  );
  // Side by side: most of the time they wait.
  it.concurrent.each(points)(
    'number %d, %s its effect, is reconciled by the next run',
    { timeout: 60_000 },
    (nth, when) =>
      // The answer to the struck write never comes: whether it had its effect is the only difference.
      scene(
        { faults: strike(nth, when === 'before' ? 'hang' : 'hang-after') },
        async ({ sandbox, start, folder }, onWrite) => {
          const first = start('apply', '--yes');
          onWrite((number) => {
            if (number === nth) first.child.kill('SIGKILL');
          });
          expect((await first.ended).code).toBeNull();
          expect(readdirSync(`${folder}/.campaignctl/state/production`)).toContain('lock');
          // The others need not wait as well: their journals are made to be of an hour ago.
          if (nth > 1) ageJournals(folder);
          const second = await run(folder, 'apply', '--yes');
          expect(second.code, second.out + second.err).toBe(0);
          if (nth === 1)
            expect(second.err).toMatch(
              /^An earlier run ended before it read back what it sent. Waiting \d+ s until/m,
            );
          expectOnce(sandbox);
          const third = await run(folder, 'plan', '--detailed-exitcode');
          expect(third.code, third.out).toBe(0);
          expect((await run(folder, 'history')).out).toContain('never finished');
        },
      ),
  );
});

describe('an interrupt', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    '%s finishes the request in flight, reports every step, and the next run goes on',
    { timeout: 30_000 },
    (signal) =>
      scene({ faults: strike(4, 'slow:0.4') }, async ({ sandbox, start, folder }, onWrite) => {
        const first = start('apply', '--yes');
        onWrite((number) => {
          if (number === 4) first.child.kill(signal);
        });
        const { code, out, err } = await first.ended;
        expect(code).toBe(130);
        expect(err).toContain('Stopping');
        expect(out).toMatch(/✓ create the sequence of 2 emails\n {4}· add 1 variant {2}not run/);
        expect(out.match(/not run/g)).toHaveLength(5);
        expect((await run(folder, 'history')).out).toContain('interrupted');
        const second = await run(folder, 'apply', '--yes');
        expect(second.code, second.out + second.err).toBe(0);
        expect(second.out).not.toContain('An earlier run');
        expectOnce(sandbox);
      }),
  );

  it('a second one stops at once, and nothing is lost', { timeout: 30_000 }, () =>
    scene({ faults: strike(4, 'hang-after') }, async ({ sandbox, start, folder }, onWrite) => {
      const first = start('apply', '--yes');
      onWrite((number) => {
        if (number !== 4) return;
        first.child.kill('SIGINT');
        setTimeout(() => first.child.kill('SIGINT'), 200);
      });
      expect((await first.ended).code).toBe(130);
      const second = await run(folder, 'apply', '--yes');
      expect(second.code, second.out + second.err).toBe(0);
      expectOnce(sandbox);
    }),
  );

  it('while the service is read sends nothing', { timeout: 30_000 }, () =>
    scene({ faults: ['GET /api/campaigns=hang'] }, async ({ sandbox, start }) => {
      const first = start('apply', '--yes');
      await expect.poll(() => sandbox.requests().length, { timeout: 10_000 }).toBeGreaterThan(0);
      first.child.kill('SIGINT');
      const { code, err } = await first.ended;
      expect(code).toBe(130);
      expect(err).toContain('Nothing was sent');
      expect(sandbox.requests().every(({ method }) => method === 'GET')).toBe(true);
    }),
  );
});

describe('a plan', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('that is ended by %s says so', { timeout: 30_000 }, (signal) =>
    scene({ faults: ['GET /api/campaigns=hang'] }, async ({ sandbox, start }) => {
      const first = start('plan');
      await expect.poll(() => sandbox.requests().length, { timeout: 10_000 }).toBeGreaterThan(0);
      first.child.kill(signal);
      const { code, err } = await first.ended;
      expect(code).toBe(130);
      expect(err).toContain('Interrupted. Nothing was sent.');
    }),
  );

  it('beside an apply at work says so, and claims nothing of what that one sends', { timeout: 30_000 }, () =>
    scene({ faults: strike(1, 'slow:6') }, async ({ sandbox, start, folder }) => {
      const first = start('apply', '--yes');
      await expect
        .poll(() => sandbox.requests().some(({ method }) => method === 'POST'), { timeout: 10_000 })
        .toBe(true);
      const { out, err } = await run(folder, 'plan');
      expect(out.replace(/\s+/g, ' ')).toMatch(
        /The state is locked by another apply \([^)]*process \d+ on [^)]*, since [^)]*\)\. This plan does not show what it sends/,
      );
      expect(out + err).not.toContain('earlier run');
      expect((await run(folder, 'history')).err).toContain('Its run is not complete yet');
      expect((await first.ended).code).toBe(0);
    }),
  );
});

describe('applies that are started together', () => {
  it('three of them make each campaign once, one after the other', { timeout: 60_000 }, () =>
    scene({}, async ({ sandbox, start }) => {
      const ended = await Promise.all([1, 2, 3].map(() => start('apply', '--yes').ended));
      expect(ended.map(({ code }) => code)).toEqual([0, 0, 0]);
      expectOnce(sandbox);
      expect(ended.filter(({ out }) => out.includes('No changes')).length).toBe(2);
    }),
  );

  it('one that does not wait names the other, and sends nothing', { timeout: 30_000 }, () =>
    scene({ faults: strike(2, 'hang') }, async ({ sandbox, start }) => {
      const first = start('apply', '--yes');
      await expect.poll(() => sandbox.state().campaigns.length, { timeout: 10_000 }).toBe(1);
      const second = await start('apply', '--yes', '--lock-timeout', '0').ended;
      expect(second.code).toBe(1);
      expect(second.err).toContain(`process ${first.child.pid} on`);
      expect((await start('unlock', '--yes').ended).code).toBe(3);
      first.child.kill('SIGKILL');
      await first.ended;
      expect((await start('unlock', '--yes').ended).out).toContain('it has ended');
      expect((await start('unlock').ended).out).toContain('No apply holds the lock');
    }),
  );
});
