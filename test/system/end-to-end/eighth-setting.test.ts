import { execFile } from 'node:child_process';
import { cp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const run = promisify(execFile);

const ROW = `  {
    name: 'stop_on_reply',
    type: 'boolean',
    nullable: false,
    default: false,
    label: 'Stops once somebody replies',
    description: 'A lead that replies gets no more emails.',
    examples: [true, false],
    perEnvironment: false,
    mayBeHidden: false,
  },
`;

/** The program with one more row in the table of settings, and nothing else of it changed by hand. */
async function programWithRow(folder: string): Promise<string> {
  for (const part of ['src', 'schemas', 'scripts', 'package.json'])
    await cp(join(root, part), join(folder, part), { recursive: true });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const table = join(folder, 'src/model/settings.ts');
  const text = await readFile(table, 'utf8');
  const end = text.indexOf('] as const satisfies readonly SettingDefinition[];');
  await writeFile(table, text.slice(0, end) + ROW + text.slice(end));
  await run(process.execPath, ['scripts/generate.js'], { cwd: folder });
  await run(process.execPath, ['scripts/build.js', '--no-types'], { cwd: folder });
  return join(folder, 'dist/campaignctl.cjs');
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
`;
const manifest = (value: string) => `name: Spring
settings:
  max_emails_per_day: 200
  max_new_leads_per_day: 100
  stop_on_reply: ${value}
`;

test('a row in the table of settings is a setting everywhere', async () => {
  await withFolder(async (folder) => {
    const program = await programWithRow(join(folder, 'program'));
    const project = join(folder, 'project');
    const campaignctl = async (...argv: string[]) => {
      const options = { cwd: project, env: { PATH: process.env.PATH } };
      const ended = run(process.execPath, [program, ...argv], options);
      type Ended = { code?: number; stdout: string; stderr: string };
      const { code = 0, stdout, stderr }: Ended = await ended.catch((error: Ended) => error);
      return { code, out: stdout + stderr };
    };
    const plan = async (format: string) => (await campaignctl('plan', '--format', format)).out;

    await writeFiles(project, { 'campaignctl.yaml': PROJECT, 'campaigns/spring.yaml': manifest('often') });
    const refused = await campaignctl('validate');
    expect(refused).toMatchObject({ code: 1, out: expect.stringContaining('campaigns/spring.yaml:5:18') });
    await writeFiles(project, { 'campaigns/spring.yaml': manifest('false') });
    const broken = 'settings.stop_on_reply is false, but must be true';
    expect(await campaignctl('validate')).toMatchObject({ code: 1, out: expect.stringContaining(broken) });
    await writeFiles(project, { 'campaigns/spring.yaml': manifest('true') });
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
    expect(html).toContain('Stops once somebody replies');
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
  });
}, 120_000);
