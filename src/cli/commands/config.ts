import type { Environment } from '../../model/environment.js';
import { EXIT, type ExitCode } from '../../model/failure.js';
import type {
  EffectiveConfig,
  EffectiveSetting,
  EnvironmentVariable,
  SettingSource,
} from '../../model/outputs.js';
import { refuseToken } from '../../operations/connect.js';
import { askedEnvironment } from '../../operations/session.js';
import {
  type ChosenBy,
  chooseEnvironment,
  type ProjectFile,
  readProjectFile,
  selectEnvironment,
  settingsOf,
} from '../../project/index.js';
import { renderConfigText } from '../../view/index.js';
import { defineCommand, type Flags, format, parallelism } from '../options.js';
import { show } from '../outputs.js';
import { colourChoice, type Shell } from '../shell.js';

const options = { format, parallelism };
type ConfigFlags = Flags<typeof options>;

export const command = defineCommand({
  positionals: {},
  options,
  examples: [['campaignctl config --env production', 'flag, variable, line of campaignctl.yaml or default']],
  run: config,
});

/** Shows what is in effect, and where each value comes from. Reads the project file only; never shows a token. */
async function config(flags: ConfigFlags, shell: Shell): Promise<ExitCode> {
  const file = await readProjectFile({ cwd: shell.cwd, config: flags.config });
  show(effectiveConfig(file, flags, shell), flags.format, { text: renderConfigText }, shell);
  return EXIT.ok;
}

function effectiveConfig(file: ProjectFile, flags: ConfigFlags, shell: Shell): EffectiveConfig {
  const { project } = file;
  const requested = askedEnvironment(flags, shell);
  const chosen = chooseEnvironment(project, requested);
  const environment = chosen === null ? null : selectEnvironment(project, requested);
  const settings = settingsOf(file, environment);
  const token_env = environment?.token_env ?? null;
  if (environment !== null && token_env !== null)
    refuseToken(shell.env[token_env]?.trim() ?? '', { environment, campaigns: [] });
  const token =
    environment === null || token_env === null ? null : { name: token_env, environment: environment.name };
  return {
    version: 1,
    project: { file: file.file, origin: projectOrigin(flags) },
    environment:
      chosen === null ? null : { name: chosen.name, origin: chosenOrigin(chosen.by, flags, settings) },
    environments: Object.values(project.environments).map((one) => ({
      name: one.name,
      base_url: addressOf(one),
    })),
    settings: [...settings.map((one) => overridden(one, flags)), colour(flags, shell)],
    variables: variablesOf(shell.env, token),
  };
}

function addressOf({ sandbox, base_url }: Environment): string {
  return sandbox === null ? base_url : 'sandbox';
}

function origin(kind: SettingSource['kind'], name: string | null = null): SettingSource {
  return { kind, name, line: null };
}

function projectOrigin({ config }: ConfigFlags): SettingSource {
  return config === null ? origin('search') : origin('flag', '--config');
}

function chosenOrigin(
  by: ChosenBy,
  { env }: ConfigFlags,
  settings: readonly EffectiveSetting[],
): SettingSource {
  if (by === 'request') return env === null ? origin('variable', 'CAMPAIGNCTL_ENV') : origin('flag', '--env');
  if (by === 'only') return origin('only');
  return settings.find(({ key }) => key === 'default_environment')?.origin ?? origin('file');
}

/** What a flag says instead of the project file. */
function overridden(setting: EffectiveSetting, { parallelism }: ConfigFlags): EffectiveSetting {
  if (setting.key !== 'limits.parallelism' || parallelism === null) return setting;
  return { ...setting, value: parallelism, origin: origin('flag', '--parallelism') };
}

function colour({ color }: ConfigFlags, { env, onOut }: Shell): EffectiveSetting {
  const choice = colourChoice(color, env);
  const on = choice?.wanted ?? onOut.paint('bold', 'a') !== 'a';
  const from =
    choice === null
      ? origin('terminal')
      : choice.flag !== undefined
        ? origin('flag', choice.flag)
        : origin('variable', choice.variable ?? null);
  return { key: 'colour', value: on, origin: from };
}

/** Variables of the system that are looked at; `secret`: their values are not shown. A pipeline's own are left out. */
const KNOWN: readonly { name: string; secret?: true; used_for: string }[] = [
  { name: 'CAMPAIGNCTL_ENV', used_for: 'the environment, without --env' },
  { name: 'NO_COLOR', used_for: 'no colour, without --color' },
  { name: 'FORCE_COLOR', used_for: 'colour, without --no-color and NO_COLOR' },
  { name: 'COLUMNS', used_for: 'the width where there is no terminal' },
  { name: 'SOURCE_DATE_EPOCH', used_for: 'the moment that days to come are reckoned from' },
  { name: 'HTTPS_PROXY', secret: true, used_for: 'the proxy to a service over https' },
  { name: 'HTTP_PROXY', secret: true, used_for: 'the proxy where HTTPS_PROXY is not set' },
  { name: 'NO_PROXY', used_for: 'hosts that are reached without the proxy' },
  { name: 'NODE_EXTRA_CA_CERTS', used_for: 'certificates to trust, read by Node when it starts' },
  { name: 'GITHUB_TOKEN', secret: true, used_for: 'comment on GitHub' },
  { name: 'GH_TOKEN', secret: true, used_for: 'comment on GitHub, without GITHUB_TOKEN' },
  { name: 'GITLAB_TOKEN', secret: true, used_for: 'comment on GitLab' },
];

/** Every variable that is looked at, that of the token first. Tokens and proxies are only said to be set. */
function variablesOf(
  env: Shell['env'],
  token: { name: string; environment: string } | null,
): EnvironmentVariable[] {
  const known = KNOWN.map(({ name, secret = false, used_for }) => {
    // A proxy's variable may be written in lower case too.
    const value = (name.endsWith('_PROXY') ? env[name.toLowerCase()] : undefined) || env[name] || null;
    return { name, set: value !== null, value: secret ? null : value, used_for };
  });
  if (token === null) return known;
  const { name, environment } = token;
  const set = (env[name]?.trim() ?? '') !== '';
  const own = { name, set, value: null, used_for: `the API token for ${environment}` };
  return [own, ...known.filter((one) => one.name !== name)];
}
