import { describe, expect, it } from 'vitest';
import { type Memory, NEWBORN, UNKNOWN } from '../../src/model/memory.js';
import type { CampaignSpec } from '../../src/model/spec.js';
import { liveStatus, readableAspects, remember, replan } from '../../src/plan/index.js';
import { ASPECTS } from '../../src/sections/index.js';
import { liveSubject, newSubject } from '../support/subject.js';

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
  const subject = liveSubject(
    SPEC,
    {
      campaign: { id: 42, name: 'Spring installers', max_emails_per_day: 100, status: 'paused' },
      schedule: null,
      sequence: null,
    },
    { memory: NEWBORN },
  );

  it('gives what is left of the aspects that were asked for, in order', () => {
    const { changes, steps } = replan(subject, ['status', 'settings']);
    expect(changes.map(({ aspect, path }) => `${aspect} ${path}`)).toEqual([
      'settings max_emails_per_day',
      'status ',
    ]);
    expect(steps.map(({ id }) => id)).toEqual(['settings', 'launch']);
  });

  it('gives the steps that the whole plan would give', () => {
    const all = ASPECTS.map(({ name }) => name);
    expect(replan(subject, all).steps.map(({ id }) => id)).toEqual([
      'settings',
      'schedule',
      'sequence',
      'leads/list-77',
      'leads/batch-1',
      'launch',
    ]);
  });

  it('gives nothing for nothing', () => {
    expect(replan(subject, [])).toEqual({ changes: [], steps: [] });
  });
});

describe('remembering', () => {
  const steps = replan(
    newSubject(SPEC),
    ASPECTS.map(({ name }) => name),
  ).steps;

  it('keeps, step by step, what the service will not show', () => {
    const last = steps.reduce((memory, step) => remember(memory, step, 'done'), UNKNOWN);
    expect(last).toEqual({
      known: true,
      fresh: false,
      attached: { lists: [77], ids: [1, 2] },
      doubtful: { lists: [], ids: [] },
      total_before: null,
      applied: {
        settings: {
          max_emails_per_day: 200,
          max_new_leads_per_day: 1000,
          plain_text: false,
          open_tracking: false,
          reputation_building: false,
          can_unsubscribe: false,
          unsubscribe_text: null,
        },
        schedule: { template: null },
        sequence: { title: 'Spring sequence' },
      },
      status: 'running',
      last: null,
    });
  });

  it('keeps of what is in doubt that it is, and forgets what it may have changed', () => {
    const body = steps.find(({ id }) => id === 'settings')?.body;
    const doubt = {
      ...UNKNOWN,
      doubtful: { lists: [77], ids: [1, 2] },
      applied: { settings_in_doubt: body },
    };
    const recall = (before: Memory) =>
      steps.reduce((memory, step) => remember(memory, step, 'in_doubt'), before);
    expect(recall(UNKNOWN)).toEqual(doubt);
    const applied = { sequence: { title: 'Old' }, schedule: { template: 3 } };
    expect(recall({ ...UNKNOWN, status: 'paused', applied })).toEqual(doubt);
  });
});

describe('before a launch', () => {
  it('everything that is managed and can be read is read back, but the status', () => {
    expect(readableAspects(liveSubject(SPEC, {}))).toEqual(['settings', 'schedule', 'sequence']);
    expect(readableAspects(liveSubject({ leads: { lists: [77] }, status: 'running' }, {}))).toEqual([]);
  });

  it.each([
    ['Active', { word: 'Active', meaning: 'running', failed: false }],
    ['Failed', { word: 'Failed', meaning: 'stopped', failed: true }],
    ['queued', { word: 'queued', meaning: 'starting', failed: false }],
    [null, { word: null, meaning: 'unknown', failed: false }],
  ])('the status "%s" is told', (status, told) => {
    expect(liveStatus(liveSubject(SPEC, { campaign: { id: 42, status } }))).toEqual(told);
  });
});
