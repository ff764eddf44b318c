import { EXIT, errorMessage, Failure } from '../model/failure.js';
import type { BranchHead } from './files.js';
import type { Held } from './lock.js';

/** For `catch`, before anything was sent. */
export function nothingSent(error: unknown): never {
  if (!(error instanceof Failure)) throw error;
  const { code, message, hint } = error;
  if (message.endsWith('Nothing was sent.')) throw error;
  throw new Failure({ code, message: `${message} Nothing was sent.`, hint }, { cause: error });
}

export function notKept(cause: unknown): Failure {
  return new Failure(
    {
      code: 'state-not-kept',
      message: `The results of this run are not on the state branch: ${errorMessage(cause)}`,
      hint: 'Run apply again when the remote can be reached: it reads from the service what was sent.',
    },
    { cause, exitCode: EXIT.incomplete },
  );
}

export function edited(commit: string): Failure {
  return new Failure({
    code: 'state-edited',
    message: `The state branch was edited: commit ${commit.slice(0, 12)} was not made by campaignctl. Nothing was sent.`,
    hint: 'Reset the branch to the last commit that campaignctl made. To remove a campaign from the state, use campaignctl forget.',
  });
}

/** `id`: this project's id; `null` if its file has none. */
export function otherProject(
  { project, environment }: Pick<BranchHead, 'project' | 'environment'>,
  { id, name }: { id: string | null; name: string },
): Failure {
  const isSame = project === id && environment !== name;
  const whose = isSame ? `the environment ${environment}` : `the project with id ${project}`;
  const thisProject = id === null ? 'the project file has no state.id' : `this project has id ${id}`;
  const same =
    id === null
      ? `If this is that project, write state: { id: ${project} } in the project file. `
      : 'If both are the same project, correct state.id in the project file. ';
  return new Failure({
    code: 'state-of-other',
    message: `The state branch belongs to ${whose}, but ${isSame ? `this is ${name}` : thisProject}. Nothing was sent.`,
    hint: `${isSame ? '' : same}Otherwise, give this project its own branch: state: { branch: campaignctl/NAME }.`,
  });
}

export function unmigrated(folder: string): Failure {
  return new Failure({
    code: 'state-to-migrate',
    message: `The project file keeps the state on a branch, but this machine has a state in ${folder}. Nothing was sent.`,
    hint: 'Run campaignctl state migrate to move it to the branch.',
  });
}

export function atWork({ holder: { who, host, pid } }: Held): Failure {
  return new Failure(
    {
      code: 'locked',
      message: `${who}, process ${pid} on ${host}, has renewed its lease on the state: it is still running, so the lease was not removed.`,
      hint: 'Wait for it, or stop it first.',
    },
    { exitCode: EXIT.refused },
  );
}

export function differing(folder: string, path: string): Failure {
  return new Failure({
    code: 'state-conflict',
    message: `The branch and the folder ${folder} hold different versions of ${path}.`,
    hint: 'Two machines hold different facts about the same campaign. Copy the files of the branch into the folder, and keep every attached list and id from both sides. Then give the state a new branch with state: { branch: campaignctl/NAME }, and run campaignctl state migrate again. Nothing was changed.',
  });
}
