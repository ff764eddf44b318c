import type { Path } from '../model/outputs.js';
import type { Flaw } from './rule.js';

interface NumberRange {
  min?: number | undefined;
  max?: number | undefined;
}

export function inWords({ min, max }: NumberRange): string {
  if (min === undefined) return `${max} or less`;
  return max === undefined ? `${min} or more` : `a number from ${min} to ${max}`;
}

/** `more than 500`; `null` if the number is within its bounds. */
export function breach(value: number, { min, max }: NumberRange): string | null {
  if (max !== undefined && value > max) return `more than ${max}`;
  return min !== undefined && value < min ? `less than ${min}` : null;
}

export function reversed({ min, max }: NumberRange, path: Path): Flaw[] {
  if (min === undefined || max === undefined || min <= max) return [];
  const message = `${path.join('.')}: the minimum, ${min}, is greater than the maximum, ${max}.`;
  return [{ path, message, hint: 'Swap the two values, or remove one.' }];
}
