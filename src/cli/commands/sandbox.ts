import { PROFILE_NAMES } from '../../model/environment.js';
import { EXIT, Failure } from '../../model/failure.js';
import { sandboxFile } from '../../operations/session.js';
import { readProject } from '../../project/index.js';
import { startSandbox } from '../../sandbox/index.js';
import { visibleLine } from '../../view/index.js';
import { choice, defineReport, type Flags, listed, SEVERAL, text, texts, whole } from '../options.js';
import type { Shell } from '../shell.js';

const options = {
  port: whole(0, 0, 'Port; 0: any free port'),
  profile: choice(PROFILE_NAMES, PROFILE_NAMES[0], 'Behave as the API documents, or as users report'),
  file: text("File that keeps its campaigns; default: the project's own"),
  fault: {
    yargs: texts(`Inject a fault: "METHOD PATH[#N]=KIND" (docs/sandbox.md); ${SEVERAL}`).yargs,
    read: (given: unknown) => listed(given, /, *(?=(?:[A-Z]+|\*) |$)/),
  },
  rateLimit: whole(1, null, 'Requests it accepts a minute; it answers the others with 429'),
};
type SandboxFlags = Flags<typeof options>;

/** Serves the sandbox until it is interrupted, and prints every request. */
export const command = defineReport({
  positionals: {},
  options,
  examples: [
    ['campaignctl sandbox --port 4010 --profile reported', 'a service that behaves as reported'],
    ['campaignctl sandbox --fault "POST /api/campaigns#1=drop-after"', 'the first creation gets no answer'],
  ],
  async run(flags, shell, report) {
    const file = flags.file ?? sandboxFile(await rootOrHere(flags, shell), flags.env ?? 'sandbox');
    const served = await startSandbox({
      profile: flags.profile,
      file,
      port: flags.port,
      faults: flags.fault,
      ...(flags.rateLimit === null ? {} : { rateLimit: { perMinute: flags.rateLimit } }),
      onRequest: ({ number, method, path, status, effect, fault }) =>
        shell.out(
          `${String(number).padStart(4)}  ${method.padEnd(5)} ${visibleLine(path)}  ${status}${effect ? '  written' : ''}${fault === null ? '' : `  FAULT ${visibleLine(fault)}`}\n`,
        ),
    });
    const { url } = served;
    const { profile } = flags;
    report({ version: 1, command: 'sandbox', url, profile, file }, '');
    shell.err(`The sandbox serves the API at ${url}, profile ${profile}.\n`);
    shell.err(`It keeps its campaigns in ${file} and accepts any token. Stop it with Ctrl-C.\n`);
    await new Promise<void>((resolve) => shell.onInterrupt(resolve));
    await served.close();
    return EXIT.ok;
  },
});

/** The sandbox needs no project; inside one it shares the data of the project's sandbox. */
async function rootOrHere(flags: SandboxFlags, shell: Shell): Promise<string> {
  try {
    return (await readProject({ cwd: shell.cwd, config: flags.config })).root;
  } catch (error) {
    if (error instanceof Failure && error.code === 'no-project' && flags.config === null) return shell.cwd;
    throw error;
  }
}
