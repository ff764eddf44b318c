import { Failure } from '../model/failure.js';

/** Failures of git and the remote, without credentials. */

/** A full disk of this machine, as git reports it. */
export const FULL =
  /^(?!remote:).*(no space left|out of disk ?space|disk quota exceeded|couldn't write '|unable to write )/im;
const NO_REASON = 'git gave no reason';
/** Refused permission, as hosts report it by HTTP and SSH. */
export const DENIED =
  /returned error: 40[13]\b|authentication failed|could not read (?:username|password)|permission [^\n]*denied|access denied|not allowed to/i;

/** Removes user, password, query and fragment of addresses. */
function masked(text: string): string {
  return text.replace(/[^\s'"]+/g, (word) => {
    const from = word.lastIndexOf('@') + 1;
    const [scheme = ''] = /\w{1,20}:\/\//.exec(word) ?? [];
    const address = from === 0 ? word : `${scheme}${word.slice(from)}`;
    return scheme === '' ? address : address.replace(/[?#].*$/, '');
  });
}

/** git's reason, masked. */
function saidBy(err: string): string {
  const lines = masked(err)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('error: failed to push some refs'));
  const reasons = lines.filter((line) => /^(fatal|error|remote|ssh|no answer)\b/i.test(line));
  const said = (reasons.length > 0 ? reasons : lines).slice(0, 3).join(' ').slice(0, 500);
  return said.replace(/\.$/, '') || NO_REASON;
}

export function noGit(cause: Error): Failure {
  return new Failure(
    {
      code: 'git-missing',
      message: `campaignctl cannot run git, which keeps the state of this project: ${cause.message}.`,
      hint: 'Install git 2.30 or newer, or keep the state in a folder: state: { backend: file }.',
    },
    { cause },
  );
}

export function unreachable(remote: string, err: string): Failure {
  return new Failure({
    code: 'state-unreachable',
    message: `campaignctl cannot read the state from the git remote ${saidBy(remote)}: ${saidBy(err)}.`,
    hint: 'Check the remote with git ls-remote, and that this machine may read it. state.remote in the project file names it.',
  });
}

export function unanswered(remote: string, err: string): Failure {
  return new Failure({
    code: 'state-unreachable',
    message: `The git remote ${saidBy(remote)} does not answer a push of the state: ${saidBy(err)}.`,
    hint: 'Check the remote with git ls-remote, and that this machine may push to it.',
  });
}

export function refusedPush(remote: string, branch: string, told: string, err: string): Failure {
  const [, answer = null] = /^!.*\[(?:remote )?rejected\] \((.*)\)$/m.exec(told) ?? [];
  const reasons = [
    answer && masked(answer),
    answer !== null && saidBy(err) === NO_REASON ? null : saidBy(err),
  ];
  return new Failure({
    code: 'state-refused',
    message: `The git remote ${saidBy(remote)} refuses pushes to the branch ${branch}, which keeps the state: ${reasons.filter((reason) => reason !== null).join('; ')}.`,
    hint: 'Allow this machine to push to that branch. It needs no force: every push is a plain fast-forward.',
  });
}

export function broken(err: string): Failure {
  return new Failure({
    code: 'state-unusable',
    message: `git failed on this machine: ${saidBy(err)}.`,
    hint: FULL.test(err)
      ? 'Make room on the disk of this machine, and run again.'
      : 'Check that git 2.30 or newer is installed and may write to the folder for temporary files.',
  });
}
