import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../../dist/campaignctl.cjs', import.meta.url));

/** An empty folder with a shell of 80 columns in it, in which `campaignctl` is the built program. */
export interface Terminal {
  folder: string;
  write(file: string, text: string): void;
  edit(file: string, from: string, to: string): void;
  /** Runs one line; the answer is what a person would see, stdout and stderr in one. */
  run(line: string): { output: string; status: number | null };
  close(): void;
}

export function openTerminal(): Terminal {
  const home = mkdtempSync(join(tmpdir(), 'campaignctl-docs-'));
  const folder = join(home, 'project');
  const command = join(home, 'bin', 'campaignctl');
  mkdirSync(folder);
  mkdirSync(dirname(command));
  writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`);
  chmodSync(command, 0o755);
  const env = {
    PATH: `${dirname(command)}${delimiter}${process.env.PATH ?? ''}`,
    HOME: home,
    SOURCE_DATE_EPOCH: '1772431200',
    COLUMNS: '80',
  };
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  return {
    folder,
    write,
    edit(file, from, to) {
      const text = readFileSync(join(folder, file), 'utf8');
      if (!text.includes(from)) throw new Error(`${file} does not hold "${from}"`);
      write(
        file,
        text.replace(from, () => to),
      );
    },
    run(line) {
      const { stdout, status } = spawnSync('sh', ['-c', `{ ${line}\n} 2>&1`], {
        cwd: folder,
        env,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      return { output: stdout, status };
    },
    close: () => rmSync(home, { recursive: true, force: true }),
  };
}
