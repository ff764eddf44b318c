import { EXIT, usage } from '../../model/failure.js';
import { count } from '../../model/words.js';
import { migrateState } from '../../operations/state.js';
import { argument, choice, defineReport, naming } from '../options.js';

const positionals = { action: naming(['migrate'], argument('migrate')) };
const options = { to: choice(['git', 'file'], null, 'Where the state goes: to a branch, or to a folder') };

/** Moves all that is kept, or nothing. Opens no connection to the service: there is nothing to send with. */
export const command = defineReport({
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
  async run(flags, shell, report) {
    const { action, to } = flags;
    const example = 'For example: campaignctl state migrate --env production --to git.';
    if (action !== 'migrate')
      throw usage(`"state ${action}" is no command: there is state migrate.`, example);
    if (to === null) throw usage('state migrate needs --to git or --to file.', example);
    const { environment, place, files, already, isWritten } = await migrateState(flags, to, shell);
    const said = already
      ? `The state of ${environment} is in ${place} already: ${count(files, 'file')}. Nothing was moved.\n`
      : `Moved the state of ${environment} to ${place}: ${count(files, 'file')}. Nothing was sent.\n`;
    const then =
      'Now write state: { backend: file } in the project file. The branch keeps what it has, and no machine goes on with it.\n';
    const facts = { environment, to, files, moved: !already, configured: isWritten };
    report({ version: 1, command: 'state migrate', ...facts }, isWritten ? said : `${said}${then}`);
    return EXIT.ok;
  },
});
