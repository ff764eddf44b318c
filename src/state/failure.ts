import { Failure } from '../model/failure.js';

/** A folder or file of the state that the system does not let us read or write. */
export function stateUnusable(path: string, error: unknown): Failure {
  return new Failure(
    {
      code: 'state-unusable',
      message: `The state at ${path} cannot be used: ${error instanceof Error ? error.message : String(error)}.`,
      hint: 'Check that the folder exists, is readable and writable, and has room.',
    },
    { cause: error },
  );
}
