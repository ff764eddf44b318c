import { hasCode } from '../files/atomic.js';
import { errorMessage, Failure } from '../model/failure.js';

export function stateUnusable(path: string, error: unknown): Failure {
  return new Failure({
    code: 'state-unusable',
    message: `The state at ${path} cannot be used: ${hasCode(error, 'EISDIR') ? 'it is a folder, not a file' : errorMessage(error)}.`,
    hint: 'Check that the folder exists, is readable and writable, and has free space.',
  });
}

/** For `catch`. */
export function throwUnusable(path: string): (error: unknown) => never {
  return (error) => {
    throw stateUnusable(path, error);
  };
}

/** For `catch`: `null` if the file does not exist. */
export function nullIfMissing(path: string): (error: unknown) => null {
  return (error) => (hasCode(error, 'ENOENT') ? null : throwUnusable(path)(error));
}
