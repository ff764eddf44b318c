import * as campaigns from './endpoints/campaigns.js';
import * as leads from './endpoints/leads.js';
import * as schedule from './endpoints/schedule.js';
import * as sequence from './endpoints/sequence.js';
import * as status from './endpoints/status.js';
import type { Fields } from './fields.js';
import type { CampaignRule, WorkspaceRule } from './rule.js';

/** One endpoint. `pages`: whether paging parameters are let pass. `body`: the fields it takes, and no others. */
export type Route = { method: Method; path: string; pages: boolean; body: Fields } & (
  | { on: 'workspace'; rule: WorkspaceRule }
  | { on: 'campaign'; rule: CampaignRule }
);

type Method = 'GET' | 'POST' | 'PATCH';

/** The 14 endpoints in the order of the interface. */
export const ROUTES: readonly Route[] = [
  workspace('POST', '', campaigns.createCampaign, campaigns.creation),
  workspace('GET', '', campaigns.listCampaigns),
  campaign('GET', '', campaigns.readCampaign),
  campaign('PATCH', '/update', campaigns.updateSettings, campaigns.settings),
  workspace('GET', '/schedule/templates', schedule.listTemplates),
  campaign('POST', '/create-schedule-from-template', schedule.createFromTemplate, schedule.templateChoice),
  campaign('POST', '/schedule', schedule.createSchedule, schedule.schedule),
  campaign('GET', '/schedule', schedule.readSchedule),
  campaign('POST', '/sequence-steps', sequence.createSequence, sequence.sequence),
  campaign('GET', '/sequence-steps', sequence.readSteps),
  campaign('POST', '/leads/attach-lead-list', leads.attachLeadList, leads.leadList),
  campaign('POST', '/leads/attach-leads', leads.attachLeads, leads.leads),
  campaign('PATCH', '/resume', status.resume),
  campaign('PATCH', '/pause', status.pause),
];

function workspace(method: Method, path: string, rule: WorkspaceRule, body: Fields = {}): Route {
  return { on: 'workspace', method, path: `/api/campaigns${path}`, pages: method === 'GET', body, rule };
}

function campaign(method: Method, path: string, rule: CampaignRule, body: Fields = {}): Route {
  return { on: 'campaign', method, path: `/api/campaigns/{id}${path}`, pages: false, body, rule };
}
