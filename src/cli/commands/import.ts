import { EXIT, type ExitCode } from '../../model/failure.js';
import { importNew, updateManifests } from '../../operations/import.js';
import { renderImportText, renderUpdateText } from '../../view/import.js';
import type { TextOptions } from '../../view/terminal.js';
import type { Flags } from '../commands.js';
import { isRecursive } from '../options.js';
import { type Shell, watchInterrupts } from '../shell.js';

export async function run(flags: ImportFlags, shell: Shell): Promise<ExitCode> {
  if (isRecursive(flags, shell)) return importAll(flags, shell);
  const { code, result } = await importOne(flags, shell);
  shell.out(result(shell.onOut));
  return code;
}

type ImportFlags = Flags<'import'>;

type Printed = (options: TextOptions) => string;

async function importOne(flags: ImportFlags, shell: Shell): Promise<{ code: ExitCode; result: Printed }> {
  if (!flags.update) {
    const result = await importNew(flags, shell, watchInterrupts(shell));
    return { code: EXIT.ok, result: (options) => renderImportText(result, options) };
  }
  const result = await updateManifests(flags, shell, watchInterrupts(shell));
  return {
    code: result.campaigns.every(({ in_sync }) => in_sync) ? EXIT.ok : EXIT.incomplete,
    result: (options) => renderUpdateText(result, options),
  };
}

async function importAll(flags: ImportFlags, shell: Shell): Promise<ExitCode> {
  const { chooseProjects, inProjects, showProjects } = await import('../projects.js');
  const chosen = await chooseProjects(flags, shell);
  // The files are read again, because the run before may have written manifests of the same project.
  const runs = await inProjects(chosen, flags, shell, (project) => importOne(project.flags, project.shell));
  const text = ({ result }: { result: Printed | null }, options: TextOptions) => result?.(options) ?? '';
  return showProjects(runs, 'text', { done: 'imported', text }, shell);
}
