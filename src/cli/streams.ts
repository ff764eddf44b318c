import { fstatSync, writeSync } from 'node:fs';

/** stdout or stderr. `columns`: the width of a terminal. */
export interface OutStream {
  write(text: string): void;
  readonly isTTY: boolean;
  readonly columns: number | undefined;
}

/** Both of this process. `argv`: a result of `apply` that is lost changes no exit code. */
export function openStreams(argv: readonly string[]): { stdout: OutStream; stderr: OutStream } {
  let lost: string | null = null;
  // A reader that closes the pipe early (`| head`) is no error of ours; the command itself goes on to its end.
  const stdout = openStream(1, ({ code, message }) => {
    if (code !== 'EPIPE') lost ??= message;
  });
  const stderr = openStream(2, () => undefined);

  // A result that could not be written (a full disk) is a failure, unless something was sent: what became of that is told.
  process.on('exit', () => {
    if (lost === null) return;
    if ((process.exitCode ?? 0) === 0 && !argv.includes('apply')) process.exitCode = 1;
    stderr.write(`✗ error: The result could not be written: ${lost}.\n`);
  });
  return { stdout, stderr };
}

/**
 * Writes to a file or a pipe without Node's own stream, which takes longer to open than most commands have to do. A terminal needs
 * it, and so does a pipe that is full and does not wait.
 */
function openStream(fd: 1 | 2, onError: (error: NodeJS.ErrnoException) => void): OutStream {
  let isClosed = false;
  let opened: NodeJS.WriteStream | null = null;

  function open(): NodeJS.WriteStream {
    opened ??= (fd === 1 ? process.stdout : process.stderr).on('error', onError);
    return opened;
  }

  let known: boolean | null = null;
  const device = () => {
    known ??= isDevice(fd);
    return opened !== null || known ? open() : null;
  };

  function write(text: string): void {
    if (isClosed) return;
    const stream = device();
    if (stream !== null) stream.write(text);
    else writeAll(Buffer.from(text));
  }

  function writeAll(bytes: Buffer): void {
    let done = 0;
    try {
      while (done < bytes.length) done += writeSync(fd, bytes, done);
    } catch (thrown) {
      const error = thrown as NodeJS.ErrnoException;
      if (error.code === 'EAGAIN') return void open().write(bytes.subarray(done));
      isClosed = true;
      onError(error);
    }
  }

  return {
    write,
    get isTTY() {
      return device()?.isTTY === true;
    },
    get columns() {
      return device()?.columns;
    },
  };
}

/** A terminal, or what cannot be looked at. */
function isDevice(fd: number): boolean {
  try {
    return fstatSync(fd).isCharacterDevice();
  } catch {
    return true;
  }
}
