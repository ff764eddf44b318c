/**
 * What an import did, or with `dry_run` would have done. A file's `text` is null unless nothing was written. `notes`: what
 * concerns the project as a whole.
 */
export interface Imported {
  version: 1;
  environment: string;
  dry_run: boolean;
  campaigns: ImportedCampaign[];
  skipped: SkippedCampaign[];
  files: { file: string; text: string | null }[];
  notes: string[];
}

/** A manifest that was written: `files` are those that it names, `remarks` what it does not say, and why. */
export interface ImportedCampaign {
  id: number;
  name: string;
  manifest: string;
  files: string[];
  remarks: string[];
}

/** A live campaign that no manifest was written for. `manifest`: the one that manages it already, if that is why. */
export interface SkippedCampaign {
  id: number;
  name: string;
  manifest: string | null;
  reason: string;
}
