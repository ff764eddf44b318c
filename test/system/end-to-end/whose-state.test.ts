import { cp, rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { memoryRemote } from '../../support/branch.js';
import { command, type Ended, writeFiles } from '../../support/command.js';
import { type Project, withProject } from '../../support/project.js';
import { git as gitIn } from '../../support/repository.js';
import { TOKEN } from '../../support/service/service.js';
import { oneLine } from '../../support/texts.js';

/** A state belongs to one project: copies, neighbours and moved projects do not share it silently. */

type Backend = 'file' | 'git';

interface Agency extends Project {
  /** Runs a command line in a folder of the repository. */
  inFolder(folder: string, line: string): Promise<Ended>;
  git(...args: string[]): string;
  /** The content of the `state.json` of a project. */
  recorded(folder?: string): Promise<unknown>;
  /** The content of the `state.json` on a branch. */
  recordedOn(branch: string): unknown;
}

const STATES: Record<Backend, string> = {
  file: '',
  git: 'state: { backend: git, branch: campaignctl/acme, id: acme }\n',
};

const client = (backend: Backend, more = '') => `version: 1
manifests: [campaigns/*.yaml]
${STATES[backend]}environments:
  production:
    base_url: "{url}"
    token_env: CAMPAIGNS_TOKEN
    on_removal: pause
    allow: [launch]
${more}`;

const SPRING = `name: Spring
settings: { max_emails_per_day: 120, max_new_leads_per_day: 40, reputation_building: false }
schedule: { days: [monday], start_time: "09:00", end_time: "17:00", timezone: Europe/Paris }
sequence:
  title: Spring
  steps: [{ email_subject: Hi, email_body: Hello, wait_in_days: 1 }]
leads: { lists: [7] }
status: running
`;

/** A git repository whose project clients/acme has launched a campaign. */
function agency(backend: Backend, use: (scene: Agency) => Promise<void>): Promise<void> {
  const files = {
    'clients/acme/campaignctl.yaml': client(backend),
    'clients/acme/campaigns/spring.yaml': SPRING,
  };
  return withProject({ files }, async (project) => {
    const { folder, read, write, statuses } = project;
    await write({ 'campaignctl.yaml': null });
    const remote = memoryRemote();
    const git: Agency['git'] = (...args) => gitIn(folder, ...args);
    git('init', '-q');
    await writeFiles(folder, { '.gitignore': '.campaignctl/\n' });
    git('add', '-A');
    git('commit', '-qm', 'Campaigns');
    const inFolder: Agency['inFolder'] = (path, line) =>
      command(join(folder, path), line.split(' '), { CAMPAIGNS_TOKEN: TOKEN }, undefined, {
        openBranch: remote.open,
      });
    const recordedOn: Agency['recordedOn'] = (branch) =>
      JSON.parse(remote.texts(`${branch}/production`)['state.json'] ?? '');
    const recorded: Agency['recorded'] = async (path = 'clients/acme') =>
      backend === 'file'
        ? JSON.parse(await read(`${path}/.campaignctl/state/production/state.json`))
        : recordedOn('campaignctl/acme');
    expect(await inFolder('clients/acme', 'apply --yes')).toMatchObject({ code: 0 });
    expect(statuses()).toEqual({ Spring: 'active' });
    await use({ ...project, inFolder, git, recorded, recordedOn });
  });
}

/** Copies the project as `cp -r` does, with another campaign in place of the original one. */
async function copyTo(folder: string, { folder: top, write }: Agency): Promise<void> {
  await cp(join(top, 'clients/acme'), join(top, folder), { recursive: true });
  await write({
    [`${folder}/campaigns/spring.yaml`]: null,
    [`${folder}/campaigns/autumn.yaml`]: 'name: Autumn\n',
  });
}

/** Runs a line that must be refused before anything is sent. Returns its error in one line. */
async function refused(folder: string, line: string, { inFolder, sent, statuses }: Agency): Promise<string> {
  sent();
  const { code, err } = await inFolder(folder, line);
  expect({ code, sent: sent(), statuses: statuses() }, err).toEqual({
    code: 1,
    sent: [],
    statuses: { Spring: 'active' },
  });
  return oneLine(err);
}

const REBASE = 'state rebase --env production --yes';
const ACME = 'clients/acme/campaignctl.yaml';
const owner = (url: string, backend: Backend, file = ACME) => ({
  version: 1,
  base_url: url,
  project: backend === 'git' ? 'acme' : null,
  file,
});

describe.each<Backend>(['file', 'git'])('with backend %s', (backend) => {
  it('the state records the service, the id and the path of the project file in its repository', () =>
    agency(backend, async ({ recorded, service }) => {
      expect(await recorded()).toEqual(owner(service.url, backend));
    }));

  it('a copied client folder does not pause the campaigns of the original', () =>
    agency(backend, async (scene) => {
      await copyTo('clients/beta', scene);
      for (const line of ['apply --yes', 'plan', 'list', 'forget 101 --yes', REBASE]) {
        const err = await refused('clients/beta', line, scene);
        expect(err).toContain('[state-of-other]');
        expect(err).toContain(`belongs to the project file ${ACME}, not to clients/beta/campaignctl.yaml`);
        expect(err).toContain(`${ACME} still exists, so give this project its own state`);
      }
      expect(await scene.recorded()).toEqual(owner(scene.service.url, backend));
      expect(await scene.inFolder('clients/acme', 'plan --detailed-exitcode')).toMatchObject({ code: 0 });
    }));

  it('a copy with the state that the message proposes is a project of its own', () =>
    agency(backend, async (scene) => {
      const { edit, inFolder, statuses } = scene;
      await copyTo('clients/beta', scene);
      const err = await refused('clients/beta', 'plan', scene);
      const [, line = ''] = /write (state: \{[^}]*\})/.exec(err) ?? [];
      const file = 'clients/beta/campaignctl.yaml';
      if (backend === 'file') await edit(file, 'environments:', `${line}\nenvironments:`);
      else await edit(file, STATES.git.trim(), line);
      expect(await inFolder('clients/beta', 'apply --yes')).toMatchObject({ code: 0 });
      expect(statuses()).toEqual({ Spring: 'active', Autumn: 'draft' });
      for (const folder of ['clients/acme', 'clients/beta'])
        expect(await inFolder(folder, 'plan --detailed-exitcode')).toMatchObject({ code: 0 });
    }));

  it('two project files in one folder do not share a state', () =>
    agency(backend, async (scene) => {
      await scene.write({
        'clients/acme/b.yaml': client(backend).replace('campaigns/*', 'other/*'),
        'clients/acme/other/autumn.yaml': 'name: Autumn\n',
      });
      const err = await refused('clients/acme', 'apply --yes --config b.yaml', scene);
      expect(err).toContain(`belongs to the project file ${ACME}, not to clients/acme/b.yaml`);
      expect(err).toContain('[state-of-other]');
    }));

  it('a project moved with git mv needs a rebase, which records the new path', () =>
    agency(backend, async (scene) => {
      const { git, inFolder, recorded, service } = scene;
      git('mv', 'clients/acme', 'clients/acme-uk');
      const moved = 'clients/acme-uk/campaignctl.yaml';
      const err = await refused('clients/acme-uk', 'apply --yes', scene);
      expect(err).toContain('If the project was moved, run campaignctl state rebase --env production.');
      expect(err).toContain('[state-of-other]');
      const asked = await inFolder('clients/acme-uk', 'state rebase --env production');
      expect(asked).toMatchObject({ code: 3, out: '' });
      expect(await recorded('clients/acme-uk')).toEqual(owner(service.url, backend));

      const rebased = await inFolder('clients/acme-uk', REBASE);
      expect(rebased).toMatchObject({
        code: 0,
        out: `The state of production now belongs to ${moved}, no longer to ${ACME}. Nothing was sent.\n`,
      });
      expect(await recorded('clients/acme-uk')).toEqual(owner(service.url, backend, moved));
      expect((await inFolder('clients/acme-uk', REBASE)).out).toContain('already belongs to');
      expect(await inFolder('clients/acme-uk', 'apply --yes')).toMatchObject({ code: 0 });
      expect(await inFolder('clients/acme-uk', 'plan --detailed-exitcode')).toMatchObject({ code: 0 });
    }));

  it('a project that was moved, and whose service was moved too, needs --from', () =>
    agency(backend, async (scene) => {
      const { edit, git, inFolder, recorded, service } = scene;
      git('mv', 'clients/acme', 'clients/acme-uk');
      const url = service.url.replace('127.0.0.1', 'localhost');
      await edit('clients/acme-uk/campaignctl.yaml', service.url, url);
      expect(await refused('clients/acme-uk', REBASE, scene)).toContain(
        `run campaignctl state rebase --env production --from ${service.url}`,
      );
      const rebased = await inFolder('clients/acme-uk', `${REBASE} --from ${service.url}`);
      const file = 'clients/acme-uk/campaignctl.yaml';
      expect(oneLine(rebased.out)).toContain(`${file} and ${url}, no longer to ${ACME} and ${service.url}`);
      expect(await recorded('clients/acme-uk')).toEqual(owner(url, backend, file));
    }));

  it('a project without its repository, as in an image, is compared by the name of its file', () =>
    agency(backend, async ({ folder, inFolder, recorded, service }) => {
      await rename(join(folder, '.git'), join(folder, 'away.git'));
      expect(await inFolder('clients/acme', 'apply --yes')).toMatchObject({ code: 0 });
      expect(await inFolder('clients/acme', REBASE)).toMatchObject({ code: 0 });
      await rename(join(folder, 'away.git'), join(folder, '.git'));
      expect(await recorded()).toEqual(owner(service.url, backend));
      expect(await inFolder('clients/acme', 'plan --detailed-exitcode')).toMatchObject({ code: 0 });
    }));

  it('a folder reached through a link is the same project', () =>
    agency(backend, async ({ folder, inFolder }) => {
      await symlink('clients/acme', join(folder, 'link'));
      expect(await inFolder('link', 'plan --detailed-exitcode')).toMatchObject({ code: 0 });
    }));
});

it('a sandbox is copied and moved with its project', () =>
  agency('file', async ({ folder, inFolder, write }) => {
    await write({
      'clients/try/campaignctl.yaml': `version: 1\nmanifests: [campaigns/*.yaml]\n${STATES.git}environments: { sandbox: { sandbox: {} } }\n`,
      'clients/try/campaigns/spring.yaml': 'name: Spring\n',
    });
    expect(await inFolder('clients/try', 'apply --yes')).toMatchObject({ code: 0 });
    await cp(join(folder, 'clients/try'), join(folder, 'copy'), { recursive: true });
    await rename(join(folder, 'clients/try'), join(folder, 'moved'));
    for (const path of ['copy', 'moved'])
      expect(await inFolder(path, 'plan --detailed-exitcode')).toMatchObject({ code: 0 });
    const text = 'version: 1\nmanifests: [other/*.yaml]\nenvironments: { sandbox: { sandbox: {} } }\n';
    await write({ 'copy/b.yaml': text });
    const { code, err } = await inFolder('copy', 'plan --config b.yaml');
    expect(code).toBe(1);
    expect(oneLine(err)).toContain('give the environment a different name in b.yaml');
  }));

it('a copied state folder that is moved to a branch still belongs to the original', () =>
  agency('file', async (scene) => {
    const { edit, inFolder } = scene;
    await copyTo('clients/beta', scene);
    const file = 'clients/beta/campaignctl.yaml';
    await edit(file, 'environments:', 'state: { backend: git, branch: campaignctl/beta }\nenvironments:');
    expect(await inFolder('clients/beta', 'state migrate')).toMatchObject({ code: 0 });
    expect(scene.recordedOn('campaignctl/beta')).toEqual(owner(scene.service.url, 'file'));
    expect(await refused('clients/beta', 'apply --yes', scene)).toContain('[state-of-other]');
  }));

it('a state folder that was moved is migrated, then rebased', () =>
  agency('file', async (scene) => {
    const { edit, git, inFolder } = scene;
    git('mv', 'clients/acme', 'clients/acme-uk');
    const file = 'clients/acme-uk/campaignctl.yaml';
    await edit(file, 'environments:', `${STATES.git}environments:`);
    expect(await refused('clients/acme-uk', 'plan', scene)).toContain('[state-to-migrate]');
    for (const line of ['state migrate', REBASE])
      expect(await inFolder('clients/acme-uk', line)).toMatchObject({ code: 0 });
    expect(scene.recordedOn('campaignctl/acme')).toEqual(owner(scene.service.url, 'git', file));
    expect(await inFolder('clients/acme-uk', 'plan --detailed-exitcode')).toMatchObject({ code: 0 });
  }));

describe('one id in two projects of a run', () => {
  const copied = (use: (scene: Agency) => Promise<void>) =>
    agency('git', async (scene) => {
      await copyTo('clients/beta', scene);
      // The branch alone is not enough.
      await scene.edit('clients/beta/campaignctl.yaml', 'campaignctl/acme', 'campaignctl/beta');
      await use(scene);
    });

  it.each([
    ['apply --recursive --yes'],
    ['plan --recursive'],
    ['validate --recursive'],
    ['list --recursive'],
  ])('%s is an error that names both files and the fix, before anything is sent', (line) =>
    copied(async (scene) => {
      scene.sent();
      const { code, out, err } = await scene.inFolder('clients', line);
      expect({ code, sent: scene.sent() }).toEqual({ code: 1, sent: [] });
      const text = oneLine(out + err);
      expect(text).toContain('acme/campaignctl.yaml, beta/campaignctl.yaml have the same state.id, acme.');
      expect(text).toContain(
        'If the copy is beta/campaignctl.yaml, write there: state: { backend: git, branch: campaignctl/clients/beta }, without an id.',
      );
      expect(text).toContain('[duplicate-state-id]');
    }),
  );

  it('does not stop a pause', () =>
    copied(async ({ inFolder, statuses }) => {
      await inFolder('clients', 'pause --all --recursive --yes');
      expect(statuses()).toEqual({ Spring: 'paused' });
    }));

  it('is no error for two environments of one project', () =>
    agency('git', async ({ inFolder, edit }) => {
      const more = '  staging: { base_url: "http://localhost:1", token_env: OTHER }\n';
      await edit(ACME, '    allow: [launch]\n', `    allow: [launch]\n${more}`);
      expect(await inFolder('clients', 'validate --recursive')).toMatchObject({ code: 0 });
    }));
});
