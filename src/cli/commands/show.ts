import { EXIT, type ExitCode } from '../../model/failure.js';
import type { CommonFlags, OutputFlags } from '../flags.js';
import { showPlan } from '../outputs.js';
import { readPlanFile } from '../plan-file.js';
import type { Shell } from '../shell.js';

export interface ShowFlags extends CommonFlags, OutputFlags {
  file: string;
}

/** Prints a saved plan as plan printed it. Needs neither network nor project. */
export async function show(flags: ShowFlags, shell: Shell): Promise<ExitCode> {
  const { plan } = readPlanFile(flags.file, shell);
  await showPlan(plan, flags, shell);
  return EXIT.ok;
}
