import { Failure } from '../../src/model/failure.js';

/** Returns the Failure with which the action rejects. */
export async function failureOf(action: Promise<unknown>): Promise<Failure> {
  const error: unknown = await action.catch((reason: unknown) => reason);
  if (error instanceof Failure) return error;
  throw new Error(`a Failure was expected, not ${String(error)}`);
}
