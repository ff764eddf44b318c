import { didYouMean, listed, nearest, quoted } from '../manifest/index.js';
import type { Environment } from '../model/environment.js';
import { Failure } from '../model/failure.js';
import type { Project } from './project.js';

/** What an environment is chosen by: somebody asks for it, the project file says so, or it is the only one. */
export type ChosenBy = 'request' | 'default' | 'only';

/** The name of the environment to work with, known or not; null where none is chosen. */
export function chooseEnvironment(
  { environments, default_environment }: Project,
  requested: string | null,
): { name: string; by: ChosenBy } | null {
  if (requested !== null) return { name: requested, by: 'request' };
  if (default_environment !== null) return { name: default_environment, by: 'default' };
  const [name, ...others] = Object.keys(environments);
  return name !== undefined && others.length === 0 ? { name, by: 'only' } : null;
}

/** The environment to work with: the requested one, else the default, else the only one. Throws a Failure. */
export function selectEnvironment(project: Project, requested: string | null): Environment {
  const names = Object.keys(project.environments);
  const chosen = chooseEnvironment(project, requested);
  if (chosen === null) {
    throw new Failure({
      code: 'environment-required',
      message: `The project has several environments: ${listed(names)}.`,
      hint: 'Choose one with --env or CAMPAIGNCTL_ENV, or set default_environment in the project file.',
    });
  }
  const { name } = chosen;
  const environment = Object.hasOwn(project.environments, name) ? project.environments[name] : undefined;
  if (environment !== undefined) return environment;
  throw new Failure({
    code: 'unknown-environment',
    message: `The project has no environment named ${quoted(name)}.`,
    hint: didYouMean(nearest(name, names)) ?? `It has: ${listed(names)}.`,
  });
}
