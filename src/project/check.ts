import { didYouMean, listed, nearest, quoted, type Violation } from '../manifest/index.js';
import { isObject, type Json, type JsonObject } from '../model/json.js';
import type { Path } from '../model/problem.js';
import { switchViolations } from '../rules/index.js';

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

/** What is wrong with the address and the token's variable of an environment. Never repeats what may be a secret. */
export function addressViolations(environment: JsonObject, path: Path): Violation[] {
  const { base_url, token_env } = environment;
  return [
    ...(typeof base_url === 'string' && base_url !== ''
      ? urlViolations(base_url, [...path, 'base_url'])
      : []),
    ...(typeof token_env === 'string' && token_env !== ''
      ? tokenViolations(token_env, [...path, 'token_env'])
      : []),
  ];
}

function urlViolations(text: string, path: Path): Violation[] {
  // The URL parser forgives white space and backslashes; what is sent later would not be what was checked.
  const url = !/[\s\\]/.test(text) && URL.canParse(text) ? new URL(text) : null;
  const at = { path, target: 'value' } as const;
  if (url === null || url.hostname === '') {
    const hint = 'Write it in full: https://send.example.com';
    return [{ code: 'wrong-value', message: 'base_url is not an address.', hint, ...at, ...hidden(text) }];
  }
  if (url.username !== '' || url.password !== '') {
    const message = 'base_url holds a user name or password.';
    const hint =
      'Take it out of the file and replace it where it is used; the token goes into the variable of token_env.';
    return [{ code: 'secret-in-file', message, hint, ...at, secret: true }];
  }
  if (text.includes('?') || text.includes('#')) {
    const hint = 'Write scheme, host and, if there is one, the path only.';
    return [
      { code: 'wrong-value', message: 'base_url has a query or a fragment.', hint, ...at, secret: true },
    ];
  }
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) return [];
  const message = `base_url begins with ${url.protocol}//: the token would go over the network in the clear.`;
  const hint = 'Write https://; http:// is taken for a loopback address (localhost, 127.0.0.1, [::1]) only.';
  return [{ code: 'wrong-value', message, hint, ...at }];
}

/** What cannot be read as an address may still hold one with a password. */
function hidden(text: string): { secret?: true } {
  return text.includes('@') ? { secret: true } : {};
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

function tokenViolations(text: string, path: Path): Violation[] {
  const at = { path, target: 'value', secret: true } as const;
  const hint = 'Write the name of an environment variable, such as CAMPAIGNS_TOKEN.';
  if (looksLikeToken(text)) {
    const replace = 'If it is a token, replace it in the service: it was in a file.';
    return [
      {
        code: 'secret-in-file',
        message: 'token_env looks like a token itself.',
        hint: `${hint} ${replace}`,
        ...at,
      },
    ];
  }
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(text)) return [];
  return [
    { code: 'wrong-value', message: 'token_env is not the name of an environment variable.', hint, ...at },
  ];
}

/** Long, and either with characters that no name has or a jumble of letters and digits without words. */
function looksLikeToken(text: string): boolean {
  if (/^(bearer|basic)\s/i.test(text) || /^\d+\|/.test(text)) return true;
  if (text.length < 16) return false;
  return (
    !/^[A-Za-z_][A-Za-z0-9_]*$/.test(text) ||
    (/\d/.test(text) && /[a-z]/.test(text)) ||
    (!text.includes('_') && /\d/.test(text))
  );
}
