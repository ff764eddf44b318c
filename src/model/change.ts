export type { Change, SectionName } from './outputs.generated.js';
