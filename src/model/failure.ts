import type { LocatedFinding, Problem } from './outputs.js';

/** Exit codes of the command line; pipelines depend on them. */
export const EXIT = { ok: 0, error: 1, pending: 2, refused: 3, incomplete: 4, interrupted: 130 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

interface FailureOptions {
  exitCode?: ExitCode;
  findings?: readonly LocatedFinding[];
  others?: readonly Problem[];
  details?: readonly string[];
  cause?: unknown;
}

/**
 * What stops a command: said to the user as message and hint, never as a stack trace. Exit code 1 (nothing was
 * sent) unless `exitCode` says otherwise. `findings` are problems of source files to be shown with it, `others`
 * further problems of the same weight, `details` lines to be shown with the message.
 */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly code: string;
  readonly hint: string;
  readonly exitCode: ExitCode;
  readonly findings: readonly LocatedFinding[];
  readonly others: readonly Problem[];
  readonly details: readonly string[];

  constructor(problem: { code: string; message: string; hint: string }, options: FailureOptions = {}) {
    super(problem.message, { cause: options.cause });
    this.code = problem.code;
    this.hint = problem.hint;
    this.exitCode = options.exitCode ?? EXIT.error;
    this.findings = options.findings ?? [];
    this.others = options.others ?? [];
    this.details = options.details ?? [];
  }
}

/** What stopped one thing, as a problem of a result that goes on without it. */
export function problemOf({ code, message, hint }: Failure): Problem {
  return { code, severity: 'error', message, hint };
}

/** A command or a call whose options do not go together, or name nothing that there is. */
export function usage(message: string, hint: string): Failure {
  return new Failure({ code: 'usage', message, hint });
}

/** An answer of the service that cannot be read. Never taken for "empty". */
export class UnreadableAnswer extends Failure {
  constructor(endpoint: string, field: string, seen: string) {
    super({
      code: 'unreadable-answer',
      message: `The answer to ${endpoint} cannot be read: ${field}; seen: ${seen}.`,
      hint: 'campaignctl does not treat an unreadable answer as empty. If the service has changed, report this with the endpoint and the field.',
    });
  }
}

/** What an error of Node or of a package says. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
