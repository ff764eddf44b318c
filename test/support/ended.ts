import { run } from '../../src/cli/program.js';

/** Runs a command line as the program does; gives its exit code and what it wrote. */
export async function ended(argv: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const written = { out: '', err: '' };
  const streamOf = (name: 'out' | 'err') => ({
    write: (text: string) => {
      written[name] += text;
    },
    isTTY: false,
    columns: 100,
  });
  const code = await run(argv, { stdout: streamOf('out'), stderr: streamOf('err') });
  return { code, ...written };
}
