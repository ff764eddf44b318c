import { Failure } from '../model/failure.js';
import type { Json } from '../model/json.js';
import type { Terms } from './endpoints.js';
import type { Struck } from './fault.js';
import { handle, parseJson, type SandboxRequest } from './handle.js';
import { type Reply, reply } from './profiles.js';
import { openSnapshot } from './snapshot.js';
import { NEW_STATE, type SandboxState } from './state.js';

/**
 * One request and its answer. `path` has its query; `body` is the text where it is not JSON, null where there was none;
 * `effect`: it wrote something.
 */
export interface JournalEntry {
  number: number;
  method: string;
  path: string;
  body: Json;
  status: number;
  answer: Json;
  effect: boolean;
  /** The fault that struck it, as it was asked for; null: none. */
  fault: string | null;
}

/** The one owner of the state: decides, keeps, carries out, notes down, in this order. */
export interface Workspace {
  /** What a fault keeps from its effect is only noted down. */
  carryOut(request: SandboxRequest, struck: Struck | null): Promise<Reply>;
  journal(): readonly JournalEntry[];
  state(): SandboxState;
  /** Resolves when nothing is being written any more. */
  close(): Promise<void>;
}

/** What was decided about a request. */
interface Decision {
  answer: Reply;
  effect: boolean;
}

/** A request that waits for its decision. */
interface Arrived {
  request: SandboxRequest;
  struck: Struck | null;
  decided(decision: Decision): void;
}

/** Opens the workspace kept in `file`; null: a new one, in memory. Throws a Failure if the file cannot be read. */
export async function openWorkspace(
  file: string | null,
  terms: Terms,
  onRequest: (entry: JournalEntry) => void,
): Promise<Workspace> {
  const snapshot = file === null ? null : await openSnapshot(file);
  let state = snapshot?.state ?? NEW_STATE;
  const journal: JournalEntry[] = [];
  const arrived: Arrived[] = [];
  let busy = false;
  let working = Promise.resolve();

  /** One after the other on the state, then kept together: a write to the disk is what takes time. */
  async function work(): Promise<void> {
    busy = true;
    while (arrived.length > 0) {
      const batch = arrived.splice(0);
      const before = state;
      const decisions = batch.map((one) => ({ ...one, decision: decide(one.request, one.struck) }));
      const failed = state === before ? null : await keep(state);
      if (failed !== null) state = before;
      for (const { decided, decision } of decisions) decided(failed ?? decision);
    }
    busy = false;
  }

  /** Null where it is kept. What it was to be is forgotten otherwise, and so is what was decided on it. */
  async function keep(next: SandboxState): Promise<Decision | null> {
    try {
      await snapshot?.write(next);
      return null;
    } catch (error) {
      return { answer: serverError(error), effect: false };
    }
  }

  function decide(request: SandboxRequest, struck: Struck | null): Decision {
    if (struck?.effect === false) return { answer: struck.reply ?? reply(502, null), effect: false };
    try {
      const ruling = handle(state, { ...request, launchFails: struck?.launchFails ?? false }, terms);
      state = ruling.after ?? state;
      return { answer: ruling.reply, effect: ruling.effect };
    } catch (error) {
      return { answer: serverError(error), effect: false };
    }
  }

  return {
    async carryOut(request, struck) {
      const { answer, effect } = await new Promise<Decision>((decided) => {
        arrived.push({ request, struck, decided });
        if (!busy) working = work();
      });
      const entry: JournalEntry = {
        number: journal.length + 1,
        method: request.method,
        path: request.target,
        body: request.body === null ? null : (parseJson(request.body) ?? request.body),
        status: struck?.reply?.status ?? answer.status,
        answer: answer.body,
        effect,
        fault: struck?.fault ?? null,
      };
      journal.push(entry);
      onRequest(entry);
      return answer;
    },
    journal: () => journal,
    state: () => structuredClone(state),
    close: () => working,
  };
}

function serverError(error: unknown): Reply {
  if (error instanceof Failure) return reply(500, { message: `${error.message} ${error.hint}` });
  return reply(500, { message: `Server error: ${error instanceof Error ? error.message : String(error)}` });
}
