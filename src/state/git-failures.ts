import { Failure } from '../model/failure.js';

export const FULL =
  /^(?!remote:).*(no space left|out of disk ?space|disk quota exceeded|couldn't write '|unable to write )/im;
const NO_REASON = 'git gave no reason';
export const DENIED =
  /returned error: 40[13]\b|authentication failed|could not read (?:username|password)|permission [^\n]*denied|access denied|not allowed to/i;

function masked(text: string): string {
  return text.replace(/[^\s'"]+/g, (word) => {
    const from = word.lastIndexOf('@') + 1;
    const [scheme = ''] = /\w{1,20}:\/\//.exec(word) ?? [];
    const address = from === 0 ? word : `${scheme}${word.slice(from)}`;
    return scheme === '' ? address : address.replace(/[?#].*$/, '');
  });
}

/** git's reason, masked; `null` if there is none. */
function reasonIn(err: string): string | null {
  const lines = masked(err)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('error: failed to push some refs'));
  const reasons = lines.filter((line) => /^(fatal|error|remote|ssh|no answer)\b/i.test(line));
  const text = (reasons.length > 0 ? reasons : lines).slice(0, 3).join(' ').slice(0, 500);
  return text.replace(/\.$/, '') || null;
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

export function unreachable(remote: string, err: string, goal: string): Failure {
  return new Failure({
    code: 'state-unreachable',
    message: `campaignctl cannot ${goal} the git remote ${masked(remote)}: ${reasonIn(err) ?? NO_REASON}.`,
    hint: 'Check with git ls-remote that this machine can read the remote, and that it can push. state.remote in the project file names the remote.',
  });
}

export function refusedPush(
  { remote, branch }: { remote: string; branch: string },
  answer: string,
  err: string,
): Failure {
  const [, rejection = ''] = /^!.*\[(?:remote )?rejected\] \((.*)\)$/m.exec(answer) ?? [];
  const reasons = [masked(rejection), reasonIn(err)].filter(Boolean).join('; ') || NO_REASON;
  return new Failure({
    code: 'state-refused',
    message: `The git remote ${masked(remote)} refuses pushes to the state branch ${branch}: ${reasons}.`,
    hint: 'Allow this machine to push to that branch. Force pushes are not needed: every push is a fast-forward.',
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
