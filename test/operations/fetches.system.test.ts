/** How often commands ask the remote of a state branch, as docs/team.md says. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { projectFile, withProject } from '../support/project.js';
import { replaceGit } from '../support/repository.js';
import { keepOnBranch } from '../support/state.js';

/** Two environments whose states are on branches, and the second of which follows the first. */
const FILES = {
  'campaignctl.yaml': `${projectFile('    require_applied: staging\n')}  staging:
    base_url: "{url}"
    token_env: CAMPAIGNS_TOKEN
state: { backend: git, id: c5f1c20a9be3 }
`,
  'campaigns/spring.yaml': 'name: Spring\nstatus: paused\nenvironments: { staging: { name: Spring test } }\n',
};

it.each([
  ['plan --env production', 2],
  ['plan --env staging', 1],
  ['list --env production', 1],
  ['history --env production', 1],
])('%s fetches as often as %i', (line, times) =>
  withProject({ files: FILES }, async ({ folder, run, exits, edit }) => {
    keepOnBranch(folder);
    await exits(0, 'apply --env staging --yes');
    await exits(0, 'apply --env production --yes');
    const fetches = join(folder, '.git/fetches');
    replaceGit(join(folder, '.git/programs'), `case "$*" in *fetch*) echo fetch >> '${fetches}';; esac`);
    await edit('campaigns/spring.yaml', 'status: paused', 'settings: { max_emails_per_day: 20 }');
    await run(line);
    expect((await readFile(fetches, 'utf8')).trim().split('\n')).toHaveLength(times);
  }),
);
