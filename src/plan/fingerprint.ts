import { createHash } from 'node:crypto';

/** SHA-256 over the value as JSON with sorted keys, so that equal values have equal prints: `sha256:` and 64 hex digits. */
export function fingerprint(value: unknown): string {
  return `sha256:${createHash('sha256').update(JSON.stringify(value, sortKeys)).digest('hex')}`;
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
