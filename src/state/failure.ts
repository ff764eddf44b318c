import { hasCode } from '../files/atomic.js';
import { SANDBOX } from '../model/environment.js';
import { errorMessage, Failure } from '../model/failure.js';

export function stateUnusable(path: string, error: unknown): Failure {
  return new Failure({
    code: 'state-unusable',
    message: `The state at ${path} cannot be used: ${hasCode(error, 'EISDIR') ? 'it is a folder, not a file' : errorMessage(error)}.`,
    hint: 'Check that the folder exists, is readable and writable, and has free space.',
  });
}

/** `recorded`: the address in `state.json`. `environment`: `null` if unknown. */
export function otherService(
  recorded: string,
  { address, environment }: { address: string; environment: string | null },
): Failure {
  const [name, option] =
    environment === null ? ['the environment', ''] : [environment, ` --env ${environment}`];
  const mayMove = recorded !== SANDBOX && address !== SANDBOX;
  const rebase = `If the service has moved, run campaignctl state rebase${option} --from ${recorded}. `;
  return new Failure({
    code: 'state-of-other-service',
    message: `The state of ${name} belongs to ${recorded}, but its service is now at ${address}.`,
    hint: `${mayMove ? rebase : ''}If it is a different service, give the environment a different name in the project file. Nothing was read or sent.`,
  });
}

export function refused(path: string): (error: unknown) => never {
  return (error) => {
    throw stateUnusable(path, error);
  };
}

/** For `catch`: `null` if the file does not exist. */
export function missing(path: string): (error: unknown) => null {
  return (error) => (hasCode(error, 'ENOENT') ? null : refused(path)(error));
}
