/** Kinds of danger that somebody has to accept by name before anything is sent. */
export const HAZARDS = [
  'launch',
  'reset-unreadable',
  'repeat-attach',
  'rename',
  'missing',
  'mass-change',
] as const;
export type Hazard = (typeof HAZARDS)[number];

/** Words of the service for a campaign's status, by what they mean. */
export interface StatusWords {
  running: string[];
  starting: string[];
  stopped: string[];
  finished: string[];
  gone: string[];
}

/** What this service does where the interface is silent: the project file's `service:`, with every default filled in. */
export interface ServiceBehaviour {
  variant_reference: 'step_id' | 'order';
  schedule_repost: 'unknown' | 'replace' | 'refuse';
  sequence_repost: 'unknown' | 'append' | 'replace' | 'refuse';
  attach_repeat: 'unknown' | 'safe';
  statuses: StatusWords;
}

/** A campaign that has to be in the workspace under this name, before anything is planned. */
export interface WorkspacePin {
  campaign_id: number;
  name: string;
}

/**
 * One environment of the project file with every default filled in. `sandbox` is null but for the embedded service;
 * `base_url` is then given by it when it starts, and empty before. `custom_variables` is null when undeclared.
 * `token_env` is the name of an environment variable, null for the embedded service.
 */
export interface Environment {
  name: string;
  sandbox: { profile: 'documented' | 'reported' } | null;
  base_url: string;
  token_env: string | null;
  custom_variables: string[] | null;
  lead_lists: Record<string, number>;
  schedule_templates: Record<string, number>;
  workspace: WorkspacePin | null;
  allow: Hazard[];
  /** The environment to which a campaign has to have been applied before; null: none. */
  require_applied: string | null;
  limits: { parallelism: number; requests_per_minute: number | null };
  state: { backend: 'file'; path: string };
  service: ServiceBehaviour;
}
