/** Flags that every command takes. `color` is undefined unless --color or --no-color was given. */
export interface CommonFlags {
  env: string | null;
  config: string | null;
  color: boolean | undefined;
  quiet: boolean;
  debug: boolean;
}

/** Flags of the commands that look at a service. */
export interface PlanningFlags extends CommonFlags {
  files: string[];
  target: string[];
  hold: 'launch'[];
  parallelism: number | null;
  format: 'text' | 'json';
}
