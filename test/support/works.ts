import type { ListedCampaign } from '../../src/model/answer.js';
import type { ServiceBehaviour } from '../../src/model/environment.js';
import type { Json } from '../../src/model/json.js';
import { type LiveCampaign, liveCampaign } from '../../src/model/live.js';
import type { Change, PlanProblem, Step } from '../../src/model/outputs.js';
import type { CampaignSpec } from '../../src/model/spec.js';
import type { PendingOperations, RecordedState } from '../../src/model/state.js';
import { buildPlan } from '../../src/plan/build.js';
import type { PlanInput } from '../../src/plan/campaign.js';
import { campaignHazards } from '../../src/plan/hazards.js';
import { requiredAnswers } from '../../src/plan/match.js';
import type { CampaignWork, PlannedWork } from '../../src/plan/work.js';
import type { CampaignContext } from '../../src/sections/index.js';
import type { Section } from '../../src/sections/section.js';
import { campaign, entryOf, listedCampaign } from './campaigns.js';
import { type Answers, answer, liveOf } from './context.js';
import { environment } from './environment.js';
import { deepFreeze } from './freeze.js';
import { campaignPlan } from './plans.js';

/** `answers`: the responses read; `null` if none was. */
type Given = Pick<CampaignWork, 'campaign' | 'id' | 'listed'> &
  Partial<CampaignWork> & { answers: Answers | null };

/** A work that has been read, with the pending requests of earlier runs. By default, it is declared. */
export function workOf(situation: Given, pending: readonly PendingOperations[] = []): CampaignWork {
  const { answers, ...given } = situation;
  const { campaign, id, listed } = given;
  const name = listed?.name ?? campaign.spec.name;
  return {
    ...{ role: 'declared', entry: null, candidates: [], predecessor: null, problems: [], outside: false },
    reads: answers === null ? null : requiredAnswers(campaign.spec),
    ...given,
    live: liveWork(situation),
    pending: pending.filter((remaining) =>
      remaining.id === null ? remaining.name === name : remaining.id === id,
    ),
  };
}

function liveWork({ id, listed, answers, live = null }: Given): LiveCampaign | null {
  if (id === null || (answers === null && live !== null)) return live;
  return answers === null
    ? liveCampaign(null, { row: listed, othersShowStatus: false })
    : liveOf(answers, listed);
}

export function removedWork(
  input: Pick<Given, 'listed' | 'answers'> & { entry: NonNullable<CampaignWork['entry']> },
  pending: readonly PendingOperations[] = [],
): CampaignWork {
  const { id, name, manifest } = input.entry;
  const spec = { name, id, status: 'paused' as const };
  const campaign = { manifest, file: manifest, document: 0, spec, remarks: [] };
  return workOf({ ...input, role: 'removed', id, campaign }, pending);
}

/** A planned work without changes. */
export function plannedWork(
  context: CampaignContext,
  { changes = [], steps = [] }: { changes?: readonly Change[]; steps?: Step[] } = {},
): PlannedWork {
  const { spec, id, live } = context;
  const listed = live?.row ?? null;
  return {
    ...workOf({ campaign: campaign('spring.yaml', spec), id, listed, answers: null, live }),
    context,
    isKnown: true,
    sections: {},
    idleOwners: [],
    byHand: [],
    waitsFor: null,
    plan: campaignPlan(spec.name, {
      ...{ id, action: 'none', steps },
      changes: changes.map((change) => ({ ...change, origin: null })),
    }),
  };
}

export function planSection(section: Section, context: CampaignContext): ReturnType<Section['plan']> {
  const planned = section.plan(context);
  const work = plannedWork(context, planned);
  const hazards = campaignHazards(work, { owners: new Map(), works: [work] });
  const asked: readonly string[] = ['launch', 'repeat-attach', 'reset-unreadable'];
  return {
    ...planned,
    problems: [...planned.problems, ...hazards.filter(({ code }) => asked.includes(code))],
  };
}

export interface KnownSpring {
  /** `null`: the campaign does not exist yet. */
  id?: number | null;
  spec?: Partial<CampaignSpec>;
  listed?: ListedCampaign;
  /** Fields of the record; `null`: not read. */
  shown?: { [field: string]: Json } | null;
  /** Omitted: not read. `null`: the campaign has none. */
  sequence?: Json;
  /** Omitted: not in the state. */
  recorded?: RecordedState;
  service?: Partial<ServiceBehaviour>;
  /** Codes of warnings about the manifest. */
  found?: readonly PlanProblem['code'][];
}

/** Plans the campaign, with all inputs frozen. */
export function planSpring(known: KnownSpring, more: Partial<PlanInput> = {}) {
  const { id = 42, spec = {}, shown = {}, sequence, recorded, service, found: matches = [] } = known;
  const [name, at] = ['Spring installers', `GET /api/campaigns/${id}`];
  const listed = id === null ? null : (known.listed ?? listedCampaign(id, name, null));
  const answers = {
    ...{ campaign: shown && answer(at, { id, name, ...shown }), schedule: answer(`${at}/schedule`, null) },
    sequence: answer(`${at}/sequence-steps`, sequence),
  };
  const remarks: PlanProblem[] = matches.map((code) => ({
    code,
    severity: 'warning',
    message: '',
    hint: '',
  }));
  const manifest = { ...campaign('spring.yaml', { name, ...spec }), remarks };
  const input: PlanInput = {
    environment: environment(service),
    works: [workOf({ campaign: manifest, id, listed, answers: id === null ? null : answers }, more.pending)],
    entries: id === null || recorded === undefined ? [] : [{ ...entryOf(id, 'spring.yaml'), recorded }],
    listed: listed === null ? [] : [listed],
    ...{ templates: null, pending: [], now: Date.UTC(2026, 2, 2) },
    ...more,
  };
  return buildPlan(deepFreeze(input));
}
