import { hasCode } from '../files/atomic.js';
import { Failure, messageOf } from '../model/failure.js';

/** A folder or file of the state that the system does not let us read or write. */
export function stateUnusable(path: string, error: unknown): Failure {
  return new Failure(
    {
      code: 'state-unusable',
      message: `The state at ${path} cannot be used: ${hasCode(error, 'EISDIR') ? 'a folder is where a file belongs' : messageOf(error)}.`,
      hint: 'Check that the folder exists, is readable and writable, and has room.',
    },
    { cause: error },
  );
}

/** Whether git has left both sides of a merge in a file, for people to choose. */
export function hasConflict(text: string): boolean {
  return /^(<{7}|>{7})[ \r\n]/m.test(text);
}

/** For `catch`: turns what the system says of a path into a Failure. */
export function refused(path: string): (error: unknown) => never {
  return (error) => {
    throw stateUnusable(path, error);
  };
}

/** For `catch`: the same, but null where there is no such file or folder. */
export function missing(path: string): (error: unknown) => null {
  return (error) => (hasCode(error, 'ENOENT') ? null : refused(path)(error));
}
