import { Failure } from '../model/failure.js';

/** What git and the remote refuse, or leave without an answer, in words that hold no credential. */

/** How git says that the disk of this machine takes no more. What the remote says of its own begins otherwise. */
export const FULL =
  /^(?!remote:).*(no space left|out of disk ?space|disk quota exceeded|couldn't write '|unable to write )/im;
const NO_REASON = 'git gave no reason';
/** How hosts say that those who push may not, by HTTP and by SSH: git has no sign of it. */
export const DENIED =
  /returned error: 40[13]\b|authentication failed|could not read (?:username|password)|permission [^\n]*denied|access denied|not allowed to/i;

/** Without users, passwords, queries and fragments of the addresses in it: each may be a credential. */
function masked(text: string): string {
  return text.replace(/[^\s'"]+/g, (word) => {
    const from = word.lastIndexOf('@') + 1;
    const [scheme = ''] = /\w{1,20}:\/\//.exec(word) ?? [];
    const address = from === 0 ? word : `${scheme}${word.slice(from)}`;
    return scheme === '' ? address : address.replace(/[?#].*$/, '');
  });
}

/** What git says, masked: the lines that tell a reason, if any do. */
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

export function unknownProject(err: string): Failure {
  return new Failure({
    code: 'state-project',
    message: `campaignctl cannot tell which folder of its repository this project lies in, and so which branch keeps its state: ${saidBy(err)}. Nothing was sent.`,
    hint: 'Let git read the repository here, or name that folder in the project file: state: { project: clients/acme }, or "." for the root of the repository.',
  });
}

/** `renamed`: those of `former` that HEAD does not hold either. */
export function formerFolder(at: {
  former: readonly string[];
  renamed: readonly string[];
  found: string;
}): Failure {
  const folders = at.former.map((folder) => `"${folder || '.'}"`).join(', ');
  const [name] = at.renamed;
  const wasRenamed =
    name === undefined ? 'commit that, and run again' : `write state: { project: ${name || '.'} }`;
  return new Failure({
    code: 'state-project',
    message: `The remote keeps no state for the project in "${at.found || '.'}", but for ${folders}, where no project is any more. A project that was renamed would begin with an empty state. Nothing was sent.`,
    hint: `If it was renamed, ${wasRenamed}. If it is a new one: state: { project: ${at.found || '.'} }.`,
  });
}

export function otherOwner(owner: string, own: string): Failure {
  return new Failure({
    code: 'state-of-other',
    message: `The branch that keeps the state belongs to the project of ${owner}, and ${own} is another one. Nothing was sent.`,
    hint: `Give ${own} a state.project of its own, or none. If it is the same project, in a folder that was renamed, remove ${owner} and commit that.`,
  });
}

export function otherOwnerOf(owner: string, path: string): Failure {
  return new Failure({
    code: 'state-of-other',
    message: `The branch that keeps the state belongs to the project of ${owner}, and there is no git repository here that tells whether ${path} is that project. Nothing was sent.`,
    hint: `Put the project where its path ends with ${owner}, as in its repository; or give it a state.project of its own, if it is another one.`,
  });
}

export function otherRepository(owner: string, own: string): Failure {
  return new Failure({
    code: 'state-of-other',
    message: `The branch that keeps the state belongs to a project of the repository ${owner}, and this one is of ${own}. Nothing was sent.`,
    hint: `If this is another project, give it a state.branch of its own. If the two are one repository (a fork, a mirror, one that was moved), name both in the project file: state: { repositories: [${owner}, ${own}] }.`,
  });
}

export function otherProject(named: string, found: string): Failure {
  return new Failure({
    code: 'state-project',
    message: `The project file keeps the state as that of the project in "${named || '.'}" of its repository, which is another one: this project lies in "${found || '.'}". Nothing was sent.`,
    hint: `Write state: { project: ${found || '.'} }, or leave project out.`,
  });
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

export function broken(folder: string, err: string): Failure {
  return new Failure({
    code: 'state-unusable',
    message: `git failed in ${folder}: ${saidBy(err)}.`,
    hint: FULL.test(err)
      ? 'Make room on the disk of this machine, and run again.'
      : 'Delete this folder and run again: campaignctl creates it again.',
  });
}
