import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, posix, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import campaignSchema from '../../../schemas/campaign.schema.json' with { type: 'json' };
import projectSchema from '../../../schemas/project.schema.json' with { type: 'json' };
import { makeFolder, writeAtomic } from '../../files/atomic.js';
import { branchOf } from '../../model/environment.js';
import { EXIT, type ExitCode, Failure, inFiles, usage } from '../../model/failure.js';
import { objectAt } from '../../model/json.js';
import { shellWord } from '../../model/shell.js';
import { validateProject } from '../../operations/validate.js';
import { type ExtendableFile, findExtendable, isAboveProjects } from '../../project/extendable.js';
import { editorLine, SCHEMA_FILES } from '../../project/new-manifests.js';
import { openManifests } from '../../project/open-manifests.js';
import { FILE_NAME, readProject } from '../../project/project.js';
import { renderFindingsText } from '../../view/problems.js';
import { ASSISTANT } from '../assistant.generated.js';
import type { Flags } from '../commands.js';
import { MANY_PIPELINES, PIPELINES } from '../pipelines.generated.js';
import type { Shell } from '../shell.js';

/**
 * With `--ci` or `--agent` in an existing project, or above several, writes only their files and, for a pipeline, .gitignore. Without
 * them, fails above several. Overwrites nothing.
 */
export async function run({ dir, ci, agent, env }: Flags<'init'>, shell: Shell): Promise<ExitCode> {
  if (env !== null)
    throw usage(
      'init does not accept --env: it chooses the names of the environments itself.',
      'Leave out --env, and rename the environments in campaignctl.yaml.',
    );
  const root = resolve(shell.cwd, dir);
  const isAddition = ci !== null || agent;
  const isAbove = await isAboveProjects(root);
  if (isAbove && !isAddition) throw aboveProjects(relative(shell.cwd, root));
  const isProject = isAbove || (isAddition && existsSync(join(root, FILE_NAME)));
  const above = isAbove || (isProject && ci === null) ? null : findExtendable(root);
  if (ci !== null && above !== null) throw belowPipelines(ci, { root, above, cwd: shell.cwd });
  const base = isProject ? null : above;
  const pipelines = isAbove ? MANY_PIPELINES : PIPELINES;
  const ignored = SHARED['.gitignore'];
  const files: Record<string, string> = {
    ...(isProject ? {} : starterFiles({ ci, remote: await findRemote(root, ci), base, root })),
    ...(ci === null ? {} : { ...pipelines[ci], '.gitignore': isAbove ? deep(ignored) : ignored }),
    ...(agent ? ASSISTANT : {}),
  };
  const written = await writeNew(root, files);
  const where = relative(shell.cwd, root);
  const steps = [...(where === '' ? [] : [`cd ${shellWord(where)}`]), ...NEXT];
  const additions = Object.entries(files).filter(
    ([file, lines]) => file in KEPT && !written.includes(file) && lacks(join(root, file), lines),
  );
  const blocks = [
    ...written.map((file) => `wrote ${join(where, file)}\n`),
    base === null ? '' : `\n${FILE_NAME} extends ${base.file}\n${missingAbove(root, base, shell)}`,
    ...additions.map(([file, lines]) => `\nAdd these lines to your ${file}:\n${indented(lines)}`),
    base === null ? '' : await brokenRules(root, base, shell),
    isProject ? '' : `\nNext:\n${indented(steps.join('\n'))}`,
    ci === null
      ? ''
      : `\nBefore the first pipeline run:\n${indented(isAbove ? BEFORE_MANY[ci] : `${isProject ? ADD_ENVIRONMENTS : NAME_SERVICES}\n${BEFORE[ci]}`)}`,
    agent ? `\n${MOVE}` : '',
  ];
  shell.out(blocks.join(''));
  return EXIT.ok;
}

/** A project here would contain the others. `folder`: may be empty. */
function aboveProjects(folder: string): Failure {
  const place = folder === '' ? '' : ` ${shellWord(folder)}`;
  return usage(
    `${folder === '' ? 'This folder' : folder} contains projects, or a file that projects extend, so it is not a project itself. Nothing was written.`,
    `For a new project, name its folder: campaignctl init ${posix.join(folder, 'clients/NAME')}. For the pipelines of all projects, run campaignctl init${place} --ci github (or gitlab); for coding assistants, campaignctl init${place} --agent.`,
  );
}

/** Platforms run only the pipelines at the top of a repository. */
function belowPipelines(
  ci: Ci,
  { root, above, cwd }: { root: string; above: ExtendableFile; cwd: string },
): Failure {
  const folder = relative(cwd, root);
  const top = relative(cwd, join(root, dirname(above.file)));
  const [project, all] = [folder, top].map((place) => (place === '' ? '' : ` ${shellWord(place)}`));
  return usage(
    `A pipeline in ${folder === '' ? 'this folder' : folder} would not run: that of all projects belongs beside ${above.file}. Nothing was written.`,
    `For the pipelines of all projects, run campaignctl init${all} --ci ${ci}; for a new project without one, campaignctl init${project}.`,
  );
}

/** What the example campaign breaks in the extended file. Errors of that file are left to the next command. */
async function brokenRules(root: string, { file }: ExtendableFile, shell: Shell): Promise<string> {
  try {
    const manifests = openManifests(await readProject({ cwd: root, config: null, env: shell.env }));
    const { findings } = await validateProject(
      manifests,
      { env: 'sandbox', files: [] },
      { ...shell, cwd: root },
    );
    if (findings.length === 0) return '';
    const folder = relative(shell.cwd, root);
    const named = findings.map((finding) => inFiles(finding, (name) => join(folder, name)));
    return `\nThe example breaks rules of ${file}, so change it first:\n\n${renderFindingsText(named, shell.onOut).trimEnd()}\n`;
  } catch (error) {
    if (error instanceof Failure) return '';
    throw error;
  }
}

const NEXT = ['campaignctl validate', 'campaignctl plan', 'campaignctl apply'];

async function writeNew(root: string, files: Record<string, string>): Promise<string[]> {
  const existing = Object.keys(files).filter((file) => existsSync(join(root, file)));
  const conflicts = existing.filter((file) => !(file in KEPT));
  if (conflicts.length > 0) {
    throw new Failure({
      code: 'file-exists',
      message: `${conflicts.join(', ')} already ${conflicts.length === 1 ? 'exists' : 'exist'}. Nothing was written.`,
      hint: conflicts.includes(FILE_NAME)
        ? 'Choose an empty folder: campaignctl init DIR. In an existing project, --ci writes only the pipeline, and --agent only AGENTS.md and SKILL.md.'
        : 'Move or delete each existing file first.',
    });
  }
  const missing = Object.entries(files).filter(([file]) => !existing.includes(file));
  for (const [file, content] of missing) {
    const path = join(root, file);
    await makeFolder(dirname(path));
    await writeAtomic(path, content, { exclusive: true });
  }
  return missing.map(([file]) => file);
}

/**
 * Prefers the remote `origin`, whose name pipelines use. If there is no remote, returns `null` or, for a pipeline, assumes
 * `origin`.
 */
async function findRemote(folder: string, ci: Ci | null): Promise<Remote | null> {
  const id = `c${randomBytes(6).toString('hex').slice(1)}`;
  let cwd = folder;
  while (!existsSync(cwd)) cwd = dirname(cwd);
  const ask = async (...args: string[]) => {
    // In a container, the repository often belongs to a different user.
    const words = ['-c', 'safe.directory=*', '-c', 'core.fsmonitor=false', ...args];
    const answer = await promisify(execFile)('git', words, { cwd, timeout: 5_000 }).catch(() => null);
    return answer?.stdout.split('\n').filter((line) => line !== '') ?? [];
  };
  const names = await ask('remote');
  const name = names.find((remote) => remote === 'origin') ?? names[0];
  if (name === undefined) return ci === null ? null : { name: 'origin', branch: null, id };
  const [top = cwd] = await ask('rev-parse', '--show-toplevel');
  // Projects in one repository need separate branches.
  const path = relative(top, join(realpathSync(cwd), relative(cwd, folder)));
  const branch = path === '' ? null : branchOf(path);
  return { name, branch, id };
}

function indented(text: string): string {
  return text
    .trimEnd()
    .replace(/^(?=.)/gm, '  ')
    .concat('\n');
}

const ADD_ENVIRONMENTS =
  '1. In campaignctl.yaml, write the environments staging and production with their addresses, and state: { backend: git, id: ID } with an ID that no other project has.';
const NAME_SERVICES =
  '1. In campaignctl.yaml, write the addresses of staging and production, and the ids of their lead lists.';

const BEFORE: Record<Ci, string> = {
  github: `2. In .github/workflows, replace your-organisation/campaignctl with your campaignctl repository.
3. Add the secrets CAMPAIGNS_TOKEN_STAGING and CAMPAIGNS_TOKEN_PRODUCTION, and the variable CAMPAIGNCTL_ORIGINS.
docs/pipelines.md in the campaignctl repository explains each step.`,
  gitlab: `2. Make campaignctl a dependency, with its tarball in the repository: docs/releases.md.
3. Add the variables that .gitlab-ci.yml names.
docs/pipelines.md in the campaignctl repository explains each step.`,
};

const BEFORE_MANY: Record<Ci, string> = {
  github: `1. Make campaignctl a dependency in a package.json at the root: docs/releases.md.
2. In the jobs plan, staging and production, give each variable that a token_env names its secret.
3. Protect the environment campaigns-production: its reviewers approve each apply to production.
4. The jobs apply to environments whose names end in staging and production. If yours have other names, change --env in apply.yml; if no project has a staging, remove that job.
docs/many-projects.md in the campaignctl repository explains each step.`,
  gitlab: `1. Make campaignctl a dependency in a package.json at the root: docs/releases.md.
2. Add a variable for each token_env, STATE_TOKEN and GITLAB_TOKEN.
3. Protect the environment campaigns/production: who may deploy to it approves each apply to production.
4. The jobs apply to environments whose names end in staging and production. If yours have other names, change --env; if no project has a staging, remove that job.
docs/many-projects.md in the campaignctl repository explains each step.`,
};

const MOVE =
  'Assistants read AGENTS.md in the folder in which they work. If yours reads skills from a folder, move SKILL.md there, into a folder named campaignctl.\n';

type Ci = keyof typeof PIPELINES;

/** `branch`: `null` if the project is at the root of its repository. */
interface Remote {
  name: string;
  branch: string | null;
  id: string;
}

interface Starter {
  ci: Ci | null;
  remote: Remote | null;
  base: ExtendableFile | null;
  root: string;
}

/** A project that extends a file shares the schemas and git's files with the projects around it. */
function starterFiles({ ci, remote, base, root }: Starter): Record<string, string> {
  const both = ['staging', 'production'];
  const names = ci !== null || base?.environments.includes('staging') ? both : ['production'];
  const folder = base === null ? '' : relative(join(root, dirname(base.file)), root);
  const written = names
    .map((name) => {
      const isTested = base !== null && name === 'production' && names.includes('staging');
      const token = base === null ? tokenOf(name, ci, names) : clientToken(folder, name);
      return service(name, token, isTested);
    })
    .join('');
  const services =
    ci === null
      ? `  # Your workspace${names.length > 1 ? 's' : ''}. The token comes from the environment variable, never from a file.\n${written.replace(/^ {2}/gm, '  # ')}`
      : written;
  const project = `${HEAD}${remote === null ? '' : stateOn(remote)}${SANDBOX}${services}`;
  if (base !== null)
    return {
      'campaignctl.yaml': `${sharedLine('', 'project', base)}${withBase(project, base)}`,
      'campaigns/spring.yaml': `${sharedLine('campaigns', 'campaign', base)}${manifestFor(base)}`,
    };
  return {
    'campaignctl.yaml': `${editorLine('', 'project')}${project}`,
    'campaigns/spring.yaml': `${editorLine('campaigns', 'campaign')}${MANIFEST}`,
    ...SHARED,
    [SCHEMA_FILES.campaign]: asFile(campaignSchema),
    [SCHEMA_FILES.project]: asFile(projectSchema),
  };
}

function sharedLine(folder: string, schema: string, { schemas }: ExtendableFile): string {
  if (schemas === null) return '';
  return `# yaml-language-server: $schema=${posix.join(posix.relative(folder, '.'), schemas, `${schema}.schema.json`)}\n`;
}

/** Leaves out what the extended file has. */
function withBase(project: string, { file, defaults }: ExtendableFile): string {
  const inherited = [
    ...(Object.hasOwn(defaults, 'custom_variables') ? ['custom_variables'] : []),
    ...(Object.hasOwn(objectAt(defaults, 'lead_lists'), 'installers') ? ['lead_lists'] : []),
  ];
  return inherited.reduce(
    (text, key) => text.replaceAll(new RegExp(`^[ #]*${key}:.*\\n`, 'gm'), ''),
    project.replace('version: 1\n', `version: 1\nextends: ${file}\n`),
  );
}

/** The example has no variables if the extended file lists others. */
function manifestFor({ defaults }: ExtendableFile): string {
  const listed = defaults.custom_variables;
  const isKnown = (name: string) => !Array.isArray(listed) || listed.includes(name);
  if (isKnown('FIRST_NAME') && isKnown('COMPANY')) return MANIFEST;
  return MANIFEST.replaceAll('"{FIRST_NAME}, a sample for {COMPANY}?"', 'A sample for you?')
    .replace(' Shall I send one to {COMPANY}?', ' Shall I send one?')
    .replaceAll(/,? \{FIRST_NAME\}/g, '');
}

/** Lines for git's files beside the extended file, unless such a file there or above has them. */
function missingAbove(root: string, { file }: ExtendableFile, { cwd }: Pick<Shell, 'cwd'>): string {
  const folder = dirname(join(root, file));
  const isKnown = (name: string, text: string, above = folder): boolean => {
    const path = join(above, name);
    if (!lacks(path, text)) return true;
    return (
      !existsSync(join(above, '.git')) && above !== dirname(above) && isKnown(name, text, dirname(above))
    );
  };
  return Object.entries(SHARED)
    .filter(([name, lines]) => !isKnown(name, lines) && !isKnown(name, deep(lines)))
    .map(
      ([name, lines]) =>
        `\nAdd these lines to ${relative(cwd, join(folder, name))}:\n${indented(deep(lines))}`,
    )
    .join('');
}

/** For the folders below: there, patterns with a slash need a prefix. */
function deep(lines: string): string {
  return lines.replaceAll(/^(!?)\.campaignctl/gm, '$1**/.campaignctl');
}

/** True if the file lacks one of the lines. Comments and white space do not count. */
function lacks(path: string, text: string): boolean {
  if (!existsSync(path)) return true;
  const linesOf = (all: string) => all.split('\n').map((line) => line.trim().replace(/\s+/g, ' '));
  const present = new Set(linesOf(readFileSync(path, 'utf8')));
  return linesOf(text).some((line) => line !== '' && !line.startsWith('#') && !present.has(line));
}

/** On GitHub, each job gets one token. */
function tokenOf(environment: string, ci: Ci | null, { length }: readonly string[]): string {
  return ci !== 'github' && length > 1 ? `CAMPAIGNS_TOKEN_${environment.toUpperCase()}` : 'CAMPAIGNS_TOKEN';
}

/** "clients/acme/uk" → "ACME_UK_TOKEN". Each client has its own, so that no command takes that of another one. */
function clientToken(folder: string, environment: string): string {
  const name = folder
    .replace(/^clients[\\/]/, '')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^_|_$/g, '');
  const words = [
    ...(/^[A-Z]/.test(name) ? [name] : ['CLIENT', name]),
    environment === 'staging' ? 'STAGING' : '',
    'TOKEN',
  ];
  return words.filter(Boolean).join('_');
}

/** `isTested`: in staging, before anything is applied here. */
function service(name: string, token: string, isTested: boolean): string {
  return `  ${name}:
    base_url: https://${name === 'production' ? 'send' : name}.example.com
    token_env: ${token}${isTested ? '\n    require_applied: staging' : ''}
    custom_variables: [FIRST_NAME, COMPANY]
    lead_lists: { installers: 77 }
`;
}

function asFile(schema: object): string {
  return `${JSON.stringify(schema, null, 2)}\n`;
}

const HEAD = `# The manifests, and the services that they are applied to.
version: 1
manifests: [campaigns/**/*.yaml]
`;

function stateOn({ name, branch, id }: Remote): string {
  const words = [name === 'origin' ? null : `remote: ${name}`, branch && `branch: ${branch}`, `id: ${id}`];
  const options = ['backend: git', ...words].filter(Boolean).join(', ');
  return `# campaignctl keeps its state on a branch that all machines share.\nstate: { ${options} }\n`;
}

const SANDBOX = `default_environment: sandbox

environments:
  # The built-in service. Try everything here: it sends no email.
  sandbox:
    sandbox: {}
    custom_variables: [FIRST_NAME, COMPANY]
    lead_lists: { installers: 12 }

`;

const MANIFEST = `# Each document is one campaign. Fields that are left out are not managed.
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

        Our clamp sets fit without drilling. Shall I send one to {COMPANY}?
      wait_in_days: 3
    - email_subject: "{FIRST_NAME}, a sample for {COMPANY}?"
      email_body: |
        Just an address is enough, {FIRST_NAME}.
      wait_in_days: 4
      thread_reply: true
leads:
  lists: [installers]
# status: running launches the campaign, which needs --allow launch.
status: paused
`;

const SHARED = {
  '.gitignore': `# State and sandbox data, which a checkout must not roll back; plans and pages, which contain the text of emails; the data of leads.
.campaignctl/*
!.campaignctl/schemas/
plan.json
plan-*.json
plans/
plan.html
plan-*.html
plans.html
preview.html
preview-*.html
leads.csv
`,
  '.gitattributes': `# Emails have the same line endings on every machine.
* text=auto eol=lf
`,
};

/** Files that may exist: they are kept, and `init` says what to add. */
const KEPT = { ...SHARED, 'AGENTS.md': ASSISTANT['AGENTS.md'] };
