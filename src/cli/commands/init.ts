import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { makeFolder, writeAtomic } from '../../files/atomic.js';
import { EXIT, type ExitCode, Failure, usage } from '../../model/failure.js';
import type { Flags } from '../commands.js';
import type { Shell } from '../shell.js';
import { type Ci, SHARED, starterFiles } from '../starter.js';

/** Writes a project that validates, plans and applies as it is, or one for the campaigns that a service has. Overwrites nothing. */
export async function run(
  { dir, baseUrl, env, tokenEnv, ci }: Flags<'init'>,
  shell: Shell,
): Promise<ExitCode> {
  refuse({ '--env': env, '--token-env': tokenEnv }, { baseUrl, ci });
  const root = resolve(shell.cwd, dir);
  const token = tokenEnv ?? 'CAMPAIGNS_TOKEN';
  const files = await starterFiles({ baseUrl, env: env ?? 'production', tokenEnv: token, ci });
  const there = Object.keys(files).filter((file) => existsSync(join(root, file)));
  const taken = there.filter((file) => !(file in SHARED));
  if (taken.length > 0) {
    throw new Failure({
      code: 'file-exists',
      message: `${taken.join(', ')} ${taken.length === 1 ? 'exists' : 'exist'} already. Nothing was written.`,
      hint: 'Choose an empty folder: campaignctl init DIR.',
    });
  }
  const written = Object.entries(files).filter(([file]) => !there.includes(file));
  for (const [file, content] of written) {
    const path = join(root, file);
    await makeFolder(dirname(path));
    await writeAtomic(path, content, { exclusive: true });
  }
  const where = relative(shell.cwd, root);
  const next = baseUrl === null ? TRY : adopt(ci === 'gitlab' ? `${token}_PRODUCTION` : token, ci);
  const steps = [...(where === '' ? [] : [`cd ${where}`]), ...next];
  const said = [
    ...written.map(([file]) => `wrote ${join(where, file)}\n`),
    ...Object.entries(SHARED).flatMap(([file, lines]) =>
      there.includes(file) ? [`\nAdd to your ${file}:\n${indented(lines)}`] : [],
    ),
    `\nNext:\n${indented(steps.join('\n'))}`,
    ci === null ? '' : `\nBefore the first run of the pipeline:\n${indented(BEFORE[ci])}`,
  ];
  shell.out(said.join(''));
  return EXIT.ok;
}

function indented(text: string): string {
  return text.trimEnd().replace(/^/gm, '  ').concat('\n');
}

/** The pipelines know two environments and the names of their tokens; the sandbox has neither. */
function refuse(
  given: Record<string, string | null>,
  { baseUrl, ci }: { baseUrl: string | null; ci: Ci | null },
): void {
  for (const [option, value] of Object.entries(given)) {
    if (value === null) continue;
    if (ci !== null)
      throw usage(
        `${option} does not go with --ci: the pipeline works with the environments staging and production, and names their tokens.`,
        'Leave it out, and change the files afterwards.',
      );
    if (baseUrl === null)
      throw usage(
        option === '--env'
          ? '--env goes with --base-url: without it, init writes the environment sandbox.'
          : `${option} goes with --base-url.`,
        `For example: campaignctl init --base-url https://send.example.com ${option} ${option === '--env' ? 'staging' : 'CAMPAIGNS_TOKEN'}.`,
      );
  }
}

/** What to do next, a command a line. */
const TRY = ['campaignctl validate', 'campaignctl plan', 'campaignctl apply'];

function adopt(token: string, ci: Ci | null): string[] {
  const env = ci === null ? '' : ' --env production';
  return [
    `export ${token}=…  # your API token; it never goes into a file`,
    `campaignctl list${env}          # what is there`,
    `campaignctl import --all${env}  # write a manifest for each campaign`,
    `campaignctl plan${env}          # no changes: the manifests match the live campaigns`,
  ];
}

const BEFORE: Record<Ci, string> = {
  github: `1. In campaignctl.yaml, write the addresses of staging and production.
2. In .github/workflows, write the repository of campaignctl for your-organisation/campaignctl.
3. Add the secrets CAMPAIGNS_TOKEN_STAGING and CAMPAIGNS_TOKEN_PRODUCTION, and the variable CAMPAIGNCTL_ORIGINS.
docs/pipelines.md of campaignctl explains each.`,
  gitlab: `1. In campaignctl.yaml, write the addresses of staging and production.
2. Make campaignctl a dependency: package.json and package-lock.json.
3. Add the variables that .gitlab-ci.yml names.
docs/pipelines.md of campaignctl explains each.`,
};
