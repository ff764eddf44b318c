import type { Json } from './json.js';
import type { SectionName } from './outputs.js';

export const IMPORT_STATUSES = ['running', 'stopped', 'finished'] as const;
export type ImportStatus = (typeof IMPORT_STATUSES)[number];

/** A comment in an imported manifest. `key`: a manifest key. `leads`: the number of leads, if it concerns them. */
export interface ImportRemark {
  key: string;
  kind: 'left_out' | 'note';
  text: string;
  leads: number | null;
}

export interface ImportedCampaign {
  id: number;
  name: string;
  manifest: string;
  remarks: ImportRemark[];
}

export interface SkippedCampaign {
  id: number;
  name: string;
  reason: string;
}

export interface ImportResult {
  environment: string;
  campaigns: ImportedCampaign[];
  skipped: SkippedCampaign[];
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

/** A difference to set by hand. `text`: the text to write; `null` for nothing. */
export interface ValueByHand extends ManifestPosition {
  reason: string;
  text: string | null;
}

export interface CampaignUpdate {
  manifest: string;
  name: string;
  id: number | null;
  updated: UpdatedValue[];
  by_hand: ValueByHand[];
  local_changes: ManifestPosition[];
  in_sync: boolean;
}

/** Result of `import --update`. `files`: changed files. */
export interface UpdateResult {
  environment: string;
  files: string[];
  campaigns: CampaignUpdate[];
}
