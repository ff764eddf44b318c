import { EXIT, Failure, messageOf } from '../model/failure.js';
import type { BranchHead } from './files.generated.js';
import { type Held, leaseLost as lockLost } from './lock.js';

/** Failures of the state's branch and its lease. */

/** `push`: the slowest one, in milliseconds. `lease` in seconds. */
export function leaseLost({ lease, push }: { lease: number; push: number }): Failure {
  const seconds = Math.ceil(push / 1000);
  // It is renewed at a third of its length and must arrive before two thirds.
  const isSlow = push >= (1000 * lease) / 3;
  return lockLost(
    isSlow
      ? ` A push took ${seconds} s, which is too slow for state.lease: ${lease}. Set it to ${Math.min(3600, 6 * seconds)} or more.`
      : '',
  );
}

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
      message: `What this run did is not on the branch that keeps the state: ${messageOf(cause)}`,
      hint: 'Run apply again as soon as the remote can be reached: it reads in the service what was sent.',
    },
    { cause, exitCode: EXIT.incomplete },
  );
}

export function edited(commit: string): Failure {
  return new Failure({
    code: 'state-edited',
    message: `The branch that keeps the state was written to by hand: commit ${commit.slice(0, 12)} was not made by campaignctl. Nothing was sent.`,
    hint: 'Put the branch back to the last commit of campaignctl. To take a campaign out of the state, use campaignctl forget.',
  });
}

/** `id`: of this project; `null` if its file names none. */
export function otherProject(
  { project, environment }: Pick<BranchHead, 'project' | 'environment'>,
  { id, name }: { id: string | null; name: string },
): Failure {
  const isSame = project === id && environment !== name;
  const whose = isSame ? `the environment ${environment}` : `the project with the id ${project}`;
  const own = id === null ? 'the project file names no id' : `this project has the id ${id}`;
  const same =
    id === null
      ? `If this is that project, write state: { id: ${project} } in the project file. `
      : 'If both are one project, correct state.id in the project file. ';
  return new Failure({
    code: 'state-of-other',
    message: `The branch that keeps the state belongs to ${whose}, and ${isSame ? `this is ${name}` : own}. Nothing was sent.`,
    hint: `${isSame ? '' : same}If it is another one, give it a branch of its own: state: { branch: campaignctl/NAME }.`,
  });
}

export function unmigrated(folder: string): Failure {
  return new Failure({
    code: 'state-to-migrate',
    message: `The project file keeps the state on a branch, but ${folder} holds a state of this machine. Nothing was sent.`,
    hint: 'Move it to the branch with campaignctl state migrate --to git.',
  });
}

export function atWork({ holder: { who, host, pid } }: Held): Failure {
  return new Failure(
    {
      code: 'locked',
      message: `${who}, process ${pid} on ${host}, has renewed its lease on the state in the meantime: it is still running, so it keeps the lease.`,
      hint: 'Wait for it, or stop it first.',
    },
    { exitCode: EXIT.refused },
  );
}

export function movedAway(by: string, environment: string): Failure {
  return new Failure({
    code: 'state-moved',
    message: `The state of ${environment} is no longer on the branch: ${by} moved it to a folder. Nothing was sent.`,
    hint: 'Write state: { backend: file } in the project file, and keep that folder where the next run finds it. To move it to the branch again, run campaignctl state migrate --to git where that folder is. If it is lost, docs/team.md says how to go on with what the branch has.',
  });
}

export function pendingRuns(runs: readonly string[]): Failure {
  return new Failure({
    code: 'pending-operations',
    message: `An earlier run (${runs.join(', ')}) did not find out what became of requests that it sent, so its state stays where it is.`,
    hint: 'Run campaignctl apply first, with the project file as it was then. Nothing was changed.',
  });
}

export function differing(folder: string, path: string): Failure {
  return new Failure({
    code: 'state-conflict',
    message: `The branch keeps another ${path} than the folder ${folder}.`,
    hint: 'Two machines hold different facts about the same campaign. In another clone, move the state of the branch to a folder (state migrate --to file), merge both files there so that every attached list of either side stays, and move that folder to the branch. Nothing was changed.',
  });
}
