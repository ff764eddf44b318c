import { createHash } from 'node:crypto';
import type { CampaignPlan } from '../model/plan.js';

/** SHA-256 over the value as JSON with sorted keys, so that equal values have equal prints: `sha256:` and 64 hex digits. */
export function fingerprint(value: unknown): string {
  return `sha256:${createHash('sha256').update(JSON.stringify(value, sortKeys)).digest('hex')}`;
}

/**
 * What is decided about a campaign. Both sides follow from it and from what is live; a reach follows from the time as well,
 * and whose a change is from what was once applied: none of them changes a request.
 */
export function decided({ content: _sides, impact: _reach, last: _last, ...campaign }: CampaignPlan) {
  const changes = campaign.changes.map(({ origin: _origin, ...change }) => change);
  return { ...campaign, changes };
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
