import { isObject, type Json } from '../model/json.js';
import type { CampaignRecord, LastApplied, LeadRefs, Memory } from '../model/memory.js';
import type { CampaignSpec } from '../model/spec.js';

const VERSION = 1;

/** One record as the text of its file: keys in a fixed order and a line each, so that merges stay readable. */
export function encodeRecord({ id, manifest, name, memory }: CampaignRecord): string {
  return `${JSON.stringify({ version: VERSION, id, manifest, name, ...memory }, null, 2)}\n`;
}

/** The record in a file's text; null where it is not one. */
export function decodeRecord(text: string): CampaignRecord | null {
  const value = parse(text);
  if (!isObject(value) || value.version !== VERSION) return null;
  const { id, manifest, name } = value;
  const memory = decodeMemory(value);
  if (typeof id !== 'number' || typeof manifest !== 'string' || typeof name !== 'string' || memory === null)
    return null;
  return { id, manifest, name, memory };
}

function decodeMemory(value: { [key: string]: Json }): Memory | null {
  const { known, fresh, applied, status } = value;
  const attached = decodeRefs(value.attached);
  const doubtful = decodeRefs(value.doubtful);
  const total_before = value.total_before ?? null;
  if (typeof known !== 'boolean' || typeof fresh !== 'boolean') return null;
  if (!isObject(applied) || attached === null || doubtful === null) return null;
  if (total_before !== null && typeof total_before !== 'number') return null;
  if (status !== null && typeof status !== 'string') return null;
  return { known, fresh, attached, doubtful, total_before, applied, status, last: decodeLast(value.last) };
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
