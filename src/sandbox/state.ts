import { DEFAULT_SETTINGS, type StoredSettings, WEEKDAYS, type Weekday } from '../model/sections.js';

/** Times are `HH:MM`, whatever the answers show. */
export type SandboxSchedule = { [day in Weekday]: boolean } & {
  start_time: string;
  end_time: string;
  timezone: string;
};

export type SandboxTemplate = SandboxSchedule & { id: number };

/** `order` counts the base steps from 1; variants have none. Texts are as stored, not as sent. */
export type SandboxStep = {
  id: number;
  order: number | null;
  title: string;
  email_subject: string;
  email_body: string;
  wait_in_days: number;
  variant: boolean;
  variant_from_step: number | null;
  thread_reply: boolean;
};

/**
 * One campaign with everything stored, shown in answers or not. `queuedReads`: how many reads still say `queued`;
 * `launchFails`: what they say then is `failed`.
 * `sequenceTitles`: the top-level title of each sequence that was posted. `lists` and `leads`: what is attached,
 * each id once, sorted. `resumes`: how often it was launched. `revision`: how often it was changed.
 */
export type SandboxCampaign = {
  id: number;
  name: string;
  status: 'draft' | 'queued' | 'active' | 'paused' | 'failed';
  queuedReads: number;
  launchFails: boolean;
  settings: StoredSettings;
  schedule: SandboxSchedule | null;
  sequenceTitles: string[];
  steps: SandboxStep[];
  lists: number[];
  leads: number[];
  resumes: number;
  revision: number;
};

/**
 * The workspace, never changed in place: each write makes another one. Nothing is ever deleted, so a campaign or template
 * with id n stands at index n - 1.
 */
export type SandboxState = Readonly<{
  campaigns: readonly SandboxCampaign[];
  templates: readonly SandboxTemplate[];
  lastStepId: number;
}>;

/** Lead lists and leads exist by convention: every id up to these. A list counts as 100 leads. */
export const SEEDS = { lastListId: 999, lastLeadId: 999_999, leadsPerList: 100 };

const workingDays = Object.fromEntries(WEEKDAYS.map((day, index) => [day, index < 5])) as {
  [day in Weekday]: boolean;
};

/** A new workspace: no campaign, two schedule templates. Step ids start far off, so that a mixed-up id shows. */
export const NEW_STATE: SandboxState = {
  campaigns: [],
  templates: [
    { id: 1, ...workingDays, start_time: '09:00', end_time: '17:00', timezone: 'Europe/Paris' },
    { id: 2, ...workingDays, start_time: '08:00', end_time: '18:00', timezone: 'America/New_York' },
  ],
  lastStepId: 1000,
};

/** The fields of a new campaign, besides its id and name. */
export const NEW_CAMPAIGN: Omit<SandboxCampaign, 'id' | 'name'> = {
  status: 'draft',
  queuedReads: 0,
  launchFails: false,
  settings: DEFAULT_SETTINGS,
  schedule: null,
  sequenceTitles: [],
  steps: [],
  lists: [],
  leads: [],
  resumes: 0,
  revision: 0,
};
