import type { Environment } from '../../model/environment.js';
import { EXIT, type ExitCode } from '../../model/failure.js';
import type { EffectiveConfig, Origin, Setting } from '../../model/setting.js';
import {
  type ChosenBy,
  chooseEnvironment,
  type ProjectFile,
  readProjectFile,
  selectEnvironment,
  settingsOf,
} from '../../project/index.js';
import { renderConfigText, renderJson } from '../../view/index.js';
import { colourWish } from '../colour.js';
import type { CommonFlags } from '../flags.js';
import { refuseToken } from '../session.js';
import type { Shell } from '../shell.js';
import { variablesOf } from '../variables.js';

export interface ConfigFlags extends CommonFlags {
  format: 'text' | 'json';
  parallelism: number | null;
}

/** Shows what is in effect, and where each value comes from. Reads the project file only; never shows a token. */
export async function config(flags: ConfigFlags, shell: Shell): Promise<ExitCode> {
  const file = readProjectFile({ cwd: shell.cwd, config: flags.config });
  const effective = effectiveConfig(file, flags, shell);
  shell.out(flags.format === 'json' ? renderJson(effective) : renderConfigText(effective, shell.onOut));
  return EXIT.ok;
}

function effectiveConfig(file: ProjectFile, flags: ConfigFlags, shell: Shell): EffectiveConfig {
  const { project } = file;
  const requested = flags.env ?? (shell.env.CAMPAIGNCTL_ENV || null);
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

function origin(kind: Origin['kind'], name: string | null = null): Origin {
  return { kind, name, line: null };
}

function projectOrigin({ config }: ConfigFlags): Origin {
  return config === null ? origin('search') : origin('flag', '--config');
}

function chosenOrigin(by: ChosenBy, { env }: ConfigFlags, settings: readonly Setting[]): Origin {
  if (by === 'request') return env === null ? origin('variable', 'CAMPAIGNCTL_ENV') : origin('flag', '--env');
  if (by === 'only') return origin('only');
  return settings.find(({ key }) => key === 'default_environment')?.origin ?? origin('file');
}

/** What a flag says instead of the project file. */
function overridden(setting: Setting, { parallelism }: ConfigFlags): Setting {
  if (setting.key !== 'limits.parallelism' || parallelism === null) return setting;
  return { ...setting, value: parallelism, origin: origin('flag', '--parallelism') };
}

function colour({ color }: ConfigFlags, { env, onOut }: Shell): Setting {
  const wish = colourWish(color, env);
  const on = wish?.wanted ?? onOut.paint('bold', 'a') !== 'a';
  const from =
    wish === null
      ? origin('terminal')
      : wish.flag !== undefined
        ? origin('flag', wish.flag)
        : origin('variable', wish.variable ?? null);
  return { key: 'colour', value: on, origin: from };
}
