import { hideTokens, type KnownToken } from './mask.js';
import type { LocatedFinding, Problem } from './outputs.js';

export const EXIT = { ok: 0, error: 1, pending: 2, refused: 3, incomplete: 4, interrupted: 130 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

interface FailureOptions {
  exitCode?: ExitCode;
  findings?: readonly LocatedFinding[];
  others?: readonly Problem[];
  details?: readonly string[];
}

/**
 * Stops a command. `findings`: problems in source files. `others`: further problems. `details`: lines shown after the
 * message.
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
    super(problem.message);
    this.code = problem.code;
    this.hint = problem.hint;
    this.exitCode = options.exitCode ?? EXIT.error;
    this.findings = options.findings ?? [];
    this.others = options.others ?? [];
    this.details = options.details ?? [];
  }
}

/** The same failure with tokens masked. */
export function withoutTokens(failure: Failure, tokens: readonly KnownToken[]): Failure {
  const hide = (text: string) => hideTokens(text, tokens);
  const inProblem = <Shown extends Problem>(problem: Shown): Shown => {
    return { ...problem, message: hide(problem.message), hint: hide(problem.hint) };
  };
  const { code, message, hint, exitCode, findings, others, details } = failure;
  return new Failure(
    { code, message: hide(message), hint: hide(hint) },
    {
      exitCode,
      findings: findings.map((finding) => ({ ...inProblem(finding), excerpt: hide(finding.excerpt) })),
      others: others.map(inProblem),
      details: details.map(hide),
    },
  );
}

/** The finding with other names of its files. */
export function inFiles(finding: LocatedFinding, nameOf: (file: string) => string): LocatedFinding {
  const { also } = finding;
  const places = also && { also: also.map((place) => ({ ...place, file: nameOf(place.file) })) };
  return { ...finding, ...places, file: nameOf(finding.file) };
}

/** The same failure with other names of the files of its findings. */
export function failureInFiles(failure: Failure, nameOf: (file: string) => string): Failure {
  const { code, message, hint, exitCode, findings, others, details } = failure;
  if (findings.length === 0) return failure;
  const named = findings.map((finding) => inFiles(finding, nameOf));
  return new Failure({ code, message, hint }, { exitCode, details, others, findings: named });
}

export function toProblem({ code, message, hint }: Failure): Problem {
  return { code, severity: 'error', message, hint };
}

export const UNSET = 'A variable is probably unset. Add a value, or remove the option.';

export function usage(message: string, hint: string): Failure {
  return new Failure({ code: 'usage', message, hint });
}

/**
 * An unreadable response, which must never be treated as empty. `seen`: `null` if it must not be shown. `service`: a
 * sentence for the hint.
 */
export class UnreadableAnswer extends Failure {
  constructor(endpoint: string, field: string, seen: string | null, service = '', hint = UNREADABLE_HINT) {
    super({
      code: 'unreadable-answer',
      message: `The response to ${endpoint} cannot be read: ${field}${seen === null ? '' : `; got ${seen}`}.`,
      hint: `${hint}${service && ` ${service}`}`,
    });
  }
}

const UNREADABLE_HINT =
  'campaignctl does not treat an unreadable response as empty. If the service has changed, report this with the endpoint and the field.';

/** Content that contains the token, so that it can be neither shown nor compared. */
export function leaked(endpoint: string, field: string): UnreadableAnswer {
  const hint =
    'Replace the token in the service, because everyone who gets this content can use it, and store the new one. Then remove the old token from the campaign in the web app.';
  return new UnreadableAnswer(endpoint, `field ${field} contains the token`, null, '', hint);
}

export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
