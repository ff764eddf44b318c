export type { Step } from './outputs.generated.js';
