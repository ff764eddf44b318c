import type { StatusWords } from '../model/environment.js';
import type { StatusSpec } from '../model/manifest.generated.js';
import type { Step } from '../model/outputs.js';
import type { Problem } from '../model/problem.js';
import { fieldsOf, text } from './decode.js';
import {
  type CampaignContext,
  defineSection,
  type SectionContext,
  type SectionDifference,
} from './section.js';

/** What a status word means here. `starting` is on its way to running; `unknown` is any other word, or none. */
export type Meaning = keyof StatusWords | 'unknown';

/**
 * The status that the service shows: its word, null where it says nothing or before the campaign exists; what that means here; and
 * whether it says that a launch failed.
 */
export interface LiveStatus {
  word: string | null;
  meaning: Meaning;
  failed: boolean;
}

const STEPS: Record<StatusSpec, Step> = {
  running: {
    id: 'launch',
    section: 'status',
    title: 'launch the campaign',
    method: 'PATCH',
    path: '/api/campaigns/{campaign_id}/resume',
    body: null,
    irreversible: true,
  },
  paused: {
    id: 'pause',
    section: 'status',
    title: 'pause the campaign',
    method: 'PATCH',
    path: '/api/campaigns/{campaign_id}/pause',
    body: null,
    irreversible: false,
  },
};

/** Whether the campaign sends. Launching is the one thing that must never happen unasked. */
export const status = defineSection<LiveStatus, StatusSpec>({
  name: 'status',
  properties: {
    status: {
      title: 'StatusSpec',
      type: 'string',
      enum: ['running', 'paused'],
      description:
        'Whether the campaign sends. Left out: not managed. Launching has to be accepted with --allow launch.',
      examples: ['paused', 'running'],
    },
  },
  reads: ['campaign'],
  defaults: { word: null, meaning: 'stopped', failed: false },
  normalize: (spec) => spec.status ?? null,
  decode: liveStatus,
  diff,
  steps: (_live, desired) => [STEPS[desired]],
  /** Keeps what was last set, in case the service's word for it is unknown. */
  remember(recorded, step, effect) {
    if (step.section !== 'status') return recorded;
    if (effect === 'in_doubt') return { ...recorded, status: null };
    return { ...recorded, status: step.id === 'launch' ? 'running' : 'paused' };
  },
  toView: { live: ({ word }) => word, desired: (desired) => desired },
  /** Only what a manifest can ask for: a campaign on its way, or with nothing left to send, is left as it is. */
  toManifest({ word, meaning }) {
    if (meaning === 'running') return { section: 'running', remarks: [] };
    if (meaning === 'stopped') return { section: 'paused', remarks: [] };
    const shown = word === null ? 'not shown by the service' : `${JSON.stringify(word)} in the service`;
    return { section: null, remarks: [`${shown}; running or paused, once you want to manage it`] };
  },
});

/** Reads the status out of the answers of a context. */
export function liveStatus({ answers, environment }: CampaignContext): LiveStatus {
  const answer = answers?.campaign ?? null;
  const word = answer === null ? null : text(fieldsOf(answer), 'status');
  const meaning = meaningOf(word, environment.service.statuses);
  return { word, meaning, failed: word !== null && plain(word) === 'failed' };
}

const WORDS: StatusWords = {
  running: ['active', 'running', 'started', 'sending'],
  starting: ['queued', 'launching', 'launched'],
  stopped: ['draft', 'paused', 'stopped', 'inactive', 'failed'],
  finished: ['completed'],
  gone: ['archived', 'deleted', 'pending deletion'],
};
const MEANINGS = Object.keys(WORDS) as (keyof StatusWords)[];

/** Words are matched without case; the environment's words go before the built-in ones. */
export function meaningOf(word: string | null, added: StatusWords): Meaning {
  if (word === null) return 'unknown';
  const wanted = plain(word);
  const means = (words: StatusWords) =>
    MEANINGS.find((meaning) => words[meaning].some((known) => plain(known) === wanted));
  return means(added) ?? means(WORDS) ?? 'unknown';
}

function plain(word: string): string {
  return word
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ');
}

function diff(live: LiveStatus, desired: StatusSpec, context: SectionContext): SectionDifference {
  const none = { changes: [], problems: [] };
  switch (live.meaning) {
    case 'running':
    case 'starting':
      return desired === 'running' ? none : changed(live, desired, []);
    case 'stopped':
      return desired === 'paused' ? none : changed(live, desired, [LAUNCH]);
    // A finished campaign has nothing left to send: it satisfies both. One that is gone is the campaign's problem.
    case 'finished':
    case 'gone':
      return none;
    case 'unknown':
      return unknownWord(live, desired, context);
  }
}

const LAUNCH: Problem = {
  code: 'launch',
  severity: 'hazard',
  message: 'The campaign is launched: it starts to send emails to real people, and that is irreversible.',
  hint: 'Accept it with --allow launch, or leave launches out with --hold launch.',
};

/** An unknown word is compared with what was last set. Pausing is harmless, a launch is not. */
function unknownWord(live: LiveStatus, desired: StatusSpec, { recorded }: SectionContext): SectionDifference {
  const said =
    live.word === null ? 'The service shows no status' : `The status "${live.word}" is not a known word`;
  const hint =
    'Say what its words mean under service: statuses (running, starting, stopped, finished, gone).';
  const problem = { code: 'unknown-status', severity: 'warning', hint } as const;
  if (recorded.status === desired) {
    const message = `${said}: it was compared with what was last set here (${desired}).`;
    return { changes: [], problems: [{ ...problem, message }] };
  }
  if (desired === 'paused') {
    const message = `${said}: whether the campaign already stands still is not known, so it is paused.`;
    return changed(live, desired, [{ ...problem, message }]);
  }
  const message = `${said}: whether the campaign already sends is not known, so it is not launched.`;
  return changed(live, desired, [{ ...problem, severity: 'blocked', message }]);
}

function changed({ word }: LiveStatus, to: StatusSpec, problems: Problem[]): SectionDifference {
  return { changes: [{ section: 'status', path: '', kind: 'update', from: word, to, note: null }], problems };
}
