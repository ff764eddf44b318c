import { expect, test } from 'vitest';
import { Failure } from '../../src/model/failure.js';
import { EMPTY_SUMMARY } from '../../src/model/outputs.js';
import type { ApplyResult, CampaignOutcome } from '../../src/model/reports.js';
import type { Run, RunStep } from '../../src/model/state.js';
import { LEAD_DELAY } from '../../src/model/words.js';
import type { Document } from '../../src/view/document.js';
import { documentHtml } from '../../src/view/document-html.js';
import { documentMarkdown } from '../../src/view/document-markdown.js';
import { documentText } from '../../src/view/document-text.js';
import { renderProjectsText } from '../../src/view/projects.js';
import {
  APPLIED,
  appliesDocument,
  applyDocument,
  historiesDocument,
  reportHistory,
  requestsDocument,
  runsDocument,
} from '../../src/view/runs.js';
import { coloured, plain, type TextOptions } from '../../src/view/terminal.js';
import { EMPTY_APPLY_SUMMARY } from '../support/apply.js';
import { byHandPlan, change, step as planned } from './plans.js';

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
  await expect(documentText(runsDocument('production', RUNS), TEXT)).toMatchFileSnapshot('golden/runs.txt');
  expect(documentText(runsDocument('production', []), TEXT)).toContain('production');
});

test('the runs of several projects are one table, newest first, with those that have none or cannot be read', async () => {
  const failure = new Failure({ code: 'state-unreachable', message: 'No answer.', hint: 'Try again.' });
  const part = (project: string, runs: readonly Run[]) =>
    ({
      project,
      environment: 'production',
      exit_code: 0,
      result: { environment: 'production', runs },
      failure: null,
    }) as const;
  const [first = RUN, second = RUN, third = RUN] = RUNS;
  const document = historiesDocument([
    part('clients/acorn', [first, third]),
    part('clients/birch', [{ ...second, run: '20261122T090000Z-cc11', at: '2026-11-22T09:00:00.000Z' }]),
    part('clients/cedar', []),
    { ...part('clients/dune', []), exit_code: 1, result: null, failure },
  ]);
  const text = documentText(document, { ...TEXT, width: 80 });
  await expect(text).toMatchFileSnapshot('golden/histories.txt');
  // In a pipe, nothing limits the width.
  const piped = documentText(document, { ...TEXT, width: 60, keepsNames: true });
  expect([piped.includes('…'), text.includes('…')]).toEqual([false, true]);
  await expect(documentMarkdown(document, 60_000)).toMatchFileSnapshot('golden/histories.md');
  const page = documentHtml(document);
  for (const words of ['clients/birch', 'state rebase', '20261122T090000Z-cc11', 'state-unreachable'])
    expect(page).toContain(words);
});

test('of many runs, the newest are shown, and the others are counted', () => {
  const runs = Array.from({ length: 30 }, (_, at) => ({
    ...RUN,
    at: `2026-11-${String(30 - at).padStart(2, '0')}T09:00:00Z`,
  }));
  const parts = ['a', 'b'].map(
    (project) =>
      ({
        project,
        environment: 'live',
        exit_code: 0,
        result: { environment: 'live', runs },
        failure: null,
      }) as const,
  );
  const text = documentText(historiesDocument(parts), TEXT);
  expect(text.match(/^ {2}[ab] .*/gm)).toHaveLength(50);
  expect(text).toContain('10 older runs not shown.');
});

test('a run without a plan, such as a pause, shows none', () => {
  const paused = { ...RUN, command: 'pause', fingerprint: '' };
  expect(documentText(requestsDocument('production', [paused]), TEXT)).not.toMatch(/^ *plan /m);
});

test('a single run is shown with every recorded request, by campaign', async () => {
  await expect(documentText(requestsDocument('production', [RUN]), TEXT)).toMatchFileSnapshot(
    'golden/run.txt',
  );
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
  expect(uncoloured(documentText(runsDocument('production', RUNS), options))).toBe(
    documentText(runsDocument('production', RUNS), TEXT),
  );
  expect(uncoloured(documentText(requestsDocument('production', [RUN]), options))).toBe(
    documentText(requestsDocument('production', [RUN]), TEXT),
  );
});

const FORMS: readonly (readonly [form: string, render: (document: Document) => string])[] = [
  ['text', (document) => documentText(document, TEXT)],
  ['Markdown', (document) => documentMarkdown(document, 60_000)],
  ['HTML', documentHtml],
];

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
    base_url: 'https://send.example.com',
    fingerprint: 'sha256:8b1a',
    run: '20261121T051243001-4f2a1c',
    result: 'incomplete',
    by_hand: [],
    summary: {
      ...EMPTY_APPLY_SUMMARY,
      ...{ campaigns: number, done: number - 2, created: number - 2, launched: 1, incomplete: 2 },
    },
    campaigns: Array.from({ length: number }, (_, at) => outcome(at + 1)),
    problems: [],
  };
}

test('an apply of twenty campaigns shows one line each, then failures in full, and the summary last', async () => {
  await expect(documentText(applyDocument(applied(20)), TEXT)).toMatchFileSnapshot('golden/apply-many.txt');
  expect(documentText(applyDocument(applied(19)), TEXT).match(/✓ create the campaign/g)).toHaveLength(17);
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
  await expect(documentText(applyDocument(result), TEXT)).toMatchFileSnapshot('golden/apply-many-notes.txt');
});

test('of many campaigns, each line says what was done, within 80 columns', () => {
  const sent = (...steps: (readonly [id: string, title: string])[]) => [
    ...steps.map(([id, title]) => ({ ...REQUEST, id, title, result: 'done' as const, detail: null })),
    READ_BACK,
  ];
  const [created, settings, schedule] = [
    ['create', 'create the campaign'],
    ['settings', 'update the settings'],
    ['schedule', 'change the schedule'],
  ] as const;
  const result = applied(20);
  const all = [
    sent(['pause', 'pause the campaign']),
    sent(settings, schedule, ['sequence', 'add 1 email'], ['leads/ids-1', 'attach 4 leads']),
    sent(
      created,
      settings,
      schedule,
      ['leads/list-7', 'attach lead list 7'],
      ['launch', 'launch the campaign'],
    ),
    sent(['launch', 'resume the campaign']),
  ];
  const shown = documentText(
    applyDocument({
      ...result,
      campaigns: result.campaigns.map((campaign, at) => ({ ...campaign, steps: all[at] ?? campaign.steps })),
    }),
    { ...TEXT, width: 80 },
  );
  const lines = shown.split('\n');
  expect(lines.slice(2, 5)).toEqual([
    '✓ Campaign 1  id 101 · paused',
    '✓ Campaign 2  id 102 · settings · schedule · emails · 4 leads',
    '✓ Campaign 3  id 103 · created · lead list 7 · launched',
  ]);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
});

test.each(FORMS)('%s sums up an apply in the words of the plan', (_, render) => {
  const result = applied(20);
  const summary = { ...result.summary, created: 5, changed: 13, blocked: 2, incomplete: 0, unchanged: 1 };
  Object.assign(summary, { launched: 5, resumed: 1, paused: 3, held: 2 });
  const shown = render(applyDocument({ ...result, summary })).replace(/\s+/g, ' ');
  expect(shown).toContain(
    '5 created, 13 changed, 2 blocked, 1 unchanged · 5 launched · 1 resumed · 3 paused · 2 launches held',
  );
});

test('an apply ends with the name of the run, as in history', () => {
  const shown = documentText(applyDocument(applied(3)), TEXT);
  expect(shown.trimEnd()).toMatch(/unchanged · 1 launched\. Run 20261121T051243001-4f2a1c$/);
  expect(documentText(applyDocument({ ...applied(3), run: null }), TEXT)).not.toContain('Run 2');
});

test('an interrupted apply of a hundred campaigns prints what ran, and one line for the rest', async () => {
  const names = ['create the schedule', 'create the sequence of 2 emails', 'launch the campaign'];
  const outcome = (name: string, ran: number): CampaignOutcome => ({
    ...{ manifest: 'a.yaml', name, id: 7, result: ran === 3 ? 'done' : 'incomplete', remaining: [] },
    steps: names.map((title, at) => ({
      ...{
        ...REQUEST,
        id: ['schedule', 'sequence', 'launch'][at] ?? '',
        title,
        result: at < ran ? 'done' : 'not_run',
      },
      detail: at === ran && ran === 1 ? 'it was not sent: the run was interrupted' : null,
    })),
  });
  const ran = [3, 3, 3, 1, 2, ...Array(95).fill(0)];
  const result = {
    ...applied(0),
    summary: { ...EMPTY_APPLY_SUMMARY, campaigns: 100, done: 3, changed: 3, launched: 3, incomplete: 97 },
    campaigns: ran.map((number, at) => outcome(`Campaign ${at}`, number)),
  };
  const shown = documentText(applyDocument(result), TEXT);
  await expect(shown).toMatchFileSnapshot('golden/apply-interrupted.txt');
});

test.each(FORMS)(
  '%s asks to correct the cause before an apply repeats what the service refused',
  (_, render) => {
    const result = applied(4);
    expect(render(applyDocument(result))).not.toContain('correct the cause');
    for (const step of result.campaigns.flatMap(({ steps }) => steps))
      if (step.result === 'failed') step.detail = 'the service refused it (HTTP 422): no';
    expect(render(applyDocument(result)).replace(/\s+/g, ' ')).toContain(
      'What the service refused, it refuses again: correct the cause first, then run plan',
    );
  },
);

test.each(FORMS)('%s has what became of each step, and what still differs', (_, render) => {
  const doubtful = applied(3);
  for (const { steps } of doubtful.campaigns)
    for (const step of steps) if (step.id === 'settings') step.result = 'in_doubt';
  doubtful.campaigns[0]?.remaining.push(change({ path: '/max_emails_per_day', from: 200, to: 300 }));
  const shown = render(applyDocument(doubtful)).replace(/<[^>]*>|\*\*/g, '');
  for (const fact of ['Campaign 1', 'id 101', 'create the campaign', 'in doubt', '300', 'Still different'])
    expect(shown).toContain(fact);
  expect(render(applyDocument(applied(5)))).toMatch(/422: no/);
  const projects = [
    { project: 'acme', environment: 'live', exit_code: 4, result: applied(5), failure: null },
    { project: 'birch', environment: 'live', exit_code: 0, result: applied(2), failure: null },
  ] as const;
  const many = render(appliesDocument(projects));
  for (const fact of ['2 projects', '422: no', 'Campaign 5', 'birch (live)']) expect(many).toContain(fact);
});

test.each(FORMS)('%s of several applies counts the tasks by hand in its totals', (_, render) => {
  const [task] = byHandPlan('Worth a look?').by_hand;
  const by_hand = task === undefined ? [] : [task];
  const parts = [
    { project: 'acme', environment: 'live', exit_code: 0, result: { ...applied(2), by_hand }, failure: null },
    { project: 'birch', environment: 'live', exit_code: 0, result: applied(2), failure: null },
  ] as const;
  const shown = render(appliesDocument(parts)).replace(/\s+/g, ' ');
  expect(shown.match(/1 to do by hand/g)).toHaveLength(2);
  const text = renderProjectsText(parts, { ...APPLIED, text: () => 'As above.\n' }, TEXT);
  expect(text).toMatch(/^ {2}! acme \(live\): .* · 1 to do by hand$/m);
  expect(text.match(/2 projects: 2 done/g)).toHaveLength(1);
});

test.each(FORMS)('%s of a history counts launches and pauses by what became of them', (_, render) => {
  const move = (stage: 'launch' | 'pause', result: RunStep['result']) =>
    step({ step: planned({ id: stage, stage }), result });
  const steps = [
    ...[move('launch', 'done'), move('launch', 'done'), move('launch', 'failed'), move('launch', null)],
    ...[move('pause', 'done'), move('pause', 'not_run'), step({})],
  ];
  const run = { ...RUN, result: 'done' as const, pending: false, steps };
  const words = 'done · 2 launched · 1 may be launched · 1 paused';
  const shown = render(runsDocument('production', [run])).replace(/\s+/g, ' ');
  expect(shown).toContain(words);
});

test('history says what pending means, and what ends it', () => {
  const text = (...runs: Run[]) =>
    documentText(runsDocument('production', runs), { paint: plain, width: 200 });
  const done: Run = { ...RUN, command: 'pause', result: 'done', steps: [step({ result: 'done' })] };
  const ended = 'done, pending: the requests were done, but the state does not know their campaigns yet.';
  const open = 'pending: it is not known whether requests took effect.';
  const settled = 'The next campaignctl apply records that, also if it has nothing to send.';
  expect(text(done)).toContain(`${ended} ${settled}`);
  expect(text(done)).not.toContain(open);
  expect(text(RUN)).toContain(`${open} campaignctl plan shows what the service says. ${settled}`);
  expect(text(RUN)).not.toContain(ended);
  expect(text({ ...done, pending: false })).not.toContain('apply');
});

test.each(FORMS)('%s has the command, commit and requests of a run', (_, render) => {
  for (const fact of ['apply', 'fedcba98', 'ada', 'never finished, pending'])
    expect(render(runsDocument('production', RUNS))).toContain(fact);
  for (const fact of ['PATCH', '/api/campaigns/7/update', 'outcome not recorded', 'campaignctl 0.1.0'])
    expect(render(requestsDocument('production', [RUN]))).toContain(fact);
});
