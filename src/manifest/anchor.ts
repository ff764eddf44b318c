import type { Place } from '../model/outputs.js';

/** Most characters of context on each side. */
const REACH = 40;

export function anchored(place: Place, text: string, piece: { start: number; text: string }): Place {
  return { ...place, text: anchor(text, piece.start, piece.text) };
}

/** The first line of `meant`, with enough context that its first occurrence is the one at `start`. */
export function anchor(value: string, start: number, meant: string): string {
  // `meant` may itself be an invisible line end.
  const end = start + (firstLine(meant).length || meant.length);
  const room = Math.min(REACH, firstLine(value.slice(end)).length);
  const before = Math.min(REACH, start - value.lastIndexOf('\n', start - 1) - 1);
  for (let more = 0; more <= room; more += 1) {
    const candidate = value.slice(start, end + more);
    if (value.indexOf(candidate) === start) return candidate;
  }
  for (let more = 1; more <= before; more += 1) {
    const candidate = value.slice(start - more, end);
    if (value.indexOf(candidate) === start - more) return candidate;
  }
  return value.slice(start, end);
}

function firstLine(text: string): string {
  return /^[^\r\n]*/.exec(text)?.[0] ?? '';
}
