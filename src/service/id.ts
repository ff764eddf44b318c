import type { Json } from '../model/json.js';

/** A positive id as number or text of digits; null for everything else, and for what a number cannot hold exactly. */
export function readId(value: Json | undefined): number | null {
  const id = typeof value === 'string' && /^\d{1,16}$/.test(value.trim()) ? Number(value) : value;
  return typeof id === 'number' && Number.isSafeInteger(id) && id > 0 ? id : null;
}
