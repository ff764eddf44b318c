/**
 * Services to be like, as data: `documented`, as the API document has it, with the plainest choice wherever that is
 * silent, and `reported`, as public reports describe installations: envelopes, refusals with status 200, odd spots.
 */
import type { Json, JsonObject } from '../model/json.js';
import { SETTINGS } from '../model/settings.js';
import {
  type SandboxCampaign,
  type SandboxSchedule,
  type SandboxStep,
  type SandboxTemplate,
  SEEDS,
} from './state.js';

/** An answer before it goes out. */
export interface Reply {
  status: number;
  body: Json;
  headers: Readonly<Record<string, string>>;
}

export function reply(status: number, body: Json, headers: Reply['headers'] = {}): Reply {
  return { status, body, headers };
}

/** Which part of a long list is asked for. `url` is the list's address without its query. */
interface PageRequest {
  number: number;
  size: number;
  url: string;
}

/** What a service does where the API is silent, and what it answers. */
export interface ServiceProfile {
  /** Whether texts are trimmed before anything looks at them, and empty ones are null. */
  trims: boolean;
  /** Whether the subject of a thread reply is stored with `Re: ` in front. */
  marksReplies: boolean;
  /** Whether numbers that an update does not send stay as they are; otherwise they become their defaults. */
  keepsNumbers: boolean;
  /** Whether `max_emails_per_day` must be at least `max_new_leads_per_day`. */
  boundsNewLeads: boolean;
  /** The least `wait_in_days`; null: any. */
  leastWait: number | null;
  /** Whether a launch is queued first. */
  queuesLaunches: boolean;

  created(campaign: SandboxCampaign): Reply;
  record(campaign: SandboxCampaign): Reply;
  list(campaigns: readonly SandboxCampaign[], page: PageRequest): Reply;
  templates(templates: readonly SandboxTemplate[]): Reply;
  schedule(campaign: SandboxCampaign): Reply;
  /** The refusal of a second schedule; null: it takes the place of the first. */
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
  schedule: (campaign) =>
    campaign.schedule === null
      ? reply(404, { message: 'The campaign has no schedule.' })
      : reply(200, campaign.schedule),
  scheduleExists: null,
  steps: (campaign) => reply(200, plainSteps(campaign)),
  sequence: (campaign) => reply(200, plainSteps(campaign)),
  attached: () => reply(200, { message: 'Attached.' }),
  incomplete: () =>
    reply(400, {
      success: false,
      message: 'The campaign has not been set up: schedule or sequence is missing.',
    }),
  campaignNotFound: () => reply(404, { message: 'Campaign not found.' }),
};

function plainRecord(campaign: SandboxCampaign): JsonObject {
  return { id: campaign.id, name: campaign.name, status: campaign.status, ...campaign.settings };
}

/** In sending order, the variants behind their step and with its order. */
function plainSteps({ steps }: SandboxCampaign): JsonObject[] {
  const bases = steps.filter((step) => !step.variant);
  return bases.flatMap((base) =>
    [base, ...steps.filter((step) => step.variant_from_step === base.id)].map(({ title: _, ...step }) => ({
      ...step,
      order: base.order,
    })),
  );
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
  list(campaigns, page) {
    const rows = pageRows(campaigns, page);
    return reply(200, { data: rows.map(record), ...pageBody(rows.length, page, campaigns.length) });
  },
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
      : reply(200, { data: campaign.steps.map(step) }),
  sequence: (campaign) =>
    reply(200, {
      data: {
        id: sequenceId(campaign),
        type: 'Campaign sequence',
        title: null,
        sequence_steps: campaign.steps.map(step),
      },
    }),
  attached: (campaign) =>
    reply(200, {
      data: {
        success: true,
        message: `Leads successfully added to ${campaign.name}. Existing leads were not added.`,
      },
    }),
  incomplete: () => refusal(400, 'Campaign is missing a sequence, schedule, sender emails or leads.'),
  campaignNotFound: (id) => refusal(404, 'Record not found.', { record_not_found: { campaign: id } }),
};

function refusal(status: number, message: string, more: JsonObject = {}): Reply {
  return reply(status, { data: { success: false, message, ...more } });
}

function record(campaign: SandboxCampaign): JsonObject {
  return {
    id: campaign.id,
    uuid: `00000000-0000-4000-8000-${campaign.id.toString(16).padStart(12, '0')}`,
    sequence_id: campaign.steps.length === 0 ? null : sequenceId(campaign),
    name: campaign.name,
    type: 'outbound',
    status: campaign.status,
    ...NOTHING_SENT,
    total_leads: campaign.lists.length * SEEDS.leadsPerList + campaign.leads.length,
    ...Object.fromEntries(SHOWN.map((name) => [name, campaign.settings[name]])),
    include_auto_replies_in_stats: false,
    sequence_prioritization: 'followups',
    daily_max_sends_per_receiving_domain: 0,
    ...stamps(campaign.id, campaign.revision),
    tags: [],
  };
}

/** The others are stored and never shown. */
const SHOWN = SETTINGS.filter(({ mayBeHidden }) => !mayBeHidden).map(({ name }) => name);

const NOTHING_SENT = {
  completion_percentage: 0,
  emails_sent: 0,
  opened: 0,
  unique_opens: 0,
  replied: 0,
  unique_replies: 0,
  bounced: 0,
  unsubscribed: 0,
  interested: 0,
  total_leads_contacted: 0,
};

function schedule(fields: SandboxSchedule, id: number, type: string): JsonObject {
  const times = { start_time: `${fields.start_time}:00`, end_time: `${fields.end_time}:00` };
  return { ...fields, id, type, ...times, ...stamps(id, 0) };
}

function step(stored: SandboxStep): Json {
  const { title: _, ...fields } = stored;
  return { ...fields, active: true, attachments: null, ...stamps(stored.id, 0) };
}

/** Ids of different things are far apart, so that a mixed-up id shows. */
function sequenceId(campaign: SandboxCampaign): number {
  return 5000 + campaign.id;
}

/** Invented times: the same state gives the same answer, whenever it is asked for. */
function stamps(id: number, revision: number): JsonObject {
  return { created_at: stamp(id), updated_at: stamp(id + revision) };
}

function stamp(seconds: number): string {
  const time = new Date(Date.UTC(2026, 0, 5, 8) + seconds * 1000);
  return time.toISOString().replace('Z', '000Z');
}

/** One page, newest first. */
function pageRows(campaigns: readonly SandboxCampaign[], page: PageRequest): readonly SandboxCampaign[] {
  const end = Math.max(campaigns.length - (page.number - 1) * page.size, 0);
  return campaigns.slice(Math.max(end - page.size, 0), end).reverse();
}

/** `links` and `meta` of a page with `shown` rows out of `total`. Pages beyond the last are empty, not an error. */
function pageBody(shown: number, page: PageRequest, total: number): JsonObject {
  const last = Math.max(Math.ceil(total / page.size), 1);
  const first = (page.number - 1) * page.size + 1;
  const url = (number: number) => (number < 1 || number > last ? null : `${page.url}?page=${number}`);
  const link = (number: number, label: string) => ({
    url: url(number),
    label,
    active: label === String(page.number),
  });
  const near = [...Array(last).keys()].map((index) => index + 1).filter((number) => isNear(number, page));
  return {
    links: { first: url(1), last: url(last), prev: url(page.number - 1), next: url(page.number + 1) },
    meta: {
      current_page: page.number,
      from: shown === 0 ? null : first,
      last_page: last,
      links: [
        link(page.number - 1, '&laquo; Previous'),
        ...near.map((number) => link(number, String(number))),
        link(page.number + 1, 'Next &raquo;'),
      ],
      path: page.url,
      per_page: page.size,
      to: shown === 0 ? null : first + shown - 1,
      total,
    },
  };
}

/** Listing all numbers on every page would make long lists quadratic. */
function isNear(number: number, page: PageRequest): boolean {
  return Math.abs(number - page.number) <= 3;
}

export const PROFILES: Record<'documented' | 'reported', ServiceProfile> = { documented, reported };
