import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseArguments } from '../../src/cli/program.js';
import { Failure } from '../../src/model/failure.js';
import { renderFailureText } from '../../src/view/problems.js';
import { plain } from '../../src/view/terminal.js';
import { fakeClock } from './clock.js';
import { TOKEN } from './service/service.js';

/** What a command line gave: exit code, stdout and stderr. */
export interface Ended {
  code: number;
  out: string;
  err: string;
}

type Invocation = Awaited<ReturnType<typeof parseArguments>>;

const invocations = new Map<string, Invocation>();

/** The same line is parsed once: parsing lays the whole help out each time, which would take half of these tests. */
async function parsed(argv: readonly string[]): Promise<Invocation> {
  const line = JSON.stringify(argv);
  const invocation = invocations.get(line) ?? (await parseArguments(argv, 100));
  invocations.set(line, invocation);
  return invocation;
}

/** When commands are run, unless a test says otherwise. */
const NOW = Date.UTC(2026, 2, 2, 6);

/** Runs a command line in this process, in a folder, without a terminal to ask on. Anything but a Failure is thrown. */
export async function command(
  folder: string,
  argv: readonly string[],
  env: Record<string, string> = { CAMPAIGNS_TOKEN: TOKEN },
  now: () => number = () => NOW,
): Promise<Ended> {
  const text = { paint: plain, width: 100 };
  let [out, err] = ['', ''];
  const shell = {
    cwd: folder,
    env,
    out: (more: string) => {
      out += more;
    },
    err: (more: string) => {
      err += more;
    },
    annotate: (more: string) => {
      out += more;
    },
    onOut: text,
    onErr: text,
    rewrite: null,
    ask: null,
    now,
    // Nothing waits: dates are those of the machine.
    clock: { ...fakeClock(), now: Date.now },
    onInterrupt: () => {},
  };
  try {
    const invocation = await parsed(argv);
    if (invocation.kind === 'printed') return { code: 0, out: invocation.text, err };
    const code = await invocation.run(shell);
    return { code, out, err };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { code: error.exitCode, out, err: err + renderFailureText(error, text) };
  }
}

/** Writes the files of a project, by their paths. */
export async function writeFiles(folder: string, files: Record<string, string>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}
