import { isObject, type Json } from '../model/json.js';
import type { CampaignSpec } from '../model/spec.js';
import type { LastApplied, LeadRefs, RecordedState, StateEntry } from '../model/state-entry.js';

const VERSION = 1;

/** One record as the text of its file: keys in a fixed order and a line each, so that merges stay readable. */
export function encodeRecord({ id, manifest, name, recorded }: StateEntry): string {
  return `${JSON.stringify({ version: VERSION, id, manifest, name, ...recorded }, null, 2)}\n`;
}

/** The record in a file's text; null where it is not one. */
export function decodeRecord(text: string): StateEntry | null {
  const value = parse(text);
  if (!isObject(value) || value.version !== VERSION) return null;
  const { id, manifest, name } = value;
  const recorded = decodeMemory(value);
  if (typeof id !== 'number' || typeof manifest !== 'string' || typeof name !== 'string' || recorded === null)
    return null;
  return { id, manifest, name, recorded };
}

function decodeMemory(value: { [key: string]: Json }): RecordedState | null {
  const { known, at_defaults, applied, status } = value;
  const attached = decodeRefs(value.attached);
  const doubtful = decodeRefs(value.doubtful);
  const total_before = value.total_before ?? null;
  if (typeof known !== 'boolean' || typeof at_defaults !== 'boolean') return null;
  if (!isObject(applied) || attached === null || doubtful === null) return null;
  if (total_before !== null && typeof total_before !== 'number') return null;
  if (status !== null && typeof status !== 'string') return null;
  return {
    known,
    at_defaults,
    attached,
    doubtful,
    total_before,
    applied,
    status,
    last: decodeLast(value.last),
  };
}

/** It only tells people something: where it is not as expected, it is not known. */
function decodeLast(value: Json | undefined): LastApplied | null {
  if (!isObject(value) || !isObject(value.spec) || typeof value.spec.name !== 'string') return null;
  const { at, how, spec } = value;
  if (typeof at !== 'string' || Number.isNaN(Date.parse(at)) || (how !== 'apply' && how !== 'import'))
    return null;
  const sections = [spec.settings, spec.schedule, spec.sequence, spec.leads];
  if (sections.some((section) => section !== undefined && !isObject(section))) return null;
  return { at, how, spec: spec as unknown as CampaignSpec };
}

function decodeRefs(value: Json | undefined): LeadRefs | null {
  if (!isObject(value)) return null;
  const [lists, ids] = [decodeIds(value.lists), decodeIds(value.ids)];
  return lists === null || ids === null ? null : { lists, ids };
}

function decodeIds(value: Json | undefined): number[] | null {
  if (!Array.isArray(value)) return null;
  const ids = value.filter((id) => typeof id === 'number' && Number.isSafeInteger(id) && id > 0);
  return ids.length === value.length ? (ids as number[]) : null;
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
