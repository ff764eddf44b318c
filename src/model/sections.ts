import type { SectionName } from './outputs.js';

/**
 * The sections of a campaign, in the order in which they are listed and sent. `label` is for readers who do not know manifests;
 * `stages` are the first parts of the ids of its steps, in the order in which they are sent (`plan/order.ts` draws them).
 */
const TABLE = [
  { name: 'campaign', label: 'Campaign', stages: ['create'] },
  { name: 'settings', label: 'Settings', stages: ['settings'] },
  { name: 'schedule', label: 'Schedule', stages: ['schedule'] },
  { name: 'sequence', label: 'Sequence', stages: ['sequence', 'variants'] },
  { name: 'leads', label: 'Leads', stages: ['leads'] },
  { name: 'status', label: 'Status', stages: ['launch'] },
] as const;

export const SECTION_NAMES: readonly SectionName[] = TABLE.map(({ name }) => name);

/** The sections that a manifest may leave out: all but the campaign itself. */
export const OPTIONAL_SECTIONS = SECTION_NAMES.filter((name) => name !== 'campaign');

export const SECTION_LABELS = Object.fromEntries(TABLE.map(({ name, label }) => [name, label])) as Record<
  SectionName,
  string
>;

export const SECTION_STAGES: readonly string[] = TABLE.flatMap(({ stages }) => stages);
