/** What has to be accepted by name before anything is sent, and what would happen. */
export const HAZARDS = [
  { name: 'launch', description: 'The campaign starts to mail real people.' },
  {
    name: 'reset-unreadable',
    description:
      'The service does not show a setting that you have not written either: any update would reset it.',
  },
  {
    name: 'repeat-attach',
    description: 'It is not known whether these leads are attached already: they might be entered twice.',
  },
  {
    name: 'rename',
    description:
      'The name in the manifest was changed. The service cannot rename: a second campaign would be made.',
  },
  {
    name: 'missing',
    description:
      'A campaign that was applied before is gone, or the token shows another workspace: a new one would be made, or another of its name changed.',
  },
  {
    name: 'mass-change',
    description: 'More than 25 campaigns and more than 30 % of all would change at once.',
  },
] as const;
export type Hazard = (typeof HAZARDS)[number]['name'];

export const HAZARD_NAMES: readonly Hazard[] = HAZARDS.map(({ name }) => name);

/** Whether a host name of a URL is this machine: what is sent there does not go over a network. */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|\[::1\]|127(?:\.\d{1,3}){3})$/.test(hostname);
}

/** Words of the service for a campaign's status, by what they mean. */
export interface StatusWords {
  running: string[];
  starting: string[];
  stopped: string[];
  finished: string[];
  gone: string[];
}

/** What this service does where the API is silent: the project file's `service:`, with every default filled in. */
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
 * One environment of the project file with every default filled in. `sandbox` is null but for the sandbox;
 * `base_url` is then given by it when it starts, and empty before. `custom_variables` is null when undeclared.
 * `token_env` is the name of an environment variable, null for the sandbox.
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
