import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadCampaigns, selectCampaigns } from '../../src/project/campaigns.js';
import { openManifests } from '../../src/project/open-manifests.js';
import { readProject } from '../../src/project/project.js';
import { failureOf } from '../support/failure.js';
import { folder } from '../support/folder.js';

const config = `version: 1
manifests: [campaigns/**/*.yaml]
environments:
  sandbox: { sandbox: {} }
  production: { base_url: https://send.example.com, token_env: CAMPAIGNS_TOKEN }
`;

/** Loads what is in a folder for all environments, or as `files` say. */
async function load(root: string, files: string[] = [], cwd = root) {
  const project = await readProject({ cwd: root, config: null });
  return loadCampaigns(openManifests(project), {
    environments: Object.values(project.environments),
    files,
    cwd,
    env: {},
  });
}

async function findingPlaces(root: string, files: string[] = [], cwd = root) {
  const { findings } = await load(root, files, cwd);
  return findings.map(({ code, file, line, column }) => `${code} ${file}:${line}:${column}`);
}

/** The selected manifests. */
async function taken(root: string, files: string[] = [], cwd = root) {
  const { campaigns } = selectCampaigns(await load(root, files, cwd));
  return campaigns.sandbox?.map(({ manifest }) => manifest);
}

const client = {
  'campaignctl.yaml': config,
  'campaigns/fr/summer.yaml': 'name: Summer\n',
  'campaigns/fr/spring.yaml': 'name: Spring\n---\nname: Spring 2\n',
  'campaigns/de/autumn.yaml': 'name: Autumn\nid: 5\n',
  'campaigns/notes.txt': 'not a manifest',
  'drafts/winter.yaml': 'name: Winter\n',
};

const FRENCH = ['campaigns/fr/spring.yaml', 'campaigns/fr/spring.yaml#2', 'campaigns/fr/summer.yaml'];

test('manifests that match the patterns are selected and sorted for each environment', async () => {
  const { campaigns, findings } = await load(folder(client));
  const entry = (manifest: string, document: number, spec: object) => {
    return { manifest, file: manifest.replace(/#.*/, ''), document, spec, remarks: [] };
  };
  const all = [
    entry('campaigns/de/autumn.yaml', 0, { name: 'Autumn', id: 5 }),
    entry('campaigns/fr/spring.yaml', 0, { name: 'Spring' }),
    entry('campaigns/fr/spring.yaml#2', 1, { name: 'Spring 2' }),
    entry('campaigns/fr/summer.yaml', 0, { name: 'Summer' }),
  ];
  expect({ campaigns, findings }).toEqual({ campaigns: { sandbox: all, production: all }, findings: [] });
});

test('files and folders on the command line are selected instead, relative to the working directory', async () => {
  const root = folder(client);
  expect(await taken(root, ['drafts/winter.yaml', 'campaigns/fr'])).toEqual([
    ...FRENCH,
    'drafts/winter.yaml',
  ]);
  expect(await taken(root, ['../de/autumn.yaml'], join(root, 'campaigns/fr'))).toEqual([
    'campaigns/de/autumn.yaml',
  ]);
  expect(await taken(root, ['.'])).toHaveLength(4);
});

test('all manifests are loaded and checked, but only the named ones are selected', async () => {
  const root = folder({
    ...client,
    'campaigns/it/a.yaml': 'name: Spring\n',
    'campaigns/it/syntax.yaml': 'name: [\n',
    'campaigns/it/use.yaml': 'name: Use\nsequence: { use: ../../pieces/other.yaml }\n',
    'pieces/other.yaml': 'titel: Other\n',
  });
  const loaded = await load(root, ['campaigns/fr/spring.yaml']);
  expect(loaded.campaigns.sandbox?.map(({ spec }) => spec.name)).toEqual([
    'Autumn',
    'Summer',
    'Spring',
    'Spring',
    'Spring 2',
  ]);
  const filesOf = ({ findings }: Pick<typeof loaded, 'findings'>) => [
    ...new Set(findings.map(({ code, file }) => `${code} ${file}`)),
  ];
  expect(filesOf(loaded)).toEqual([
    'duplicate-name campaigns/fr/spring.yaml',
    'yaml-syntax campaigns/it/syntax.yaml',
    'missing-key pieces/other.yaml',
    'unknown-key pieces/other.yaml',
  ]);
  const selected = selectCampaigns(loaded);
  expect(filesOf(selected)).toEqual([
    'duplicate-name campaigns/fr/spring.yaml',
    'missing-key pieces/other.yaml',
    'unknown-key pieces/other.yaml',
  ]);
  expect([selected.campaigns.sandbox?.length, selected.manifests, selected.files]).toEqual([
    2,
    2,
    ['pieces/other.yaml', 'campaigns/fr/spring.yaml'],
  ]);
});

test('a file or folder that does not exist, contains no manifest or is outside the project is an error', async () => {
  const root = folder(client);
  const outside = folder({ 'a.yaml': 'name: A\n' });
  const failure = (file: string) => failureOf(load(root, [file]));
  expect((await failure('campaigns/it')).code).toBe('file-not-found');
  expect((await failure('drafts')).code).toBe('no-match');
  // To list its folder under shared would not help.
  expect(await failure(join(outside, 'a.yaml'))).toMatchObject({
    code: 'file-outside-project',
    hint: expect.not.stringContaining('shared'),
  });
});

test('patterns can exclude, and the project file is never a manifest', async () => {
  const patterns = "['**/*.yaml', '!drafts/**']";
  const root = folder({ ...client, 'campaignctl.yaml': config.replace('[campaigns/**/*.yaml]', patterns) });
  expect(await taken(root)).toEqual(['campaigns/de/autumn.yaml', ...FRENCH]);
});

test('a manifest behind links is selected once, under the real name of the file', async () => {
  const root = folder(client);
  symlinkSync('../drafts/winter.yaml', join(root, 'campaigns/winter.yaml'));
  symlinkSync('..', join(root, 'campaigns/de/up'));
  expect(await taken(root)).toEqual(['campaigns/de/autumn.yaml', ...FRENCH, 'drafts/winter.yaml']);
  const leaking = folder(client);
  symlinkSync(folder({ 'a.yaml': 'name: A\n' }), join(leaking, 'campaigns/outside'));
  expect(await findingPlaces(leaking)).toEqual(['file-outside-project campaignctl.yaml:2:13']);
});

test('a pattern that matches nothing is a finding in the project file', async () => {
  const root = folder({
    ...client,
    'campaignctl.yaml': config.replace('**/*.yaml', '**/*.yaml, campains/*.yaml'),
  });
  expect(await findingPlaces(root)).toEqual(['no-match campaignctl.yaml:2:34']);
});

test('an error in one manifest does not remove the others', async () => {
  const root = folder({ ...client, 'campaigns/fr/summer.yaml': 'name: Summer\nstatus: runing\n' });
  expect(await findingPlaces(root)).toEqual(['wrong-value campaigns/fr/summer.yaml:2:9']);
  expect(await taken(root)).toHaveLength(3);
});

test('manifests of two files are compared with each other', async () => {
  const root = folder({ ...client, 'campaigns/it/spring.yaml': 'name: Spring\n' });
  expect(await findingPlaces(root)).toEqual(['duplicate-name campaigns/it/spring.yaml:1:7']);
});

const withBody = (file: string) => `name: Spring
sequence:
  title: Spring
  steps:
    - email_subject: Hello
      email_body_file: ${file}
      wait_in_days: 3
`;

/** A project whose only manifest names `bodies/hello.html`. */
function withBodies(files: Record<string, string | Uint8Array>): string {
  return folder({
    'campaignctl.yaml': config,
    'campaigns/a.yaml': withBody('../bodies/hello.html'),
    ...files,
  });
}

test('a byte order mark is ignored; bytes that are not UTF-8 are an error', async () => {
  const good = withBodies({ 'bodies/hello.html': '\ufeff<p>Grüße</p>\n' });
  const { campaigns } = await load(good);
  expect(campaigns.sandbox?.[0]?.spec.sequence?.steps[0]?.email_body).toBe('<p>Grüße</p>\n');
  const latin = withBodies({ 'bodies/hello.html': new Uint8Array([0x47, 0x72, 0xfc, 0xdf, 0x65]) });
  expect(await findingPlaces(latin)).toEqual(['file-not-utf8 campaigns/a.yaml:6:24']);
});

test('links are followed within the project and refused if they lead out of it', async () => {
  const outside = folder({ 'secret.html': '<p>secret</p>' });
  const root = withBodies({ 'shared/real.html': '<p>Hi</p>' });
  mkdirSync(join(root, 'bodies'));
  symlinkSync('../shared/real.html', join(root, 'bodies/hello.html'));
  expect(await findingPlaces(root)).toEqual([]);
  const leaking = withBodies({ 'bodies/keep.txt': '' });
  symlinkSync(join(outside, 'secret.html'), join(leaking, 'bodies/hello.html'));
  expect(await findingPlaces(leaking)).toEqual(['file-outside-project campaigns/a.yaml:6:24']);
  const folderLink = withBodies({});
  symlinkSync(outside, join(folderLink, 'bodies'));
  expect(await findingPlaces(folderLink)).toEqual(['file-not-found campaigns/a.yaml:6:24']);
});

test('a dot-file, a file in a dot-folder and a link to either are refused, for bodies and for manifests', async () => {
  const named = withBodies({ '.env': 'TOKEN=s3cr3t', '.git/config': 'password = s3cr3t' });
  for (const file of ['../.env', '../.git/config', '../bodies/../.env']) {
    const text = readFileSync(join(named, 'campaigns/a.yaml'), 'utf8');
    writeFileSync(join(named, 'campaigns/a.yaml'), text.replace(/(email_body_file: ).*/, `$1${file}`));
    expect(await findingPlaces(named)).toEqual(['file-hidden campaigns/a.yaml:6:24']);
  }
  const linked = withBodies({ '.env': 'TOKEN=s3cr3t', 'bodies/keep.txt': '' });
  symlinkSync('../.env', join(linked, 'bodies/hello.html'));
  expect(await findingPlaces(linked)).toEqual(['file-hidden campaigns/a.yaml:6:24']);
  const folderLink = withBodies({ '.secrets/hello.html': 'TOKEN=s3cr3t' });
  symlinkSync('.secrets', join(folderLink, 'bodies'));
  expect(await findingPlaces(folderLink)).toEqual(['file-hidden campaigns/a.yaml:6:24']);

  const manifests = folder({ ...client, '.github/secret.yaml': 'password: s3cr3t\n' });
  symlinkSync('../.github/secret.yaml', join(manifests, 'campaigns/x.yaml'));
  expect(await findingPlaces(manifests)).toEqual(['file-hidden .github/secret.yaml:1:1']);
});

test('a folder, a circular link and a file that is too large are errors', async () => {
  const asFolder = withBodies({ 'bodies/hello.html/x.html': '' });
  expect(await findingPlaces(asFolder)).toEqual(['file-unreadable campaigns/a.yaml:6:24']);
  const circle = withBodies({ 'bodies/keep.txt': '' });
  symlinkSync('hello.html', join(circle, 'bodies/hello.html'));
  expect(await findingPlaces(circle)).toEqual(['file-unreadable campaigns/a.yaml:6:24']);
  const large = withBodies({ 'bodies/hello.html': 'x'.repeat(1024 * 1024 + 1) });
  expect(await findingPlaces(large)).toEqual(['file-too-large campaigns/a.yaml:6:24']);
});

test('an unreadable manifest is an error of that manifest', async () => {
  const root = folder({
    'campaignctl.yaml': config,
    'campaigns/large.yaml': `name: Large\n${'#'.repeat(1024 * 1024)}\n`,
    'campaigns/utf16.yaml': new Uint8Array([0xff, 0xfe, 0x6e, 0x00]),
    'campaigns/windows.yaml': '\ufeffname: Windows\r\nstatus: runing\r\n',
  });
  expect(await findingPlaces(root)).toEqual([
    'file-too-large campaigns/large.yaml:1:1',
    'file-not-utf8 campaigns/utf16.yaml:1:1',
    'wrong-value campaigns/windows.yaml:2:9',
  ]);
});

test('an empty file name is refused, because it would mean the whole folder', async () => {
  const root = folder(client);
  for (const files of [[''], ['campaigns/de', '']])
    expect(await failureOf(load(root, files))).toMatchObject({
      code: 'usage',
      message: 'A file name is empty.',
    });
});

const cutTexts = `extends: base.yaml
${config}defaults:
  custom_variables:
    - FIRST_NAME # known by every list
    - Company #1
`;

test.each([
  ['', ['hash-cuts-text base.yaml:2:5 warning', 'hash-cuts-text campaignctl.yaml:10:7 warning']],
  ['lint: { hash-cuts-text: off }\n', []],
])(
  'texts that " #" cuts in the files of the project are named, as lint switches it: %j',
  async (lint, seen) => {
    const root = folder({
      'campaignctl.yaml': `${cutTexts}${lint}`,
      'base.yaml': 'shared:\n  - libs #1\n',
      'libs/a.yaml': '',
      'campaigns/a.yaml': 'name: Spring\n',
    });
    const { findings } = await load(root);
    expect(
      findings.map(
        ({ code, file, line, column, severity }) => `${code} ${file}:${line}:${column} ${severity}`,
      ),
    ).toEqual(seen);
  },
);
