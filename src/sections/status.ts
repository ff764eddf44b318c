import type { StatusWords } from '../model/environment.js';
import { isObject, property } from '../model/json.js';
import type { StatusSpec } from '../model/manifest.generated.js';
import type { Change, Problem } from '../model/outputs.js';
import type { RecordedState } from '../model/state.js';
import { fieldsOf, shownText } from './decode.js';
import {
  added,
  type CampaignContext,
  defineSection,
  note,
  probeCommand,
  type SectionContext,
  type SectionDifference,
  type SectionStep,
  updated,
} from './section.js';

/** `starting`: about to run. `unknown`: any other word, or none. */
export type Meaning = keyof StatusWords | 'unknown';

/** The shown status. `word`: `null` if none. `failed`: a launch failed. `believed`: not shown, so the last action counts. */
export interface LiveStatus {
  word: string | null;
  meaning: Meaning;
  failed: boolean;
  believed: boolean;
}

const patch = (verb: string) =>
  ({ method: 'PATCH', path: `/api/campaigns/{campaign_id}/${verb}`, body: null }) as const;
const STEPS: Record<StatusSpec, SectionStep> = {
  running: { id: 'launch', title: 'launch the campaign', ...patch('resume'), irreversible: true },
  paused: { id: 'pause', title: 'pause the campaign', ...patch('pause'), irreversible: false },
};

/** Whether the campaign sends. A launch must never happen unasked. */
export const status = defineSection<LiveStatus, StatusSpec>({
  name: 'status',
  properties: {
    status: property(
      { title: 'StatusSpec', type: 'string', enum: ['running', 'paused'] },
      'Whether the campaign sends. Left out: not managed. Launching needs approval: --allow launch.',
      'paused',
      'running',
    ),
  },
  reads: ['campaign'],
  defaults: { word: null, meaning: 'stopped', failed: false, believed: false },
  normalize: (spec) => spec.status ?? null,
  decode: liveStatus,
  diff,
  steps: (_live, desired) => [STEPS[desired]],
  /** Remembers the last action, in case no status is shown, and the service's word for a pause. */
  record(recorded, step, effect) {
    if (step.section !== 'status') return recorded;
    const launched = step.id === 'launch';
    const { status: _word, ...applied } = recorded.applied;
    const { paused: _paused, ...before } = recorded;
    const known = { ...before, applied, has_run: launched || recorded.has_run };
    if (effect === 'in_doubt') return { ...known, status: null };
    if (launched) return { ...known, status: 'running' };
    return { ...known, status: 'paused', applied: { ...applied, status: null } };
  },
  toView: ({ word }) => word,
  /** A starting or finished campaign is left as it is. */
  toManifest({ word, meaning, believed }) {
    const told = believed ? [note('not shown by the service: this is what campaignctl did last')] : [];
    if (meaning === 'running') return { section: 'running', remarks: told };
    if (meaning === 'stopped') return { section: 'paused', remarks: told };
    const shown = word === null ? 'not shown by the service' : `${JSON.stringify(word)} in the service`;
    return { section: null, remarks: [note(`${shown}; running or paused, once you want to manage it`)] };
  },
});

/** From the record or the row; of two, the one that sends. The last action counts only if neither shows a status. */
export function liveStatus({ answers, listed, environment, recorded }: CampaignContext): LiveStatus {
  const answer = answers?.campaign ?? null;
  const own = answer === null ? null : shownText(fieldsOf(answer), 'status');
  const { status, statuses } = environment.service;
  const shown = shownOf(own, listed?.status ?? null, statuses);
  const believed = shown === null && answer !== null && status === 'hidden';
  const word = believed ? recorded.status : shown;
  return {
    word,
    meaning: meaningOf(word, statuses),
    failed: word !== null && plain(word) === 'failed',
    believed,
  };
}

const SENDS: Record<Meaning, number> = {
  running: 2,
  starting: 2,
  finished: 1,
  unknown: 1,
  stopped: 0,
  gone: 0,
};

/** The record's word, unless the row's known one says that the campaign sends. */
export function shownOf(own: string | null, row: string | null, statuses: StatusWords): string | null {
  const [mine, listed] = [meaningOf(own, statuses), meaningOf(row, statuses)];
  return own === null || (listed !== 'unknown' && SENDS[listed] > SENDS[mine]) ? row : own;
}

/** The list outweighs the record. */
export function contradiction(context: CampaignContext): Problem[] {
  if (context.answers?.campaign?.none !== false) return [];
  const [own, { word }] = [liveStatus({ ...context, listed: null }), liveStatus(context)];
  if (own.believed || own.word === null || own.word === word) return [];
  // It may send or not: neither launched nor called done.
  const isClaimed = context.spec.status === 'running' && own.meaning === 'stopped';
  const then = isClaimed
    ? 'The campaign may be sending, so apply does not launch it.'
    : `The plan goes by "${word}", since the campaign may be sending.`;
  return [
    {
      code: 'status-contradicted',
      severity: isClaimed ? 'blocked' : 'warning',
      message: `The service contradicts itself: it calls this campaign "${own.word}" in its record and "${word}" in the list of campaigns. ${then}`,
      hint: "Look in the service's web app, or plan again in a moment: one of the two may only be late.",
    },
  ];
}

export function showsNoStatus(context: CampaignContext): boolean {
  const { word, believed } = liveStatus(context);
  return believed || word === null;
}

/** True unless known to be idle. A finished campaign may go on with new leads. */
export function maySend({ meaning }: Pick<LiveStatus, 'meaning'>): boolean {
  return meaning !== 'stopped' && meaning !== 'gone';
}

/** True only for a shown status. */
export function isSeenAtRest({ answers, listed, environment }: CampaignContext): boolean {
  const body = answers?.campaign?.body;
  const own = isObject(body) && typeof body.status === 'string' ? body.status.trim() : '';
  const { statuses } = environment.service;
  const word = shownOf(own === '' ? null : own, listed?.status ?? null, statuses);
  return !maySend({ meaning: meaningOf(word, statuses) });
}

/** False if the status says that it never ran, or failed to. */
export function mayBePaused({ word, failed }: LiveStatus): boolean {
  return !failed && (word === null || plain(word) !== 'draft');
}

/** Statuses after a successful launch. */
export const HAS_RUN: readonly Meaning[] = ['running', 'starting', 'finished'];

/** `null` if neither state nor service tells. */
export function hasRun(context: CampaignContext): boolean | null {
  return HAS_RUN.includes(liveStatus(context).meaning) ? true : context.recorded.has_run;
}

const WORDS: StatusWords = {
  running: ['active', 'running', 'started', 'sending'],
  starting: ['queued', 'launching', 'launched'],
  stopped: ['draft', 'paused', 'stopped', 'inactive', 'failed'],
  finished: ['completed'],
  gone: ['archived', 'deleted', 'pending deletion'],
};
const MEANINGS = Object.keys(WORDS) as (keyof StatusWords)[];

/** Ignores case; the environment's words take precedence. */
export function meaningOf(word: string | null, added: StatusWords): Meaning {
  if (word === null) return 'unknown';
  const wanted = plain(word);
  const means = (words: StatusWords) =>
    MEANINGS.find((meaning) => words[meaning].some((known) => plain(known) === wanted));
  return means(added) ?? KNOWN.get(wanted) ?? 'unknown';
}

const KNOWN = new Map(MEANINGS.flatMap((meaning) => WORDS[meaning].map((word) => [plain(word), meaning])));

export function isSameStatus(one: string, other: string): boolean {
  return plain(one) === plain(other);
}

function plain(word: string): string {
  return word
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ');
}

function diff(live: LiveStatus, desired: StatusSpec, context: SectionContext): SectionDifference {
  if (live.believed) return believed(live, desired, context);
  const none = { changes: [], problems: [] };
  switch (live.meaning) {
    case 'running':
    case 'starting':
      return desired === 'running' ? none : changed(live, desired, []);
    case 'stopped':
      return desired === 'paused' ? none : changed(live, desired, [launchOf(live, context)]);
    // A finished campaign satisfies both; one that is gone is a problem of section `campaign`.
    case 'finished':
    case 'gone':
      return none;
    case 'unknown':
      return unknownWord(live, desired, context);
  }
}

/** The last action replaces a status that is never shown. */
function believed(live: LiveStatus, desired: StatusSpec, context: SectionContext): SectionDifference {
  const { recorded } = context;
  const told = belief(live);
  if (live.word === desired) return { changes: [], problems: [told] };
  const isDoubtful = live.word === null && recorded.has_run === true;
  if (isDoubtful && desired === 'running') return changed(live, desired, [LAUNCH_IN_DOUBT]);
  return changed(live, desired, desired === 'running' ? [told, launchOf(live, context)] : [told]);
}

/** Remembers the word shown after an accepted pause: only that one is believed later. */
export function withPausedWord(context: CampaignContext): RecordedState {
  const { spec, recorded, answers } = context;
  const { applied } = recorded;
  if (applied.status !== null || spec.status === undefined || answers?.campaign?.none !== false)
    return recorded;
  const { word, believed } = liveStatus(context);
  return { ...recorded, applied: { ...applied, status: believed ? '' : (word ?? '') } };
}

/** True if an unknown word is the same as before the pause, which may have had no effect. */
export function isUnmoved(changes: readonly Change[], context: CampaignContext): boolean {
  const { word, meaning, believed } = liveStatus(context);
  const before = changes.find(({ section }) => section === 'status')?.from;
  return !believed && meaning === 'unknown' && before === word;
}

/** Forgets the pause, so that it is sent again. */
export function withoutPause(recorded: RecordedState): RecordedState {
  const { status: _word, ...applied } = recorded.applied;
  return { ...recorded, applied };
}

export function belief({ word }: LiveStatus): Problem {
  return {
    code: 'status-believed',
    severity: 'warning',
    message:
      word === null
        ? 'The service shows no status, and the state does not know whether this campaign runs: it may be sending.'
        : `The service shows no status. The plan believes what campaignctl did last: ${word}.`,
    hint: "A change made in the service's web app does not show. Look there if in doubt.",
  };
}

const LAUNCH: Problem = {
  code: 'launch',
  severity: 'hazard',
  message: 'Apply launches the campaign: real people get its emails. That is irreversible.',
  hint: 'Accept it with --allow launch="NAME". --hold launch leaves launches out.',
};

const LAUNCH_IN_DOUBT: Problem = {
  code: 'launch-in-doubt',
  severity: 'blocked',
  message:
    'Whether this campaign runs is not known: an earlier run ended before it knew the outcome of a launch or a pause, and the service shows no status. Apply does not launch it a second time.',
  hint: "Look in the service's web app. Then write status: paused and apply, which is safe whether it runs or not; after that, write status: running again.",
};

/** A person stopped it since it was last in sync. A standing approval does not cover its launch. */
export function isStoppedByHand(live: LiveStatus, { recorded }: SectionContext): boolean {
  const { paused, last } = recorded;
  if (last?.spec.status === 'paused' || live.failed || maySend(live)) return false;
  return paused !== undefined || (last?.spec.status === 'running' && !live.believed);
}

const RESTART =
  'If it is to stay stopped, write status: paused in the manifest; campaignctl import --update does it. To launch it, run apply with --allow launch="NAME": allow in the project file does not cover it. --hold launch leaves launches out.';

function launchOf(live: LiveStatus, context: SectionContext): Problem {
  if (!isStoppedByHand(live, context)) return LAUNCH;
  const { paused, last } = context.recorded;
  const stop =
    paused === undefined
      ? `was running when it was last applied (${last?.at}) and is "${live.word}" now: it was stopped outside campaignctl after that`
      : `was paused by campaignctl pause on ${paused}`;
  const message = `This campaign ${stop}. Apply launches it again: it goes on to send emails to real people, and that is irreversible.`;
  return { ...LAUNCH, message, hint: RESTART };
}

/** Pausing is harmless under an unknown status, launching is not. The word shown after our pause is believed. */
function unknownWord(live: LiveStatus, desired: StatusSpec, context: SectionContext): SectionDifference {
  const { recorded } = context;
  const said =
    live.word === null ? 'The service shows no status' : `The status "${live.word}" is not a known word`;
  const problem = (severity: 'warning' | 'blocked', then: string): Problem => ({
    code: 'unknown-status',
    severity,
    message: `${said}: ${then}.`,
    hint:
      live.word === null
        ? `${probeCommand(context)} finds out whether the service ever shows one. If it never does, status: hidden under service in the project file says so.`
        : 'Say what its words mean under service: statuses (running, starting, stopped, finished, gone).',
  });
  if (desired === 'paused' && isPausedWord(live.word, recorded)) {
    const believes =
      'the service accepted the pause that campaignctl sent last, so the plan believes that the campaign is paused. It is sending if it was launched outside campaignctl';
    return { changes: [], problems: [problem('warning', believes)] };
  }
  if (desired === 'paused')
    return changed(live, desired, [problem('warning', 'the campaign may be sending')]);
  return changed(live, desired, [
    problem('blocked', 'the campaign may be sending already, so apply does not launch it'),
  ]);
}

/** The service accepted our last pause and has shown this word since. */
function isPausedWord(word: string | null, { applied: { status } }: RecordedState): boolean {
  return status === null || (typeof status === 'string' && isSameStatus(status, word ?? ''));
}

/** A new campaign has no status. */
function changed({ word, meaning }: LiveStatus, to: StatusSpec, problems: Problem[]): SectionDifference {
  const isNew = word === null && meaning === 'stopped';
  return { changes: [isNew ? added('', to) : updated('', word, to)], problems };
}

/** `null` if the campaign does not send, or does not exist. */
export function sendingStatus(context: CampaignContext): LiveStatus | null {
  if (context.id === null) return null;
  const status = liveStatus(context);
  return maySend(status) ? status : null;
}

/** For campaigns that the state does not know. */
export function strangerStatus(context: CampaignContext, isKnown: boolean): LiveStatus | null {
  return isKnown ? null : sendingStatus(context);
}
