import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/model/json.js';
import { type Change, NOT_KNOWN, type SectionName } from '../../src/model/outputs.js';
import type { CampaignSpec } from '../../src/model/spec.js';
import { type CampaignApply, type FieldHashes, UNKNOWN_STATE } from '../../src/model/state.js';
import { applyOf, fieldsInSync, sentChanges, undoneApplies, withApply } from '../../src/sections/applies.js';
import { deepFreeze } from '../support/freeze.js';
import { step } from '../support/plans.js';

function change(path: string, from: Json, to: Json, more: Partial<Change> = {}): Change {
  const section: SectionName = 'settings';
  return { section, path, kind: 'update', from, to, note: null, ...more };
}

const CAP = 'max_emails_per_day';
const cap = (from: Json, to: Json) => change(CAP, from, to);

function apply(commit: string | null, ...changes: Change[]): CampaignApply {
  const steps = [step('settings'), step('schedule'), step('sequence'), step('status'), step('leads')];
  const by = { run: `of ${commit}`, at: '2026-03-02T06:00:00Z', who: 'ben@desk', commit };
  return applyOf(by, sentChanges(changes, steps));
}

/** An apply that found the cap in sync. */
function inSync(commit: string): CampaignApply {
  return { ...apply(commit), changes: { [`settings.${CAP}`]: { from: null, to: null } } };
}

const [OLD, NEW] = ['c0ffee', 'badcab'];

/** The commit of the apply that this change undoes, or `null`. */
function undone(planned: Change, applies: CampaignApply[], ancestors: string[]): string | null {
  const [found = null, ...others] = undoneApplies([planned], deepFreeze(applies), new Set(ancestors));
  expect(others).toEqual([]);
  return found === null ? null : (found.apply.commit ?? 'none');
}

describe('a change undoes an apply', () => {
  it.each<[string, Change, CampaignApply[], string[], string | null]>([
    [
      'if it puts back what a commit of another history replaced',
      cap(250, 300),
      [apply(NEW, cap(300, 250))],
      [OLD],
      NEW,
    ],
    ['if the commit is not recorded', cap(250, 300), [apply(null, cap(300, 250))], [OLD], 'none'],
    [
      'if the files differed from the commit',
      cap(250, 300),
      [apply(`${NEW}+`, cap(300, 250))],
      [NEW],
      `${NEW}+`,
    ],
    ['not on top of its commit', cap(250, 300), [apply(NEW, cap(300, 250))], [NEW], null],
    ['not with a new value', cap(250, 400), [apply(NEW, cap(300, 250))], [OLD], null],
    ['not with the value that it applied', cap(222, 250), [apply(NEW, cap(300, 250))], [OLD], null],
    [
      'not in another field',
      change('max_new_leads_per_day', 250, 300),
      [apply(NEW, cap(300, 250))],
      [],
      null,
    ],
    ['even if a person has changed the value since', cap(222, 300), [apply(NEW, cap(300, 250))], [], NEW],
    [
      'even if another apply followed',
      cap(200, 300),
      [apply('b1', cap(300, 250)), apply('b2', cap(250, 200))],
      [],
      'b1',
    ],
    ['that followed', cap(200, 250), [apply('b1', cap(300, 250)), apply('b2', cap(250, 200))], [], 'b2'],
    [
      'not if a later one, on whose commit it is based, followed',
      cap(200, 300),
      [apply('b1', cap(300, 250)), apply('b2', cap(250, 200))],
      ['b2'],
      null,
    ],
    [
      'not if a later one put the value back',
      cap(222, 300),
      [apply('b1', cap(300, 250)), apply('b2', cap(250, 300))],
      [],
      null,
    ],
    [
      'that replaced a change by a person, if the value was applied before',
      cap(250, 300),
      [apply(OLD, cap(500, 300)), apply(NEW, cap(400, 250))],
      [OLD],
      NEW,
    ],
    ['not with a value that no apply replaced', cap(250, 300), [apply(NEW, cap(400, 250))], [], null],
    [
      'not if a commit on which it is based was in sync',
      cap(250, 300),
      [apply(NEW, cap(300, 250)), inSync('m')],
      ['m'],
      null,
    ],
    [
      'if only another history was in sync',
      cap(250, 300),
      [apply(NEW, cap(300, 250)), inSync('m')],
      [OLD],
      NEW,
    ],
    [
      'not because of a value that was unknown',
      change('unsubscribe_text', 'a', null),
      [apply(NEW, change('unsubscribe_text', null, 'a', { note: NOT_KNOWN }))],
      [],
      null,
    ],
    [
      'not if the apply replaced an unknown value, for example to settle a launch in doubt',
      change('', 'paused', 'running', { section: 'status' }),
      [
        apply(OLD, change('', 'draft', 'running', { section: 'status' })),
        apply(NEW, change('', null, 'paused', { section: 'status' })),
      ],
      [],
      null,
    ],
    [
      'if it removes what the apply added',
      change('steps[1]', { email_subject: 'b' }, null, { section: 'sequence', kind: 'remove' }),
      [apply(NEW, change('steps[1]', null, { email_subject: 'b' }, { section: 'sequence', kind: 'add' }))],
      [],
      NEW,
    ],
    [
      'if texts differ only in what a service changes',
      change('steps[0].email_subject', 'b', 'Hello', { section: 'sequence' }),
      [apply(NEW, change('steps[0].email_subject', 'Re: Hello\r\n', 'b', { section: 'sequence' }))],
      [],
      NEW,
    ],
    [
      'if it resumes what the apply paused, whatever the service called it',
      change('', 'Stopped', 'running', { section: 'status' }),
      [apply(NEW, change('', 'Active', 'paused', { section: 'status' }))],
      [],
      NEW,
    ],
    [
      'never by a pause',
      change('', 'Active', 'paused', { section: 'status' }),
      [apply(NEW, change('', 'Stopped', 'running', { section: 'status' }))],
      [],
      null,
    ],
  ])('%s', (_, planned, applies, ancestors, expected) => {
    expect(undone(planned, applies, ancestors)).toBe(expected);
  });

  it('and others of the same apply, which is found once', () => {
    const days = { section: 'schedule' as const };
    const applies = [
      apply('b1', change('days', ['monday'], ['friday'], days)),
      apply('b2', cap(300, 250), change('unsubscribe_text', 'a', 'b')),
    ];
    const changes = [
      change('unsubscribe_text', 'b', 'a'),
      change('days', ['friday'], ['monday'], days),
      cap(250, 300),
    ];
    expect(undoneApplies(changes, applies, new Set())).toEqual([
      { apply: applies[1], changes: [changes[0], changes[2]] },
      { apply: applies[0], changes: [changes[1]] },
    ]);
  });
});

describe('the changes that an apply records', () => {
  const HASH = /^[0-9a-f]{16}$/;

  it('are hashes of those whose requests were sent', () => {
    const all = [cap(300, 250), change('days', ['monday'], ['friday'], { section: 'schedule' })];
    const changes = sentChanges(all, [step('settings')]);
    expect(changes).toEqual({
      [`settings.${CAP}`]: { from: expect.stringMatching(HASH), to: expect.stringMatching(HASH) },
    });
    expect(JSON.stringify(changes)).not.toMatch(/\b(250|300)\b/);
  });

  it('do not include the initial values of a new campaign', () => {
    const create = step('campaign', { id: 'create' });
    expect(sentChanges([cap(1000, 250)], [create, step('settings')])).toEqual({
      [`settings.${CAP}`]: { from: null, to: expect.stringMatching(HASH) },
    });
  });

  const recorded = (applies: CampaignApply[]) => deepFreeze({ ...UNKNOWN_STATE, applies });
  const commits = (applies: CampaignApply[] = []) => applies.map(({ commit }) => commit);

  it('are kept for the last ten applies', () => {
    const applies = Array.from({ length: 10 }, (_, at) => apply(`c${at}`, cap(at, at + 1)));
    const after = withApply(recorded(applies), apply('next', cap(10, 11))).applies;
    expect(commits(after)).toEqual([...commits(applies).slice(1), 'next']);
  });

  it('are recorded once for a run, and not if nothing was changed', () => {
    const [first, second] = [apply('a', cap(1, 2)), apply('b', cap(2, 3))];
    expect(withApply(recorded([first, second]), apply('a', cap(1, 9))).applies).toEqual([
      apply('a', cap(1, 9)),
      second,
    ]);
    expect(withApply(UNKNOWN_STATE, apply('a'))).toBe(UNKNOWN_STATE);
  });

  it('of the last apply that found fields in sync replace those of earlier ones', () => {
    const before = recorded([apply('a', cap(1, 2)), inSync('m1')]);
    expect(commits(withApply(before, inSync('m2')).applies)).toEqual(['a', 'm2']);
    expect(commits(withApply(before, apply('b', cap(2, 3))).applies)).toEqual(['a', 'm1', 'b']);
  });
});

describe('fields that an apply finds in sync', () => {
  const SPEC: CampaignSpec = { name: 'Spring', settings: { max_emails_per_day: 250 } };
  const none: FieldHashes = { from: null, to: null };
  const applies = [apply(OLD, cap(500, 300)), apply(NEW, cap(300, 250))];

  it.each<
    [
      string,
      { spec?: CampaignSpec; changes?: Change[]; ancestors?: string[]; applies?: CampaignApply[] },
      string[],
    ]
  >([
    ['changed last by another history', {}, [`settings.${CAP}`]],
    ['changed last by its own history', { ancestors: [NEW] }, []],
    ['not managed', { spec: { name: 'Spring', settings: { can_unsubscribe: true } } }, []],
    ['of a section that is not managed', { spec: { name: 'Spring' } }, []],
    ['that the plan changes', { changes: [cap(250, 300)] }, []],
    [
      'beside one that the plan changes',
      { changes: [change('unsubscribe_text', 'a', 'b')] },
      [`settings.${CAP}`],
    ],
    [
      'of leads, which no apply puts back',
      { applies: [apply(NEW, change('lists', null, [1], { section: 'leads', kind: 'add' }))] },
      [],
    ],
    [
      'that contains one that the plan changes',
      {
        spec: { ...SPEC, schedule: { template: 3 } },
        applies: [apply(NEW, change('', null, { days: [] }, { section: 'schedule', kind: 'add' }))],
        changes: [change('days', [], ['monday'], { section: 'schedule' })],
      },
      [],
    ],
    ['before anything was applied', { applies: [] }, []],
  ])('%s', (_, { spec = SPEC, changes = [], ancestors = [OLD], applies: known = applies }, expected) => {
    const found = fieldsInSync(
      { ...UNKNOWN_STATE, applies: known },
      { spec, changes, ancestors: new Set(ancestors) },
    );
    expect(found).toEqual(Object.fromEntries(expected.map((field) => [field, none])));
  });
});
