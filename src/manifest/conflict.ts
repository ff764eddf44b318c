import { listed } from '../model/words.js';
import type { Cause } from './cause.js';

const MARKER = /^(?:<{7}|={7}|>{7}|\|{7})(?=[ \r]|$)/;
const BOTH_MARKERS = /^ *<{7}(?=[ \r]|$)[\s\S]*^ *>{7}(?=[ \r]|$)/m;

/** True for a text with the markers before and after the two versions, which may be indented in a body. */
export function holdsConflict(text: string): boolean {
  return text.includes('<<<<<<<') && BOTH_MARKERS.test(text);
}

/** `null` unless git left both versions of some lines in the text. */
export function findConflict(text: string): Cause | null {
  const lines = text.split('\n');
  const isWhole = holdsConflict(text);
  const shown = (line: number) => (isWhole ? lines[line]?.trimStart() : lines[line]) ?? '';
  const marked = [...lines.keys()].filter((line) => MARKER.test(shown(line)));
  const [first] = marked;
  if (first === undefined) return null;
  const numbers = marked.map((line) => line + 1);
  return {
    line: first,
    column: 0,
    offset: lines.slice(0, first).join('\n').length + (first === 0 ? 0 : 1),
    length: (lines[first] ?? '').trimEnd().length,
    message: `The file contains conflict markers of git (${numbers.length === 1 ? 'line' : 'lines'} ${listed(numbers.map(String))}).`,
    hint: 'Keep one of the versions, and delete the lines that begin with <<<<<<<, ======= or >>>>>>>.',
  };
}
