import { EXIT, type ExitCode } from '../../model/failure.js';
import { renderJson, renderPlanText } from '../../report/index.js';
import type { CommonFlags } from '../flags.js';
import { readPlanFile } from '../plan-file.js';
import type { Shell } from '../shell.js';

export interface ShowFlags extends CommonFlags {
  file: string;
  format: 'text' | 'json';
}

/** Prints a saved plan as plan printed it. Needs neither network nor project. */
export async function show(flags: ShowFlags, shell: Shell): Promise<ExitCode> {
  const { plan } = readPlanFile(flags.file, shell);
  shell.out(flags.format === 'json' ? renderJson(plan) : renderPlanText(plan, shell.onOut));
  return EXIT.ok;
}
