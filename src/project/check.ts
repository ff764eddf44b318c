import { unknownEnvironment } from '../manifest/errors.js';
import { environmentVariableIn } from '../manifest/spellings.js';
import type { Violation } from '../manifest/violation.js';
import { checkAddress } from '../model/address.js';
import { isObject, type Json, type JsonObject, type Path } from '../model/json.js';
import { switchViolations } from '../rules/check.js';

export function checkProject(value: Json): Violation[] {
  if (!isObject(value)) return [];
  const environments = isObject(value.environments) ? value.environments : {};
  const names = Object.keys(environments);
  return [
    ...remoteViolations(value.state, []),
    ...(isObject(value.defaults) ? formViolations(value.defaults, ['defaults']) : []),
    ...(value.environments === undefined
      ? []
      : nameViolations(value.default_environment, names, ['default_environment'])),
    ...caseViolations(names),
    ...Object.entries(environments).flatMap(([name, environment]) => {
      if (!isObject(environment)) return [];
      const path = ['environments', name];
      return [
        ...serviceViolations(environment, path),
        ...earlierViolations(environment, names, path),
        ...remoteViolations(environment.state, path),
        ...formViolations(environment, path),
      ];
    }),
    ...switchViolations(value.lint),
  ];
}

function caseViolations(names: readonly string[]): Violation[] {
  return names.flatMap((name, at): Violation[] => {
    const other = names.slice(0, at).find((earlier) => earlier.toLowerCase() === name.toLowerCase());
    if (other === undefined) return [];
    const message = `The environments ${other} and ${name} differ only in case: on macOS and Windows, they would use the same state folder.`;
    const hint = 'Give one of them a different name.';
    return [{ code: 'conflicting-keys', message, hint, path: ['environments', name], target: 'key' }];
  });
}

/** Names match in Unicode form NFC, so a second form of a name would hide the first one's id. */
function formViolations(settings: JsonObject, path: readonly string[]): Violation[] {
  return ['lead_lists', 'schedule_templates'].flatMap((table) => {
    const ids = settings[table];
    const names = Object.keys(isObject(ids) ? ids : {});
    return names.flatMap((name, at): Violation[] => {
      const isSame = (other: string) => other.normalize('NFC') === name.normalize('NFC');
      if (!names.slice(0, at).some(isSame)) return [];
      const message = `${table} has the name ${name} twice, in two Unicode forms.`;
      const hint = 'Keep only one of them.';
      return [{ code: 'conflicting-keys', message, hint, path: [...path, table, name], target: 'key' }];
    });
  });
}

/** Credentials for a remote belong in git's configuration, because plans and messages would show them. */
function remoteViolations(state: Json | undefined, path: readonly string[]): Violation[] {
  const remote = isObject(state) ? state.remote : undefined;
  if (typeof remote !== 'string') return [];
  const [, scheme = '', user = ''] = /(\w+):\/\/(?:([^/]*)@)?/.exec(remote) ?? [];
  const isWeb = /^https?$/i.test(scheme);
  const holdsUser = user.includes(':') || (isWeb && user !== '') || /^[^/]*:[^/]*@/.test(remote);
  if (!holdsUser && !(scheme !== '' && /[?#]/.test(remote))) return [];
  const message = `state.remote contains a ${holdsUser ? 'user name or password' : 'query or a fragment'}.`;
  const hint =
    'Remove it, and let git supply the credentials (through a credential helper or SSH). Replace any credential that was in the file.';
  const place = { path: [...path, 'state', 'remote'], target: 'value', secret: true } as const;
  return [{ code: 'secret-in-file', message, hint, ...place }];
}

function nameViolations(name: Json | undefined, known: readonly string[], path: Path): Violation[] {
  if (typeof name !== 'string' || known.includes(name)) return [];
  return [{ ...unknownEnvironment(name, known), path, target: 'value' }];
}

function earlierViolations(
  { require_applied: earlier }: JsonObject,
  names: readonly string[],
  path: readonly string[],
): Violation[] {
  const others = names.filter((name) => name !== path.at(-1));
  const message = `require_applied of ${earlier} names ${earlier} itself.`;
  return nameViolations(earlier, others, [...path, 'require_applied']).map((violation) =>
    earlier === path.at(-1) ? { ...violation, message } : violation,
  );
}

/** Messages never repeat a value that may be a secret. */
function serviceViolations(environment: JsonObject, path: readonly string[]): Violation[] {
  const { base_url, insecure_http, token_env } = environment;
  const [mixed, ...others] = ['base_url', 'token_env'].filter(
    (key) => 'sandbox' in environment && key in environment,
  );
  // The schema reports a mix of all three keys.
  if (others.length > 0) return [];
  if (mixed !== undefined) {
    const message = `${path.at(-1)} has both sandbox and ${mixed}.`;
    const hint = 'Write either sandbox (the built-in service) or base_url and token_env.';
    return [{ code: 'conflicting-keys', message, hint, path: [...path, mixed], target: 'key' }];
  }
  const rules = { insecureHttp: insecure_http === true };
  const url =
    typeof base_url === 'string' && base_url !== '' ? checkAddress('base_url', base_url, rules) : null;
  const token = typeof token_env === 'string' && token_env !== '' ? tokenFault(token_env) : null;
  return [
    ...(url === null ? [] : [{ ...url, path: [...path, 'base_url'], target: 'value' } as const]),
    ...(token === null
      ? []
      : [{ ...token, path: [...path, 'token_env'], target: 'value', secret: true } as const]),
  ];
}

function tokenFault(text: string): Omit<Violation, 'path' | 'target'> | null {
  const variable = environmentVariableIn(text);
  if (variable !== null)
    return {
      code: 'wrong-value',
      message: 'token_env is the name of a variable, without "$" and braces.',
      hint: `Write token_env: ${variable}.`,
    };
  const hint = 'Write the name of an environment variable, such as CAMPAIGNS_TOKEN.';
  if (looksLikeToken(text))
    return {
      code: 'secret-in-file',
      message: 'token_env seems to contain a token.',
      hint: `${hint} If the value is a token, revoke it and create a new one, because it was stored in a file.`,
    };
  if (NAME.test(text)) return null;
  return { code: 'wrong-value', message: 'token_env is not the name of an environment variable.', hint };
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

function looksLikeToken(text: string): boolean {
  if (/^(bearer|basic)\s/i.test(text) || /^\d+\|/.test(text)) return true;
  if (text.length < 16) return false;
  return !NAME.test(text) || (/\d/.test(text) && (/[a-z]/.test(text) || !text.includes('_')));
}
