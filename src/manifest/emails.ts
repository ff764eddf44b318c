import { isObject, type Json } from '../model/json.js';
import type { Path, Place } from '../model/problem.js';
import { anchored } from './anchor.js';
import { hasExpressions, namesIn, substituteIn, type Values } from './expressions.js';
import { LIMITS, type ReadFile, readNamed } from './file-text.js';
import { errorAt, placeOf, type SourceFinding } from './finding.js';
import { without } from './overlay.js';
import { quoted } from './text.js';

/** A section with the files it names read in. `origin`: where a value came from, null if not from a file. */
export interface Filled {
  value: Json | undefined;
  origin(path: Path): Place | null;
  findings: SourceFinding[];
}

/** `names`: those of the values that the files use. */
interface FilledBodies extends Filled {
  names: ReadonlySet<string>;
}

/**
 * Reads the body files of a sequence in: `email_body_file` becomes `email_body`, its expressions replaced. Leaves alone
 * what is not as it should be; the schema has spoken of that.
 */
export function fillBodies(
  sequence: Json | undefined,
  at: (path: Path) => Place,
  { readFile, values }: { readFile: ReadFile; values: Values },
): FilledBodies {
  const names = new Set<string>();
  const files = new Map<string, string>();
  const findings: SourceFinding[] = [];

  const fillEmail = (email: Json, path: Path): Json => {
    if (!isObject(email)) return email;
    const name = email.email_body_file;
    if (typeof name !== 'string' || name === '' || Object.hasOwn(email, 'email_body')) return email;
    const place = at([...path, 'email_body_file']);
    const named = readNamed(name, place, { file: readFile, limit: LIMITS.body });
    if ('finding' in named) {
      findings.push(named.finding);
      return email;
    }
    const body = bodyOf(named, values);
    if ('findings' in body) {
      findings.push(...body.findings);
      return email;
    }
    if (body.text.trim() === '') findings.push(blank(named.file, name));
    for (const used of body.names) names.add(used);
    files.set([...path, 'email_body'].join('/'), named.file);
    return { ...without(email, 'email_body_file'), email_body: body.text };
  };

  const fillStep = (step: Json, index: number): Json => {
    const path = ['sequence', 'steps', index];
    const filled = fillEmail(step, path);
    if (!isObject(filled) || !Array.isArray(filled.variants)) return filled;
    const variants = filled.variants.map((variant, number) =>
      fillEmail(variant, [...path, 'variants', number]),
    );
    return { ...filled, variants };
  };

  const steps = isObject(sequence) ? sequence.steps : undefined;
  const value =
    Array.isArray(steps) && isObject(sequence) ? { ...sequence, steps: steps.map(fillStep) } : sequence;
  const origin = (path: Path) => {
    const file = files.get(path.join('/'));
    return file === undefined ? null : placeOf(file, 0, []);
  };
  return { value, origin, findings, names };
}

function bodyOf(
  { file, text }: { file: string; text: string },
  values: Values,
): { text: string; names: string[] } | { findings: SourceFinding[] } {
  if (!hasExpressions(text)) return { text, names: [] };
  const result = substituteIn(text, values);
  if ('text' in result) return { ...result, names: namesIn(text) };
  const place = placeOf(file, 0, []);
  return {
    findings: result.broken.map((broken) => errorAt(anchored(place, text, broken), broken.wording)),
  };
}

function blank(file: string, name: string): SourceFinding {
  return errorAt(placeOf(file, 0, []), {
    code: 'empty-file',
    message: `${quoted(name)} is the body of an email and has nothing in it.`,
    hint: 'Write the body, or name another file.',
  });
}
