import type { World } from '../operations/world.js';

/** In milliseconds. */
const BRIEF_AFTER = 2_000;

/** `brief`: tells the most important facts on stderr while the report waits for those of earlier units. */
export interface UnitReport {
  print(): void;
  brief(): void;
}

export interface OrderedReports<Unit> {
  add(unit: Unit, report: UnitReport): void;
  /** Nothing is printed before. */
  begin(): void;
}

/** Prints reports in the order of the units, however they end. */
export function openReports<Unit>(
  units: readonly Unit[],
  { clock }: Pick<World, 'clock'>,
): OrderedReports<Unit> {
  const waiting = new Map<Unit, { report: UnitReport; cancel(): void }>();
  const rest = [...units];
  let hasBegun = false;
  const flush = () => {
    for (let [unit] = rest; hasBegun && unit !== undefined; [unit] = rest) {
      const next = waiting.get(unit);
      if (next === undefined) return;
      rest.shift();
      next.cancel();
      next.report.print();
    }
  };
  return {
    add(unit, report) {
      waiting.set(unit, { report, cancel: clock.after(BRIEF_AFTER, () => report.brief()) });
      flush();
    },
    begin() {
      hasBegun = true;
      flush();
    },
  };
}
