import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { stringify } from 'yaml';
import { makeFolder, writeAtomic } from '../../files/atomic.js';
import { EXIT, type ExitCode, Failure } from '../../model/failure.js';
import { configOf } from '../../project/index.js';
import type { CommonFlags } from '../flags.js';
import type { Shell } from '../shell.js';
import { IGNORED, STARTER } from './starter.js';

const IGNORE_FILE = '.gitignore';

export interface InitFlags extends CommonFlags {
  dir: string;
  /** Address of a service that has campaigns already; null: a first project on the embedded one. */
  baseUrl: string | null;
  /** Name of the environment variable that holds the token of that service. */
  tokenEnv: string | null;
}

/** Writes a project that validates, plans and applies as it is, or one for the campaigns that a service has. Overwrites nothing. */
export async function init(flags: InitFlags, shell: Shell): Promise<ExitCode> {
  const root = resolve(shell.cwd, flags.dir);
  const { files, next } = flags.baseUrl === null ? starter(flags) : adoption(flags, flags.baseUrl);
  const there = Object.keys(files).filter((file) => existsSync(join(root, file)));
  const taken = there.filter((file) => file !== IGNORE_FILE);
  if (taken.length > 0) {
    throw new Failure({
      code: 'file-exists',
      message: `There ${taken.length === 1 ? 'is' : 'are'} already: ${taken.join(', ')}. Nothing was written.`,
      hint: 'Choose an empty folder: campaignctl init DIR.',
    });
  }
  for (const [file, text] of Object.entries(files)) {
    if (there.includes(file)) continue;
    const path = join(root, file);
    await makeFolder(dirname(path));
    await writeAtomic(path, text, { exclusive: true });
    shell.out(`wrote ${relative(shell.cwd, path) || path}\n`);
  }
  if (there.includes(IGNORE_FILE)) shell.out(`\nAdd to your ${IGNORE_FILE}:\n${indented(IGNORED)}`);
  const where = relative(shell.cwd, root);
  const lines = [...(where === '' ? [] : [`cd ${where}`]), ...next];
  shell.out(`\nNext:\n${indented(lines.join('\n'))}`);
  return EXIT.ok;
}

function indented(text: string): string {
  return text.trimEnd().replace(/^/gm, '  ').concat('\n');
}

interface Start {
  files: Record<string, string>;
  /** What to do next, a command a line. */
  next: string[];
}

function starter({ tokenEnv }: InitFlags): Start {
  if (tokenEnv !== null) {
    throw new Failure({
      code: 'usage',
      message: '--token-env goes with --base-url.',
      hint: 'For example: campaignctl init --base-url https://send.example.com --token-env CAMPAIGNS_TOKEN.',
    });
  }
  return { files: STARTER, next: ['campaignctl validate', 'campaignctl plan', 'campaignctl apply'] };
}

/** The project file is checked before it is written: an address or a name may be wrong. */
function adoption({ env, tokenEnv }: InitFlags, baseUrl: string): Start {
  const token = tokenEnv ?? 'CAMPAIGNS_TOKEN';
  const environment = env ?? 'production';
  const config = {
    version: 1,
    manifests: ['campaigns/**/*.yaml'],
    environments: { [environment]: { base_url: baseUrl, token_env: token } },
  };
  const text = `# campaignctl: where the manifests are, and which services they are for.\n${stringify(config)}`;
  configOf('campaignctl.yaml', text);
  return {
    files: { 'campaignctl.yaml': text, [IGNORE_FILE]: IGNORED },
    next: [
      `export ${token}=…  # your API token; it never goes into a file`,
      'campaignctl list          # what is there',
      'campaignctl import --all  # write a manifest for each campaign',
      'campaignctl plan          # nothing to do: the manifests say what is there',
    ],
  };
}
