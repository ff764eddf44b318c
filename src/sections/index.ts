/**
 * Sections of a campaign, a file each, as pure functions: schema; text and answers → canonical value; (live, desired) → changes →
 * requests; live → manifest.
 */
import { SECTION_NAMES } from '../model/sections.js';
import { campaign } from './campaign.js';
import { leads } from './leads.js';
import { schedule } from './schedule.js';
import type { Section } from './section.js';
import { sequence } from './sequence.js';
import { settings } from './settings.js';
import { status } from './status.js';

const ALL: readonly Section[] = [campaign, settings, schedule, sequence, leads, status];

/** In the order of the table in `model/sections.ts`. */
export const SECTIONS = [...ALL].sort(
  (a, b) => SECTION_NAMES.indexOf(a.name) - SECTION_NAMES.indexOf(b.name),
);

export type { CampaignContext, Managed, Section, StepEffect } from './section.js';
