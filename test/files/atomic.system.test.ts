import { chmod, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolder, patiently, writeAtomic } from '../../src/files/atomic.js';
import { withFolder } from '../support/folder.js';

const POSIX = process.platform !== 'win32';

describe('a file that is written atomically', () => {
  it('has its new text, and nothing else remains in the folder', () =>
    withFolder(async (folder) => {
      const file = join(folder, 'plan.json');
      await writeAtomic(file, 'old');
      await writeAtomic(file, 'Été');
      expect(await readFile(file, 'utf8')).toBe('Été');
      expect(await readdir(folder)).toEqual(['plan.json']);
    }));

  it.runIf(POSIX)('keeps its permissions, unless others are requested', () =>
    withFolder(async (folder) => {
      const file = join(folder, 'spring.yaml');
      await writeFile(file, 'old');
      await chmod(file, 0o664);
      await writeAtomic(file, 'new');
      expect((await stat(file)).mode & 0o777).toBe(0o664);
      await writeAtomic(file, 'new', { mode: 0o600 });
      expect((await stat(file)).mode & 0o777).toBe(0o600);
    }),
  );

  it.runIf(POSIX)('is written through a link, which stays', () =>
    withFolder(async (folder) => {
      await mkdir(join(folder, 'there'));
      const [link, file] = [join(folder, 'link.yaml'), join(folder, 'there', 'spring.yaml')];
      await writeFile(file, 'old');
      await symlink(file, link);
      await writeAtomic(link, 'new');
      expect((await lstat(link)).isSymbolicLink()).toBe(true);
      expect(await readFile(file, 'utf8')).toBe('new');
    }),
  );

  it.runIf(POSIX)('never replaces a device', async () => {
    await writeAtomic('/dev/null', 'text');
    expect((await stat('/dev/null')).isCharacterDevice()).toBe(true);
  });

  it('is refused if a folder has its name, and leaves nothing behind', () =>
    withFolder(async (folder) => {
      await mkdir(join(folder, 'plan.json'));
      await expect(writeAtomic(join(folder, 'plan.json'), 'text')).rejects.toThrow(/EISDIR|EPERM|ENOTEMPTY/);
      expect(await readdir(folder)).toEqual(['plan.json']);
    }));

  it('is created whole by one of many concurrent writers, and the others fail', () =>
    withFolder(async (folder) => {
      const file = join(folder, 'lock');
      const writes = Array.from({ length: 20 }, (_, index) => `${index}`.repeat(100));
      const results = await Promise.allSettled(
        writes.map((text) => writeAtomic(file, text, { exclusive: true })),
      );
      const lost = results.filter((result) => result.status === 'rejected');
      expect(lost).toHaveLength(19);
      expect(lost.map(({ reason }) => (reason as NodeJS.ErrnoException).code)).toEqual(
        lost.map(() => 'EEXIST'),
      );
      expect(writes).toContain(await readFile(file, 'utf8'));
      expect(await readdir(folder)).toEqual(['lock']);
    }));

  it('is always read whole, with the old or the new text', () =>
    withFolder(async (folder) => {
      const file = join(folder, 'state.json');
      await writeAtomic(file, '0'.repeat(500_000));
      let done = false;
      const reads = (async () => {
        while (!done) expect(await readFile(file, 'utf8')).toMatch(/^(\d)\1{499999}$/);
      })();
      for (let n = 1; n < 60; n += 1) await writeAtomic(file, String(n % 10).repeat(500_000));
      done = true;
      await reads;
    }));
});

describe('a folder that is created', () => {
  it('is created with its parents, and may exist already', () =>
    withFolder(async (folder) => {
      const path = join(folder, 'state', 'production', 'journal');
      await makeFolder(path);
      await makeFolder(path);
      expect((await stat(path)).isDirectory()).toBe(true);
    }));
});

describe('a file that another program has open', () => {
  const failing = (code: string, times: number) => {
    let tries = 0;
    return async () => {
      tries += 1;
      if (tries <= times) throw Object.assign(new Error(code), { code });
      return tries;
    };
  };

  it.each(['EPERM', 'EACCES', 'EBUSY'])('is retried while it cannot be replaced (%s)', async (code) => {
    expect(await patiently(failing(code, 2), [0, 0])).toBe(3);
    await expect(patiently(failing(code, 3), [0, 0])).rejects.toThrow(code);
  });

  it('is not retried after any other failure, nor on systems that can replace open files', async () => {
    await expect(patiently(failing('ENOSPC', 1), [0, 0])).rejects.toThrow('ENOSPC');
    if (POSIX) await expect(patiently(failing('EPERM', 1))).rejects.toThrow('EPERM');
  });
});
