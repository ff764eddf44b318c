import { escapedJson } from './terminal.js';

/** JSON for machines: two spaces, a final line feed. Each shape has its version and, where it is kept, its schema in `schemas/`. */
export function renderJson(value: unknown): string {
  return `${escapedJson(JSON.stringify(value, null, 2))}\n`;
}
