import { parseAddress } from './address.js';
import type { Approval } from './approvals.js';
import type { ServiceHead } from './outputs.js';

export const SANDBOX = 'sandbox';

/** True for a plan, list or result of the built-in service. */
export function isOfSandbox({ base_url }: Pick<ServiceHead, 'base_url'>): boolean {
  return base_url === SANDBOX;
}

/** True if no real service is among them. Without any, nothing is known of the services. */
export function areOfSandbox(heads: readonly Pick<ServiceHead, 'base_url'>[]): boolean {
  return heads.length > 0 && heads.every(isOfSandbox);
}

type Located = Pick<Environment, 'sandbox' | 'base_url' | 'insecure_http'>;

export function serviceAddress(environment: Located): string {
  return serviceHead(environment).base_url;
}

export function serviceHead({ sandbox, base_url, insecure_http }: Located): ServiceHead {
  if (sandbox !== null) return { base_url: SANDBOX };
  const rules = { insecureHttp: insecure_http };
  const { origin, prefix, isLoopback } = parseAddress('base_url', base_url, rules);
  const isInsecure = origin.startsWith('http:') && !isLoopback;
  return { base_url: `${origin}${prefix}`, ...(isInsecure ? { insecure_http: true } : {}) };
}

export interface StatusWords {
  running: string[];
  starting: string[];
  stopped: string[];
  finished: string[];
  gone: string[];
}

/** Options of `service:` for behaviour that the API does not specify. The first value is the default. */
export const BEHAVIOURS = {
  variant_reference: ['step_id', 'order'],
  schedule_repost: ['unknown', 'replace', 'refuse'],
  sequence_repost: ['unknown', 'append', 'replace', 'refuse'],
  attach_repeat: ['unknown', 'safe'],
  senders: ['unknown', 'by_hand'],
} as const;

export type ServiceBehaviour = {
  [Key in keyof typeof BEHAVIOURS]: (typeof BEHAVIOURS)[Key][number];
} & { statuses: StatusWords; built_in_variables: string[] };

/** Variables that services of this kind have without a declaration. No endpoint lists them. */
export const BUILT_IN_VARIABLES = [
  'FIRST_NAME',
  'LAST_NAME',
  'EMAIL',
  'COMPANY',
  'TITLE',
  'SENDER_FIRST_NAME',
  'SENDER_EMAIL_SIGNATURE',
];

/** Values reported by public clients; docs/service.md lists the sources. */
export const PRESETS = {
  emailbison: {
    schedule_repost: 'refuse',
    sequence_repost: 'append',
    senders: 'by_hand',
    built_in_variables: BUILT_IN_VARIABLES,
  },
} satisfies Record<string, Partial<ServiceBehaviour>>;

/** The first is the default. */
export const PROFILE_NAMES = ['documented', 'literal', 'reported'] as const;
export type ProfileName = (typeof PROFILE_NAMES)[number];

/** `on_removal`: warn about running campaigns without a manifest, or pause them. The first is the default. */
export const REMOVALS = ['warn', 'pause'] as const;

/**
 * An environment with its defaults filled in. The `base_url` of a sandbox is set when it starts. `custom_variables`: `null`
 * if not declared.
 */
export interface Environment {
  name: string;
  sandbox: { profile: ProfileName } | null;
  base_url: string;
  insecure_http: boolean;
  token_env: string | null;
  custom_variables: string[] | null;
  lead_lists: Record<string, number>;
  schedule_templates: Record<string, number>;
  /** `null` for all. */
  manifests: string[] | null;
  workspace: { campaign_id: number; name: string } | null;
  allow: Approval[];
  require_applied: string | null;
  on_removal: (typeof REMOVALS)[number];
  capacity: number | null;
  limits: { parallelism: number; requests_per_minute: number | null };
  /** A folder, or a branch of a git remote (a name or URL). `lease`: in seconds. `id`: the project's id. */
  state:
    | { backend: 'file'; path: string; id?: string }
    | {
        backend: 'git';
        path: string;
        remote: string;
        branch: string;
        lease: number;
        id?: string;
      };
  service: ServiceBehaviour;
}

/** In seconds. */
export const LOCK_TIMEOUT = 30;

export const BRANCH = { remote: 'origin', branch: 'campaignctl', lease: 120 } as const;

/** Names the branches of a project after its folder in the repository. */
export function branchOf(folder: string): string {
  const parts = folder
    .split(/[\\/]/)
    .map((part) => part.replace(/[^A-Za-z0-9_-]+/g, '-').replace(/^[_-]+/, ''));
  return [BRANCH.branch, ...parts].filter((part) => part !== '').join('/');
}

export const DEFAULTS = {
  sandbox: null,
  base_url: '',
  insecure_http: false,
  token_env: null,
  custom_variables: null,
  lead_lists: {},
  schedule_templates: {},
  manifests: null,
  workspace: null,
  allow: [],
  require_applied: null,
  on_removal: REMOVALS[0],
  capacity: null,
  limits: { parallelism: 8, requests_per_minute: null },
  state: { backend: 'file', path: '.campaignctl/state' },
  service: {
    variant_reference: BEHAVIOURS.variant_reference[0],
    schedule_repost: BEHAVIOURS.schedule_repost[0],
    sequence_repost: BEHAVIOURS.sequence_repost[0],
    attach_repeat: BEHAVIOURS.attach_repeat[0],
    senders: BEHAVIOURS.senders[0],
    statuses: { running: [], starting: [], stopped: [], finished: [], gone: [] },
    built_in_variables: [],
  },
} as const satisfies Omit<Environment, 'name'>;

export function originOf({
  base_url,
  insecure_http,
}: Pick<Environment, 'base_url' | 'insecure_http'>): string {
  return parseAddress('base_url', base_url, { insecureHttp: insecure_http }).origin;
}
