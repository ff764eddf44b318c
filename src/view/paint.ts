export type Colour = 'green' | 'yellow' | 'red' | 'magenta' | 'cyan' | 'dim' | 'bold';

/** Colours a text, or leaves it alone: whether colours are wanted is decided once, by the shell. */
export type Paint = (colour: Colour, text: string) => string;

const CODES: Record<Colour, [number, number]> = {
  green: [32, 39],
  yellow: [33, 39],
  red: [31, 39],
  magenta: [35, 39],
  cyan: [36, 39],
  dim: [2, 22],
  bold: [1, 22],
};

export const plain: Paint = (_colour, text) => text;

export const coloured: Paint = (colour, text) => {
  const [on, off] = CODES[colour];
  return text === '' ? '' : `\u001b[${on}m${text}\u001b[${off}m`;
};

/** How a text is shown: in colour or not, for how many columns. */
export interface TextOptions {
  paint: Paint;
  width: number;
}
