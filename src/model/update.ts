import type { Change, SectionName } from './change.js';

/** A difference that was written into a file: `from` is what the manifest said, `to` what it says now. */
export interface UpdatedValue extends Pick<Change, 'section' | 'path' | 'kind' | 'from' | 'to'> {
  file: string;
}

/** A difference that was left alone, and why. */
export interface SkippedDifference {
  section: SectionName;
  path: string;
  reason: string;
}

/**
 * What became of one campaign. `meant`: differences that were made in the manifest since it was last applied, which stay for apply.
 * `also`: other environments for which the manifest says something else now. `settled`: nothing else differs.
 */
export interface CampaignUpdate {
  manifest: string;
  name: string;
  id: number | null;
  updated: UpdatedValue[];
  skipped: SkippedDifference[];
  local_changes: Pick<Change, 'section' | 'path'>[];
  other_environments: string[];
  in_sync: boolean;
}

/** A file with its new text; `diff` is the difference in unified form. */
export interface FileUpdate {
  file: string;
  diff: string;
}

/** What `import --update` did, or would do. Its JSON schema is `schemas/update.schema.json`. */
export interface UpdateResult {
  version: 1;
  environment: string;
  written: boolean;
  files: FileUpdate[];
  campaigns: CampaignUpdate[];
}
