import type { Step } from '../model/step.js';

/**
 * The order of the requests of one campaign:
 *
 *     pause → create → settings → schedule → sequence → variants → leads → (read back) → launch
 *
 * Pausing comes first, so that nothing is sent to anybody while the rest changes; leads come after the emails they
 * are to receive; the launch comes last, after everything else has been read back. A step's stage is its id up to
 * the first slash.
 */
const STAGES = ['pause', 'create', 'settings', 'schedule', 'sequence', 'variants', 'leads', 'launch'];

export function inOrder(steps: readonly Step[]): Step[] {
  return [...steps].sort((a, b) => stage(a) - stage(b));
}

function stage(step: Step): number {
  return STAGES.indexOf(step.id.split('/', 1)[0] ?? '');
}
