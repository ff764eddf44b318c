import type { Look } from './document.js';
import type { Colour, Paint } from './terminal.js';

export const COLOURS: Record<Look, Colour | null> = {
  new: 'green',
  changed: 'yellow',
  blocked: 'red',
  launch: 'magenta',
  quiet: null,
};

export function painted(paint: Paint, look: Look, text: string): string {
  const colour = COLOURS[look];
  return colour === null ? text : paint(colour, text);
}
