import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { stringify } from 'yaml';
import { makeFolder, writeAtomic } from '../../files/atomic.js';
import { EXIT, Failure, usage } from '../../model/failure.js';
import type { World } from '../../operations/world.js';
import { configOf } from '../../project/index.js';
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

const IGNORE_FILE = '.gitignore';

/** What a new project is to be. `baseUrl`: that of a service whose campaigns are to be imported; null: a project to try out. */
interface InitRequest {
  dir: string;
  baseUrl: string | null;
  tokenEnv: string | null;
  env: string | null;
}

/** The files that were written, what to add to an ignore file that was there, and what to do next, a command a line. */
interface NewProject {
  written: string[];
  ignore: string | null;
  next: string[];
}

/** Writes a project that validates, plans and applies as it is, or one for the campaigns that a service has. Overwrites nothing. */
async function initProject(request: InitRequest, { cwd }: Pick<World, 'cwd'>): Promise<NewProject> {
  const root = resolve(cwd, request.dir);
  const { baseUrl } = request;
  const { files, next } = baseUrl === null ? starter(request) : await adoption(request, baseUrl);
  const there = Object.keys(files).filter((file) => existsSync(join(root, file)));
  const taken = there.filter((file) => file !== IGNORE_FILE);
  if (taken.length > 0) {
    throw new Failure({
      code: 'file-exists',
      message: `${taken.join(', ')} ${taken.length === 1 ? 'exists' : 'exist'} already. Nothing was written.`,
      hint: 'Choose an empty folder: campaignctl init DIR.',
    });
  }
  const written: string[] = [];
  for (const [file, text] of Object.entries(files)) {
    if (there.includes(file)) continue;
    const path = join(root, file);
    await makeFolder(dirname(path));
    await writeAtomic(path, text, { exclusive: true });
    written.push(relative(cwd, path) || path);
  }
  const where = relative(cwd, root);
  return {
    written,
    ignore: there.includes(IGNORE_FILE) ? IGNORED : null,
    next: [...(where === '' ? [] : [`cd ${where}`]), ...next],
  };
}

interface Start {
  files: Record<string, string>;
  /** What to do next, a command a line. */
  next: string[];
}

function starter({ tokenEnv, env }: InitRequest): Start {
  if (env !== null) {
    throw usage(
      '--env goes with --base-url: without it, init writes the environment sandbox.',
      'For example: campaignctl init --base-url https://send.example.com --env staging.',
    );
  }
  if (tokenEnv !== null) {
    throw usage(
      '--token-env goes with --base-url.',
      'For example: campaignctl init --base-url https://send.example.com --token-env CAMPAIGNS_TOKEN.',
    );
  }
  return { files: STARTER, next: ['campaignctl validate', 'campaignctl plan', 'campaignctl apply'] };
}

/** The project file is checked before it is written: an address or a name may be wrong. */
async function adoption({ env, tokenEnv }: InitRequest, baseUrl: string): Promise<Start> {
  const token = tokenEnv ?? 'CAMPAIGNS_TOKEN';
  const environment = env ?? 'production';
  const config = {
    version: 1,
    manifests: ['campaigns/**/*.yaml'],
    environments: { [environment]: { base_url: baseUrl, token_env: token } },
  };
  const text = `# campaignctl: where the manifests are, and which services they are for.\n${stringify(config)}`;
  await configOf('campaignctl.yaml', text);
  return {
    files: { 'campaignctl.yaml': text, [IGNORE_FILE]: IGNORED },
    next: [
      `export ${token}=…  # your API token; it never goes into a file`,
      'campaignctl list          # what is there',
      'campaignctl import --all  # write a manifest for each campaign',
      'campaignctl plan          # no changes: the manifests match the live campaigns',
    ],
  };
}

// The README shows both: its first steps begin here.

const PROJECT = `# campaignctl: where the manifests are, and which services they are for.
version: 1
manifests: [campaigns/**/*.yaml]
default_environment: sandbox

environments:
  # The sandbox inside campaignctl: try everything here, it sends no email.
  sandbox:
    sandbox: {}
    custom_variables: [FIRST_NAME, COMPANY]
    lead_lists: { installers: 12 }

  # Your workspace. The token is read from the environment variable, never from a file.
  # production:
  #   base_url: https://send.example.com
  #   token_env: CAMPAIGNS_TOKEN
  #   custom_variables: [FIRST_NAME, COMPANY]
  #   lead_lists: { installers: 77 }
`;

const MANIFEST = `# One document is one campaign. What is left out is not managed.
name: Spring installers

settings:
  max_emails_per_day: 200
  max_new_leads_per_day: 80
  plain_text: true
  reputation_building: true
  can_unsubscribe: true
  unsubscribe_text: No more emails, please

schedule:
  days: [monday, tuesday, wednesday, thursday, friday]
  start_time: "09:00"
  end_time: "17:00"
  timezone: Europe/London

sequence:
  title: Spring installers
  steps:
    - email_subject: "{FIRST_NAME}, a sample for {COMPANY}?"
      email_body: |
        {Hi|Hello} {FIRST_NAME},

        our clamp sets without a drill. Shall I send one to {COMPANY}?
      wait_in_days: 3
    - email_subject: "{FIRST_NAME}, a sample for {COMPANY}?"
      email_body: |
        Just an address is enough, {FIRST_NAME}.
      wait_in_days: 4
      thread_reply: true

leads:
  lists: [installers]

# paused until you mean it: running launches the campaign, and that needs --allow launch.
status: paused
`;

/** What does not belong into version control. */
const IGNORED = `# The sandbox and what was applied to it. The state of real environments belongs into version control.
.campaignctl/sandbox/
.campaignctl/state/sandbox/
.campaignctl/state/*/lock*
`;

/** The files of a new project: path → text. */
const STARTER: Record<string, string> = {
  'campaignctl.yaml': PROJECT,
  'campaigns/spring.yaml': MANIFEST,
  '.gitignore': IGNORED,
};
