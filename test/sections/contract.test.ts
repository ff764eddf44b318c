import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { liveCampaign, UNREAD } from '../../src/model/live.js';
import { SECTION_NAMES, STAGES } from '../../src/model/sections.js';
import type { CampaignSpec } from '../../src/model/spec.js';
import { type RecordedState, UNKNOWN_STATE } from '../../src/model/state.js';
import type { Planned } from '../../src/plan/planned.js';
import { SECTIONS } from '../../src/sections/index.js';
import { statusOf } from '../../src/sections/sending.js';
import { specTarget, withFacts } from '../../src/sections/target.js';
import { listedCampaign } from '../support/campaigns.js';
import { codes } from '../support/context.js';
import { environment, UNKNOWN_SERVICE } from '../support/environment.js';
import { deepFreeze } from '../support/freeze.js';
import { applyScene, planScene, type Scene } from '../support/scene.js';
import { shaped } from '../support/service/shape.js';
import { DEFAULT_SETTINGS, draft, type Store } from '../support/service/store.js';
import { DENVER, LOOSE, service, spec, WORKSPACE } from '../support/specs.js';

const SEED = 20260917;

/** A live campaign from a different manifest, or none. `kept`: true if it is still in the state. */
const scene = fc
  .record({ before: fc.option(spec, { nil: null }), service, kept: fc.boolean() })
  .map(({ before, service: { behaviour, shape }, kept }): Scene => {
    const empty: Scene = { store: WORKSPACE, entries: [], behaviour, shape };
    if (before === null) return empty;
    const remaining = applyScene(planScene(before, empty), empty);
    return kept ? remaining : { ...remaining, entries: [] };
  });

/** Manifests on services. Each is planned, applied and planned again only once, for all checks. */
const CASES = fc.sample(fc.record({ wanted: spec, before: scene }), { seed: SEED, numRuns: 40 });
const RUNS = CASES.map(({ wanted, before }) => {
  const first = planScene(wanted, before);
  const after = applyScene(first, before);
  return { wanted, before, first, after, second: planScene(wanted, after) };
});

function check(fact: (run: (typeof RUNS)[number]) => void): void {
  for (const [index, run] of RUNS.entries()) {
    try {
      fact(run);
    } catch (error) {
      const { wanted, before } = run;
      throw new Error(`case ${index}: ${JSON.stringify({ wanted, before })}`, { cause: error });
    }
  }
}

const blocked = ({ plan }: Planned) => plan.problems.some(({ severity }) => severity === 'blocked');

describe('every manifest on every service', () => {
  it('is generated with every section; add new ones to support/specs.ts', () => {
    const planned = new Set(RUNS.flatMap(({ first }) => first.plan.changes.map(({ section }) => section)));
    expect(SECTION_NAMES.filter((name) => !planned.has(name))).toEqual([]);
  });

  it('is complete after one apply: the second plan is empty, except for blocked changes', () => {
    check(({ first, second }) => {
      expect(second.plan.steps).toEqual([]);
      if (!blocked(first)) expect(second.plan).toMatchObject({ action: 'none', changes: [] });
    });
  });

  it('has the status that follows from what is known of it', () => {
    check(({ first, second }) => {
      for (const { target } of [first, second]) expect(target.status).toEqual(statusOf(target));
    });
  });

  it('has no step without a change, and no change without a step that is not blocked', () => {
    check(({ first: { target, plan } }) => {
      for (const section of SECTIONS) {
        const { changes, problems, steps } = section.plan(target);
        const refused = problems.some(({ severity }) => severity === 'blocked');
        expect(steps.length > 0).toBe(changes.length > 0 && !refused);
      }
      const stepped = new Set(plan.steps.map(({ section }) => section));
      const changed = new Set(plan.changes.map(({ section }) => section));
      expect([...stepped].filter((name) => !changed.has(name))).toEqual([]);
    });
  });

  it('has a stage for every step, in order, and unique step ids', () => {
    check(({ first: { plan } }) => {
      const ids = plan.steps.map(({ id }) => id);
      const ranks = plan.steps.map(({ stage }) => STAGES.indexOf(stage));
      expect(ranks).toEqual([...ranks].sort((a, b) => a - b));
      for (const { id, stage } of plan.steps) expect(id.split('/')[0]).toBe(stage);
      expect(new Set(ids).size).toBe(ids.length);
    });
  });

  it('can be imported as a manifest, whose plan is empty', () => {
    check(({ wanted, after }) => {
      const live = planScene({ name: wanted.name }, after).target;
      for (const section of SECTIONS.filter(({ name }) => name !== 'campaign')) {
        const { section: written } = section.toManifest(live);
        if (written === null) continue;
        const expected = { ...live, spec: { ...live.spec, [section.name]: written } };
        expect(section.plan(expected)).toMatchObject({ changes: [], steps: [] });
      }
    });
  });

  it('sets nothing that the plan does not show', () => {
    check(({ before, first: { plan }, after }) => {
      const settingsOf = ({ store }: Scene) => store.campaigns[0]?.settings ?? DEFAULT_SETTINGS;
      const is: Record<string, unknown> = { ...settingsOf(after) };
      const shown = new Set(plan.changes.map(({ path }) => path));
      const set = Object.entries(settingsOf(before)).filter(([name, value]) => is[name] !== value);
      const silent = set.map(([name]) => name).filter((name) => !shown.has(name));
      const hazards = plan.problems.filter(({ code }) => code === 'reset-unreadable');
      const isNamed = (name: string) => hazards.some(({ message }) => message.includes(name));
      expect(silent.filter((name) => !isNamed(name))).toEqual([]);
    });
  });

  it('never attaches recorded leads twice, and never creates a second campaign', () => {
    check(({ before, first, after: { store } }) => {
      expect(store.campaigns).toHaveLength(1);
      const { lists = [], leads = [] } = store.campaigns[0] ?? {};
      const twice = new Set(lists).size < lists.length || new Set(leads).size < leads.length;
      const doubt = codes(first.plan.problems).includes('hazard repeat-attach');
      if (before.behaviour.attach_repeat === 'unknown' && !doubt) expect(twice).toBe(false);
    });
  });

  it('has the same plan twice', () => {
    check(({ wanted, before, first }) => {
      const again = planScene(structuredClone(wanted), structuredClone(before));
      expect(JSON.stringify(again)).toBe(JSON.stringify(first));
    });
  });
});

describe('a live campaign that was set up by hand according to the manifest', () => {
  const wanted: CampaignSpec = {
    name: 'Spring installers',
    settings: { max_emails_per_day: 200, plain_text: null, reputation_building: true, unsubscribe_text: '' },
    schedule: {
      days: ['friday', 'monday', 'tuesday', 'wednesday', 'thursday'],
      start_time: '08:00',
      end_time: '20:00',
      timezone: 'America/Denver',
    },
    sequence: {
      title: 'Spring sequence',
      steps: [
        {
          email_subject: '{FIRST_NAME}, a question',
          email_body: '<p>Hi {FIRST_NAME},</p>\n',
          wait_in_days: 3,
          variants: [{ email_subject: 'Installers at {COMPANY}', email_body: '<p>Hi</p>' }],
        },
        { email_subject: 'Any news?', email_body: 'Any news?\r\n', wait_in_days: 4, thread_reply: true },
      ],
    },
    leads: { lists: ['installers-fr'], ids: [7, 1] },
    status: 'running',
  };
  const row = { variant: false, variant_from_step: null, wait_in_days: 3, thread_reply: false };
  const store: Store = {
    ...WORKSPACE,
    campaigns: [
      {
        ...draft(12, 'Spring installers'),
        status: 'active',
        settings: { ...DEFAULT_SETTINGS, max_emails_per_day: 200, reputation_building: true },
        schedule: DENVER,
        title: 'Spring sequence',
        steps: [
          {
            ...row,
            id: 1,
            order: 1,
            email_subject: '{FIRST_NAME}, a question',
            email_body: '<p>Hi {FIRST_NAME},</p>',
          },
          {
            ...row,
            id: 2,
            order: 2,
            email_subject: 'Re: Any news?',
            email_body: 'Any news?',
            wait_in_days: 4,
            thread_reply: true,
          },
          {
            ...row,
            id: 3,
            order: null,
            variant: true,
            variant_from_step: 1,
            email_subject: 'Installers at {COMPANY}',
            email_body: '<p>Hi</p>',
          },
        ],
      },
    ],
  };
  const recorded: RecordedState = { ...UNKNOWN_STATE, known: true, attached: { lists: [77], ids: [1, 7] } };
  const entries = [{ id: 12, manifest: 'campaigns/spring.yaml', name: 'Spring installers', recorded }];

  const OPEN = {
    reputation: 'shown',
    title: 'shown',
    statusCase: 'Capitalised',
    stepsOrder: 'reversed',
  } as const;

  it.each([false, true])('needs nothing (loose types: %s)', (loose) => {
    const shape = shaped({ ...OPEN, ...(loose ? LOOSE : {}) });
    const { plan } = planScene(wanted, { store, entries, behaviour: UNKNOWN_SERVICE, shape });
    expect(plan).toEqual({
      manifest: 'campaigns/spring.yaml',
      name: 'Spring installers',
      id: 12,
      action: 'none',
      changes: [],
      steps: [],
      problems: [],
      last: null,
      content: null,
      impact: null,
    });
  });
});

describe('every section', () => {
  it('reports nothing for a manifest that does not manage it', () => {
    const live = liveCampaign(UNREAD, { row: listedCampaign(42), othersShowStatus: false });
    const unmanaged = specTarget({ name: 'Spring installers' }, environment());
    const subject = deepFreeze(withFacts(unmanaged, { id: 42, live }));
    for (const section of SECTIONS) {
      expect(section.plan(subject)).toMatchObject({ changes: [], problems: [], steps: [] });
      expect(section.reads(subject.spec)).toEqual([]);
    }
  });
});
