import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** Writes the declarations that src/index.ts reaches to a folder: TypeScript writes one for every file of the source. */
export function writeDeclarations(root, folder) {
  const all = mkdtempSync(join(root, 'dist/declarations-'));
  try {
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', all], {
      cwd: root,
      stdio: 'inherit',
    });
    for (const file of reached(join(all, 'index.d.ts'))) cpSync(file, join(folder, relative(all, file)));
  } finally {
    rmSync(all, { recursive: true, force: true });
  }
}

/** The file and all files that it imports, directly or not. */
function reached(file, found = new Set()) {
  if (found.has(file)) return found;
  found.add(file);
  for (const [, path] of readFileSync(file, 'utf8').matchAll(/\b(?:from |import\()['"](\.[^'"]+)\.js['"]/g)) {
    reached(join(dirname(file), `${path}.d.ts`), found);
  }
  return found;
}
