import type { Json } from './json.js';
import type { SectionName } from './outputs.js';

/** Statuses by which live campaigns can be chosen. */
export const IMPORT_STATUSES = ['running', 'stopped', 'finished'] as const;
export type ImportStatus = (typeof IMPORT_STATUSES)[number];

/** A comment of an imported manifest. `leads`: the number of leads that the service shows, if the comment is about them. */
export interface ImportRemark {
  /** The key of the manifest that it is about. */
  key: string;
  kind: 'left_out' | 'note';
  text: string;
  leads: number | null;
}

export interface ImportedCampaign {
  id: number;
  name: string;
  /** The file, relative to the project, and its text. */
  manifest: string;
  text: string;
  remarks: ImportRemark[];
}

/** A live campaign without a new manifest, and the reason. */
export interface SkippedCampaign {
  id: number;
  name: string;
  reason: string;
}

/** The result of `import`. `notes`: remarks about the project as a whole. */
export interface ImportResult {
  environment: string;
  dry_run: boolean;
  campaigns: ImportedCampaign[];
  skipped: SkippedCampaign[];
  notes: string[];
}

interface ManifestPosition {
  section: SectionName;
  /** Path below the section: `steps[0].email_body`; empty for the whole section. */
  path: string;
  file: string;
  line: number;
}

export interface UpdatedValue extends ManifestPosition {
  from: Json;
  to: Json;
}

/** A difference that a person has to set. `text`: what to write at that position; `null` if there is nothing to write. */
export interface ValueByHand extends ManifestPosition {
  reason: string;
  text: string | null;
}

/** One campaign of `import --update`. */
export interface CampaignUpdate {
  manifest: string;
  name: string;
  id: number | null;
  updated: UpdatedValue[];
  by_hand: ValueByHand[];
  /** Changes of the manifest since the last apply: they stay for the next one. */
  local_changes: ManifestPosition[];
  /** Other environments whose campaigns the edits change too. */
  other_environments: string[];
  /** Only local changes are left. */
  in_sync: boolean;
}

/** The result of `import --update`. `files`: those with a new text; `written` is false for a dry run. */
export interface UpdateResult {
  environment: string;
  written: boolean;
  files: string[];
  campaigns: CampaignUpdate[];
}
