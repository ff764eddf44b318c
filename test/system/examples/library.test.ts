/** The program in `examples/library` and that of its page are compiled, the first is run, against the package as it is published. */
import { execFile } from 'node:child_process';
import { cp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { withFolder } from '../../support/folder.js';
import { installPackage, packPackage } from '../../support/package.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const run = promisify(execFile);

/** As strict as compilers are, declarations of the package included. */
const TSCONFIG = {
  compilerOptions: {
    target: 'ES2022',
    module: 'NodeNext',
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
  },
  files: ['nightly.ts', 'page.ts'],
};

test('the nightly program and that of the page compile strictly; it applies what needs no approval, and launches nothing', () =>
  withFolder(async (folder) => {
    const modules = dirname(await installPackage(folder, await packPackage(folder)));
    for (const name of await readdir(join(ROOT, 'node_modules')))
      if (!name.startsWith('.')) await symlink(join(ROOT, 'node_modules', name), join(modules, name));
    await cp(join(ROOT, 'examples/library/nightly.ts'), join(folder, 'nightly.ts'));
    const [, page = ''] =
      /```ts\n([\s\S]*?)```/.exec(await readFile(join(ROOT, 'docs/library.md'), 'utf8')) ?? [];
    await writeFile(join(folder, 'page.ts'), page);
    await cp(join(ROOT, 'examples/quickstart'), join(folder, 'shop'), { recursive: true });
    await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const compiled = await run(process.execPath, [tsc, '-p', folder]).catch(({ stdout }) => ({ stdout }));
    expect(compiled.stdout).toBe('');
    const nightly = () => run(process.execPath, ['nightly.js', 'shop', 'sandbox'], { cwd: folder });
    const { stdout } = await nightly();
    expect(stdout).toContain('1 to create, 0 unchanged');
    expect(stdout).toMatch(/^Solar mounts to installers: done$|: done$/m);
    const again = await nightly();
    expect(again.stdout).toContain('status  draft → running');
    expect(again.stdout).not.toContain('to create');
  }));
