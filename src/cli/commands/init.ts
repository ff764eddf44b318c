import { EXIT } from '../../model/failure.js';
import { initProject } from '../../operations/init.js';
import { argument, defineCommand, text } from '../options.js';

/** Writes a project that validates, plans and applies as it is, or one for the campaigns that a service has. */
export const command = defineCommand({
  positionals: { dir: argument('Folder of the project', '.') },
  options: {
    baseUrl: text('Base URL of a service whose campaigns you want to import'),
    tokenEnv: text('Variable that holds the API token; default: CAMPAIGNS_TOKEN'),
  },
  examples: [
    ['campaignctl init shop', 'a new folder with a project file and a manifest'],
    ['campaignctl init --base-url https://send.example.com', 'for campaigns that a service has already'],
  ],
  async run(flags, shell) {
    const { written, ignore, next } = await initProject(flags, shell);
    for (const file of written) shell.out(`wrote ${file}\n`);
    if (ignore !== null) shell.out(`\nAdd to your .gitignore:\n${indented(ignore)}`);
    shell.out(`\nNext:\n${indented(next.join('\n'))}`);
    return EXIT.ok;
  },
});

function indented(text: string): string {
  return text.trimEnd().replace(/^/gm, '  ').concat('\n');
}
