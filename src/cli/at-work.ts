import { Failure } from '../model/failure.js';
import { type Held, readLock } from '../state/index.js';
import { visibleLine } from '../view/index.js';

/** Who applies to the environment with this state folder at the moment, apart from this process, in words; null: nobody. */
export function applyAtWork(folder: string): string | null {
  const held = heldBy(folder);
  if (held?.alive !== true || held.holder.pid === process.pid) return null;
  const { who, pid, at } = held.holder;
  return visibleLine(`${who}, process ${pid}, since ${at}`);
}

function heldBy(folder: string): Held | null {
  try {
    return readLock(folder);
  } catch (error) {
    // A lock that cannot be read is a matter of apply.
    if (error instanceof Failure) return null;
    throw error;
  }
}
