import { EXIT, errorMessage, Failure } from '../model/failure.js';
import { maskAddresses } from '../model/mask.js';
import type { Held } from './lock.js';

export const FULL =
  /^(?!remote:).*(no space left|out of disk ?space|disk quota exceeded|couldn't write '|unable to write )/im;
const NO_REASON = 'git gave no reason';
export const DENIED =
  /returned error: 40[13]\b|authentication failed|could not read (?:username|password)|permission [^\n]*denied|access denied|not allowed to/i;

/** The reason that git gives, masked; `null` if it gives none. */
export function reasonIn(err: string): string | null {
  const lines = maskAddresses(err)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('error: failed to push some refs'));
  const reasons = lines.filter((line) => /^(fatal|error|remote|ssh|no answer)\b/i.test(line));
  const said = (reasons.length > 0 ? reasons : lines)
    .slice(0, 3)
    .map((line) => line.replace(/^(?:fatal|error): /i, '').replace(/\.$/, ''));
  return said.join('; ').slice(0, 500) || null;
}

export function noGit(cause: Error): Failure {
  return new Failure({
    code: 'git-missing',
    message: `campaignctl cannot run git, which this project needs for its state: ${cause.message}.`,
    hint: 'Install git 2.30 or newer, or keep the state in a folder with state: { backend: file }.',
  });
}

export function unreachable(remote: string, err: string, goal: string): Failure {
  return new Failure({
    code: 'state-unreachable',
    message: `campaignctl cannot ${goal} the git remote ${maskAddresses(remote)}: ${reasonIn(err) ?? NO_REASON}.`,
    hint: 'state.remote in the project file names the remote. Check that this machine can read from the remote (git ls-remote) and push to it.',
  });
}

export function refusedPush(
  { remote, branch }: { remote: string; branch: string },
  answer: string,
  err: string,
): Failure {
  const [, rejection = ''] = /^!.*\[(?:remote )?rejected\] \((.*)\)$/m.exec(answer) ?? [];
  const reasons = [maskAddresses(rejection), reasonIn(err)].filter(Boolean).join('; ') || NO_REASON;
  return new Failure({
    code: 'state-refused',
    message: `The git remote ${maskAddresses(remote)} refuses pushes to the state branch ${branch}: ${reasons}.`,
    hint: 'Allow this machine to push to that branch, without force: every push is a fast-forward.',
  });
}

export function broken(err: string): Failure {
  return new Failure({
    code: 'state-unusable',
    message: `git failed on this machine: ${reasonIn(err) ?? NO_REASON}.`,
    hint: FULL.test(err)
      ? 'Free up disk space on this machine, then run the command again.'
      : 'Check that git 2.30 or newer is installed and can write to the temporary folder.',
  });
}

/** For `catch`, if nothing has been sent. */
export function nothingSent(error: unknown): never {
  if (!(error instanceof Failure)) throw error;
  const { code, message, hint } = error;
  if (message.endsWith('Nothing was sent.')) throw error;
  throw new Failure({ code, message: `${message} Nothing was sent.`, hint });
}

export function notKept(cause: unknown): Failure {
  return new Failure(
    {
      code: 'state-not-kept',
      message: `The results of this run are not on the state branch: ${errorMessage(cause)}`,
      hint: 'Run apply again when the remote can be reached: apply finds out from the service what was sent.',
    },
    { exitCode: EXIT.incomplete },
  );
}

export function edited(commit: string): Failure {
  return new Failure({
    code: 'state-edited',
    message: `The state branch was edited: campaignctl did not make commit ${commit.slice(0, 12)}. Nothing was sent.`,
    hint: 'Reset the branch to the last commit that campaignctl made. To remove a campaign from the state, use campaignctl forget.',
  });
}

export function otherEnvironment(recorded: string, environment: string): Failure {
  return new Failure({
    code: 'state-of-other',
    message: `The state branch belongs to the environment ${recorded}, but this is ${environment}. Nothing was sent.`,
    hint: 'Give this environment its own branch: state: { branch: campaignctl/NAME }.',
  });
}

export function unmigrated(folder: string): Failure {
  return new Failure({
    code: 'state-to-migrate',
    message: `According to the project file, the state is kept on a branch, but this machine has a state in the folder ${folder}. Nothing was sent.`,
    hint: 'Run campaignctl state migrate to move it to the branch.',
  });
}

export function atWork({ holder: { who, host, pid } }: Held): Failure {
  return new Failure(
    {
      code: 'locked',
      message: `${who}, process ${pid} on ${host}, has renewed its lease on the state, so it is still running. campaignctl did not remove the lease.`,
      hint: 'Wait for it to end, or stop it first.',
    },
    { exitCode: EXIT.refused },
  );
}

export function differing(folder: string, path: string): Failure {
  return new Failure({
    code: 'state-conflict',
    message: `The branch and the folder ${folder} contain different versions of ${path}: two machines have recorded different facts about one campaign. Nothing was changed.`,
    hint: 'Copy the files from the branch into the folder, and keep every attached list and id from both sides. Then give the state a new branch with state: { branch: campaignctl/NAME }, and run campaignctl state migrate again.',
  });
}
