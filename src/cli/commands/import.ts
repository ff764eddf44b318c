import { EXIT, type ExitCode } from '../../model/failure.js';
import { importNew } from '../../operations/import.js';
import { updateManifests } from '../../operations/update.js';
import { renderImportText, renderUpdateText } from '../../view/index.js';
import type { Flags } from '../commands.js';
import { type Shell, watchInterrupts } from '../shell.js';

/** Writes manifests from live campaigns. */
export async function run(flags: Flags<'import'>, shell: Shell): Promise<ExitCode> {
  if (!flags.update) {
    shell.out(renderImportText(await importNew(flags, shell, watchInterrupts(shell)), shell.onOut));
    return EXIT.ok;
  }
  const result = await updateManifests(flags, shell, watchInterrupts(shell));
  shell.out(renderUpdateText(result, shell.onOut));
  return result.campaigns.every(({ in_sync }) => in_sync) ? EXIT.ok : EXIT.incomplete;
}
