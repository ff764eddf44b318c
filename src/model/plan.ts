import type { Json, JsonObject } from './json.js';
import type { SectionName } from './sections.js';

/** @asType integer */
export type Integer = number;

/** Hash of the plan and of the live state that it was made from. @pattern ^sha256:[0-9a-f]{64}$ */
export type Fingerprint = string;

/** The output of `plan --format json`. */
export interface Plan {
  version: 1;
  environment: string;
  /** Base URL of the service; `sandbox` for the sandbox. */
  base_url: string;
  fingerprint: Fingerprint;
  /** all: every campaign was read; changed: only those that may have changed; drift: only changes made outside campaignctl. */
  mode: 'all' | 'changed' | 'drift';
  summary: Summary;
  problems: Problem[];
  campaigns: CampaignPlan[];
  /** Campaigns without a manifest, unless the plan is a selection; and replaced ones that apply pauses. */
  removed: RemovedCampaign[];
  /** Tasks for a person in the service's web app. */
  by_hand: ByHandTask[];
  /** After this plan; absent if the project file declares no capacity. */
  volume?: Volume;
}

/** Most emails a day; null: not shown. */
export type Cap = Integer | 'unlimited' | null;

/** Daily caps of the running campaigns, added up. */
export interface Volume {
  running: Integer;
  cap: Integer;
  unlimited: Integer;
  /** Campaigns whose cap is not shown; `unlimited`: those without one. */
  not_shown: Integer;
  /** null: none is declared. */
  capacity: Integer | null;
}

/** Counts of campaigns, except `requests`. Each declared campaign is one of create, change, unchanged, blocked, not_read. */
export interface Summary {
  create: Integer;
  change: Integer;
  /** In sync with their manifests. */
  unchanged: Integer;
  /** With a change that the API cannot make. */
  blocked: Integer;
  /** Left unread by --refresh changed. */
  not_read: Integer;
  launch: Integer;
  /** Emails a day at most; null if there is no launch, or one without a known limit. */
  launch_emails_per_day: Integer | null;
  pause: Integer;
  /** Without a manifest. */
  removed: Integer;
  /** Requests that apply sends. */
  requests: Integer;
}

export interface CampaignPlan {
  /** The file, relative to the project; "file#2": its second document, "file[France]": one campaign of for_each. */
  manifest: string;
  name: string;
  id: Integer | null;
  action: Action;
  changes: PlannedChange[];
  steps: Step[];
  problems: Problem[];
  content: BeforeAfter | null;
  /** null without a launch. */
  impact: Impact | null;
  /** null: never in sync. */
  last: SeenLast | null;
  replaces?: Replaced;
}

/** blocked: a part cannot be done, the rest is sent; not_read: nothing suggests a change; drift: only changes made elsewhere. */
export type Action = 'create' | 'change' | 'none' | 'blocked' | 'not_read' | 'drift';

export interface Change {
  section: SectionName;
  /** Path below the section, as in the manifest: "steps[0].email_body"; empty for the whole section. */
  path: string;
  kind: 'add' | 'update' | 'remove';
  /** The live value; null if there is none, or it cannot be read. */
  from: Json;
  /** The value of the manifest; null if there is none. */
  to: Json;
  /** How the live value is known, or names of lead lists. */
  note: string | null;
}

export interface PlannedChange extends Change {
  /** null: never applied from here, or not managed before. */
  origin: Origin | null;
}

/** The side that changed since the campaign was last in sync; pause: `campaignctl pause` stopped it. */
export type Origin = 'manifest' | 'service' | 'both' | 'pause';

export interface Step {
  /** Unique in its campaign; begins with its stage: "settings", "leads/list-42". */
  id: string;
  section: SectionName;
  title: string;
  method: 'POST' | 'PATCH';
  /** Path below the base URL, with "{campaign_id}" if the campaign does not exist yet. */
  path: string;
  /** "{step 1}" is replaced by the id that the service gives to that step. */
  body: JsonObject | null;
  irreversible: boolean;
}

/** error: stops the run; blocked: the API cannot do it; hazard: needs approval by its code; warning: stops nothing. */
export type Severity = 'error' | 'blocked' | 'hazard' | 'warning';

export interface Problem {
  /** Stable; `campaignctl explain CODE` explains it. */
  code: string;
  severity: Severity;
  message: string;
  hint: string;
  /** Of a hazard in a plan: `campaignctl.yaml:12` or `--allow launch`; null if it needs approval. */
  accepted_by?: string | null;
  /** Lines for a manifest, and where they go. */
  where?: string;
  lines?: string[];
  /** Of a lint finding in a plan: `campaigns/spring.yaml:12`. */
  at?: string;
}

/** The live content, null before the campaign exists, and the desired one. */
export interface BeforeAfter {
  before: Content | null;
  after: Content;
}

/** A section is null if it is not managed or does not exist. */
export interface Content {
  /** Settings that the manifest writes or the service shows. */
  settings: { [name: string]: Integer | boolean | string | null } | null;
  schedule: ContentSchedule | null;
  sequence: ContentSequence | null;
  leads: { lists: Integer[]; ids: Integer[] } | null;
  /** Of a live campaign, the word of the service. */
  status: string | null;
}

export interface ContentSchedule {
  /** null if the hours of the template are not shown. */
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

/** What a launch sends. null: unknown, or never; `last` is also null beyond the horizon of the forecast. */
export interface Impact {
  resumed: boolean;
  /** Lists and leads that the campaign has, as far as is known, or gets. */
  lists: Integer[];
  ids: Integer[];
  leads: Integer | null;
  not_contacted: Integer | null;
  /** More leads are in lists of unknown size. */
  and_more: boolean;
  emails_per_day: Integer | null;
  /** If no lead replies: leads × steps. */
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
  /** It sends, or may send. */
  running: boolean;
  /** Changes of its emails; null once this campaign has a sequence. */
  copy: Change[] | null;
}

/** A campaign without a manifest in the plan. */
export interface RemovedCampaign {
  role: 'removed' | 'replaced';
  id: Integer;
  name: string;
  /** Its last one; of a replaced campaign that the state does not know, that of its successor. */
  manifest: string;
  /** The manifest belongs to another environment: `on_removal` does not pause the campaign. */
  outside: boolean;
  status: string | null;
  /** It sends, or may send. */
  running: boolean;
  /** Source of `running`: the status shown, or the last action of campaignctl where none is. */
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
  /** add, update, remove: a value; restore: an archived or deleted campaign; attach: sender accounts before a launch. */
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
