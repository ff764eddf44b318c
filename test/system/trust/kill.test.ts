/** Real processes of the built program, which are killed, interrupted and started together. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ProfileName } from '../../../src/model/environment.js';
import { type Sandbox, startSandbox } from '../../../src/sandbox/index.js';
import { command, type Ended, writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';
import { type Started, startProgram } from '../../support/program.js';
import { projectFile, SCHEDULE } from '../../support/project.js';
import { TOKEN } from '../../support/service/service.js';
import { oneLine } from '../../support/texts.js';
import { expectOnce, WRITES } from './full-campaign.js';

const MANIFEST = `name: Spring installers
settings: { max_emails_per_day: 200, max_new_leads_per_day: 100, reputation_building: true }
${SCHEDULE}sequence:
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
interface Scene {
  folder: string;
  sandbox: Sandbox;
  start(...argv: string[]): Started;
  /** Runs the program in this process. */
  run(code: number, ...argv: string[]): Promise<Ended>;
}

/** A project with a service that reports each write (`onWrite`) before its effect. */
async function scene(
  faults: string[],
  use: (scene: Scene, onWrite: (react: (nth: number) => void) => void) => Promise<void>,
  profile: ProfileName = 'reported',
): Promise<void> {
  let react = (_: number): void => undefined;
  let writes = 0;
  const sandbox = await startSandbox({
    profile,
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
      const environment = '    allow: [launch]\n    service: { attach_repeat: safe }\n';
      await writeFiles(folder, {
        'campaignctl.yaml': projectFile(environment).replace('{url}', sandbox.url),
        'campaigns/spring.yaml': MANIFEST,
      });
      const run: Scene['run'] = async (code, ...argv) => {
        const ended = await command(folder, argv, { CAMPAIGNS_TOKEN: TOKEN }, Date.now);
        expect(ended.code, ended.out + ended.err).toBe(code);
        return ended;
      };
      const start = (...argv: string[]) => startProgram(folder, argv);
      await use({ folder, sandbox, start, run }, (next) => {
        react = next;
      });
    });
  } finally {
    await sandbox.close();
  }
}

/** The writes of the campaign in order, as --fault of the sandbox names them. */
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

/** Kills an apply at its nth write. */
async function killAt(
  nth: number,
  { start }: Scene,
  onWrite: (react: (nth: number) => void) => void,
): Promise<void> {
  const first = start('apply', '--yes');
  onWrite((number) => {
    if (number === nth) first.kill('SIGKILL');
  });
  expect((await first.ended).code).toBe(-1);
}

/** The next run continues, and everything exists once. */
async function goesOn({ run, sandbox }: Scene): Promise<Ended> {
  const ended = await run(0, 'apply', '--yes');
  expectOnce(sandbox);
  return ended;
}

const until = (isSo: () => boolean) => expect.poll(isSo, { timeout: 10_000 }).toBe(true);

describe('kill -9 at a write', () => {
  // crash.test.ts covers every point of each write. `TRUST_CASES` runs all of these.
  const isDeep = process.env.TRUST_CASES !== undefined;
  const all = WRITES.flatMap((nth) => ['before', 'after'].map((when) => [nth, when] as const));
  const points = all.filter(([nth, when]) => isDeep || nth === 1 || nth === (when === 'after' ? 4 : 8));
  // Runs them concurrently, because they mostly wait.
  it.concurrent.each(points)(
    'number %d, %s its effect, is reconciled by the next run',
    { timeout: 60_000 },
    (nth, when) =>
      // The response to this write never arrives. The cases differ only in whether it took effect.
      scene(strike(nth, when === 'before' ? 'hang' : 'hang-after'), async (at, onWrite) => {
        await killAt(nth, at, onWrite);
        expect(readdirSync(`${at.folder}/.campaignctl/state/production`)).toContain('lock');
        // Dates the other journals an hour back, so that those cases need not wait.
        if (nth > 1) ageJournals(at.folder);
        const { err } = await goesOn(at);
        // A campaign that the service shows already needs no wait.
        const waits = /^An earlier run .* "create the campaign" for Spring installers\. Waiting up to \d+ s/m;
        expect(waits.test(err)).toBe(nth === 1 && when === 'before');
        await at.run(0, 'plan', '--detailed-exitcode');
        expect((await at.run(0, 'history')).out).toContain('never finished');
      }),
  );

  // Without statuses, the next run cannot see whether the launch (write 8) took effect.
  const literalPoints = [4, 7].flatMap((nth) => ['before', 'after'].map((when) => [nth, when] as const));
  it.concurrent.each(literalPoints)(
    'number %d, %s its effect, is reconciled by the next run on a literal service',
    { timeout: 60_000 },
    (nth, when) =>
      scene(
        strike(nth, when === 'before' ? 'hang' : 'hang-after'),
        async (at, onWrite) => {
          await killAt(nth, at, onWrite);
          ageJournals(at.folder);
          await goesOn(at);
          await at.run(0, 'plan', '--detailed-exitcode');
        },
        'literal',
      ),
  );

  it.concurrent.each(['hang', 'hang-after'])(
    'of a launch (%s) on a literal service leaves it in doubt until the campaign was paused',
    { timeout: 60_000 },
    (kind) =>
      scene(
        strike(8, kind),
        async (at, onWrite) => {
          const resumes = kind === 'hang' ? 0 : 1;
          await killAt(8, at, onWrite);
          ageJournals(at.folder);
          await at.run(4, 'apply', '--yes');
          expect(at.sandbox.state().campaigns).toMatchObject([{ resumes }]);
          const manifest = `${at.folder}/campaigns/spring.yaml`;
          writeFileSync(manifest, MANIFEST.replace('running', 'paused'));
          await at.run(0, 'apply', '--yes');
          expect(at.sandbox.state().campaigns).toMatchObject([{ resumes, status: 'paused' }]);
          writeFileSync(manifest, MANIFEST);
          await at.run(0, 'apply', '--yes', '--allow', 'launch=Spring installers');
          expect(at.sandbox.state().campaigns).toMatchObject([{ resumes: resumes + 1, status: 'active' }]);
        },
        'literal',
      ),
  );
});

describe('an interrupt', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    '%s finishes the request in flight and reports every step, and the next run continues',
    { timeout: 30_000 },
    (signal) =>
      scene([], async (at, onWrite) => {
        const first = at.start('apply', '--yes');
        onWrite((number) => {
          if (number !== 4) return;
          first.kill(signal);
          // The response arrives after the signal.
          execFileSync('sleep', ['0.4']);
        });
        const { code, out, err } = await first.ended;
        expect(code).toBe(130);
        expect(err).toContain('Stopping');
        const [, unsent = ''] =
          /✓ create the sequence of 2 emails\n {4}· not run: (add 1 variant, .*)/.exec(out) ?? [];
        expect(unsent.split(', ')).toHaveLength(5);
        expect((await at.run(0, 'history')).out).toContain('interrupted');
        expect((await goesOn(at)).out).not.toContain('An earlier run');
      }),
  );

  it('a second one stops the process immediately, and nothing is lost', { timeout: 30_000 }, () =>
    scene(strike(4, 'hang-after'), async (at, onWrite) => {
      const first = at.start('apply', '--yes');
      onWrite((number) => {
        if (number !== 4) return;
        first.kill('SIGINT');
        setTimeout(() => first.kill('SIGINT'), 200);
      });
      expect((await first.ended).code).toBe(130);
      await goesOn(at);
    }),
  );

  it.each([
    ['apply --yes', 'SIGINT', /Nothing was sent/],
    ['plan', 'SIGINT', /Interrupted\. Nothing was sent\./],
    ['plan --json', 'SIGTERM', /"exit_code": 130,\s+"error": {\s+"code": "interrupted"/],
  ] as const)(
    'of %s by %s while the service is read sends nothing',
    { timeout: 30_000 },
    (line, signal, shown) =>
      scene(['GET /api/campaigns=hang'], async ({ sandbox, start }) => {
        const first = start(...line.split(' '));
        await until(() => sandbox.requests().length > 0);
        first.kill(signal);
        const { code, out, err } = await first.ended;
        expect([code, out + err]).toEqual([130, expect.stringMatching(shown)]);
        expect(sandbox.requests().every(({ method }) => method === 'GET')).toBe(true);
      }),
  );
});

it(
  'a plan during an apply says so, and makes no claims about what that apply sends',
  { timeout: 30_000 },
  () =>
    scene([], async ({ start, run }, onWrite) => {
      const first = start('apply', '--yes');
      await new Promise<void>((resolve) =>
        onWrite((number) => {
          if (number !== 1) return;
          first.kill('SIGSTOP');
          resolve();
        }),
      );
      const { out, err } = await run(0, 'plan');
      expect(oneLine(out)).toMatch(/locked by .*\([^)]*process \d+ on [^)]*, since [^)]*\)/);
      expect(out + err).not.toContain('earlier run');
      expect((await run(0, 'history')).err).toContain('may be incomplete below');
      first.kill('SIGCONT');
      expect((await first.ended).code).toBe(0);
    }),
);

describe('applies that are started together', () => {
  it('three of them create each campaign once, one after another', { timeout: 60_000 }, () =>
    scene([], async ({ sandbox, start }) => {
      const ended = await Promise.all([1, 2, 3].map(() => start('apply', '--yes').ended));
      expect(ended.map(({ code }) => code)).toEqual([0, 0, 0]);
      expectOnce(sandbox);
      expect(ended.filter(({ out }) => out.includes('No changes')).length).toBe(2);
    }),
  );

  it('one that does not wait names the holder, and sends nothing', { timeout: 30_000 }, () =>
    scene(strike(2, 'hang'), async ({ sandbox, start, run }) => {
      const first = start('apply', '--yes');
      await until(() => sandbox.state().campaigns.length === 1);
      const second = await start('apply', '--yes', '--lock-timeout', '0').ended;
      expect(second).toMatchObject({ code: 1, err: expect.stringContaining(`process ${first.pid} on`) });
      await run(3, 'unlock', '--yes');
      first.kill('SIGKILL');
      await first.ended;
      expect((await run(0, 'unlock', '--yes')).out).toContain('the process has ended');
      expect((await run(0, 'unlock')).out).toContain('No apply holds the lock');
    }),
  );
});
