import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, test } from 'vitest';
import { loadCampaigns } from '../../src/project/campaigns.js';
import { openManifests } from '../../src/project/open-manifests.js';
import { readProject } from '../../src/project/project.js';
import { folder } from '../support/folder.js';

const project = (manifests: string, environments = '{ sandbox: { sandbox: {} } }') =>
  `version: 1\nmanifests: ${manifests}\nenvironments: ${environments}\n`;

async function warnings(root: string, names: string[] | null = null, files: string[] = []) {
  const opened = await readProject({ cwd: root, config: null });
  const environments = Object.values(opened.environments).filter(({ name }) => names?.includes(name) ?? true);
  const { findings } = await loadCampaigns(openManifests(opened), {
    environments,
    files,
    cwd: root,
    env: {},
  });
  return findings.map(
    ({ severity, code, file, line, column, message }) =>
      `${severity} ${code} ${file}:${line}:${column} ${message}`,
  );
}

/** The files that are named, for a project with one pattern, a manifest that it matches, and this file. */
async function near(pattern: string, file: string): Promise<string[]> {
  const found = await warnings(
    folder({
      'campaignctl.yaml': project(JSON.stringify([pattern, 'matched.yaml'])),
      'matched.yaml': 'name: Matched\n',
      [file]: 'name: Other\n',
    }),
  );
  return found.flatMap((line) => (line.includes(' near-match ') && line.includes(` ${file}`) ? [file] : []));
}

it.each([
  ['campaigns/*.yaml', 'campaigns/spring.yml'],
  ['campaigns/*.yml', 'campaigns/spring.yaml'],
  ['campaigns/**/*.yaml', 'campaigns/fr/paris/spring.YAML'],
  ['campaigns/*.yaml', 'campaigns/spring.Yml'],
  ['campaigns/*.yaml', 'campaigns/spring.ymal'],
  ['campaigns/*.yaml', 'campaigns/spring.yaml.txt'],
  ['campaigns/*.{yaml,yml}', 'campaigns/spring.YML'],
  ['campaigns/spring.yaml', 'campaigns/spring.yml'],
  ['campaigns/spring-*.yaml', 'campaigns/Spring-fr.yaml'],
  ['./campaigns/*.yaml', 'campaigns/spring.yml'],
])('%s nearly matches %s', async (pattern, file) => {
  expect(await near(pattern, file)).toEqual([file]);
});

it.each<[pattern: string, file: string]>([
  ['campaigns/*.yaml', 'campaigns/spring.yaml'],
  ['campaigns/*.yaml', 'campaigns/fr/spring.yml'],
  ['campaigns/*.yaml', 'other/spring.yml'],
  ['campaigns/*.yaml', 'campaigns/emails/a.html'],
  ...['html', 'txt', 'md', 'json', 'csv', 'eml', 'xml', 'yaml~', 'yaml.bak', 'yaml.off'].map(
    (ending): [string, string] => ['campaigns/*.yaml', `campaigns/spring.${ending}`],
  ),
  ['campaigns/*.yaml', 'campaigns/Makefile'],
  ['campaigns/*.yaml', 'campaigns/.spring.yml'],
  ['**/*.yaml', 'node_modules/a/spring.yml'],
  ['campaigns/*', 'campaigns/spring.yml'],
])('%s does not nearly match %s', async (pattern, file) => {
  expect(await near(pattern, file)).toEqual([]);
});

test('one warning for each pattern names the files, at the pattern in the project file', async () => {
  const root = folder({
    'campaignctl.yaml': project('[campaigns/*.yaml, "old/*.yaml"]'),
    'campaigns/a.yaml': 'name: A\n',
    'campaigns/b.yml': 'name: B\n',
    'campaigns/c.YAML': 'name: C\n',
    'old/d.yml': 'name: D\n',
  });
  expect(await warnings(root)).toEqual([
    'warning near-match campaignctl.yaml:2:13 The pattern "campaigns/*.yaml" does not match campaigns/b.yml, campaigns/c.YAML, so campaignctl does not read these files.',
    'warning near-match campaignctl.yaml:2:31 No file matches the pattern "old/*.yaml". It nearly matches old/d.yml.',
  ]);
  expect(await warnings(root, null, ['campaigns/a.yaml'])).toEqual([]);
});

test('an environment that excludes every manifest', async () => {
  const environments = "{ live: { sandbox: {} }, staging: { sandbox: {}, manifests: ['!old/**'] } }";
  const files = { 'campaignctl.yaml': project("['**/a.yaml']", environments), 'old/a.yaml': 'name: A\n' };
  expect(await warnings(folder(files))).toEqual([
    'warning no-match campaignctl.yaml:3:75 These patterns exclude every manifest of the project.',
  ]);
});

test('shared pieces, excluded files and files of another pattern are no near matches', async () => {
  const root = folder({
    'campaignctl.yaml': project(
      '["campaigns/*.yaml", "campaigns/y*.yml", "!campaigns/draft.yml", "!campaigns/old-*.yaml"]',
    ),
    'campaigns/a.yaml': 'name: A\nschedule: { use: week.yml }\n',
    'campaigns/week.yml': 'days: [monday]\nstart_time: "09:00"\nend_time: "17:00"\ntimezone: Europe/Paris\n',
    'campaigns/yule.yml': 'name: Yule\n',
    'campaigns/draft.yml': 'name: Draft\n',
    'campaigns/old-one.yml': 'name: Old\n',
  });
  expect(await warnings(root)).toEqual([]);
});

test('a link to a manifest is no near match', async () => {
  const root = folder({
    'campaignctl.yaml': project('[campaigns/*.yaml]'),
    'campaigns/a.yaml': 'name: A\n',
  });
  symlinkSync('a.yaml', join(root, 'campaigns/a.yml'));
  mkdirSync(join(root, 'campaigns/folder.yml'));
  expect(await warnings(root)).toEqual([]);
});

test('an environment is warned of the files that would be its manifests', async () => {
  const root = folder({
    'campaignctl.yaml': project(
      '[clients/**/*.yaml]',
      `
  acme: { sandbox: {}, manifests: [clients/acme/**/*.yaml] }
  globex: { sandbox: {}, manifests: ["clients/globex/*.yaml"] }
  rest: { sandbox: {}, manifests: ["!clients/acme/**", "!clients/globex/**"] }`,
    ),
    'clients/acme/a.yaml': 'name: A\n',
    'clients/acme/b.yml': 'name: B\n',
    'clients/globex/c.yaml': 'name: C\n',
    'clients/globex/D.YAML': 'name: D\n',
    'clients/initech/e.yaml': 'name: E\n',
    'clients/initech/f.yml': 'name: F\n',
  });
  const named = async (...names: string[]) =>
    (await warnings(root, names)).flatMap((line) => line.match(/clients\/\w+\/\w+\.\w+/g) ?? []);
  expect(await named('acme')).toEqual(['clients/acme/b.yml']);
  expect(await named('globex')).toEqual(['clients/globex/D.YAML']);
  expect(await named('rest')).toEqual(['clients/initech/f.yml']);
  expect(await named('acme', 'globex', 'rest')).toEqual([
    'clients/acme/b.yml',
    'clients/globex/D.YAML',
    'clients/initech/f.yml',
  ]);
});

test('a pattern of an environment is named if that of the project matches', async () => {
  const root = folder({
    'campaignctl.yaml': project(
      '["**/*.{yaml,yml}"]',
      '{ acme: { sandbox: {}, manifests: [acme/*.yaml] }, other: { sandbox: {} } }',
    ),
    'acme/a.yaml': 'name: A\n',
    'acme/b.yml': 'name: B\n',
  });
  expect(await warnings(root, ['acme'])).toEqual([
    'warning near-match campaignctl.yaml:3:50 The pattern "acme/*.yaml" does not match acme/b.yml, so campaignctl does not read this file.',
  ]);
});

test('folders stand for the YAML files in them', async () => {
  const files = (patterns: string) =>
    folder({
      'campaignctl.yaml': project(
        patterns,
        `{ sandbox: { sandbox: {}, manifests: [campaigns, "!campaigns/old"] } }`,
      ),
      'campaigns/a.yaml': 'name: A\n',
      'campaigns/fr/b.yml': 'name: B\n',
      'campaigns/fr/c.html': '<p>C</p>\n',
      'campaigns/old/d.yaml': 'name: D\n',
    });
  for (const patterns of [
    '[campaigns/, "!campaigns/old/"]',
    '[campaigns, "!campaigns/old"]',
    '[./campaigns/, "!campaigns/old"]',
  ])
    expect(await read(files(patterns)), patterns).toEqual({ names: ['A', 'B'], warnings: [] });
});

test.each<[patterns: string, files: Readonly<Record<string, string>>, findings: string[]]>([
  [
    '[campaigns/*.yaml]',
    {},
    [
      'warning no-match 2:13 Patterns are relative to the project file; campaigns/**/*.yaml matches every folder below campaigns.',
    ],
  ],
  [
    '[campaigns/*.yaml, "clients/**/*.yaml"]',
    {
      'pieces/week.yaml': 'days: [monday]\n',
      'other/campaignctl.yaml': '',
      'other/campaigns/a.yaml': 'name: A\n',
    },
    [
      'warning no-match 2:12 Patterns are relative to the project file; campaigns/**/*.yaml matches every folder below campaigns.',
    ],
  ],
  [
    '[campaigns/*.yaml, "clients/**/*.yaml"]',
    { 'outreach/fr/a.yaml': 'name: A\n', 'outreach/b.yml': 'name: B\n' },
    [
      'error no-match 2:12 outreach/b.yml, outreach/fr/a.yaml look like manifests. Write manifests: [outreach/].',
    ],
  ],
  [
    '[campaigns/*.yaml]',
    { 'spring.yaml': 'name: A\n', '.github/workflows/ci.yaml': 'name: CI\n' },
    ['error no-match 2:13 spring.yaml looks like a manifest. Write manifests: [spring.yaml].'],
  ],
  [
    '[campaigns/*.yaml]',
    { 'campaigns/a.yml': 'name: A\n' },
    [
      'error near-match 2:13 Rename the file so that the pattern matches it, or add a pattern for it. If it is not a manifest, exclude it: "!campaigns/a.yml".',
    ],
  ],
])('a project without manifests, of the patterns %s and the files %j', async (patterns, files, findings) => {
  const root = folder({ 'campaignctl.yaml': project(patterns), ...files });
  expect((await read(root)).warnings).toEqual(findings);
});

async function read(root: string): Promise<{ names: string[]; warnings: string[] }> {
  const opened = openManifests(await readProject({ cwd: root, config: null }));
  const environments = Object.values(opened.project.environments);
  const { campaigns, findings } = await loadCampaigns(opened, {
    environments,
    files: [],
    cwd: root,
    env: {},
  });
  return {
    names: Object.values(campaigns).flatMap((all) => all.map(({ spec }) => spec.name)),
    warnings: findings.map(
      ({ severity, code, line, column, hint }) => `${severity} ${code} ${line}:${column} ${hint}`,
    ),
  };
}
