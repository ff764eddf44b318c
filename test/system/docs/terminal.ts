import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { command } from '../../support/command.js';
import { PROGRAM } from '../../support/program.js';

interface Shown {
  output: string;
  status: number | null;
}

/** A line that needs no shell: the program with literal words. */
const ALONE = /^campaignctl (?!(?:.* )?(?:-q|--quiet|--color)\b)[^$|&;<>`'\\*?~#()\n]+$/;

/** The name of a run, which differs each time. */
const RUNS = /\b\d{8}T\d{9}-[0-9a-f]{6}\b/g;

/** Messages about waits, which only a slow machine prints. */
const WAITS = /^(?:Waiting|Still waiting) .*?\.\n/gms;

/** The lines without comments. A shell needs those that continue on the next one together. */
function splitLines(lines: string): string[] {
  const each = lines
    .trim()
    .split('\n')
    .map((line) => line.replace(/ +# .*$/, ''));
  return each.some((line) => line.endsWith('\\')) ? [lines] : each;
}

/** A shell of 80 columns in an empty folder, in which `campaignctl` is the built program. */
export interface Terminal {
  folder: string;
  /** `file` is relative to the working directory of the shell. */
  write(file: string, text: string): void;
  edit(file: string, from: string, to: string): void;
  /** Runs lines. Returns what a person would see: stdout and stderr together. `cd` and `export` persist. */
  run(lines: string): Promise<Shown>;
  /** Starts a server in a different terminal, and waits until it prints its address. */
  serve(line: string): Shown;
  close(): void;
}

/** `stand`: replacements for words of the page, such as for an address that does not exist. */
export function openTerminal(stand: readonly (readonly [word: string, other: string])[] = []): Terminal {
  const home = mkdtempSync(join(tmpdir(), 'campaignctl-docs-'));
  const folder = join(home, 'project');
  const program = join(home, 'bin', 'campaignctl');
  mkdirSync(folder);
  mkdirSync(dirname(program));
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`);
  chmodSync(program, 0o755);
  const env = {
    PATH: `${dirname(program)}${delimiter}${process.env.PATH ?? ''}`,
    HOME: home,
    SOURCE_DATE_EPOCH: '1772431200',
    COLUMNS: '80',
  };
  const [kept, started] = [join(home, 'shell'), join(home, 'started')];
  let servers = 0;
  writeFileSync(kept, `cd '${folder}'\n`);
  const keep = `{ echo "cd '$PWD'"; export -p; } > '${kept}'`;
  const shell = (script: string): Shown => {
    const before = `. '${kept}'\n`;
    const { stdout, status } = spawnSync('sh', ['-c', `${before}${swap(script, stand)}`], {
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    return { output: swap(stdout, back), status };
  };
  const back = stand.map(([word, other]) => [other, word] as const);
  /** Runs in this process, with the shell's working directory and variables. */
  const alone = async (line: string): Promise<Shown> => {
    const exported = [...readFileSync(kept, 'utf8').matchAll(/^export (\w+)='(.*)'$/gm)];
    const variables = Object.fromEntries(exported.map(([, name = '', value = '']) => [name, value]));
    const words = [...swap(line, stand).matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
    let output = '';
    const seen = (text: string) => {
      output += text;
    };
    const now = () => Number(env.SOURCE_DATE_EPOCH) * 1000;
    const { code } = await command(here(), words.slice(1), { ...env, ...variables }, now, {
      width: 80,
      seen,
    });
    return { output: swap(output, back), status: code };
  };
  const here = () => /^cd '(.+)'$/m.exec(readFileSync(kept, 'utf8'))?.[1] ?? folder;
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(here(), file)), { recursive: true });
    writeFileSync(join(here(), file), swap(text, stand));
  };
  return {
    folder,
    write,
    edit(file, from, to) {
      const text = readFileSync(join(here(), file), 'utf8');
      if (!text.includes(from)) throw new Error(`${file} does not hold "${from}"`);
      write(
        file,
        text.replace(from, () => to),
      );
    },
    async run(lines) {
      const shown: Shown = { output: '', status: 0 };
      for (const line of splitLines(lines)) {
        const { output, status } = ALONE.test(line)
          ? await alone(line)
          : shell(`{ ${line}\n} 2>&1; status=$?; ${keep}; exit $status`);
        const lasting = output.replace(WAITS, '').replace(RUNS, '20260302T060000000-4f2a1c');
        Object.assign(shown, { output: shown.output + lasting, status });
      }
      return shown;
    },
    serve(line) {
      servers += 1;
      // A log of its own: that of an earlier server already shows an address.
      const log = `${started}.${servers}.log`;
      return shell(`${line.trimEnd()} > '${log}' 2>&1 & echo $! >> '${started}'
until grep -qs http '${log}' || ! kill -0 $!; do sleep 0.1; done; cat '${log}'`);
    },
    close() {
      const ids = existsSync(started) ? readFileSync(started, 'utf8').trim().split('\n') : [];
      for (const id of ids) process.kill(Number(id), 'SIGTERM');
      rmSync(home, { recursive: true, force: true });
    },
  };
}

function swap(text: string, words: readonly (readonly [string, string])[]): string {
  return words.reduce((swapped, [word, other]) => swapped.replaceAll(word, other), text);
}
