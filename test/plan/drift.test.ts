import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/model/json.js';
import {
  type ByHandTask,
  type CampaignPlan,
  EMPTY_SUMMARY,
  type Origin,
  type OtherCampaign,
  type Plan,
  type PlanProblem,
} from '../../src/model/outputs.js';
import { OPTIONAL_SECTIONS, type SectionName } from '../../src/model/sections.js';
import type { CampaignSpec } from '../../src/model/spec.js';
import type { LastApplied, RecordedState } from '../../src/model/state.js';
import { keepDrift } from '../../src/plan/drift.js';
import { problem } from '../../src/plan/messages.js';
import { isApplied, lastAfter, unchangedSections, withOrigins } from '../../src/plan/origins.js';
import { SECTIONS } from '../../src/sections/index.js';
import { liveContext, type Shown } from '../support/context.js';
import { deepFreeze } from '../support/freeze.js';
import { bodyChange, campaignPlan, planOf, step } from '../support/plans.js';
import { weekOf } from '../support/service/store.js';

type Sections = Partial<CampaignSpec>;

/** Changes with their origins: `settings max_emails_per_day: service`. */
function origins(
  last: Sections | null,
  { shown, spec, recorded = {} }: { shown: Shown; spec: Sections; recorded?: Partial<RecordedState> },
  unreconciled: readonly SectionName[] = [],
): string[] {
  const applied = last && {
    at: '2026-05-12T08:00:00Z',
    how: 'apply' as const,
    spec: { name: 'Spring installers', ...last },
  };
  const subject = liveContext(spec, shown, { recorded: { ...recorded, last: applied } });
  const changes = SECTIONS.flatMap((section) => section.plan(subject).changes);
  return withOrigins(subject, changes, unreconciled).map(({ section, path, origin }) =>
    `${section} ${path}: ${origin}`.replace(' :', ':'),
  );
}

const settings = (fields: { [name: string]: Json }): Shown => ({ campaign: { id: 42, ...fields } });
const status = (word: string | null): Shown => ({ campaign: { id: 42, status: word } });
const HOURS = {
  days: ['monday' as const],
  start_time: '09:00',
  end_time: '17:00',
  timezone: 'Europe/Paris' as const,
};
const scheduled = (fields: Partial<typeof HOURS> = {}): Json => {
  const { days, ...rest } = { ...HOURS, ...fields };
  return { ...rest, ...weekOf(days) };
};
const mail = (body: string) => ({ email_subject: 'Hi', email_body: body, wait_in_days: 3 });
const mails = (...bodies: string[]): Sections => ({ sequence: { title: 'Spring', steps: bodies.map(mail) } });
const shownMails = (...bodies: string[]): Shown => ({
  sequence:
    bodies.length === 0
      ? null
      : {
          title: 'Spring',
          steps: bodies.map((body, at) => ({
            id: at + 1,
            order: at + 1,
            thread_reply: false,
            ...mail(body),
          })),
        },
});
const cap = (max_emails_per_day: number) => ({ settings: { max_emails_per_day } });
const letters = (text: string) => [...text];

describe('the origin of a difference', () => {
  it.each<[what: string, last: Sections | null, shown: number | null, wanted: number, origin: string]>([
    ['the manifest was changed', cap(200), 200, 150, 'manifest'],
    ['the service was changed', cap(200), 300, 200, 'service'],
    ['both were changed', cap(200), 300, 150, 'both'],
    ['never applied with this state', null, 300, 200, 'null'],
    ['a setting that was not written before', { settings: {} }, 300, 200, 'null'],
    ['a section that was not managed before', {}, 300, 200, 'null'],
    ['a setting that the service does not show', cap(200), null, 150, 'manifest'],
    ['one that it does not show, and nothing was changed', cap(200), null, 200, 'null'],
  ])('%s', (_what, last, number, wanted, origin) => {
    const shown = settings(number === null ? {} : { max_emails_per_day: number });
    expect(origins(last, { shown, spec: cap(wanted) })).toEqual([`settings max_emails_per_day: ${origin}`]);
  });

  const later = { schedule: { ...HOURS, start_time: '10:00' } };
  it.each<[what: string, last: Sections, shown: Json, spec: Sections, origins: string[]]>([
    [
      'hours changed on both sides, different ones',
      { schedule: HOURS },
      scheduled({ end_time: '18:00' }),
      later,
      ['schedule start_time: manifest', 'schedule end_time: service'],
    ],
    ['a schedule that is gone', { schedule: HOURS }, null, { schedule: HOURS }, ['schedule: service']],
    [
      'a schedule that is gone and has changed in the manifest',
      { schedule: HOURS },
      null,
      later,
      ['schedule: both'],
    ],
    ['a schedule that is new', {}, null, { schedule: HOURS }, ['schedule: manifest']],
    ['a schedule that was not managed before', {}, scheduled(), later, ['schedule start_time: null']],
    [
      'own hours in place of a template',
      { schedule: { template: 3 } },
      scheduled({ end_time: '18:00' }),
      { schedule: HOURS },
      ['schedule end_time: null'],
    ],
  ])('%s', (_what, last, schedule, spec, expected) => {
    expect(origins(last, { shown: { schedule }, spec })).toEqual(expected);
  });

  // Each letter is the body of an email.
  it.each<[what: string, last: string, shown: string, wanted: string, origins: string[]]>([
    ['rewritten in the service', 'ab', 'aB', 'ab', ['steps[1].email_body: service']],
    ['rewritten in the manifest', 'ab', 'ab', 'aB', ['steps[1].email_body: manifest']],
    [
      'one on either side',
      'ab',
      'Ab',
      'aB',
      ['steps[0].email_body: service', 'steps[1].email_body: manifest'],
    ],
    ['the same on both sides', 'a', 'A', 'Ä', ['steps[0].email_body: both']],
    ['that the service has more', 'a', 'ab', 'a', ['steps[1]: service']],
    ['that the manifest has less', 'ab', 'ab', 'a', ['steps[1]: manifest']],
    ['that it has less and the service has rewritten', 'ab', 'aB', 'a', ['steps[1]: both']],
    ['that the manifest has more', 'a', 'a', 'ab', ['steps[1]: manifest']],
    ['that both have more', 'a', 'ab', 'ac', ['steps[1].email_body: both']],
    ['all gone', 'a', '', 'a', [': service']],
  ])('emails: %s', (_what, last, shown, wanted, expected) => {
    const spec = mails(...letters(wanted));
    expect(origins(mails(...letters(last)), { shown: shownMails(...letters(shown)), spec })).toEqual(
      expected.map((origin) => `sequence ${origin}`.replace(' :', ':')),
    );
  });

  it('trailing white space is not a change', () => {
    expect(origins(mails('a'), { shown: shownMails('A'), spec: mails('a\n') })).toEqual([
      'sequence steps[0].email_body: service',
    ]);
  });

  it.each<[what: string, shown: string | null, wanted: CampaignSpec['status'], origin: string]>([
    ['paused in the service', 'paused', 'running', 'service'],
    ['paused in the manifest', 'running', 'paused', 'manifest'],
    ['an unknown status', 'resting', 'running', 'null'],
    ['a status that is not shown and has changed in the manifest', null, 'paused', 'manifest'],
  ])('%s', (_what, word, wanted, origin) => {
    const spec = wanted === undefined ? {} : { status: wanted };
    expect(origins({ status: 'running' }, { shown: status(word), spec })).toEqual([`status: ${origin}`]);
  });

  it('is the pause of campaignctl, even if a request of that pause has not been reconciled', () => {
    const scene = {
      shown: status('paused'),
      spec: { status: 'running' as const },
      recorded: { paused: '2026-05-13T08:00:00Z' },
    };
    for (const open of [[], ['status' as const]])
      expect(origins({ status: 'running' }, scene, open)).toEqual(['status: pause']);
    // The manifest was changed as well.
    const changed = { ...scene, shown: status('active'), spec: { status: 'paused' as const } };
    expect(origins({ status: 'running' }, changed, ['status'])).toEqual(['status: null']);
  });

  it('of leads is the manifest’s or not known: what is attached is never shown', () => {
    const recorded = { known: true, attached: { lists: [42], ids: [] } };
    const shown = { campaign: { id: 42 } };
    const more = { leads: { lists: [42, 77] } };
    expect(origins({ leads: { lists: [42] } }, { shown, spec: more, recorded })).toEqual([
      'leads lists: manifest',
    ]);
    expect(origins(more, { shown, spec: more, recorded })).toEqual(['leads lists: null']);
  });

  it('is known if the lists of names that no longer exist are attached', () => {
    const recorded = { known: true, attached: { lists: [77], ids: [] } };
    const shown = { campaign: { id: 42, max_emails_per_day: 300 } };
    const spec = { settings: { max_emails_per_day: 200 }, leads: { lists: [77, 78] } };
    const before = { ...spec, leads: { lists: ['a list of old'] } };
    expect(origins(before, { shown, spec, recorded })).toEqual([
      'settings max_emails_per_day: service',
      'leads lists: manifest',
    ]);
  });

  it.each<[string, (string | number)[], string]>([
    ['a list that is attached', ['a list of old', 'installers-de'], 'manifest'],
    ['no list that is attached', ['a list of old', 'installers-fr'], 'null'],
  ])('of leads, if one of two names is that of %s', (_, lists, origin) => {
    const recorded = { known: true, attached: { lists: [77], ids: [] } };
    const spec = { leads: { lists: [77, 42] } };
    const leads = { lists };
    expect(origins({ leads }, { shown: { campaign: { id: 42 } }, spec, recorded })).toEqual([
      `leads lists: ${origin}`,
    ]);
  });

  it.each<[string, number | string, number, string[]]>([
    ['the template is called otherwise now', 'old-hours', 3, ['schedule end_time: service']],
    ['the template is named by its id now', 3, 3, ['schedule end_time: service']],
    ['it was another template', 'old-hours', 4, ['schedule end_time: null']],
  ])('of hours is known only if it is the template that was applied: %s', (_, before, applied, expected) => {
    const shown = {
      schedule: scheduled({ end_time: '18:00' }),
      templates: [{ id: 3, ...(scheduled() as object) }],
    };
    const spec = { schedule: { template: 'office-hours' } };
    const recorded = { applied: { schedule: { template: applied } } };
    expect(origins({ schedule: { template: before } }, { shown, spec, recorded })).toEqual(expected);
  });

  it.each<[status: string | null, origin: string]>([
    ['draft', 'manifest'],
    ['Draft', 'manifest'],
    ['paused', 'service'],
  ])('of a status whose launch was held is known: now %s', (word, origin) => {
    const recorded = { known: true, launch_held: { at: '2026-05-12T08:00:00Z', status: 'draft' } };
    const spec = { settings: {}, status: 'running' as const };
    expect(origins({ settings: {} }, { shown: status(word), spec, recorded })).toEqual([`status: ${origin}`]);
  });

  it('is unknown if the last applied spec uses a name that no longer exists', () => {
    const spec = { leads: { lists: [77] } };
    expect(
      origins({ leads: { lists: ['a list of old'] } }, { shown: { campaign: { id: 42 } }, spec }),
    ).toEqual(['leads lists: null']);
  });
});

/** A campaign as a table of places, each of which either side may change. */
const places = fc.record({
  cap: fc.constantFrom(100, 200, 300),
  tracking: fc.boolean(),
  text: fc.constantFrom('Leave', 'Stop'),
  start: fc.constantFrom('08:00', '09:00', '10:00'),
  end: fc.constantFrom('17:00', '18:00'),
  first: fc.constantFrom('a', 'b', 'c'),
  second: fc.constantFrom('d', 'e', 'f'),
  status: fc.constantFrom('running' as const, 'paused' as const),
});
type Places = typeof places extends fc.Arbitrary<infer T> ? T : never;
const NAMES: { [place in keyof Places]: string } = {
  cap: 'settings max_emails_per_day',
  tracking: 'settings open_tracking',
  text: 'settings unsubscribe_text',
  start: 'schedule start_time',
  end: 'schedule end_time',
  first: 'sequence steps[0].email_body',
  second: 'sequence steps[1].email_body',
  status: 'status',
};

function specOf({ cap: max_emails_per_day, tracking, text, start, end, first, second, status: on }: Places) {
  return {
    settings: { max_emails_per_day, open_tracking: tracking, unsubscribe_text: text },
    schedule: { ...HOURS, start_time: start, end_time: end },
    ...mails(first, second),
    status: on,
  };
}

function shownOf(live: Places): Shown {
  const { settings: shown, status: word } = specOf(live);
  return {
    campaign: { id: 42, ...shown, status: word },
    schedule: scheduled({ start_time: live.start, end_time: live.end }),
    ...shownMails(live.first, live.second),
  };
}

it('a difference originates on the side that no longer has the last applied value', () => {
  fc.assert(
    fc.property(places, places, places, (base, live, desired) => {
      const expected = (Object.keys(NAMES) as (keyof Places)[])
        .filter((place) => live[place] !== desired[place])
        .map((place) => {
          const origin =
            live[place] === base[place] ? 'manifest' : desired[place] === base[place] ? 'service' : 'both';
          return `${NAMES[place]}: ${origin}`;
        });
      expect(origins(specOf(base), { shown: shownOf(live), spec: specOf(desired) })).toEqual(expected);
    }),
    { numRuns: Number(process.env.TRUST_CASES ?? 100) },
  );
});

const SPEC: CampaignSpec = deepFreeze({
  name: 'Spring installers',
  settings: { max_emails_per_day: 200 },
  leads: { lists: ['installers'] },
  status: 'running',
});
const MAY = '2026-05-12T08:00:00.000Z';
const JUNE = '2026-06-01T08:00:00.000Z';
const last = (spec: CampaignSpec): LastApplied => deepFreeze({ at: MAY, how: 'import', spec });
const unsent = { sent: false, at: JUNE };

describe('the last applied spec', () => {
  it('contains the proven parts and the name', () => {
    const after = lastAfter(null, SPEC, { proven: ['settings'], ...unsent });
    expect(after).toEqual({
      at: JUNE,
      how: 'apply',
      spec: { name: SPEC.name, settings: { max_emails_per_day: 200 } },
    });
    expect(isApplied(after, SPEC)).toBe(false);
    expect(isApplied(lastAfter(after, SPEC, { proven: ['leads', 'status'], ...unsent }), SPEC)).toBe(true);
  });

  it('keeps unproven parts and their age, and drops what is no longer managed', () => {
    const before = last({ ...SPEC, settings: { max_emails_per_day: 100 }, schedule: { template: 3 } });
    expect(
      lastAfter(before, { ...SPEC, status: 'paused' }, { proven: ['leads'], sent: true, at: JUNE }),
    ).toEqual(last({ ...SPEC, settings: { max_emails_per_day: 100 } }));
  });

  it('is unchanged if nothing is new, unless something was sent', () => {
    const before = last(SPEC);
    const proven = ['settings', 'leads', 'status'] as const;
    expect(lastAfter(before, SPEC, { proven, ...unsent })).toBe(before);
    expect(lastAfter(before, SPEC, { proven: [], ...unsent })).toBe(before);
    expect(lastAfter(before, SPEC, { proven, sent: true, at: JUNE })).toEqual({
      at: JUNE,
      how: 'apply',
      spec: SPEC,
    });
  });

  it('is null as long as nothing was proven', () => {
    expect(lastAfter(null, SPEC, { proven: [], ...unsent })).toBeNull();
    expect(isApplied(null, { name: 'Bare' })).toBe(false);
    expect(isApplied(lastAfter(null, { name: 'Bare' }, { proven: [], ...unsent }), { name: 'Bare' })).toBe(
      true,
    );
  });

  it('does not differ in line ends, the Unicode form or surrounding white space', () => {
    const step = (email_body: string) => ({
      sequence: { title: 'Spring', steps: [{ email_subject: 'Hi', email_body, wait_in_days: 3 }] },
    });
    const before = last({ ...SPEC, ...step('Caf\u00e9?\nHi') });
    expect(isApplied(before, { ...SPEC, ...step(' Cafe\u0301?\r\nHi\r\n') })).toBe(true);
    expect(isApplied(before, { ...SPEC, ...step('Cafe?\nHi') })).toBe(false);
  });

  it('differs in a different id, order or text', () => {
    const others: CampaignSpec[] = [
      { ...SPEC, id: 42 },
      { ...SPEC, leads: { lists: [77] } },
      { ...SPEC, sequence: { title: 'x', steps: [] } },
      { name: SPEC.name },
    ];
    expect(others.map((spec) => isApplied(last(SPEC), spec))).toEqual([false, false, false, false]);
  });
});

describe('what is already in sync', () => {
  it('is every part without a change', () => {
    expect(unchangedSections(campaignPlan('Spring', { changes: [bodyChange('a', 'b')] }))).toEqual(
      OPTIONAL_SECTIONS.filter((name) => name !== 'sequence'),
    );
  });

  it('is empty for a campaign that is gone', () => {
    const gone = { code: 'campaign-gone' as const, severity: 'blocked' as const, message: '', hint: '' };
    expect(unchangedSections(campaignPlan('Spring', { problems: [gone] }))).toEqual([]);
  });
});

describe('a plan of which only drift remains', () => {
  const LAST = { at: '2026-05-12T08:00:00Z', how: 'apply' as const };
  const fact = (code: PlanProblem['code'], severity: PlanProblem['severity'] = 'hazard'): PlanProblem => ({
    ...{ code, severity, message: code, hint: '' },
  });
  const changed = (origin: Origin | null) => ({ ...bodyChange('a', 'b'), origin });
  const drift = (campaigns: CampaignPlan[], more: Partial<Plan> = {}, renamed: [string, string][] = []) =>
    keepDrift(deepFreeze(planOf(campaigns, more)), new Map(renamed));

  it.each<[string, Partial<CampaignPlan>, unknown[], string[]]>([
    [
      'changes made in the service',
      { changes: [changed('service'), changed('manifest')] },
      [changed('service')],
      [],
    ],
    ['changes made on both sides', { changes: [changed('both')] }, [changed('both')], []],
    ['what is missing', { problems: [fact('missing'), fact('launch')] }, [], ['missing']],
    [
      'lost emails and hours',
      { problems: [fact('sequence-missing'), fact('schedule-missing')] },
      [],
      ['sequence-missing', 'schedule-missing'],
    ],
    [
      'that it is gone, and its unknown status',
      { problems: [fact('campaign-gone'), fact('unknown-status')] },
      [],
      ['campaign-gone', 'unknown-status'],
    ],
  ])('keeps %s', (_, facts, changes, codes) => {
    const campaign = campaignPlan('Spring', { last: LAST, steps: [step('sequence')], ...facts });
    const { campaigns, summary } = drift([campaign, campaignPlan('Other', { id: 13, last: LAST })]);
    const problems = codes.map((code) => fact(code as PlanProblem['code'], 'warning'));
    const shown = { action: 'drift', steps: [], content: null, impact: null };
    expect(campaigns).toEqual([{ ...campaign, ...shown, changes, problems }]);
    expect(summary).toEqual({ ...EMPTY_SUMMARY, change: 1, unchanged: 1 });
  });

  it.each<[string, Partial<CampaignPlan>]>([
    ['a change of the manifest', { last: LAST, changes: [changed('manifest')] }],
    [
      'that it is gone, if it was never applied',
      { problems: [fact('campaign-gone'), fact('unknown-status')] },
    ],
    ['a new name of its manifest', { last: LAST, problems: [fact('rename')] }],
    ['a hazard', { last: LAST, problems: [fact('launch'), fact('shared-leads')] }],
  ])('omits %s', (_, facts) => {
    expect(drift([campaignPlan('Spring', facts)]).campaigns).toEqual([]);
  });

  it('shows a campaign that was renamed in the service', () => {
    const renamed: [string, string][] = [['Spring', 'Fair']];
    const [campaign] = drift(
      [campaignPlan('Spring', { problems: [fact('rename'), fact('launch')] })],
      {},
      renamed,
    ).campaigns;
    const name = {
      section: 'campaign',
      path: 'name',
      kind: 'update',
      from: 'Fair',
      to: 'Spring',
      note: null,
    };
    expect(campaign?.changes).toEqual([{ ...name, origin: 'service' }]);
    expect(campaign?.problems).toEqual([fact('rename', 'warning')]);
  });

  it('shows emails that were switched off after an apply', () => {
    const task: ByHandTask = {
      ...{ campaign: 'Spring', id: 12, manifest: 'a.yaml', does: 'update', section: 'sequence' },
      ...{ path: 'steps[0].active', place: '', from: false, to: true },
    };
    const off = (id: number, last: CampaignPlan['last'], by_hand: ByHandTask[]) =>
      drift([campaignPlan('Spring', { id, last })], { by_hand }).campaigns.flatMap(({ changes }) => changes);
    const change = { section: 'sequence', path: 'steps[0].active', kind: 'update', from: false, to: true };
    expect(off(12, LAST, [task])).toEqual([{ ...change, note: null, origin: 'service' }]);
    expect(off(12, null, [task])).toEqual([]);
    expect(off(13, LAST, [task])).toEqual([]);
    expect(
      off(12, LAST, [
        { ...task, path: 'steps[0].email_body' },
        { ...task, section: 'leads' },
      ]),
    ).toEqual([]);
  });

  it('shows campaigns without a manifest as they are, each once', () => {
    const other: OtherCampaign = {
      ...{ id: 12, name: 'Old', manifest: 'a.yaml', outside: false, running: true, status: 'active' },
      ...{ basis: 'shown', max_emails_per_day: null, step: step('status', { id: 'pause' }) },
    };
    const missing = campaignPlan('Spring', { last: LAST, problems: [fact('missing')] });
    const plan = drift([missing], {
      removed: [other, { ...other, id: 14 }],
      replaced: [other, { ...other, superseded_by: 9 }],
    });
    expect(plan.removed).toEqual([{ ...other, id: 14, step: null }]);
    expect(plan.replaced).toEqual([{ ...other, superseded_by: 9, step: null }]);
    expect(plan.summary.removed).toBe(1);
    expect(plan).toMatchObject({ mode: 'drift', by_hand: [] });
  });

  it('says what cannot be known, which launches are held, and which statuses are not shown', () => {
    const about = [fact('unknown-status', 'warning'), fact('status-not-shown', 'warning')];
    const held = { last: LAST, launch_held: '2026-05-12T08:00:00Z' };
    const { problems } = drift(
      [
        campaignPlan('A', held),
        campaignPlan('B', { ...held, last: null }),
        campaignPlan('C', { ...held, launch_held: '2026-05-13T08:00:00Z' }),
        campaignPlan('D', { last: null }),
        campaignPlan('E', { last: LAST, changes: [changed('service'), changed(null)] }),
        campaignPlan('F', { id: null, problems: [fact('launch'), fact('rename')] }),
        campaignPlan('G', { id: null, problems: [fact('launch')] }),
        campaignPlan('H', { last: LAST, changes: [changed('service')] }),
      ],
      { problems: [...about, fact('mass-change')] },
    );
    expect(problems).toEqual([
      ...about,
      problem('launch-held/several', [
        ['2026-05-12', ['A', 'B']],
        ['2026-05-13', ['C']],
      ]),
      problem('drift-unknown', [
        { name: 'D', reason: 'never applied with this state' },
        { name: 'E', reason: 'differences of unknown origin' },
        { name: 'F', reason: 'no campaign has its name' },
      ]),
    ]);
    expect(drift([campaignPlan('H', { last: LAST })]).problems).toEqual([]);
  });
});
