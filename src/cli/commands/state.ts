import { EXIT, type ExitCode, usage } from '../../model/failure.js';
import { count } from '../../model/words.js';
import { migrateState } from '../../operations/state.js';
import { argument, choice, defineCommand, type Flags, naming } from '../options.js';
import type { Shell } from '../shell.js';

const positionals = { action: naming(['migrate'], argument('migrate')) };
const options = { to: choice(['git', 'file'], null, 'Where the state goes: to a branch, or to a folder') };

export const command = defineCommand({
  positionals,
  options,
  examples: [
    [
      'campaignctl state migrate --env production --to git',
      'after backend: git was written in the project file',
    ],
    [
      'campaignctl state migrate --env production --to file',
      'back to the folder, before backend: file is written',
    ],
  ],
  run: migrate,
});

/** Moves all that is kept, or nothing. Opens no connection to the service: there is nothing to send with. */
async function migrate(flags: Flags<typeof positionals & typeof options>, shell: Shell): Promise<ExitCode> {
  const { action, to } = flags;
  const example = 'For example: campaignctl state migrate --env production --to git.';
  if (action !== 'migrate') throw usage(`"state ${action}" is no command: there is state migrate.`, example);
  if (to === null) throw usage('state migrate needs --to git or --to file.', example);
  const { environment, place, files, already, isWritten } = await migrateState(flags, to, shell);
  shell.out(
    already
      ? `The state of ${environment} is in ${place} already: ${count(files, 'file')}. Nothing was moved.\n`
      : `Moved the state of ${environment} to ${place}: ${count(files, 'file')}. Nothing was sent.\n`,
  );
  if (!isWritten)
    shell.out(
      'Now write state: { backend: file } in the project file. The branch keeps what it has, and no machine goes on with it.\n',
    );
  return EXIT.ok;
}
