/** Succession where machines share the state by a branch: another one finishes what one has begun, and knows what was replaced. */
import { expect, it } from 'vitest';
import { writeFiles } from '../support/command.js';
import { type Machine, scene, signal } from '../support/machines.js';

const FILE = 'campaigns/spring.yaml';
const manifest = (name: string, body: string, more = '') => `name: ${name}
${more}schedule: { days: [monday], start_time: "09:00", end_time: "17:00", timezone: Europe/Paris }
sequence:
  title: Spring
  steps: [{ email_subject: Hi, email_body: ${body}, wait_in_days: 1 }]
leads: { lists: [7] }
status: running
`;
const NEXT = { [FILE]: manifest('Spring 2', 'Good day', 'replaces: Spring\n') };
const APPLY = ['apply', '--yes', '--allow', 'shared-leads', '--lock-timeout', '90'];

const planOf = async (machine: Machine) => {
  const { code, out, err } = await machine.run('plan', '--json');
  expect(code, err).toBe(0);
  return JSON.parse(out);
};

// The second write is the creation, after the pause; the sixth is the launch. trust/succession.test.ts has every point of each write.
it.concurrent.each([2, 6])(
  'killed right before write %i, another machine finishes it, once each',
  (nth) =>
    scene(
      async (at) => {
        const { service } = at;
        const one = await at.machine();
        expect((await one.run(...APPLY)).code).toBe(0);
        const begun = service.writes().length;
        await writeFiles(one.folder, NEXT);
        const killed = at.write(begun + nth);
        const running = one.start(...APPLY);
        await killed;
        signal(-running.pid, 'SIGKILL');
        await running.ended;

        const other = await at.machine();
        await writeFiles(other.folder, NEXT);
        await other.run('unlock', '--yes');
        const asked = ['repeat-attach', 'attach-running', 'adopt'].flatMap((hazard) => ['--allow', hazard]);
        const { code, out, err } = await other.run(...APPLY, ...asked);
        expect(code, out + err).toBe(0);
        const shown = service.store.campaigns.map(({ name, status, steps }) => [name, status, steps.length]);
        expect(shown).toEqual([
          ['Spring', 'paused', 1],
          ['Spring 2', 'active', 1],
        ]);
        const third = await at.machine();
        await writeFiles(third.folder, NEXT);
        const [old, now] = service.store.campaigns;
        const plan = await planOf(third);
        expect(plan.summary).toMatchObject({ requests: 0, unchanged: 1 });
        expect(plan.by_hand).toMatchObject([{ id: old?.id, does: 'delete', superseded_by: now?.id }]);
        // A person starts the old one again: a machine that has never seen it pauses it.
        if (old !== undefined) old.status = 'active';
        expect((await third.run('apply', '--yes')).code).toBe(0);
        expect([old?.status, now?.status]).toEqual(['paused', 'active']);
      },
      { files: { [FILE]: manifest('Spring', 'Hello') }, lease: 120, speed: 12 },
    ),
  // The second machine gives the service a minute to show what the killed run sent.
  240_000,
);
