/** Sentences of the planner: severity, message and hint by code. `missing/workspace` is a second wording of `missing`. */
import type { ListedCampaign } from '../model/answer.js';
import type { Problem, Severity, Step, Volume } from '../model/outputs.js';
import type { Campaign } from '../model/spec.js';
import type { PendingOperations, StateEntry } from '../model/state.js';
import { capWords } from '../model/volume.js';
import { listed, thousands } from '../model/words.js';
import type { Sending } from '../sections/sending.js';

/** The parameter of an entry holds its facts. */
export function problem<Key extends keyof typeof MESSAGES>(
  key: Key,
  facts: Parameters<(typeof MESSAGES)[Key]>[0],
): Problem {
  const say = MESSAGES[key] as (facts: unknown) => Sentences;
  const [code = key] = key.split('/');
  return { code, ...say(facts) };
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

const quoted = (name: string | number | undefined) => JSON.stringify(name);

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

const MESSAGES = {
  // Hazards of a campaign.
  adopt: ({
    status,
    steps,
    renamed,
  }: {
    status: Sending;
    steps: readonly Step[];
    renamed: ListedCampaign | null;
  }) =>
    hazard(
      `${renamed === null ? 'The state does not know this campaign' : `The service calls campaign ${renamed.id} "${renamed.name}" now`}, ${campaignThat(status)}: it may be someone else's. Apply would send to it: ${steps.map(({ title }) => title).join(', ')}.`,
      'If it is yours, accept with --allow adopt, so that later runs recognise it. If it is not, give the manifest another name.',
    ),
  'replace-sequence': ({ status }: { status: Sending | null }) =>
    hazard(
      `Apply would replace the emails of ${status === null ? 'a campaign that has run, or may have' : campaignThat(status)}. Leads partway through may receive emails again from the first step, or miss some: what this service does is not known.`,
      "Find it out on a campaign of your own leads, and then accept with --allow replace-sequence. Or make the change in the service's web app and plan again, or replace the campaign by a new one (replaces: in its manifest).",
    ),
  'revives-inactive-step': ({
    predecessor,
    subjects,
  }: {
    predecessor: string;
    subjects: readonly string[];
  }) =>
    hazard(
      `In ${predecessor}, which this one replaces, these emails are switched off, and this one would mail them: ${listed(subjects.map(quoted))}.`,
      'Remove them from the manifest if they are not to be sent. If they are, accept with --allow revives-inactive-step.',
    ),

  // Hazards of the plan as a whole.
  'missing/workspace': ({ entries }: { entries: number }) =>
    hazard(
      `${entries === 1 ? 'The campaign' : `None of the ${entries} campaigns`} that ${entries === 1 ? 'was applied here is not' : 'were applied here is'} in the workspace that the token shows, and apply would create a new one in it.`,
      'Check that the token belongs to the right workspace. If the campaigns were deleted on purpose, delete their manifests and run campaignctl forget for each. To make new ones, accept with --allow missing.',
    ),
  'mass-change': ({ changing, all }: { changing: number; all: number }) =>
    hazard(
      `${changing} of ${all} campaigns (${Math.round((100 * changing) / all)} %) would change at once.`,
      'Check the environment and the files. If you mean it, accept with --allow mass-change; --target NAME plans single campaigns.',
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
  'launch-withheld': (_: object) =>
    warning(
      'Apply does not launch the campaign while part of it is blocked.',
      'Resolve what is blocked, then apply again.',
    ),
  'launch-held': (_: object) =>
    warning('--hold launch skips the launch.', 'Apply again without --hold launch when it may start.'),

  'launch-needs-senders': (_: object) =>
    warning(
      'Apply creates the campaign and does not launch it: sender accounts have to be attached to it first (senders: by_hand).',
      "Attach them in the service's web app once apply has created it, then apply again.",
    ),

  // Other runs.
  'apply-at-work': ({ holder, certain }: { holder: string; certain: boolean }) =>
    warning(
      `The state is locked by another apply (${holder}). ${
        certain
          ? 'This plan does not show what it sends, and may take what it has already made for the work of others.'
          : 'This machine cannot tell whether it still runs. If it does, this plan does not show what it sends, and takes it for a run that ended.'
      }`,
      certain
        ? 'Plan again once it has ended.'
        : 'If it still runs, plan again once it has ended. If it has ended, campaignctl unlock removes its lock.',
    ),
  'unfinished-probe': ({ name, at, who, id }: Pick<PendingOperations, 'name' | 'at' | 'who' | 'id'>) =>
    warning(
      `A probe (${who}, ${at}) did not finish. ${id === null ? `It may have made "${name}".` : `It made campaign ${id}, "${name}".`}`,
      "Delete that campaign in the service's web app: it has no leads, and no manifest refers to it.",
    ),
  'unfinished-run/orphaned': ({
    name,
    at,
    who,
    manifest,
    ids,
  }: Pick<PendingOperations, 'name' | 'at' | 'who' | 'manifest'> & { ids: readonly number[] }) =>
    warning(
      `An earlier run (${who}, ${at}) ended before it knew the outcome of what it sent for "${name}", which ${ids.length === 0 ? 'is not listed' : `is campaign ${ids.join(', ')}`} now; ${manifest} now describes another campaign.`,
      "Look at it in the service's web app. campaignctl history shows that run.",
    ),
  'unfinished-run': ({
    at,
    who,
    findings,
  }: Pick<PendingOperations, 'at' | 'who'> & { findings: readonly string[] }) =>
    warning(
      `An earlier run (${who}, ${at}) ended before it knew the outcome of what it sent. ${findings.join('; ')}.`,
      'This plan was made from what the service shows now. campaignctl history shows that run.',
    ),

  // Which live campaign a manifest means.
  'pinned-not-found': ({ name, id, environment }: { name: string; id: number | null; environment: string }) =>
    error(
      `"${name}" is pinned to campaign ${id}, which the service does not have.`,
      `Check the id, and whether the token for environment ${environment} belongs to the right workspace.`,
    ),
  'rename/spelling': ({ name, other }: { name: string; other: ListedCampaign }) =>
    hazard(
      `No campaign is called "${name}", but ${other.id} is called "${other.name}": the same in another spelling. Apply would create a second campaign beside it.`,
      `If ${other.id} is meant, pin it with id: ${other.id}, or write its name as the service does. To create a second campaign, accept with --allow rename.`,
    ),
  // The state cannot tell which one was created by mistake.
  'same-name': ({ id, name, others }: { id: number; name: string; others: readonly ListedCampaign[] }) =>
    warning(
      `The service has ${others.length + 1} campaigns called "${name}": ${id}, to which this manifest was applied, and ${withStatus(others)}. Apply does not launch ${id} while it shares its name.`,
      `Another run may have created one at the same time. Rename or delete the others in the service's web app, or pin each of them with its id: in a manifest of its own.`,
    ),
  'ambiguous-name': ({ name, candidates }: { name: string; candidates: readonly ListedCampaign[] }) =>
    error(
      `The service has ${candidates.length} campaigns called "${name}": ${withStatus(candidates)}.`,
      'Pin the one you mean with id: in the manifest.',
    ),
  'record-twice': ({
    name,
    manifest,
    ids,
    environment,
  }: {
    name: string;
    manifest: string;
    ids: readonly number[];
    environment: string | undefined;
  }) => {
    const where = environment === undefined ? '' : ` --env ${environment}`;
    const each = ids.map((id) => `campaignctl forget ${id}${where}`).join(' or ');
    return error(
      `The state knows ${ids.length} campaigns for "${name}" (${manifest}): ${ids.join(' and ')}. All of them exist, and any may be sending.`,
      `Look at them in the service's web app and pause those that you do not want. Then remove them from the state (${each}), or pin the one you mean with id: in the manifest.`,
    );
  },
  missing: ({ entry, other }: { entry: StateEntry; other: ListedCampaign | null }) =>
    hazard(
      `This manifest was applied to campaign ${entry.id} ("${entry.name}"), which is not in the workspace that the token shows. ${
        other === null
          ? 'Apply would create a new campaign.'
          : `Apply would change campaign ${other.id} instead, which has the same name.`
      }`,
      `Check that the token belongs to the right workspace. If the campaign was deleted on purpose, delete its manifest and run campaignctl forget ${entry.id}. To make it again, which mails its leads again, accept with --allow missing.`,
    ),
  rename: ({
    name,
    entry,
    now,
    other,
  }: {
    name: string;
    entry: StateEntry;
    now: ListedCampaign;
    other: ListedCampaign | null;
  }) => {
    const effect =
      other === null
        ? `The API cannot change names: apply would create a second campaign "${name}" beside it.`
        : `Campaign ${other.id} has the name "${name}" instead, and apply would take it for this one and change it.`;
    const wayBack =
      name === entry.name
        ? `It was renamed in the service: write name: ${quoted(now.name)} into the manifest; campaignctl import --update ${quoted(name)} does it.`
        : `The name in the manifest changed: rename campaign ${entry.id} in the service's web app, or pin it with id: ${entry.id}.`;
    return hazard(
      `This manifest was applied to campaign ${entry.id}, which is called "${now.name}" now. ${effect}`,
      `${wayBack} If ${other === null ? 'a second campaign' : `campaign ${other.id}`} is meant, accept with --allow rename.`,
    );
  },
  // Which manifest was renamed, if any, is unknown.
  'rename/perhaps': ({
    campaign: { spec, file },
    left,
    other,
  }: {
    campaign: Campaign;
    left: readonly StateEntry[];
    other: ListedCampaign | null;
  }) => {
    const which = left.map((entry) => `${entry.id} ("${entry.name}")`).join(' and ');
    const [were, their, them, which1] =
      left.length === 1
        ? [`Campaign ${which} was`, 'its name', 'it', 'that one']
        : [`Campaigns ${which} were`, 'their names', 'them', 'one of them'];
    const effect =
      other === null
        ? `The API cannot change names: apply would create "${spec.name}" beside ${them}, even if it is meant to be ${which1}.`
        : `Apply would take campaign ${other.id} for "${spec.name}" and change it, even if ${which1} is meant.`;
    return hazard(
      `${were} applied from ${file}, where no manifest has ${their} any more. ${effect}`,
      `Write the old name, or pin the campaign that is meant by its id. If "${spec.name}" is another campaign, accept with --allow rename.`,
    );
  },
  'claimed-twice': ({
    id,
    name,
    manifests,
  }: {
    id: number | null;
    name: string;
    manifests: readonly string[];
  }) =>
    error(
      `Several manifests claim ${id === null ? `the new campaign "${name}"` : `campaign ${id}`}: ${manifests.join(', ')}.`,
      'Keep one of them, or give them different names.',
    ),
  'perhaps-moved': ({ left }: { left: readonly StateEntry[] }) => {
    const [which, has, it] =
      left.length === 1 ? ['Campaign', 'has', 'its own'] : ['Campaigns', 'have', 'that of one of them'];
    const entries = left.map(({ id, name, manifest }) => `${id} ("${name}", applied from ${manifest})`);
    return warning(
      `${which} ${listed(entries, 3)} ${has} no manifest any more, and the same emails or leads. If this manifest is ${it}, moved and renamed, apply creates a second campaign beside it.`,
      `Then write id: ${left[0]?.id ?? ''} into the manifest. campaignctl plan without files and targets shows every campaign without a manifest.`,
    );
  },

  // Which campaign a manifest replaces.
  'replaces-circle': ({
    name,
    replaces,
    id,
  }: {
    name: string;
    replaces: string | number | undefined;
    id: number;
  }) =>
    error(
      `"${name}" says replaces: ${quoted(replaces)}, and is campaign ${id} itself.`,
      'Give the manifest a name that no campaign has, without id:, so that a new one is made; or remove replaces:.',
    ),
  'replaces-ambiguous': ({
    name,
    candidates,
  }: {
    name: string;
    candidates: readonly Pick<ListedCampaign, 'id' | 'status'>[];
  }) =>
    error(
      `replaces: "${name}" may mean ${candidates.length} campaigns: ${withStatus(candidates)}.`,
      `Write the id of the one that you mean, for example replaces: ${candidates[0]?.id}.`,
    ),
  'replaces-not-found': ({
    which,
    environment,
    alike,
  }: {
    which: string;
    environment: string;
    alike: ListedCampaign | null;
  }) =>
    error(
      `replaces: names ${which}, and ${environment} has no such campaign: neither in the service nor in the state.`,
      alike === null
        ? 'Correct the id; or take replaces: out if the old campaign was deleted and the state was told to forget it.'
        : `Did you mean "${alike.name}" (${alike.id})?`,
    ),
  'replaces-not-ready': ({
    campaign,
    middle,
    first,
    isCreated,
  }: {
    campaign: Campaign;
    middle: Campaign;
    first: { id: number | null; name: string | null };
    isCreated: boolean;
  }) => {
    const which = `campaign ${first.id} "${first.name}"`;
    return error(
      `${campaign.manifest} ("${campaign.spec.name}") replaces "${middle.spec.name}" (${middle.manifest}), which replaces ${which} and ${isCreated ? 'has not taken its place' : 'is not created yet'}. If the pause of ${which} failed, two of them would mail.`,
      `Apply ${middle.manifest} alone first: campaignctl apply ${middle.manifest}. If "${middle.spec.name}" is not needed, delete its manifest and write replaces: ${quoted(first.name ?? undefined)} into ${campaign.manifest}.`,
    );
  },
  'nothing-to-replace': ({ replaces, environment }: { replaces: string; environment: string }) =>
    warning(
      `There is nothing to replace here: ${environment} has no campaign "${replaces}", neither in the service nor in the state. Apply creates this one, and pauses none.`,
      `That is fine if "${replaces}" was never applied to ${environment}. If it was, write its name exactly as the service has it, or its id.`,
    ),
  'superseded-running/declared': ({
    campaign: { manifest, spec },
    id,
    successor,
  }: {
    campaign: Campaign;
    id: number | null;
    successor: Campaign;
  }) => {
    const wants =
      spec.status === 'running'
        ? 'wants running: one would pause it, the other launch it'
        : 'describes without status: paused';
    return error(
      `${successor.manifest} ("${successor.spec.name}") replaces campaign ${id} ("${spec.name}"), which ${manifest} ${wants}.`,
      `Delete ${manifest}, or write status: paused into it. To keep both campaigns running, remove replaces: from ${successor.manifest}.`,
    );
  },
  'superseded-running': ({
    campaign: { manifest, spec },
    id,
    by,
    name,
  }: {
    campaign: Campaign;
    id: number | null;
    by: number;
    name: string | undefined;
  }) => {
    const successor = name === undefined ? String(by) : quoted(name);
    return error(
      `Campaign ${id} ("${spec.name}") was replaced by campaign ${by}${name === undefined ? '' : ` ("${name}")`}, and ${manifest} wants it running: both would send.`,
      `Delete ${manifest}, or write status: paused into it. To go back to it, write replaces: ${successor} into it, and delete the manifest of ${successor}. If the two have nothing to do with each other any more, run campaignctl forget ${id}.`,
    );
  },
  'replaced-twice/declared': ({ id, manifests }: { id: number; manifests: readonly string[] }) =>
    error(
      `Several manifests replace campaign ${id}: ${manifests.join(', ')}.`,
      'Keep replaces: in one of them.',
    ),
  'replaced-twice': ({
    id,
    name,
    by,
    successor,
  }: {
    id: number | undefined;
    name: string | null | undefined;
    by: number;
    successor: string | undefined;
  }) => {
    const which = successor === undefined ? String(by) : quoted(successor);
    return error(
      `Campaign ${id} ("${name}") was replaced by campaign ${by} (${which}) already: two campaigns would take its place.`,
      `Write replaces: ${which} to replace that one in its turn. If it has nothing to do with this any more, run campaignctl forget ${id}.`,
    );
  },
  'replaced-not-at-rest': ({ predecessor, status }: { predecessor: string; status: Sending }) =>
    blocked(
      `campaignctl cannot tell whether ${predecessor}, which this one replaces, has stopped sending: the service shows ${campaignThat(status)}. Apply does not launch this one beside it.`,
      `Look in the service's web app, and pause it there${howToDeclare(status)}.`,
    ),

  // Answers that contradict what is known.
  'sequence-missing': (facts: {
    section: 'sequence' | 'schedule';
    known: string;
    endpoint: string;
    shown: string;
    isSent: boolean;
  }) => {
    const { section, known, endpoint, shown, isSent } = facts;
    const harm = section === 'sequence' ? ' Posting the emails again could mail every lead twice.' : '';
    const allow = isSent
      ? ` If the ${section} really was removed there, accept with --allow sequence-missing: apply then posts it again.`
      : '';
    return words(
      isSent ? 'hazard' : 'warning',
      `${known}, but ${endpoint} shows ${shown}. The API cannot remove that, so the answer is more likely wrong than true.${harm}`,
      `Look at the campaign in the service's web app. If the ${section} is there, plan again later.${allow}`,
    );
  },
} satisfies Record<string, (facts: never) => Sentences>;
