import { parseAddress } from './address.js';

/** What needs approval by name before anything is sent, and what would happen. */
export const HAZARDS = {
  launch: 'The campaign starts to mail real people.',
  'attach-running':
    'Leads are added to a campaign that is sending, or may be: they are mailed without a further word.',
  'leads-elsewhere':
    'The same list or leads are attached to a campaign that no manifest describes any more and that has run: they would be mailed again.',
  'reset-unreadable':
    'The service does not show a setting, and the manifest does not write it: any update would reset it.',
  adopt:
    "A campaign that is sending, or may be, and that the state does not know would be changed or paused: it may be someone else's.",
  'repeat-attach': 'These leads may be attached already, and attaching them again might enter them twice.',
  rename: 'The name in the manifest changed. The API cannot rename: apply would create a second campaign.',
  missing:
    'A campaign that was applied before is gone, or the token shows another workspace: apply would create a new one, or change another campaign with the same name.',
  'mass-change': 'More than 25 campaigns and more than 30 % of all would change at once.',
};
export type Hazard = keyof typeof HAZARDS;

export const HAZARD_NAMES = Object.keys(HAZARDS) as Hazard[];

/** A hazard that is accepted, and by what: `campaignctl.yaml:12` or `--allow launch`. */
export interface Approval {
  hazard: Hazard;
  by: string;
}

/**
 * The service of an environment in one spelling, without the default port and without a slash at the end; `sandbox` for the sandbox.
 * What the state knows of one service is not believed of another.
 */
export function addressOf({ sandbox, base_url }: Pick<Environment, 'sandbox' | 'base_url'>): string {
  if (sandbox !== null) return 'sandbox';
  const { origin, prefix } = parseAddress('base_url', base_url);
  return `${origin}${prefix}`;
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
  status: 'shown' | 'hidden';
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
  allow: Approval[];
  /** The environment to which a campaign has to have been applied before; null: none. */
  require_applied: string | null;
  /** What becomes of a running campaign whose manifest is gone: it is told, or paused as well. */
  on_removal: 'warn' | 'pause';
  limits: { parallelism: number; requests_per_minute: number | null };
  state: { backend: 'file'; path: string };
  service: ServiceBehaviour;
}
