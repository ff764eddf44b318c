/** Projects that are no longer in the checkout, but whose campaigns may still send. */
import { posix } from 'node:path';
import type { Problem } from '../model/outputs.js';
import type { LostProject, LostProjects } from '../model/reports.js';
import { shellWord } from '../model/shell.js';
import { count, listed, shortCommit } from '../model/words.js';
import { type Block, paragraph } from './document.js';
import { projectFlags, projectName } from './projects.js';

/** `null` if no project keeps its state where this can be seen. */
export type Lost = LostProjects | null;

type LostName = (project: LostProject) => string;

export function lostProblems(lost: Lost, nameOf: LostName = projectName): Problem[] {
  return (lost?.projects ?? []).map((project) => ({
    code: 'lost-project',
    severity: 'warning',
    // Without a commit that removed it, the checkout may be older than the project.
    message: `${nameOf(project)}: no project file ${project.removed_in === null ? 'in this checkout' : 'any more'}; ${sending(project)}.`,
    hint: wayBack(project),
  }));
}

export function unreadLost(lost: Lost): Block[] {
  const lines = (lost?.unread ?? []).map(
    (reason) => `It is not known whether projects without a project file still send. ${reason}`,
  );
  return paragraph(lines);
}

function sending({ campaigns, branch }: LostProject): string {
  if (campaigns === null)
    return `its state on the branch ${branch} is damaged, so its campaigns may still send`;
  const names = listed(campaigns.map(({ name }) => JSON.stringify(name)));
  const isSure = campaigns.every(({ running }) => running);
  const last = isSure ? 'its state last knew as running' : 'its state does not know as stopped';
  return `${count(campaigns.length, 'campaign')} that ${last} may still send: ${names}`;
}

function wayBack(lost: LostProject): string {
  const { project, removed_in, file } = lost;
  const folder = shellWord(project);
  const path = shellWord(posix.join(project, posix.basename(file)));
  const stop = `stop its campaigns with campaignctl pause --all ${projectFlags(lost)}`;
  if (removed_in !== null)
    return `Commit ${shortCommit(removed_in)} removed it. Restore it with git checkout ${shortCommit(removed_in)}^ -- ${folder}, then ${stop}. If it was moved, run campaignctl state rebase in its new folder.`;
  return `If this checkout is older than the project, run git pull. If its folder was deleted without a commit, restore it with git checkout HEAD -- ${folder}, then ${stop}. If the project was moved, run campaignctl state rebase in its new folder. Otherwise, find the commit that removed it with git log --diff-filter=D -- ${path}, restore it with git checkout COMMIT^ -- ${folder}, and stop its campaigns in the same way.`;
}
