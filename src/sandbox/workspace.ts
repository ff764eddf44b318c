import { Failure } from '../model/failure.js';
import type { Json } from '../model/json.js';
import { type Event, evolve } from './event.js';
import type { Struck } from './fault.js';
import { handle, parseJson, type Request } from './handle.js';
import { memoryLog, openLog } from './log.js';
import { type Reply, reply, type Terms } from './rule.js';
import { type State, seededState } from './state.js';

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

/** The one owner of the state: decides, keeps, carries out, notes down, in this order and one request at a time. */
export interface Workspace {
  /** What a fault keeps from its effect is only noted down. */
  carryOut(request: Request, struck: Struck | null): Reply;
  journal(): readonly JournalEntry[];
  state(): State;
  close(): void;
}

/** Opens the workspace kept in `file`; null: a new one, in memory. Throws a Failure if the file cannot be read. */
export function openWorkspace(
  file: string | null,
  terms: Terms,
  onRequest: (entry: JournalEntry) => void,
): Workspace {
  const state = seededState();
  const log = file === null ? memoryLog : openLog(file, (event) => evolve(state, event));
  const journal: JournalEntry[] = [];

  function decideAndKeep(request: Request): { answer: Reply; event: Event | null } {
    try {
      const { event, reply: answerFrom } = handle(state, request, terms);
      if (event !== null) {
        log.append(event);
        evolve(state, event);
      }
      return { answer: answerFrom(state), event };
    } catch (error) {
      return { answer: serverError(error), event: null };
    }
  }

  return {
    carryOut(request, struck) {
      const { answer, event } =
        struck?.effect === false
          ? { answer: struck.reply ?? reply(502, null), event: null }
          : decideAndKeep({ ...request, launchFails: struck?.launchFails ?? false });
      const entry: JournalEntry = {
        number: journal.length + 1,
        method: request.method,
        path: request.target,
        body: request.body === null ? null : (parseJson(request.body) ?? request.body),
        status: struck?.reply?.status ?? answer.status,
        answer: answer.body,
        effect: event !== null && event.type !== 'polled',
        fault: struck?.fault ?? null,
      };
      journal.push(entry);
      onRequest(entry);
      return answer;
    },
    journal: () => journal,
    state: () => structuredClone(state),
    close: () => log.close(),
  };
}

function serverError(error: unknown): Reply {
  if (error instanceof Failure) return reply(500, { message: `${error.message} ${error.hint}` });
  return reply(500, { message: `Server error: ${error instanceof Error ? error.message : String(error)}` });
}
