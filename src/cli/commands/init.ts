import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { EXIT, type ExitCode, Failure } from '../../model/failure.js';
import type { CommonFlags } from '../flags.js';
import type { Shell } from '../shell.js';
import { STARTER } from './starter.js';

export interface InitFlags extends CommonFlags {
  dir: string;
}

/** Writes a project that validates, plans and applies as it is. Overwrites nothing. */
export async function init({ dir }: InitFlags, shell: Shell): Promise<ExitCode> {
  const root = resolve(shell.cwd, dir);
  const taken = Object.keys(STARTER).filter((file) => existsSync(join(root, file)));
  if (taken.length > 0) {
    throw new Failure({
      code: 'file-exists',
      message: `There ${taken.length === 1 ? 'is' : 'are'} already: ${taken.join(', ')}. Nothing was written.`,
      hint: 'Choose an empty folder: campaignctl init DIR.',
    });
  }
  for (const [file, text] of Object.entries(STARTER)) {
    const path = join(root, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text, { flag: 'wx' });
    shell.out(`wrote ${relative(shell.cwd, path) || path}\n`);
  }
  const where = relative(shell.cwd, root);
  shell.out(
    `\nNext:\n${where === '' ? '' : `  cd ${where}\n`}  campaignctl validate\n  campaignctl plan\n  campaignctl apply\n`,
  );
  return EXIT.ok;
}
