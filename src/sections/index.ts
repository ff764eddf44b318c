import { SECTION_NAMES } from '../model/sections.js';
import { campaign } from './campaign.js';
import { leads } from './leads.js';
import { schedule } from './schedule.js';
import type { Section } from './section.js';
import { sequence } from './sequence.js';
import { settings } from './settings.js';
import { status } from './status.js';

const ALL: readonly Section[] = [campaign, settings, schedule, sequence, leads, status];

export const SECTIONS = [...ALL].sort(
  (a, b) => SECTION_NAMES.indexOf(a.name) - SECTION_NAMES.indexOf(b.name),
);
