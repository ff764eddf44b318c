import { didYouMean, listed, nearest, quoted, type Violation } from '../manifest/index.js';
import { isObject, type Json, type JsonObject } from '../model/json.js';
import type { Path } from '../model/problem.js';
import { switchViolations } from '../rules/index.js';
import { addressViolations } from './address.js';

/**
 * What no schema can say of a project file. Takes any document: what is not of the right type is left alone, since
 * the schema has spoken of that.
 */
export function checkProject(value: Json): Violation[] {
  if (!isObject(value)) return [];
  const environments = section(value.environments);
  return [
    ...patternViolations(value.manifests),
    ...defaultViolations(value.default_environment, Object.keys(environments)),
    ...Object.entries(environments).flatMap(([name, environment]) =>
      isObject(environment)
        ? [
            ...environmentViolations(environment, ['environments', name]),
            ...stageViolations(environment.require_applied, name, Object.keys(environments)),
          ]
        : [],
    ),
    ...switchViolations(value.lint),
  ];
}

function environmentViolations(environment: JsonObject, path: Path): Violation[] {
  const mixed = ['base_url', 'token_env'].filter((key) => 'sandbox' in environment && key in environment);
  // With all three keys the schema complains already.
  if (mixed.length === 1) return [sandboxAndMore([...path, mixed[0] ?? ''])];
  return mixed.length > 0 ? [] : addressViolations(environment, path);
}

function sandboxAndMore(path: Path): Violation {
  return {
    code: 'conflicting-keys',
    message: `${path.at(-2)} has both sandbox and ${path.at(-1)}.`,
    hint: 'Give either sandbox (the embedded service) or base_url and token_env.',
    path,
    target: 'key',
  };
}

function patternViolations(patterns: Json | undefined): Violation[] {
  if (!Array.isArray(patterns)) return [];
  return patterns.flatMap((pattern, index): Violation[] => {
    if (typeof pattern !== 'string') return [];
    const parts = pattern.replace(/^!/, '').split('/');
    if (parts[0] !== '' && !/^[A-Za-z]:/.test(pattern) && !parts.includes('..')) return [];
    return [
      {
        code: 'file-outside-project',
        message: `The pattern ${quoted(pattern)} leads out of the project.`,
        hint: 'Write a path relative to the project file, without "..".',
        path: ['manifests', index],
        target: 'value',
      },
    ];
  });
}

function defaultViolations(name: Json | undefined, known: readonly string[]): Violation[] {
  if (typeof name !== 'string' || known.includes(name)) return [];
  return [
    {
      code: 'unknown-environment',
      message: `There is no environment named ${quoted(name)}.`,
      hint: didYouMean(nearest(name, known)) ?? `There are: ${listed(known)}.`,
      path: ['default_environment'],
      target: 'value',
    },
  ];
}

function stageViolations(stage: Json | undefined, own: string, known: readonly string[]): Violation[] {
  const others = known.filter((name) => name !== own);
  if (typeof stage !== 'string' || others.includes(stage)) return [];
  return [
    {
      code: 'unknown-environment',
      message:
        stage === own
          ? `${own} cannot come before itself.`
          : `There is no environment named ${quoted(stage)}.`,
      hint:
        didYouMean(nearest(stage, others)) ??
        (others.length > 0 ? `There are: ${listed(others)}.` : 'Add the environment, or leave the key out.'),
      path: ['environments', own, 'require_applied'],
      target: 'value',
    },
  ];
}

function section(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}
