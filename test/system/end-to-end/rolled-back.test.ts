import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { type Project, withProject } from '../../support/project.js';
import { TOKEN } from '../../support/service/service.js';

const manifest = (lists: number[]) => ({
  'campaigns/spring.yaml': `name: Spring\nleads: { lists: [${lists}] }\n`,
});
const APPLY = 'apply --yes --env production';

/** A repository whose project keeps its state in a folder. */
function withRepository(
  variables: Record<string, string>,
  use: (project: Project, git: (...args: string[]) => void) => Promise<void>,
): Promise<void> {
  const options = {
    variables: { CAMPAIGNS_TOKEN: TOKEN, ...variables },
    environment: '  sandbox: { sandbox: {} }\n',
    files: manifest([1]),
  };
  return withProject(options, (project) => {
    const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
    const git = (...args: string[]) =>
      void execFileSync('git', [...identity, ...args], { cwd: project.folder });
    git('init', '-q');
    git('add', '-A');
    git('commit', '-qm', 'Campaigns');
    return use(project, git);
  });
}

test('git stash does not make a list be attached again', () =>
  withRepository({}, async ({ exits, live, write }, git) => {
    await exits(0, APPLY);
    git('add', '-A');
    git('commit', '-qm', 'State');
    await write(manifest([1, 2]));
    expect((await exits(3, APPLY)).err).toContain('unkept-state');
    expect(live('Spring').lists).toEqual([1]);
    await exits(0, `${APPLY} --allow unkept-state`);
    git('add', 'campaigns');
    git('commit', '-qm', 'Another list');
    git('stash', '-q');
    expect((await exits(0, 'plan --env production --detailed-exitcode')).out).toContain('No changes');
    await exits(0, `${APPLY} --allow unkept-state`);
    expect(live('Spring').lists).toEqual([1, 2]);
  }));

test('a job whose checkout is thrown away keeps its state only with approval', () =>
  withRepository({ CI: 'true' }, async ({ exits, sent }) => {
    expect((await exits(3, APPLY)).err).toContain('backend: git');
    expect(sent()).toEqual([]);
    await exits(0, `${APPLY} --allow unkept-state`);
    await exits(0, 'apply --yes --env sandbox');
  }));
