import { execFileSync } from 'node:child_process';
import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Project, projectFile, withProject, withService } from '../../support/project.js';
import type { TestService } from '../../support/service/service.js';
import { draft } from '../../support/service/store.js';
import { oneLine } from '../../support/texts.js';

const NAME = 'Spring installers';
const ID = 101;
const STATE = '.campaignctl/state/production';

/** A project file whose environment has this address and these further lines. */
const locatedAt = (url: string, more = '') => ({
  'campaignctl.yaml': `${projectFile().replace('{url}', url)}${more}`,
});

/**
 * A campaign with list 77 was applied at the old address. The environment now has the address of the project's service,
 * which has a campaign with the same id and name. `more`: lines of the project file.
 */
function withMoved(
  use: (project: Project & { old: TestService }) => Promise<void>,
  more = '',
): Promise<void> {
  const campaigns = () => [draft(ID, NAME)];
  return withService({ campaigns: campaigns() }, (old) =>
    withProject({ campaigns: campaigns() }, async (project) => {
      const { exits, folder, service, write } = project;
      const git = ['init -q', 'init -q --bare remote.git', 'remote add origin ./remote.git'];
      if (more !== '') for (const line of git) execFileSync('git', line.split(' '), { cwd: folder });
      await write(locatedAt(old.url, more));
      await write({ 'campaigns/spring.yaml': `name: ${NAME}\nleads: { lists: [77] }\n` });
      await exits(0, 'apply --yes --allow repeat-attach');
      await write(locatedAt(service.url, more));
      await use({ ...project, old });
    }),
  );
}

it.each([
  ['plan'],
  ['plan --drift'],
  ['plan --refresh changed'],
  ['plan --target', NAME],
  ['plan campaigns/spring.yaml'],
  ['apply --yes'],
  ['apply --dry-run'],
  ['list'],
  ['import --all'],
  ['import --update --all'],
  ['forget --yes', NAME],
])('%s %s of the state of another address is an error, and sends no request', (line, ...more) =>
  withMoved(async ({ exits, old, service }) => {
    const err = oneLine((await exits(1, line, ...more)).err);
    expect(err).toContain('[state-of-other-service]');
    for (const part of [service.url, `state rebase --env production --from ${old.url}`])
      expect(err).toContain(part);
    expect(service.requests).toEqual([]);
  }),
);

it.each([
  ['file', ''],
  ['git', 'state: { backend: git, id: acme }\n'],
])(
  'with backend %s, a rebased state belongs to the new address, and no list is attached again',
  (backend, more) =>
    withMoved(async ({ exits, folder, old, read, run, sent, service, write }) => {
      await exits(1, 'plan');
      const entry = async () =>
        backend === 'file'
          ? read(`${STATE}/${ID}.json`)
          : execFileSync('git', ['-C', 'remote.git', 'show', `campaignctl/production:${ID}.json`], {
              cwd: folder,
              encoding: 'utf8',
            });
      const before = await entry();
      const rebase = `state rebase --from ${old.url} --yes`;
      expect((await exits(0, rebase)).out).toMatch(
        new RegExp(` ${service.url}, .* ${old.url}\\. Nothing was sent`),
      );
      expect(await entry()).toBe(before);
      expect(service.requests).toEqual([]);
      expect((await run('plan')).out).toContain('No changes');
      await exits(0, 'apply --yes');
      expect(sent()).toEqual([]);
      expect((await run(rebase)).out).toContain('already');
      await write(locatedAt(old.url, more));
      expect((await run('plan')).err).toContain('state-of-other-service');
    }, more),
);

it('a run that died at the old address is reconciled at the new one', () =>
  withMoved(async ({ exits, folder, old, read, sent, write }) => {
    const journals = join(folder, STATE, 'journal');
    const [file = ''] = await readdir(journals);
    const lines = (await read(`${STATE}/journal/${file}`)).trimEnd().split('\n');
    const unfinished = lines.filter((line) => !/"type":"(reconciled|outcome|end)"/.test(line.slice(0, 30)));
    await write({ [`${STATE}/journal/${file}`]: `${unfinished.join('\n')}\n` });
    await rm(join(folder, STATE, `${ID}.json`));
    await rename(join(journals, file), join(journals, file.replace('.jsonl', '.open.jsonl')));
    await exits(0, `state rebase --from ${old.url} --yes`);
    expect((await exits(3, 'apply --yes')).err).toContain('[repeat-attach]');
    expect(sent()).toEqual([]);
  }));

it('a state is rebased only from the address that it records, and with a confirmation', () =>
  withMoved(async ({ exits, old, read, run, service, write }) => {
    const recorded = () => read(`${STATE}/state.json`);
    const before = await recorded();
    await exits(3, `state rebase --from ${old.url}`);
    const other = await exits(1, 'state rebase --from https://other.example.com --yes');
    expect(oneLine(other.err)).toContain(`${old.url}, not to https://other.example.com (--from)`);
    await exits(1, 'state rebase --yes');
    await exits(1, 'state rebase --yes --from', '');
    expect(await recorded()).toBe(before);
    // A different spelling of the same address.
    await write(locatedAt(`${service.url}/`));
    await exits(0, `state rebase --from ${old.url}/ --yes`);
    expect(JSON.parse(await recorded())).toMatchObject({ base_url: service.url });
    await write(locatedAt(service.url));
    expect((await run('plan')).out).toContain('No changes');
  }));

it('a sandbox and a service never share a state', () =>
  withMoved(async ({ exits, old, write }) => {
    await write({
      'campaignctl.yaml':
        'version: 1\nmanifests: [campaigns/*.yaml]\nenvironments:\n  production: { sandbox: {} }\n',
    });
    const { err } = await exits(1, 'plan');
    expect(oneLine(err)).toMatch(new RegExp(`${old.url}, .* sandbox\\..*\\[state-of-other-service\\]`));
    expect(err).not.toContain('state rebase');
    await exits(1, `state rebase --from ${old.url} --yes`);
  }));

it('a promotion from an environment whose state has a different address is refused', () =>
  withMoved(async ({ exits, old, service, write }) => {
    await write(locatedAt(service.url, `  other: { base_url: "${old.url}", token_env: CAMPAIGNS_TOKEN }\n`));
    const { err } = await exits(1, 'apply --env other --yes --require-applied production');
    expect(err).toContain('[state-of-other-service]');
    expect(old.writes()).toHaveLength(1);
  }));
