import { isObject, type Json } from '../model/json.js';
import type { EffectiveConfig, EnvironmentVariable, SettingSource } from '../model/outputs.js';
import { type TextOptions, tableLines, visibleLine } from './terminal.js';
import { hanging, wrap } from './words.js';

/** What is in effect and where it comes from, for a terminal. Defaults are dim: they are not chosen. */
export function renderConfigText(config: EffectiveConfig, options: TextOptions): string {
  const { project, environment, environments, settings, variables } = config;
  const { paint, width } = options;
  const found =
    project.origin.kind === 'flag' ? project.origin.name : 'the nearest one, from this folder upward';
  const table = {
    heads: ['setting', 'value', 'from'],
    path: 2,
    shrink: [
      [1, 20],
      [0, 20],
      [2, 12],
    ] as const,
    rows: settings.map(({ key, value, origin }) => [key, words(value), originWords(origin)]),
  };
  const look = (cell: string, at: number) =>
    settings[at]?.origin.kind === 'default' ? paint('dim', cell) : cell;
  const all = [
    `${paint('bold', 'Project')}      ${visibleLine(project.file)}  (${found})`,
    `${paint('bold', 'Environment')}  ${visibleLine(chosen(config))}`,
    ...(environment === null ? environmentLines(environments) : tokenLines(config)),
    '',
    ...tableLines(table, options, look),
    '',
    'Variables',
    ...variableLines(variables, width),
    '',
    ...wrap(
      'A flag overrides a variable, which overrides the project file, which overrides the default.',
      width,
    ),
  ];
  return `${all.join('\n')}\n`;
}

function chosen({ environment, environments }: EffectiveConfig): string {
  if (environment === null) return 'none chosen: pass --env or set CAMPAIGNCTL_ENV';
  const others = environments.map(({ name }) => name).filter((name) => name !== environment.name);
  const rest = others.length === 0 ? '' : `; there is also ${others.join(', ')}`;
  return `${environment.name}  (${originWords(environment.origin)}${rest})`;
}

function environmentLines(environments: EffectiveConfig['environments']): string[] {
  const widest = Math.max(...environments.map(({ name }) => name.length));
  return environments.map(({ name, base_url }) => `  ${name.padEnd(widest)}  ${visibleLine(base_url)}`);
}

/** Whether there is a token, and never more of it. */
function tokenLines({ settings, variables }: EffectiveConfig): string[] {
  const name = settings.find(({ key }) => key === 'token_env')?.value;
  const token = variables.find((one) => one.name === name);
  return token === undefined ? [] : [`Token        ${token.name} is ${token.set ? '' : 'not '}set`];
}

function words(value: Json): string {
  if (value === null) return '—';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(String).join(', ');
  return isObject(value) ? 'none' : String(value);
}

const ORIGINS: Record<SettingSource['kind'], string> = {
  flag: 'flag',
  variable: 'variable',
  file: 'project file',
  default: 'default',
  search: 'found',
  only: 'the only one',
  terminal: 'the terminal',
};

/** "campaignctl.yaml:12", "--env", "default" */
function originWords({ kind, name, line }: SettingSource): string {
  return visibleLine(`${name ?? ORIGINS[kind]}${line === null ? '' : `:${line}`}`);
}

/** Those that are set, with what they say, and the names of those that are not. */
function variableLines(variables: readonly EnvironmentVariable[], width: number): string[] {
  const unset = variables.filter(({ set }) => !set).map(({ name }) => name);
  const lines = variables.flatMap(({ name, value, used_for, set }) =>
    set ? visibleLine(`${name}${value === null ? ' is set' : `=${value}`}: ${used_for}`) : [],
  );
  return [...lines, ...(unset.length === 0 ? [] : [`not set: ${unset.join(', ')}`])]
    .flatMap((line) => hanging(line, width - 4))
    .map((line) => `  ${line}`);
}
