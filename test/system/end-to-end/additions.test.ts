import { execFile } from 'node:child_process';
import { cp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';

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
    'src/model/outputs.ts': [
      [
        '  leads: { lists: Integer[]; ids: Integer[] } | null;',
        '  sender: { reply_to: string | null } | null;\n',
      ],
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
  hazard: {
    'src/plan/hazards.ts': [
      [
        "  'no-leads': noLeads,",
        "  shouting: ({ context: { spec } }) => (spec.name === spec.name.toUpperCase() ? [problem('shouting')] : []),\n",
      ],
    ],
    'src/plan/messages.ts': [
      [
        "  'unkept-state': (",
        "  shouting: () => hazard('The name is in capitals.', 'If it has to be, accept with --allow shouting.'),\n",
      ],
    ],
    'src/model/environment.ts': [
      ['};\nexport type Hazard =', "  shouting: 'The name of a campaign is in capitals.',\n"],
    ],
    'docs/approvals.md': [['| `mass-change` |', '| `shouting` | The name of a campaign is in capitals. |\n']],
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

const MOST = { setting: 1, section: 4, hazard: 3, rule: 1, policy: 2, format: 3, command: 3 };

test('a recipe touches few files, and the page names each of them', async () => {
  const page = await readFile(join(root, 'ARCHITECTURE.md'), 'utf8');
  const how = page.slice(page.indexOf('## How to add'), page.indexOf('## Where is it decided'));
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

/** Runs a script of Node, which has to end with this code; all that it printed. */
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

test('one of each, added as the page says, is known everywhere', { timeout: 480_000 }, () =>
  withFolder(async (folder) => {
    const [copy, project] = [join(folder, 'program'), join(folder, 'project')];
    const parts = ['src', 'test', 'bench', 'schemas', 'docs', 'examples', 'scripts'];
    await copyOf(copy, [...parts, 'package.json', 'tsconfig.json', 'vitest.config.ts']);
    for (const recipe of Object.values<Recipe>(RECIPES)) await edit(copy, recipe);
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
    expect(html).toContain('Stops once a lead replies');
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
      [0, 'plan --help', '"names"'],
    ] as const)
      expect(await campaignctl(code, line)).toContain(part);

    // Nothing else has to know: every type fits, and so do the contract of sections and the tests of the planner.
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

test('a row in the table of sections alone is refused with what is missing', { timeout: 240_000 }, () =>
  withFolder(async (folder) => {
    await copyOf(folder, ['src', 'scripts', 'package.json']);
    const {
      'src/model/sections.ts': table,
      'src/sections/index.ts': list,
      'src/sections/sender.ts': file,
    } = RECIPES.section;
    const generate = async (recipe: Recipe) => {
      await cp(join(root, 'src'), join(folder, 'src'), { recursive: true });
      await edit(folder, recipe);
      return node(1, folder, 'scripts/generate.js');
    };
    expect(await generate({ 'src/model/sections.ts': table })).toBe(
      'The table in src/model/sections.ts has the section "sender", which src/sections/index.ts does not list: write src/sections/sender.ts and add it there.\n',
    );
    expect(await generate({ 'src/sections/sender.ts': file, 'src/sections/index.ts': list })).toBe(
      'src/sections/index.ts lists "sender", which has no row in src/model/sections.ts.\n',
    );
  }),
);
