import { DEFAULT_SETTINGS, type StoredSettings, WEEKDAYS, type Weekday } from '../model/sections.js';

export type SandboxSchedule = { [day in Weekday]: boolean } & {
  start_time: string;
  end_time: string;
  timezone: string;
};

export type SandboxTemplate = SandboxSchedule & { id: number };

/** `order` counts base steps from 1; variants have none. Strings are stored unchanged. */
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
 * `queuedReads`: number of reads that will still show `queued`. `lists`, `leads`: sorted ids. `resumes`, `revision`:
 * numbers of launches and of changes.
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

/** Immutable. Nothing is deleted, so id n is at index n - 1. */
export type SandboxState = Readonly<{
  campaigns: readonly SandboxCampaign[];
  templates: readonly SandboxTemplate[];
  lastStepId: number;
}>;

/** All ids up to these exist. Each list counts as 100 leads. */
export const SEEDS = { lastListId: 999, lastLeadId: 999_999, leadsPerList: 100 };

const workingDays = Object.fromEntries(WEEKDAYS.map((day, index) => [day, index < 5])) as {
  [day in Weekday]: boolean;
};

export const NEW_STATE: SandboxState = {
  campaigns: [],
  templates: [
    { id: 1, ...workingDays, start_time: '09:00', end_time: '17:00', timezone: 'Europe/Paris' },
    { id: 2, ...workingDays, start_time: '08:00', end_time: '18:00', timezone: 'America/New_York' },
  ],
  lastStepId: 1000,
};

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
