import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { makeFolder, writeAtomic } from '../../files/atomic.js';
import { EXIT, type ExitCode, Failure, usage } from '../../model/failure.js';
import { FILE_NAME } from '../../project/project.js';
import { ASSISTANT_FILES } from '../assistant.js';
import type { Flags } from '../commands.js';
import { PIPELINES } from '../pipelines.generated.js';
import type { Shell } from '../shell.js';
import { type Ci, type Remote, SHARED, starterFiles } from '../starter.js';

type InitFlags = Flags<'init'>;

/**
 * Writes a new project; in an existing one, only the pipeline with its .gitignore, or the assistant's instructions. Overwrites
 * nothing.
 */
export async function run(flags: InitFlags, shell: Shell): Promise<ExitCode> {
  const { dir, baseUrl, env, tokenEnv, service, ci, agent } = flags;
  const root = resolve(shell.cwd, dir);
  const token = tokenEnv ?? 'CAMPAIGNS_TOKEN';
  const isProject = existsSync(join(root, FILE_NAME)) && (ci !== null || agent);
  refuseOptions(flags, isProject);
  const files = {
    ...(isProject
      ? {}
      : await starterFiles({
          baseUrl,
          env: env ?? 'production',
          tokenEnv: token,
          ci,
          service,
          remote:
            (await findRemote(root)) ?? (ci === null ? null : { name: 'origin', branch: null, id: newId() }),
        })),
    ...(ci === null ? {} : { ...PIPELINES[ci], '.gitignore': SHARED['.gitignore'] }),
    ...(agent ? ASSISTANT_FILES : {}),
  };
  const written = await writeNew(root, files);
  const where = relative(shell.cwd, root);
  const next = baseUrl === null ? TRY : adopt(ci === 'gitlab' ? `${token}_PRODUCTION` : token, ci);
  const steps = [...(where === '' ? [] : [`cd ${where}`]), ...next];
  const additions = Object.entries(files).filter(
    ([file, lines]) =>
      file in ADDED && !written.includes(file) && !readFileSync(join(root, file), 'utf8').includes(lines),
  );
  const blocks = [
    ...written.map((file) => `wrote ${join(where, file)}\n`),
    ...additions.map(([file, lines]) => `\nAdd to your ${file}:\n${indented(lines)}`),
    isProject ? '' : `\nNext:\n${indented(steps.join('\n'))}`,
    ci === null ? '' : `\nBefore the first run of the pipeline:\n${indented(BEFORE[ci])}`,
  ];
  shell.out(blocks.join(''));
  return EXIT.ok;
}

/** Existing files stay; their additions are printed. */
const ADDED = { ...SHARED, 'AGENTS.md': '' };

/** Returns the written files. Failure if another file exists. */
async function writeNew(root: string, files: Record<string, string>): Promise<string[]> {
  const there = Object.keys(files).filter((file) => existsSync(join(root, file)));
  const taken = there.filter((file) => !(file in ADDED));
  if (taken.length > 0) {
    throw new Failure({
      code: 'file-exists',
      message: `${taken.join(', ')} ${taken.length === 1 ? 'exists' : 'exist'} already. Nothing was written.`,
      hint: taken.includes(FILE_NAME)
        ? 'Choose an empty folder: campaignctl init DIR. In a project that exists, --ci and --agent write only their own files.'
        : 'Move or delete it first.',
    });
  }
  const missing = Object.entries(files).filter(([file]) => !there.includes(file));
  for (const [file, content] of missing) {
    const path = join(root, file);
    await makeFolder(dirname(path));
    await writeAtomic(path, content, { exclusive: true });
  }
  return missing.map(([file]) => file);
}

/** Prefers `origin`; `null` if there is none. */
async function findRemote(folder: string): Promise<Remote | null> {
  let cwd = folder;
  while (!existsSync(cwd)) cwd = dirname(cwd);
  const ask = async (...args: string[]) => {
    const answer = await promisify(execFile)('git', args, { cwd, timeout: 5_000 }).catch(() => null);
    return answer?.stdout.split('\n').filter((line) => line !== '') ?? [];
  };
  const names = await ask('remote');
  const name = names.find((remote) => remote === 'origin') ?? names[0];
  if (name === undefined) return null;
  const [top = cwd] = await ask('rev-parse', '--show-toplevel');
  // Projects in one repository need a branch each.
  const path = relative(top, join(realpathSync(cwd), relative(cwd, folder)));
  const branch = path === '' ? null : `campaignctl/${path.replace(/[^A-Za-z0-9/_-]+/g, '-')}`;
  return { name, branch, id: newId() };
}

/** Begins with a letter, so that YAML takes it for a text. */
const newId = () => `c${randomBytes(6).toString('hex').slice(1)}`;

function indented(text: string): string {
  return text.trimEnd().replace(/^/gm, '  ').concat('\n');
}

/** Options of a new project. A pipeline names environments and tokens itself; the sandbox needs neither. */
function refuseOptions({ baseUrl, service, env, tokenEnv, ci }: InitFlags, isProject: boolean): void {
  const values = { '--base-url': baseUrl, '--service': service, '--env': env, '--token-env': tokenEnv };
  const written = Object.entries(values).flatMap(([option, value]) => (value === null ? [] : [option]));
  if (isProject && written.length > 0)
    throw usage(
      `${written.join(', ')} is for a new project, and this folder has a ${FILE_NAME}.`,
      `Leave it out, and change ${FILE_NAME}.`,
    );
  const option = written.find((word) => word === '--env' || word === '--token-env');
  if (option === undefined) return;
  if (ci !== null)
    throw usage(
      `${option} does not go with --ci: the pipeline works with the environments staging and production, and names their tokens.`,
      'Leave it out, and change the files afterwards.',
    );
  if (baseUrl === null)
    throw usage(
      `${option} goes with --base-url: without it, init writes the environment sandbox.`,
      `For example: campaignctl init --base-url https://send.example.com ${option} ${option === '--env' ? 'staging' : 'CAMPAIGNS_TOKEN'}.`,
    );
}

/** Next commands. */
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
  github: `1. In campaignctl.yaml, have the environments staging and production with their addresses, and state: { backend: git }.
2. In .github/workflows, write the repository of campaignctl for your-organisation/campaignctl.
3. Add the secrets CAMPAIGNS_TOKEN_STAGING and CAMPAIGNS_TOKEN_PRODUCTION, and the variable CAMPAIGNCTL_ORIGINS.
docs/pipelines.md of campaignctl explains each.`,
  gitlab: `1. In campaignctl.yaml, have the environments staging and production with their addresses, and state: { backend: git }.
2. Make campaignctl a dependency, with its tarball in the repository: docs/releases.md.
3. Add the variables that .gitlab-ci.yml names.
docs/pipelines.md of campaignctl explains each.`,
};
