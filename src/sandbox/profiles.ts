/**
 * Profiles of behaviour: `documented`; `literal` (the same, but only with the fields that the API document names, so without
 * statuses); and `reported` (by users: envelopes, refusals with status 200).
 */
import type { ProfileName } from '../model/environment.js';
import type { Json, JsonObject } from '../model/json.js';
import { SETTINGS, type SettingDefinition } from '../model/sections.js';
import { type SandboxCampaign, type SandboxSchedule, type SandboxTemplate, SEEDS } from './state.js';

export interface Reply {
  status: number;
  body: Json;
}

export function reply(status: number, body: Json): Reply {
  return { status, body };
}

interface PageRequest {
  number: number;
  url: string;
}

export interface ServiceProfile {
  trims: boolean;
  marksReplies: boolean;
  /** True if an update keeps omitted numbers; otherwise, it resets them to their defaults. */
  keepsNumbers: boolean;
  /** True if `max_emails_per_day` must be at least `max_new_leads_per_day`. */
  boundsNewLeads: boolean;
  /** Minimum `wait_in_days`; `null` for none. */
  leastWait: number | null;
  queuesLaunches: boolean;

  created(campaign: SandboxCampaign): Reply;
  record(campaign: SandboxCampaign): Reply;
  list(campaigns: readonly SandboxCampaign[], asked: PageRequest): Reply;
  templates(templates: readonly SandboxTemplate[]): Reply;
  schedule(campaign: SandboxCampaign): Reply;
  /** Refuses a second schedule; `null` if a second one replaces the first. */
  scheduleExists: ((campaign: SandboxCampaign) => Reply) | null;
  steps(campaign: SandboxCampaign): Reply;
  sequence(campaign: SandboxCampaign): Reply;
  attached(campaign: SandboxCampaign): Reply;
  incomplete(): Reply;
  campaignNotFound(id: string): Reply;
}

const documented: ServiceProfile = {
  trims: false,
  marksReplies: false,
  keepsNumbers: true,
  boundsNewLeads: false,
  leastWait: null,
  queuesLaunches: false,

  created: (campaign) => reply(200, plainRecord(campaign)),
  record: (campaign) => reply(200, plainRecord(campaign)),
  list: (campaigns) => reply(200, campaigns.map(plainRecord)),
  templates: (templates) => reply(200, [...templates]),
  schedule: ({ schedule }) =>
    schedule === null ? reply(404, { message: 'The campaign has no schedule.' }) : reply(200, schedule),
  scheduleExists: null,
  steps: (campaign) => reply(200, plainSteps(campaign)),
  sequence: (campaign) => reply(200, plainSteps(campaign)),
  attached: () => reply(200, { message: 'Attached.' }),
  incomplete: () =>
    reply(400, { success: false, message: 'The campaign is not set up: schedule or sequence is missing.' }),
  campaignNotFound: () => reply(404, { message: 'Campaign not found.' }),
};

function plainRecord({ id, name, status, settings }: SandboxCampaign): JsonObject {
  return { id, name, status, ...settings };
}

function plainSteps({ steps }: SandboxCampaign): JsonObject[] {
  const bases = steps.filter((step) => !step.variant);
  return bases.flatMap((base) => {
    const variants = steps.filter((step) => step.variant_from_step === base.id);
    return [base, ...variants].map(({ title: _, ...step }) => ({ ...step, order: base.order }));
  });
}

const literal: ServiceProfile = {
  ...documented,
  created: ({ id }) => reply(200, { id }),
  record: (campaign) => reply(200, literalRecord(campaign)),
  list: (campaigns) => reply(200, campaigns.map(literalRecord)),
  steps: (campaign) => reply(200, literalSteps(campaign)),
  sequence: (campaign) => reply(200, literalSteps(campaign)),
  attached: () => reply(200, {}),
};

function literalRecord({ id, name, settings }: SandboxCampaign): JsonObject {
  return { id, name, ...settings };
}

/** A variant has no position. */
function literalSteps({ steps }: SandboxCampaign): JsonObject[] {
  return steps.map(({ order, ...step }) => (order === null ? step : { ...step, order }));
}

const reported: ServiceProfile = {
  trims: true,
  marksReplies: true,
  keepsNumbers: false,
  boundsNewLeads: true,
  leastWait: 1,
  queuesLaunches: true,

  created: (campaign) => reply(201, { data: record(campaign) }),
  record: (campaign) => reply(200, { data: record(campaign) }),
  list: (campaigns, asked) => reply(200, page(campaigns, asked)),
  templates: (templates) =>
    reply(200, { data: templates.map((each) => schedule(each, each.id, 'Schedule template')) }),
  schedule: (campaign) =>
    campaign.schedule === null
      ? refusal(200, `Schedule does not exist for ${campaign.name}`)
      : reply(200, { data: schedule(campaign.schedule, 7000 + campaign.id, 'Campaign Schedule') }),
  scheduleExists: (campaign) => refusal(200, `Schedule already exists for ${campaign.name}`),
  steps: (campaign) =>
    campaign.steps.length === 0
      ? refusal(200, `Sequence steps do not exist for ${campaign.name}`)
      : reply(200, { data: steps(campaign) }),
  sequence: (campaign) => {
    const id = sequenceId(campaign);
    return reply(200, {
      data: { id, type: 'Campaign sequence', title: null, sequence_steps: steps(campaign) },
    });
  },
  attached: ({ name }) => {
    const message = `Leads successfully added to ${name}. Existing leads were not added.`;
    return reply(200, { data: { success: true, message } });
  },
  incomplete: () => refusal(400, 'Campaign is missing a sequence, schedule, sender emails or leads.'),
  campaignNotFound: (id) => refusal(404, 'Record not found.', { record_not_found: { campaign: id } }),
};

function refusal(status: number, message: string, more: JsonObject = {}): Reply {
  return reply(status, { data: { success: false, message, ...more } });
}

function record(campaign: SandboxCampaign): JsonObject {
  return {
    id: campaign.id,
    sequence_id: campaign.steps.length === 0 ? null : sequenceId(campaign),
    name: campaign.name,
    type: 'outbound',
    status: campaign.status,
    ...NOTHING_SENT,
    total_leads: campaign.lists.length * SEEDS.leadsPerList + campaign.leads.length,
    ...Object.fromEntries(SHOWN.map((name) => [name, campaign.settings[name]])),
    ...stamps(campaign.id, campaign.revision),
  };
}

const SHOWN = SETTINGS.filter(({ mayBeHidden }: SettingDefinition) => !mayBeHidden).map(({ name }) => name);

const NOTHING_SENT = { emails_sent: 0, unique_replies: 0, bounced: 0, total_leads_contacted: 0 };

function schedule(fields: SandboxSchedule, id: number, type: string): JsonObject {
  const times = { start_time: `${fields.start_time}:00`, end_time: `${fields.end_time}:00` };
  return { ...fields, id, type, ...times, ...stamps(id, 0) };
}

function steps(campaign: SandboxCampaign): JsonObject[] {
  return campaign.steps.map(({ title: _, ...step }) => ({
    ...step,
    active: true,
    attachments: null,
    ...stamps(step.id, 0),
  }));
}

/** Ids of different kinds are far apart, so that mixing them up is noticed. */
function sequenceId(campaign: SandboxCampaign): number {
  return 5000 + campaign.id;
}

function stamps(id: number, revision: number): JsonObject {
  const stamp = (seconds: number) =>
    new Date(Date.UTC(2026, 0, 5, 8) + seconds * 1000).toISOString().replace('Z', '000Z');
  return { created_at: stamp(id), updated_at: stamp(id + revision) };
}

const PAGE_SIZE = 15;

/** Returns one page, with the newest campaigns first. Pages after the last are empty. */
function page(campaigns: readonly SandboxCampaign[], { number, url }: PageRequest): JsonObject {
  const total = campaigns.length;
  const end = Math.max(total - (number - 1) * PAGE_SIZE, 0);
  const rows = campaigns.slice(Math.max(end - PAGE_SIZE, 0), end).reverse();
  const last = Math.max(Math.ceil(total / PAGE_SIZE), 1);
  const first = (number - 1) * PAGE_SIZE + 1;
  const urlOf = (page: number) => (page < 1 || page > last ? null : `${url}?page=${page}`);
  return {
    data: rows.map(record),
    links: { first: urlOf(1), last: urlOf(last), prev: urlOf(number - 1), next: urlOf(number + 1) },
    meta: {
      current_page: number,
      from: rows.length === 0 ? null : first,
      last_page: last,
      path: url,
      per_page: PAGE_SIZE,
      to: rows.length === 0 ? null : first + rows.length - 1,
      total,
    },
  };
}

export const PROFILES: Record<ProfileName, ServiceProfile> = { documented, literal, reported };
