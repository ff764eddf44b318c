import { EXIT, type ExitCode } from '../../model/failure.js';
import type { ImportResult, UpdateResult } from '../../model/reports.js';
import { importNew, updateManifests } from '../../operations/import.js';
import { importTotals, isNothing, renderImportText, renderUpdateText } from '../../view/import.js';
import { placedCommands } from '../../view/placed.js';
import type { ProjectPart } from '../../view/projects.js';
import type { TextOptions } from '../../view/terminal.js';
import type { Flags } from '../commands.js';
import { isRecursive } from '../options.js';
import { type Shell, watchInterrupts } from '../shell.js';

export async function run(flags: ImportFlags, shell: Shell): Promise<ExitCode> {
  if (isRecursive(flags, shell)) return importAll(flags, shell);
  const { code, result } = await importOne(flags, shell);
  shell.out(renderText(result, shell.onOut));
  return code;
}

type ImportFlags = Flags<'import'>;

type Imported = ImportResult | UpdateResult;

async function importOne(flags: ImportFlags, shell: Shell): Promise<{ code: ExitCode; result: Imported }> {
  if (!flags.update) return { code: EXIT.ok, result: await importNew(flags, shell, watchInterrupts(shell)) };
  const result = await updateManifests(flags, shell, watchInterrupts(shell));
  return { code: result.campaigns.every(({ in_sync }) => in_sync) ? EXIT.ok : EXIT.incomplete, result };
}

async function importAll(flags: ImportFlags, shell: Shell): Promise<ExitCode> {
  const { chooseProjects, inProjects, showProjects } = await import('../projects.js');
  const chosen = await chooseProjects(flags, shell);
  // The files are read again, because the run before may have written manifests of the same project.
  const runs = await inProjects(chosen, flags, shell, (project) => importOne(project.flags, project.shell));
  return showProjects(runs, 'text', { done: 'read', totals: importTotals, text: renderPartText }, shell);
}

function renderText(result: Imported, options: TextOptions): string {
  return 'skipped' in result ? renderImportText(result, options) : renderUpdateText(result, options);
}

/** Empty for a project in which there was nothing to import or to update. */
function renderPartText(
  { project, environment, result }: ProjectPart<Imported>,
  options: TextOptions,
): string {
  if (result === null || isNothing(result)) return '';
  return placedCommands(renderText(result, options), project, { environment });
}
