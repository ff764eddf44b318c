import type { Answer, AnswerName, ListedCampaign } from '../model/answer.js';
import { groupBy, isObject, type Json, type JsonObject } from '../model/json.js';
import type { StateEntry } from '../model/state.js';
import { answersOf, shareSpec } from '../plan/index.js';
import type { Reader } from '../service/index.js';
import { openReaderOf } from './connect.js';
import { readState } from './run.js';
import {
  type EarlyReading,
  openSession,
  type ProjectPlace,
  type Session,
  type SessionFlags,
  type StateBefore,
} from './session.js';
import type { Interrupt, World } from './world.js';

/** Opens a session for a plan of everything, and reads while manifests are parsed. An interrupt ends both at once. */
export function openEarly(flags: SessionFlags, world: World, { guard, signal }: Interrupt): Promise<Session> {
  const begin = (place: ProjectPlace) => {
    const early = signal.aborted ? null : beginReading(place);
    signal.addEventListener('abort', () => early?.close(), { once: true });
    return early;
  };
  return guard(openSession(flags, world, null, begin));
}

/**
 * Begins to read while manifests are parsed, in the order of every plan: the state, then the list of campaigns. What goes wrong is told
 * where the reading would have begun otherwise, after what is wrong with the manifests. Null for a sandbox, which is no way off.
 */
export function beginReading(place: ProjectPlace): EarlyReading | null {
  const { environment } = place;
  if (environment.sandbox !== null) return null;
  const state = readState(place);
  const opened = openReaderOf(place);
  const listed = listAfter(state, opened);
  let first: typeof listed | null = listed;
  const campaigns = async () => {
    const early = await first;
    first = null;
    return early ?? (await opened).service.campaigns();
  };
  // One connection is left to the list.
  const lanes = environment.limits.parallelism - 1;
  const ahead = opened.then(({ service }) => createAhead(service, lanes));
  const reader = Promise.all([opened, ahead]).then(([{ service }, { read }]) => ({
    ...service,
    campaigns,
    read,
  }));
  let named: ReadonlyMap<string, readonly StateEntry[]> = new Map();
  const knows = Promise.all([state, ahead]).then(([before, { expect }]) => {
    named = groupBy(before.entries, ({ name }) => name);
    return isAtWork(before) ? null : { expect, ids: idsIn(named) };
  });
  for (const promise of [state, listed, reader, knows]) promise.catch(() => undefined);
  return {
    state,
    reader,
    begun: Promise.allSettled([state, opened]),
    async parsed(written) {
      const known = await knows.catch(() => null);
      for (const one of written) {
        const value = inEnvironment(one, environment.name);
        const id = known?.ids.get(typeof value.name === 'string' ? value.name : '');
        if (id !== undefined) known?.expect(id, answersOf(value));
      }
    },
    resolved(spec) {
      for (const entry of named.get(spec.name) ?? []) shareSpec(entry, spec);
    },
    close: () =>
      opened.then(
        ({ close }) => close(),
        () => undefined,
      ),
  };
}

/** Null where what an earlier or another run sends may have to be waited for. */
async function listAfter(
  state: EarlyReading['state'],
  opened: ReturnType<typeof openReaderOf>,
): Promise<ListedCampaign[] | null> {
  return isAtWork(await state) ? null : (await opened).service.campaigns();
}

function isAtWork({ left, other }: StateBefore): boolean {
  return left.length > 0 || other !== null;
}

/** Campaigns by their name. Of two with one name, only the list tells which is meant. */
function idsIn(named: ReadonlyMap<string, readonly StateEntry[]>): ReadonlyMap<string, number> {
  return new Map(
    [...named].flatMap(([name, [entry, ...twins]]) =>
      entry === undefined || twins.length > 0 ? [] : [[name, entry.id]],
    ),
  );
}

/** What a manifest manages in an environment, and its name, before anything is resolved. */
function inEnvironment(written: Json, environment: string): JsonObject {
  const { environments, ...base } = isObject(written) ? written : {};
  const overlay = isObject(environments) ? environments[environment] : null;
  return { ...base, ...(isObject(overlay) ? overlay : {}) };
}

/** Most answers that are read before the plan asks for them: they are kept until then. */
const MOST_AHEAD = 200;

/** Reads campaigns before the plan asks for them, side by side, until it asks for the first. What it does not ask for is dropped. */
function createAhead(service: Reader, lanes: number) {
  const queue: [AnswerName, number][] = [];
  const answers = new Map<string, Promise<Answer>>();
  let underWay = 0;
  let isOver = false;

  function next(): void {
    const [name, id] = (!isOver && underWay < lanes && queue.shift()) || [];
    if (name === undefined || id === undefined) return;
    underWay += 1;
    const answer = service.read(name, id);
    answers.set(`${name} ${id}`, answer);
    const ended = (isLast: boolean) => {
      underWay -= 1;
      isOver ||= isLast;
      next();
    };
    answer.then(
      () => ended(false),
      () => ended(true),
    );
  }

  return {
    expect(id: number, names: readonly AnswerName[]): void {
      if (answers.size + queue.length >= MOST_AHEAD) return;
      for (const name of names) {
        queue.push([name, id]);
        next();
      }
    },
    read(name: AnswerName, id: number): Promise<Answer> {
      isOver = true;
      const key = `${name} ${id}`;
      const early = answers.get(key);
      answers.delete(key);
      return early ?? service.read(name, id);
    },
  };
}
