import { expect, it } from 'vitest';
import type { Json } from '../../src/model/json.js';
import type { CampaignSpec } from '../../src/model/spec.js';
import { CREATED_STATE, type RecordedState } from '../../src/model/state.js';
import { buildPlan } from '../../src/plan/build.js';
import { campaign, entryOf, listedCampaign } from '../support/campaigns.js';
import { answer } from '../support/context.js';
import { deepFreeze } from '../support/freeze.js';
import { weekOf } from '../support/service/store.js';
import { planInput, removedTarget, targetOf } from '../support/works.js';

const TEXTS = { email_subject: 'Hi', email_body: 'Hello', wait_in_days: 1, thread_reply: false };
const HOURS = { start_time: '09:00', end_time: '17:00', timezone: 'Europe/Paris' } as const;
const SHOWN = { id: 5, name: 'Spring', status: 'active', max_emails_per_day: 200, plain_text: true };

interface Given {
  spec?: Partial<CampaignSpec>;
  /** Of the predecessor. */
  shown?: Json;
  emails?: Json;
  recorded?: Partial<RecordedState>;
  /** The successor exists, and shows this sequence. */
  successor?: Json;
  renamed?: boolean;
  /** The status in the list. */
  listedAs?: string;
}

/** What a plan says of a succession. */
function replaces({
  spec = {},
  shown = SHOWN,
  emails = null,
  recorded,
  successor,
  renamed,
  listedAs = 'active',
}: Given) {
  const entry = { ...entryOf(5, 'spring.yaml', 'Spring'), recorded: { ...CREATED_STATE, ...recorded } };
  const listed = listedCampaign(5, renamed === true ? 'Spring!' : 'Spring', listedAs);
  const at = 'GET /api/campaigns/5';
  const answers = {
    campaign: answer(at, shown),
    schedule: answer(`${at}/schedule`, { ...weekOf(['monday']), ...HOURS }),
    sequence: answer(`${at}/sequence-steps`, emails),
  };
  const replaced = { ...removedTarget({ entry, listed, answers }), role: 'replaced' as const };
  const predecessor = { id: 5, name: 'Spring', row: listed, entry };
  const manifest = campaign('new.yaml', { name: 'Spring 2', replaces: 5, ...spec });
  const id = successor === undefined ? null : 9;
  const row = id === null ? null : listedCampaign(9, 'Spring 2', 'draft');
  const record = answer('GET /api/campaigns/9', { id: 9, name: 'Spring 2', status: 'draft' });
  const read = {
    campaign: record,
    schedule: null,
    sequence: answer('GET /api/campaigns/9/sequence-steps', successor),
  };
  const target = targetOf({ campaign: manifest, id, listed: row, answers: id === null ? null : read });
  const input = {
    targets: [{ ...target, predecessor }, replaced],
    listed: row === null ? [listed] : [listed, row],
    entries: [entry],
  };
  return buildPlan(deepFreeze(planInput(input))).works[0]?.plan.replaces;
}

const setting = { section: 'settings', kind: 'update', note: null } as const;
const LEFT_OUT = 'not in the manifest, so the new campaign has the documented default';
const CAP = { ...setting, path: 'max_emails_per_day', from: 200, to: 1000, note: LEFT_OUT };
const PLAIN = { ...setting, path: 'plain_text', from: true, to: false, note: LEFT_OUT };
const NONE = { lists: [], ids: [], list_names: [], leads: null };
/** The succession of a campaign whose manifest says nothing. */
const BARE = {
  ...{ id: 5, name: 'Spring', status: 'active', running: true, copy: null, settings: [CAP, PLAIN] },
  ...{ schedule: null, stops: NONE },
};

const SUBJECT = { sequence: { title: 'Spring', steps: [{ ...TEXTS, email_subject: 'Hey' }] } };
const sequence = (title: string | null) => ({
  ...{ title, steps: [{ ...TEXTS, id: 1, order: 1, variant: false, variant_from_step: null }] },
});
const emails = { section: 'sequence', kind: 'update', note: null } as const;
const COPY = { ...emails, path: 'steps[0].email_subject', from: 'Hi', to: 'Hey' };

it.each<[string, Given, object]>([
  ['settings that the manifest leaves out', {}, BARE],
  [
    'another setting, another day, another subject and another title',
    {
      spec: {
        ...{ ...SUBJECT, settings: { max_emails_per_day: 300 } },
        schedule: { days: ['tuesday'], ...HOURS },
      },
      emails: sequence('Old'),
    },
    {
      ...BARE,
      settings: [{ ...CAP, to: 300, note: null }, PLAIN],
      schedule: [{ ...setting, section: 'schedule', path: 'days', from: ['monday'], to: ['tuesday'] }],
      copy: [{ ...emails, path: 'title', from: 'Old', to: 'Spring' }, COPY],
    },
  ],
  ['a title that is not shown', { spec: SUBJECT, emails: sequence(null) }, { ...BARE, copy: [COPY] }],
  [
    'a title that only the state has',
    { spec: SUBJECT, emails: sequence(null), recorded: { applied: { sequence: { title: 'Old' } } } },
    { ...BARE, copy: [{ ...emails, path: 'title', from: 'Old', to: 'Spring' }, COPY] },
  ],
  ['emails where there were none', { spec: SUBJECT }, BARE],
  [
    'emails that the successor has already',
    { spec: SUBJECT, emails: sequence('Old'), successor: sequence('Spring') },
    BARE,
  ],
  [
    'emails of a successor that exists without any',
    { spec: SUBJECT, emails: sequence('Spring'), successor: null },
    { ...BARE, copy: [COPY] },
  ],
  ['no emails in the manifest', { spec: { settings: {} }, emails: sequence('Spring') }, BARE],
  ['a name that a person changed', { renamed: true }, { ...BARE, name: 'Spring!' }],
  [
    'an idle campaign without settings',
    { shown: { id: 5, name: 'Spring', status: 'paused' }, listedAs: 'paused' },
    { ...BARE, status: 'paused', running: false, settings: [] },
  ],
  [
    'a campaign that is gone',
    { shown: { ...SHOWN, status: 'archived' }, listedAs: 'archived' },
    { ...BARE, status: null, running: false },
  ],
])('a plan says what a succession changes: %s', (_, given, succession) => {
  expect(replaces(given)).toEqual(succession);
});

const had = (lists: number[], ids: number[]) => ({ attached: { lists, ids } });

it.each<[string, CampaignSpec['leads'], RecordedState['attached'], number | null, object]>([
  ['all are in both', { ids: [1, 2] }, { lists: [], ids: [1, 2] }, 2, { leads: 0 }],
  ['more are counted than are known', { ids: [1, 2] }, { lists: [], ids: [1, 2] }, 3, {}],
  ['none are counted', { ids: [1, 2] }, { lists: [], ids: [1, 2] }, null, {}],
  ['a list is in both', { lists: [7] }, { lists: [7], ids: [] }, 0, {}],
  ['some are in both', { ids: [1] }, { lists: [], ids: [1, 2] }, 2, { ids: [2] }],
  [
    'none are in both',
    { ids: [3] },
    { lists: [7], ids: [1] },
    101,
    { lists: [7], ids: [1], list_names: ['7'], leads: 101 },
  ],
])(
  'a plan says which leads a succession stops mailing: %s',
  (_, leads = {}, { lists, ids }, total, stops) => {
    const shown = total === null ? SHOWN : { ...SHOWN, total_leads: total };
    expect(replaces({ spec: { leads }, shown, recorded: had(lists, ids) })?.stops).toEqual({
      ...NONE,
      ...stops,
    });
  },
);
