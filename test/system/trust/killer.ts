import { expect } from 'vitest';
import type { Reader, Writer } from '../../../src/service/index.js';
import type { Journal } from '../../../src/state/journal.js';
import type { Store } from '../../../src/state/store.js';

export class Death extends Error {}

/** Checks that the killer ended the run. */
export async function dies(run: Promise<unknown>): Promise<void> {
  await expect(run).rejects.toBeInstanceOf(Death);
}

/** Points of a write at which the process dies. */
export const POINTS = [
  'before it is noted',
  'once it is noted',
  'once it has its effect',
  'before its outcome is noted',
  'once its outcome is noted',
] as const;
export type Point = (typeof POINTS)[number];

/** Simulates the death of the process at one point of the nth write. All later calls fail in the same way. */
export function killer(point: Point | 'before the record' | 'once the record is there', nth: number) {
  let dead = false;
  const count = { intend: 0, send: 0, conclude: 0 };
  const die = (): never => {
    dead = true;
    throw new Death('killed');
  };
  const alive = () => (dead ? die() : undefined);
  const at = (here: typeof point, number: number) => (point === here && number === nth ? die() : undefined);

  const service = (real: Reader & Writer): Reader & Writer => ({
    ...real,
    campaigns: async () => alive() ?? real.campaigns(),
    read: async (name, id) => alive() ?? real.read(name, id),
    async send(request, stop) {
      alive();
      count.send += 1;
      const number = count.send;
      const sent = await real.send(request, stop);
      at('once it has its effect', number);
      return sent;
    },
  });
  const journal = (real: Journal): Journal => ({
    async intend(intent) {
      alive();
      count.intend += 1;
      const number = count.intend;
      at('before it is noted', number);
      await real.intend(intent);
      at('once it is noted', number);
    },
    async conclude(conclusion) {
      alive();
      count.conclude += 1;
      at('before its outcome is noted', count.conclude);
      await real.conclude(conclusion);
      at('once its outcome is noted', count.conclude);
    },
    reconciled: (manifest) => void (alive() ?? real.reconciled(manifest)),
    end: async (result) => alive() ?? real.end(result),
  });
  const store = (real: Store): Store => ({
    ...real,
    begin: async (start, now) => journal(await real.begin(start, now)),
    async save(record) {
      alive();
      at('before the record', nth);
      await real.save(record);
      at('once the record is there', nth);
    },
  });
  return { service, store };
}
