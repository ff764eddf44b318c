/**
 * Sentences of the planner: severity, message and hint by code. The parameters of an entry are its facts. `missing/workspace` is a
 * second wording of `missing`.
 */
import type { ListedCampaign } from '../model/answer.js';
import type { Problem, Severity, Step, Volume } from '../model/outputs.js';
import type { Campaign } from '../model/spec.js';
import type { LeadRefs, PendingOperations, StateEntry } from '../model/state.js';
import { capWords } from '../model/volume.js';
import { count, LEAD_DELAY, listed, thousands } from '../model/words.js';
import { describeLeads } from '../sections/leads.js';
import type { Sending } from '../sections/sending.js';

export function problem<Key extends keyof typeof MESSAGES>(
  key: Key,
  ...facts: Parameters<(typeof MESSAGES)[Key]>
): Problem {
  const say = MESSAGES[key] as (...facts: readonly unknown[]) => Sentences;
  const [code = key] = key.split('/');
  return { code, ...say(...facts) };
}

type Sentences = Pick<Problem, 'severity' | 'message' | 'hint'>;

const hazard = (message: string, hint: string) => words('hazard', message, hint);
const warning = (message: string, hint: string) => words('warning', message, hint);
const blocked = (message: string, hint: string) => words('blocked', message, hint);
const error = (message: string, hint: string) => words('error', message, hint);

function words(severity: Severity, message: string, hint: string): Sentences {
  return { severity, message, hint };
}

/** Ids with their status. */
function withStatus(rows: readonly Pick<ListedCampaign, 'id' | 'status'>[]): string {
  return rows.map(({ id, status }) => (status === null ? `${id}` : `${id} (${status})`)).join(', ');
}

const quoted = (name: string | number) => JSON.stringify(name);
const withId = ({ id, name }: { id: number | null; name: string | null }) => `campaign ${id} "${name}"`;

export function campaignThat({ word, meaning, believed }: Sending): string {
  if (believed)
    return word === null
      ? 'a campaign that may be sending (the service shows no status, and the state does not know it)'
      : 'a campaign that campaignctl launched (the service shows no status)';
  switch (meaning) {
    case 'starting':
      return `a campaign that is being launched ("${word}")`;
    case 'finished':
      return `a campaign that has sent everything ("${word}") and may go on with new leads`;
    case 'unknown':
      return word === null
        ? 'a campaign that may be sending (the service shows no status)'
        : `a campaign that may be sending ("${word}" is not a known status)`;
    default:
      return `a campaign that is sending ("${word}")`;
  }
}

/** Further advice if the meaning of a status is unknown. */
export function howToDeclare({ word, meaning, believed }: Sending): string {
  if (meaning !== 'unknown' || believed) return '';
  return word === null
    ? '; or if the service never shows a status, write status: hidden under service in the project file'
    : `; or say under service.statuses in the project file what "${word}" means`;
}

/** Facts of a lead hazard. `isNew`: they are attached, not only launched. */
export interface SharedLeads {
  leads: LeadRefs;
  isNew: boolean;
}

function attaches({ leads, isNew }: SharedLeads): string {
  return `Apply ${isNew ? 'attaches' : 'launches this campaign with'} ${describeLeads(leads)}`;
}

const MESSAGES = {
  // Hazards of a campaign.
  adopt: (status: Sending, steps: readonly Step[], renamed: ListedCampaign | null) =>
    hazard(
      `${renamed === null ? 'The state does not know this campaign' : `The service calls campaign ${renamed.id} "${renamed.name}" now`}, ${campaignThat(status)}: it may be someone else's. Apply would send to it: ${steps.map(({ title }) => title).join(', ')}.`,
      'If it is yours, accept with --allow adopt, so that later runs recognise it. If it is not, give the manifest another name.',
    ),
  'replace-sequence': (status: Sending | null) =>
    hazard(
      `Apply would replace the emails of ${status === null ? 'a campaign that has run, or may have' : campaignThat(status)}. Leads partway through may receive emails again from the first step, or miss some: how this service handles that is unknown.`,
      "Find out on a campaign that has only your own leads, then accept with --allow replace-sequence. Or make the change in the service's web app and plan again, or replace the campaign with a new one (replaces: in its manifest).",
    ),
  'revives-inactive-step': (predecessor: NamedCampaign, subjects: readonly string[]) =>
    hazard(
      `In ${withId(predecessor)}, which this one replaces, these emails are switched off, and this one would mail them: ${listed(subjects.map(quoted))}.`,
      'Remove them from the manifest if they should not be sent. If they should, accept with --allow revives-inactive-step.',
    ),
  /** `paused`: the predecessor. */
  'no-leads': (isLaunched: boolean, paused: NamedCampaign | null) =>
    hazard(
      `This campaign ${isLaunched ? 'is launched' : 'replaces another one'}, and neither its manifest, nor the state, nor the service shows any leads for it.${paused === null ? '' : ` C${withId(paused).slice(1)} would stop, and nobody would get the new emails.`}`,
      "Name its leads under leads: in the manifest. If they are attached in the service's web app, accept with --allow no-leads.",
    ),
  'attach-running': (status: Sending, leads: LeadRefs, total: number | null) =>
    hazard(
      `Apply attaches ${describeLeads(leads)} to ${campaignThat(status)}: these leads are mailed without another approval.${total === null ? '' : ` The service shows ${count(total, 'lead')} on it now.`} ${LEAD_DELAY.replace('the', 'The')}.`,
      `Accept it with --allow attach-running${status.meaning === 'finished' ? '' : `, or write status: paused in the manifest to pause the campaign first${howToDeclare(status)}`}.`,
    ),

  // Leads that two campaigns would mail.
  'shared-leads': (
    facts: SharedLeads,
    other: { id: number | null; name: string; manifest: string; ran: string | null },
    is: { again: boolean; replaced: boolean; gone: boolean; perhapsSame: boolean },
  ) =>
    hazard(
      `${attaches(facts)}, which ${withId(other)} (${other.manifest}) has already, and it ${other.ran}: ${is.again ? 'those that this campaign has not mailed yet' : 'these leads'} would be mailed again, from the first email on.`,
      is.replaced
        ? 'Leave these leads out of the manifest if they are not to get the new emails. If they are, from the first email on, accept with --allow shared-leads.'
        : `${is.perhapsSame ? `If this manifest is that campaign under a new name, write id: ${other.id} into it. If not, t` : 'T'}ake these leads out of the manifest, or make sure in the service's web app that campaign ${other.id} no longer mails them, and accept with --allow shared-leads.${is.gone ? ` If it never ran, campaignctl forget ${other.id} takes it out of the state.` : ''}`,
    ),
  'shared-leads/both': (
    facts: SharedLeads,
    other: { id: number | null; name: string; manifest: string },
    isLaunched: boolean,
  ) => {
    const which = `${other.id === null ? '' : `campaign ${other.id} `}"${other.name}" (${other.manifest})`;
    const also = isLaunched ? `launches ${which} with them` : `attaches them to ${which}`;
    return hazard(
      `${attaches(facts)}, and ${also} as well: both campaigns would mail these leads.`,
      "Take these leads out of one of the two manifests, or write status: paused in it. Or make sure in the service's web app that only one of the campaigns has these leads, and accept with --allow shared-leads.",
    );
  },
  'shared-leads/unknown': (
    facts: SharedLeads,
    predecessor: NamedCampaign & { ran: string },
    total: number | null,
  ) =>
    hazard(
      `${attaches(facts)}, and the state does not know all leads of ${withId(predecessor)}, which this one replaces and which ${predecessor.ran}.${total === null ? '' : ` The service shows ${count(total, 'lead')} on it.`} Those that both have would be mailed again, from the first email on.`,
      "Compare the leads in the service's web app. If some are on both and are not to get the new emails, leave them out of the manifest. If they are, from the first email on, accept with --allow shared-leads.",
    ),

  // Hazards of the plan as a whole.
  'missing/workspace': (entries: number) =>
    hazard(
      `${entries === 1 ? 'The campaign' : `None of the ${entries} campaigns`} that ${entries === 1 ? 'was applied here is not' : 'were applied here is'} in the workspace that the token shows, and apply would create a new one in it.`,
      'Check that the token belongs to the right workspace. If the campaigns were deleted on purpose, delete their manifests and run campaignctl forget for each. To make new ones, accept with --allow missing.',
    ),
  'mass-change': (changing: number, all: number) =>
    hazard(
      `${changing} of ${all} campaigns (${Math.round((100 * changing) / all)} %) would change at once.`,
      'Check the environment and the files. If this is intended, accept with --allow mass-change; --target NAME plans single campaigns.',
    ),
  'unkept-state': ({ reason, folder }: { reason: 'ci' | 'tracked'; folder: string }) =>
    hazard(
      `The state in ${folder} ${
        reason === 'ci'
          ? `is thrown away with this job's checkout (CI is set)`
          : 'is tracked by git, and a checkout, reset or stash takes it back to an older state'
      }: a later run would not know which leads this one attaches.`,
      'Keep the state on a branch: write state: { backend: git } in the project file, then run campaignctl state migrate. If the next run does find this folder as this run leaves it, accept with --allow unkept-state.',
    ),
  'over-capacity': (volume: Volume) =>
    hazard(
      `After this plan, the running campaigns may send ${capWords(volume)} a day, more than the capacity of ${thousands(volume.capacity ?? 0)}.`,
      'Lower max_emails_per_day, pause another campaign, or launch fewer. If the capacity has grown, correct it in the project file. To send less than the caps say, accept with --allow over-capacity.',
    ),

  // Launches that are left out.
  'launch-withheld': () =>
    warning(
      'Apply does not launch the campaign while part of it is blocked.',
      'Resolve what is blocked, then apply again.',
    ),
  'launch-held': () =>
    warning(
      '--hold launch skips the launch.',
      'Apply again without --hold launch when the campaign may start.',
    ),
  'launch-needs-senders': () =>
    warning(
      'Apply creates the campaign and does not launch it: sender accounts have to be attached to it first (senders: by_hand).',
      "Attach them in the service's web app once apply has created it, then apply again.",
    ),

  // Other runs.
  'apply-at-work': ({ holder, certain }: { holder: string; certain: boolean }) =>
    warning(
      `The state is locked by another apply (${holder}). ${
        certain
          ? "This plan does not show what it sends, and may mistake what it has already created for someone else's work."
          : 'This machine cannot tell whether it still runs. If it does, this plan does not show what it sends, and treats it as a run that has ended.'
      }`,
      certain
        ? 'Plan again once it has ended.'
        : 'If it still runs, plan again once it has ended. If it has ended, campaignctl unlock removes its lock.',
    ),
  'unfinished-probe': ({ name, at, who }: PendingOperations, id: number | null) =>
    warning(
      `A probe (${who}, ${at}) did not finish. ${id === null ? `It may have made "${name}".` : `It made campaign ${id}, "${name}".`}`,
      "Delete that campaign in the service's web app: it has no leads, and no manifest refers to it.",
    ),
  'unfinished-run/orphaned': ({ name, at, who, manifest }: PendingOperations, ids: readonly number[]) =>
    warning(
      `An earlier run (${who}, ${at}) ended before it knew the outcome of what it sent for "${name}", which ${ids.length === 0 ? 'is not listed' : `is campaign ${ids.join(', ')}`} now; ${manifest} now describes another campaign.`,
      "Look at it in the service's web app. campaignctl history shows that run.",
    ),
  'unfinished-run': ({ at, who }: PendingOperations, findings: readonly string[]) =>
    warning(
      `An earlier run (${who}, ${at}) ended before it knew the outcome of what it sent. ${findings.join('; ')}.`,
      'This plan was made from what the service shows now. campaignctl history shows that run.',
    ),

  // Which live campaign a manifest means. `other`: a live campaign with the manifest's name.
  'pinned-not-found': (name: string, id: number | null, environment: string) =>
    error(
      `"${name}" is pinned to campaign ${id}, which the service does not have.`,
      `Check the id, and whether the token for environment ${environment} belongs to the right workspace.`,
    ),
  // The state cannot tell which one was created by mistake.
  'same-name': ({ id, name }: ListedCampaign, others: readonly ListedCampaign[]) =>
    warning(
      `The service has ${others.length + 1} campaigns called "${name}": ${id}, to which this manifest was applied, and ${withStatus(others)}. Apply does not launch ${id} while it shares its name.`,
      `Another run may have created one at the same time. Rename or delete the others in the service's web app, or pin each of them with its id: in a manifest of its own.`,
    ),
  'ambiguous-name': (name: string, candidates: readonly ListedCampaign[]) =>
    error(
      `The service has ${candidates.length} campaigns called "${name}": ${withStatus(candidates)}.`,
      'Pin the one you mean with id: in the manifest.',
    ),
  'record-twice': ({ manifest, spec: { name } }: Campaign, ids: readonly number[], environment: string) => {
    const each = ids.map((id) => `campaignctl forget ${id} --env ${environment}`).join(' or ');
    return error(
      `The state knows ${ids.length} campaigns for "${name}" (${manifest}): ${ids.join(' and ')}. All of them exist, and any of them may be sending.`,
      `Look at them in the service's web app and pause those that you do not want. Then remove them from the state (${each}), or pin the one you mean with id: in the manifest.`,
    );
  },
  missing: (entry: StateEntry, other: ListedCampaign | null) =>
    hazard(
      `This manifest was applied to campaign ${entry.id} ("${entry.name}"), which is not in the workspace that the token shows. ${
        other === null
          ? 'Apply would create a new campaign.'
          : `Apply would change campaign ${other.id} instead, which has the same name.`
      }`,
      `Check that the token belongs to the right workspace. If the campaign was deleted on purpose, delete its manifest and run campaignctl forget ${entry.id}. To make it again, which mails its leads again, accept with --allow missing.`,
    ),
  /** `now`: the campaign to which the manifest was applied. */
  rename: (name: string, now: ListedCampaign, other: ListedCampaign | null) =>
    hazard(
      `This manifest was applied to campaign ${now.id}, which is now called "${now.name}". ${
        other === null
          ? `The API cannot change names: apply would create a second campaign "${name}" beside it.`
          : `Campaign ${other.id} has the name "${name}" instead, and apply would mistake it for this one and change it.`
      }`,
      `It was renamed in the service: write name: ${quoted(now.name)} into the manifest; campaignctl import --update ${quoted(name)} does this for you. If ${other === null ? 'a second campaign' : `campaign ${other.id}`} is meant, accept with --allow rename.`,
    ),
  'rename/file': (
    { spec: { name }, file }: Campaign,
    orphans: readonly StateEntry[],
    other: ListedCampaign | null,
  ) => {
    const which = listed(orphans.map((entry) => `campaign ${entry.id} ("${entry.name}")`));
    const ids = orphans.map(({ id }) => `id: ${id}`).join(' or ');
    return hazard(
      `No manifest describes what was applied from ${file} any more: ${which}. The API cannot change names: apply would ${other === null ? `create a second campaign "${name}" beside it` : `take campaign ${other.id}, which is called "${name}"`}.`,
      `If the name in the manifest changed, rename the campaign in the service's web app, or write ${ids} into the manifest. If "${name}" is another campaign, accept with --allow rename.`,
    );
  },
  'rename/spelling': (name: string, other: ListedCampaign) =>
    hazard(
      `No campaign is called "${name}", but ${other.id} is called "${other.name}": the same name, spelt differently. Apply would create a second campaign beside it.`,
      `If ${other.id} is meant, pin it with id: ${other.id}, or write its name as the service does. To create a second campaign, accept with --allow rename.`,
    ),
  'claimed-twice': (id: number | null, name: string, manifests: readonly string[]) =>
    error(
      `Several manifests claim ${id === null ? `the new campaign "${name}"` : `campaign ${id}`}: ${manifests.join(', ')}.`,
      'Keep one of them, or give them different names.',
    ),

  // Which campaign a manifest replaces.
  'replaces-circle': (name: string, replaces: string | number, id: number) =>
    error(
      `"${name}" says replaces: ${quoted(replaces)}, and is campaign ${id} itself.`,
      'Give the manifest a name that no campaign has, without id:, so that a new one is made; or remove replaces:.',
    ),
  'replaces-ambiguous': (name: string, candidates: readonly ListedCampaign[]) =>
    error(
      `replaces: "${name}" may mean ${candidates.length} campaigns: ${withStatus(candidates)}.`,
      `Write the id of the one that you mean, for example replaces: ${candidates[0]?.id}.`,
    ),
  'replaces-not-found': (which: string, environment: string, alike: ListedCampaign | null) =>
    error(
      `replaces: names ${which}, and ${environment} has no such campaign: neither in the service nor in the state.`,
      alike === null
        ? 'Correct the id; or remove replaces: if the old campaign was deleted and the state has forgotten it.'
        : `Did you mean "${alike.name}" (${alike.id})?`,
    ),
  'replaces-not-ready': (campaign: Campaign, middle: Campaign, first: NamedCampaign) =>
    error(
      `${campaign.manifest} ("${campaign.spec.name}") replaces "${middle.spec.name}" (${middle.manifest}), which replaces ${withId(first)} and has not taken its place yet. If the pause of ${withId(first)} failed, two of them would mail.`,
      `Apply ${middle.manifest} on its own first: campaignctl apply ${middle.manifest}. If "${middle.spec.name}" is not needed, delete its manifest and write replaces: ${first.id} into ${campaign.manifest}.`,
    ),
  'nothing-to-replace': (replaces: string, environment: string) =>
    warning(
      `There is nothing to replace here: ${environment} has no campaign "${replaces}", neither in the service nor in the state. Apply creates this one and pauses nothing.`,
      `That is fine if "${replaces}" was never applied to ${environment}. If it was, write its name exactly as the service has it, or its id.`,
    ),
  'superseded-running/declared': ({ manifest, spec }: Campaign, id: number | null, successor: Campaign) =>
    error(
      `${successor.manifest} ("${successor.spec.name}") replaces campaign ${id} ("${spec.name}"), which ${manifest} ${
        spec.status === 'running'
          ? 'wants running: one would pause it, the other launch it'
          : 'describes without status: paused'
      }.`,
      `Delete ${manifest}, or write status: paused into it. To keep both campaigns running, remove replaces: from ${successor.manifest}.`,
    ),
  'superseded-running': ({ manifest, spec }: Campaign, id: number, by: number) =>
    error(
      `Campaign ${id} ("${spec.name}") was replaced by campaign ${by}, and ${manifest} wants it running: both would send.`,
      `Delete ${manifest}, or write status: paused into it. To go back to it, write replaces: ${by} into it, and delete the manifest of campaign ${by}. If the two have nothing to do with each other any more, run campaignctl forget ${id}.`,
    ),
  'replaced-twice/declared': (id: number, manifests: readonly string[]) =>
    error(
      `Several manifests replace campaign ${id}: ${manifests.join(', ')}.`,
      'Keep replaces: in one of them.',
    ),
  'replaced-twice': (predecessor: NamedCampaign, by: number) =>
    error(
      `C${withId(predecessor).slice(1)} has already been replaced by campaign ${by}: two campaigns would take its place.`,
      `Write replaces: ${by} to replace that one instead. If it has nothing to do with this any more, run campaignctl forget ${predecessor.id}.`,
    ),
  'replaced-not-at-rest': (predecessor: NamedCampaign, status: Sending) =>
    blocked(
      `campaignctl cannot tell whether ${withId(predecessor)}, which this one replaces, has stopped sending: the service shows ${campaignThat(status)}. Apply does not launch this one beside it.`,
      `Look in the service's web app, and pause it there${howToDeclare(status)}.`,
    ),

  // Answers that contradict what is known.
  'sequence-missing': ({ section, known, endpoint, shown }: Contradiction, isSent: boolean) =>
    words(
      isSent ? 'hazard' : 'warning',
      `${known}, but ${endpoint} shows ${shown}. The API cannot remove that, so the response is probably wrong.${section === 'sequence' ? ' Posting the emails again could mail every lead twice.' : ''}`,
      `Look at the campaign in the service's web app. If the ${section} is there, plan again later.${isSent ? ` If the ${section} really was removed there, accept with --allow sequence-missing: apply then posts it again.` : ''}`,
    ),
} satisfies Record<string, (...facts: never[]) => Sentences>;

interface NamedCampaign {
  id: number | null;
  name: string | null;
}

/** `known` completes "… has", `shown` "… shows". */
export interface Contradiction {
  section: 'sequence' | 'schedule';
  known: string;
  endpoint: string;
  shown: string;
}
