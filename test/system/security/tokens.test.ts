/** The token is in no message, and content that contains it is refused, never changed. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { LocatedFinding } from '../../../src/model/outputs.js';
import { command, runProgram } from '../../support/command.js';
import { STACK_LINE } from '../../support/program.js';
import { type Project, SCHEDULE, withProject } from '../../support/project.js';
import { TOKEN } from '../../support/service/service.js';
import { draft } from '../../support/service/store.js';
import { oneLine } from '../../support/texts.js';

const email = (fields: string) => `sequence: { title: S, steps: [{ wait_in_days: 3, ${fields} }] }\n`;
const EMAIL = 'email_subject: A question, email_body: Hi';

/** Each place of a manifest: the field, the manifest, and more files. */
const PLACES: [field: string, manifest: string, files?: Record<string, string>][] = [
  ['name', `name: For ${TOKEN}\n`],
  ['settings.unsubscribe_text', `name: Spring\nsettings: { unsubscribe_text: "Stop ${TOKEN}" }\n`],
  ['sequence.title', `name: Spring\n${email(EMAIL).replace('title: S', `title: ${TOKEN}`)}`],
  ['step 1, email_subject', `name: Spring\n${email(`email_subject: ${TOKEN}, email_body: Hi`)}`],
  ['step 1, email_body', `name: Spring\n${email(`email_subject: A, email_body: "Hi ${TOKEN}"`)}`],
  [
    'step 1, email_body',
    `name: Spring\n${email(`email_subject: A, email_body: "<a href='https://a.example.com/?t=${TOKEN.replaceAll('-', '%2D')}'>Stop</a>"`)}`,
  ],
  [
    'step 1, email_body',
    `name: Spring\n${email(`email_subject: A, email_body: "\\x${TOKEN.charCodeAt(0).toString(16)}${TOKEN.slice(1)}"`)}`,
  ],
  [
    'step 1, email_body',
    `name: Spring\n${email('email_subject: A, email_body_file: first.txt')}`,
    { 'campaigns/first.txt': `Hi,\nuse ${TOKEN} to stop.\n` },
  ],
  [
    'step 1, email_body',
    'name: Spring\nsequence: { use: ../pieces/first.yaml }\n',
    {
      'pieces/first.yaml': `title: S\nsteps:\n  - email_subject: A\n    wait_in_days: 3\n    email_body: |\n      Hi,\n      ${TOKEN}\n`,
    },
  ],
  [
    'step 1, variant 1, email_body',
    `name: Spring\n${email(`${EMAIL}, variants: [{ email_subject: B, email_body: ${TOKEN} }]`)}`,
  ],
  [
    'step 1, email_body',
    `name: Spring \${{ a }}\nfor_each: [{ a: ${TOKEN.slice(0, 9)}, b: ${TOKEN.slice(9)} }]\n${email('email_subject: A, email_body: "${{ a }}${{ b }}"')}`,
  ],
  ['replaces', `name: Spring\nreplaces: ${TOKEN}\n`],
  [
    'step 1, email_body',
    `name: Spring\nenvironments:\n  production:\n    ${email(`email_subject: A, email_body: ${TOKEN}`)}`,
  ],
];

const COMMANDS = [
  'plan',
  'plan --json',
  'apply --yes',
  'apply --dry-run',
  'import --all',
  'list',
  'pause --all --yes',
];

/** Runs a command that shows no token. */
async function run(
  { folder }: Project,
  line: string,
  env: Record<string, string> = { CAMPAIGNS_TOKEN: TOKEN },
) {
  const ended = await command(folder, line.split(' '), env);
  expect(ended.out + ended.err).not.toContain(TOKEN);
  return ended;
}

describe('the token in a manifest', () => {
  test.each(PLACES)('is an error before anything is read or sent: %s of %j', (field, manifest, files = {}) =>
    withProject({ files: { 'campaigns/spring.yaml': manifest, ...files } }, async (project) => {
      for (const line of ['plan', 'apply --yes', 'apply --dry-run']) {
        const { code, err } = await run(project, line);
        expect([code, err.match(/\[secret-in-file\]/g)?.length]).toEqual([1, 1]);
        expect(err).toContain(`${field} contains the token in CAMPAIGNS_TOKEN`);
      }
      expect(project.service.requests).toEqual([]);
      for (const format of ['text', 'json', 'github', 'sarif', 'junit'])
        expect((await run(project, `validate --format ${format}`)).code).toBe(1);
      // Without the variable, campaignctl does not know the token.
      expect((await command(project.folder, ['validate'], {})).code).toBe(0);
    }),
  );

  test('is an error in the reason of a waiver, which plans show', () =>
    withProject(
      {
        environment: 'policies: { names: { name: { pattern: "^Z" } } }\n',
        files: { 'campaigns/spring.yaml': `name: Spring\nwaive: { names: Agreed ${TOKEN} }\n` },
      },
      async (project) => {
        const { code, err } = await run(project, 'plan');
        expect([code, err]).toEqual([
          1,
          expect.stringContaining('waive.names contains the token in CAMPAIGNS_TOKEN'),
        ]);
      },
    ));

  test('is found at its line, which is not shown', () =>
    withProject(
      {
        files: {
          'campaigns/spring.yaml': `name: Spring\nsequence:\n  title: S\n  steps:\n    - email_subject: A\n      wait_in_days: 3\n      email_body: |\n        Hi,\n        use ${TOKEN} to stop.\n`,
        },
      },
      async (project) => {
        const { findings } = JSON.parse((await run(project, 'validate --json')).out) as {
          findings: LocatedFinding[];
        };
        const found = findings.filter(({ code }) => code === 'secret-in-file');
        expect(found.map(({ file, line, column, excerpt }) => [file, line, column, excerpt])).toEqual([
          ['campaigns/spring.yaml', 9, 13, '        use …'],
        ]);
      },
    ));

  test('of another environment is one, too; a shorter token could be a word', () =>
    withProject(
      {
        environment: '  staging: { base_url: "{url}", token_env: STAGING }\n',
        files: { 'campaigns/spring.yaml': 'name: Spring installers\n' },
      },
      async (project) => {
        const env = { CAMPAIGNS_TOKEN: TOKEN, STAGING: 'installers' };
        const { code, err } = await command(project.folder, ['plan', '--env', 'production'], env);
        expect([code, err]).toEqual([1, expect.stringContaining('name contains the token in STAGING.')]);
        expect(await run(project, 'plan --env production', { ...env, STAGING: 'install' })).toMatchObject({
          code: 0,
          out: expect.stringContaining('Spring installers'),
        });
      },
    ));
});

describe('the token in a message about a file is hidden:', () => {
  test.each([
    ['an unknown key', `name: Spring\n${TOKEN}: 1\n`],
    ['a wrong value', `name: Spring\nstatus: ${TOKEN}\n`],
    [
      'a long wrong value, in which a message would cut the token',
      `name: Spring\nstatus: ${'x'.repeat(45)}${TOKEN}\n`,
    ],
    ['a wrong type', `name: Spring\nid: ${TOKEN}\n`],
    ['a line that cannot be parsed', `name: Spring: ${TOKEN}\n`],
    ['a missing file', `name: Spring\n${email(`email_subject: A, email_body_file: ${TOKEN}.txt`)}`],
    ['an unknown list', `name: Spring\nleads: { lists: [${TOKEN}] }\n`],
    ['a comment beside an error', `name: Spring\nstatus: runing # ${TOKEN}\n`],
    ['text beside a lint error', `name: Spring\n${email(`email_subject: A, email_body: "{{ ${TOKEN}"`)}`],
  ])('%s', (_, manifest) =>
    withProject({ files: { 'campaigns/spring.yaml': manifest } }, async (project) => {
      for (const line of [...COMMANDS.slice(0, 4), 'validate', 'validate --json']) {
        const { code, out, err } = await run(project, line);
        expect(code).toBe(1);
        for (let length = 6; length < TOKEN.length; length += 1)
          expect(out + err).not.toContain(`${TOKEN.slice(0, length)}…`);
      }
    }),
  );

  test.each([
    `${TOKEN}: 1\n`,
    `lint: { ${TOKEN}: off }\n`,
    `shared: [../${TOKEN}]\n`,
    `shared: [a, # ${TOKEN}\n`,
    `default_environment: ${TOKEN}\n`,
  ])('in a project file with %j', (text) =>
    withProject({ files: { 'campaigns/spring.yaml': 'name: Spring\n' } }, async (project) => {
      await project.write({ 'campaignctl.yaml': `${await project.read('campaignctl.yaml')}${text}` });
      for (const line of ['plan', 'validate', 'validate --json', 'list'])
        expect(await exitCodeOf(project, line.split(' '))).toBe(1);
    }),
  );

  test.each([
    ['plan', '--env', TOKEN],
    ['plan', '--target', TOKEN],
    ['plan', `--${TOKEN}`],
    ['apply', '--plan', TOKEN],
    [TOKEN],
    ['plan', `${TOKEN}.yaml`],
    ['explain', TOKEN],
  ])('on the command line: %j %j', (...words) =>
    withProject({ files: { 'campaigns/spring.yaml': 'name: Spring\n' } }, async (project) => {
      expect(await exitCodeOf(project, words)).toBe(1);
      expect(await exitCodeOf(project, [...words, '--debug'])).toBe(1);
    }),
  );

  test('in a process of its own, too', () =>
    withProject({ files: { 'campaigns/spring.yaml': 'name: Spring\n' } }, async (project) => {
      // `program` asserts that no output contains the token.
      expect((await project.program(`plan --${TOKEN} --debug`)).code).toBe(1);
      await project.write({ 'campaignctl.yaml': `${TOKEN}: 1\n` });
      expect((await project.program('plan')).code).toBe(1);
    }));
});

/** Runs the program's entry point, whose output may contain neither the token nor a stack trace. */
async function exitCodeOf({ folder }: Project, words: string[]): Promise<number> {
  vi.stubEnv('CAMPAIGNS_TOKEN', TOKEN);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { code, out, err } = await runProgram(['-C', folder, ...words]);
  expect(err + out).not.toBe('');
  expect(err + out).not.toMatch(STACK_LINE);
  expect(err + out).not.toContain(TOKEN);
  return code;
}

describe('live content', () => {
  const steps = (body: string) => [
    {
      id: 1,
      order: 1,
      email_subject: 'A question',
      email_body: body,
      wait_in_days: 3,
      thread_reply: false,
      variant: false,
      variant_from_step: null,
    },
  ];
  const live = (body: string) => ({ campaigns: [{ ...draft(1, 'Spring'), steps: steps(body) }] });

  test('with the token is not compared, copied or changed: the section is an error', () =>
    withProject(
      {
        ...live(`Hi ${TOKEN}`),
        files: { 'campaigns/spring.yaml': `name: Spring\n${SCHEDULE}${email(EMAIL)}` },
      },
      async (project) => {
        for (const line of ['plan', 'apply --yes']) {
          const { code, err } = await run(project, line);
          const text = oneLine(err);
          expect([code, text]).toEqual([
            1,
            expect.stringMatching(
              /GET \S+\/1\/sequence-steps cannot be read: field \S*\.email_body contains the token/,
            ),
          ]);
          expect(text).toContain('Replace the token in the service');
        }
        expect(project.sent()).toEqual([]);
        expect((await run(project, 'pause --all --unmanaged --yes')).code).toBe(0);
      },
    ));

  test('with the token is left out by import, with a comment', () =>
    withProject(live(`Hi ${TOKEN}`), async (project) => {
      await project.write({ 'campaigns/other.yaml': 'name: Other\n' });
      expect((await run(project, 'import --all')).code).toBe(0);
      const written = await project.read('campaigns/spring.yaml');
      expect(written).toMatch(/^# sequence is left out: .* field \S*\.email_body contains the token\.$/m);
      expect(written).not.toMatch(/\[token\]/);
    }));

  test('with the text that masks the token elsewhere is kept as it is', () =>
    withProject(live('Hi [token]'), async (project) => {
      await project.write({ 'campaigns/other.yaml': 'name: Other\n' });
      expect((await run(project, 'import --all')).code).toBe(0);
      expect(await project.read('campaigns/spring.yaml')).toContain('email_body: Hi [token]');
    }));
});

test('the journal, the state and a saved plan contain no token, and content as it was written', () =>
  withProject(
    {
      files: {
        'campaigns/spring.yaml': `name: Spring\n${email('email_subject: A, email_body: "Hi [token] test-token"')}`,
      },
    },
    async (project) => {
      project.service.answerThen('POST', '/api/campaigns/101/sequence-steps', {
        status: 422,
        body: { message: `${TOKEN} may not post` },
        effect: false,
      });
      const { code, out, err } = await run(project, 'apply --yes --debug');
      expect([code, (out + err).includes('[token] may not post')]).toEqual([4, true]);
      expect((await run(project, 'plan --out plan.json')).code).toBe(0);
      const state = join(project.folder, '.campaignctl/state/production');
      const files = [
        ...readdirSync(state, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name)),
        join(project.folder, 'plan.json'),
      ];
      const texts = files.map((file) => readFileSync(file, 'utf8'));
      for (const text of texts) expect(text).not.toContain(TOKEN);
      const body = 'Hi [token] test-token';
      expect(texts.filter((text) => text.includes(body)).length).toBeGreaterThan(1);
      expect(texts.join('')).toContain('[token] may not post');
    },
  ));
