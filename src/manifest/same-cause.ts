import { groupBy } from '../model/json.js';
import type { FindingPlace, Problem } from '../model/outputs.js';
import { listed } from '../model/words.js';

interface PlacedFinding extends Pick<Problem, 'code' | 'severity' | 'message' | 'hint'>, FindingPlace {
  /** The campaign that the finding is about. */
  scope: string;
}

const EMAIL = /\bstep \d+(?:, variant \d+)?(?:, [\w.]+)?/;

const MAX_LINES = 20;

/**
 * One finding for a mistake that several emails of a campaign have. It names the other lines, and gives the sentences
 * that their hints have in common. Expects findings in the order of their lines.
 */
export function mergeSameCause<Finding extends PlacedFinding>(findings: readonly Finding[]): Finding[] {
  const groups = groupBy([...findings.entries()], ([index, { scope, code, severity, message, hint }]) =>
    EMAIL.test(message)
      ? JSON.stringify([scope, code, severity, message.replace(EMAIL, ''), sentencesOf(hint)[0]])
      : String(index),
  );
  return [...groups.values()]
    .toSorted(([[a]], [[b]]) => a - b)
    .map(([[, first], ...others]) =>
      merged(
        first,
        others.map(([, other]) => other),
      ),
    );
}

function merged<Finding extends PlacedFinding>(first: Finding, others: readonly Finding[]): Finding {
  if (others.length === 0) return first;
  const hints = others.map(({ hint }) => sentencesOf(hint));
  const same = sentencesOf(first.hint).filter((sentence) => hints.every((hint) => hint.includes(sentence)));
  const isHere = ({ file, line }: Finding) => file === first.file && line === first.line;
  const lines = others
    .filter((other) => !isHere(other))
    .map(({ file, line }) => (file === first.file ? String(line) : `${file}:${line}`));
  const places = [...new Set(lines)];
  const noun = /^\d+$/.test(places[0] ?? '') ? (places.length === 1 ? 'line ' : 'lines ') : '';
  const also = places.length === 0 ? '' : ` Also in ${noun}${listed(places, MAX_LINES)}.`;
  return {
    ...first,
    message: `${first.message}${also}`,
    hint: same.join(' '),
    also: others.map(({ file, line, column, length }) => ({ file, line, column, length })),
  };
}

/** Those that end within quotes or backticks are not split. */
function sentencesOf(hint: string): string[] {
  return (
    hint
      .match(/(?:`[^`]*`|"[^"]*"|[^`"]|["`])+?(?:[.!?](?=\s|$)|$)/g)
      ?.map((sentence) => sentence.trim()) ?? [hint]
  );
}
