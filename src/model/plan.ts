import type { Json, JsonObject } from './json.js';
import type { SectionName } from './sections.js';

/** @asType integer */
export type Integer = number;

/** Hash of the plan and of the live state it is based on. @pattern ^sha256:[0-9a-f]{64}$ */
export type Fingerprint = string;

/** The output of `plan --format json` and `apply --dry-run --format json`. */
export interface Plan {
  version: 1;
  environment: string;
  /** Base URL of the service; `sandbox` for the sandbox. */
  base_url: string;
  fingerprint: Fingerprint;
  /**
   * all: every campaign was read; changed: only campaigns that may have changed; drift: only changes made outside
   * campaignctl.
   */
  mode: 'all' | 'changed' | 'drift';
  summary: Summary;
  problems: Problem[];
  campaigns: CampaignPlan[];
  /** Campaigns without a manifest, unless the plan is a selection, and replaced campaigns that apply pauses. */
  removed: RemovedCampaign[];
  /** Tasks for a person in the service's web app. */
  by_hand: ByHandTask[];
  /** Volume after this plan; absent if the project file declares no capacity. */
  volume?: Volume;
}

/** Maximum number of emails per day; null if not shown. */
export type Cap = Integer | 'unlimited' | null;

/** Sum of the daily caps of running campaigns. */
export interface Volume {
  running: Integer;
  cap: Integer;
  unlimited: Integer;
  /** Number of campaigns whose cap is not shown; `unlimited` counts campaigns without a cap. */
  not_shown: Integer;
  /** null if none is declared. */
  capacity: Integer | null;
}

/** Numbers of campaigns, except `requests`. Each declared campaign is one of create, change, unchanged, blocked, not_read. */
export interface Summary {
  create: Integer;
  change: Integer;
  /** In sync with their manifests. */
  unchanged: Integer;
  /** Campaigns with a change that the API cannot make. */
  blocked: Integer;
  /** Not read because of --refresh changed. */
  not_read: Integer;
  launch: Integer;
  pause: Integer;
  /** Campaigns without a manifest. */
  removed: Integer;
  /** Number of requests that apply sends. */
  requests: Integer;
}

export interface CampaignPlan {
  /** File path relative to the project; "file#2": its second document, "file[France]": a campaign of for_each. */
  manifest: string;
  name: string;
  id: Integer | null;
  action: Action;
  changes: PlannedChange[];
  steps: Step[];
  problems: Problem[];
  content: BeforeAfter | null;
  /** null if the plan does not launch the campaign. */
  impact: Impact | null;
  /** null if never in sync. */
  last: SeenLast | null;
  replaces?: Replaced;
}

/**
 * blocked: the API cannot make some of the changes, and the rest is sent; not_read: no sign of a change; drift: only changes
 * made outside campaignctl.
 */
export type Action = 'create' | 'change' | 'none' | 'blocked' | 'not_read' | 'drift';

export interface Change {
  section: SectionName;
  /** Path below the section, as in the manifest: "steps[0].email_body"; empty for the whole section. */
  path: string;
  kind: 'add' | 'update' | 'remove';
  /** The live value; null if there is none or it is unreadable. */
  from: Json;
  /** The manifest's value; null if there is none. */
  to: Json;
  /** Source of the live value, or names of lead lists. */
  note: string | null;
}

export interface PlannedChange extends Change {
  /** null if the campaign was never applied from this project, or the value was not managed before. */
  origin: Origin | null;
}

/** The side that changed since the campaign was last in sync; pause: `campaignctl pause` stopped the campaign. */
export type Origin = 'manifest' | 'service' | 'both' | 'pause';

export interface Step {
  /** Unique within its campaign; begins with its stage: "settings", "leads/list-42". */
  id: string;
  section: SectionName;
  title: string;
  method: 'POST' | 'PATCH';
  /** Path below the base URL, with "{campaign_id}" if the campaign does not exist yet. */
  path: string;
  /** "{step 1}" is replaced by the id that the service assigns to that step. */
  body: JsonObject | null;
  irreversible: boolean;
}

/** error: stops the run; blocked: impossible with the API; hazard: needs approval (--allow CODE); warning: stops nothing. */
export type Severity = 'error' | 'blocked' | 'hazard' | 'warning';

export interface Problem {
  /** Stable; `campaignctl explain CODE` explains it. */
  code: string;
  severity: Severity;
  message: string;
  hint: string;
  /** For hazards in a plan: `campaignctl.yaml:12` or `--allow launch`; null if it needs approval. */
  accepted_by?: string | null;
  /** Lines to add to a manifest, and their location. */
  where?: string;
  lines?: string[];
  /** For lint findings in a plan: `campaigns/spring.yaml:12`. */
  at?: string;
}

/** The live content (null before the campaign exists) and the desired content. */
export interface BeforeAfter {
  before: Content | null;
  after: Content;
}

/** A section is null if it is not managed or does not exist. */
export interface Content {
  /** Settings that the manifest declares or the service shows. */
  settings: { [name: string]: Integer | boolean | string | null } | null;
  schedule: ContentSchedule | null;
  sequence: ContentSequence | null;
  leads: { lists: Integer[]; ids: Integer[] } | null;
  /** For a live campaign, the status as the service spells it. */
  status: string | null;
}

export interface ContentSchedule {
  /** null if the template's hours are not shown. */
  window: SendingHours | null;
  template: Integer | null;
  save_as_template: boolean;
}

export interface SendingHours {
  days: string[];
  start_time: string;
  end_time: string;
  timezone: string;
}

export interface ContentSequence {
  /** null if not shown. */
  title: string | null;
  steps: ContentStep[];
}

export interface ContentEmail {
  email_subject: string;
  email_body: string;
  wait_in_days: Integer;
  thread_reply: boolean;
}

export interface ContentStep extends ContentEmail {
  variants: ContentEmail[];
}

/** Effects of a launch. null means unknown or never; `last` is also null beyond the forecast's horizon. */
export interface Impact {
  resumed: boolean;
  /** Known lists and leads of the campaign, including those that the plan attaches. */
  lists: Integer[];
  /** Lists with the names that the environment gives them: "installers-fr (id 77)". */
  list_names: string[];
  ids: Integer[];
  leads: Integer | null;
  not_contacted: Integer | null;
  /** True if lists of unknown size contain more leads. */
  and_more: boolean;
  emails_per_day: Cap;
  /** Leads × steps, if no lead replies. */
  emails: Integer | null;
  /** ISO 8601 with the offset of `timezone`. */
  first: string | null;
  last: string | null;
  sending_days: Integer | null;
  timezone: string | null;
}

/** When a campaign was last in sync with its manifest. */
export interface SeenLast {
  at: string;
  how: 'apply' | 'import';
}

export interface Replaced {
  id: Integer;
  name: string;
  status: string | null;
  /** True if it sends, or may send. */
  running: boolean;
  /** Changes to its emails; null if this campaign already has a sequence. */
  copy: Change[] | null;
}

/** A campaign that has no manifest in the plan. */
export interface RemovedCampaign {
  role: 'removed' | 'replaced';
  id: Integer;
  name: string;
  /** Its last manifest; for a replaced campaign unknown to the state, its successor's manifest. */
  manifest: string;
  /** The manifest belongs to another environment: `on_removal` does not pause the campaign. */
  outside: boolean;
  status: string | null;
  /** True if it sends, or may send. */
  running: boolean;
  /** Source of `running`: the status shown or, if there is none, the last action of campaignctl. */
  basis: 'shown' | 'believed' | 'unknown';
  max_emails_per_day: Integer | null;
  /** The pause that apply sends, if any. */
  step: Step | null;
  /** Id of the campaign that replaced it. */
  superseded_by?: Integer;
}

/** A task for a person in the service's web app. */
export interface ByHandTask {
  campaign: string;
  /** null if apply creates it. */
  id: Integer | null;
  /** "campaignctl probe" for a scratch campaign. */
  manifest: string;
  /**
   * add, update, remove: edit a value; restore: restore an archived or deleted campaign; attach: attach sender accounts
   * before a launch.
   */
  does: 'add' | 'update' | 'remove' | 'rename' | 'restore' | 'delete' | 'attach';
  section: SectionName | null;
  path: string;
  /** The path in words: "sequence, step 1: email_body". */
  place: string;
  from: Json;
  to: Json;
  /** Id of the campaign that replaced it. */
  superseded_by?: Integer;
}
