import type { Options, PositionalOptions } from 'yargs';
import { Failure } from '../model/failure.js';
import { type CommonFlags, type Output, type OutputFlags, PLAN_FORMATS } from './flags.js';

/** What yargs has parsed; each command reads its own flags out of it. */
export type Parsed = CommonFlags & { [name: string]: unknown };

/** Options of every command. */
export const COMMON: Record<string, Options> = {
  config: {
    type: 'string',
    requiresArg: true,
    describe: 'Project file; default: campaignctl.yaml from here upward',
  },
  env: {
    type: 'string',
    requiresArg: true,
    describe: 'Environment of the project file; default: $CAMPAIGNCTL_ENV',
  },
  color: {
    type: 'boolean',
    describe: 'Colour or not (--no-color); default: on a terminal, unless NO_COLOR is set',
  },
  quiet: { type: 'boolean', describe: 'Results and errors only' },
  debug: { type: 'boolean', describe: 'One line a request on stderr; never a token or a body' },
};

export const files: Record<string, PositionalOptions> = {
  files: {
    type: 'string',
    array: true,
    describe: 'Manifests or folders instead of those of the project file',
  },
};
export const format: Options = {
  choices: ['text', 'json'],
  default: 'text',
  describe: 'How the result is shown',
};
const VIEW_FORMATS = ['text', 'json', 'markdown'] as const;
export const viewFormat: Options = {
  choices: VIEW_FORMATS,
  default: 'text',
  describe: 'How the result is shown',
};
const FINDINGS_FORMATS = ['text', 'json', 'github', 'sarif', 'junit'] as const;
export const findingsFormat: Options = {
  choices: FINDINGS_FORMATS,
  default: 'text',
  describe: 'For people, programs, annotations, code scanning or a test report',
};
const PREVIEW_FORMATS = ['html', 'text', 'markdown'] as const;
export const previewFormat: Options = {
  choices: PREVIEW_FORMATS,
  default: 'html',
  describe: 'The page, or the sending calendar alone',
};
export const target: Options = {
  type: 'string',
  array: true,
  describe: 'Only the campaign of this name; repeatable',
};
export const hold: Options = {
  choices: ['launch'],
  array: true,
  describe: 'Leave launches out on purpose',
};
export const parallelism: Options = {
  type: 'string',
  requiresArg: true,
  describe: 'Requests in flight at most; default: limits.parallelism of the environment, else 8',
};
export const lockTimeout: Options = {
  type: 'string',
  requiresArg: true,
  default: '30',
  describe: 'Seconds to wait for another apply to end; 0: do not wait',
};
export const events: Options = {
  type: 'string',
  requiresArg: true,
  describe: 'Write each event of the run to this file, as a line of JSON',
};
export const NO_FILES: Record<string, PositionalOptions> = {};

export function text(parsed: Parsed, name: string): string | null {
  const value = parsed[name];
  return typeof value === 'string' && value !== '' ? value : null;
}

export function texts(parsed: Parsed, name: string): string[] {
  const value = parsed[name];
  return Array.isArray(value) ? value.map(String) : [];
}

export function findingsFormatOf(parsed: Parsed): (typeof FINDINGS_FORMATS)[number] {
  return FINDINGS_FORMATS.find((known) => known === parsed.format) ?? 'text';
}

export function previewFormatOf(parsed: Parsed): (typeof PREVIEW_FORMATS)[number] {
  return PREVIEW_FORMATS.find((known) => known === parsed.format) ?? 'html';
}

export function viewFormatOf(parsed: Parsed): (typeof VIEW_FORMATS)[number] {
  return VIEW_FORMATS.find((known) => known === parsed.format) ?? 'text';
}

export function formatOf(parsed: Parsed): 'text' | 'json' {
  return parsed.format === 'json' ? 'json' : 'text';
}

/** A whole number of an option, or null where it is not given: yargs makes NaN and 0 of what is none. */
export function whole(parsed: Parsed, name: string, least: number): number | null {
  const value = parsed[name];
  if (value === undefined) return null;
  const number = Number(value);
  if (/^\d+$/.test(String(value)) && Number.isSafeInteger(number) && number >= least) return number;
  throw new Failure({
    code: 'usage',
    message: `--${name} takes a whole number from ${least}, not "${value}".`,
    hint: `For example: --${name} ${Math.max(4, least)}.`,
  });
}

/** Options of the commands that show a plan. */
export const planOutputs: Record<string, Options> = {
  format: { choices: PLAN_FORMATS, default: 'text', describe: 'How the plan is shown' },
  output: {
    type: 'string',
    array: true,
    requiresArg: true,
    describe: 'FORMAT=FILE: show it in a file as well; repeatable',
  },
  limit: {
    type: 'string',
    requiresArg: true,
    default: '60000',
    describe: 'Characters of Markdown at most; a comment on GitHub takes 65536',
  },
  'summary-file': {
    type: 'string',
    requiresArg: true,
    describe: "Append Markdown to this file: a job's summary",
  },
};

/** How and where a plan is to be shown. */
export function outputsOf(parsed: Parsed): OutputFlags {
  return {
    format: PLAN_FORMATS.find((name) => name === parsed.format) ?? 'text',
    output: texts(parsed, 'output').map(parseOutput),
    limit: whole(parsed, 'limit', 2_000) ?? 60_000,
    summaryFile: text(parsed, 'summary-file'),
  };
}

/** `markdown=plan.md` → a view and where it goes. */
function parseOutput(written: string): Output {
  const [, name = '', file = ''] = /^([a-z]+)=(.+)$/s.exec(written) ?? [];
  const format = PLAN_FORMATS.find((known) => known === name);
  if (format !== undefined) return { format, file };
  throw new Failure({
    code: 'usage',
    message: `--output takes FORMAT=FILE, not "${written}".`,
    hint: `For example: --output markdown=plan.md. Formats: ${PLAN_FORMATS.join(', ')}.`,
  });
}
