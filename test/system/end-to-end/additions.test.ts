import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeFiles } from '../../support/command.js';

/** "How to add" of ARCHITECTURE.md, done in a copy of the program: these files are edited by hand, and no other. */

const root = fileURLToPath(new URL('../../..', import.meta.url));
const run = promisify(execFile);

/** A new file, or texts to put in front of others that stand once in a file. */
type Edit = string | readonly [before: string, added: string][];
type Recipe = { [file: string]: Edit };

const RECIPES = {
  setting: {
    'src/model/sections.ts': [
      [
        '] as const satisfies readonly SettingDefinition[];',
        `  {
    name: 'stop_on_reply',
    type: 'boolean',
    default: false,
    label: 'Stops once a lead replies',
    description: 'A lead that replies gets no more emails.',
    examples: [true, false],
    perEnvironment: false,
    mayBeHidden: false,
  },
  {
    name: 'reply_note',
    type: 'text',
    default: null,
    label: 'Note below replies',
    description: 'Text that stands below replies.',
    examples: ['Sent by hand', null],
    perEnvironment: false,
    mayBeHidden: false,
  },
`,
      ],
    ],
    'test/support/service/store.ts': [['};\n\ntype Held', '  stop_on_reply: false,\n  reply_note: null,\n']],
  },
  section: {
    'src/model/sections.ts': [
      [
        "  { name: 'status'",
        "  { name: 'sender', label: 'Sender', content: 'Who sends.', stages: ['sender'] },\n",
      ],
    ],
    'src/model/plan.ts': [
      ['  /** Of a live campaign, the word', '  sender: { reply_to: string | null } | null;\n'],
    ],
    'src/sections/index.ts': [
      ['import { sequence }', "import { sender } from './sender.js';\n"],
      ['sequence, leads', 'sender, '],
    ],
    'test/support/specs.ts': [
      [
        "  status: fc.constantFrom('running'",
        "  sender: word('a@example.com').map((reply_to) => ({ reply_to })),\n",
      ],
    ],
    'test/support/service/contract.ts': [
      [
        "  write('resume'",
        "  write('sender', ['PATCH', `${id}/sender`], only({ reply_to: required(filled) })),\n",
      ],
    ],
    'test/support/service/store.ts': [
      ['  title: string | null;\n  steps: StoredStep[]', '  reply_to?: string;\n'],
      [
        '  resume: (campaign, _body',
        `  sender: (campaign, body) => {
    campaign.reply_to = String(body.reply_to);
    return done(campaign, 'sender set');
  },
`,
      ],
    ],
    'test/support/service/answers.ts': [
      ["    ...(shape.status === 'shown'", '    reply_to: campaign.reply_to ?? null,\n'],
    ],
    'src/sections/sender.ts': `
import { objectSchema, property } from '../model/json.js';
import { decodeFields, text } from './decode.js';
import { defineSection, updated } from './section.js';

type Sender = { reply_to: string | null };

export const sender = defineSection<Sender, Sender>({
  name: 'sender',
  properties: {
    sender: property(
      objectSchema('SenderSpec', { reply_to: property({ type: 'string' }, 'Where replies go.', 'a@example.com') }, ['reply_to']),
      'Who sends.',
      { reply_to: 'a@example.com' },
    ),
  },
  reads: ['campaign'],
  normalize: ({ spec }) => spec.sender ?? null,
  decode: ({ answers }) => ({ reply_to: answers?.campaign ? text(decodeFields(answers.campaign), 'reply_to') : null }),
  diff: (live, desired) => ({
    changes: live.reply_to === desired.reply_to ? [] : [updated('reply_to', live.reply_to, desired.reply_to)],
    problems: [],
    steps: [
      { id: 'sender', title: 'set the sender', method: 'PATCH', path: '/api/campaigns/{campaign_id}/sender', body: desired, irreversible: false },
    ],
  }),
  record: (recorded) => recorded,
  toView: (live) => live,
  toManifest: (live) => ({ section: live.reply_to === null ? null : { reply_to: live.reply_to }, remarks: [] }),
});
`,
  },
  rule: {
    'src/rules/campaigns.ts': [
      [
        '];\n\nfunction replacedAmong',
        `  {
    code: 'shouting-name',
    severity: 'warning',
    summary: 'A name in capitals.',
    *check({ spec: { name } }) {
      if (name !== name.toUpperCase()) return;
      yield { path: ['name'], message: 'The name is in capitals.', hint: 'Write it in small letters.' };
    },
  },
`,
      ],
    ],
  },
  policy: {
    'src/rules/titles.ts': `
import type { PolicyKind } from './rule.js';

export const titlesPolicy: PolicyKind<'titles'> = {
  key: 'titles',
  schema: {
    description: 'What titles begin with.',
    examples: [{ prefix: 'Acme' }],
    properties: { prefix: { type: 'string', description: 'The first letters.', examples: ['Acme'] } },
  },
  *check({ prefix = '' }, { spec: { sequence } }) {
    if (sequence?.title.startsWith(prefix) === false)
      yield { path: ['sequence', 'title'], message: \`The title lacks \${prefix}.\`, hint: 'Write it in front.' };
  },
};
`,
    'src/rules/policies.ts': [
      ['import { wordsPolicy }', "import { titlesPolicy } from './titles.js';\n"],
      ['  resultsPolicy,\n];', '  titlesPolicy,\n'],
    ],
  },
  format: {
    'src/view/plan-names.ts': `
import type { Plan } from '../model/outputs.js';
import { viewPlan } from './plan-view.js';

export function renderPlanNames(plan: Plan): string {
  return viewPlan(plan).campaigns.map(({ name, facts: [action] }) => \`\${action?.words} \${name}\\n\`).join('');
}
`,
    'src/cli/outputs.ts': [
      [
        "    case 'json':",
        "    case 'names':\n      return shell.out((await import('../view/plan-names.js')).renderPlanNames(plan));\n",
      ],
    ],
    'src/cli/options.ts': [["'text', 'json', 'markdown', 'html'] as const", "'names', "]],
  },
  command: {
    'src/cli/commands/greet.ts': `
import { EXIT, type ExitCode } from '../../model/failure.js';
import type { Flags } from '../commands.js';
import type { Shell } from '../shell.js';

export async function run({ who, loud }: Flags<'greet'>, shell: Shell): Promise<ExitCode> {
  shell.out(\`Hello \${loud ? who.toUpperCase() : who}\\n\`);
  return EXIT.ok;
}
`,
    'src/cli/commands.ts': [
      [
        '} satisfies Record<string, Command>',
        `  greet: {
    command: 'greet [who]',
    describe: 'Greet a person',
    positionals: { who: argument('Who is greeted', { default: 'you' }) },
    options: { loud: flag('Shout') },
    examples: [['greet', 'greets you']],
  },
`,
      ],
    ],
    'src/cli/program.ts': [
      [
        "  explain: () => import('./commands/explain.js'),",
        "  greet: () => import('./commands/greet.js'),\n",
      ],
    ],
  },
} as const satisfies { [topic: string]: Recipe };

/** How many files of the program a recipe may touch. */
const MOST = { setting: 1, section: 4, rule: 1, policy: 2, format: 3, command: 3 };

test('a recipe touches few files, and the page names each of them', async () => {
  const page = await readFile(join(root, 'ARCHITECTURE.md'), 'utf8');
  const how = page.slice(page.indexOf('## How to add'), page.indexOf('## What carries the promises'));
  for (const [topic, recipe] of Object.entries<Recipe>(RECIPES)) {
    const touched = Object.keys(recipe).filter((file) => file.startsWith('src/'));
    expect([topic, touched.length]).toEqual([topic, MOST[topic as keyof typeof MOST]]);
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
    for (const [before, added] of change) {
      expect([file, before, text.split(before).length]).toEqual([file, before, 2]);
      text = text.replace(before, () => added + before);
    }
    await writeFile(path, text);
  }
}

/** Runs a script of Node; never throws. */
async function node(cwd: string, ...argv: string[]): Promise<{ code: number; out: string }> {
  const ended = run(process.execPath, argv, { cwd, env: { PATH: process.env.PATH } });
  type Failed = { code?: number; stdout: string; stderr: string };
  const { code = 0, stdout, stderr }: Failed = await ended.catch((error: Failed) => error);
  return { code, out: stdout + stderr };
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
const manifest = (value: string) => `name: SPRING
settings:
  max_emails_per_day: 200
  max_new_leads_per_day: 100
  stop_on_reply: ${value}
`;
const SEQUENCE = `sequence:
  title: Spring
  steps:
    - { email_subject: Hello, email_body: <p>Hello</p>, wait_in_days: 1 }
`;
const SENDER = `sender:
  reply_to: replies@example.com
`;

describe('in a copy with one of each added', () => {
  let folder = '';
  let copy = '';
  let project = '';

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'campaignctl-'));
    copy = join(folder, 'program');
    project = join(folder, 'project');
    for (const part of [
      'src',
      'test',
      'bench',
      'schemas',
      'docs',
      'examples',
      'scripts',
      'package.json',
      'tsconfig.json',
      'vitest.config.ts',
    ])
      await cp(join(root, part), join(copy, part), { recursive: true });
    await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
    const { setting, section, rule, policy, format, command } = RECIPES;
    for (const recipe of [setting, section, rule, policy, format, command]) await edit(copy, recipe);
    expect(await node(copy, 'scripts/generate.js')).toEqual({ code: 0, out: '' });
    expect(await node(copy, 'scripts/build.js', '--no-types')).toEqual({ code: 0, out: '' });
  }, 240_000);

  afterAll(() => rm(folder, { recursive: true, force: true }));

  const campaignctl = (...argv: string[]) => node(project, join(copy, 'dist/campaignctl.cjs'), ...argv);
  const plan = async (format: string) => (await campaignctl('plan', '--quiet', '--format', format)).out;
  const write = (text: string) =>
    writeFiles(project, { 'campaignctl.yaml': PROJECT, 'campaigns/spring.yaml': text });

  test('every type fits, in the program, its tests and its bench: nothing else has to know', async () => {
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    expect(await node(copy, compiler, '-p', 'tsconfig.json')).toEqual({ code: 0, out: '' });
  }, 240_000);

  test('the tests of sections and of the planner hold with the new setting and section', async () => {
    const argv = ['run', '--project', 'unit', '--reporter=dot', 'test/sections', 'test/plan/build.test.ts'];
    const { code, out } = await node(copy, join(root, 'node_modules/vitest/vitest.mjs'), ...argv);
    expect(code === 0 ? '' : out).toBe('');
  }, 240_000);

  test('a row in the table of settings is a setting everywhere', async () => {
    await write(manifest('often'));
    const refused = await campaignctl('validate');
    expect(refused).toMatchObject({ code: 1, out: expect.stringContaining('campaigns/spring.yaml:5:18') });
    await write(manifest('false'));
    const broken = 'settings.stop_on_reply is false, but must be true';
    expect(await campaignctl('validate')).toMatchObject({ code: 1, out: expect.stringContaining(broken) });
    await write(manifest('true\n  reply_note: "Sent\\u200b by hand"'));
    const hidden = 'reply_note holds invisible characters: U+200B';
    expect(await campaignctl('validate')).toMatchObject({ code: 0, out: expect.stringContaining(hidden) });
    await write(manifest('true\n  reply_note: "Sent by hand\u00a0!"'));
    // What recipients read has spaces of typography.
    for (const format of ['text', 'markdown', 'html'])
      expect(await plan(format)).toContain('Sent by hand\u00a0!');
    await write(manifest('true'));
    expect(await campaignctl('validate')).toMatchObject({ code: 0 });

    const [text, markdown, html, json, requests] = await Promise.all([
      plan('text'),
      plan('markdown'),
      plan('html'),
      plan('json'),
      campaignctl('apply', '--dry-run'),
    ]);
    expect(text).toMatch(/stop_on_reply +false → true/);
    expect(markdown).toContain('- stop_on_reply: `false` → `true`');
    expect(html).toContain('Stops once a lead replies');
    expect(JSON.parse(json).campaigns[0]).toMatchObject({
      changes: expect.arrayContaining([
        expect.objectContaining({ path: 'stop_on_reply', from: false, to: true }),
      ]),
      content: { after: { settings: { stop_on_reply: true } } },
      steps: [{ id: 'create' }, { id: 'settings', body: { plain_text: false, stop_on_reply: true } }],
    });
    expect(requests.out).toContain('"stop_on_reply":true');

    expect(await campaignctl('apply', '--yes')).toMatchObject({ code: 0 });
    expect(JSON.parse(await plan('json'))).toMatchObject({ summary: { unchanged: 1, requests: 0 } });
    await rm(join(project, 'campaigns/spring.yaml'));
    await campaignctl('import', '--all');
    const written = await readFile(join(project, 'campaigns/spring.yaml'), 'utf8');
    expect(written).toContain('stop_on_reply: true');
  }, 240_000);

  test('a file and two lines are a section that is checked, planned, shown and sent in its turn', async () => {
    await write(`${manifest('true')}sender: {}\n`);
    expect((await campaignctl('validate')).out).toContain('reply_to is missing in sender.');
    await write(`${manifest('true')}${SENDER}status: running\n`);
    const [text, markdown, html, json] = await Promise.all(['text', 'markdown', 'html', 'json'].map(plan));
    expect(text).toMatch(/sender\n +~ reply_to +none → replies@example.com/);
    expect(markdown).toContain('- reply_to: `none` → `replies@example.com`');
    expect(html).toContain('<h4>Sender');
    expect(html).toContain('replies@example.com');
    const [campaign] = JSON.parse(json ?? '').campaigns;
    expect(campaign.content.after).toMatchObject({ sender: { reply_to: 'replies@example.com' } });
    expect(campaign.steps.map(({ id }: { id: string }) => id)).toEqual(['sender', 'launch']);
    const schema = JSON.parse(await readFile(join(copy, 'schemas/plan.schema.json'), 'utf8'));
    expect(Object.keys(schema.definitions.Content.properties)).toContain('sender');
  });

  test('a rule and a kind of policy are found by validate', async () => {
    await write(`${manifest('true')}${SEQUENCE}`);
    const { out } = await campaignctl('validate');
    expect(out).toContain('shouting-name');
    expect(out).toContain('Policy titles: The title lacks Acme.');
    await write(`${manifest('true')}lint: { shouting-name: off }\n`);
    expect((await campaignctl('validate')).out).not.toContain('shouting-name');
  });

  test('a format is one of plan', async () => {
    await write(manifest('true').replace('SPRING', 'Summer'));
    expect(await plan('names')).toBe('create Summer\n');
    expect((await campaignctl('plan', '--help')).out).toContain('"names"');
  });

  test('a command is in the help, in completion, and takes its options', async () => {
    expect(await campaignctl('greet', 'Ada', '--loud')).toEqual({ code: 0, out: 'Hello ADA\n' });
    expect((await campaignctl('--help')).out).toContain('Greet a person');
    expect((await campaignctl('greet', '--help')).out).toContain('Who is greeted');
    expect((await campaignctl('gret')).out).toContain('greet');
  });
});

test('a row in the table of sections alone is refused with what is missing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'campaignctl-'));
  for (const part of ['src', 'scripts', 'package.json'])
    await cp(join(root, part), join(folder, part), { recursive: true });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const { 'src/model/sections.ts': table, 'src/sections/index.ts': list } = RECIPES.section;
  const generate = async (recipe: Recipe) => {
    await cp(join(root, 'src'), join(folder, 'src'), { recursive: true });
    await edit(folder, recipe);
    return node(folder, 'scripts/generate.js');
  };
  expect(await generate({ 'src/model/sections.ts': table })).toEqual({
    code: 1,
    out: 'The table in src/model/sections.ts has the section "sender", which src/sections/index.ts does not list: write src/sections/sender.ts and add it there.\n',
  });
  const { 'src/sections/sender.ts': file } = RECIPES.section;
  expect(await generate({ 'src/sections/sender.ts': file, 'src/sections/index.ts': list })).toEqual({
    code: 1,
    out: 'src/sections/index.ts lists "sender", which has no row in src/model/sections.ts.\n',
  });
  await rm(folder, { recursive: true, force: true });
}, 240_000);
