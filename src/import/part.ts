import type { Answers, ListedCampaign } from '../model/answer.js';
import type { Json } from '../model/json.js';
import type { RecordedState } from '../model/state-entry.js';

/** A live campaign as it was read, and what is remembered of it. */
export interface Live {
  listed: ListedCampaign;
  answers: Answers;
  recorded: RecordedState;
}

/**
 * What a live campaign is called in its manifest: `name`; `here` where it is another one in the environment it comes
 * from. `pinned`: its name alone would not find it again. `remarks`: what has to be said of that.
 */
export interface Named {
  name: string;
  here: string | null;
  pinned: boolean;
  remarks: string[];
}

/** The sections of a manifest, in the order in which they are written. */
export const MANIFEST_KEYS = [
  'name',
  'settings',
  'schedule',
  'sequence',
  'leads',
  'status',
  'lint',
  'waive',
] as const;
export type Section = (typeof MANIFEST_KEYS)[number];

/** One section as a value, null where there is none, and what stands as comments with it. */
export interface Part {
  section: Section;
  value: Json;
  remarks: string[];
}

/** What holds for the environment that the campaign comes from alone. */
export type Overlay = { [section: string]: Json };

/** `natural`: as a person writes; `quoted`: every text in one line of double quotes, which holds anything. */
export type Style = 'natural' | 'quoted';

/** Where a manifest goes: project-relative paths without the file names' ends, and that of the manifest. */
export interface Target {
  folder: string;
  basename: string;
  extension: string;
}

/** The files of one manifest by their paths relative to the project, the manifest itself first. */
export interface Written {
  manifest: string;
  files: Map<string, string>;
}
