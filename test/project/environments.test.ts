import { expect, test } from 'vitest';
import { loadCampaigns, selectCampaigns } from '../../src/project/campaigns.js';
import { readProject } from '../../src/project/project.js';
import { failure, folder } from './folder.js';

/** A project of two clients: globex has a broken manifest, a pattern without files, and a campaign with a name of acme's. */
const agency = {
  'campaignctl.yaml': `version: 1
manifests: [clients/**/*.yaml, archive/*.yaml]
environments:
  acme: { sandbox: {}, manifests: [clients/acme/**/*.yaml] }
  globex: { sandbox: {}, manifests: ["clients/globex/*.yaml", "clients/gone/*.yaml"] }
  rest: { sandbox: {}, manifests: ["!clients/acme/**", "!clients/globex/**"] }
`,
  'clients/acme/spring.yaml': 'name: Spring\n',
  'clients/globex/spring.yaml': 'name: Spring\n',
  'clients/globex/broken.yaml': 'name: [\n',
  'clients/initech/autumn.yaml': 'name: Autumn\n',
};

async function load(root: string, names: string[], files: string[] = []) {
  const project = await readProject({ cwd: root, config: null });
  const environments = Object.values(project.environments).filter(({ name }) => names.includes(name));
  const loaded = selectCampaigns(await loadCampaigns(project, { environments, files, cwd: root }));
  const taken = Object.entries(loaded.campaigns).map(([name, own]) => [name, own.map((one) => one.manifest)]);
  const said = loaded.findings.map(({ severity, code, file, line }) => `${severity} ${code} ${file}:${line}`);
  return { taken: Object.fromEntries(taken), read: loaded.files, said, loaded };
}

test('an environment takes its own part of the manifests, and nothing of another is read or said', async () => {
  const { taken, read, said } = await load(folder(agency), ['acme']);
  expect({ taken, read, said }).toEqual({
    taken: { acme: ['clients/acme/spring.yaml'] },
    read: ['clients/acme/spring.yaml'],
    said: [],
  });
});

test('patterns that only exclude leave the others of the project', async () => {
  const { taken, said } = await load(folder(agency), ['rest']);
  expect({ taken, said }).toEqual({ taken: { rest: ['clients/initech/autumn.yaml'] }, said: [] });
});

test('all environments together are checked whole, each with its own part', async () => {
  const { taken, said } = await load(folder(agency), ['acme', 'globex', 'rest']);
  expect({ taken, said }).toEqual({
    taken: {
      acme: ['clients/acme/spring.yaml'],
      globex: ['clients/globex/spring.yaml'],
      rest: ['clients/initech/autumn.yaml'],
    },
    said: [
      'warning no-match campaignctl.yaml:2',
      'warning no-match campaignctl.yaml:5',
      'error yaml-syntax clients/globex/broken.yaml:2',
    ],
  });
});

test('a manifest that no environment takes is a warning, a name that one takes twice an error', async () => {
  const root = folder({
    'campaignctl.yaml':
      'version: 1\nmanifests: ["**/*.yaml"]\nenvironments:\n  acme: { sandbox: {}, manifests: [acme/*.yaml] }\n',
    'acme/a.yaml': 'name: Spring\n',
    'acme/b.yaml': 'name: Spring\n',
    'other/a.yaml': 'name: Spring\n',
  });
  const { said } = await load(root, ['acme']);
  expect(said).toEqual(['error duplicate-name acme/b.yaml:1', 'warning not-in-environment other/a.yaml:1']);
});

test('what is named on the command line has to belong to the environment', async () => {
  const root = folder(agency);
  for (const file of ['clients/globex/spring.yaml', 'clients/globex']) {
    const { taken, loaded } = await load(root, ['acme'], [file]);
    expect({ taken, findings: loaded.findings }).toEqual({
      taken: { acme: [] },
      findings: [
        expect.objectContaining({
          code: 'not-in-environment',
          severity: 'error',
          message: `"${file}" is not among the manifests of acme.`,
          hint: 'Name its environment with --env, or add it to `manifests` of the environment.',
          file: 'campaignctl.yaml',
          line: 4,
        }),
      ],
    });
  }
  const named = await load(root, ['acme', 'globex', 'rest'], ['clients/acme', 'clients/globex/spring.yaml']);
  expect({ taken: named.taken, said: named.said }).toEqual({
    taken: { acme: ['clients/acme/spring.yaml'], globex: ['clients/globex/spring.yaml'], rest: [] },
    said: [],
  });
});

test('a part that holds none of the manifests of the project is a warning, and one that leads out of it an error', async () => {
  const only = (patterns: string) =>
    folder({
      'campaignctl.yaml': `version: 1\nmanifests: [acme/*.yaml]\nenvironments:\n  acme: { sandbox: {}, manifests: ${patterns} }\n`,
      'acme/a.yaml': 'name: Spring\n',
      'other/a.yaml': 'name: Autumn\n',
    });
  expect((await load(only('[other/*.yaml]'), ['acme'])).said).toEqual([
    'warning not-in-environment acme/a.yaml:1',
    'warning no-match campaignctl.yaml:4',
  ]);
  const { findings } = await failure(() => load(only('[../other/*.yaml]'), ['acme']));
  expect(findings.map(({ code, line }) => `${code}:${line}`)).toEqual(['file-outside-project:4']);
});
