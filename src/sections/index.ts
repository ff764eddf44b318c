/**
 * The parts of a campaign, a file each: what may be written (JSON Schema), text and answers → one canonical value,
 * (live, desired) → changes → requests, and live → what a manifest would say. Everything here is pure and total: no clock, no
 * network, inputs are never mutated.
 */
import type { SectionName } from '../model/outputs.js';
import { SECTION_NAMES } from '../model/sections.js';
import { campaign } from './campaign.js';
import { leads } from './leads.js';
import { schedule } from './schedule.js';
import type { Section } from './section.js';
import { sequence } from './sequence.js';
import { settings } from './settings.js';
import { status } from './status.js';

const BY_NAME: Record<SectionName, Section> = { campaign, settings, schedule, sequence, leads, status };

/** In the order of the table in `model/sections.ts`. */
export const SECTIONS: readonly Section[] = SECTION_NAMES.map((name) => BY_NAME[name]);

export type { CampaignContext, Section, SectionContext, StepEffect } from './section.js';
