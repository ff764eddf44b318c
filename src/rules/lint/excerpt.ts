import { anchor } from '../../manifest/locate.js';
import type { LintSubject } from '../../manifest/resolve.js';
import type { CopyNode } from '../../model/copy.js';
import type { Place } from '../../model/problem.js';
import type { Text } from './email.js';

/** The place of one piece of a text, such as a node of its copy. */
export function placeOf(
  subject: LintSubject,
  text: Pick<Text, 'path' | 'value'>,
  piece: { start: number; text: string },
): Place {
  return subject.at(text.path, { text: anchor(text.value, piece.start, piece.text) });
}

/** Each text once, in order of first appearance. */
export function distinct<Node extends CopyNode>(nodes: readonly Node[]): Node[] {
  const seen = new Set<string>();
  return nodes.filter((node) => !seen.has(node.text) && seen.add(node.text));
}

/** A piece of copy as a message quotes it: one line, cut where it is long. */
export function quoted(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}
