import type { Json } from './json.js';

/** Where a setting comes from, what wins first. `search`: found by looking; `only`: there is no other choice. */
export const ORIGINS = ['flag', 'variable', 'file', 'default', 'search', 'only', 'terminal'] as const;

/** `name`: of a flag, a variable or a file; `line`: in that file, from 1. Null where there is none. */
export interface Origin {
  kind: (typeof ORIGINS)[number];
  name: string | null;
  line: number | null;
}

/** One setting as it is in effect. `key` is written as in the project file, below the environment where it is of one. */
export interface Setting {
  key: string;
  value: Json;
  origin: Origin;
}

/** An environment variable that is looked at. `value` is null where it is not set, and where it may hold a secret. */
export interface Variable {
  name: string;
  set: boolean;
  value: string | null;
  used_for: string;
}

/** What is in effect, and where from. `environment` is null where none is chosen; never a token. */
export interface EffectiveConfig {
  version: 1;
  project: { file: string; origin: Origin };
  environment: { name: string; origin: Origin } | null;
  environments: { name: string; base_url: string }[];
  settings: Setting[];
  variables: Variable[];
}
