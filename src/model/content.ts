export type {
  BeforeAfter,
  Content,
  ContentEmail,
  ContentSchedule,
  ContentSequence,
  SendingHours,
} from './outputs.generated.js';
