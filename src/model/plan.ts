import type { Json, JsonObject } from './json.js';
import type { SectionName } from './sections.js';

/** A whole number. @asType integer */
export type Integer = number;

/** Hash of the plan and of the live state that it was made from. @pattern ^sha256:[0-9a-f]{64}$ */
export type Fingerprint = string;

/** The output of `plan --format json`: everything that `apply` would do. */
export interface Plan {
  version: 1;
  environment: string;
  /** Base URL of the service; `sandbox` for the sandbox. */
  base_url: string;
  fingerprint: Fingerprint;
  /**
   * all: every campaign was read; changed: only campaigns that may have changed were read; drift: the plan shows only changes made
   * outside campaignctl, and no requests.
   */
  mode: 'all' | 'changed' | 'drift';
  summary: Summary;
  /** Problems of the plan as a whole. */
  problems: Problem[];
  /** Every campaign of the plan, including unchanged ones. */
  campaigns: CampaignPlan[];
  /** Removed or moved manifests, unless files or --target select campaigns; and replaced campaigns that apply pauses. */
  removed: RemovedCampaign[];
  /** Tasks for a person in the service's web app. */
  by_hand: ByHandTask[];
  /** After this plan; absent if the project file declares no capacity. */
  volume?: Volume;
}

/** Most emails a day; null: not shown. */
export type Cap = Integer | 'unlimited' | null;

/** The most that the running campaigns may send in a day, beside what the workspace can send. */
export interface Volume {
  /** Campaigns that run. */
  running: Integer;
  /** The sum of their daily caps. */
  cap: Integer;
  /** Campaigns among them without a cap. */
  unlimited: Integer;
  /** Campaigns among them whose cap is not shown. */
  not_shown: Integer;
  /** The capacity in the project file; null: none is declared. */
  capacity: Integer | null;
}

/** Counts of campaigns, except `requests`. Each declared campaign is one of create, change, unchanged, blocked, not_read. */
export interface Summary {
  /** To create. */
  create: Integer;
  /** To change. */
  change: Integer;
  /** In sync with their manifests. */
  unchanged: Integer;
  /** With at least one change that the API cannot make; the rest is sent. */
  blocked: Integer;
  /** Left unread by --refresh changed; their drift does not show. */
  not_read: Integer;
  /** To launch. */
  launch: Integer;
  /** Emails a day at most of all launches; `null` if there is none, or one has no known limit. */
  launch_emails_per_day: Integer | null;
  /** To pause. */
  pause: Integer;
  /** Known to the state and without a manifest in this environment. */
  removed: Integer;
  /** Requests that apply sends. */
  requests: Integer;
}

/** One campaign of a plan. */
export interface CampaignPlan {
  /**
   * The file, relative to the project; "file#2" is the second document of a file, "file[France]" one campaign of for_each.
   */
  manifest: string;
  name: string;
  /** Id of the live campaign; null if there is none. */
  id: Integer | null;
  action: Action;
  changes: PlannedChange[];
  /** The requests, in the order in which they are sent. */
  steps: Step[];
  problems: Problem[];
  /** The whole content; null if nothing differs. */
  content: BeforeAfter | null;
  /** What a launch sends; null if the plan does not launch the campaign. */
  impact: Impact | null;
  /** When the campaign was last in sync; null if never. */
  last: SeenLast | null;
  replaces?: Replaced;
}

/**
 * blocked: a part cannot be done, the rest is sent; not_read: nothing suggests a change; drift: only changes made outside
 * campaignctl.
 */
export type Action = 'create' | 'change' | 'none' | 'blocked' | 'not_read' | 'drift';

/** One difference between the live campaign and its manifest. */
export interface Change {
  section: SectionName;
  /** Path below the section, as in the manifest: "steps[0].email_body"; empty for the whole section. */
  path: string;
  kind: 'add' | 'update' | 'remove';
  /** The live value; null if there is none or if it cannot be read, as `note` then says. */
  from: Json;
  /** The value of the manifest; null if there is none. */
  to: Json;
  /** What is known of the live value, or the names of lead lists; null if there is nothing to add. */
  note: string | null;
}

/** A change and its origin. */
export interface PlannedChange extends Change {
  /** null if unknown: never applied from here, or not managed before. */
  origin: Origin | null;
}

/** What changed since the campaign was last in sync: the manifest, the campaign in the service, or both. */
export type Origin = 'manifest' | 'service' | 'both';

/** One request that apply sends. */
export interface Step {
  /** Unique in its campaign; begins with its stage: "settings", "leads/list-42". */
  id: string;
  section: SectionName;
  title: string;
  method: 'POST' | 'PATCH';
  /** Path below the base URL, with "{campaign_id}" if the campaign does not exist yet. */
  path: string;
  /** JSON body; "{step 1}" stands for the id that the service will give to that step of the sequence. */
  body: JsonObject | null;
  /** No request of the API can undo it. */
  irreversible: boolean;
}

/**
 * error: stops the run; blocked: the API cannot do it; hazard: needs approval by its code; warning: stops nothing.
 */
export type Severity = 'error' | 'blocked' | 'hazard' | 'warning';

/** A fact that a person should know, and its fix. */
export interface Problem {
  /** Stable code. `campaignctl explain CODE` explains it. */
  code: string;
  severity: Severity;
  message: string;
  hint: string;
  /** Only with a hazard of a plan: what accepts it, `campaignctl.yaml:12` or `--allow launch`; null if it needs approval. */
  accepted_by?: string | null;
  /** Only with `lines`: where they go. */
  where?: string;
  /** Lines to write into a manifest. */
  lines?: string[];
  /** Only with a lint finding in a plan: its file and line, `campaigns/spring.yaml:12`. */
  at?: string;
}

/** The whole content of a campaign, live and desired. */
export interface BeforeAfter {
  /** The live campaign; null before it exists. */
  before: Content | null;
  after: Content;
}

/** One side of a campaign; a section is null if it is not managed or does not exist. */
export interface Content {
  /** Settings that the manifest writes or the service shows. */
  settings: { [name: string]: Integer | boolean | string | null } | null;
  schedule: ContentSchedule | null;
  sequence: ContentSequence | null;
  /** Leads that are attached, as far as that is known. */
  leads: { lists: Integer[]; ids: Integer[] } | null;
  /** running or paused; for a live campaign, the word of the service. */
  status: string | null;
}

/** The schedule of a campaign. */
export interface ContentSchedule {
  /** null if the service does not show the hours of the template. */
  window: SendingHours | null;
  /** Id of the template that it is made from. */
  template: Integer | null;
  /** The schedule is also saved as a template. */
  save_as_template: boolean;
}

/** Days and hours in which emails may be sent. */
export interface SendingHours {
  /** Names of days, in the order of the week. */
  days: string[];
  start_time: string;
  end_time: string;
  /** Time zone of both times. */
  timezone: string;
}

/** The emails of a campaign. */
export interface ContentSequence {
  /** null if the service does not show it. */
  title: string | null;
  steps: ContentStep[];
}

/** One version of an email. */
export interface ContentEmail {
  email_subject: string;
  email_body: string;
  /** Days until the next email. */
  wait_in_days: Integer;
  /** Sent as a reply to the email before. */
  thread_reply: boolean;
}

/** One step of a sequence: an email and its variants. */
export interface ContentStep extends ContentEmail {
  variants: ContentEmail[];
}

/**
 * What a launch sends, as of the time of planning; null: unknown, or never. If `leads` and `first` are known and `last` is null, the end lies beyond
 * the horizon of the forecast.
 */
export interface Impact {
  /** The campaign has run before. */
  resumed: boolean;
  /** Lead lists that the campaign has, as far as is known, or gets. */
  lists: Integer[];
  /** Individual leads that the campaign has, as far as is known, or gets. */
  ids: Integer[];
  /** Number of leads, with those that are attached first. */
  leads: Integer | null;
  /** Leads that got no email yet; `null` if the service does not show it. */
  not_contacted: Integer | null;
  /** There are more leads, in lists whose size the service does not show. */
  and_more: boolean;
  emails_per_day: Integer | null;
  /** Emails in all if no lead replies: leads × steps. */
  emails: Integer | null;
  /** Earliest time of the first email, in ISO 8601 with the offset of the time zone. */
  first: string | null;
  /** End of the last sending window that is needed. */
  last: string | null;
  /** Number of days on which emails are sent. */
  sending_days: Integer | null;
  /** Time zone of the campaign. */
  timezone: string | null;
}

/** When a campaign was last in sync with its manifest. */
export interface SeenLast {
  /** ISO 8601, UTC. */
  at: string;
  /** After an apply, or when the manifest was imported. */
  how: 'apply' | 'import';
}

/** The campaign that this one succeeds. */
export interface Replaced {
  id: Integer;
  name: string;
  /** The word that the service shows; null if it shows none. */
  status: string | null;
  /** It sends, or may send: apply pauses it first. */
  running: boolean;
  /** How the new emails differ from its live ones; null once this campaign has a sequence. */
  copy: Change[] | null;
}

/** A campaign without a manifest in the plan. */
export interface RemovedCampaign {
  /** removed: the state knows it, and no manifest of the environment describes it; replaced: a campaign of the plan replaces it. */
  role: 'removed' | 'replaced';
  /** Id of the live campaign. */
  id: Integer;
  name: string;
  /** The manifest that it had, relative to the project; of a replaced campaign that the state does not know, that of its successor. */
  manifest: string;
  /** The manifest still belongs to the project, but not to the environment: `on_removal` does not pause the campaign. */
  outside: boolean;
  /** The word that the service shows; null if it shows none. */
  status: string | null;
  /** It sends, or may send. */
  running: boolean;
  /**
   * Source of `running`. shown: the status; believed: the last action of campaignctl, because the service shows no status; unknown: no
   * source, because the service shows no status or an unknown word.
   */
  basis: 'shown' | 'believed' | 'unknown';
  /** As the service shows it; null if it does not. */
  max_emails_per_day: Integer | null;
  /** The pause that apply sends; null if it sends none. */
  step: Step | null;
  /** Only of a campaign that was replaced: its successor. */
  superseded_by?: Integer;
}

/** A task that the API cannot do and a person can, in the service's web app. */
export interface ByHandTask {
  /** Name of the campaign in the service. */
  campaign: string;
  /** Id of the campaign; null if apply creates it. */
  id: Integer | null;
  /** The manifest that it has, or had; "campaignctl probe" for a campaign that a probe created. */
  manifest: string;
  /**
   * add, update and remove: a value; rename: the campaign; restore: it is archived or deleted; delete: it has no manifest and does not run;
   * attach: sender accounts, before it can be launched.
   */
  does: 'add' | 'update' | 'remove' | 'rename' | 'restore' | 'delete' | 'attach';
  /** null: the campaign as a whole. */
  section: SectionName | null;
  /** Path below the section, as in the manifest: "steps[0].email_body"; empty for the whole section. */
  path: string;
  /** The path in words: "sequence, step 1: email_body". */
  place: string;
  /** The live value; null if there is none, or none is shown. */
  from: Json;
  /** The value to enter; null if there is none. */
  to: Json;
  /** Only of a campaign that was replaced: its successor. */
  superseded_by?: Integer;
}
