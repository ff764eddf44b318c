import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { type Project, type ProjectOptions, withProject } from '../../support/project.js';
import { TOKEN } from '../../support/service/service.js';
import { draft } from '../../support/service/store.js';

const SPRING = `name: Spring
settings: { max_emails_per_day: 5, reputation_building: true }
schedule: { days: [monday], start_time: "09:00", end_time: "10:00", timezone: Europe/Paris }
sequence:
  title: Spring sequence
  steps:
    - email_subject: One
      email_body: <p>One</p>
      wait_in_days: 1
      variants: [{ email_subject: Uno, email_body: <p>Uno</p> }]
leads: { lists: [5], ids: [1, 2] }
status: running
`;
const APPLY = 'apply --yes --allow launch';

function withSpring(use: (project: Project) => Promise<void>, options: ProjectOptions = {}): Promise<void> {
  return withProject({ files: { 'campaigns/spring.yaml': SPRING }, ...options }, use);
}

test.each([true, false])('an attach whose answer is lost (effect: %s) is not repeated by itself', (effect) =>
  withSpring(async ({ exits, live, service }) => {
    service.answerThen('POST', '/api/campaigns/101/leads/attach-lead-list', { reset: true, effect });
    await exits(4, APPLY);
    expect((await exits(3, APPLY)).err).toContain('--allow repeat-attach');
    expect(live('Spring')).toMatchObject({ status: 'draft', lists: effect ? [5] : [] });
  }),
);

test('a creation whose answer names another campaign first does not touch that one', () =>
  withSpring(
    async ({ run, service }) => {
      const before = structuredClone(service.store.campaigns);
      const body = { id: 11, result: { id: 101, name: 'Spring', status: 'draft' } };
      service.answerThen('POST', '/api/campaigns', { status: 200, body, effect: true });
      await run(APPLY);
      expect(service.store.campaigns.slice(0, 1)).toEqual(before);
    },
    { campaigns: [draft(11, "Another team's")] },
  ));

/** Applies with the built program into a pipe of which only the first bytes are read; the program's exit code. */
async function applyIntoHead(folder: string): Promise<number> {
  const program = fileURLToPath(new URL('../../../dist/campaignctl.cjs', import.meta.url));
  const line = `"${process.execPath}" "${program}" ${APPLY} | head -c 5 >&2; exit "\${PIPESTATUS[0]}"`;
  const env = { PATH: process.env.PATH, CAMPAIGNS_TOKEN: TOKEN };
  return new Promise((resolve) => {
    spawn('bash', ['--norc', '-c', line], { cwd: folder, env }).on('close', (code) => resolve(code ?? -1));
  });
}

test('a reader that leaves early does not turn an incomplete apply into a success', () =>
  withSpring(async ({ folder, service }) => {
    service.answerThen('PATCH', '/api/campaigns/101/update', {
      status: 422,
      body: { message: 'No.' },
      effect: false,
    });
    expect(await applyIntoHead(folder)).toBe(4);
  }));

test('a reader that leaves early does not stop an apply half-way and call it done', () => {
  // More than a pipe holds, so that the plan itself meets the closed end.
  const name = 'A long name '.repeat(20);
  const names = Array.from(
    { length: 400 },
    (_, index) => `name: ${name}${index}\nsettings: { plain_text: true }\n`,
  );
  return withSpring(
    async ({ folder, service }) => {
      const code = await applyIntoHead(folder);
      const made = service.store.campaigns.length;
      expect({ code, made }).toEqual({ code: 0, made: 400 });
    },
    { files: { 'campaigns/all.yaml': names.join('---\n') } },
  );
});
