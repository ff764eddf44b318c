import { isObject, type Json } from '../model/json.js';
import type {
  EffectiveConfig,
  EffectiveSetting,
  EnvironmentVariable,
  SettingSource,
} from '../model/outputs.js';
import { type Column, fitted, type TextOptions, visibleLine } from './terminal.js';
import { wrap } from './words.js';

const COLUMNS: readonly Column[] = [
  { head: 'setting', shrink: [{ turn: 2, least: 20 }] },
  { head: 'value', shrink: [{ turn: 1, least: 20 }] },
  { head: 'from', cut: 'start', shrink: [{ turn: 3, least: 12 }] },
];

/** What is in effect and where it comes from, for a terminal. Defaults are dim: nobody has chosen them. */
export function renderConfigText(config: EffectiveConfig, { paint, width }: TextOptions): string {
  const { project, environment, environments, settings, variables } = config;
  const found = project.origin.kind === 'flag' ? project.origin.name : 'the first from here upward';
  const [head = [], ...rows] = fitted(COLUMNS, settings.map(row), width - 2);
  const lines = rows.map((cells, at) => {
    const line = `  ${cells.join('  ')}`;
    return settings[at]?.origin.kind === 'default' ? paint('dim', line) : line;
  });
  const all = [
    `${paint('bold', 'Project')}      ${visibleLine(project.file)}  (${found})`,
    `${paint('bold', 'Environment')}  ${chosen(environment, environments)}`,
    ...(environment === null ? environmentLines(environments) : tokenLines(settings, variables)),
    '',
    paint('dim', `  ${head.join('  ')}`),
    ...lines,
    '',
    ...variableLines(variables, width),
    '',
    ...wrap(
      'A flag goes before a variable, a variable before the project file, that before the default.',
      width,
    ),
  ];
  return `${all.join('\n')}\n`;
}

function chosen(
  environment: EffectiveConfig['environment'],
  environments: EffectiveConfig['environments'],
): string {
  if (environment === null) return 'none is chosen: --env or CAMPAIGNCTL_ENV is required';
  const others = environments.map(({ name }) => name).filter((name) => name !== environment.name);
  const rest = others.length === 0 ? '' : `; there is also ${others.join(', ')}`;
  return `${environment.name}  (${originWords(environment.origin)}${rest})`;
}

function environmentLines(environments: EffectiveConfig['environments']): string[] {
  const widest = Math.max(...environments.map(({ name }) => name.length));
  return environments.map(({ name, base_url }) => `  ${name.padEnd(widest)}  ${visibleLine(base_url)}`);
}

/** Whether there is a token, and never more of it. */
function tokenLines(
  settings: readonly EffectiveSetting[],
  variables: readonly EnvironmentVariable[],
): string[] {
  const name = settings.find(({ key }) => key === 'token_env')?.value;
  const token = variables.find((one) => one.name === name);
  return token === undefined ? [] : [`Token        ${token.name} is ${token.set ? '' : 'not '}set`];
}

function row({ key, value, origin }: EffectiveSetting): string[] {
  return [visibleLine(key), words(value), originWords(origin)];
}

function words(value: Json): string {
  if (value === null) return '—';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : visibleLine(value.map(String).join(', '));
  if (isObject(value)) return 'none';
  return visibleLine(String(value));
}

/** "campaignctl.yaml:12", "--env", "default" */
function originWords({ kind, name, line }: SettingSource): string {
  switch (kind) {
    case 'flag':
    case 'variable':
      return name ?? kind;
    case 'file':
      return visibleLine(line === null ? (name ?? 'project file') : `${name}:${line}`);
    case 'default':
      return 'default';
    case 'search':
      return 'found';
    case 'only':
      return 'the only one';
    case 'terminal':
      return 'the terminal';
  }
}

/** Those that are set, with what they say, and the names of those that are not. */
function variableLines(variables: readonly EnvironmentVariable[], width: number): string[] {
  const set = variables.filter((one) => one.set);
  const unset = variables.filter((one) => !one.set).map(({ name }) => name);
  const lines = set.map(({ name, value, used_for }) =>
    visibleLine(`${name}${value === null ? ' is set' : `=${value}`}: ${used_for}`),
  );
  return [
    'Variables',
    ...[...lines, ...(unset.length === 0 ? [] : [`not set: ${unset.join(', ')}`])].flatMap((line) =>
      wrap(line, width - 4).map((part, at) => `  ${at === 0 ? '' : '  '}${part}`),
    ),
  ];
}
