import type { PlanCode, RuleCode } from './codes.js';
import type { Hold } from './hold.js';
import type { Json, JsonObject, Path } from './json.js';
import type { SectionName, Stage } from './sections.js';

export type { Path } from './json.js';
export type { SectionName, Stage } from './sections.js';

/** @asType integer */
export type Integer = number;

/** Hash of the plan and of the live state on which it is based. @pattern ^sha256:[0-9a-f]{64}$ */
export type Fingerprint = string;

/** The output of `plan --format json` and `apply --dry-run --format json`. */
export interface Plan {
  version: 1;
  environment: string;
  /** Base URL of the service; `sandbox` for the sandbox. */
  base_url: string;
  /** True if the token is sent over plain http to another machine. Otherwise absent. */
  insecure_http?: boolean;
  fingerprint: Fingerprint;
  /**
   * all: every campaign was read; changed: only campaigns that may have changed were read; drift: the plan shows only
   * changes made outside campaignctl.
   */
  mode: 'all' | 'changed' | 'drift';
  summary: Summary;
  problems: PlanProblem[];
  campaigns: CampaignPlan[];
  /** Campaigns without a manifest; empty if only some campaigns were selected. */
  removed: OtherCampaign[];
  /** Replaced campaigns that apply pauses, or that are running again. */
  replaced: OtherCampaign[];
  /** Tasks for a person in the service's web app. */
  by_hand: ByHandTask[];
  /** Launches that the plan leaves out: launch for all, or launch=NAME; absent if none. */
  hold?: Hold[];
  /** Files to which the plan is limited, relative to the project file; absent if none. */
  files?: string[];
  /** Names and patterns, as given with --target, of the campaigns to which the plan is limited; absent if none. */
  targets?: string[];
  /** The environment to which every change must have been applied before; absent if none is required or nothing changes. */
  require_applied?: string;
  /** Volume after this plan; absent if the project file declares no capacity. */
  volume?: PlanVolume;
}

/** The service in the head of a report. */
export type ServiceHead = Pick<Plan, 'base_url' | 'insecure_http'>;

/** Maximum number of emails per day; null if not shown. */
export type Cap = Integer | 'unlimited' | null;

/** Sum of the daily caps of running campaigns. */
export interface Volume {
  running: Integer;
  cap: Integer;
  unlimited: Integer;
  /** Number of running campaigns whose cap is not shown; `unlimited` counts those without a cap. */
  not_shown: Integer;
  /** null if the project file declares none. */
  capacity: Integer | null;
}

export interface PlanVolume extends Volume {
  /** All running campaigns, those with the highest caps first. */
  campaigns: RunningCap[];
  /** Number of other campaigns whose status the list does not show: they may be sending, and are not counted. Absent: none. */
  unclear?: Integer;
}

export interface RunningCap {
  name: string;
  cap: Cap;
  /** True if the plan launches it. */
  launch: boolean;
}

/**
 * Campaign counts, except for `requests`. Each declared campaign counts as one of create, change, unchanged, blocked
 * and not_read.
 */
export interface Summary {
  create: Integer;
  change: Integer;
  /** Campaigns in sync with their manifests. */
  unchanged: Integer;
  /** Campaigns with a change that apply cannot make. */
  blocked: Integer;
  /** Campaigns not read because of --refresh changed. */
  not_read: Integer;
  launch: Integer;
  pause: Integer;
  /** Campaigns without a manifest. */
  removed: Integer;
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
  problems: PlanProblem[];
  content: BeforeAfter | null;
  /** null if the plan does not launch the campaign. */
  impact: Impact | null;
  /** null if the campaign was never in sync. */
  last: SeenLast | null;
  replaces?: Succession;
  /** Number of leads of a campaign that apply pauses, as shown or, if it is not, as recorded; absent if it is not known. */
  stopping_leads?: Integer;
  /** When an apply left out the launch that the manifest still wants (ISO 8601); absent if none did. */
  launch_held?: string;
  /** The daily cap before and after apply, if apply raises it and the campaign is or may be sending. */
  raised_cap?: { from: Cap; to: Cap };
  /** The same, if apply lowers it. */
  lowered_cap?: { from: Cap; to: Cap };
  /** Set if apply changes the schedule of a campaign that is or, without `sure`, may be sending. */
  running_schedule?: { sure: boolean };
  /**
   * Set if the campaign is or, without `sure`, may be sending and the manifest has other emails. changed: apply sends them; old: it
   * cannot, so the campaign goes on with its current ones.
   */
  running_emails?: { emails: 'changed' | 'old'; sure: boolean };
  /** Lead lists that apply attaches again, because their `refill` has a value that this campaign never had. */
  refill?: RefilledLists;
}

export interface RefilledLists {
  lists: Integer[];
  /** The lists with their names: "installers-fr (id 77)". */
  list_names: string[];
  /** Number of leads in the campaign; null if it is not shown. */
  leads: Integer | null;
  /** True if the campaign has, or may have, leads that are not from these lists: then `leads` is not their number. */
  has_others: boolean;
  /** True if the service is known to skip leads that are already attached. */
  skips: boolean;
}

/**
 * blocked: apply cannot make some of the changes, but sends the others; not_read: nothing indicates a change;
 * drift: only changes made outside campaignctl are shown.
 */
export type Action = 'create' | 'change' | 'none' | 'blocked' | 'not_read' | 'drift';

export interface Change {
  section: SectionName;
  /** Path within the section, as in the manifest: "steps[0].email_body"; empty for the whole section. */
  path: string;
  kind: 'add' | 'update' | 'remove';
  /** The live value; null if there is none, or if it is unreadable. */
  from: Json;
  /** The manifest's value; null if there is none. */
  to: Json;
  /** Source of the live value, or names of the lead lists. */
  note: string | null;
}

export interface PlannedChange extends Change {
  /** null if the campaign was never applied from this project, or if the value was not managed before. */
  origin: Origin | null;
}

/** The side that changed since the campaign was last in sync; pause: `campaignctl pause` stopped the campaign. */
export type Origin = 'manifest' | 'service' | 'both' | 'pause';

export interface Step {
  /** Unique within its campaign; begins with its stage: "settings", "leads/list-42". */
  id: string;
  stage: Stage;
  section: SectionName;
  title: string;
  method: 'POST' | 'PATCH';
  /** Path relative to the base URL, with "{campaign_id}" if the campaign does not exist yet. */
  path: string;
  /** "{step 1}" is replaced by the id that the service assigns to that step. */
  body: JsonObject | null;
  irreversible: boolean;
  /** For a lead list, the value of `refill` for which it is attached. It is not sent. */
  refill?: string;
}

/**
 * error: stops the run; blocked: apply cannot make the change; hazard: needs approval (--allow CODE); warning: stops
 * nothing.
 */
export type Severity = 'error' | 'blocked' | 'hazard' | 'warning';

export interface Problem {
  /** Stable code, which `campaignctl explain CODE` explains. */
  code: string;
  severity: Severity;
  message: string;
  hint: string;
  /** Source of a hazard's approval: `campaignctl.yaml:12` or `--allow launch`; null if it still needs approval. */
  accepted_by?: string | null;
  /** Where to add `lines` to a manifest. */
  where?: string;
  lines?: string[];
  /** Location of a lint finding, such as `campaigns/spring.yaml:12`. */
  at?: string;
}

/** A problem of a plan or of one of its campaigns. */
export interface PlanProblem extends Problem {
  code: PlanCode;
}

/** The live content (null before the campaign exists) and the desired content. */
export interface BeforeAfter {
  before: Content | null;
  after: Content;
}

/** A section is null if it is not managed or does not exist. */
export interface Content {
  /** Settings that the manifest declares, or that the service shows. */
  settings: { [name: string]: Integer | boolean | string | null } | null;
  schedule: ContentSchedule | null;
  sequence: ContentSequence | null;
  /** `refills`: before, all values for which the lists were attached; after, the values in the manifest. */
  leads: { lists: Integer[]; ids: Integer[]; refills?: { list: Integer; refill: string }[] } | null;
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
  /** false if the email is switched off in the service's web app, so that it is not sent. Otherwise absent. */
  active?: false;
}

export interface ContentStep extends ContentEmail {
  variants: ContentEmail[];
}

/** Effects of a launch. null means unknown or never; `last` is also null if it is beyond the forecast's horizon. */
export interface Impact {
  resumed: boolean;
  /** Known lead lists of the campaign, including those that the plan attaches. */
  lists: Integer[];
  /** The lists with their names: "installers-fr (id 77)". */
  list_names: string[];
  /** Known individual leads of the campaign, including those that the plan attaches. */
  ids: Integer[];
  /** Number of known leads, whether contacted or not. */
  leads: Integer | null;
  /** Known leads that have not been contacted; with `and_more`, at least so many. */
  people: Integer | null;
  /** Contacted leads, of whom some may get further emails after a resume; 0 for a first launch. */
  partway: Integer | null;
  /** Names of the lists whose size is not known. Their leads come on top of `people`. */
  unknown_lists: string[];
  /** Names of the lists that are attached again. How many of their leads are new is not known; they come on top of `people`. */
  refilled_lists?: string[];
  /** True if there may be leads that are not counted: in lists of unknown size, or in a campaign whose leads are not shown. */
  and_more: boolean;
  emails_per_day: Cap;
  /** After the plan; null if neither manifest nor service shows it. For a new campaign, the documented values count. */
  can_unsubscribe: boolean | null;
  open_tracking: boolean | null;
  /**
   * Most emails on the first sending day: the least of both caps and, if all leads are known, their number. Caps that the
   * manifest of a new campaign leaves out count as documented.
   */
  first_day: Integer | null;
  /** people × emails of the sequence that are not switched off, if no lead replies; at least so many with `and_more` or after a resume. */
  emails: Integer | null;
  /** ISO 8601, with the offset of `timezone`. */
  first: string | null;
  last: string | null;
  sending_days: Integer | null;
  timezone: string | null;
  /**
   * The days with emails among the 14 dates from the first sending day on, in `timezone`, if applied now and if no lead
   * replies. Empty if the schedule or the number of leads is not known, after a resume, or if nothing is sent.
   */
  days: SendingDay[];
}

export interface SendingDay {
  /** @pattern ^\d{4}-\d{2}-\d{2}$ */
  date: string;
  emails: Integer;
}

/** Number of dates that `Impact.days` covers. */
export const CALENDAR_DAYS = 14;

/** When a campaign was last in sync with its manifest. */
export interface SeenLast {
  at: string;
  how: 'apply' | 'import';
}

/** The predecessor, and what changes from it to the new campaign. */
export interface Succession {
  id: Integer;
  name: string;
  status: string | null;
  /** True if the campaign is or may be sending. */
  running: boolean;
  /** Changes from the old emails to the new ones; null if the new campaign already has a sequence. */
  copy: Change[] | null;
  /**
   * Changes from the old settings to the new ones, for each setting that the service shows; null if it shows none. A setting
   * that the manifest leaves out changes to its documented default.
   */
  settings: Change[] | null;
  /** Changes from the old hours to the new ones; null if the service or the manifest does not show them. */
  schedule: Change[] | null;
  stops: StoppedLeads;
}

/** Known leads of a replaced campaign that the new one does not get. They get no further emails. */
export interface StoppedLeads {
  lists: Integer[];
  /** The lists with their names: "installers-fr (id 77)". */
  list_names: string[];
  ids: Integer[];
  /**
   * Number of all leads of the replaced campaign; 0 if the new campaign has them all, and null if the number is not shown or if
   * the new campaign has some of them.
   */
  leads: Integer | null;
}

/** A campaign without a manifest of its own: the manifest was removed, or another campaign replaces this one. */
export interface OtherCampaign {
  id: Integer;
  name: string;
  /** The campaign's last manifest. If the campaign was replaced and is not in the state, the successor's manifest. */
  manifest: string;
  /** True if the manifest belongs to a different environment; `on_removal` then does not pause the campaign. */
  outside: boolean;
  status: string | null;
  /** True if the campaign is or may be sending. */
  running: boolean;
  /**
   * Source of `status`. shown: the service shows it; set: campaignctl last set it, and the service shows none; unknown: the
   * service shows no known status.
   */
  basis: 'shown' | 'set' | 'unknown';
  /** When campaignctl set the status (ISO 8601), if that is known. */
  since?: string;
  max_emails_per_day: Integer | null;
  /** The pause that apply sends, if any. */
  step: Step | null;
  /** As in a campaign with a manifest. */
  stopping_leads?: Integer;
  /** Id of the campaign that replaced this one. */
  superseded_by?: Integer;
}

/** A task for a person in the service's web app. */
export interface ByHandTask {
  campaign: string;
  /** null if apply creates the campaign. */
  id: Integer | null;
  manifest: string;
  /**
   * add, update, remove: edit a value; restore: restore an archived or deleted campaign; attach: attach sender accounts
   * before a launch; carry: carry over what manifests cannot hold, from the campaign that this one replaces. `path` is empty
   * for everything that the service does not show.
   */
  does: 'add' | 'update' | 'remove' | 'rename' | 'restore' | 'delete' | 'attach' | 'carry';
  section: SectionName | null;
  path: string;
  /** The path in words: "sequence, step 1: email_body". */
  place: string;
  from: Json;
  to: Json;
  /** carry: id of the campaign that this one replaces. */
  replaces?: Integer;
  /** Id of the campaign that replaced this one. */
  superseded_by?: Integer;
}

export const EMPTY_SUMMARY: Summary = {
  create: 0,
  change: 0,
  unchanged: 0,
  blocked: 0,
  not_read: 0,
  launch: 0,
  pause: 0,
  removed: 0,
  requests: 0,
};

export function emptyPlan(environment: string, base_url: string): Plan {
  return {
    version: 1,
    environment,
    base_url,
    fingerprint: '',
    mode: 'all',
    summary: EMPTY_SUMMARY,
    problems: [],
    campaigns: [],
    removed: [],
    replaced: [],
    by_hand: [],
  };
}

export const REFRESH_MODES = ['all', 'changed'] as const;
export type RefreshMode = (typeof REFRESH_MODES)[number];

export function isDrift({ origin }: PlannedChange): boolean {
  return origin === 'service' || origin === 'both';
}

export function isLaunched({ steps }: { steps: readonly Step[] }): boolean {
  return steps.some(({ stage }) => stage === 'launch');
}

/** The step's own email and its variants, without those that are switched off. */
export function activeEmails({ variants, ...email }: ContentStep): ContentEmail[] {
  return [email, ...variants].filter(({ active }) => active !== false);
}

/** The steps that are sent: a step whose emails are all switched off is skipped. */
export function activeSteps(sequence: ContentSequence | null | undefined): ContentStep[] {
  return sequence?.steps.filter((step) => activeEmails(step).length > 0) ?? [];
}

export function differs({ action }: Pick<CampaignPlan, 'action'>): boolean {
  return action !== 'none' && action !== 'not_read';
}

export function otherCampaigns({ removed, replaced }: Pick<Plan, 'removed' | 'replaced'>): OtherCampaign[] {
  return [...removed, ...replaced];
}

/** True if a flag accepts the hazard, not the project file or the file that it extends. */
export function isByFlag({ accepted_by }: Pick<Problem, 'accepted_by'>): boolean {
  return accepted_by?.startsWith('--') === true;
}

export function campaignsWithSteps(plan: Plan): Pick<CampaignPlan, 'name' | 'steps'>[] {
  const pauses = otherCampaigns(plan).map(({ name, step }) => ({ name, steps: step === null ? [] : [step] }));
  return [...pauses, ...plan.campaigns].filter(({ steps }) => steps.length > 0);
}

/** Note on a change whose live value is unknown; `from` is then `null`. */
export const NOT_KNOWN = 'not shown by the service; the last applied value is unknown';

/**
 * A position, given by path; `locate` finds its line. `document` counts from 0. `text`: only its first occurrence is
 * marked.
 */
export interface Place {
  file: string;
  document: number;
  path: Path;
  target: 'key' | 'value';
  text: string | null;
  instance?: Instance;
}

export interface Instance {
  manifest: string;
  label: string;
  of: number;
}

/** `scope`: the campaign, if the place is in another file. */
export interface Finding extends Problem {
  place: Place;
  scope?: string;
}

/** A finding of a lint rule. */
export interface LintFinding extends Finding {
  code: RuleCode;
}

/** A problem in a source file, with its position. */
export interface LocatedFinding
  extends Pick<Problem, 'code' | 'severity' | 'message' | 'hint'>,
    FindingPlace {
  excerpt: string;
  /** Further places with the same mistake, which the message names. Otherwise absent. */
  also?: FindingPlace[];
}

export interface FindingPlace {
  file: string;
  line: Integer;
  /** Column in UTF-16 code units. */
  column: Integer;
  /** Length of the marked text. */
  length: Integer;
}
