import { addressOf } from '../../model/environment.js';
import { EXIT } from '../../model/failure.js';
import type {
  EffectiveConfig,
  EffectiveSetting,
  EnvironmentVariable,
  SettingSource,
} from '../../model/outputs.js';
import { refuseToken } from '../../operations/connect.js';
import type { PlaceFlags } from '../../operations/session.js';
import { askedEnvironment, type World } from '../../operations/world.js';
import {
  type ChosenBy,
  chooseEnvironment,
  readProjectFile,
  selectEnvironment,
  settingsOf,
} from '../../project/index.js';
import { renderConfigText } from '../../view/index.js';
import { defineCommand, format, parallelism } from '../options.js';
import { show } from '../outputs.js';
import { type Colours, colourChoice, type Shell } from '../shell.js';

/** Shows what is in effect, and where each value comes from. Reads the project file only; never shows a token. */
export const command = defineCommand({
  positionals: {},
  options: { format, parallelism },
  examples: [['campaignctl config --env production', 'flag, variable, line of campaignctl.yaml or default']],
  async run(flags, shell) {
    const { settings, ...config } = await effectiveConfig(flags, shell);
    const all = { ...config, settings: [...settings, colour(flags.color, shell)] };
    show(all, flags.format, { text: renderConfigText }, shell);
    return EXIT.ok;
  },
});

function colour(flag: Colours, { env, onOut }: Shell): EffectiveSetting {
  const choice = colourChoice(flag, env);
  const on = choice?.wanted ?? onOut.paint('bold', 'a') !== 'a';
  return {
    key: 'colour',
    value: on,
    origin: choice === null ? origin('terminal') : origin(choice.by, choice.name),
  };
}

/** Every setting in effect but those of the terminal, and where it comes from. Reads the project file only; never shows a token. */
async function effectiveConfig(flags: PlaceFlags, world: World): Promise<EffectiveConfig> {
  const file = await readProjectFile({ cwd: world.cwd, config: flags.config });
  const { project } = file;
  const requested = askedEnvironment(flags, world);
  const chosen = chooseEnvironment(project, requested);
  const environment = chosen === null ? null : selectEnvironment(project, requested);
  const settings = settingsOf(file, environment);
  const token_env = environment?.token_env ?? null;
  if (environment !== null && token_env !== null)
    refuseToken(world.env[token_env]?.trim() ?? '', { environment, campaigns: [] });
  const token =
    environment === null || token_env === null ? null : { name: token_env, environment: environment.name };
  return {
    version: 1,
    project: {
      file: file.file,
      origin: flags.config === null ? origin('search') : origin('flag', '--config'),
    },
    environment:
      chosen === null ? null : { name: chosen.name, origin: chosenOrigin(chosen.by, flags, settings) },
    environments: Object.values(project.environments).map((one) => ({
      name: one.name,
      base_url: addressOf(one),
    })),
    settings: settings.map((one) => overridden(one, flags)),
    variables: variablesOf(world.env, token),
  };
}

function origin(kind: SettingSource['kind'], name: string | null = null): SettingSource {
  return { kind, name, line: null };
}

function chosenOrigin(
  by: ChosenBy,
  { env }: PlaceFlags,
  settings: readonly EffectiveSetting[],
): SettingSource {
  if (by === 'request') return env === null ? origin('variable', 'CAMPAIGNCTL_ENV') : origin('flag', '--env');
  if (by === 'only') return origin('only');
  return settings.find(({ key }) => key === 'default_environment')?.origin ?? origin('file');
}

/** What a flag says instead of the project file. */
function overridden(setting: EffectiveSetting, { parallelism = null }: PlaceFlags): EffectiveSetting {
  if (setting.key !== 'limits.parallelism' || parallelism === null) return setting;
  return { ...setting, value: parallelism, origin: origin('flag', '--parallelism') };
}

/** Variables of the system that are looked at; `secret`: their values are not shown. A pipeline's own are left out. */
const KNOWN: readonly { name: string; secret?: true; used_for: string }[] = [
  { name: 'CAMPAIGNCTL_ENV', used_for: 'the environment, without --env' },
  { name: 'NO_COLOR', used_for: 'no colour, with --color auto' },
  { name: 'FORCE_COLOR', used_for: 'colour, with --color auto and without NO_COLOR' },
  { name: 'COLUMNS', used_for: 'the width where there is no terminal' },
  { name: 'SOURCE_DATE_EPOCH', used_for: 'the time from which forecasts and calendars start' },
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
  env: World['env'],
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
