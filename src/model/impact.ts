export type { Impact } from './outputs.generated.js';
