import { campaign } from './campaign/index.js';
import { leads } from './leads/index.js';
import { schedule } from './schedule/index.js';
import type { Section } from './section.js';
import { sequence } from './sequence/index.js';
import { settings } from './settings/index.js';
import { status } from './status/index.js';

/**
 * The six parts of a campaign, each in a folder of the same files: schema (what may be written), state (text and
 * answers → one canonical value), diff ((live, desired) → changes), steps (changes → requests), express (live → what a
 * manifest would say). Everything here is pure and total: no clock, no network, inputs are never mutated. A new section
 * is a folder and a line below.
 */

export const SECTIONS: readonly Section[] = [campaign, settings, schedule, sequence, leads, status];
export type {
  CampaignContext,
  Difference,
  ManifestSection,
  Section,
  SectionContext,
  StepEffect,
} from './section.js';
