import { readFileSync } from 'node:fs';

/**
 * What tells a process from a later one with the same number: the boot and the time since then at which it started. Null
 * where the system does not show it.
 */
export function processMark(pid: number): string | null {
  const boot = read('/proc/sys/kernel/random/boot_id');
  const started = fieldsOf(pid)?.[19];
  return boot === null || started === undefined ? null : `${boot.trim()}:${started}`;
}

/** Whether the process that had this number and mark still runs on this machine. */
export function isRunning(pid: number, mark: string | null): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Somebody else's process is alive, too.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  // A process that has ended keeps its number until its parent asks for it.
  if (fieldsOf(pid)?.[0] === 'Z') return false;
  const now = processMark(pid);
  return mark === null || now === null || now === mark;
}

/** The fields of /proc/<pid>/stat after the program's name, which stands in parentheses and may hold anything. */
function fieldsOf(pid: number): string[] | null {
  const stat = read(`/proc/${pid}/stat`);
  return stat === null ? null : stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
