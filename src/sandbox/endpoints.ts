/** The 14 endpoints. Handlers do not modify the workspace; they return the response and a new workspace. */
import type { JsonObject } from '../model/json.js';
import { SETTINGS, type StoredSettings, WEEKDAYS } from '../model/sections.js';
import { type BodyFault, type BodyFields, invalid, says } from './body-fields.js';
import type { Reply, ServiceProfile } from './profiles.js';
import {
  NEW_CAMPAIGN,
  type SandboxCampaign,
  type SandboxSchedule,
  type SandboxState,
  type SandboxStep,
  SEEDS,
} from './state.js';

/** `after`: the new workspace; `null` if unchanged. `effect`: true if something was written. */
export interface Ruling {
  reply: Reply;
  after: SandboxState | null;
  effect: boolean;
}

interface Call {
  state: SandboxState;
  profile: ServiceProfile;
  body: JsonObject;
  page: number;
  origin: string;
  /** True if a launch is to fail shortly after it is accepted. */
  launchFails: boolean;
}

type Handler = (call: Call) => Ruling | BodyFault[];

/**
 * `pages`: true if paging parameters are allowed. `body`: the allowed fields. `find`: returns `null` for an unknown
 * campaign.
 */
interface Route {
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  pages: boolean;
  body: BodyFields;
  find(state: SandboxState, id: string): Handler | null;
}

const SETTINGS_BODY: BodyFields = Object.fromEntries(
  SETTINGS.map(({ name, type }) => [name, `nullable ${type}` as const]),
);

const SCHEDULE_BODY: BodyFields = {
  ...Object.fromEntries(WEEKDAYS.map((day) => [day, 'required boolean'])),
  start_time: 'required time',
  end_time: 'required time',
  timezone: 'required timezone',
  save_as_template: 'required boolean',
};

const STEP: BodyFields = {
  title: 'required text',
  email_subject: 'required text',
  email_body: 'required text',
  wait_in_days: 'required integer',
  variant: 'nullable boolean',
  variant_from_step: 'nullable integer',
  thread_reply: 'required boolean',
  order: 'position',
};
const SEQUENCE_BODY: BodyFields = { title: 'required text', sequence_steps: [STEP] };

export const ROUTES: readonly Route[] = [
  workspace('POST', '', createCampaign, { name: 'required text' }),
  workspace('GET', '', listCampaigns),
  campaign('GET', '', readCampaign),
  campaign('PATCH', '/update', updateSettings, SETTINGS_BODY),
  workspace('GET', '/schedule/templates', ({ state, profile }) =>
    answered(profile.templates(state.templates)),
  ),
  campaign('POST', '/create-schedule-from-template', copyTemplate, { schedule_id: 'required integer' }),
  campaign('POST', '/schedule', createSchedule, SCHEDULE_BODY),
  campaign('GET', '/schedule', ({ profile }, of) => answered(profile.schedule(of))),
  campaign('POST', '/sequence-steps', createSequence, SEQUENCE_BODY),
  campaign('GET', '/sequence-steps', ({ profile }, of) => answered(profile.steps(of))),
  campaign('POST', '/leads/attach-lead-list', attachLeadList, { lead_list_id: 'required integer' }),
  campaign('POST', '/leads/attach-leads', attachLeads, { lead_ids: ['integer'] }),
  campaign('PATCH', '/resume', resume),
  campaign('PATCH', '/pause', (call, of) =>
    changed(call, of, { status: 'paused', queuedReads: 0 }, call.profile.record),
  ),
];

function workspace(method: Route['method'], path: string, handle: Handler, body: BodyFields = {}): Route {
  return { method, path: `/api/campaigns${path}`, pages: method === 'GET', body, find: () => handle };
}

function campaign(
  method: Route['method'],
  path: string,
  handle: (call: Call, campaign: SandboxCampaign) => Ruling | BodyFault[],
  body: BodyFields = {},
): Route {
  const find: Route['find'] = (state, id) => {
    const target = state.campaigns[Number(id) - 1];
    return target === undefined ? null : (call) => handle(call, target);
  };
  return { method, path: `/api/campaigns/{id}${path}`, pages: false, body, find };
}

export function answered(answer: Reply): Ruling {
  return { reply: answer, after: null, effect: false };
}

function changed(
  { state }: Call,
  of: SandboxCampaign,
  change: Partial<SandboxCampaign>,
  show: (campaign: SandboxCampaign) => Reply,
  more: Partial<SandboxState> = {},
): Ruling {
  const next = { ...of, ...change, revision: of.revision + 1 };
  return {
    reply: show(next),
    after: { ...state, campaigns: state.campaigns.with(of.id - 1, next), ...more },
    effect: true,
  };
}

/** Names are not unique, so repeating the call creates a second campaign. */
function createCampaign({ body, state, profile }: Call): Ruling {
  const { name } = body as { name: string };
  const created = { ...NEW_CAMPAIGN, id: state.campaigns.length + 1, name };
  const after = { ...state, campaigns: [...state.campaigns, created] };
  return { reply: profile.created(created), after, effect: true };
}

function listCampaigns({ state, profile, page, origin }: Call): Ruling {
  return answered(profile.list(state.campaigns, { number: page, url: `${origin}/api/campaigns` }));
}

/** Each read advances a queued launch. */
function readCampaign(call: Call, of: SandboxCampaign): Ruling {
  const { record } = call.profile;
  if (of.status !== 'queued') return answered(record(of));
  const status = of.launchFails ? 'failed' : 'active';
  const change: Partial<SandboxCampaign> =
    of.queuedReads > 0 ? { queuedReads: of.queuedReads - 1 } : { status };
  return { ...changed(call, of, change, record), effect: false };
}

/** Omitted booleans become false, as documented; omitted strings keep their values. */
function updateSettings(call: Call, of: SandboxCampaign): Ruling | BodyFault[] {
  const { boundsNewLeads, keepsNumbers, record } = call.profile;
  const notSent = SETTINGS.map(({ name, type, default: standard }) => {
    if (type === 'boolean') return [name, false];
    return [name, type === 'text' || keepsNumbers ? of.settings[name] : standard];
  });
  const settings: StoredSettings = { ...Object.fromEntries(notSent), ...call.body };
  const { max_emails_per_day, max_new_leads_per_day } = settings;
  if (boundsNewLeads && (max_emails_per_day ?? Infinity) < (max_new_leads_per_day ?? 0))
    return [says('max_emails_per_day', 'must be at least max new leads per day')];
  return changed(call, of, { settings }, record);
}

function createSchedule(call: Call, of: SandboxCampaign): Ruling {
  const { save_as_template, ...fields } = call.body as SandboxSchedule & { save_as_template: boolean };
  return setSchedule(call, of, fields, save_as_template);
}

/** Copies the template, so that later changes to either do not affect the other. */
function copyTemplate(call: Call, of: SandboxCampaign): Ruling | BodyFault[] {
  const template = call.state.templates[Number(call.body.schedule_id) - 1];
  if (template === undefined) return [invalid('schedule_id')];
  const { id: _, ...fields } = template;
  return setSchedule(call, of, fields, false);
}

function setSchedule(
  call: Call,
  of: SandboxCampaign,
  schedule: SandboxSchedule,
  saveAsTemplate: boolean,
): Ruling {
  const { state, profile } = call;
  const { scheduleExists } = profile;
  if (of.schedule !== null && scheduleExists !== null) return answered(scheduleExists(of));
  const templates = [...state.templates, { ...schedule, id: state.templates.length + 1 }];
  return changed(call, of, { schedule }, profile.schedule, saveAsTemplate ? { templates } : {});
}

type PostedStep = Omit<SandboxStep, 'id' | 'order' | 'variant' | 'variant_from_step'> & {
  variant?: boolean | null;
  variant_from_step?: number | null;
  order?: number;
};

function createSequence(call: Call, of: SandboxCampaign): Ruling | BodyFault[] {
  const { state, profile } = call;
  const { title, sequence_steps: posted } = call.body as unknown as {
    title: string;
    sequence_steps: PostedStep[];
  };
  const faults = posted.flatMap((each, index) =>
    stepFaults(each, `sequence_steps.${index}`, profile.leastWait, of.steps),
  );
  if (faults.length > 0) return faults;
  const change = {
    sequenceTitles: [...of.sequenceTitles, title],
    steps: [...of.steps, ...storedSteps(posted, of, state.lastStepId + 1, profile)],
  };
  return changed(call, of, change, profile.sequence, { lastStepId: state.lastStepId + posted.length });
}

function stepFaults(
  posted: PostedStep,
  path: string,
  leastWait: number | null,
  steps: readonly SandboxStep[],
): BodyFault[] {
  const faults: BodyFault[] = [];
  if (leastWait !== null && posted.wait_in_days < leastWait)
    faults.push(says(`${path}.wait_in_days`, `must be at least ${leastWait}`));
  if (posted.variant !== true) return faults;
  const parent = posted.variant_from_step ?? null;
  const isBase = steps.some((each) => each.id === parent && !each.variant);
  if (parent === null) faults.push(says(`${path}.variant_from_step`, 'is required when variant is true'));
  else if (!isBase) faults.push(invalid(`${path}.variant_from_step`));
  return faults;
}

/** Base steps come first, in the requested order and numbered after existing ones. */
function storedSteps(
  posted: readonly PostedStep[],
  of: SandboxCampaign,
  firstId: number,
  { marksReplies }: ServiceProfile,
): SandboxStep[] {
  const place = (each: PostedStep) => each.order ?? posted.indexOf(each) + 1;
  const bases = posted.filter((each) => each.variant !== true).sort((a, b) => place(a) - place(b));
  const variants = posted.filter((each) => each.variant === true);
  const before = of.steps.filter((each) => !each.variant).length;
  return [...bases, ...variants].map((each, index) => {
    const variant = each.variant === true;
    return {
      ...each,
      id: firstId + index,
      order: variant ? null : before + 1 + index,
      email_subject: `${marksReplies && each.thread_reply ? 'Re: ' : ''}${each.email_subject}`,
      variant,
      variant_from_step: variant ? (each.variant_from_step ?? null) : null,
    };
  });
}

const KNOWN_LISTS = `Lead lists 1 to ${SEEDS.lastListId} exist here.`;
const KNOWN_LEADS = `Leads 1 to ${SEEDS.lastLeadId} exist here.`;

function attachLeadList(call: Call, of: SandboxCampaign): Ruling | BodyFault[] {
  const { lead_list_id: list } = call.body as { lead_list_id: number };
  if (!exists(list, SEEDS.lastListId)) return [invalid('lead_list_id', KNOWN_LISTS)];
  return attach(call, of, union(of.lists, [list]), of.leads);
}

/** Skips leads that are already attached. A single unknown id causes a refusal. */
function attachLeads(call: Call, of: SandboxCampaign): Ruling | BodyFault[] {
  const { lead_ids: posted } = call.body as { lead_ids: number[] };
  const faults = posted.flatMap((id, at) =>
    exists(id, SEEDS.lastLeadId) ? [] : [invalid(`lead_ids.${at}`, KNOWN_LEADS)],
  );
  if (faults.length > 0) return faults;
  return attach(call, of, of.lists, union(of.leads, posted));
}

function attach(call: Call, of: SandboxCampaign, lists: number[], leads: number[]): Ruling {
  const isNew = lists.length + leads.length > of.lists.length + of.leads.length;
  const { attached } = call.profile;
  return isNew ? changed(call, of, { lists, leads }, attached) : answered(attached(of));
}

function exists(id: number, last: number): boolean {
  return id >= 1 && id <= last;
}

function union(ids: readonly number[], more: readonly number[]): number[] {
  return [...new Set([...ids, ...more])].sort((a, b) => a - b);
}

function resume(call: Call, of: SandboxCampaign): Ruling {
  const { launchFails } = call;
  const { incomplete, queuesLaunches, record } = call.profile;
  if (of.schedule === null || of.steps.length === 0) return answered(incomplete());
  const isQueued = queuesLaunches || launchFails;
  const change: Partial<SandboxCampaign> = {
    status: isQueued ? 'queued' : 'active',
    queuedReads: isQueued ? 1 : 0,
    launchFails,
    resumes: of.resumes + 1,
  };
  return changed(call, of, change, record);
}
