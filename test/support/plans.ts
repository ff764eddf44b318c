import type { CampaignPlan, Content, Plan, PlannedChange, Step } from '../../src/model/outputs.js';
import { OPTIONAL_SECTIONS, STAGES } from '../../src/model/sections.js';
import { fingerprint, planFingerprint } from '../../src/plan/fingerprint.js';
import type { SavedPlan } from '../../src/plan/saved-plan.js';

export const NO_CONTENT = Object.fromEntries(OPTIONAL_SECTIONS.map((name) => [name, null])) as Record<
  keyof Content,
  null
>;

/** Plans for tests of views, written by hand. */
export function campaignPlan(name: string, more: Partial<CampaignPlan> = {}): CampaignPlan {
  return {
    manifest: 'campaigns/spring.yaml',
    name,
    id: 12,
    action: 'change',
    changes: [],
    steps: [],
    problems: [],
    content: null,
    impact: null,
    last: null,
    ...more,
  };
}

export const changeIn =
  (section: PlannedChange['section']) =>
  (path: string, kind: string, from: unknown, to: unknown, note: string | null = null) => ({
    ...{ section, path, kind, from, to, note },
  });

/** As the id says or, if it names no stage, the last one of the section. */
export function stageOf({ id, section }: Pick<Step, 'id' | 'section'>): Step['stage'] {
  const named = STAGES.find((stage) => stage === id.split('/')[0]);
  if (named !== undefined) return named;
  return section === 'campaign' ? 'create' : section === 'status' ? 'launch' : section;
}

export function step(section: Step['section'], more: Partial<Step> = {}): Step {
  return {
    id: section,
    stage: stageOf({ id: section, ...more, section }),
    section,
    title: `set the ${section}`,
    method: 'POST',
    path: '/api/campaigns/12/x',
    body: null,
    irreversible: false,
    ...more,
  };
}

export function planOf(campaigns: readonly CampaignPlan[], more: Partial<Plan> = {}): Plan {
  const counted = (action: CampaignPlan['action']) =>
    campaigns.filter((campaign) => campaign.action === action).length;
  const having = (test: (campaign: CampaignPlan) => boolean) => campaigns.filter(test).length;
  return {
    version: 1,
    environment: 'production',
    base_url: 'https://send.example.com',
    fingerprint: `sha256:${'0'.repeat(64)}`,
    mode: 'all',
    summary: {
      create: counted('create'),
      change: counted('change'),
      unchanged: counted('none'),
      not_read: counted('not_read'),
      blocked: counted('blocked'),
      launch: having(({ steps }) => steps.some(({ id }) => id === 'launch')),
      pause: having(({ steps }) => steps.some(({ id }) => id === 'pause')),
      removed: more.removed?.length ?? 0,
      requests: campaigns.reduce((sum, { steps }) => sum + steps.length, 0),
    },
    problems: [],
    campaigns: [...campaigns],
    removed: [],
    replaced: [],
    by_hand: [],
    ...more,
  };
}

export function bodyChange(from: string, to: string): PlannedChange {
  return {
    section: 'sequence',
    path: 'steps[0].email_body',
    kind: 'update',
    from,
    to,
    note: null,
    origin: null,
  };
}

/** Recomputes all hashes, as anyone can who may write the plan file. */
export function sealed({ checksum: _, ...rest }: SavedPlan): SavedPlan {
  const { fingerprint: __, ...shown } = rest.plan;
  const print = planFingerprint(shown, rest.live.map(fingerprint), rest.selection);
  const again = { ...rest, plan: { ...rest.plan, fingerprint: print } };
  return { ...again, checksum: fingerprint(again) };
}

/** What a plan says of a replaced campaign of which the service shows only the status. */
export const NOT_COMPARED = {
  ...{ copy: null, settings: null, schedule: null },
  stops: { lists: [], list_names: [], ids: [], leads: null },
};
