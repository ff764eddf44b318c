import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { basename } from 'node:path/posix';
import { hasCode } from '../files/atomic.js';
import { SANDBOX } from '../model/environment.js';
import { Failure } from '../model/failure.js';
import type { StateOwner } from './files.js';

/** The environment that uses a state, and its project. */
export interface StateUser extends Omit<StateOwner, 'version'> {
  environment: string;
  /** The folder to which `file` is relative. */
  top: string;
  /** False if `file` is only a name. */
  isPath: boolean;
  /** What to write in the project file for a separate state; `null` for a sandbox. */
  separate: string | null;
}

/** Keeps what only `recorded` contains: the id, if the project file has none, and the path outside of a repository. */
export function ownedBy(user: StateUser, recorded: StateOwner | null): StateOwner {
  return {
    version: 1,
    base_url: user.base_url,
    project: user.project ?? recorded?.project ?? null,
    file: recorded !== null && isSameFile(recorded, user) ? recorded.file : user.file,
  };
}

/** Fails if the state belongs to a different project or service. */
export function refuseOther(recorded: StateOwner, user: StateUser): void {
  if (!isSameFile(recorded, user)) throw otherFile(recorded, user);
  refuseOtherId(recorded, user);
  if (recorded.base_url !== user.base_url) throw otherService(recorded, user);
}

/** A project outside of a git repository is compared only by the name of its file. */
export function isSameFile(recorded: StateOwner, user: StateUser): boolean {
  return knownFile(recorded, user) === user.file;
}

function knownFile({ file }: StateOwner, { isPath }: StateUser): string {
  return isPath ? file : basename(file);
}

export function refuseOtherId({ project }: StateOwner, user: StateUser): void {
  if (project !== null && user.project !== null && project !== user.project) throw otherId(project, user);
}

/** True if the recorded project file is in this checkout, next to this project's: one of the two is a copy. */
export function isCopy(recorded: StateOwner, user: StateUser): boolean {
  if (isSameFile(recorded, user)) return false;
  try {
    const real = realpathSync.native(join(user.top, knownFile(recorded, user)));
    return real !== realpathSync.native(join(user.top, user.file));
  } catch (error) {
    return !hasCode(error, 'ENOENT') && !hasCode(error, 'ENOTDIR');
  }
}

export function otherId(recorded: string, user: StateUser): Failure {
  const { environment, project, file } = user;
  const whose = project === null ? `${file} has no state.id` : `this project has id ${project}`;
  const same =
    project === null
      ? `If this is that project, write state: { id: ${recorded} } in ${file}.`
      : `If both are the same project, correct state.id in ${file}.`;
  return new Failure({
    code: 'state-of-other',
    message: `The state of ${environment} belongs to the project with id ${recorded}, but ${whose}. Nothing was sent.`,
    hint: `${same} Otherwise, ${separately(user)}`,
  });
}

export function otherFile(recorded: StateOwner, user: StateUser): Failure {
  const { environment } = user;
  const file = knownFile(recorded, user);
  const rebase = `campaignctl state rebase --env ${environment}`;
  const hint = isCopy(recorded, user)
    ? `${file} still exists, so ${separately(user)} If the project was moved, delete ${file} and run ${rebase}.`
    : `If the project was moved, run ${rebase}. If this checkout is older than the move, run git pull. If this project is a copy, ${separately(user)}`;
  return new Failure({
    code: 'state-of-other',
    message: `The state of ${environment} belongs to the project file ${file}, not to ${user.file}. Nothing was sent.`,
    hint,
  });
}

export function otherService({ base_url }: StateOwner, user: StateUser): Failure {
  const { environment } = user;
  const mayMove = base_url !== SANDBOX && user.base_url !== SANDBOX;
  const rebase = `If the service has moved, run campaignctl state rebase --env ${environment} --from ${base_url}. `;
  return new Failure({
    code: 'state-of-other-service',
    message: `The state of ${environment} belongs to ${base_url}, but its service is now at ${user.base_url}.`,
    hint: `${mayMove ? rebase : ''}If it is a different service, give the environment a different name in the project file. Nothing was read or sent.`,
  });
}

/** How to give the project a separate state, as the end of a sentence. */
function separately({ separate, file }: Pick<StateUser, 'separate' | 'file'>): string {
  return separate === null
    ? `give the environment a different name in ${file}.`
    : `give this project its own state: in ${file}, write ${separate}.`;
}
