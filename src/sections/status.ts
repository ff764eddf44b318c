import { property } from '../model/json.js';
import type { StatusSpec } from '../model/manifest.generated.js';
import type { Change, PlanProblem, Step } from '../model/outputs.js';
import { PAUSE_STEP } from '../model/reports.js';
import type { LastApplied, RecordedState } from '../model/state.js';
import type { Status, StatusDoubt, Target } from '../model/target.js';
import { dayOf, RESUME, wasHeld } from '../model/words.js';
import { contactedLeads } from './leads.js';
import {
  added,
  defineSection,
  IN_SYNC,
  note,
  type SectionDifference,
  type SectionStep,
  type StepEffect,
  updated,
} from './section.js';
import { hasRun, hasSent, isVanished, mayHaveRun, NEW, statusOf } from './sending.js';

const patch = (verb: string) =>
  ({ method: 'PATCH', path: `/api/campaigns/{campaign_id}/${verb}`, body: null }) as const;
const STEPS: Record<StatusSpec, SectionStep> = {
  running: {
    id: 'launch',
    stage: 'launch',
    title: 'launch the campaign',
    ...patch('resume'),
    irreversible: true,
  },
  paused: {
    id: 'pause',
    stage: 'pause',
    title: 'pause the campaign',
    ...patch('pause'),
    irreversible: false,
  },
};

export const status = defineSection<Status, StatusSpec>({
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
  decode: ({ status }) => status,
  diff,
  /** Records the status set, in case the service shows none. */
  recordStep: (recorded, { id }, effect) =>
    withStatus(recorded, id === 'launch' ? 'running' : 'paused', effect, null),
  recordShown(recorded, { sends }, isInSync) {
    if (!isInSync) return recorded;
    const { launch_held: _held, paused, ...settled } = recorded;
    // A manifest that says so, too, is not the reason for the stop: another checkout may still want it to run.
    return paused === undefined || sends === 'yes' ? settled : { ...settled, paused };
  },
  toView: ({ word }) => word,
  toManifest(live) {
    const { word, meaning, basis } = live;
    const remarks = basis === 'set' ? [note(`${lastSet(live)}; the service shows no status`)] : [];
    if (meaning === 'running') return { section: 'running', remarks };
    if (meaning === 'stopped') return { section: 'paused', remarks };
    const shown = word === null ? 'not shown by the service' : `${JSON.stringify(word)} in the service`;
    return { section: null, remarks: [note(`${shown}; running or paused, once you want to manage it`)] };
  },
});

/** In milliseconds. Clocks of two machines may differ by this much. */
const CLOCKS = 10 * 60_000;

/**
 * Adds a launch or pause that an earlier run sent `at` a time (ISO 8601). Time orders the two; where it cannot, the status is
 * unknown, and the pause still counts as the last thing that a person wanted.
 */
export function recordEarlier(
  recorded: RecordedState,
  { id }: Step,
  { effect, at }: { effect: StepEffect; at: string },
): RecordedState {
  const { paused, status_at } = recorded;
  const time = Date.parse(at);
  if (id !== 'launch') {
    const launched = recorded.status === 'running' ? Date.parse(status_at ?? '') : Number.NaN;
    if (launched > time + CLOCKS) return recorded;
    const marker = id === PAUSE_STEP ? { paused: at } : {};
    if (launched > time) return { ...recorded, ...marker, status: null };
    return { ...withStatus(recorded, 'paused', effect, at), ...marker };
  }
  if (paused === undefined || time > Date.parse(paused) + CLOCKS)
    return withStatus(recorded, 'running', effect, at);
  if (time <= Date.parse(paused)) return { ...recorded, has_run: true };
  return { ...recorded, has_run: true, status: null };
}

/** `at`: `null` if it is not known. */
function withStatus(
  { paused: _paused, status_at: _at, launch_held: _held, status_shown, launched, ...known }: RecordedState,
  status: StatusSpec,
  effect: StepEffect,
  at: string | null,
): RecordedState {
  const isLaunch = status === 'running';
  const shown = {
    ...(status_shown === undefined ? {} : { status_shown }),
    ...(launched === undefined ? {} : { launched }),
  };
  const after = { ...known, ...shown, has_run: isLaunch || known.has_run };
  if (effect === 'in_doubt') return { ...after, status: null };
  const set = { status, ...(at === null ? {} : { status_at: at }) };
  // An accepted pause settles a status that the service no longer shows, or shows wrongly.
  return isLaunch ? { ...after, ...set, launched: true } : { ...known, ...set };
}

export function contradiction(target: Target): PlanProblem[] {
  const { live, spec, status } = target;
  if (live?.record.is !== 'shown') return [];
  const record = statusOf({ ...target, live: { ...live, row: null } });
  const { word } = status;
  if (record.basis !== 'shown' || record.word === word) return [];
  // The campaign may or may not be sending, so it is neither launched nor reported as done.
  const isStopped = record.meaning === 'stopped' || record.doubt === 'draft_again';
  const isBlocked = spec.status === 'running' && isStopped;
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

/** True if a launch continues, or may continue, a sequence that has already begun. */
export function resumes(target: Target): boolean {
  if (hasRun(target) === true || hasSent(target)) return true;
  const contacted = contactedLeads(target);
  return contacted === null ? mayHaveRun(target) : contacted > 0;
}

function diff(live: Status, desired: StatusSpec, target: Target): SectionDifference {
  const difference = compare(live, desired);
  const steps = difference.steps.map((step) =>
    step === STEPS.running && resumes(target) ? { ...step, title: RESUME } : step,
  );
  return { ...difference, steps };
}

function compare(live: Status, desired: StatusSpec): SectionDifference {
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

function change(live: Status, to: StatusSpec, problems: PlanProblem[]): SectionDifference {
  const source = live.basis === 'set' ? `${lastSet(live)}; the service shows no status` : null;
  const changes = [live === NEW ? added('', to) : updated('', live.word, to, source)];
  return { changes, problems, steps: [STEPS[to]] };
}

/** If the status is unknown, pausing is harmless, but launching is not. */
function diffUnknown(live: Status, desired: StatusSpec): SectionDifference {
  const isPause = desired === 'paused';
  const isInDoubt = !isPause && live.doubt === 'in_doubt';
  const problem: PlanProblem = {
    code: isInDoubt ? 'launch-in-doubt' : 'unknown-status',
    severity: isPause ? 'warning' : 'blocked',
    ...(isPause
      ? unknownStatus(live, '', 'A pause is safe in either case.')
      : unknownStatus(live, ', so apply does not launch it', SETTLE)),
  };
  const difference = change(live, desired, [problem]);
  return isPause ? difference : { ...difference, steps: [] };
}

const DOUBTS: Record<Exclude<StatusDoubt, 'draft_again'>, string> = {
  not_set: 'and campaignctl has neither created nor launched nor paused this campaign',
  in_doubt: 'and an earlier run ended before it knew the outcome of a launch or pause',
  shown_before: 'although it showed one for this campaign before',
  shown_elsewhere: 'although it shows one for other campaigns',
};

const SETTLE =
  'To settle its status, write status: paused and apply, which is safe in either case. Then write status: running if it should run.';

function unknownStatus(status: Status, consequence: string, settle: string) {
  const { word, doubt } = status;
  if (doubt === 'draft_again')
    return {
      message: `The service shows "${word}", but this campaign has run, so the answer is probably outdated: the campaign may be sending${consequence}.`,
      hint: `Check the campaign in the service's web app, or plan again in a moment. ${settle}`,
    };
  if (word !== null)
    return {
      message: `The status "${word}" is unknown: the campaign may be sending${consequence}.`,
      hint: 'Add the word under service.statuses in the project file, as running, starting, stopped, finished or gone.',
    };
  return {
    message: `The service shows no status${doubt === null ? '' : `, ${DOUBTS[doubt]}`}: the campaign may be sending${consequence}.`,
    hint: `Check the campaign in the service's web app${isVanished(status) ? ', or plan again in a moment' : ''}. ${settle}`,
  };
}

/**
 * Pauses a predecessor that campaignctl has paused already: if the service shows no status, a person may have launched it
 * since. A second pause is harmless.
 */
export function pauseAgain(target: Target): { changes: Change[]; steps: Step[] } {
  const { status: live } = target;
  const mayRun = live.basis === 'set' && live.meaning === 'stopped' && live.word !== 'draft';
  if (!mayRun) return { changes: [], steps: [] };
  const { changes, steps } = change(live, 'paused', []);
  return {
    changes: changes.map((each) => ({ section: 'status', ...each })),
    steps: steps.map((step) => ({
      ...step,
      section: 'status',
      path: step.path.replace('{campaign_id}', String(target.id)),
    })),
  };
}

/** "running, as last set on 2026-11-27" */
export function lastSet({ word, since }: Status): string {
  if (word === 'draft') return 'never launched';
  return `${word}, as last set${since === null ? '' : ` on ${dayOf(since)}`}`;
}

/** True if a person stopped the campaign after it was last in sync, or it was run and stopped outside this project. */
export function isStoppedByHand({ status: live, recorded }: Target): boolean {
  const { known, last, status, has_run } = recorded;
  if (live.failed || live.mails) return false;
  if (recorded.paused !== undefined) return true;
  if (live.basis !== 'shown') return false;
  // Without a pause by an apply, somebody stopped what was launched.
  if (status !== 'paused' && has_run === true && !live.isDraft) return true;
  // A campaign that is neither in the state nor a draft was launched and stopped elsewhere.
  if (!known && last === null) return !live.isDraft;
  return (last?.spec.status ?? status) === 'running';
}

function wasRunning(last: LastApplied | null): string {
  return last?.spec.status === 'running'
    ? `was running when it was last applied (${dayOf(last.at)})`
    : 'was launched by an earlier apply';
}

/** Messages omit the time of day, so that campaigns share them. */
export function launchHazard(target: Target): PlanProblem {
  const { status: live } = target;
  const { known, last, paused } = target.recorded;
  const isSandbox = target.environment.sandbox !== null;
  const effect = (emails: string) =>
    isSandbox ? ' in the sandbox, which sends no email.' : `${emails} This is irreversible.`;
  const hazard = { code: 'launch', severity: 'hazard' } as const;
  if (!isStoppedByHand(target)) {
    const { launch_held: held } = target.recorded;
    const wish = held === undefined ? '' : `This campaign ${wasHeld(held.at)}. `;
    return {
      ...hazard,
      message: `${wish}Apply launches the campaign${effect(': its leads will receive its emails.')}`,
      hint: 'Approve the launch with --allow launch="NAME", or send everything else with --hold launch.',
    };
  }
  const stop =
    paused !== undefined
      ? `was paused by campaignctl pause on ${dayOf(paused)}`
      : known || last !== null
        ? `${wasRunning(last)} and is now "${live.word}": it was stopped outside campaignctl`
        : `is not in the state and may have run before (its status is "${live.word}")`;
  return {
    ...hazard,
    message: `This campaign ${stop}. Apply launches it again${effect(', and it continues to send emails.')}`,
    hint: 'To keep it stopped, write status: paused in the manifest, or run campaignctl import --update "NAME". To launch it, run apply with --allow launch="NAME"; the allow setting in the project file does not cover it. To send everything else, pass --hold launch.',
  };
}
