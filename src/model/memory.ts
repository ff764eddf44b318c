import type { JsonObject } from './json.js';

/**
 * What is remembered of one campaign because the service does not show it. `applied` holds, by aspect, the last
 * applied values that cannot be read back; `doubtful` the attachments whose outcome is unknown; `status` the last
 * status set (`running`, `paused`). `known` is false when nothing was ever recorded: then what was attached is
 * unknown, which is not the same as nothing.
 */
export interface Memory {
  known: boolean;
  attached: LeadRefs;
  doubtful: LeadRefs;
  applied: JsonObject;
  status: string | null;
}

/** Lead lists and single leads by id, sorted, each once. */
export interface LeadRefs {
  lists: number[];
  ids: number[];
}

/** The memory of a campaign nothing was ever recorded of. */
export const UNKNOWN: Memory = {
  known: false,
  attached: { lists: [], ids: [] },
  doubtful: { lists: [], ids: [] },
  applied: {},
  status: null,
};

/** The memory of a campaign that was just created: nothing is attached, and that is certain. */
export const BLANK: Memory = { ...UNKNOWN, known: true };
