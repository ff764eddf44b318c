import { type Document, isAlias, isMap, isNode, isScalar, isSeq, type Node } from 'yaml';
import type { Path, Place } from '../model/problem.js';

/** Part of a text, by offsets in UTF-16 units; `end` is behind the last one. */
export interface Range {
  start: number;
  end: number;
}

interface Spot {
  key: Node | null;
  value: Node | null;
}

/**
 * Where a place of a YAML document is. A path that leads nowhere (the key is missing) gives the key of the nearest
 * section there is; the root gives the first line with something on it.
 */
export function rangeOf(document: Document | undefined, place: Place): Range {
  if (document === undefined) return { start: 0, end: 0 };
  const root: Spot = { key: null, value: nodeOf(document.contents, document) };
  let spot = root;
  let target = place.target;
  for (const part of place.path) {
    const next = step(spot.value, part, document);
    if (next === null) {
      target = 'key';
      break;
    }
    spot = next;
  }
  const node = target === 'key' ? (spot.key ?? spot.value) : (spot.value ?? spot.key);
  const [start, end] = node?.range ?? [0, 0];
  return { start, end };
}

function step(parent: Node | null, part: Path[number], document: Document): Spot | null {
  if (isSeq(parent) && typeof part === 'number') {
    const item = parent.items[part];
    return item === undefined ? null : { key: null, value: nodeOf(item, document) };
  }
  if (!isMap(parent)) return null;
  const pair = parent.items.find(
    ({ key }) => (isScalar(key) ? String(key.value) : String(key)) === String(part),
  );
  if (pair === undefined) return null;
  return { key: isNode(pair.key) ? pair.key : null, value: nodeOf(pair.value, document) };
}

/** The node itself, or what an alias stands for: that is where the text is written. */
function nodeOf(value: unknown, document: Document): Node | null {
  if (!isNode(value)) return null;
  return isAlias(value) ? (value.resolve(document) ?? value) : value;
}
