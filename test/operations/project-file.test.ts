import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { saveStateId } from '../../src/operations/project-file.js';
import { readProject } from '../../src/project/project.js';
import { folder } from '../project/folder.js';

const HEAD = 'version: 1\nmanifests: ["*.yaml"]\n';
const LIVE = 'base_url: "http://127.0.0.1:1", token_env: ONE_TOKEN';
const ENVIRONMENTS = `environments: { live: { ${LIVE} } }\n`;

async function saved(text: string, id = '5f1c20a9be37'): Promise<string> {
  const cwd = folder({ 'campaignctl.yaml': text });
  await saveStateId(await readProject({ cwd, config: null }), 'live', id);
  return readFile(join(cwd, 'campaignctl.yaml'), 'utf8');
}

test.each([
  ['state: { backend: git }\n', 'state: { backend: git, id: 5f1c20a9be37 }\n'],
  [
    '# Shared.\nstate: {backend: git, }  # all\n',
    '# Shared.\nstate: {backend: git, id: 5f1c20a9be37 }  # all\n',
  ],
  [
    'state:\n  backend: git  # shared\n  lease: 60\n',
    'state:\n  backend: git  # shared\n  lease: 60\n  id: 5f1c20a9be37\n',
  ],
])('the id is written beside the backend: %j', async (text, written) => {
  expect(await saved(HEAD + text + ENVIRONMENTS)).toBe(HEAD + written + ENVIRONMENTS);
});

test('the id is written into the environment that has the backend', async () => {
  const text = (state: string) =>
    `${HEAD}state: { lease: 60 }\nenvironments: { live: { ${LIVE}, state: { ${state} } } }\n`;
  expect(await saved(text('backend: git'))).toBe(text('backend: git, id: 5f1c20a9be37'));
});

test.each(['123456789012', '12e456789012'])('an id that looks like a number is quoted: %s', async (id) => {
  expect(await saved(`${HEAD}state: { backend: git }\n${ENVIRONMENTS}`, id)).toContain(`id: "${id}"`);
  expect(await saved(`${HEAD}state:\n  backend: git\n${ENVIRONMENTS}`, id)).toContain(`  id: "${id}"\n`);
});

test('a file that cannot take the id is left alone', async () => {
  const text = `${HEAD}state: &shared { backend: git }\n${ENVIRONMENTS.replace(LIVE, `${LIVE}, state: *shared`)}`;
  await expect(saved(text)).rejects.toMatchObject({ code: 'state-of-other' });
});
