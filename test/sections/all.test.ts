import { describe, expect, it } from 'vitest';
import type { CampaignSpec } from '../../src/model/spec.js';
import { CREATED_STATE, type RecordedState, UNKNOWN_STATE } from '../../src/model/state.js';
import { inOrder, readableSections, recordStep, replan } from '../../src/sections/all.js';
import { SECTIONS } from '../../src/sections/index.js';
import { liveContext, newContext } from '../support/context.js';
import { step } from '../support/plans.js';
import { DEFAULT_SETTINGS } from '../support/service/store.js';

const stepOf = (id: string) => step('campaign', { id });
const ORDER = [
  'pause',
  'create',
  'settings',
  'schedule',
  'sequence',
  'variants',
  'leads/list-9',
  'leads/list-10',
  'leads/batch-1',
  'launch',
];

describe('the order of the steps of one campaign', () => {
  it('is pause, create, settings, schedule, sequence, variants, leads, launch', () => {
    expect(inOrder([...ORDER].sort().map(stepOf)).map(({ id }) => id.split('/')[0])).toEqual(
      ORDER.map((id) => id.split('/')[0]),
    );
  });

  it('keeps the order within a stage', () => {
    const leads = ['leads/list-9', 'leads/list-10', 'leads/batch-1'].map(stepOf);
    expect(inOrder(leads)).toEqual(leads);
  });
});

const SPEC: CampaignSpec = {
  name: 'Spring installers',
  settings: { max_emails_per_day: 200 },
  schedule: { days: ['monday'], start_time: '09:00', end_time: '17:00', timezone: 'Europe/Paris' },
  sequence: {
    title: 'Spring sequence',
    steps: [{ email_subject: 'Hi', email_body: 'Hello', wait_in_days: 1 }],
  },
  leads: { lists: [77], ids: [2, 1] },
  status: 'running',
};

describe('planning again', () => {
  const subject = liveContext(
    SPEC,
    {
      campaign: { id: 42, name: 'Spring installers', max_emails_per_day: 100, status: 'paused' },
      schedule: null,
      sequence: null,
    },
    { recorded: CREATED_STATE },
  );

  it('returns the remaining steps of the requested sections, in order', () => {
    const { changes, steps } = replan(subject, ['status', 'settings']);
    expect(changes.map(({ section, path }) => `${section} ${path}`)).toEqual([
      'settings max_emails_per_day',
      'status ',
    ]);
    expect(steps.map(({ id }) => id)).toEqual(['settings', 'launch']);
  });

  it('returns the steps of a full plan', () => {
    const all = SECTIONS.map(({ name }) => name);
    expect(replan(subject, all).steps.map(({ id }) => id)).toEqual([
      'settings',
      'schedule',
      'sequence',
      'leads/list-77',
      'leads/batch-1',
      'launch',
    ]);
  });

  it('returns nothing for no sections', () => {
    expect(replan(subject, [])).toEqual({ changes: [], steps: [] });
  });
});

describe('recording', () => {
  const steps = replan(
    newContext(SPEC),
    SECTIONS.map(({ name }) => name),
  ).steps;

  it('keeps what the service will not show, step by step', () => {
    const last = steps.reduce((recorded, step) => recordStep(recorded, step, 'done'), UNKNOWN_STATE);
    expect(last).toEqual({
      created: true,
      known: true,
      at_defaults: false,
      attached: { lists: [77], ids: [1, 2] },
      doubtful: { lists: [], ids: [] },
      total_leads: 0,
      attached_at: null,
      applied: {
        settings: { ...DEFAULT_SETTINGS, max_emails_per_day: 200 },
        schedule: { template: null },
        sequence: { title: 'Spring sequence' },
      },
      sequence: { steps: 1, variants: 0 },
      schedule_seen: true,
      status: 'running',
      launched: true,
      has_run: true,
      last: null,
      seen: null,
    });
  });

  it('records doubts, and forgets what they may have changed', () => {
    const doubt = {
      ...UNKNOWN_STATE,
      doubtful: { lists: [77], ids: [1, 2] },
      applied: { settings: {} },
      // The launch may have taken effect.
      has_run: true,
    };
    const recall = (before: RecordedState) =>
      steps.reduce((recorded, step) => recordStep(recorded, step, 'in_doubt'), before);
    expect(recall(UNKNOWN_STATE)).toEqual(doubt);
    const applied = { sequence: { title: 'Old' }, schedule: { template: 3 } };
    expect(recall({ ...UNKNOWN_STATE, status: 'paused', applied })).toEqual(doubt);
  });
});

describe('before a launch', () => {
  it('everything managed that can be read is read back, except for the status', () => {
    expect(readableSections(liveContext(SPEC, {}))).toEqual(['settings', 'schedule', 'sequence']);
    expect(readableSections(liveContext({ leads: { lists: [77] }, status: 'running' }, {}))).toEqual([]);
  });

  it.each([
    ['Active', { sends: 'yes', mails: true, word: 'Active', meaning: 'running', failed: false }],
    ['Failed', { sends: 'no', mails: false, word: 'Failed', meaning: 'stopped', failed: true }],
    ['queued', { sends: 'yes', mails: true, word: 'queued', meaning: 'starting', failed: false }],
    [null, { sends: 'unknown', mails: true, word: null, meaning: 'unknown', failed: false }],
  ])('"%s" is named', (status, shown) => {
    expect(liveContext(SPEC, { campaign: { id: 42, status } }).status).toMatchObject(shown);
  });
});
