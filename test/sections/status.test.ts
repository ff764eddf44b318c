import { describe, expect, it } from 'vitest';
import { PAUSE_STEP } from '../../src/model/reports.js';
import { CREATED_STATE, type RecordedState, UNKNOWN_STATE } from '../../src/model/state.js';
import type { Status } from '../../src/model/target.js';
import type { StepEffect } from '../../src/sections/section.js';
import { classifyStatus, statusInList } from '../../src/sections/sending.js';
import {
  contradiction,
  isStoppedByHand,
  launchHazard,
  recordEarlier,
  status,
} from '../../src/sections/status.js';
import { listedCampaign } from '../support/campaigns.js';
import { coded, IN_SYNC, liveContext, NOT_MANAGED, newContext } from '../support/context.js';
import { environment, UNKNOWN_SERVICE } from '../support/environment.js';
import { changeIn, step } from '../support/plans.js';
import { planSection } from '../support/works.js';

const plan = (
  written: 'running' | 'paused',
  word: string | null,
  recorded: Partial<RecordedState> = { status: null },
) =>
  coded(
    planSection(
      status,
      liveContext(
        { status: written },
        { campaign: word === null ? { id: 42 } : { id: 42, status: word } },
        { recorded },
      ),
    ),
  );
const change = (from: string | null, to: string) => changeIn('status')('', 'update', from, to);
const patch = (id: string, to: string) =>
  step('status', {
    ...{ id, title: `${id} the campaign`, method: 'PATCH', path: `/api/campaigns/42/${to}` },
    irreversible: id === 'launch',
  });
const [LAUNCH, PAUSE] = [patch('launch', 'resume'), patch('pause', 'pause')];
const HAZARD = 'hazard launch';
const is = (sends: Status['sends'], word: string | null, meaning: Status['meaning']): Status => ({
  ...{ sends, word, meaning, failed: false, mails: sends !== 'no' },
  ...{ basis: word === null ? 'unknown' : 'shown', since: null, doubt: null },
  ...{ isDraft: word?.toLowerCase() === 'draft', provesRun: sends === 'yes' || meaning === 'finished' },
});

describe('the words for a status', () => {
  it.each([
    ['running', ['active', 'running', 'started', 'sending', 'Active', ' ACTIVE ']],
    ['starting', ['queued', 'launching', 'launched', 'Queued']],
    ['stopped', ['draft', 'paused', 'stopped', 'inactive', 'failed', 'Draft', 'PAUSED']],
    ['finished', ['completed', 'Completed']],
    [
      'gone',
      ['archived', 'deleted', 'pending deletion', 'Pending Deletion', 'pending_deletion', 'pending-deletion'],
    ],
    ['unknown', ['warming', '', 'activ']],
  ])('mean %s: %s', (meaning, words) => {
    expect(words.map((word) => classifyStatus(word, UNKNOWN_SERVICE.statuses))).toEqual(
      words.map(() => meaning),
    );
  });

  it('have no meaning if there is none', () => {
    expect(classifyStatus(null, UNKNOWN_SERVICE.statuses)).toBe('unknown');
  });

  it('are added to, or given another meaning, by the project file', () => {
    const statuses = { ...UNKNOWN_SERVICE.statuses, stopped: ['Warming', 'launched'], running: ['live'] };
    expect(['warming', 'LAUNCHED', 'live', 'active'].map((word) => classifyStatus(word, statuses))).toEqual([
      'stopped',
      'stopped',
      'running',
      'running',
    ]);
  });

  it.each([
    ['active', 'yes', true],
    ['queued', 'yes', true],
    ['warming', 'unknown', true],
    ['completed', 'no', true],
    ['paused', 'no', false],
    ['archived', 'no', false],
  ])('say whether emails are sent, and whether leads added now are mailed: %s', (word, sends, mails) => {
    expect(liveContext({}, { campaign: { id: 42, status: word } }).status).toMatchObject({ sends, mails });
  });

  it('include one for a failed launch', () => {
    const failed = (word: string | null) =>
      liveContext({}, { campaign: { id: 42, status: word } }).status.failed;
    expect(['failed', 'Failed ', 'paused', null].map(failed)).toEqual([true, true, false, false]);
  });
});

describe('a status', () => {
  it('of running launches an idle campaign, as a hazard', () => {
    expect(plan('running', 'Paused')).toEqual({
      changes: [change('Paused', 'running')],
      problems: [HAZARD],
      steps: [{ ...LAUNCH, title: 'resume the campaign' }],
      live: is('no', 'Paused', 'stopped'),
    });
  });

  it('of paused pauses a sending campaign', () => {
    expect(plan('paused', 'active')).toEqual({
      changes: [change('active', 'paused')],
      problems: [],
      steps: [PAUSE],
      live: is('yes', 'active', 'running'),
    });
  });

  it.each<['running' | 'paused', string]>([
    ['running', 'active'],
    ['running', 'queued'],
    ['running', 'launching'],
    ['running', 'completed'],
    ['paused', 'draft'],
    ['paused', 'paused'],
    ['paused', 'failed'],
    ['paused', 'completed'],
  ])('of %s is met by %s', (written, word) => {
    expect(plan(written, word)).toMatchObject(IN_SYNC);
  });

  it('of paused stops a launch in progress, and of running launches again after a failure', () => {
    expect(plan('paused', 'queued')).toMatchObject({ changes: [change('queued', 'paused')], steps: [PAUSE] });
    expect(plan('running', 'failed')).toMatchObject({ problems: [HAZARD], steps: [LAUNCH] });
  });

  it('launches a new campaign, and never pauses it', () => {
    expect(coded(planSection(status, newContext({ status: 'running' })))).toEqual({
      changes: [{ ...change(null, 'running'), kind: 'add' }],
      problems: [HAZARD],
      steps: [{ ...LAUNCH, path: '/api/campaigns/{campaign_id}/resume' }],
      live: is('no', null, 'stopped'),
    });
    expect(planSection(status, newContext({ status: 'paused' }))).toMatchObject(IN_SYNC);
  });

  it('is neither managed nor read if it is not declared', () => {
    expect(planSection(status, liveContext({}, { campaign: { id: 42, status: 'active' } }))).toEqual(
      NOT_MANAGED,
    );
    expect(status.reads({ name: 'Spring installers' })).toEqual([]);
    expect(status.reads({ name: 'Spring installers', status: 'paused' })).toEqual(['campaign']);
  });
});

describe('an unknown status', () => {
  it('blocks a launch', () => {
    expect(plan('running', 'warming')).toEqual({
      changes: [change('warming', 'running')],
      problems: ['blocked unknown-status'],
      steps: [],
      live: is('unknown', 'warming', 'unknown'),
    });
  });

  it('is paused to be safe, with a warning', () => {
    expect(plan('paused', 'warming')).toMatchObject({
      changes: [change('warming', 'paused')],
      problems: ['warning unknown-status'],
      steps: [PAUSE],
    });
  });

  const PAUSED = status.recordStep(CREATED_STATE, PAUSE, 'done');

  it.each<[string, RecordedState]>([
    ['it was created here', CREATED_STATE],
    ['it was paused by campaignctl', PAUSED],
    ['it was launched', status.recordStep(PAUSED, LAUNCH, 'done')],
    ['the outcome of a pause is in doubt', status.recordStep(PAUSED, PAUSE, 'in_doubt')],
  ])('never counts as the declared status: %s', (_, recorded) => {
    expect(plan('paused', 'warming', recorded)).toMatchObject({ steps: [PAUSE] });
    expect(plan('running', 'warming', recorded)).toMatchObject({
      changes: [change('warming', 'running')],
      problems: ['blocked unknown-status'],
      steps: [],
    });
  });

  it.each([[''], [' ']])('is no status if the service shows %j', (word) => {
    const more = { recorded: { status: 'running', has_run: true } };
    const live = liveContext({ status: 'paused' }, { campaign: { id: 42, status: word } }, more).status;
    expect(live).toEqual({ ...is('yes', 'running', 'running'), basis: 'set' });
  });

  it('is no status if the service shows none', () => {
    expect(plan('running', null)).toMatchObject({ problems: ['blocked unknown-status'], steps: [] });
  });

  it('is an error if it is not text', () => {
    const shown = { campaign: { id: 42, status: { name: 'active' } } };
    expect(() => planSection(status, liveContext({ status: 'running' }, shown))).toThrow('field status: ');
  });
});

it('the list supplies a status that the record lacks, and takes precedence if it shows the campaign as sending', () => {
  const live = (campaign: { id: number; status?: string } | undefined, listed: string | null) => {
    const shown = { ...(campaign && { campaign }), listed: listedCampaign(42, 'Spring', listed) };
    const { word, basis } = liveContext({}, shown, { recorded: { status: 'paused' } }).status;
    return [word, basis === 'set'];
  };
  expect(live({ id: 42 }, 'active')).toEqual(['active', false]);
  expect(live(undefined, 'active')).toEqual(['active', false]);
  expect(live({ id: 42, status: 'draft' }, 'active')).toEqual(['active', false]);
  expect(live({ id: 42, status: 'active' }, 'draft')).toEqual(['active', false]);
  expect(live({ id: 42, status: 'flying' }, 'active')).toEqual(['active', false]);
  expect(live({ id: 42, status: 'completed' }, 'active')).toEqual(['active', false]);
  expect(live({ id: 42, status: 'flying' }, 'completed')).toEqual(['flying', false]);
  expect(live({ id: 42, status: 'draft' }, 'on')).toEqual(['draft', false]);
  expect(live({ id: 42 }, null)).toEqual(['paused', true]);
});

describe('a status that the service does not show', () => {
  const AT = '2026-03-02T09:00:00.000Z';
  const PAUSED = status.recordStep(CREATED_STATE, PAUSE, 'done');
  const RUNNING = status.recordStep(CREATED_STATE, LAUNCH, 'done');
  const known = (recorded: RecordedState, othersShowStatus = false) => {
    const { word, sends, basis, doubt } = liveContext(
      {},
      { campaign: { id: 42 } },
      { recorded, othersShowStatus },
    ).status;
    return basis === 'set' ? [word, sends] : [basis, doubt];
  };

  it.each<[string, RecordedState, unknown[]]>([
    ['created and never launched', CREATED_STATE, ['draft', 'no']],
    ['created and paused', PAUSED, ['draft', 'no']],
    [
      'created and paused, with an unknown outcome',
      status.recordStep(CREATED_STATE, PAUSE, 'in_doubt'),
      ['draft', 'no'],
    ],
    ['launched', RUNNING, ['running', 'yes']],
    ['launched and paused', status.recordStep(RUNNING, PAUSE, 'done'), ['paused', 'no']],
    [
      'launched, with an unknown outcome',
      status.recordStep(PAUSED, LAUNCH, 'in_doubt'),
      ['unknown', 'in_doubt'],
    ],
    [
      'paused with an unknown outcome',
      status.recordStep(RUNNING, PAUSE, 'in_doubt'),
      ['unknown', 'in_doubt'],
    ],
    ['never touched', UNKNOWN_STATE, ['unknown', 'not_set']],
    ['paused, but not created here', status.recordStep(UNKNOWN_STATE, PAUSE, 'done'), ['paused', 'no']],
    ['shown before', { ...RUNNING, status_shown: true }, ['unknown', 'shown_before']],
    ['shown before it was launched', { ...CREATED_STATE, status_shown: true }, ['unknown', 'shown_before']],
    [
      'shown before it was paused',
      status.recordStep({ ...RUNNING, status_shown: true }, PAUSE, 'done'),
      ['paused', 'no'],
    ],
  ])('is what campaignctl did last: %s', (_, recorded, expected) => {
    expect(known(recorded)).toEqual(expected);
  });

  it.each<[string, RecordedState, unknown[]]>([
    ['created and never launched', CREATED_STATE, ['draft', 'no']],
    ['paused', status.recordStep(RUNNING, PAUSE, 'done'), ['paused', 'no']],
    ['launched', RUNNING, ['unknown', 'shown_elsewhere']],
  ])(
    'counts, if others show one, only for a campaign that campaignctl did not launch: %s',
    (_, recorded, expected) => {
      expect(known(recorded, true)).toEqual(expected);
    },
  );

  it('is launched from, paused and in sync like one that is shown', () => {
    expect(plan('running', null, { ...CREATED_STATE })).toMatchObject({
      problems: [HAZARD],
      steps: [LAUNCH],
    });
    expect(plan('running', null, RUNNING)).toMatchObject(IN_SYNC);
    expect(plan('paused', null, RUNNING)).toMatchObject({ problems: [], steps: [PAUSE] });
    expect(plan('paused', null, PAUSED)).toMatchObject(IN_SYNC);
  });

  it('is settled by a pause if it is unknown, and never launched', () => {
    const inDoubt = status.recordStep(PAUSED, LAUNCH, 'in_doubt');
    expect(plan('running', null, inDoubt)).toMatchObject({
      problems: ['blocked launch-in-doubt'],
      steps: [],
    });
    expect(plan('paused', null, inDoubt)).toMatchObject({
      problems: ['warning unknown-status'],
      steps: [PAUSE],
    });
  });

  it('has its source in the change and in an imported manifest', () => {
    const more = { recorded: { ...RUNNING, status_at: AT } };
    const live = liveContext({ status: 'paused' }, { campaign: { id: 42 } }, more);
    const source = 'running, as last set on 2026-03-02; the service shows no status';
    expect(status.plan(live).changes).toMatchObject([{ from: 'running', to: 'paused', note: source }]);
    expect(status.toManifest(live)).toMatchObject({ section: 'running', remarks: [{ text: source }] });
  });
});

describe('the recorded state of a status', () => {
  it('keeps the status last set', () => {
    expect(status.recordStep(UNKNOWN_STATE, LAUNCH, 'done').status).toBe('running');
    expect(status.recordStep(UNKNOWN_STATE, PAUSE, 'done').status).toBe('paused');
  });
  it('keeps nothing in doubt', () => {
    expect(status.recordStep(UNKNOWN_STATE, LAUNCH, 'in_doubt')).toEqual({ ...UNKNOWN_STATE, has_run: true });
  });
  it('keeps that a launch may have taken effect, but not for a pause', () => {
    const hasRunAfter = (id: string, effect: StepEffect) =>
      status.recordStep(CREATED_STATE, { ...LAUNCH, id }, effect).has_run;
    expect([hasRunAfter('launch', 'done'), hasRunAfter('launch', 'in_doubt')]).toEqual([true, true]);
    expect([hasRunAfter('pause', 'done'), hasRunAfter('pause', 'in_doubt')]).toEqual([false, false]);
  });
});

const NINE = '2026-03-02T09:00:00.000Z';
/** Minutes before or after nine. */
const minutes = (count: number) => new Date(Date.parse(NINE) + count * 60_000).toISOString();

describe('a launch of an earlier run', () => {
  const paused = { status: 'paused', paused: NINE, has_run: false } as const;
  it.each<[string, Partial<RecordedState>, number, StepEffect, Partial<RecordedState>]>([
    ['sets the status if no person paused', { has_run: false }, 0, 'done', { status: 'running' }],
    ['sets it more than ten minutes after a pause', paused, 10.1, 'done', { status: 'running' }],
    ['leaves it open if its outcome is', paused, 10.1, 'in_doubt', { status: null }],
    [
      'leaves it open within ten minutes after a pause, which stays',
      paused,
      10,
      'done',
      { status: null, paused: NINE },
    ],
    ['leaves it open just after a pause', paused, 0.1, 'done', { status: null, paused: NINE }],
    ['leaves the pause that came at the same time', paused, 0, 'done', { status: 'paused', paused: NINE }],
    ['leaves a later pause', paused, -30, 'done', { status: 'paused', paused: NINE }],
  ])('%s', (_, before, at, effect, { status, paused }) => {
    const after = recordEarlier({ ...CREATED_STATE, ...before }, LAUNCH, { effect, at: minutes(at) });
    expect([after.status, after.paused, after.has_run]).toEqual([status, paused, true]);
    if (status === 'running') expect(after.status_at).toBe(minutes(at));
  });
});

describe('a pause of an earlier run', () => {
  const running = { status: 'running', status_at: NINE } as const;
  it.each<[string, Partial<RecordedState>, number, StepEffect, RecordedState['status']]>([
    ['sets the status if no launch is known', {}, 0, 'done', 'paused'],
    ['sets it at the time of a launch', running, 0, 'done', 'paused'],
    ['sets it after a launch', running, 30, 'done', 'paused'],
    ['leaves it open if its outcome is', running, 30, 'in_doubt', null],
    ['leaves it open within ten minutes before a launch', running, -10, 'done', null],
    ['leaves a launch more than ten minutes later', running, -10.1, 'done', 'running'],
  ])('%s', (_, before, at, effect, expected) => {
    const sent = { effect, at: minutes(at) };
    const byApply = recordEarlier({ ...CREATED_STATE, ...before }, PAUSE, sent);
    const byPerson = recordEarlier({ ...CREATED_STATE, ...before }, { ...PAUSE, id: PAUSE_STEP }, sent);
    expect([byApply.status, byApply.paused]).toEqual([expected, undefined]);
    expect([byPerson.status, byPerson.paused]).toEqual([
      expected,
      expected === 'running' ? undefined : sent.at,
    ]);
  });
});

describe('a draft', () => {
  const shownAs = (word: string, recorded: RecordedState) => {
    const { sends, doubt, mails } = liveContext(
      {},
      { campaign: { id: 42, status: word } },
      { recorded },
    ).status;
    return [sends, doubt, mails];
  };
  const inList = (word: string, recorded: RecordedState, id = 42) => {
    const entry = { id, manifest: 'spring.yaml', name: 'Spring installers', recorded };
    const row = listedCampaign(42, 'Spring installers', word);
    return statusInList(row, entry, { environment: environment(), listed: [row] }).sends;
  };
  const launched = status.recordStep(CREATED_STATE, LAUNCH, 'done');

  it.each<[string, string, RecordedState, unknown[]]>([
    ['that was never launched', 'draft', CREATED_STATE, ['no', null, false]],
    ['that was launched', 'Draft', launched, ['unknown', 'draft_again', true]],
    [
      'whose launch is in doubt',
      'draft',
      status.recordStep(CREATED_STATE, LAUNCH, 'in_doubt'),
      ['no', null, false],
    ],
    [
      'that was launched, whose next launch is in doubt',
      'draft',
      status.recordStep(launched, LAUNCH, 'in_doubt'),
      ['unknown', 'draft_again', true],
    ],
    [
      'whose pause is in doubt',
      'draft',
      status.recordStep(launched, PAUSE, 'in_doubt'),
      ['unknown', 'draft_again', true],
    ],
    [
      'that was launched and paused',
      'draft',
      status.recordStep(launched, PAUSE, 'done'),
      ['no', null, false],
    ],
    ['that was launched, and failed', 'failed', launched, ['no', null, false]],
    ['that was launched, and paused by a person', 'paused', launched, ['no', null, false]],
  ])('may be sending only if it was launched: one %s', (_, word, recorded, expected) => {
    expect(shownAs(word, recorded)).toEqual(expected);
    expect(inList(word, recorded)).toBe(expected[0]);
  });

  it('in the list is compared with the entry of the same campaign only', () => {
    expect(inList('draft', launched, 43)).toBe('no');
  });
});

it('a list that contradicts the record never proves a launch: nothing is sent, and nothing is reported as in sync', () => {
  const severities = (spec: 'running' | 'paused', record: string, row: string) =>
    contradiction(
      liveContext(
        { status: spec },
        {
          campaign: { id: 42, status: record },
          listed: listedCampaign(42, 'Spring installers', row),
        },
      ),
    ).map(({ severity }) => severity);
  expect(severities('running', 'failed', 'queued')).toEqual(['blocked']);
  expect(severities('running', 'paused', 'active')).toEqual(['blocked']);
  expect(severities('paused', 'paused', 'active')).toEqual(['warning']);
  expect(severities('running', 'warming', 'active')).toEqual(['warning']);
  expect(severities('running', 'active', 'queued')).toEqual([]);
});

it('a launch of a campaign that has run, may have run or contacted leads is called a resume', () => {
  const title = (shown: object, has_run: boolean | null) => {
    const campaign = { id: 42, status: 'paused', ...shown };
    const context = liveContext({ status: 'running' }, { campaign }, { recorded: { known: true, has_run } });
    return planSection(status, context).steps.map((step) => step.title);
  };
  expect(title({}, false)).toEqual(['launch the campaign']);
  expect(title({}, true)).toEqual(['resume the campaign']);
  expect(title({ total_leads_contacted: '60' }, null)).toEqual(['resume the campaign']);
  expect(title({}, null)).toEqual(['resume the campaign']);
  expect(title({ total_leads_contacted: 0 }, null)).toEqual(['launch the campaign']);
});

describe('an idle campaign that a person stopped', () => {
  const APPLIED = '2026-03-02T09:00:00.000Z';
  const last = (written?: 'running' | 'paused') => ({
    ...{ at: APPLIED, how: 'apply' as const, tool: '0' },
    spec: { name: 'Spring', ...(written && { status: written }) },
  });
  const BEFORE = '2026-03-01T09:00:00.000Z';
  const AFTER = '2026-03-03T09:00:00.000Z';
  it.each<[string, string, 'running' | 'paused', boolean]>([
    ['stays if its manifest says paused, too', 'paused', 'paused', true],
    ['goes once the campaign runs, as its manifest says', 'active', 'running', false],
    ['stays if the manifest would launch the campaign again', 'paused', 'running', true],
    ['stays if the manifest would pause what was launched since', 'active', 'paused', true],
  ])('that is known from a pause %s', (_, word, wanted, stays) => {
    const recorded = { known: true, last: last('running'), paused: AFTER };
    const context = liveContext({ status: wanted }, { campaign: { id: 42, status: word } }, { recorded });
    expect(status.recordShown(context).paused).toBe(stays ? AFTER : undefined);
    expect(launchHazard(context).message.includes('campaignctl pause on 2026-03-03')).toBe(word === 'paused');
  });

  it.each<[string, string, Partial<RecordedState>, boolean]>([
    ['it was applied as running', 'paused', { known: true, last: last('running') }, true],
    ['it was applied as paused', 'paused', { known: true, last: last('paused') }, false],
    [
      'pause stopped it after it was applied as paused',
      'paused',
      { known: true, last: last('paused'), paused: AFTER },
      true,
    ],
    [
      'pause stopped it before it was applied as paused',
      'paused',
      { known: true, last: last('paused'), paused: BEFORE },
      true,
    ],
    [
      'pause stopped it before it was imported as paused',
      'paused',
      { known: true, last: { ...last('paused'), how: 'import' }, paused: BEFORE },
      true,
    ],
    [
      'pause stopped it before it was applied without a status',
      'paused',
      { known: true, last: last(), paused: BEFORE },
      true,
    ],
    [
      'it was launched, stopped in the web app and applied without a status',
      'paused',
      { known: true, last: last(), status: 'running' },
      true,
    ],
    ['it is not in the state', 'paused', { known: false, last: null }, true],
    ['it is a draft that is not in the state', 'draft', { known: false, last: null }, false],
    ['it was created here and never applied whole', 'paused', { known: true, last: null }, false],
  ])('%s', (_, word, recorded, expected) => {
    const context = liveContext({ status: 'running' }, { campaign: { id: 42, status: word } }, { recorded });
    expect(isStoppedByHand(context)).toBe(expected);
  });
});

it('if the status in the record is empty, the list decides, also whether the campaign is idle', () => {
  const seen = (value: string, row: string | null) => {
    const shown = { campaign: { id: 42, status: value }, listed: listedCampaign(42, 'Spring', row) };
    const context = liveContext({ status: 'paused' }, shown);
    return [context.status.word, !context.status.mails];
  };
  expect(seen('', 'draft')).toEqual(['draft', true]);
  expect(seen(' ', 'paused')).toEqual(['paused', true]);
  expect(seen('', 'active')).toEqual(['active', false]);
  expect(seen('', null)).toEqual([null, false]);
});

it('a launch in a sandbox does not say that leads get emails', () => {
  const target = liveContext({ status: 'running' }, { campaign: { status: 'draft' } });
  const inSandbox = {
    ...target,
    environment: { ...target.environment, sandbox: { profile: 'documented' as const } },
  };
  expect([target, inSandbox].map((each) => launchHazard(each).message)).toEqual([
    'Apply launches the campaign: its leads will receive its emails. This is irreversible.',
    'Apply launches the campaign in the sandbox, which sends no email.',
  ]);
});
