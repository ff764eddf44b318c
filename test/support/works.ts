import type { Change, Step } from '../../src/model/outputs.js';
import type { PendingOperations } from '../../src/model/state.js';
import { campaignHazards } from '../../src/plan/hazards.js';
import { requiredAnswers } from '../../src/plan/match.js';
import type { CampaignWork, PlannedWork } from '../../src/plan/work.js';
import type { CampaignContext, Section } from '../../src/sections/index.js';
import { campaign } from './campaigns.js';
import { campaignPlan } from './plans.js';

type Given = Pick<CampaignWork, 'campaign' | 'id' | 'listed' | 'answers'> & Partial<CampaignWork>;

/** A campaign as it was read, with what earlier runs left of it. By default it has a manifest. */
export function workOf(given: Given, pending: readonly PendingOperations[] = []): CampaignWork {
  const { campaign, id, listed, answers } = given;
  const name = listed?.name ?? campaign.spec.name;
  return {
    ...{ role: 'declared', entry: null, candidates: [], predecessor: null, problems: [], outside: false },
    reads: answers === null ? null : requiredAnswers(campaign.spec),
    ...given,
    pending: pending.filter((left) => (left.id === null ? left.name === name : left.id === id)),
  };
}

/** A removed campaign: only its pause is managed. */
export function removedWork(
  given: Pick<CampaignWork, 'listed' | 'answers'> & { entry: NonNullable<CampaignWork['entry']> },
  pending: readonly PendingOperations[] = [],
): CampaignWork {
  const { id, name, manifest } = given.entry;
  const spec = { name, id, status: 'paused' as const };
  const campaign = { manifest, file: manifest, document: 0, spec, remarks: [] };
  return workOf({ ...given, role: 'removed', id, campaign }, pending);
}

/** A campaign that was planned to be left as it is. */
export function plannedWork(
  context: CampaignContext,
  { changes = [], steps = [] }: { changes?: readonly Change[]; steps?: Step[] } = {},
): PlannedWork {
  const { spec, id, listed, answers } = context;
  return {
    ...workOf({ campaign: campaign('spring.yaml', spec), id, listed, answers }),
    context,
    isKnown: true,
    live: {},
    idleOwners: [],
    byHand: [],
    waitsFor: null,
    plan: campaignPlan(spec.name, {
      ...{ id, action: 'none', steps },
      changes: changes.map((change) => ({ ...change, origin: null })),
    }),
  };
}

/** What a section plans, with the hazards of its requests. */
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
