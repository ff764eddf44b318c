import type { Json, JsonObject } from '../model/json.js';
import { SETTINGS } from '../model/settings.js';
import { pageBody, pageRows } from './pages.js';
import { mapFields, type Profile } from './profile.js';
import { type Reply, reply } from './rule.js';
import { type Campaign, type Schedule, SEEDS, type Step } from './state.js';

/** The service as public reports describe installations of it: envelopes, refusals with status 200, odd spots. */
export const reported: Profile = {
  receive: (body) => mapFields(body, (text) => text.trim() || null),
  storedSubject: (subject, threadReply) => (threadReply ? `Re: ${subject}` : subject),
  keepsNumbers: false,
  boundsNewLeads: true,
  leastWait: 1,
  launch: 'queued',

  created: (campaign) => reply(201, { data: record(campaign) }),
  record: (campaign) => reply(200, { data: record(campaign) }),
  rows: pageRows,
  list: (rows, page, total) => reply(200, { data: rows.map(record), ...pageBody(rows.length, page, total) }),
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

function record(campaign: Campaign): JsonObject {
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

function schedule(fields: Schedule, id: number, type: string): JsonObject {
  const times = { start_time: `${fields.start_time}:00`, end_time: `${fields.end_time}:00` };
  return { ...fields, id, type, ...times, ...stamps(id, 0) };
}

function step(stored: Step): Json {
  const { title: _, ...fields } = stored;
  return { ...fields, active: true, attachments: null, ...stamps(stored.id, 0) };
}

/** Ids of different things are far apart, so that a mixed-up id shows. */
function sequenceId(campaign: Campaign): number {
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
