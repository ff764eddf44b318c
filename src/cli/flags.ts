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
  /** A log of the run for other programs. */
  events: string | null;
}

/** How a plan can be shown. */
export const PLAN_FORMATS = ['text', 'json', 'markdown', 'html'] as const;
export type PlanFormat = (typeof PLAN_FORMATS)[number];

/** One more view of the same plan, in a file. */
export interface Output {
  format: PlanFormat;
  file: string;
}

/** `limit`: characters of Markdown at most. `summaryFile`: a job's summary, to which Markdown is appended. */
export interface OutputFlags {
  format: PlanFormat;
  output: Output[];
  limit: number;
  summaryFile: string | null;
}
