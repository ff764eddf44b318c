import type { Place } from '../model/problem.js';

/** How many characters a place may take from beside what it means, to be told from what looks the same. */
const REACH = 40;

/** The place of one piece of the text that stands at a place. */
export function anchored(place: Place, text: string, piece: { start: number; text: string }): Place {
  return { ...place, text: anchor(text, piece.start, piece.text) };
}

/**
 * What to look for in order to find the piece at `start`: its first line, and as much of what stands behind it, else
 * before it, on that line as it takes to be the first of its kind, since places are found by their first occurrence.
 */
export function anchor(value: string, start: number, meant: string): string {
  // A line end may itself be what is meant, where it is one that nobody sees.
  const end = start + (firstLine(meant).length || meant.length);
  const room = Math.min(REACH, firstLine(value.slice(end)).length);
  const before = Math.min(REACH, start - value.lastIndexOf('\n', start - 1) - 1);
  for (let reach = 0; reach <= room; reach += 1) {
    const candidate = value.slice(start, end + reach);
    if (value.indexOf(candidate) === start) return candidate;
  }
  for (let reach = 1; reach <= before; reach += 1) {
    const candidate = value.slice(start - reach, end);
    if (value.indexOf(candidate) === start - reach) return candidate;
  }
  return value.slice(start, end);
}

function firstLine(text: string): string {
  return /^[^\r\n]*/.exec(text)?.[0] ?? '';
}
