import type { CST } from 'yaml';
import { isObject, type Json } from '../model/json.js';

/**
 * What no manifest comes near, and what a file that is made to wear us down does: with these, time and memory stay in
 * proportion to the size of a file. The composer compares each key of a section with all others, looks for the anchor
 * of each alias in the whole document, and recurses.
 */
export const MOST = { words: 600_000, documents: 1_000, levels: 100, keys: 5_000, aliases: 100 } as const;

/** Values and characters that the documents of a file may come to once their aliases are followed. */
export const MOST_UNFOLDED = 4 * 1024 * 1024;

/** What a file has too much of, in words; null where it may be composed. Takes the file as tokens. */
export function excessOf(tokens: readonly CST.Token[]): string | null {
  const documents = tokens.filter(({ type }) => type === 'document');
  if (documents.length > MOST.documents) return `holds more than ${MOST.documents} documents`;
  for (const document of documents) {
    const excess = excessIn(document);
    if (excess !== null) return excess;
  }
  return null;
}

function excessIn(root: CST.Token): string | null {
  let aliases = 0;
  const open: { token: CST.Token; level: number }[] = [{ token: root, level: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { token, level } = next;
    if (level >= MOST.levels) return `is nested more than ${MOST.levels} levels deep`;
    if (token.type === 'alias') aliases += 1;
    if (aliases > MOST.aliases) return `has more than ${MOST.aliases} aliases in one document`;
    if (isTooWide(token)) return `has a section of more than ${MOST.keys} keys`;
    for (const child of childrenOf(token)) open.push({ token: child, level: level + 1 });
  }
  return null;
}

function isTooWide(token: CST.Token): boolean {
  const isMap =
    token.type === 'block-map' || (token.type === 'flow-collection' && token.start.source === '{');
  return isMap && token.items.length > MOST.keys;
}

function childrenOf(token: CST.Token): CST.Token[] {
  const children: (CST.Token | null | undefined)[] = [];
  if (token.type === 'document') children.push(token.value);
  else if ('items' in token) for (const item of token.items) children.push(item.key, item.value);
  return children.filter((child) => child !== null && child !== undefined);
}

/**
 * What a value comes to when its aliases are followed, in values and characters; null where that is more than `room`, or
 * nested too deeply. What an alias stands for is one value in memory, but every later stage goes through it again.
 */
export function unfoldedSize(root: Json, room: number): number | null {
  let size = 0;
  const open: { value: Json; level: number }[] = [{ value: root, level: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, level } = next;
    size += 1 + (typeof value === 'string' ? value.length : 0);
    if (size > room || level > MOST.levels) return null;
    const inner = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
    for (const one of inner) open.push({ value: one, level: level + 1 });
  }
  return size;
}
