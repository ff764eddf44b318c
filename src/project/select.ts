import { didYouMean, listed, nearest, quoted } from '../manifest/index.js';
import type { Environment } from '../model/environment.js';
import { Failure } from '../model/failure.js';
import type { Project } from './project.js';

/** The environment to work with: the requested one, else the default, else the only one. Throws a Failure. */
export function selectEnvironment(project: Project, requested: string | null): Environment {
  const names = Object.keys(project.environments);
  const only = names.length === 1 ? (names[0] ?? null) : null;
  const name = requested ?? project.default_environment ?? only;
  if (name === null) {
    throw new Failure({
      code: 'environment-required',
      message: `The project has several environments: ${listed(names)}.`,
      hint: 'Choose one with --env or CAMPAIGNCTL_ENV, or set default_environment in the project file.',
    });
  }
  const environment = Object.hasOwn(project.environments, name) ? project.environments[name] : undefined;
  if (environment !== undefined) return environment;
  throw new Failure({
    code: 'unknown-environment',
    message: `The project has no environment named ${quoted(name)}.`,
    hint: didYouMean(nearest(name, names)) ?? `It has: ${listed(names)}.`,
  });
}
