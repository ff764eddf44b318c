import { execFile } from 'node:child_process';
import { cp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { readCases } from '../../support/cases.js';
import { writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';

/** "How to add" in ARCHITECTURE.md, carried out in a copy of the repository. Only these files are edited by hand. */

const root = fileURLToPath(new URL('../../..', import.meta.url));
const run = promisify(execFile);

/** A new file, or texts to insert before anchors, each of which occurs once in the file. */
type Edit = string | { [before: string]: string };
type Recipe = { [file: string]: Edit };

const RECIPES = readCases<Recipe>(import.meta.dirname, 'additions');

const EDITED_FILES = { setting: 1, section: 7, hazard: 3, rule: 2, policy: 2, format: 3, command: 3 };

test('a recipe edits few files, and the page names each of them', async () => {
  const page = await readFile(join(root, 'ARCHITECTURE.md'), 'utf8');
  const how = page.slice(page.indexOf('## How to add'), page.indexOf('## Where is it decided'));
  for (const [topic, recipe] of RECIPES) {
    const touched = Object.keys(recipe).filter((file) => file.startsWith('src/'));
    expect([topic, touched.length]).toEqual([topic, EDITED_FILES[topic as keyof typeof EDITED_FILES]]);
    const named = (file: string) => how.includes(file) || how.includes(`\`${dirname(file)}`);
    expect(Object.keys(recipe).filter((file) => !named(file))).toEqual([]);
  }
});

async function edit(folder: string, recipe: Recipe): Promise<void> {
  for (const [file, change] of Object.entries(recipe)) {
    const path = join(folder, file);
    if (typeof change === 'string') {
      await writeFile(path, change);
      continue;
    }
    let text = await readFile(path, 'utf8');
    for (const [before, added] of Object.entries(change)) {
      expect([file, before, text.split(before).length]).toEqual([file, before, 2]);
      text = text.replace(before, () => added + before);
    }
    await writeFile(path, text);
  }
}

/** Runs a Node script that must exit with this code. Returns its output. */
async function node(code: number, cwd: string, ...argv: string[]): Promise<string> {
  const ended = run(process.execPath, argv, { cwd, env: { PATH: process.env.PATH } });
  type Failed = { code?: number; stdout: string; stderr: string };
  const { code: actual = 0, stdout, stderr }: Failed = await ended.catch((error: Failed) => error);
  expect(actual, stdout + stderr).toBe(code);
  return stdout + stderr;
}

/** Copies these parts of the repository. */
async function copyOf(folder: string, parts: readonly string[]): Promise<void> {
  for (const part of parts) await cp(join(root, part), join(folder, part), { recursive: true });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
}

const PROJECT = `version: 1
manifests: [campaigns/*.yaml]
default_environment: here
environments:
  here:
    sandbox: { profile: reported }
policies:
  replies:
    require: { settings.stop_on_reply: true }
  titles:
    titles: { prefix: Acme }
`;
const manifest = (value: string, { note = 'null', title = 'Acme', more = '' } = {}) => `name: SPRING
settings:
  max_emails_per_day: 200
  max_new_leads_per_day: 100
  stop_on_reply: ${value}
  reply_note: ${note}
sequence: { title: ${title}, steps: [{ email_subject: Hello, email_body: <p>Hello</p>, wait_in_days: 1 }] }
${more}`;
const SENDER = 'sender:\n  reply_to: replies@example.com\nstatus: running\n';

test('one of each, added as described, is known everywhere', { timeout: 480_000 }, () =>
  withFolder(async (folder) => {
    const [copy, project] = [join(folder, 'program'), join(folder, 'project')];
    const parts = ['src', 'test', 'bench', 'schemas', 'docs', 'examples', 'scripts'];
    await copyOf(copy, [...parts, 'package.json', 'tsconfig.json', 'vitest.config.ts']);
    for (const [, recipe] of RECIPES) await edit(copy, recipe);
    expect(await node(0, copy, 'scripts/generate.js')).toBe('');
    expect(await node(0, copy, 'scripts/build.js', '--no-types')).toBe('');
    const campaignctl = (code: number, line: string) =>
      node(code, project, join(copy, 'dist/campaignctl.cjs'), ...line.split(' '));
    const write = (text: string) =>
      writeFiles(project, { 'campaignctl.yaml': PROJECT, 'campaigns/spring.yaml': text });

    await write(manifest('often', { more: 'sender: {}\n' }));
    const wrong = await campaignctl(1, 'validate');
    for (const part of ['campaigns/spring.yaml:5:18', 'reply_to is missing in sender.'])
      expect(wrong).toContain(part);
    await write(manifest('false', { note: '"Sent\\u200b by hand"', title: 'Spring' }));
    const findings = await campaignctl(1, 'validate');
    for (const part of [
      'settings.stop_on_reply is false, but must be true',
      'reply_note contains invisible characters: U+200B',
      'shouting-name',
      'Policy titles: The title lacks Acme.',
    ])
      expect(findings).toContain(part);

    const note = 'Sent by hand\u00a0!';
    await write(manifest('true', { note: `"${note}"`, more: `${SENDER}lint: { shouting-name: off }\n` }));
    expect(await campaignctl(0, 'validate')).not.toContain('shouting-name');
    const formats = ['text', 'markdown', 'html', 'json', 'names'];
    const plans = await Promise.all(
      formats.map((format) => campaignctl(0, `plan --quiet --format ${format}`)),
    );
    const [text = '', markdown = '', html = '', json = '', names] = plans;
    for (const readable of [text, markdown, html])
      for (const part of [note, 'replies@example.com', 'shouting', 'The name is in capitals.'])
        expect(readable).toContain(part);
    expect(text).toMatch(/\+ stop_on_reply +true/);
    expect(text).toMatch(/sender\n +. reply_to +(none → )?replies@example.com/);
    expect(markdown).toContain('- new: stop_on_reply `true`');
    expect(html).toContain('stops once a lead replies');
    expect(html).toContain('<h4>Sender');
    expect(names).toBe('create SPRING\n');
    const { campaigns } = JSON.parse(json);
    expect(campaigns[0]).toMatchObject({
      changes: expect.arrayContaining([
        expect.objectContaining({ path: 'stop_on_reply', from: false, to: true }),
      ]),
      content: { after: { settings: { stop_on_reply: true }, sender: { reply_to: 'replies@example.com' } } },
    });
    const steps: { id: string; body: object }[] = campaigns[0].steps;
    expect(steps.map(({ id }) => id)).toEqual(['create', 'settings', 'sequence', 'sender', 'launch']);
    expect(steps[1]?.body).toMatchObject({ plain_text: false, stop_on_reply: true });
    const schema = JSON.parse(await readFile(join(copy, 'schemas/plan.schema.json'), 'utf8'));
    expect(Object.keys(schema.definitions.Content.properties)).toContain('sender');

    await write(manifest('true'));
    expect(await campaignctl(0, 'apply --dry-run')).toContain('"stop_on_reply":true');
    expect(await campaignctl(3, 'apply --yes')).toContain('--allow shouting');
    await campaignctl(0, 'apply --yes --allow shouting');
    expect(JSON.parse(await campaignctl(0, 'plan --quiet --json'))).toMatchObject({
      summary: { unchanged: 1, requests: 0 },
    });
    await rm(join(project, 'campaigns/spring.yaml'));
    await campaignctl(0, 'import --all');
    const imported = await readFile(join(project, 'campaigns/spring.yaml'), 'utf8');
    expect(imported).toContain('stop_on_reply: true');

    expect(await campaignctl(0, 'greet Ada --loud')).toBe('Hello ADA\n');
    for (const [code, line, part] of [
      [0, '--help', 'Greet a person'],
      [0, 'plan --help', '(names, text, json'],
    ] as const)
      expect(await campaignctl(code, line)).toContain(part);

    // Nothing else needs editing: types check, and the contract of sections and the planner tests pass.
    expect(await node(0, copy, join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.json')).toBe(
      '',
    );
    const tests = [
      'run',
      '--project',
      'unit',
      '--reporter=dot',
      'test/sections/contract.test.ts',
      'test/plan/build.test.ts',
    ];
    await node(0, copy, join(root, 'node_modules/vitest/vitest.mjs'), ...tests);
  }),
);

test(
  'a row in the table of sections without the rest is an error that names the missing parts',
  { timeout: 240_000 },
  () =>
    withFolder(async (folder) => {
      await copyOf(folder, ['src', 'scripts', 'package.json']);
      const [, recipe = {}] = RECIPES.find(([topic]) => topic === 'section') ?? [];
      const only = (...files: string[]) =>
        Object.fromEntries(Object.entries(recipe).filter(([file]) => files.includes(file)));
      const generate = async (recipe: Recipe) => {
        await cp(join(root, 'src'), join(folder, 'src'), { recursive: true });
        await edit(folder, recipe);
        return node(1, folder, 'scripts/generate.js');
      };
      expect(await generate(only('src/model/sections.ts'))).toMatch(
        /src\/model\/sections\.ts .*"sender", .*: write src\/sections\/sender\.ts /,
      );
      expect(await generate(only('src/sections/sender.ts', 'src/sections/index.ts'))).toMatch(
        /^src\/sections\/index\.ts .*"sender", .* src\/model\/sections\.ts\.$/m,
      );
    }),
);
