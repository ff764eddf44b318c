import { Failure } from '../model/failure.js';
import { answered, type Ruling, type Terms } from './endpoints.js';
import type { FaultEffect } from './fault.js';
import { handle, type SandboxRequest } from './handle.js';
import { reply } from './profiles.js';
import { openSnapshot } from './snapshot.js';
import { NEW_STATE, type SandboxState } from './state.js';

/** The one owner of the state: decides, keeps, carries out, in this order. */
interface Workspace {
  /** What a fault keeps from its effect changes nothing. */
  carryOut(request: SandboxRequest, struck: FaultEffect | null): Promise<Ruling>;
  state(): SandboxState;
  /** Resolves when nothing is being written any more. */
  close(): Promise<void>;
}

/** Opens the workspace kept in `file`; null: a new one, in memory. Throws a Failure if the file cannot be read. */
export async function openWorkspace(file: string | null, terms: Terms): Promise<Workspace> {
  const snapshot = file === null ? null : await openSnapshot(file);
  let state = snapshot?.state ?? NEW_STATE;
  const arrived: { decide(): Ruling; decided(ruling: Ruling): void }[] = [];
  let busy = false;
  let working = Promise.resolve();

  /** One after the other on the state, then kept together: a write to the disk is what takes time. */
  async function work(): Promise<void> {
    busy = true;
    while (arrived.length > 0) {
      const before = state;
      const batch = arrived.splice(0).map(({ decide, decided }) => ({ decided, ruling: decide() }));
      let failed: Ruling | null = null;
      try {
        if (state !== before) await snapshot?.write(state);
      } catch (error) {
        // What was decided on a state that is not kept is forgotten with it.
        failed = serverError(error);
        state = before;
      }
      for (const { decided, ruling } of batch) decided(failed ?? ruling);
    }
    busy = false;
  }

  function decide(request: SandboxRequest, struck: FaultEffect | null): Ruling {
    if (struck?.effect === false) return answered(struck.reply ?? reply(502, null));
    try {
      const ruling = handle(state, request, terms, struck?.launchFails ?? false);
      state = ruling.after ?? state;
      return ruling;
    } catch (error) {
      return serverError(error);
    }
  }

  return {
    carryOut: (request, struck) =>
      new Promise((decided) => {
        arrived.push({ decide: () => decide(request, struck), decided });
        if (!busy) working = work();
      }),
    state: () => structuredClone(state),
    close: () => working,
  };
}

function serverError(error: unknown): Ruling {
  const said = error instanceof Failure ? `${error.message} ${error.hint}` : `Server error: ${String(error)}`;
  return answered(reply(500, { message: said }));
}
