import { EXIT, Failure, messageOf } from '../model/failure.js';
import type { BranchHead, BranchRecord } from './files.generated.js';
import type { Held } from './lock.js';

/** What may be wrong with the branch that keeps the state, or with the lease on it. */

/**
 * Thrown before a write leaves: what it would have sent is not sent. `lease`: how long it holds, in seconds; `push`: how long the slowest
 * push took, in milliseconds.
 */
export function leaseLost({ lease, push }: { lease: number; push: number }): Failure {
  const seconds = Math.ceil(push / 1000);
  // Renewed at a third of its length, it has to reach the remote before two thirds are over.
  const slow =
    push < (1000 * lease) / 3
      ? ''
      : ` A push took ${seconds} s, which is too slow for state.lease: ${lease}. Set it to ${Math.min(3600, 6 * seconds)} or more.`;
  return new Failure(
    {
      code: 'lease-lost',
      message: `This run could not renew its lease on the state in time, so another machine may have taken over. It sends nothing more.${slow}`,
      hint: 'Run apply again: it reads what was sent before it sends anything.',
    },
    { exitCode: EXIT.incomplete },
  );
}

/** For `catch`, where nothing is begun yet. */
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

/** For a branch that an earlier version has written. */
export function older(commit: string): Failure {
  return new Failure({
    code: 'state-format',
    message: `The branch that keeps the state has an older format, which this version of campaignctl does not read: commit ${commit.slice(0, 12)}. Nothing was sent.`,
    hint: 'Let every apply end. Then clone the branch into the folder of the state, name another state.branch in the project file, and run campaignctl state migrate --to git. docs/team.md, "Moving a state", has the commands.',
  });
}

export function others({ project, environment }: BranchHead): Failure {
  return new Failure({
    code: 'state-of-other',
    message: `The branch keeps the state of the environment ${environment} of the project in "${project || '.'}", which is another one. Nothing was sent.`,
    hint: 'Give each project its own state.branch in the project file.',
  });
}

export function rewound({ commit, serial }: BranchRecord): Failure {
  return new Failure({
    code: 'state-rewound',
    message: `The branch that keeps the state went back, or its history was rewritten: it does not hold change ${serial}, which this machine has seen. Nothing was sent.`,
    hint: `Put the branch back to commit ${commit.slice(0, 12)}. If going back is meant, delete the mirror on this machine (state.path); what was attached since is then not known.`,
  });
}

export function gone(record: BranchRecord): Failure {
  return new Failure({
    code: 'state-gone',
    message: `The branch that keeps the state is gone; this machine has seen it at change ${record.serial}. Nothing was sent.`,
    hint: `Push it again from commit ${record.commit.slice(0, 12)}. If a fresh start is meant, delete the mirror on this machine (state.path); what is attached is then not known.`,
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
    hint: 'Write state: { backend: file } in the project file, and keep that folder where the next run finds it. To move it to the branch again, run campaignctl state migrate --to git where that folder is.',
  });
}

/** For a folder that is not the one to which the state was moved. */
export function movedElsewhere(by: string): Failure {
  return new Failure({
    code: 'state-moved',
    message: `${by} moved this state to a folder, and that is not the folder here: it is on another machine or in another clone. Nothing was moved.`,
    hint: 'Run campaignctl state migrate --to git there, with backend: git in the project file. If that folder is lost, docs/team.md says how to go on with what the branch has.',
  });
}

/** A folder that is a mirror is behind what other machines have done. */
export function isMirror(folder: string): Failure {
  return new Failure({
    code: 'state-to-migrate',
    message: `The project file keeps the state in a folder, but ${folder} is a copy of the branch that machines share. Nothing was sent.`,
    hint: 'Write state: { backend: git } again, run campaignctl state migrate --to file, then change the project file.',
  });
}

/** For a copy of the folder to which the state was moved. */
export function movedToOriginal(by: string, folder: string): Failure {
  return new Failure({
    code: 'state-moved',
    message: `${by} moved this state to a folder of another clone or machine, and ${folder} is a copy of that folder. What was applied there since is not in it. Nothing was moved.`,
    hint: 'Run campaignctl state migrate --to git there. If that folder no longer exists, or is this one after a move or under another machine name, name another state.branch in the project file and run this again.',
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

export function movedMeanwhile(): Failure {
  return new Failure({
    code: 'locked',
    message: 'In the meantime, another machine wrote to the branch that keeps the state. Nothing was moved.',
    hint: 'Run campaignctl state migrate again.',
  });
}
