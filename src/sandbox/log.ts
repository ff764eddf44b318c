import { isUtf8 } from 'node:buffer';
import { closeSync, fstatSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from '../model/failure.js';
import type { Event } from './event.js';

/** Where accepted writes are kept. `append` throws, and keeps nothing, if it cannot keep the whole event. */
export interface Log {
  append(event: Event): void;
  close(): void;
}

/** Lines are numbered: two processes that write to one file cannot pass for one. */
interface Line {
  n: number;
  event: Event;
}

const HEADER = Buffer.from(`${JSON.stringify({ file: 'campaignctl sandbox', version: 1 })}\n`);

/** A log that forgets. */
export const memoryLog: Log = { append: () => {}, close: () => {} };

/**
 * Opens the log in a file, made if there is none, and hands every event in it to `replay`. One event a line, after
 * a line that says what the file is. A last line without its end is a write that nobody was answered: it is cut
 * off. Anything else that cannot be read is a Failure. Each event goes to the system before its answer goes out:
 * that survives a killed process; syncing against a power cut would cost milliseconds a write.
 */
export function openLog(file: string, replay: (event: Event) => void): Log {
  const fd = openFile(file);
  try {
    const bytes = readFileSync(fd);
    const size = completeSize(bytes, file);
    const lines = linesOf(bytes.subarray(HEADER.length, size));
    for (const [index, line] of lines.entries()) replayLine({ line, number: index + 1, file }, replay);
    ftruncateSync(fd, size);
    if (size === 0) writeSync(fd, HEADER);
    return appender({ fd, file, size: Math.max(size, HEADER.length), lines: lines.length });
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** How many bytes are complete lines. A file that does not begin as ours is left alone. */
function completeSize(bytes: Buffer, file: string): number {
  if (bytes.length < HEADER.length && HEADER.subarray(0, bytes.length).equals(bytes)) return 0;
  if (!bytes.subarray(0, HEADER.length).equals(HEADER)) throw foreign(file);
  return bytes.lastIndexOf('\n') + 1;
}

function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf('\n', start);
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return lines;
}

function replayLine(
  at: { line: Buffer; number: number; file: string },
  replay: (event: Event) => void,
): void {
  try {
    if (!isUtf8(at.line)) throw new Error('not UTF-8');
    const { n, event } = JSON.parse(at.line.toString('utf8')) as Line;
    if (n !== at.number) throw new Error(`numbered ${n} in place of ${at.number}`);
    replay(event);
  } catch (cause) {
    throw corrupt(at.file, at.number + 1, cause);
  }
}

function appender(log: { fd: number; file: string; size: number; lines: number }): Log {
  const { fd, file } = log;
  let { size, lines } = log;
  return {
    append(event) {
      if (fstatSync(fd).size !== size) throw shared(file);
      const line: Line = { n: lines + 1, event };
      const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
      if (writeSync(fd, bytes) !== bytes.length) {
        ftruncateSync(fd, size);
        throw full(file);
      }
      size += bytes.length;
      lines += 1;
    },
    close: () => closeSync(fd),
  };
}

function openFile(file: string): number {
  try {
    mkdirSync(dirname(file), { recursive: true });
    return openSync(file, 'a+');
  } catch (cause) {
    throw unusable(file, cause);
  }
}

function unusable(file: string, cause: unknown): Failure {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new Failure(
    {
      code: 'sandbox-file-unusable',
      message: `The sandbox cannot keep its data in ${file}: ${reason}.`,
      hint: 'Make the folder writable, or name another file.',
    },
    { cause },
  );
}

function corrupt(file: string, line: number, cause: unknown): Failure {
  return new Failure(
    {
      code: 'sandbox-file-corrupt',
      message: `The sandbox's data in ${file} cannot be read: line ${line} is damaged.`,
      hint: `Delete ${file} to begin with an empty sandbox, or cut it off before line ${line} to keep what is above.`,
    },
    { cause },
  );
}

function foreign(file: string): Failure {
  return new Failure({
    code: 'sandbox-file-foreign',
    message: `${file} does not hold data of the sandbox, or its first line is damaged.`,
    hint: 'Nothing was written to it. Name another file, or move this one away.',
  });
}

function shared(file: string): Failure {
  return new Failure({
    code: 'sandbox-file-shared',
    message: `Something else has changed ${file} while this sandbox uses it; this write was not carried out.`,
    hint: 'Run one sandbox at a time on a file: stop the other, then start this one again.',
  });
}

function full(file: string): Failure {
  return new Failure({
    code: 'sandbox-file-full',
    message: `${file} takes no more data; this write was not carried out.`,
    hint: 'Free some space on the disk.',
  });
}
