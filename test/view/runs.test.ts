import { expect, test } from 'vitest';
import { EMPTY_SUMMARY } from '../../src/model/outputs.js';
import type { ApplyResult, CampaignOutcome } from '../../src/model/reports.js';
import type { Run, RunStep } from '../../src/model/state.js';
import { LEAD_DELAY } from '../../src/model/words.js';
import { renderApplyText, renderRunsText, renderRunText, reportHistory } from '../../src/view/runs.js';
import { coloured, plain, type TextOptions } from '../../src/view/terminal.js';
import { step as planned } from './plans.js';

const TEXT: TextOptions = { paint: plain, width: 100 };

function step(part: Partial<RunStep>): RunStep {
  return {
    at: '2026-11-21T05:12:44.123Z',
    manifest: 'campaigns/spring.yaml',
    name: 'Spring installers',
    id: 7,
    step: planned({ title: 'change settings', path: '/api/campaigns/7/update' }),
    result: 'done',
    detail: null,
    ...part,
  };
}

const RUN: Run = {
  run: '20261121T051243Z-4f2a',
  environment: 'production',
  at: '2026-11-21T05:12:43.001Z',
  who: 'ada on build-3',
  command: 'apply',
  commit: '0123456789abcdef0123456789abcdef01234567',
  tool: '0.1.0',
  fingerprint: 'sha256:8b1a',
  summary: { ...EMPTY_SUMMARY, change: 2, unchanged: 1, launch: 1, requests: 5 },
  ended: null,
  result: 'died',
  pending: true,
  steps: [
    step({}),
    step({
      name: 'Autumn \u001b[2J',
      id: null,
      result: 'failed',
      detail: `422: ${'the days are missing '.repeat(6)}`,
    }),
    step({ result: 'in_doubt', detail: 'The connection broke.' }),
    step({ result: null }),
    step({ result: 'not_run' }),
  ],
};
const RUNS: Run[] = [
  RUN,
  {
    ...RUN,
    run: '20261120T090000Z-11aa',
    who: 'jo',
    command: 'state rebase',
    commit: null,
    result: 'done',
    pending: false,
    steps: [step({})],
  },
  {
    ...RUN,
    run: '20261119T090000Z-77c0',
    result: 'interrupted',
    pending: false,
    command: 'pause',
    commit: 'fedcba9876543210fedcba9876543210fedcba98+',
    steps: [],
  },
];

test('the runs of an environment are shown on one line each, with what the next apply must reconcile', async () => {
  await expect(renderRunsText('production', RUNS, TEXT)).toMatchFileSnapshot('golden/runs.txt');
  expect(renderRunsText('production', [], TEXT)).toContain('production');
});

test('a single run is shown with every recorded request, by campaign', async () => {
  await expect(renderRunText(RUN, TEXT)).toMatchFileSnapshot('golden/run.txt');
});

test('the JSON of a run has its command, commits and requests, without what they sent', () => {
  const { environment, runs } = reportHistory('production', [
    { ...RUN, checkout: 'fedcba' },
    ...RUNS.slice(1),
  ]);
  expect(environment).toBe('production');
  expect(runs[0]).toMatchObject({ command: 'apply', commit: RUN.commit, checkout: 'fedcba', pending: true });
  expect(runs[0]?.requests[0]).toEqual({
    ...{
      at: '2026-11-21T05:12:44.123Z',
      manifest: 'campaigns/spring.yaml',
      name: 'Spring installers',
      id: 7,
    },
    ...{
      title: 'change settings',
      method: 'PATCH',
      path: '/api/campaigns/7/update',
      result: 'done',
      detail: null,
    },
  });
  const { command: _command, ...unnamed } = RUN;
  expect(reportHistory('production', [unnamed]).runs).toMatchObject([{ command: null }]);
});

test('runs have the same text in colour', () => {
  const uncoloured = (text: string) => text.replace(/\u001b\[\d+m/g, '');
  const options = { ...TEXT, paint: coloured };
  expect(uncoloured(renderRunsText('production', RUNS, options))).toBe(
    renderRunsText('production', RUNS, TEXT),
  );
  expect(uncoloured(renderRunText(RUN, options))).toBe(renderRunText(RUN, TEXT));
});

const REQUEST = { method: 'POST', path: '/api/campaigns' } as const;

const READ_BACK: CampaignOutcome['steps'][number] = {
  ...{ id: 'read-back', method: 'GET', path: '', title: 'read back' },
  ...{ result: 'done', detail: null },
};

/** Campaigns of which two failed. */
function applied(number: number): ApplyResult {
  const outcome = (at: number): CampaignOutcome => {
    const isLost = at === 4 || at === 9;
    return {
      manifest: `campaigns/${at}.yaml`,
      name: `Campaign ${at}`,
      id: isLost ? null : 100 + at,
      result: isLost ? 'incomplete' : 'done',
      steps: [
        {
          id: 'create',
          ...REQUEST,
          title: 'create the campaign',
          result: isLost ? 'failed' : 'done',
          detail: isLost ? '422: no' : null,
        },
        {
          id: at === 2 ? 'launch' : 'settings',
          ...REQUEST,
          title: 'the next step',
          result: isLost ? 'not_run' : 'done',
          detail: null,
        },
        ...(isLost ? [] : [READ_BACK]),
      ],
      remaining: [],
    };
  };
  return {
    version: 1,
    environment: 'production',
    fingerprint: 'sha256:8b1a',
    result: 'incomplete',
    by_hand: [],
    summary: { campaigns: number, done: number - 2, incomplete: 2, blocked: 0, unchanged: 0, not_read: 0 },
    campaigns: Array.from({ length: number }, (_, at) => outcome(at + 1)),
    problems: [],
  };
}

test('an apply of twenty campaigns shows one line each, then failures in full, and the summary last', async () => {
  await expect(renderApplyText(applied(20), TEXT)).toMatchFileSnapshot('golden/apply-many.txt');
  expect(renderApplyText(applied(19), TEXT).match(/✓ create the campaign/g)).toHaveLength(17);
});

test('notes of single campaigns are shown with their names, and shared notes once with a count', async () => {
  const result = applied(20);
  result.campaigns.forEach((campaign, at) => {
    const leads = `the service shows ${at === 6 ? '1 of 3 leads' : '3 leads'}`;
    const [step] = campaign.steps;
    if (step?.result !== 'done') return;
    const believed = 'the service accepted the launch but shows no status, so the launch is not confirmed';
    campaign.steps.push({ ...step, id: 'launch', title: 'launch', detail: believed });
    const detail = at < 8 ? `${leads}; ${LEAD_DELAY}` : null;
    campaign.steps.push({ ...step, id: 'readback', title: 'read back', detail });
  });
  await expect(renderApplyText(result, TEXT)).toMatchFileSnapshot('golden/apply-many-notes.txt');
});

test('an interrupted apply of a hundred campaigns prints what ran, and one line for the rest', async () => {
  const names = ['create the schedule', 'create the sequence of 2 emails', 'launch the campaign'];
  const outcome = (name: string, ran: number): CampaignOutcome => ({
    ...{ manifest: 'a.yaml', name, id: 7, result: ran === 3 ? 'done' : 'incomplete', remaining: [] },
    steps: names.map((title, at) => ({
      ...{ ...REQUEST, id: title, title, result: at < ran ? 'done' : 'not_run' },
      detail: at === ran && ran === 1 ? 'it was not sent: the run was interrupted' : null,
    })),
  });
  const ran = [3, 3, 3, 1, 2, ...Array(95).fill(0)];
  const shown = renderApplyText(
    {
      ...applied(0),
      summary: { campaigns: 100, unchanged: 0, not_read: 0, done: 3, incomplete: 97, blocked: 0 },
      campaigns: ran.map((number, at) => outcome(`Campaign ${at}`, number)),
    },
    TEXT,
  );
  await expect(shown).toMatchFileSnapshot('golden/apply-interrupted.txt');
});
