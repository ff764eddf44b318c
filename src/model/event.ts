export type { ApplyEvent, RunEvent } from './outputs.generated.js';
