import type { Environment, ServiceBehaviour } from '../../src/model/environment.js';

export const UNKNOWN_SERVICE: ServiceBehaviour = {
  variant_reference: 'step_id',
  schedule_repost: 'unknown',
  sequence_repost: 'unknown',
  attach_repeat: 'unknown',
  senders: 'unknown',
  statuses: { running: [], starting: [], stopped: [], finished: [], gone: [] },
  built_in_variables: [],
};

export function environment(service: Partial<ServiceBehaviour> = {}): Environment {
  return {
    name: 'production',
    sandbox: null,
    base_url: 'https://send.example.com',
    insecure_http: false,
    token_env: 'CAMPAIGNS_TOKEN',
    custom_variables: ['FIRST_NAME', 'COMPANY'],
    lead_lists: { 'installers-fr': 77, 'installers-de': 78 },
    schedule_templates: { 'office-hours': 3 },
    manifests: null,
    workspace: null,
    allow: [],
    require_applied: null,
    capacity: null,
    on_removal: 'warn',
    limits: { parallelism: 8, requests_per_minute: null },
    state: { backend: 'file', path: '.campaignctl/state' },
    service: { ...UNKNOWN_SERVICE, ...service },
  };
}
