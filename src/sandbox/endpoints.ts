/**
 * The 14 endpoints in the order of the API, and what each does. A rule decides and changes nothing: it gives the
 * answer, and the workspace as it is afterwards.
 */
import type { JsonObject } from '../model/json.js';
import { TIMEZONES, WEEKDAYS } from '../model/schedule.js';
import { SETTINGS, type SettingType, type StoredSettings } from '../model/settings.js';
import {
  type BodyFault,
  type BodyFields,
  boolean,
  type FieldCheck,
  integer,
  invalid,
  listOf,
  nullable,
  objectWith,
  oneOf,
  optional,
  position,
  required,
  says,
  text,
  time,
} from './fields.js';
import { type Reply, reply, type ServiceProfile } from './profiles.js';
import {
  newCampaign,
  type SandboxCampaign,
  type SandboxSchedule,
  type SandboxState,
  type SandboxStep,
  SEEDS,
} from './state.js';

/** What comes of a request. `after`: the workspace, null where it stays as it is. `effect`: the request wrote something. */
export interface Ruling {
  reply: Reply;
  after: SandboxState | null;
  effect: boolean;
}

/** What stays the same for every request of one embedded service. `token` null: any bearer token will do. */
export interface Terms {
  profile: ServiceProfile;
  token: string | null;
  pageSize: number;
  launchDelayReads: number;
}

/** A request whose body has passed the field checks of its route. */
export interface Call {
  state: SandboxState;
  terms: Terms;
  body: JsonObject;
  page: number;
  origin: string;
  /** Whether a launch is to fail a moment after it was accepted. */
  launchFails: boolean;
}

/** The same for a route below one campaign. */
export interface CampaignCall extends Call {
  campaign: SandboxCampaign;
}

/** One endpoint. `pages`: whether paging parameters are let pass. `body`: the fields it takes, and no others. */
export type Route = { method: Method; path: string; pages: boolean; body: BodyFields } & (
  | { on: 'workspace'; rule(call: Call): Ruling }
  | { on: 'campaign'; rule(call: CampaignCall): Ruling }
);

type Method = 'GET' | 'POST' | 'PATCH';

const CHECKS: Record<SettingType, FieldCheck> = { integer, boolean, text };

const SETTINGS_BODY: BodyFields = Object.fromEntries(
  SETTINGS.map(({ name, type, nullable: isNullable }) => [
    name,
    (isNullable ? nullable : optional)(CHECKS[type]),
  ]),
);

const SCHEDULE_BODY: BodyFields = {
  ...Object.fromEntries(WEEKDAYS.map((day) => [day, required(boolean)])),
  start_time: required(time),
  end_time: required(time),
  timezone: required(oneOf(TIMEZONES)),
  save_as_template: required(boolean),
};

const SEQUENCE_BODY: BodyFields = {
  title: required(text),
  sequence_steps: required(
    listOf(
      objectWith({
        title: required(text),
        email_subject: required(text),
        email_body: required(text),
        wait_in_days: required(integer),
        variant: nullable(boolean),
        variant_from_step: nullable(integer),
        thread_reply: required(boolean),
        order: optional(position),
      }),
    ),
  ),
};

export const ROUTES: readonly Route[] = [
  workspace('POST', '', createCampaign, { name: required(text) }),
  workspace('GET', '', listCampaigns),
  campaign('GET', '', readCampaign),
  campaign('PATCH', '/update', updateSettings, SETTINGS_BODY),
  workspace('GET', '/schedule/templates', ({ state, terms }) =>
    answered(terms.profile.templates(state.templates)),
  ),
  campaign('POST', '/create-schedule-from-template', createFromTemplate, { schedule_id: required(integer) }),
  campaign('POST', '/schedule', createSchedule, SCHEDULE_BODY),
  campaign('GET', '/schedule', ({ campaign, terms }) => answered(terms.profile.schedule(campaign))),
  campaign('POST', '/sequence-steps', createSequence, SEQUENCE_BODY),
  campaign('GET', '/sequence-steps', ({ campaign, terms }) => answered(terms.profile.steps(campaign))),
  campaign('POST', '/leads/attach-lead-list', attachLeadList, { lead_list_id: required(integer) }),
  campaign('POST', '/leads/attach-leads', attachLeads, { lead_ids: required(listOf(integer)) }),
  campaign('PATCH', '/resume', resume),
  campaign('PATCH', '/pause', (call) =>
    changed(call, { status: 'paused', queuedReads: 0 }, call.terms.profile.record),
  ),
];

function workspace(method: Method, path: string, rule: (call: Call) => Ruling, body: BodyFields = {}): Route {
  return { on: 'workspace', method, path: `/api/campaigns${path}`, pages: method === 'GET', body, rule };
}

function campaign(
  method: Method,
  path: string,
  rule: (call: CampaignCall) => Ruling,
  body: BodyFields = {},
): Route {
  return { on: 'campaign', method, path: `/api/campaigns/{id}${path}`, pages: false, body, rule };
}

/** An answer without effect: a read or a refusal. */
export function answered(answer: Reply): Ruling {
  return { reply: answer, after: null, effect: false };
}

/** The refusal of a body: 422 with a sentence per field. */
export function refused([first, ...others]: readonly [BodyFault, ...BodyFault[]]): Ruling {
  const errors: { [path: string]: string[] } = Object.create(null);
  for (const { path, message } of [first, ...others]) errors[path] = [...(errors[path] ?? []), message];
  const more = others.length;
  const rest = more === 0 ? '' : ` (and ${more} more error${more === 1 ? '' : 's'})`;
  return answered(reply(422, { message: first.message + rest, errors: { ...errors } }));
}

/** Whether there is anything to refuse; narrows the list for `refused`. */
export function some(faults: BodyFault[]): faults is [BodyFault, ...BodyFault[]] {
  return faults.length > 0;
}

/** The campaign of the call with a change, answered with what `show` makes of it; `more`: what changes beside it. */
function changed(
  { state, campaign }: CampaignCall,
  change: Partial<SandboxCampaign>,
  show: (campaign: SandboxCampaign) => Reply,
  more: Partial<SandboxState> = {},
): Ruling {
  const next = { ...campaign, ...change, revision: campaign.revision + 1 };
  const campaigns = state.campaigns.with(campaign.id - 1, next);
  return { reply: show(next), after: { ...state, campaigns, ...more }, effect: true };
}

/** Makes a campaign. Names are not unique: the same call twice makes two. */
function createCampaign({ body, state, terms }: Call): Ruling {
  const { name } = body as { name: string };
  const made = newCampaign(state.campaigns.length + 1, name);
  const after = { ...state, campaigns: [...state.campaigns, made] };
  return { reply: terms.profile.created(made), after, effect: true };
}

function listCampaigns({ state, terms, page, origin }: Call): Ruling {
  const asked = { number: page, size: terms.pageSize, url: `${origin}/api/campaigns` };
  return answered(terms.profile.list(state.campaigns, asked));
}

/** Each read of a queued campaign brings its launch nearer. */
function readCampaign(call: CampaignCall): Ruling {
  const { status, queuedReads, launchFails } = call.campaign;
  const { record } = call.terms.profile;
  if (status !== 'queued') return answered(record(call.campaign));
  const change =
    queuedReads > 0
      ? { queuedReads: queuedReads - 1 }
      : { status: launchFails ? ('failed' as const) : ('active' as const) };
  return { ...changed(call, change, record), effect: false };
}

function updateSettings(call: CampaignCall): Ruling {
  const { boundsNewLeads, keepsNumbers, record } = call.terms.profile;
  const settings: StoredSettings = { ...notSent(call.campaign, keepsNumbers), ...call.body };
  const { max_emails_per_day, max_new_leads_per_day } = settings;
  if (boundsNewLeads && (max_emails_per_day ?? Infinity) < (max_new_leads_per_day ?? 0))
    return refused([says('max_emails_per_day', 'must be at least max new leads per day')]);
  return changed(call, { settings }, record);
}

/** The values that fields take which an update does not send: booleans become false, as documented, and texts stay. */
function notSent({ settings }: SandboxCampaign, keepsNumbers: boolean): StoredSettings {
  const values = SETTINGS.map(({ name, type, default: standard }) => {
    if (type === 'boolean') return [name, false];
    return [name, type === 'text' || keepsNumbers ? settings[name] : standard];
  });
  return Object.fromEntries(values);
}

function createSchedule(call: CampaignCall): Ruling {
  const { save_as_template, ...fields } = call.body as SandboxSchedule & { save_as_template: boolean };
  return setSchedule(call, fields, save_as_template);
}

/** Copies the template: a later change of the one does not reach the other. */
function createFromTemplate(call: CampaignCall): Ruling {
  const template = call.state.templates[Number(call.body.schedule_id) - 1];
  if (template === undefined) return refused([invalid('schedule_id')]);
  const { id: _, ...fields } = template;
  return setSchedule(call, fields, false);
}

function setSchedule(call: CampaignCall, schedule: SandboxSchedule, saveAsTemplate: boolean): Ruling {
  const { campaign, state, terms } = call;
  const { scheduleExists } = terms.profile;
  if (campaign.schedule !== null && scheduleExists !== null) return answered(scheduleExists(campaign));
  const templates = [...state.templates, { ...schedule, id: state.templates.length + 1 }];
  return changed(call, { schedule }, terms.profile.schedule, saveAsTemplate ? { templates } : {});
}

interface PostedStep {
  title: string;
  email_subject: string;
  email_body: string;
  wait_in_days: number;
  variant?: boolean | null;
  variant_from_step?: number | null;
  thread_reply: boolean;
  order?: number;
}

/** Adds the steps to those that are there: a second post appends. */
function createSequence(call: CampaignCall): Ruling {
  const { campaign, state, terms } = call;
  const { title, sequence_steps: posted } = call.body as unknown as {
    title: string;
    sequence_steps: PostedStep[];
  };
  const faults = posted.flatMap((each, index) => stepFaults(each, `sequence_steps.${index}`, call));
  if (some(faults)) return refused(faults);
  const change = {
    sequenceTitles: [...campaign.sequenceTitles, title],
    steps: [...campaign.steps, ...storedSteps(posted, call)],
  };
  return changed(call, change, terms.profile.sequence, { lastStepId: state.lastStepId + posted.length });
}

function stepFaults(posted: PostedStep, path: string, { campaign, terms }: CampaignCall): BodyFault[] {
  const faults: BodyFault[] = [];
  const { leastWait } = terms.profile;
  if (leastWait !== null && posted.wait_in_days < leastWait) {
    faults.push(says(`${path}.wait_in_days`, `must be at least ${leastWait}`));
  }
  if (posted.variant !== true) return faults;
  const parent = posted.variant_from_step ?? null;
  const isBase = campaign.steps.some((each) => each.id === parent && !each.variant);
  if (parent === null) faults.push(says(`${path}.variant_from_step`, 'is required when variant is true'));
  else if (!isBase) faults.push(invalid(`${path}.variant_from_step`));
  return faults;
}

/** Base steps first, in the order they ask for, numbered on from those that are there; then the variants. */
function storedSteps(posted: readonly PostedStep[], { campaign, state, terms }: CampaignCall): SandboxStep[] {
  const bases = posted
    .map((each, index) => ({ each, place: each.order ?? index + 1 }))
    .filter(({ each }) => each.variant !== true)
    .sort((a, b) => a.place - b.place)
    .map(({ each }) => each);
  const variants = posted.filter((each) => each.variant === true);
  const before = campaign.steps.filter((each) => !each.variant).length;
  return [...bases, ...variants].map((each, index) => ({
    id: state.lastStepId + 1 + index,
    order: each.variant === true ? null : before + 1 + index,
    title: each.title,
    email_subject:
      terms.profile.marksReplies && each.thread_reply ? `Re: ${each.email_subject}` : each.email_subject,
    email_body: each.email_body,
    wait_in_days: each.wait_in_days,
    variant: each.variant === true,
    variant_from_step: each.variant === true ? (each.variant_from_step ?? null) : null,
    thread_reply: each.thread_reply,
  }));
}

/** Attaches a list. A list that is attached already is skipped, and the answer is the same. */
function attachLeadList(call: CampaignCall): Ruling {
  const { campaign, terms } = call;
  const { lead_list_id: list } = call.body as { lead_list_id: number };
  if (!exists(list, SEEDS.lastListId)) return refused([invalid('lead_list_id')]);
  if (campaign.lists.includes(list)) return answered(terms.profile.attached(campaign));
  return changed(call, { lists: union(campaign.lists, [list]) }, terms.profile.attached);
}

/** Attaches those leads that are not attached yet. One unknown id refuses the whole request. */
function attachLeads(call: CampaignCall): Ruling {
  const { campaign, terms } = call;
  const { lead_ids: posted } = call.body as { lead_ids: number[] };
  const faults = posted.flatMap((id, index) =>
    exists(id, SEEDS.lastLeadId) ? [] : [invalid(`lead_ids.${index}`)],
  );
  if (some(faults)) return refused(faults);
  const leads = union(campaign.leads, posted);
  if (leads.length === campaign.leads.length) return answered(terms.profile.attached(campaign));
  return changed(call, { leads }, terms.profile.attached);
}

function exists(id: number, last: number): boolean {
  return id >= 1 && id <= last;
}

function union(ids: readonly number[], more: readonly number[]): number[] {
  return [...new Set([...ids, ...more])].sort((a, b) => a - b);
}

/** Launches a campaign that is set up. Settings always are: they have defaults. */
function resume(call: CampaignCall): Ruling {
  const { campaign, terms, launchFails } = call;
  const { incomplete, queuesLaunches, record } = terms.profile;
  if (campaign.schedule === null || campaign.steps.length === 0) return answered(incomplete());
  const isQueued = queuesLaunches || launchFails;
  const change = {
    status: isQueued ? ('queued' as const) : ('active' as const),
    queuedReads: isQueued ? terms.launchDelayReads : 0,
    launchFails,
    resumes: campaign.resumes + 1,
  };
  return changed(call, change, record);
}
