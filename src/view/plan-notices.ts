/** Plan notices: those shown before the campaigns, sorted by severity, and those shown after. */
import { isOfSandbox } from '../model/environment.js';
import { groupBy } from '../model/json.js';
import {
  type CampaignPlan,
  type Cap,
  differs,
  isByFlag,
  isDrift,
  isLaunched,
  type OtherCampaign,
  otherCampaigns,
  type Plan,
  type Problem,
} from '../model/outputs.js';
import { groupProblems, type ProblemGroup } from '../model/problem-groups.js';
import { MAX_LARGEST } from '../model/volume.js';
import { count, listed, thousands } from '../model/words.js';
import {
  editedEmails,
  editedSchedule,
  isUndone,
  leadWords,
  listThemes,
  OUTSIDE,
  originLine,
  statusTheme,
} from './changes.js';
import {
  capPerDay,
  changedConcerns,
  concernLines,
  hasNoLeads,
  launchLine,
  launchTotals,
  NO_UNSUBSCRIBE_LINK,
  OPEN_TRACKING,
  sendsNothing,
} from './launches.js';
import type { PlaceFile, PlaceOf, PlaceText } from './options.js';
import { FOLDER } from './placed.js';
import { alike, short } from './words.js';

export interface CampaignLink {
  name: string;
  anchor: string | null;
}

export interface Message {
  /** `null` for a message that is not a problem. */
  code: string | null;
  text: string;
  /** Empty if an earlier message in the notice has the same hint. For an accepted hazard, the source of its approval. */
  hint: string;
  campaigns: CampaignLink[];
  /** Lines to add to manifests, and their location. */
  blocks: { where: string; lines: string[] }[];
}

/** `error`: apply refuses the plan; `hazard`: needs approval; `accepted`: approved; `calm`: shown without an alert. */
export type NoticeKind =
  | (
      | 'launch'
      | 'raise'
      | 'emails'
      | 'stop'
      | 'unmanaged'
      | 'error'
      | 'hazard'
      | 'accepted'
      | 'blocked'
      | 'removed'
    )
  | ('drift' | 'warning' | 'calm' | 'unreadable' | 'quiet');

/** If there are no messages, the title says everything. */
export interface Notice {
  kind: NoticeKind;
  title: string;
  messages: Message[];
  hint: string;
}

/** True for notices about who gets more or fewer emails, which every view shows first. */
export function isHeadline({ kind }: Pick<Notice, 'kind'>): boolean {
  return ['launch', 'raise', 'emails', 'stop', 'unmanaged'].includes(kind);
}

type LinkOf = (campaign: CampaignPlan) => CampaignLink;

/** The name in a report, which names the project as well if there are several. */
export type NameOf = (campaign: { name: string; manifest: string }) => string;

/** `isOne`: the plan of one project. `isRefused`: apply refuses it as a whole, so nothing in it happens yet. */
interface NoticeOptions {
  linkOf: LinkOf;
  placeOf: PlaceOf;
  placeText: PlaceText;
  placeFile: PlaceFile;
  nameOf: NameOf;
  isOne: boolean;
  isRefused: boolean;
}

/** A launch cannot be undone, so it precedes other hazards. */
export function launchesFirst<Group extends { code: string }>(groups: readonly Group[]): Group[] {
  const isLaunch = ({ code }: Group) => code === 'launch';
  return [...groups.filter(isLaunch), ...groups.filter((group) => !isLaunch(group))];
}

export function buildNotices(
  plan: Plan,
  { linkOf, placeOf, placeText, placeFile, nameOf, isOne, isRefused }: NoticeOptions,
): Notice[] {
  const { mode, campaigns, summary } = plan;
  const problems = launchesFirst(groupProblems(plan, isAttended));
  const groups = (kind: NoticeKind, title: string, hint = '') => {
    const wanted = problems.filter(
      ({ severity, accepted_by }) => (accepted_by === null ? severity : 'accepted') === kind,
    );
    return notice(
      kind,
      title,
      wanted.flatMap((group) => listProblems(group, { linkOf, placeText, placeFile })),
      hint,
    );
  };
  const launched = campaigns.filter(isLaunched);
  // For drift, the campaigns follow anyway.
  const drifted = mode === 'drift' ? [] : campaigns.filter((campaign) => originLine(campaign) !== null);
  const notices = [
    ...concernLines(launched, nameOf).map((title) => plainNotice('raise', title)),
    ...notice(
      'launch',
      `${isRefused ? 'Not yet, because apply refuses this plan: ' : ''}${launchTotals(launched, placeOf)}; ${launchWords(launched, plan)}`,
      toMessages(launched, linkOf, ({ impact }) => (impact ? launchLine(impact) : '')),
    ),
    ...capNotices(plan, nameOf),
    ...scheduleNotices(plan, nameOf),
    ...emailNotices(plan, nameOf),
    ...leadNotice(plan, nameOf),
    ...concernNotices(plan, nameOf),
    ...stopNotice(plan, nameOf),
    ...unmanagedNotice(plan, nameOf),
    ...groups(
      'error',
      `Refused: apply sends nothing${isOne ? '' : ' for these projects'} until this is resolved`,
    ),
    ...groups('hazard', 'Needs approval before the plan is applied'),
    ...groups('accepted', 'Accepted: apply sends these'),
    ...groups('blocked', 'Blocked: apply does not make these changes'),
    ...removedNotices(plan, { placeOf, placeText }),
    ...notice(
      'drift',
      `Drift: ${count(drifted.length, 'campaign')} ${OUTSIDE}`,
      toMessages(drifted, linkOf, driftWords),
    ),
    ...groups('warning', warningsTitle(plan)),
  ];
  const isCalm = notices.length === 0 && mode !== 'drift' && summary.requests > 0;
  return isCalm ? [plainNotice('calm', CALM)] : notices;
}

/** "apply puts back: max_emails_per_day 160 → 80", "status paused → active" */
function driftWords(campaign: CampaignPlan): string {
  const drifted = { ...campaign, changes: campaign.changes.filter(isDrift) };
  const themes = [...driftedStatus(drifted), ...listThemes({ ...drifted, steps: campaign.steps })];
  const words = [...new Set(themes)].join(', ');
  return words !== '' && isUndone(campaign) ? `apply puts back: ${words}` : words;
}

/** Themes leave out the status of a launch. */
function driftedStatus({ changes }: CampaignPlan): string[] {
  return changes.flatMap((change) => (change.section === 'status' ? statusTheme(change) : []));
}

function launchWords(launched: readonly CampaignPlan[], plan: Plan): string {
  if (isOfSandbox(plan)) return 'in the sandbox, no email is sent';
  if (launched.every(({ impact }) => impact !== null && sendsNothing(impact))) return 'no email is sent';
  const isLater = launched.every(({ impact }) => impact !== null && hasNoLeads(impact));
  return isLater ? 'real people get these emails once leads are attached' : 'real people get these emails';
}

/** Maximum number of names in a headline. */
const MAX_NAMED = 3;

function capNotices({ campaigns }: Plan, nameOf: NameOf): Notice[] {
  const kinds = [
    ['raise', 'higher', raisedCap],
    ['stop', 'lower', loweredCap],
  ] as const;
  return kinds.flatMap(([kind, word, capOf]) => {
    const changed = campaigns.flatMap((campaign) => {
      const cap = capOf(campaign);
      return cap !== null
        ? [{ name: nameOf(campaign), words: `${capWord(cap.from)} → ${capWord(cap.to)}` }]
        : [];
    });
    const groups = [...groupBy(changed, ({ words }) => words)].map(
      ([words, same]) =>
        `${listed(
          same.map(({ name }) => name),
          MAX_NAMED,
        )} (${words})`,
    );
    if (changed.length === 0) return [];
    const verb = changed.length === 1 ? 'gets' : 'get';
    const title = `${count(changed.length, 'running campaign')} ${verb} a ${word} daily cap: ${groups.join('; ')}`;
    return [plainNotice(kind, title)];
  });
}

/** Schedules of running campaigns that apply changes. */
function scheduleNotices({ campaigns }: Plan, nameOf: NameOf): Notice[] {
  const kinds = [
    [true, 'running campaign', 'sends at other times', 'send at other times'],
    [false, 'campaign', 'may send at other times', 'may send at other times'],
  ] as const;
  return kinds.flatMap(([sure, noun, one, several]) => {
    const some = campaigns.filter((campaign) => changedTimes(campaign)?.sure === sure);
    const names = some.map((campaign) => `${nameOf(campaign)} (${editedSchedule(campaign)})`);
    const verb = some.length === 1 ? one : several;
    return some.length === 0
      ? []
      : [plainNotice('emails', `${count(some.length, noun)} ${verb}: ${listed(names, MAX_NAMED)}`)];
  });
}

/** Emails of running campaigns that apply changes, or cannot change. */
function emailNotices({ campaigns, mode }: Plan, nameOf: NameOf): Notice[] {
  if (mode === 'drift') return [];
  const kinds = [
    ['changed', true, 'running campaign', 'sends changed emails', 'send changed emails'],
    ['changed', false, 'campaign', 'may send changed emails', 'may send changed emails'],
    ['old', true, 'running campaign', KEEPS, KEEP],
    ['old', false, 'campaign', `may be running and ${KEEPS}`, `may be running and ${KEEP}`],
  ] as const;
  return kinds.flatMap(([emails, sure, noun, one, several]) => {
    const some = campaigns.filter(
      ({ running_emails: own }) => own !== undefined && own.emails === emails && own.sure === sure,
    );
    const names = some.map((campaign) => `${nameOf(campaign)} (${editedEmails(campaign).join(', ')})`);
    const verb = some.length === 1 ? one : several;
    return some.length === 0
      ? []
      : [plainNotice('emails', `${count(some.length, noun)} ${verb}: ${listed(names, MAX_NAMED)}`)];
  });
}

const KEEPS = 'goes on with its old emails, because apply cannot change them';
const KEEP = 'go on with their old emails, because apply cannot change them';

/** Leads that are mailed without a launch. */
function leadNotice({ campaigns, mode }: Plan, nameOf: NameOf): Notice[] {
  const attaching = campaigns.filter((campaign) => !isLaunched(campaign) && attachesWhileSending(campaign));
  if (mode === 'drift' || attaching.length === 0) return [];
  const names = attaching.map((campaign) => `${nameOf(campaign)} (${leadWords(campaign) ?? ''})`);
  const verb = attaching.length === 1 ? 'gets' : 'get';
  return [
    plainNotice(
      'emails',
      `${count(attaching.length, 'running campaign')} ${verb} more leads: ${listed(names)}`,
    ),
  ];
}

/** Settings that a campaign should not get by accident, also without a launch. */
function concernNotices({ campaigns, mode }: Plan, nameOf: NameOf): Notice[] {
  if (mode === 'drift') return [];
  const titles = [
    [OPEN_TRACKING, 'Open tracking is switched on'],
    [NO_UNSUBSCRIBE_LINK, 'The unsubscribe link is removed'],
  ] as const;
  return titles.flatMap(([concern, title]) => {
    const names = campaigns.filter((campaign) => changedConcerns(campaign).includes(concern)).map(nameOf);
    return names.length === 0 ? [] : [plainNotice('raise', `${title}: ${listed(names, MAX_NAMED)}`)];
  });
}

function capWord(cap: Cap): string {
  if (cap === null) return 'not known';
  return cap === 'unlimited' ? 'no limit' : thousands(cap);
}

/** True if leads are added to a campaign that is or may be sending, so that they are mailed without a launch. */
export function attachesWhileSending({ problems }: Pick<CampaignPlan, 'problems'>): boolean {
  return problems.some(({ code }) => code === 'attach-running');
}

/** Drift is not applied, but its campaigns keep the facts of their plan. This holds for the next two functions as well. */
export function raisedCap({ action, raised_cap }: CampaignPlan) {
  return action === 'drift' || raised_cap === undefined ? null : raised_cap;
}

export function loweredCap({ action, lowered_cap }: CampaignPlan) {
  return action === 'drift' || lowered_cap === undefined ? null : lowered_cap;
}

export function changedTimes({ action, running_schedule }: CampaignPlan) {
  return action === 'drift' || running_schedule === undefined ? null : running_schedule;
}

function stopNotice(plan: Plan, nameOf: NameOf): Notice[] {
  const paused = otherCampaigns(plan).filter(({ step }) => step !== null);
  const stopped = [...plan.campaigns.filter(isStopped), ...paused.filter(({ running }) => running)];
  // The service shows no status: it may have been started since.
  const again = paused.filter(({ running }) => !running);
  const named = (some: readonly { name: string; manifest: string }[]) => listed(some.map(nameOf), MAX_NAMED);
  const [stops, are] = [stopped.length === 1 ? 'stops' : 'stop', again.length === 1 ? 'is' : 'are'];
  return [
    ...(stopped.length === 0
      ? []
      : [
          plainNotice(
            'stop',
            `${count(stopped.length, 'campaign')}${stoppingWords(stopped)} ${stops} sending: ${named(stopped)}`,
          ),
        ]),
    ...(again.length === 0
      ? []
      : [
          plainNotice(
            'stop',
            `${count(again.length, 'campaign')} last set to paused ${are} paused again, to be sure: ${named(again)}`,
          ),
        ]),
  ];
}

/** " with at least 40 leads"; empty if no number is known. */
function stoppingWords(stopped: readonly { stopping_leads?: number }[]): string {
  const known = stopped.flatMap(({ stopping_leads }) => stopping_leads ?? []);
  if (known.length === 0) return '';
  const least = known.length < stopped.length ? 'at least ' : '';
  return ` with ${least}${count(
    known.reduce((sum, leads) => sum + leads, 0),
    'lead',
  )}`;
}

function unmanagedNotice({ removed }: Plan, nameOf: NameOf): Notice[] {
  const sending = removed.filter(keepsSending);
  if (sending.length === 0) return [];
  const isShown = sending.every(({ basis }) => basis === 'shown');
  const verb = isShown ? (sending.length === 1 ? 'keeps' : 'keep') : 'may keep';
  const names = listed(sending.map(nameOf), MAX_NAMED);
  const title = `${count(sending.length, 'campaign')} without a manifest ${verb} sending: ${names}`;
  return [plainNotice('unmanaged', title)];
}

export function keepsSending(campaign: OtherCampaign): boolean {
  return !campaign.outside && campaign.running && campaign.step === null;
}

export function isStopped({ steps }: CampaignPlan): boolean {
  return steps.some(({ stage }) => stage === 'pause');
}

function warningsTitle(plan: Plan): string {
  const { size } = new Set(listWarnings(plan).flatMap((warning) => warning.campaigns));
  const concerned = size === 0 ? '' : `, for ${count(size, 'campaign')}`;
  return `Warnings: ${thousands(countWarnings(plan))}${concerned}`;
}

export function countWarnings(plan: Plan): number {
  return listWarnings(plan).length;
}

function listWarnings(plan: Plan): ProblemGroup['messages'] {
  return groupProblems(plan, isAttended).flatMap(({ severity, messages }) =>
    severity === 'warning' ? messages : [],
  );
}

const CALM = 'No launches, nothing blocked, no approval needed.';

export function buildNotes(
  plan: Plan,
  { nameOf, ...places }: Pick<NoticeOptions, 'nameOf' | 'placeText' | 'placeFile'>,
): Notice[] {
  const placeKey = ({ code, message, at }: Problem) => JSON.stringify([code, message, at]);
  const changing = plan.campaigns.filter(differs).flatMap(({ problems }) => problems.map(placeKey));
  const seen = new Set(changing);
  const findings = groupProblems(
    plan,
    (problem, campaign) => isCalm(problem, campaign) && !seen.has(placeKey(problem)),
  )
    .flatMap((group) => listProblems(group, { linkOf: ({ name }) => ({ name, anchor: null }), ...places }))
    .map((message) => ({ ...message, campaigns: [] }));
  const unreadable = groupProblems(plan, ({ code }) => code === UNREADABLE).flatMap(
    (group) => group.messages,
  );
  const messages = unreadable.map(({ message, campaigns: { length } }) =>
    toMessage(length === 1 ? message : `${message} (${count(length, 'campaign')})`),
  );
  const hints = unreadable.map(({ hint, campaigns }) => places.placeText(hint, campaigns.map(manifestOf)));
  return [
    ...unchangedNotice(plan, nameOf),
    ...runningNotice(plan),
    ...notice('warning', 'Warnings about campaigns that do not change', findings),
    ...notice('unreadable', 'Not shown by the service', messages, [...new Set(hints)].join(' ')),
    ...unwrittenNotice(plan),
  ];
}

/** If nothing changes, the verdict says so. */
function unchangedNotice({ campaigns, mode }: Plan, nameOf: NameOf): Notice[] {
  const unchanged = campaigns.filter(({ action }) => action === 'none');
  if (mode === 'drift' || unchanged.length === 0 || !campaigns.some(differs)) return [];
  const links = unchanged.map((campaign) => ({ name: nameOf(campaign), anchor: null }));
  return notice('quiet', `Unchanged: ${count(unchanged.length, 'campaign')}`, [toMessage('', links)]);
}

/** If the head does not name them all. */
function runningNotice({ volume, mode }: Plan): Notice[] {
  if (mode === 'drift' || volume === undefined || volume.campaigns.length <= MAX_LARGEST) return [];
  const title = `Running after this plan: ${count(volume.campaigns.length, 'campaign')}`;
  const groups = groupBy(volume.campaigns, ({ cap }) => capPerDay(cap));
  const messages = [...groups].map(([cap, same]) =>
    toMessage(
      cap,
      same.map(({ name }) => ({ name, anchor: null })),
    ),
  );
  return notice('quiet', title, messages);
}

/** True if the problem is reported before the campaigns or with one of them. */
export function isAttended(problem: Problem, campaign: CampaignPlan | null): boolean {
  return problem.code !== UNREADABLE && !isCalm(problem, campaign);
}

export function isRefused({ severity }: Problem): boolean {
  return severity === 'error';
}

export function isAwaited({ severity, accepted_by = null }: Problem): boolean {
  return severity === 'hazard' && accepted_by === null;
}

function isCalm({ severity, at }: Problem, campaign: CampaignPlan | null): boolean {
  return severity === 'warning' && at !== undefined && campaign !== null && !differs(campaign);
}

/** Settings that the update of a new campaign sends in addition to those in its manifest. */
function unwrittenNotice({ campaigns }: Plan): Notice[] {
  const unwritten = campaigns
    .filter(({ id }) => id === null)
    .flatMap(({ steps, changes }) => {
      const isWritten = (name: string) =>
        changes.some(({ section, path }) => section === 'settings' && path === name);
      const body = steps.find(({ stage }) => stage === 'settings')?.body ?? {};
      return Object.entries(body).filter(([name]) => !isWritten(name));
    });
  const values = [...new Map(unwritten)].map(([name, value]) => `${name} ${short(value)}`).join(', ');
  if (values === '') return [];
  const title = `A new campaign keeps the service's values for settings that its manifest leaves out. If the service does not show them, apply sends the documented defaults: ${values}`;
  return [plainNotice('unreadable', title)];
}

const UNREADABLE = 'not-readable';

export function hasDrift({ changes }: CampaignPlan): boolean {
  return changes.some(isDrift);
}

function notice(kind: NoticeKind, title: string, messages: Message[], hint = ''): Notice[] {
  return messages.length === 0 ? [] : [{ kind, title, messages, hint }];
}

function plainNotice(kind: NoticeKind, title: string): Notice {
  return { kind, title, messages: [], hint: '' };
}

function toMessage(text: string, campaigns: CampaignLink[] = []): Message {
  return { code: null, text, hint: '', campaigns, blocks: [] };
}

function toMessages(
  campaigns: readonly CampaignPlan[],
  linkOf: LinkOf,
  say: (campaign: CampaignPlan) => string,
) {
  return alike(campaigns, say).map((members) => toMessage(say(members[0]), members.map(linkOf)));
}

const MAX_FOUND = 10;
const MAX_PLACES = 2;

/** A shared hint follows the first message, but each hazard has its own. */
function listProblems(
  { code, severity, accepted_by, messages: all }: ProblemGroup,
  { linkOf, placeText, placeFile }: Pick<NoticeOptions, 'linkOf' | 'placeText' | 'placeFile'>,
): Message[] {
  const isShared = severity !== 'hazard' && new Set(all.map(({ hint }) => hint)).size === 1;
  const isFew = all.length <= MAX_FOUND || all.some(({ places }) => places.length === 0);
  const rest = isFew ? [] : all.slice(MAX_FOUND - 1);
  const manifests = all.flatMap(({ campaigns }) => campaigns.map(manifestOf));
  const shown = all
    .slice(0, all.length - rest.length)
    .map(({ message, hint, places, campaigns, blocks }, at) => {
      const text = placeText(message, campaigns.map(manifestOf));
      const way = placeText(hint, isShared ? manifests : campaigns.map(manifestOf));
      const source =
        accepted_by === null || isByFlag({ accepted_by })
          ? accepted_by
          : placeFile(accepted_by, campaigns.map(manifestOf));
      return {
        code,
        text: places.length === 0 ? text : `${listed(places, MAX_PLACES)}: ${text}`,
        hint: source !== null ? `Accepted by ${source}.` : isShared && at > 0 ? '' : way,
        campaigns: campaigns.map(linkOf),
        blocks,
      };
    });
  if (rest.length === 0) return shown;
  const number = rest.reduce((sum, { places }) => sum + places.length, 0);
  const more = placeText(`campaignctl validate shows ${thousands(number)} more.`, manifests);
  return [...shown, { ...toMessage(more), code }];
}

function manifestOf({ manifest }: Pick<CampaignPlan, 'manifest'>): string {
  return manifest;
}

/** How to go on with campaigns in the state that no manifest of the environment manages. Their cards have the facts. */
function removedNotices(
  plan: Plan,
  { placeOf, placeText }: Pick<NoticeOptions, 'placeOf' | 'placeText'>,
): Notice[] {
  const { removed, replaced, mode, environment } = plan;
  const isPaused =
    mode === 'drift' || otherCampaigns(plan).every(({ step, running }) => step !== null || !running);
  const policy = isPaused
    ? ''
    : ' To pause such campaigns with apply, write on_removal: pause in the project file.';
  const moved = plan.campaigns.some(({ action }) => action === 'create')
    ? 'If a new manifest describes one of these campaigns under a different name, write the id of that campaign in it (id: …) before you apply. '
    : '';
  const groups: [title: string, members: OtherCampaign[], hint: string][] = [
    [
      'Replaced but running again',
      replaced.filter(({ superseded_by }) => superseded_by !== undefined),
      'To let both campaigns run, remove one from the state with campaignctl forget.',
    ],
    [
      'Without a manifest',
      removed.filter(({ outside }) => !outside),
      `${moved}To manage a campaign again, restore its manifest.${policy}`,
    ],
    [
      `Not among the manifests of ${environment}`,
      removed.filter(({ outside }) => outside),
      `To manage a campaign again, add its file to \`manifests\` of ${environment} in the project file.`,
    ],
  ];
  return groups.flatMap(([title, members, hint]) => {
    const heading = `${title}: ${count(members.length, 'campaign')} in the state`;
    const placed = placeText(hint, members.map(manifestOf));
    const fixes = [placed, ...stopCommands(members, placeOf), forgetCommand(members, placeOf)];
    return members.length === 0 ? [] : [{ ...plainNotice('removed', heading), hint: fixes.join(' ') }];
  });
}

function stopCommands(members: readonly OtherCampaign[], placeOf: PlaceOf): string[] {
  const open = groupBy(
    members.filter(({ running, step }) => running && step === null),
    ({ manifest }) => placeOf(manifest),
  );
  const commands = [...open].map(([place, members]) => {
    return `campaignctl pause ${members.map(({ id }) => id).join(' ')} ${place}`;
  });
  return commands.length === 0 ? [] : [`To stop sending now: ${commands.join('; ')}.`];
}

function forgetCommand([first, ...others]: readonly OtherCampaign[], placeOf: PlaceOf): string {
  if (first === undefined) return '';
  const places = new Set([first, ...others].map(({ manifest }) => placeOf(manifest)));
  const which = `${others.length > 0 ? 'ID' : first.id} ${places.size > 1 ? `-C ${FOLDER}` : [...places].join('')}`;
  return `To stop tracking a campaign without stopping it, run campaignctl forget ${which}.`;
}
