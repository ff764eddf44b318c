import type { ListedCampaign } from '../../src/model/answer.js';
import type { Environment, ServiceBehaviour } from '../../src/model/environment.js';
import type { Json } from '../../src/model/json.js';
import { type LiveCampaign, liveCampaign } from '../../src/model/live.js';
import type { Change, PlanProblem, Step } from '../../src/model/outputs.js';
import type { Campaign, CampaignSpec } from '../../src/model/spec.js';
import type { PendingOperations, RecordedState, StateEntry } from '../../src/model/state.js';
import type { Target } from '../../src/model/target.js';
import { buildPlan } from '../../src/plan/build.js';
import type { PlanInput } from '../../src/plan/campaign.js';
import { campaignHazards } from '../../src/plan/hazards.js';
import { ALL, type KnownState, type PlanRequest } from '../../src/plan/input.js';
import { requiredAnswers } from '../../src/plan/match.js';
import type { Planned } from '../../src/plan/planned.js';
import { type Refresh, refresh, type Sources } from '../../src/plan/refresh.js';
import type { Section } from '../../src/sections/section.js';
import { newTarget } from '../../src/sections/target.js';
import type { Reader } from '../../src/service/index.js';
import { campaign, entryOf, listedCampaign } from './campaigns.js';
import { type Answers, answer, liveOf } from './context.js';
import { environment } from './environment.js';
import { deepFreeze } from './freeze.js';
import { campaignPlan } from './plans.js';

/** `listed`: its row. `answers`: the responses read; `null` if none was. */
type Given = Pick<Target, 'campaign' | 'id'> &
  Partial<Target> & { listed?: ListedCampaign | null; answers: Answers | null; service?: Environment };

/** A target that has been read, with the pending requests of earlier runs. By default, it is declared. */
export function targetOf(situation: Given, pending: readonly PendingOperations[] = []): Target {
  const { answers, listed, service = environment(), ...given } = situation;
  const { campaign, id } = given;
  const row = listed ?? given.row ?? null;
  const name = row?.name ?? campaign.spec.name;
  return {
    ...newTarget(campaign, service),
    reads: answers === null ? null : requiredAnswers(campaign.spec),
    ...given,
    row,
    live: liveTarget({ ...situation, row }),
    pending: pending.filter((remaining) =>
      remaining.id === null ? remaining.name === name : remaining.id === id,
    ),
  };
}

function liveTarget({ id, row = null, answers, live = null }: Given): LiveCampaign | null {
  if (id === null || (answers === null && live !== null)) return live;
  return answers === null ? liveCampaign(null, { row, othersShowStatus: false }) : liveOf(answers, row);
}

export function removedTarget(
  input: Pick<Given, 'listed' | 'answers' | 'service'> & { entry: StateEntry },
  pending: readonly PendingOperations[] = [],
): Target {
  const { entry, ...given } = input;
  const { id, name, manifest } = entry;
  const spec = { name, id, status: 'paused' as const };
  const campaign = { manifest, file: manifest, document: 0, spec, remarks: [] };
  return targetOf({ ...given, entry, role: 'removed', id, campaign }, pending);
}

/** A planned work without changes. */
export function plannedOf(
  target: Target,
  { changes = [], steps = [] }: { changes?: readonly Change[]; steps?: Step[] } = {},
): Planned {
  const { spec, id } = target;
  return {
    target: { ...target, campaign: campaign('spring.yaml', spec), isOurs: true },
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

export function planSection(section: Section, target: Target): ReturnType<Section['plan']> {
  const planned = section.plan(target);
  const work = plannedOf(target, planned);
  const hazards = campaignHazards(work, { owners: new Map(), works: [work], history: null });
  const asked: readonly string[] = ['launch', 'repeat-attach', 'reset-unreadable'];
  return {
    ...planned,
    problems: [...planned.problems, ...hazards.filter(({ code }) => asked.includes(code))],
  };
}

/** A plan of everything, without approvals. */
export const ASKED: PlanRequest = {
  ...{ selection: ALL, mode: 'all', again: new Set(), drift: false, approvals: [], tool: '', now: 0 },
};

/** `given`: what differs from an empty workspace and state. */
export function planInput(given: Partial<PlanInput>): PlanInput {
  const here = given.environment ?? environment();
  const workspace = { environment: here, campaigns: [], selected: [], outside: new Map(), warnings: [] };
  const known = { entries: [], pending: [], other: null, unkept: null };
  const read = { targets: [], listed: [], owners: [], history: null };
  return { ...workspace, ...known, ...ASKED, ...read, ...given };
}

/** Plans with a reader, as commands do. */
export function readPlan(
  reader: Reader,
  given: { environment: Environment; campaigns: readonly Campaign[] } & Partial<KnownState>,
  asked: Partial<PlanRequest> = {},
  wait: Sources['wait'] = async () => {},
): Promise<Refresh> {
  const { environment: here, campaigns, ...state } = given;
  const askHistory = async () => ({ ancestors: new Set<string>(), extent: 'unknown' as const });
  const sources = { reader, wait, askHistory, report: undefined };
  const workspace = { environment: here, campaigns, selected: campaigns, outside: new Map(), warnings: [] };
  const known = { entries: [], pending: [], other: null, unkept: null, ...state };
  return refresh(sources, workspace, known, { ...ASKED, ...asked });
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
  const here = environment(service);
  const found = { campaign: manifest, id, listed, answers: id === null ? null : answers, service: here };
  const input = planInput({
    environment: here,
    targets: [targetOf(found, more.pending)],
    entries: id === null || recorded === undefined ? [] : [{ ...entryOf(id, 'spring.yaml'), recorded }],
    listed: listed === null ? [] : [listed],
    now: Date.UTC(2026, 2, 2),
    ...more,
  });
  return buildPlan(deepFreeze(input));
}
