/** The planner's messages, by code. `missing/workspace` is an alternative wording of `missing`. */
import type { ListedCampaign } from '../model/answer.js';
import { unseenDifference } from '../model/characters.js';
import type { Change, PlanProblem, Severity, Step, Volume } from '../model/outputs.js';
import { shellQuoted } from '../model/shell.js';
import type { Campaign } from '../model/spec.js';
import type {
  CampaignApply,
  CheckoutHistory,
  LeadRefs,
  PendingOperations,
  StateEntry,
} from '../model/state.js';
import type { Status } from '../model/target.js';
import { capWords, isOverCapacity, largestWords, type PlannedVolume } from '../model/volume.js';
import {
  count,
  dayOf,
  LEAD_DELAY,
  label,
  listed,
  minuteOf,
  shortCommit,
  thousands,
  wasHeld,
} from '../model/words.js';
import type { Undoing } from '../sections/applies.js';
import { describeLeads } from '../sections/leads.js';
import { lastSet } from '../sections/status.js';
import type { OtherApply, UnkeptState } from './input.js';

export function problem<Key extends keyof typeof MESSAGES>(
  key: Key,
  ...facts: Parameters<(typeof MESSAGES)[Key]>
): PlanProblem {
  const say = MESSAGES[key] as (...facts: readonly unknown[]) => Sentences;
  const [code] = key.split('/');
  return { code: code as CodeOf<Key>, ...say(...facts) };
}

type CodeOf<Key extends string> = Key extends `${infer Code}/${string}` ? Code : Key;

interface Sentences {
  severity: PlanProblem['severity'];
  message: string;
  hint: string;
}

const hazard = (message: string, hint: string) => words('hazard', message, hint);
const warning = (message: string, hint: string) => words('warning', message, hint);
const error = (message: string, hint: string) => words('error', message, hint);

function words(severity: Severity, message: string, hint: string): Sentences {
  return { severity, message, hint };
}

function withStatus(rows: readonly ListedCampaign[]): string {
  return rows.map(({ id, status }) => (status === null ? `${id}` : `${id} (${status})`)).join(', ');
}

const quoted = (name: string | number) => JSON.stringify(name);
const withId = ({ id, name }: NamedCampaign) => `${id} "${name}"`;

const CAN_RESTORE = 'a checkout, reset or stash can restore an older version';

function unkeptFact(state: UnkeptState): string {
  const { folder } = state;
  switch (state.reason) {
    case 'pipeline':
      return `The state in ${folder} is deleted with this job's checkout (the variable ${state.variable} is set). ${FORGOTTEN}`;
    case 'tracked':
      return `The state in ${folder} is tracked by git, and ${CAN_RESTORE}. ${FORGOTTEN}`;
    case 'unknown':
      return `git cannot say whether it tracks the state in ${folder}: ${state.why}. If it does, ${CAN_RESTORE}. ${FORGOTTEN}`;
  }
}

const FORGOTTEN = 'Later runs would not know which leads this run attaches.';

function unkeptFix(state: UnkeptState): string {
  const branch = 'write state: { backend: git } in the project file, then run campaignctl state migrate.';
  return state.reason === 'unknown'
    ? `Make git status work in ${state.repository}: correct what it reports, or install git. Or keep the state on a branch: ${branch} If you know that git does not track this folder, pass --allow unkept-state.`
    : `Keep the state on a branch: ${branch} If the next run finds this folder unchanged, pass --allow unkept-state.`;
}

/** Completes "The campaign …". */
export function describeSending(status: Status): string {
  const { word, meaning, basis, doubt } = status;
  if (doubt === 'draft_again') return `may be sending (it has run, but the service shows "${word}")`;
  if (basis === 'set') return `is ${lastSet(status)} (the service shows no status)`;
  switch (meaning) {
    case 'starting':
      return `is being launched ("${word}")`;
    case 'finished':
      return `has sent everything ("${word}") and may continue if it gets new leads`;
    case 'unknown':
      return word === null
        ? 'may be sending (the service shows no status)'
        : `may be sending ("${word}" is not a known status)`;
    default:
      return `is sending ("${word}")`;
  }
}

/** Continues a hint. */
export function howToDeclare({ word, meaning, doubt }: Status): string {
  if (meaning !== 'unknown' || word === null || doubt === 'draft_again') return '';
  return `, or add "${word}" under service.statuses in the project file`;
}

/** Facts for a hazard about leads. `isNew`: this plan attaches them, instead of only launching or resuming the campaign. */
export interface SharedLeads {
  leads: LeadRefs;
  isNew: boolean;
  isResumed: boolean;
}

function attaches({ leads, isNew, isResumed }: SharedLeads): string {
  const verb = isNew ? 'attaches' : `${isResumed ? 'resumes' : 'launches'} this campaign with`;
  return `Apply ${verb} ${describeLeads(leads)}`;
}

function withoutLeads({ isNew }: SharedLeads, sameId: number | null): string {
  if (sameId !== null)
    return `If this manifest describes that campaign under a new name, add id: ${sameId} to it. Otherwise, remove these leads from the manifest.`;
  return isNew ? 'Remove these leads from the manifest.' : `${removeAttached('these leads')}.`;
}

/** Manifests cannot detach leads. */
function removeAttached(leads: string): string {
  return `Remove ${leads} from this campaign in the service's web app, or write status: paused in its manifest`;
}

function ifNotMeant({ isNew }: SharedLeads, leads: string): string {
  const remedy = isNew ? `Remove ${leads} from the manifest` : removeAttached(leads);
  return `${remedy} if they should not get the new emails. If they should, pass --allow shared-leads.`;
}

/** "sequence step 2: email_body" */
function fieldWords({ section, path }: Change): string {
  return path === '' ? section : `${section} ${label(path)}`;
}

function whyUndone(
  { who, commit }: CampaignApply,
  extent: CheckoutHistory['extent'],
): { doubt: string; fix: string } {
  if (commit === null)
    return {
      doubt:
        'The state does not record the commit, so campaignctl cannot tell whether these files are newer.',
      fix: 'Check that these files are up to date; in a clone, run git pull. Then plan again.',
    };
  if (commit.endsWith('+'))
    return {
      doubt: `The files differed from that commit, so campaignctl cannot tell whether these files include what was applied.`,
      fix: `Run git pull once ${who} has committed and pushed the change, then plan again.`,
    };
  switch (extent) {
    case 'complete':
      return {
        doubt: 'The commit that is checked out here does not include that commit.',
        fix: 'Run git pull (in a pipeline, start a new one for the latest commit), then plan again.',
      };
    case 'shallow':
      return {
        doubt: 'This clone is shallow, so git cannot tell whether it includes that commit.',
        fix: 'Run git pull --unshallow (in a pipeline, set fetch-depth: 0 or GIT_DEPTH: "0"), then plan again.',
      };
    case 'unknown':
      return {
        doubt:
          'Git does not show the history here, so campaignctl cannot tell whether these files include that commit.',
        fix: 'Run git pull in a clone of the repository, then plan again there, with git installed.',
      };
  }
}

export const MESSAGES = {
  // Hazards of a campaign.
  adopt: (status: Status, steps: readonly Step[]) =>
    hazard(
      `This campaign ${describeSending(status)}. It is not in the state, so it may be someone else's. Apply would make these changes: ${steps.map(({ title }) => title).join(', ')}.`,
      'If it is yours, pass --allow adopt; later runs then recognise it. If not, give the manifest a different name.',
    ),
  'replace-sequence': (status: Status | null) =>
    hazard(
      `This campaign ${status === null ? 'has run or may have run' : describeSending(status)}. Apply would replace its emails: leads who are partway through the sequence may receive emails again from the first step, or miss some, depending on the service.`,
      "Try the change on a campaign whose only leads are your own addresses, then pass --allow replace-sequence. Or make the change in the service's web app and plan again, or replace the campaign with a new one (write replaces: in the new manifest).",
    ),
  'revives-inactive-step': (predecessor: NamedCampaign, subjects: readonly string[]) =>
    hazard(
      `This campaign replaces campaign ${withId(predecessor)} and would send emails that are switched off there: ${listed(subjects.map(quoted))}.`,
      'To leave them off, remove them from the manifest. To send them, pass --allow revives-inactive-step.',
    ),
  'no-leads': (isLaunched: boolean, paused: NamedCampaign | null) =>
    hazard(
      `${isLaunched ? 'Apply launches this campaign' : 'This campaign replaces a different one'}, but neither its manifest nor the state nor the service shows any leads for it.${paused === null ? '' : ` Campaign ${withId(paused)} would stop, and nobody would get the new emails.`}`,
      "List the leads under leads: in the manifest. If leads are attached in the service's web app, pass --allow no-leads.",
    ),
  'no-leads/uncounted': (leads: LeadRefs, isLaunched: boolean, paused: NamedCampaign | null) => {
    const isHazard = isLaunched || paused !== null;
    const stops = paused === null ? '' : ` Campaign ${withId(paused)} would stop.`;
    return words(
      isHazard ? 'hazard' : 'warning',
      `The service accepted ${describeLeads(leads)} for this campaign, but shows 0 leads in it: a list may be empty, or the leads may have bounced, unsubscribed or be in another campaign.${isLaunched ? ' Apply launches the campaign, and nobody would get its emails.' : ''}${stops}`,
      `Check the campaign in the service's web app. If it has no leads, attach them there, or list others in the manifest: apply does not attach the same leads twice.${isHazard ? ' If it has leads, pass --allow no-leads.' : ''}`,
    );
  },
  'attach-running': (
    status: Status,
    leads: LeadRefs,
    { total, keepsEmails }: { total: number | null; keepsEmails: boolean },
  ) =>
    hazard(
      `Apply attaches ${describeLeads(leads)} to this campaign, which ${describeSending(status)}. These leads are mailed without further approval, in the sending hours of the campaign: ${LEAD_DELAY}.${total === null ? '' : ` The service now shows ${count(total, 'lead')} in the campaign.`}${keepsEmails ? ' They get its emails as they are today, because apply cannot change them.' : ''}`,
      `Approve this with --allow attach-running${status.meaning === 'finished' ? '' : `, or write status: paused in the manifest to pause the campaign first${howToDeclare(status)}`}.`,
    ),

  'undoes-apply': ({ apply, changes }: Undoing, extent: CheckoutHistory['extent']) => {
    const [values, verb] = changes.length === 1 ? ['value', 'is'] : ['values', 'are'];
    const { who, at, commit } = apply;
    const when = minuteOf(at, ' at ');
    const { doubt, fix } = whyUndone(apply, extent);
    return hazard(
      `Apply would put back the ${values} of ${listed(changes.map(fieldWords))} that ${who} replaced on ${when}${commit === null ? '' : `, at commit ${shortCommit(commit)}`}. ${doubt}`,
      `${fix} If the old ${values} ${verb} intended all the same, pass --allow undoes-apply.`,
    );
  },

  // Leads that two campaigns would mail. `starts`: this campaign does, in this plan; `launches`: the plan launches the other one.
  'shared-leads': (
    facts: SharedLeads,
    other: { id: number | null; name: string; manifest: string; ran: string | null },
    is: { predecessor: boolean; gone: boolean; perhapsSame: boolean },
  ) =>
    hazard(
      `${attaches(facts)}. Campaign ${withId(other)} (${other.manifest}) already has these leads and ${other.ran}: they would get the emails of this campaign as well${is.predecessor ? ', from the first one on' : ''}.`,
      is.predecessor
        ? ifNotMeant(facts, 'these leads')
        : `${withoutLeads(facts, is.perhapsSame ? other.id : null)} Or make sure in the service's web app that campaign ${other.id} no longer mails them, and pass --allow shared-leads.${is.gone ? ` If campaign ${other.id} never ran, campaignctl forget ${other.id} removes it from the state.` : ''}`,
    ),
  'shared-leads/both': (
    facts: SharedLeads,
    other: { id: number | null; name: string; manifest: string },
    { starts, launches }: { starts: boolean; launches: boolean },
  ) => {
    const which = `${other.id === null ? '' : `campaign ${other.id} `}"${other.name}" (${other.manifest})`;
    const also = launches ? `launches ${which} with the same leads` : `attaches the same leads to ${which}`;
    return hazard(
      `${attaches(facts)}, and also ${also}: ${starts ? '' : 'once this campaign is launched, '}both campaigns would mail these leads.`,
      `${facts.isNew ? 'Remove these leads from' : 'Write status: paused in'} one of the two manifests. Or make sure in the service's web app that only one of the campaigns has these leads, and pass --allow shared-leads.`,
    );
  },
  'shared-leads/unknown': (
    facts: SharedLeads,
    predecessor: NamedCampaign & { ran: string },
    total: number | null,
  ) =>
    hazard(
      `${attaches(facts)}, but the state does not record all leads of campaign ${withId(predecessor)}, which this campaign replaces and which ${predecessor.ran}.${total === null ? '' : ` The service shows ${count(total, 'lead')} in the old campaign.`} Leads that both campaigns have would be mailed again, starting with the first email.`,
      `Compare the leads of the two campaigns in the service's web app. ${ifNotMeant(facts, 'shared leads')}`,
    ),

  // Hazards of the whole plan.
  'missing/workspace': (entries: number) =>
    hazard(
      `${entries === 1 ? 'The campaign that was applied here is not' : `None of the ${entries} campaigns that were applied here is`} in this token's workspace. Apply would create new campaigns there.`,
      'Check that the token belongs to the right workspace. If the campaigns were deleted on purpose, delete their manifests and run campaignctl forget for each. To create new ones, pass --allow missing.',
    ),
  'mass-change': (changing: number, all: number) =>
    hazard(
      `Apply would create or change ${changing} of ${all} campaigns (${Math.round((100 * changing) / all)}%) at once, not counting pauses.`,
      'Check the environment and the files. If this is intended, pass --allow mass-change. To plan single campaigns, use --target NAME.',
    ),
  'mass-removal': (paused: readonly { name: string; manifest: string }[], all: number) =>
    hazard(
      `Apply would pause ${paused.length} of ${count(all, 'campaign')} (${Math.round((100 * paused.length) / all)}%), because their manifests are gone: ${listed(
        paused.map(({ name, manifest }) => `"${name}" (${manifest})`),
        5,
      )}.`,
      'Check the patterns under `manifests` in the project file, and that the files are checked out. If these campaigns should stop, pass --allow mass-removal.',
    ),
  'unkept-state': (state: UnkeptState) => hazard(unkeptFact(state), unkeptFix(state)),
  'over-capacity': ({ volume, held }: PlannedVolume) =>
    hazard(
      `After this plan, the running campaigns may send ${capWords(volume)}, more than the capacity of ${thousands(volume.capacity ?? 0)}. ${heldVolume(volume, held, ', so that this needs no approval')}The largest: ${largestWords(volume)}.`,
      `Lower max_emails_per_day${held.running === volume.running ? ' or pause a campaign' : ', pause a campaign, or hold launches with --hold launch="NAME"'}. If the capacity has grown, update it in the project file. If you expect the campaigns to send less than their caps, pass --allow over-capacity.`,
    ),
  'over-capacity/before': ({ volume, held }: PlannedVolume) =>
    warning(
      `After this plan, which does not raise the sum, the running campaigns may send ${capWords(volume)}, more than the capacity of ${thousands(volume.capacity ?? 0)}. ${heldVolume(volume, held, '')}The largest: ${largestWords(volume)}.`,
      'Lower max_emails_per_day in some campaigns, or pause a campaign. If the capacity has grown, update it in the project file.',
    ),

  /** According to the list of campaigns. */
  'over-capacity/now': (volume: Volume) =>
    warning(
      `The running campaigns may send ${capWords(volume)}, more than the capacity of ${thousands(volume.capacity ?? 0)}.`,
      'Lower max_emails_per_day in some campaigns, pause a campaign, or correct capacity in the project file.',
    ),

  // Changes that the earlier environment has not had. Apply refuses the plan.
  'not-promoted': (earlier: string, isKnown: boolean) =>
    error(
      `Not applied to ${earlier}: ${isKnown ? 'no apply there has read this campaign back as its manifest says' : `the state of ${earlier} does not contain this campaign`}.`,
      applyFirst(earlier),
    ),
  'not-promoted/absent': (earlier: string) =>
    error(
      `Not applied to ${earlier}: this manifest describes no valid campaign there.`,
      `Check it with campaignctl validate --env ${earlier}, and whether the manifests of ${earlier} include it. ${applyFirst(earlier)}`,
    ),
  'not-promoted/changed': (earlier: string, places: readonly string[]) =>
    error(
      `Not applied to ${earlier}: ${listed(places, MAX_PLACES)} ${places.length === 1 ? 'differs' : 'differ'} from what was last applied there.`,
      applyFirst(earlier),
    ),
  'not-promoted/different': ([earlier, later]: readonly [string, string], places: readonly string[]) =>
    error(
      `Not applied to ${earlier} with this content: ${listed(places, MAX_PLACES)} ${places.length === 1 ? 'differs' : 'differ'} between ${earlier} and ${later}.`,
      `Write the same for both environments, then apply it to ${earlier} first. campaignctl compare ${earlier} ${later} shows what differs.`,
    ),

  // Omitted launches.
  'launch-withheld': () =>
    warning(
      'Apply does not launch the campaign while part of it is blocked.',
      'Resolve the blocked changes, then apply again.',
    ),
  'launch-held': (option: string) =>
    warning(
      `This campaign wants to run; ${option} leaves out its launch.`,
      `Apply again without ${option} when the campaign can start.`,
    ),
  'launch-held/before': (at: string, needsSenders: boolean) =>
    warning(`This campaign ${wasHeld(at)}.`, launchNow(needsSenders)),
  'launch-held/paused': (at: string) =>
    warning(
      `This campaign wants to run; it was stopped by campaignctl pause on ${dayOf(at)}.`,
      launchNow(false),
    ),
  'launch-held/no-status': (at: string) =>
    warning(
      `This campaign was stopped by campaignctl pause on ${dayOf(at)}, and no apply launches it again, because its manifest has no status.`,
      'To launch it, write status: running in its manifest, and run campaignctl apply --allow launch="NAME". To keep it stopped, write status: paused there.',
    ),
  /** `held`: when, with the names of the campaigns. */
  'launch-held/several': (held: readonly (readonly [at: string, names: readonly string[]])[]) =>
    warning(
      held.map(([at, names]) => `${listed(names.map(quoted))} ${wasHeld(at, names.length)}.`).join(' '),
      launchNow(false),
    ),
  'launch-needs-senders': () =>
    warning(
      'Apply creates the campaign but does not launch it: sender accounts must be attached first (senders: by_hand).',
      "After apply has created the campaign, attach sender accounts in the service's web app, then apply again.",
    ),

  /** `statuses`: "running, as campaignctl last set it on 2026-11-27", with the campaigns' names. */
  'status-not-shown': (statuses: readonly (readonly [status: string, names: readonly string[]])[]) =>
    warning(
      `The service shows no status, so this plan uses the last one that campaignctl set. ${statuses.map(([status, names]) => `${listed(names)}: ${status}.`).join(' ')}`,
      "campaignctl cannot see a launch or pause in the service's web app: if in doubt, check there.",
    ),

  'drift-unknown': (campaigns: readonly { name: string; reason: string }[]) =>
    warning(
      `campaignctl cannot detect every outside change in ${count(campaigns.length, 'campaign')}: ${listed(campaigns.map(({ name, reason }) => `${quoted(name)} (${reason})`))}.`,
      'campaignctl plan shows the differences. For campaigns that were never applied, the next apply records a baseline, even if it sends nothing.',
    ),

  // Other runs.
  'apply-at-work': ({ holder, certain }: OtherApply) =>
    warning(
      `The state is locked by another apply (${holder}). ${
        certain
          ? "This plan does not show what that apply sends, and may treat campaigns that the apply has already created as someone else's."
          : 'This machine cannot tell whether that apply is still running. This plan assumes that it has ended; if it has not, the plan does not show what it sends.'
      }`,
      certain
        ? 'Plan again once it has ended.'
        : 'If it is still running, plan again once it has ended. If it has ended, run campaignctl unlock.',
    ),
  'unfinished-run/orphaned': ({ name, at, who, manifest }: PendingOperations, ids: readonly number[]) =>
    warning(
      `An earlier run (${who}, ${at}) ended before it knew the outcome of its requests for "${name}" (${ids.length === 0 ? 'no longer listed' : `now ${ids.length === 1 ? 'campaign' : 'campaigns'} ${ids.join(', ')}`}). ${manifest} now describes a different campaign.`,
      "Check the campaign in the service's web app. campaignctl history shows that run.",
    ),
  'unfinished-run': ({ at, who }: PendingOperations, findings: readonly string[]) =>
    warning(
      `An earlier run (${who}, ${at}) ended before it knew the outcome of its requests. ${findings.join('; ')}.`,
      'This plan is based on what the service shows now. campaignctl history shows that run.',
    ),

  // Matches between manifests and live campaigns. `other`: a live campaign with the manifest's name.
  'pinned-not-found': (name: string, id: number | null, environment: string) =>
    error(
      `"${name}" is pinned to campaign ${id}, which the service does not have.`,
      `Check the id, and whether the token for environment ${environment} belongs to the right workspace.`,
    ),
  'pinned-not-found/list': (id: number) =>
    error(
      `The manifest pins campaign ${id}, which the service does not list.`,
      'campaignctl plan reads the campaign directly. Check the id in the manifest, and whether the token belongs to the right workspace.',
    ),
  // The state does not record which of the campaigns was created by mistake.
  'same-name': ({ id, name }: ListedCampaign, others: readonly ListedCampaign[]) =>
    warning(
      `The service has ${others.length + 1} campaigns called "${name}": ${id}, to which this manifest was applied, and ${withStatus(others)}. Apply does not launch campaign ${id} while another campaign has the same name.`,
      `Another run may have created a duplicate at the same time. In the service's web app, rename or delete any campaign that you do not need. To keep them all, write id: ${id} in this manifest, and give each of the others a manifest with its id:.`,
    ),
  'ambiguous-name': (name: string, candidates: readonly ListedCampaign[]) =>
    error(
      `The service has ${candidates.length} campaigns called "${name}": ${withStatus(candidates)}.`,
      'Pin the right one with id: in the manifest.',
    ),
  'record-twice': ({ manifest, spec: { name } }: Campaign, ids: readonly number[], environment: string) => {
    const each = ids.map((id) => `campaignctl forget ${id} --env ${environment}`).join(' or ');
    return error(
      `The state has ${ids.length} campaigns for "${name}" (${manifest}): ${ids.join(' and ')}. They all exist, and any of them may be sending.`,
      `Check them in the service's web app, and pause those that you do not want. Then remove those from the state (${each}), or pin the right one with id: in the manifest.`,
    );
  },
  missing: (entry: StateEntry, other: ListedCampaign | null) =>
    hazard(
      `This manifest was applied to campaign ${entry.id} ("${entry.name}"), which the list of campaigns does not show. ${
        other === null
          ? 'Apply would create a new campaign.'
          : `Apply would change campaign ${other.id} instead, which has the same name.`
      }`,
      `Check that the token belongs to the right workspace. If the campaign was created a moment ago, plan again in a minute. If it was deleted on purpose, delete its manifest and run campaignctl forget ${entry.id}. ${other === null ? 'To create it again, which mails its leads again' : `To change campaign ${other.id} instead`}, pass --allow missing.`,
    ),
  'not-listed': ({ id, name }: StateEntry) =>
    error(
      `This manifest was applied to campaign ${id} ("${name}"), which the list of campaigns does not show, although the service has it.`,
      `If the campaign was created a moment ago, plan again in a minute. If it was deleted on purpose, run campaignctl forget ${id}: the next plan then creates it again.`,
    ),
  /** `now`: the campaign to which the manifest was applied. */
  rename: (name: string, now: ListedCampaign, other: ListedCampaign | null) =>
    hazard(
      `This manifest was applied to campaign ${now.id}, which is now called "${now.name}". ${
        other === null
          ? `The API cannot rename campaigns: apply would create a second campaign, "${name}".`
          : `Campaign ${other.id} is now called "${name}": apply would change that campaign instead.`
      }`,
      `To keep managing campaign ${now.id}, write name: ${quoted(now.name)} in the manifest, or run campaignctl import --update ${shellQuoted(name)}. To ${other === null ? 'create a second campaign' : `manage campaign ${other.id} instead`}, pass --allow rename.`,
    ),
  'rename/file': (
    { spec: { name }, file }: Campaign,
    orphans: readonly StateEntry[],
    other: ListedCampaign | null,
  ) => {
    const which = listed(orphans.map((entry) => `campaign ${entry.id} ("${entry.name}")`));
    const ids = orphans.map(({ id }) => `id: ${id}`).join(' or ');
    return hazard(
      `${file} was applied to ${which}, which no manifest describes any more. The API cannot rename campaigns: apply would ${other === null ? `create a second campaign, "${name}"` : `take over campaign ${other.id}, which is called "${name}"`}.${alikeNote(name, orphans)}`,
      `If the name in the manifest changed, rename the campaign in the service's web app, or write ${ids} in the manifest. If "${name}" is a different campaign, pass --allow rename.`,
    );
  },
  'rename/spelling': (name: string, other: ListedCampaign) =>
    hazard(
      `No campaign is called "${name}", but campaign ${other.id} is called "${other.name}", which is the same name spelt differently.${alikeNote(name, [other])} Apply would create a second campaign.`,
      `If you mean campaign ${other.id}, pin it with id: ${other.id}, or write its name exactly as in the service. To create a second campaign, pass --allow rename.`,
    ),
  'rename/created': (name: string, newcomers: readonly ListedCampaign[]) =>
    hazard(
      `An earlier run sent a request to create campaign "${name}" and got no response. The service has no campaign with that name, but it now also lists ${listed(newcomers.map((row) => `campaign ${row.id} ("${row.name}")`))}. If the service changed the name, apply would create a second campaign.`,
      `If ${newcomers.length === 1 ? 'that campaign' : 'one of them'} is the right one, write its name in the manifest, or pin it with ${newcomers.map(({ id }) => `id: ${id}`).join(' or ')}. Otherwise, pass --allow rename.`,
    ),
  'similar-name': (name: string, other: ListedCampaign) =>
    warning(
      `Apply creates campaign "${name}", although campaign ${other.id} is called "${other.name}", which differs only in case.`,
      `If you mean campaign ${other.id}, pin it with id: ${other.id}, or write its name exactly as in the service.`,
    ),
  'claimed-twice': (id: number, manifests: readonly string[]) =>
    error(
      `Several manifests describe campaign ${id}: ${manifests.join(', ')}.`,
      'Keep only one of these manifests, or give each a different name or id:.',
    ),

  // Replaced campaigns.
  'replaces-circle': (name: string, replaces: string | number, id: number) =>
    error(
      `"${name}" cannot replace itself: replaces: ${quoted(replaces)} means campaign ${id}, which this manifest manages.`,
      'To create a new campaign, give the manifest an unused name and remove its id: line. Otherwise, remove its replaces: line.',
    ),
  'replaces-circle/several': (campaigns: readonly Campaign[]) =>
    error(
      `These campaigns replace one another in a circle: ${listed(campaigns.map(({ spec, manifest }) => `"${spec.name}" (${manifest})`))}.`,
      'Remove replaces: from the manifest of the oldest campaign.',
    ),
  'replaces-ambiguous': (name: string, candidates: readonly ListedCampaign[]) =>
    error(
      `replaces: "${name}" matches ${candidates.length} campaigns: ${withStatus(candidates)}.`,
      `Write the id of the right one, for example replaces: ${candidates[0]?.id}.`,
    ),
  'replaces-not-found': (which: string, environment: string, alike: ListedCampaign | null) =>
    error(
      `replaces: refers to ${which}, but neither the service nor the state of ${environment} has that campaign.`,
      alike === null
        ? 'Correct the id. If the old campaign no longer exists, remove the replaces: line.'
        : `Did you mean "${alike.name}" (${alike.id})?`,
    ),
  'replaces-not-ready': (campaign: Campaign, middle: Campaign, first: NamedCampaign) =>
    error(
      `${campaign.manifest} ("${campaign.spec.name}") replaces "${middle.spec.name}" (${middle.manifest}), which has not replaced campaign ${withId(first)} yet. If the pause of campaign ${first.id} failed, two campaigns would be sending.`,
      `Apply ${middle.manifest} first: campaignctl apply ${middle.manifest}. If "${middle.spec.name}" is not needed, delete its manifest and write replaces: ${first.id} in ${campaign.manifest}.`,
    ),
  'nothing-to-replace': (replaces: string, environment: string) =>
    warning(
      `There is nothing to replace: neither the service nor the state of ${environment} has a campaign called "${replaces}". Apply creates this campaign and pauses nothing.`,
      `This is fine if "${replaces}" was never applied to ${environment}. Otherwise, write its name exactly as in the service, or its id.`,
    ),
  'superseded-running/declared': ({ manifest, spec }: Campaign, id: number | null, successor: Campaign) =>
    error(
      `${successor.manifest} ("${successor.spec.name}") replaces campaign ${id} ("${spec.name}"), but ${manifest} ${
        spec.status === 'running'
          ? 'has status: running. One manifest would pause the campaign; the other would launch it'
          : 'does not have status: paused'
      }.`,
      `Delete ${manifest}, or write status: paused in it. To keep both campaigns running, remove replaces: from ${successor.manifest}.`,
    ),
  'superseded-running': ({ manifest, spec }: Campaign, id: number, by: number) =>
    error(
      `Campaign ${by} has replaced campaign ${id} ("${spec.name}"), but ${manifest} has status: running. Both campaigns could send.`,
      `Delete ${manifest}, or write status: paused in it. To go back to campaign ${id}, write replaces: ${by} in its manifest, and delete the manifest of campaign ${by}. If the two are no longer related, run campaignctl forget ${id}.`,
    ),
  'replaced-twice/declared': (id: number, manifests: readonly string[]) =>
    error(
      `Several manifests replace campaign ${id}: ${manifests.join(', ')}.`,
      'Keep replaces: in only one of them.',
    ),
  'replaced-twice': (predecessor: NamedCampaign, by: number) =>
    error(
      `Campaign ${by} has already replaced campaign ${withId(predecessor)}, so this campaign cannot replace it as well.`,
      `To replace campaign ${by} instead, write replaces: ${by}. If the campaigns are no longer related, run campaignctl forget ${predecessor.id}.`,
    ),

  // Responses that contradict the state, or that may be a fault.
  'sequence-missing': (contradiction: Contradiction, isSent: boolean) =>
    words(
      isSent ? 'hazard' : 'warning',
      `${doubtful('emails', contradiction)}${isSent ? ' Posting the emails again could mail every lead twice.' : ''}`,
      checkFirst('emails', contradiction, isSent ? 'sequence-missing' : null),
    ),
  'schedule-missing': (contradiction: Contradiction, isSent: boolean) =>
    words(
      isSent ? 'hazard' : 'warning',
      doubtful('a schedule', contradiction),
      checkFirst('a schedule', contradiction, isSent ? 'schedule-missing' : null),
    ),
} satisfies Record<string, (...facts: never[]) => Sentences>;

function launchNow(needsSenders: boolean): string {
  const first = needsSenders ? "Attach sender accounts in the service's web app if it has none. " : '';
  return `${first}To launch it, run campaignctl apply --allow launch="NAME". To keep it stopped, write status: paused in its manifest.`;
}

const MAX_PLACES = 4;

function applyFirst(earlier: string): string {
  return `Apply it there first: campaignctl apply --env ${earlier}; if it is not to be launched there, with --hold launch.`;
}

interface NamedCampaign {
  id: number | null;
  name: string | null;
}

/** `known`: what the state or the status says, without a full stop; `null` if neither does. `shown` completes "… shows". */
export interface Contradiction {
  known: string | null;
  endpoint: string;
  shown: string;
}

function doubtful(noun: string, { known, endpoint, shown }: Contradiction): string {
  return known === null
    ? `${endpoint} shows ${shown}, which may be a fault. campaignctl did not create this campaign, so it cannot tell.`
    : `${known}, but ${endpoint} shows ${shown}. The API cannot remove ${noun}, so the response is probably wrong.`;
}

function checkFirst(noun: string, { known }: Contradiction, hazard: string | null): string {
  const check = `Check the campaign in the service's web app. If it has ${noun} there, plan again later.`;
  const gone =
    known === null
      ? `If it has none`
      : `If ${noun === 'emails' ? 'the emails were' : 'the schedule was'} really removed`;
  return hazard === null
    ? check
    : `${check} ${gone}, pass --allow ${hazard}: apply then posts ${noun === 'emails' ? 'them' : 'it'}.`;
}

/** Tells whether holding the launches lifts the hazard. */
/** `effect`: what follows if that is within the capacity. */
function heldVolume(volume: Volume, held: Volume, effect: string): string {
  if (held.running === volume.running) return '';
  const isEnough = !isOverCapacity(held);
  const most = held.running === 0 ? 'nothing' : capWords(held);
  return `With all launches held: ${most}, ${isEnough ? `within the capacity${effect}` : 'still above the capacity'}. `;
}

/** For names that look the same. */
function alikeNote(name: string, others: readonly { name: string }[]): string {
  const [points] = others.flatMap((other) => unseenDifference(name, other.name) ?? []);
  return points === undefined ? '' : ` The names look the same, but differ in ${points}.`;
}
