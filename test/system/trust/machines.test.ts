/**
 * Several machines, one service, and everything that can go wrong with the remote that stores their state. In each case,
 * nothing is created or launched twice, a list is attached twice only with approval, and nothing is reported as done that
 * is not recorded. `TRUST_CASES` runs all cases (`npm run test:deep`).
 */

import { execFileSync } from 'node:child_process';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EMPTY_APPLY_SUMMARY } from '../../support/apply.js';
import type { Ended } from '../../support/command.js';
import {
  expectNothingLeft,
  expectNothingTwice,
  finish,
  type Machine,
  type Scene,
  type SceneOptions,
  STAGING_TOKEN,
  scene,
  signal,
  WRITES,
} from '../../support/machines.js';
import type { Started } from '../../support/program.js';
import { TOKEN } from '../../support/service/service.js';

const isDeep = process.env.TRUST_CASES !== undefined;
/** An ordinary run uses the cases at these positions. */
const some = <T>(cases: readonly T[], ...places: number[]): T[] =>
  cases.filter((_, at) => isDeep || places.includes(at));
const upTo = (number: number) => Array.from({ length: number }, (_, at) => at + 1);

/** One test per case, each in a separate scene. */
function testEach<Case>(
  name: string,
  cases: readonly Case[],
  work: (at: Scene, item: Case) => Promise<void>,
  options: (entry: Case) => SceneOptions = () => ({}),
): void {
  test.each(cases.map((current) => [current]))(
    name,
    (current) => scene((at) => work(at, current), options(current)),
    300_000,
  );
}

const git = ({ remote }: Scene, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
    cwd: remote,
    encoding: 'utf8',
  });
const REF = 'refs/heads/campaignctl/production';

/** Joined to one line, because wrapping depends on names. */
const oneLine = ({ out, err }: Ended) => `${out}${err}`.replace(/\s+/g, ' ');

/** The machine is lost with its disk. */
async function lose({ folder }: Machine, { pid, ended }: Started): Promise<void> {
  signal(-pid, 'SIGKILL');
  await ended;
  await rm(folder, { recursive: true, force: true });
}

/** Disturbs an apply at its nth write. */
async function disturbed(at: Scene, number: number, happens: (running: Started) => unknown, env = {}) {
  const running = (await at.machine(env)).start('apply', '--yes');
  await at.write(number);
  await happens(running);
  return running.ended;
}

describe.concurrent('machines', () => {
  testEach(
    'three apply at once, the remote at %o',
    some([{ http: 0, lease: 600 }, {}, { http: 300, lease: 30 }], 0),
    async (at) => {
      const machines = await Promise.all(upTo(3).map(() => at.machine()));
      const apply = ({ start }: Machine) => start('apply', '--yes', '--lock-timeout', '200').ended;
      const ended = await Promise.all(machines.map(apply));
      expect(ended.map(({ code, out, err }) => (code === 0 ? code : out + err))).toEqual([0, 0, 0]);
      expect(at.service.writes().length).toBe(WRITES);
      expect(await finish(at, { lost: false })).toBe(false);
    },
    (options) => options,
  );

  // On the same machine: kill.test.ts.
  testEach(
    'a plan on %s machine during an apply says so in every view, and does not report the apply as an ended run',
    ['another'],
    async (at) => {
      const patch = join(at.folder, 'host.cjs');
      await writeFile(patch, `require('node:os').hostname = () => 'elsewhere';`);
      const running = (await at.machine({ NODE_OPTIONS: `--require=${patch}` })).start('apply', '--yes');
      await at.write(5);
      signal(-running.pid, 'SIGSTOP');
      const { run, folder } = await at.machine();
      const planned = await run('plan', '--out', 'p.json');
      const shown = await run('show', 'p.json', '--format', 'markdown');
      signal(-running.pid, 'SIGCONT');
      const expected =
        /The state is locked by another apply \([^)]* on \S+, since [^)]*, lease of 600 s renewed at/;
      expect(oneLine(planned)).toMatch(expected);
      expect(oneLine(shown)).toMatch(expected);
      expect(oneLine(planned)).not.toContain('earlier run');
      const { plan } = JSON.parse(await readFile(join(folder, 'p.json'), 'utf8'));
      const problems = [plan, ...plan.campaigns].flatMap((value) => value.problems);
      expect(problems.map(({ code }) => code)).toContain('apply-at-work');
      expect((await running.ended).code).toBe(0);
      const stale = await run('apply', '--plan', 'p.json', '--yes');
      expect([stale.code, stale.err]).toEqual([3, expect.stringContaining('plan-stale')]);
    },
    // Clocks run six times as fast, so 30 s would expire while a busy machine plans.
    () => ({ lease: 600 }),
  );

  testEach(
    'git gets no token, neither of this environment nor of another, and keeps %s',
    ['OTHER'],
    async (at, other) => {
      const seen = join(at.folder, 'seen');
      await at.hook('pre-receive', `env >> '${seen}'`);
      const machine = await at.machine({ [other]: 'of-another-use' });
      expect((await machine.start('apply', '--yes').ended).code).toBe(0);
      const text = await readFile(seen, 'utf8');
      const matches = ['of-another-use', TOKEN, STAGING_TOKEN].map((secret) => text.includes(secret));
      expect(matches).toEqual([true, false, false]);
    },
  );

  testEach('one is killed at write %i and lost with its disk', some(upTo(WRITES), 4), async (at, number) => {
    const first = await at.machine();
    const running = first.start('apply', '--yes');
    await at.write(number);
    await lose(first, running);
    await finish(at, { lost: true });
  });

  const pushes = upTo(6).flatMap((number) =>
    (['pre-receive', 'post-receive'] as const).flatMap((hook) =>
      (['it', 'its git too'] as const).map((whom) => ({ number, hook, whom })),
    ),
  );
  testEach('one is killed at a push and lost with its disk: %o', some(pushes, 10), async (at, killed) => {
    const pid = join(at.folder, 'pid');
    const group = killed.whom === 'it' ? '' : '-';
    await at.hook(killed.hook, `[ $n -ne ${killed.number} ] || kill -9 -- "${group}$(cat '${pid}')"`);
    const host = await at.machine();
    const running = host.start('apply', '--yes');
    await writeFile(pid, String(running.pid));
    await running.ended;
    await lose(host, running);
    await finish(at, { lost: true });
  });

  testEach(
    'one stands still at write %i until its lease is over',
    some(upTo(WRITES), 1),
    async (at, number) => {
      const running = (await at.machine()).start('apply', '--yes');
      await at.write(number);
      signal(-running.pid, 'SIGSTOP');
      await finish(at, { lost: false, waits: true });
      const sent = at.service.writes().length;
      signal(-running.pid, 'SIGCONT');
      const ended = await running.ended;
      expect([ended.code, oneLine(ended)]).toEqual([4, expect.stringContaining('lost its lease')]);
      expect(at.service.writes().length).toBe(sent);
      await expectNothingLeft(at);
    },
  );

  testEach('the remote refuses pushes from number %i on', some(upTo(5), 2), async (at, number) => {
    await at.hook('pre-receive', `[ $n -lt ${number} ]`);
    const ended = await (await at.machine()).start('apply', '--yes').ended;
    const isSent = at.service.writes().length > 0;
    // Attachments of which the intents met are one push less.
    if ((await at.pushes('pre-receive')) < number) expect(ended.code).toBe(0);
    else if (!isSent) expect([ended.code, ended.err]).toEqual([1, expect.stringContaining('refuses pushes')]);
    else expect([ended.code, ended.out]).toEqual([4, expect.stringContaining('[state-not-kept]')]);
    await at.hook('pre-receive', '');
    await finish(at, { lost: true });
  });

  testEach(
    'what the remote refused to note from push %i on was not sent, and is in no doubt',
    [2, 3],
    async (at, number) => {
      await at.hook('pre-receive', `[ $n -lt ${number} ]`);
      const machine = await at.machine();
      // It ends and releases its lease.
      expect((await machine.start('apply', '--yes').ended).code).toBe(number === 2 ? 1 : 4);
      expect(at.service.store.campaigns.flatMap(({ lists }) => lists)).toEqual([]);
      await at.hook('pre-receive', '');
      const isLost = number === 3;
      const planned = oneLine(await machine.run('plan'));
      expect([planned.includes('before it knew the outcome'), planned.includes('repeat-attach')]).toEqual([
        isLost,
        isLost,
      ]);
      expect((await machine.run('apply', '--yes')).code).toBe(isLost ? 3 : 0);
      expect(await finish(at, { lost: false })).toBe(isLost);
    },
    // A slow run must not renew its lease, which is also a push.
    () => ({ lease: 600 }),
  );

  testEach('nothing is called done that %s does not keep', ['the branch'], async (at) => {
    await at.hook('pre-receive', 'read _ new _; ! git log -1 --format=%s $new | grep -q "Lease released"');
    const machine = await at.machine();
    const ended = await machine.start('apply', '--yes', '--format', 'json').ended;
    const { result, summary, campaigns, problems } = JSON.parse(ended.out);
    const outcome = { ...EMPTY_APPLY_SUMMARY, incomplete: 2, campaigns: 2, launched: 1 };
    expect([ended.code, result, summary]).toEqual([4, 'incomplete', outcome]);
    expect(campaigns.map((each: { result: string }) => each.result)).toEqual(['incomplete', 'incomplete']);
    expect(problems).toMatchObject([{ code: 'state-not-kept' }]);
    await at.hook('pre-receive', '');
    // A slow run renews its lease after the attachments, which also stores their outcomes on the branch. Nothing is then pending.
    expect((await machine.run('history')).out).toContain('never finished');
    await finish(at, { lost: false });
  });

  testEach('the remote gives no answer to %s', some(['every push', 2, 3, 4], 0), async (at, which) => {
    const isIt = which === 'every push' ? '' : `[ $n -ne ${which} ] || `;
    await at.hook('post-receive', `${isIt}kill -9 $PPID`);
    const ended = await (await at.machine()).run('apply', '--yes');
    expect([ended.code, ended.err], ended.out).toEqual([0, '']);
    expect(await finish(at, { lost: false })).toBe(false);
  });

  testEach('the remote is gone from write %i on', some(upTo(WRITES), 2), async (at, number) => {
    const away = `${at.remote}.away`;
    const ended = await disturbed(at, number, () => rename(at.remote, away));
    expect([ended.code, ended.out]).toEqual([4, expect.stringContaining('[state-not-kept]')]);
    const another = await at.machine().catch(() => null);
    expect(another).toBeNull();
    await rename(away, at.remote);
    await finish(at, { lost: true });
  });

  testEach('the remote is full from write %i on', some([1, 5, 9]), async (at, number) => {
    const ended = await disturbed(at, number, () => git(at, 'config', 'receive.maxInputSize', '1'));
    expect([ended.code, ended.out]).toEqual([4, expect.stringContaining('[state-not-kept]')]);
    git(at, 'config', '--unset', 'receive.maxInputSize');
    await finish(at, { lost: true });
  });

  testEach('the remote takes %i seconds for each push', some([2, 8, 15]), async (at, seconds) => {
    await at.hook('pre-receive', `sleep ${seconds}`);
    const ended = await (await at.machine()).start('apply', '--yes').ended;
    expect(seconds === 2 ? [0] : [1, 4]).toContain(ended.code);
    expectNothingTwice(at);
    await at.hook('pre-receive', '');
    await finish(at, { lost: true });
  });

  const jumps = [2, 5].flatMap((number) => [3600, -3600].map((by) => ({ number, by })));
  testEach('the clock jumps: %o', some(jumps), async (at, { number, by }) => {
    const [clock, jumped] = [join(at.folder, 'clock.cjs'), join(at.folder, 'jumped')];
    await writeFile(
      clock,
      `const { existsSync } = require('node:fs');
const real = Date.now;
Date.now = () => real() + (existsSync('${jumped}') ? ${1000 * by} : 0);
`,
    );
    const env = { NODE_OPTIONS: `--require ${clock}` };
    const ended = await disturbed(at, number, () => writeFile(jumped, ''), env);
    // A push after a jump forward renews the lease.
    if (by < 0 || ended.code === 0) expect([ended.code, ended.err]).toEqual([0, '']);
    else expect([ended.code, oneLine(ended)]).toEqual([4, expect.stringContaining('lost its lease')]);
    await finish(at, { lost: false });
  });

  const changes: Record<string, (at: Scene) => unknown> = {
    deleted: (at) => git(at, 'update-ref', '-d', REF),
    reset: (at) => git(at, 'update-ref', REF, `${REF}~1`),
    'written anew': (at) => {
      const commit = git(at, 'commit-tree', '-m', 'Other', `${REF}^{tree}`).trim();
      git(at, 'update-ref', REF, commit);
    },
  };
  const during = Object.keys(changes).flatMap((how) => [2, 5, 9].map((number) => ({ how, number })));
  testEach('the branch is changed by hand during an apply: %o', some(during), async (at, { how, number }) => {
    let before = '';
    const ended = await disturbed(at, number, () => {
      before = git(at, 'rev-parse', REF).trim();
      changes[how]?.(at);
    });
    if (how === 'written anew') {
      expect([ended.code, ended.out]).toEqual([4, expect.stringContaining('[state-not-kept]')]);
      // The fix for state-edited.
      git(at, 'update-ref', REF, before);
    } else expect([0, 4]).toContain(ended.code);
    await finish(at, { lost: true });
  });

  testEach(
    'the branch is changed by hand between two applies: %s',
    some(Object.keys(changes)),
    async (at, how) => {
      const machine = await at.machine();
      expect((await machine.start('apply', '--yes').ended).code).toBe(0);
      const sent = at.service.writes().length;
      const before = git(at, 'rev-parse', REF).trim();
      changes[how]?.(at);
      const ended = await machine.run('apply', '--yes');
      const edited = how === 'written anew';
      const code = edited ? 'state-edited' : 'repeat-attach';
      expect([ended.code, ended.err]).toEqual([edited ? 1 : 3, expect.stringContaining(`[${code}]`)]);
      if (edited) git(at, 'update-ref', REF, before);
      expect(at.service.writes().length).toBe(sent);
      await finish(at, { lost: true });
    },
  );
});
