import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import { action, ROOT, type Step } from './files.js';

/** The result of using the action. `log`: output of the steps. `summary`: the job's summary. */
export interface Used {
  outputs: Record<string, string>;
  failed: string | null;
  ran: string[];
  log: string;
  summary: string;
}

/** Runs the action as GitHub's runner does, with a folder for the project and one for artifacts. */
export interface Runner {
  project: string;
  artifacts: string;
  /** Runs the steps of the action in the project. `env`: environment variables of the job. */
  use(inputs: Record<string, string>, env?: Record<string, string>): Promise<Used>;
  close(): void;
}

export function openRunner(): Runner {
  const home = mkdtempSync(join(tmpdir(), 'campaignctl-runner-'));
  const project = join(home, 'project');
  const artifacts = join(home, 'artifacts');
  for (const folder of [project, artifacts]) mkdirSync(folder);
  return {
    project,
    artifacts,
    use: (inputs, env = {}) => use({ home, project, artifacts, inputs, env }),
    close: () => rmSync(home, { recursive: true, force: true }),
  };
}

interface Use {
  home: string;
  project: string;
  artifacts: string;
  inputs: Record<string, string>;
  env: Record<string, string>;
}

async function use({ home, project, artifacts, inputs, env }: Use): Promise<Used> {
  const temp = mkdtempSync(join(home, 'temp-'));
  const file = (name: string) => join(temp, name);
  for (const name of ['path', 'output', 'summary']) writeFileSync(file(name), '');
  const steps: Record<string, { outputs: Record<string, string> }> = {};
  const context = {
    inputs: {
      ...Object.fromEntries(Object.entries(action.inputs).map(([name, input]) => [name, input.default])),
      ...inputs,
    },
    github: {
      event_name: env.GITHUB_EVENT_NAME ?? 'push',
      run_id: '1',
      token: env.GITHUB_TOKEN ?? '',
      server_url: env.GITHUB_SERVER_URL ?? '',
    },
    runner: { temp },
    steps,
  };
  const used: Used = { outputs: {}, failed: null, ran: [], log: '', summary: '' };
  const fill = (value: string) => filled(value, context);

  for (const step of action.runs.steps) {
    if (step.if !== undefined && !evaluate(step.if, context)) continue;
    used.ran.push(step.name ?? step.id ?? String(step.uses));
    if (step.uses !== undefined) {
      const outputs = borrow(step, { folder: project, artifacts, fill });
      if (step.id !== undefined) steps[step.id] = { outputs };
      continue;
    }
    writeFileSync(file('output'), '');
    const more = readFileSync(file('path'), 'utf8').trim().split('\n').reverse();
    const { code, output } = await bash(
      step.run ?? '',
      join(project, fill(step['working-directory'] ?? '.')),
      {
        PATH: [...more, dirname(process.execPath), process.env.PATH].join(delimiter),
        HOME: home,
        RUNNER_TEMP: temp,
        GITHUB_ACTION_PATH: ROOT,
        GITHUB_PATH: file('path'),
        GITHUB_OUTPUT: file('output'),
        GITHUB_STEP_SUMMARY: file('summary'),
        ...env,
        ...Object.fromEntries(Object.entries(step.env ?? {}).map(([name, value]) => [name, fill(value)])),
      },
    );
    used.log += output;
    if (step.id !== undefined) steps[step.id] = { outputs: readOutputs(file('output')) };
    if (code === 0) continue;
    used.failed = step.name ?? step.id ?? '';
    break;
  }
  used.outputs = Object.fromEntries(
    Object.entries(action.outputs).map(([name, { value }]) => [name, fill(value)]),
  );
  used.summary = readFileSync(file('summary'), 'utf8');
  return used;
}

export const ARTIFACTS = 'https://github.example/acme/mailings/actions/runs/1/artifacts';

/** Takes the place of GitHub's own actions, and returns the outputs of the step. `folder`: the checkout. */
export function borrow(
  { uses = '', with: input = {} }: Step,
  { folder, artifacts, fill }: { folder: string; artifacts: string; fill(value: string): string },
): Record<string, string> {
  const text = (name: string) => fill(String(input[name] ?? ''));
  const path = resolve(folder, text('path'));
  if (uses.startsWith('actions/upload-artifact@')) {
    const name = input.archive === false ? basename(path) : text('name');
    const isWhole = input.archive === false || statSync(path).isDirectory();
    cpSync(path, isWhole ? join(artifacts, name) : join(artifacts, name, basename(path)), {
      recursive: true,
    });
    return { 'artifact-url': `${ARTIFACTS}/${name}` };
  }
  if (uses.startsWith('actions/download-artifact@')) {
    const prefix = text('pattern').replace('*', '');
    const names =
      prefix === '' ? [text('name')] : readdirSync(artifacts).filter((name) => name.startsWith(prefix));
    for (const name of names) {
      if (!existsSync(join(artifacts, name))) throw new Error(`There is no artifact ${name}.`);
      cpSync(join(artifacts, name), path, { recursive: true });
    }
  } else if (!/^actions\/(checkout|setup-node)@/.test(uses)) throw new Error(`${uses} is not a known value.`);
  return {};
}

/** Runs bash as the runner does for `shell: bash`. */
export function bash(
  script: string,
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}

function readOutputs(file: string): Record<string, string> {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}

export function filled(value: string, context: object): string {
  return value.replace(/\$\{\{(.*?)\}\}/gs, (_, expression: string) =>
    String(evaluate(expression, context) ?? ''),
  );
}

/** Evaluates the expressions that the action uses: names, texts, `==`, `!=`, `&&`, `||`. */
function evaluate(expression: string, context: object): unknown {
  const get = (path: string) =>
    path
      .split('.')
      .reduce<unknown>((value, key) => (Object(value) as Record<string, unknown>)[key] ?? '', context);
  const script = expression.replace(/'[^']*'|[a-z]+(?:\.[\w-]+)+/g, (word) =>
    word.startsWith("'") ? word : `get(${JSON.stringify(word)})`,
  );
  return new Function('get', `return (${script});`)(get);
}
