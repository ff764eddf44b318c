import { readdirSync, readFileSync } from 'node:fs';
import { expect, it, test } from 'vitest';
import { Failure } from '../../src/model/failure.js';
import { EMPTY_SUMMARY } from '../../src/model/outputs.js';
import type {
  ApplyResult,
  Comparison,
  ImportResult,
  LeadReport,
  LostProjects,
  PausePlan,
  PauseResult,
  UpdateResult,
} from '../../src/model/reports.js';
import type { Run } from '../../src/model/state.js';
import { compareDocument, comparesDocument } from '../../src/view/compare.js';
import type { Document } from '../../src/view/document.js';
import { documentHtml } from '../../src/view/document-html.js';
import { documentMarkdown } from '../../src/view/document-markdown.js';
import { documentText } from '../../src/view/document-text.js';
import { renderImportText, renderUpdateText } from '../../src/view/import.js';
import { renderLeadsText } from '../../src/view/leads.js';
import { listDocument, listsDocument } from '../../src/view/list.js';
import {
  pausesDocument,
  renderKeptStoppedText,
  renderPausePlanText,
  renderPauseResultText,
} from '../../src/view/pause.js';
import { planDocument } from '../../src/view/plan-document.js';
import { renderPlanHtml } from '../../src/view/plan-html.js';
import { renderPlanMarkdown } from '../../src/view/plan-markdown.js';
import { renderPlanText, renderQuestion, renderRequestsText } from '../../src/view/plan-text.js';
import { plansDocument, renderPlansMarkdown } from '../../src/view/plans.js';
import { renderPreviewHtml } from '../../src/view/preview-html.js';
import { renderFailureText, renderFindingsText } from '../../src/view/problems.js';
import { failuresBlock, type ProjectPart, renderProjectsText } from '../../src/view/projects.js';
import { renderFindingsGithub, renderFindingsJunit, renderFindingsSarif } from '../../src/view/reports.js';
import {
  appliesDocument,
  applyDocument,
  historiesDocument,
  requestsDocument,
  runsDocument,
} from '../../src/view/runs.js';
import { plain, printable, renderJson, type TextOptions, visible } from '../../src/view/terminal.js';
import { EMPTY_APPLY_SUMMARY } from '../support/apply.js';
import { finding } from './findings.js';
import { change, inventory, mixedPlan, step } from './plans.js';

/** Every view marks invisible characters everywhere. Views that are not listed here fail the test. */

const TEXT: TextOptions = { paint: plain, width: 100 };
const at = '2026-03-02T09:00:00.000Z';
const of = { manifest: 'campaigns/spring.yaml', name: 'Spring' };
const PLAN = mixedPlan();
const position = { file: 'campaigns/spring.yaml', line: 3 };
const UPDATE: UpdateResult = {
  environment: 'production',
  variables: { names: [], file: null, key: null, copied_from: null },
  files: ['campaigns/spring.yaml'],
  campaigns: [
    {
      ...of,
      id: 7,
      updated: [{ section: 'settings', path: 'unsubscribe_text', ...position, from: 'a', to: 'b' }],
      by_hand: [{ section: 'status', path: '', ...position, reason: 'odd', text: 'status: odd\n' }],
      local_changes: [],
      in_sync: false,
    },
  ],
};
const IMPORTED: ImportResult = {
  environment: 'production',
  base_url: 'https://send.example.com',
  campaigns: [
    {
      id: 7,
      ...of,
      remarks: [
        { key: 'schedule', kind: 'left_out', text: 'it is odd', leads: null },
        { key: 'settings', kind: 'note', text: 'not shown', leads: null },
      ],
    },
  ],
  variables: {
    names: ['ICEBREAKER'],
    file: 'campaignctl.yaml',
    key: 'environments.production.custom_variables',
    copied_from: null,
  },
  skipped: [{ id: 8, name: 'Old', reason: 'gone' }],
};
const INVENTORY = inventory('Spring');
const COMPARISON: Comparison = {
  version: 1,
  summary: { differs: 1, only_from: 0, only_to: 0, same: 0 },
  from: 'staging',
  to: 'production',
  campaigns: [
    {
      ...of,
      status: 'differs',
      changes: [
        change({ section: 'sequence', path: 'title', from: 'a', to: 'b' }),
        change({ section: 'leads', path: 'lists', from: ['a'], to: ['b'] }),
      ],
    },
  ],
};
const APPLIED: ApplyResult = {
  version: 1,
  environment: 'production',
  base_url: 'https://send.example.com',
  fingerprint: 'sha256:1',
  run: 'a run',
  result: 'incomplete',
  by_hand: [],
  summary: { ...EMPTY_APPLY_SUMMARY, campaigns: 1, incomplete: 1 },
  campaigns: [
    {
      ...of,
      id: 7,
      result: 'incomplete',
      steps: [{ id: 's1', title: 'change', method: 'PATCH', path: '/', result: 'failed', detail: '422: no' }],
      remaining: [change({ path: 'unsubscribe_text', from: 'a', to: 'b' })],
    },
  ],
  problems: [{ code: 'state-not-kept', severity: 'error', message: of.name, hint: of.name }],
};
const RUN: Run = {
  run: '20260302T090000Z-4f2a',
  environment: 'production',
  at,
  who: 'ada',
  commit: null,
  tool: '0.1.0',
  fingerprint: 'sha256:1',
  summary: EMPTY_SUMMARY,
  ended: at,
  result: 'incomplete',
  pending: false,
  steps: [{ at, ...of, id: 7, step: step({ title: 'change' }), result: 'failed', detail: '422: no' }],
};
const STEP = { email_subject: 'Hello', email_body: 'Hi', wait_in_days: 3 };
const PREVIEW = {
  environment: 'production',
  campaigns: [
    {
      name: 'Spring',
      place: 'a',
      source: { file: 'a', document: 0, label: '' },
      sequence: { title: 'T', steps: [{ thread_reply: false, variants: [], ...STEP }] },
    },
  ],
  leads: null,
  live: null,
  served: null,
};

const LEADS: LeadReport = {
  version: 1,
  environment: 'production',
  file: 'leads.csv',
  rows: 2,
  unused_columns: ['Phone'],
  campaigns: [
    {
      name: 'Spring',
      place: 'a',
      rows_without: 1,
      variables: [{ name: 'COMPANY', column: 'Company', rows_without: 1, first_rows: [3] }],
    },
  ],
};

const SENDING = { ...of, id: 7, status: 'active', declares: 'none' as const };
const PAUSES: PausePlan = {
  environment: 'production',
  base_url: 'https://send.example.com',
  targets: [SENDING],
  others: [SENDING],
  apply: 'ada',
  doubts: ['no list'],
  unread: ['no state'],
  unmatched: [],
  idle: 0,
};
const PAUSED: PauseResult = {
  environment: 'production',
  outcomes: [{ ...SENDING, result: 'refused', detail: 'not now' }],
  note: 'no room',
  apply: 'ada',
  doubts: ['no list'],
  unread: ['no state'],
  unmatched: [],
  idle: 0,
};

const LOST: LostProjects = {
  projects: [
    {
      ...{ project: 'clients/acorn', environment: 'production', base_url: 'https://send.example.com' },
      ...{ file: 'clients/acorn/campaignctl.yaml', remote: 'origin', branch: 'campaignctl/production' },
      ...{ removed_in: null, campaigns: [{ id: 7, name: 'Spring', running: false }] },
    },
  ],
  unread: ['No answer.'],
};

type Poison = <Value>(value: Value) => Value;
function projectsOf(poison: Poison): ProjectPart<typeof PLAN>[] {
  return partsWith(poison, poison(PLAN));
}

function listsOf(poison: Poison): ProjectPart<typeof INVENTORY>[] {
  return partsWith(poison, poison(INVENTORY));
}

/** A result and a failure, each in a project with a strange name. */
function partsWith<Result>(poison: Poison, result: Result): ProjectPart<Result>[] {
  const failure = new Failure(poison({ code: 'c', message: 'm', hint: 'h' }), {
    findings: poison([finding()]),
  });
  const named = poison({ project: 'a', environment: 'live' });
  return [
    { ...named, exit_code: 0, result, failure: null },
    { ...named, exit_code: 1, result: null, failure },
  ];
}

/** A report in its three forms. */
function forms(name: string, documentOf: (poison: Poison) => Document): Record<string, View> {
  return {
    [`${name} Text`]: (poison) => documentText(documentOf(poison), TEXT),
    [`${name} Markdown`]: (poison) => documentMarkdown(documentOf(poison), 60_000),
    [`${name} Html`]: (poison) => documentHtml(documentOf(poison)),
  };
}

type View = (poison: Poison) => string;

const VIEWS: Record<string, View> = {
  ...forms('planDocument', (poison) => planDocument(poison(PLAN))),
  ...forms('plansDocument', (poison) => plansDocument(projectsOf(poison), { lost: poison(LOST) })),
  ...forms('listDocument', (poison) => listDocument(poison(INVENTORY))),
  ...forms('listsDocument', (poison) => listsDocument(listsOf(poison), poison(LOST))),
  ...forms('applyDocument', (poison) => applyDocument(poison(APPLIED))),
  ...forms('appliesDocument', (poison) => appliesDocument(partsWith(poison, poison(APPLIED)))),
  ...forms('runsDocument', (poison) => runsDocument('production', poison([RUN]))),
  ...forms('historiesDocument', (poison) =>
    historiesDocument(partsWith(poison, { environment: 'production', runs: poison([RUN]) })),
  ),
  ...forms('requestsDocument', (poison) => requestsDocument('production', poison([RUN]))),
  renderPlanText: (poison) => renderPlanText(poison(PLAN), TEXT),
  renderRequestsText: (poison) => renderRequestsText(poison(PLAN)),
  renderPlanMarkdown: (poison) => renderPlanMarkdown(poison(PLAN), 60_000),
  renderPlanHtml: (poison) => renderPlanHtml(poison(PLAN)),
  ...forms('pausesDocument', (poison) => pausesDocument(partsWith(poison, poison(PAUSED)), poison(LOST))),
  renderPausePlanText: (poison) => renderPausePlanText(poison(PAUSES), { ...TEXT, title: null }),
  renderPauseResultText: (poison) => renderPauseResultText(poison(PAUSED), { ...TEXT, title: null }),
  renderKeptStoppedText: (poison) => {
    const paused: PauseResult = { ...PAUSED, outcomes: [{ ...SENDING, result: 'paused', detail: null }] };
    return renderKeptStoppedText(partsWith(poison, poison(paused)), {
      width: 80,
      recursive: true,
      all: null,
    });
  },
  renderProjectsText: (poison) =>
    renderProjectsText(
      projectsOf(poison),
      { done: 'planned', text: ({ result }) => (result ? renderPlanText(result, TEXT) : '') },
      TEXT,
    ),
  renderPlansMarkdown: (poison) => renderPlansMarkdown(projectsOf(poison), 60_000, { lost: poison(LOST) }),
  renderQuestion: (poison) => renderQuestion(poison(PLAN)),
  renderJson: (poison) => renderJson(poison(PLAN)),
  renderUpdateText: (poison) => renderUpdateText(poison(UPDATE), TEXT),
  renderImportText: (poison) => renderImportText(poison(IMPORTED), TEXT),
  ...forms('compareDocument', (poison) => compareDocument(poison(COMPARISON))),
  ...forms('comparesDocument', (poison) => comparesDocument(partsWith(poison, poison(COMPARISON)))),
  renderLeadsText: (poison) => renderLeadsText(poison(LEADS), TEXT),
  renderPreviewHtml: (poison) => renderPreviewHtml(poison(PREVIEW)),
  'renderPreviewHtml Projects Html': (poison) => {
    const campaigns = PREVIEW.campaigns.map((campaign) => ({ ...campaign, project: 'a' }));
    const failures = failuresBlock(partsWith(poison, null), 'a preview');
    return renderPreviewHtml({ ...poison({ ...PREVIEW, campaigns }), failures });
  },
  renderFailureText: (poison) =>
    renderFailureText(new Failure(poison({ code: 'c', message: 'm', hint: 'h' })), TEXT),
  renderFindingsText: (poison) => renderFindingsText(poison([finding()]), TEXT),
  renderFindingsGithub: (poison) => renderFindingsGithub(poison([finding()])),
  renderFindingsJunit: (poison) => renderFindingsJunit(poison([finding()]), []),
  renderFindingsSarif: (poison) => renderFindingsSarif(poison([finding()]), { rules: [], version: '0' }),
};

test('no view is missing', () => {
  const sources = readdirSync('src/view').map((file) => readFileSync(`src/view/${file}`, 'utf8'));
  const exported = sources.flatMap((text) =>
    [...text.matchAll(/^export function (render[A-Z]\w*|[a-z]+Document)\b/gm)].map(([, name]) => name),
  );
  const shown = new Set(Object.keys(VIEWS).map((name) => name.split(' ')[0]));
  expect(exported.sort()).toEqual([...shown].sort());
});

test('nothing reaches the terminal without the final escaping', () => {
  const files = ['shell', 'program', 'main'].map((name) => readFileSync(`src/cli/${name}.ts`, 'utf8'));
  const written = files.flatMap((text) =>
    [...text.matchAll(/std(?:out|err)\.write\((.*)/g)].map(([, what]) => what),
  );
  expect(written.length).toBeGreaterThan(4);
  const isSafe =
    /^(?:printable\(|visible\(|'|`(?:[^$`]|\$\{(?:printable\(|version\}|lostOutput\}|[A-Z]+\}))*`)/;
  expect(written.filter((what) => !isSafe.test(what ?? ''))).toEqual([]);
});

/** Text from users or services. */
const FREE =
  /^(?:name|project|manifest|message|hint|from|to|note|title|files?|remarks|reason|diff|detail|who|live_status|excerpt|value|unsubscribe_text|email_subject|email_body|subjects?|text)$/;
const HIDDEN = [
  ...'\u3164\u115f\u034f\u2800\u{e0100}\u180e\ufff9\u200b\u202e\u2003\u00a0\u2028\u2029\u{13441}\u{13442}',
];

/** Text that recipients do not read. */
const NAMES = /^(?:name|manifest|message|hint|title|files?|remarks|reason|detail|who|live_status)$/;

/** Adds a text before every free text, or before those with these keys. */
function poisoned(value: unknown, text: string, keys: RegExp, key = ''): unknown {
  if (typeof value === 'string') return keys.test(key) ? `${text} ${value}` : value;
  if (Array.isArray(value)) return value.map((item) => poisoned(item, text, keys, key));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, element]) => [name, poisoned(element, text, keys, name)]),
  );
}

/** Output to comments, reports and browsers. The shell escapes everything else. */
const OUT_AS_IT_IS = /Markdown$|Html$|Json$|Sarif$|Junit$/;

it.each(Object.entries(VIEWS))('%s marks every invisible character', (name, view) => {
  for (const character of HIDDEN) {
    const initial = view((value) => poisoned(value, `a${character}b`, FREE) as typeof value);
    const shown = OUT_AS_IT_IS.test(name) ? initial : printable(initial);
    expect(shown).not.toContain(character);
    // Nor is it converted to a space, except in the text form of an HTML email.
    if (!name.startsWith('renderPreviewHtml') || !/[\u00a0\u2003]/.test(character))
      expect(shown).not.toMatch(/\ba b\b/);
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    if (name !== 'renderJson') expect(shown, code).toContain(`U+${code}`);
  }
});

it.each(Object.entries(VIEWS))('%s marks typographic spaces in names', (name, view) => {
  for (const text of ['5\u00a0000', '5\u202f000', 'Prêt\u00a0?', '東\u3000京']) {
    const initial = view((value) => poisoned(value, text, NAMES) as typeof value);
    const look = name === 'renderFindingsGithub' ? visible : printable;
    expect(OUT_AS_IT_IS.test(name) ? initial : look(initial)).not.toMatch(/[\u00a0\u202f\u3000]/);
  }
});

it.each([
  'renderPlanText',
  'renderPlanMarkdown',
  'renderPlanHtml',
  'compareDocument Text',
  'compareDocument Html',
  'renderPreviewHtml',
])('%s keeps them in text that recipients read', (name) => {
  const keys = /^(?:email_subject|email_body)$/;
  const initial = VIEWS[name]?.((value) => poisoned(value, '5\u202f000', keys) as typeof value);
  expect(initial).not.toContain('<U+202F>');
  expect(initial).not.toContain('&lt;U+202F&gt;');
});
