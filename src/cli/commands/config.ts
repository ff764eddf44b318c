import { EXIT } from '../../model/failure.js';
import type { EffectiveSetting } from '../../model/outputs.js';
import { effectiveConfig } from '../../operations/config.js';
import { renderConfigText } from '../../view/index.js';
import { defineCommand, format, parallelism } from '../options.js';
import { show } from '../outputs.js';
import { colourChoice, type Shell } from '../shell.js';

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

function colour(flag: boolean | null, { env, onOut }: Shell): EffectiveSetting {
  const choice = colourChoice(flag, env);
  const on = choice?.wanted ?? onOut.paint('bold', 'a') !== 'a';
  const [kind, name] =
    choice === null
      ? (['terminal', null] as const)
      : choice.flag !== undefined
        ? (['flag', choice.flag] as const)
        : (['variable', choice.variable ?? null] as const);
  return { key: 'colour', value: on, origin: { kind, name, line: null } };
}
