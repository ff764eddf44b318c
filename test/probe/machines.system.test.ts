/** Probes as processes of the built program, with the state on a branch that machines share. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isScratch } from '../../src/model/probe.js';
import { scene } from '../support/machines.js';

test(
  'a probe that is killed with its machine is closed by the next apply of another one',
  () =>
    scene(async ({ service, machine, write }) => {
      const [first, second] = [await machine(), await machine()];
      const running = first.start('probe', '--env', 'production', '--yes');
      await write(3);
      process.kill(-running.pid, 'SIGKILL');
      await running.ended;
      const applied = await second.run('apply', '--yes', '--lock-timeout', '60');
      expect([applied.code, applied.err]).toEqual([0, expect.any(String)]);
      expect(applied.out).toContain('unfinished-probe');
      const plan = JSON.parse((await second.run('plan', '--json')).out);
      expect([plan.problems, plan.removed, plan.summary.requests]).toEqual([[], [], 0]);
      const names = service.store.campaigns.map(({ name }) => name);
      expect(names.filter((name) => !isScratch(name))).toEqual(['Spring', 'Summer']);
      expect(names.length).toBe(3);
      const { summary } = JSON.parse((await second.run('list', '--json')).out);
      expect([summary.scratch, summary.removed]).toEqual([1, 0]);
    }),
  120_000,
);

test(
  'what a probe finds is in the project file of its machine, and the plan goes by it',
  () =>
    scene(async ({ machine }) => {
      const one = await machine();
      const { code, out } = await one.run('probe', '--yes', '--write');
      expect([code, out]).toEqual([0, expect.stringContaining('Written into campaignctl.yaml')]);
      expect(readFileSync(join(one.folder, 'campaignctl.yaml'), 'utf8')).toContain('sequence_repost: append');
      expect((await one.run('apply', '--yes')).code).toBe(0);
    }),
  120_000,
);
