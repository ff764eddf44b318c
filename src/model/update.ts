export type {
  CampaignUpdate,
  FileUpdate,
  SkippedDifference,
  UpdatedValue,
  UpdateResult,
} from './outputs.generated.js';
