import type { SectionName } from './outputs.js';

/**
 * The sections of a campaign, in the order in which they are listed and sent. `label` is for readers who do not know manifests;
 * `content` is what a section holds; `stages` are the first parts of the ids of its steps, in the order in which they are sent (`plan/order.ts` draws them).
 */
const TABLE = [
  { name: 'campaign', label: 'Campaign', content: 'Its name.', stages: ['create'] },
  { name: 'settings', label: 'Settings', content: 'Limits and switches.', stages: ['settings'] },
  { name: 'schedule', label: 'Schedule', content: 'Days and times, or a template.', stages: ['schedule'] },
  { name: 'sequence', label: 'Sequence', content: 'Emails.', stages: ['sequence', 'variants'] },
  { name: 'leads', label: 'Leads', content: 'Lead lists or ids.', stages: ['leads'] },
  { name: 'status', label: 'Status', content: 'Whether the campaign runs.', stages: ['launch'] },
] as const;

export const SECTION_NAMES: readonly SectionName[] = TABLE.map(({ name }) => name);

/** The sections that a manifest may leave out: all but the campaign itself. */
export const OPTIONAL_SECTIONS = SECTION_NAMES.filter((name) => name !== 'campaign');

export const SECTION_LABELS = Object.fromEntries(TABLE.map(({ name, label }) => [name, label])) as Record<
  SectionName,
  string
>;

export const SECTION_CONTENTS = Object.fromEntries(
  TABLE.map(({ name, content }) => [name, content]),
) as Record<SectionName, string>;

export const SECTION_STAGES: readonly string[] = TABLE.flatMap(({ stages }) => stages);
