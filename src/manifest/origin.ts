import type { Json } from '../model/json.js';
import type { Instance, Path, Place } from '../model/problem.js';
import { valueAt, writtenPath } from './expand.js';
import { hasExpressions } from './expressions.js';
import { placeOf, type SourceFinding } from './finding.js';
import type { Piece } from './pieces.js';
import { findingOf, type Violation } from './violation.js';

/** Where the values of a document were written: in the manifest itself, or in a shared piece. */
export interface Origin {
  at(path: Path): Place;
  /** A violation of the document as a finding; where the value was given by `for_each`, the hint says so. */
  report(violation: Violation): SourceFinding;
  /** Findings with the instance they are of, without those that only follow from a broken expression. */
  settle(findings: readonly SourceFinding[]): SourceFinding[];
}

/** The origin of a document that was put together: `value` is how it was before its expressions were replaced. */
export function originOf(
  root: Place,
  { value, pieces, broken }: { value: Json; pieces: readonly Piece[]; broken: readonly Path[] },
  instance: Instance | null,
): Origin {
  const at = (path: Path): Place => {
    const written = writtenPath(value, path);
    const piece = pieces.find((one) => one.path.every((key, index) => written[index] === key));
    const place =
      piece === undefined
        ? placeOf(root.file, root.document, written)
        : { ...piece.root, path: written.slice(piece.path.length) };
    return instance === null ? place : { ...place, instance };
  };
  const echoes = new Set(broken.map((path) => keyOf(at(path))));
  return {
    at,
    report(violation) {
      const text = valueAt(value, writtenPath(value, violation.path));
      const isGiven = instance !== null && typeof text === 'string' && hasExpressions(text);
      const hint = isGiven ? `${violation.hint} The value comes from for_each.` : violation.hint;
      return findingOf(at(violation.path), { ...violation, hint });
    },
    settle: (findings) =>
      findings.flatMap((finding): SourceFinding[] => {
        const { place } = finding;
        if ('offset' in place) return [finding];
        if (echoes.has(keyOf(place))) return [];
        return [instance === null ? finding : { ...finding, place: { ...place, instance } }];
      }),
  };
}

function keyOf({ file, document, path }: Place): string {
  return JSON.stringify([file, document, path]);
}
