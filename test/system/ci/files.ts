import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** A step of a job or of a composite action. */
export interface Step {
  id?: string;
  name?: string;
  if?: string;
  uses?: string;
  run?: string;
  shell?: string;
  env?: Record<string, string>;
  with?: Record<string, string | number | boolean>;
  'working-directory'?: string;
}

export interface Action {
  inputs: Record<string, { description: string; default: string }>;
  outputs: Record<string, { description: string; value: string }>;
  runs: { using: string; steps: Step[] };
}

export interface Workflow {
  jobs: Record<string, { steps: Step[]; [key: string]: unknown }>;
  [key: string]: unknown;
}

export function text(file: string): string {
  return readFileSync(`${ROOT}${file}`, 'utf8');
}

export const action: Action = parse(text('action.yml'));

export const workflows = readdirSync(`${ROOT}examples/ci/github`).map((name) => {
  const file = `examples/ci/github/${name}`;
  return { file, workflow: parse(text(file)) as Workflow };
});

/** The jobs of the pipeline for GitLab: everything with a script. */
export const gitlab: Record<string, Record<string, unknown>> = parse(
  text('examples/ci/gitlab/.gitlab-ci.yml'),
);

/** A job of that pipeline, merged with the jobs that it extends. */
export function gitlabJob(name: string): Record<string, unknown> {
  const local = gitlab[name] ?? {};
  return typeof local.extends === 'string' ? { ...gitlabJob(local.extends), ...local } : local;
}

/** All scripts of pipelines, with their locations. */
export function scripts(): [where: string, script: string][] {
  const steps = [
    ...workflows.flatMap(({ file, workflow }) =>
      Object.entries(workflow.jobs).flatMap(([job, { steps }]) =>
        steps.map((step) => ({ where: `${file} ${job}`, step })),
      ),
    ),
    ...action.runs.steps.map((step) => ({ where: 'action.yml', step })),
  ];
  const runs = steps.flatMap(({ where, step }): [string, string][] =>
    step.run === undefined ? [] : [[`${where}, ${step.name ?? step.id ?? 'a step'}`, step.run]],
  );
  const lines = Object.entries(gitlab).flatMap(([job, value]) =>
    ['before_script', 'script', 'after_script'].flatMap((part): [string, string][] => {
      const script = value[part];
      return Array.isArray(script) ? [[`.gitlab-ci.yml ${job}, ${part}`, script.join('\n')]] : [];
    }),
  );
  return [...runs, ...lines];
}

export function has(program: string): boolean {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;
}
