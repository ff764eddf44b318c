export type {
  EffectiveConfig,
  EffectiveSetting as Setting,
  EnvironmentVariable as Variable,
  SettingSource as Origin,
} from './outputs.generated.js';
