import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';

/**
 * Reads at most `limit` bytes. Fails with EISDIR or EINVAL for anything but a regular file, and with EFBIG for a larger one,
 * so a pipe or a device does not block it. Synchronous, because that is several times faster for small files.
 */
export function readRegularFile(path: string, limit = Number.POSITIVE_INFINITY): Buffer {
  // Opening some devices has an effect.
  check(statSync(path), limit);
  // Windows has no such flag.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stat = fstatSync(file);
    check(stat, limit);
    // Files in /proc have size 0, whatever they contain.
    const buffer = Buffer.allocUnsafe(stat.size);
    let end = 0;
    for (let count = -1; count !== 0 && end < stat.size; end += count)
      count = readSync(file, buffer, end, stat.size - end, null);
    return buffer.subarray(0, end);
  } finally {
    closeSync(file);
  }
}

function check(stat: Stats, limit: number): void {
  if (stat.isDirectory()) throw failed('EISDIR', 'it is a folder');
  if (!stat.isFile()) throw failed('EINVAL', 'it is not a regular file');
  if (stat.size > limit) throw failed('EFBIG', 'it is too large');
}

function failed(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
