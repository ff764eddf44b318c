import { Failure } from '../model/failure.js';
import { answered, type Ruling } from './endpoints.js';
import type { FaultEffect } from './fault.js';
import { reply, type ServiceProfile } from './profiles.js';
import { handle, type SandboxRequest } from './requests.js';
import { openSnapshot } from './snapshot.js';
import { NEW_STATE, type SandboxState } from './state.js';

/** Owns the state. Handles one request at a time: decides, stores, then responds. */
interface Workspace {
  /** A request changes nothing if a fault prevents it or its effect cannot be stored. */
  carryOut(request: SandboxRequest, struck: FaultEffect | null): Promise<Ruling>;
  state(): SandboxState;
  close(): Promise<void>;
}

/** `file`: `null` for a new workspace in memory. Fails if the file is unreadable. */
export async function openWorkspace(file: string | null, profile: ServiceProfile): Promise<Workspace> {
  const snapshot = file === null ? null : await openSnapshot(file);
  let state = snapshot?.state ?? NEW_STATE;
  let last: Promise<unknown> = Promise.resolve();

  async function decide(request: SandboxRequest, struck: FaultEffect | null): Promise<Ruling> {
    if (struck?.effect === false) return answered(struck.reply ?? reply(502, null));
    try {
      const ruling = handle(state, request, profile, struck?.launchFails ?? false);
      if (ruling.after !== null) {
        await snapshot?.write(ruling.after);
        state = ruling.after;
      }
      return ruling;
    } catch (error) {
      return serverError(error);
    }
  }

  return {
    carryOut(request, struck) {
      const ruling = last.then(() => decide(request, struck));
      last = ruling;
      return ruling;
    },
    state: () => structuredClone(state),
    close: async () => void (await last),
  };
}

function serverError(error: unknown): Ruling {
  const message =
    error instanceof Failure ? `${error.message} ${error.hint}` : `Server error: ${String(error)}`;
  return answered(reply(500, { message }));
}
