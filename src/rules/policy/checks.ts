import { bounds } from './bounds.js';
import type { Check } from './check.js';
import { links } from './links.js';
import { name } from './name.js';
import { required } from './required.js';
import { sending } from './sending.js';
import { steps } from './steps.js';
import { subject } from './subject.js';
import { words } from './words.js';

/** Everything that a policy can ask for, in the order of `docs/policies.md`. */
export const CHECKS: readonly Check[] = [required, bounds, sending, words, links, subject, steps, name];
