import type { Environment } from '../model/environment.js';
import type { EnvironmentConfig } from './config.generated.js';

/** An environment with every default filled in. */
export function environmentOf(name: string, config: EnvironmentConfig): Environment {
  const { sandbox, limits, state, service } = config;
  return {
    name,
    sandbox: sandbox === undefined ? null : { profile: sandbox.profile ?? 'documented' },
    base_url: (config.base_url ?? '').replace(/\/+$/, ''),
    token_env: config.token_env ?? null,
    custom_variables: config.custom_variables ?? null,
    lead_lists: config.lead_lists ?? {},
    schedule_templates: config.schedule_templates ?? {},
    workspace: config.workspace ?? null,
    allow: config.allow ?? [],
    require_applied: config.require_applied ?? null,
    limits: {
      parallelism: limits?.parallelism ?? 8,
      requests_per_minute: limits?.requests_per_minute ?? null,
    },
    state: { backend: 'file', path: state?.path ?? '.campaignctl/state' },
    service: {
      variant_reference: service?.variant_reference ?? 'step_id',
      schedule_repost: service?.schedule_repost ?? 'unknown',
      sequence_repost: service?.sequence_repost ?? 'unknown',
      attach_repeat: service?.attach_repeat ?? 'unknown',
      statuses: { running: [], starting: [], stopped: [], finished: [], gone: [], ...service?.statuses },
    },
  };
}
