import { property } from '../model/json.js';
import type { StatusSpec } from '../model/manifest.generated.js';
import type { Problem } from '../model/outputs.js';
import type { LastApplied, RecordedState } from '../model/state.js';
import { contactedLeads } from './leads.js';
import {
  added,
  type CampaignContext,
  defineSection,
  IN_SYNC,
  note,
  type SectionDifference,
  type SectionStep,
  updated,
} from './section.js';
import { hasRun, isDraft, type Sending, sending } from './sending.js';

const patch = (verb: string) =>
  ({ method: 'PATCH', path: `/api/campaigns/{campaign_id}/${verb}`, body: null }) as const;
const STEPS: Record<StatusSpec, SectionStep> = {
  running: { id: 'launch', title: 'launch the campaign', ...patch('resume'), irreversible: true },
  paused: { id: 'pause', title: 'pause the campaign', ...patch('pause'), irreversible: false },
};

export const status = defineSection<Sending, StatusSpec>({
  name: 'status',
  properties: {
    status: property(
      { title: 'StatusSpec', type: 'string', enum: ['running', 'paused'] },
      'running or paused. If left out, the status is not managed. A launch needs approval: --allow launch.',
      'paused',
      'running',
    ),
  },
  reads: ['campaign'],
  normalize: ({ spec }) => spec.status ?? null,
  decode: (context) => (context.id === null ? NEW : sending(context)),
  diff,
  /** Records the status set, in case the service shows none. */
  record({ paused: _paused, ...known }, step, effect) {
    const isLaunch = step.id === 'launch';
    const after = { ...known, has_run: isLaunch || known.has_run };
    if (effect === 'in_doubt') return { ...after, status: null };
    return { ...after, status: isLaunch ? 'running' : 'paused' };
  },
  toView: ({ word }) => word,
  toManifest({ word, meaning, believed }) {
    const remarks = believed ? [note('not shown by the service: the last status that campaignctl set')] : [];
    if (meaning === 'running') return { section: 'running', remarks };
    if (meaning === 'stopped') return { section: 'paused', remarks };
    const shown = word === null ? 'not shown by the service' : `${JSON.stringify(word)} in the service`;
    return { section: null, remarks: [note(`${shown}; running or paused, once you want to manage it`)] };
  },
});

const NEW: Sending = {
  state: 'no',
  word: null,
  meaning: 'stopped',
  believed: false,
  failed: false,
  mails: false,
};

export function contradiction(context: CampaignContext): Problem[] {
  const { answers, spec } = context;
  if (answers?.campaign?.none !== false) return [];
  const record = sending({ ...context, listed: null });
  const { word } = sending(context);
  if (record.believed || record.word === null || record.word === word) return [];
  // The campaign may or may not be sending, so it is neither launched nor reported as done.
  const isBlocked = spec.status === 'running' && record.meaning === 'stopped';
  const consequence = isBlocked
    ? 'The campaign may be sending, so apply does not launch it.'
    : `The plan assumes "${word}", because the campaign may be sending.`;
  return [
    {
      code: 'status-contradicted',
      severity: isBlocked ? 'blocked' : 'warning',
      message: `The service contradicts itself: the campaign's status is "${record.word}" in its record and "${word}" in the list of campaigns. ${consequence}`,
      hint: "Check the campaign in the service's web app, or plan again in a moment: one of the two values may be outdated.",
    },
  ];
}

/** True if a launch continues a sequence that has already begun. */
export function resumes(context: CampaignContext): boolean {
  return hasRun(context) === true || (contactedLeads(context) ?? 0) > 0;
}

function diff(live: Sending, desired: StatusSpec, context: CampaignContext): SectionDifference {
  const difference = compare(live, desired, context);
  const steps = difference.steps.map((step) =>
    step === STEPS.running && resumes(context) ? { ...step, title: 'resume the campaign' } : step,
  );
  return { ...difference, steps };
}

function compare(live: Sending, desired: StatusSpec, context: CampaignContext): SectionDifference {
  if (live.believed) return diffBelieved(live, desired, context);
  switch (live.meaning) {
    case 'running':
    case 'starting':
      return desired === 'running' ? IN_SYNC : change(live, desired, []);
    case 'stopped':
      return desired === 'paused' ? IN_SYNC : change(live, desired, []);
    // A finished campaign satisfies both statuses; the section `campaign` reports one that is gone.
    case 'finished':
    case 'gone':
      return IN_SYNC;
    case 'unknown':
      return diffUnknown(live, desired);
  }
}

function change(live: Sending, to: StatusSpec, problems: Problem[]): SectionDifference {
  const changes = [live === NEW ? added('', to) : updated('', live.word, to)];
  return { changes, problems, steps: [STEPS[to]] };
}

/** Compares with the last status set, because the service never shows one. */
function diffBelieved(live: Sending, desired: StatusSpec, context: CampaignContext): SectionDifference {
  const problem = belief(live);
  if (live.word === desired) return { ...IN_SYNC, problems: [problem] };
  if (desired === 'paused') return change(live, desired, [problem]);
  const isInDoubt = live.word === null && context.recorded.has_run === true;
  return change(live, desired, [isInDoubt ? LAUNCH_IN_DOUBT : problem]);
}

/** If the status is unknown, pausing is harmless, but launching is not. */
function diffUnknown(live: Sending, desired: StatusSpec): SectionDifference {
  const { word } = live;
  const subject = word === null ? 'The service shows no status' : `The status "${word}" is unknown`;
  const problem = (severity: 'warning' | 'blocked', consequence: string): Problem => ({
    code: 'unknown-status',
    severity,
    message: `${subject}: ${consequence}.`,
    hint:
      word === null
        ? 'To settle it, write status: paused and apply: a pause is safe in either case.'
        : 'Add the word under service.statuses in the project file, as running, starting, stopped, finished or gone.',
  });
  if (desired === 'running') {
    const blocked = problem('blocked', 'the campaign may already be sending, so apply does not launch it');
    return { ...change(live, desired, [blocked]), steps: [] };
  }
  return change(live, desired, [problem('warning', 'the campaign may be sending')]);
}

export function belief({ word }: Sending): Problem {
  return {
    code: 'status-believed',
    severity: 'warning',
    message:
      word === null
        ? 'The service shows no status, and the state does not record whether this campaign is running: it may be sending.'
        : `The service shows no status. The plan assumes the last one that campaignctl set: ${word}.`,
    hint: "campaignctl cannot see changes made in the service's web app: check the status there.",
  };
}

const LAUNCH_IN_DOUBT: Problem = {
  code: 'launch-in-doubt',
  severity: 'blocked',
  message:
    'This campaign may be running: an earlier run ended before it knew the outcome of a launch or pause, and the service shows no status. Apply does not launch it a second time.',
  hint: "Check the campaign in the service's web app. Write status: paused and apply, which is safe in either case. Then write status: running again.",
};

/** True if a person stopped the campaign after it was last in sync, or it was run and stopped outside this project. */
export function isStoppedByHand(live: Sending, { recorded }: CampaignContext): boolean {
  const { known, last } = recorded;
  if (live.failed || live.mails) return false;
  if (pausedSince(recorded) !== null) return true;
  // A campaign that is neither in the state nor a draft was launched and stopped elsewhere.
  if (!known && last === null) return live.word !== null && !isDraft(live.word);
  return (last?.spec.status ?? recorded.status) === 'running' && !live.believed;
}

function wasRunning(last: LastApplied | null): string {
  return last?.spec.status === 'running'
    ? `was running when it was last applied (${last.at.slice(0, DATE)})`
    : 'was launched by an earlier apply';
}

/** The time at which `campaignctl pause` stopped the campaign; `null` if its status has been in sync since. */
export function pausedSince({ paused, last }: RecordedState): string | null {
  if (paused === undefined) return null;
  const isInSync = last?.spec.status !== undefined && last.at >= paused;
  return isInSync ? null : paused;
}

/** Omits the time of day, so that campaigns share one message. */
const DATE = '2026-11-25'.length;

export function launchHazard(context: CampaignContext): Problem {
  const live = sending(context);
  const { known, last } = context.recorded;
  const paused = pausedSince(context.recorded);
  const hazard = { code: 'launch', severity: 'hazard' } as const;
  if (!isStoppedByHand(live, context)) {
    return {
      ...hazard,
      message: 'Apply launches the campaign: its leads will receive its emails. This is irreversible.',
      hint: 'Approve the launch with --allow launch="NAME", or send everything else with --hold launch.',
    };
  }
  const stop =
    paused !== null
      ? `was paused by campaignctl pause on ${paused.slice(0, DATE)}`
      : known || last !== null
        ? `${wasRunning(last)} and is now "${live.word}": it was stopped outside campaignctl`
        : `is not in the state and may have run before (its status is "${live.word}")`;
  return {
    ...hazard,
    message: `This campaign ${stop}. Apply launches it again, and it continues to send emails. This is irreversible.`,
    hint: 'To keep it stopped, write status: paused in the manifest, or run campaignctl import --update NAME. To launch it, run apply with --allow launch="NAME"; the allow setting in the project file does not cover it. To send everything else, pass --hold launch.',
  };
}
