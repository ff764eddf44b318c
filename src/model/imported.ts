export type { Imported, ImportedCampaign, SkippedCampaign } from './outputs.generated.js';
