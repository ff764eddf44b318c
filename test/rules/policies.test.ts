import { describe, expect, it, test } from 'vitest';
import type { LeadList } from '../../src/model/manifest.generated.js';
import { loadCampaigns } from '../../src/project/campaigns.js';
import { openManifests } from '../../src/project/open-manifests.js';
import { readProject } from '../../src/project/project.js';
import { adviseRefill, type RefillAdvice } from '../../src/rules/refill.js';
import { checkResults } from '../../src/rules/results.js';
import { readCases } from '../support/cases.js';
import { failureOf } from '../support/failure.js';
import { folder } from '../support/folder.js';
import { mail, policies, policyFindings } from './campaign.js';

test('each finding has a position and a message', async () => {
  const lines: string[] = [];
  const cases = readCases<{ manifest: string; policies: string[] }>(import.meta.dirname, 'policies');
  for (const [, { manifest, policies }] of cases) {
    lines.push(manifest);
    for (const policy of policies) {
      const matches = await policyFindings(`p: { ${policy} }`, manifest);
      lines.push(`# ${policy}`, ...matches.map((each) => each.join(' ')), '');
    }
  }
  await expect(lines.join('\n')).toMatchFileSnapshot('golden/policies.txt');
});

test('a violation in an overlay is reported there', async () => {
  const manifest = `name: A
settings: { max_emails_per_day: 100 }
environments:
  production: { settings: { max_emails_per_day: 900 } }
`;
  expect(
    await policyFindings('p: { range: { settings.max_emails_per_day: { max: 500 } } }', manifest),
  ).toEqual([['4:49+3 policy/p', 'settings.max_emails_per_day is 900, more than 500.']]);
});

test('a violation in the file of a body is reported there', async () => {
  const manifest = mail('One', 'x').replace(/email_body: \|\n.*\n/, 'email_body_file: a.html\n');
  const files = { 'campaigns/a.html': '<p>Hi</p>\n<p>Risk free</p>\n' };
  expect(await policyFindings('p: { words: { never: [risk free] } }', manifest, files)).toEqual([
    ['campaigns/a.html:2:4+9 policy/p', expect.stringMatching(/^step 1, email_body: .*"risk free"/)],
  ]);
});

const LINK = '<a href=https://evil.example>risk&nbsp;free</a>';

test.each([
  ['as it is', `email_body: "${LINK}"`],
  ['in escapes of YAML', `email_body: "${LINK.replaceAll('<', '\\x3c').replaceAll('&', '\\u0026')}"`],
  ['in a file', 'email_body_file: a.html'],
])('HTML that is written %s is read', async (_, line) => {
  const manifest = mail('One', 'x').replace(/email_body: \|\n.*\n/, () => `${line}\n`);
  const both = 'a: { links: { never_hosts: [evil.example] } }\nb: { words: { never: [risk free] } }';
  const violations = await policyFindings(both, manifest, { 'campaigns/a.html': LINK });
  expect(violations.map(([place]) => place.replace(/.* /, '')).sort()).toEqual(['policy/a', 'policy/b']);
});

const results = { sent: 400, replies: 2, bounced: 16, leads: 350, leads_contacted: 300 };
type Shown = { [Name in keyof typeof results]: number | null };
const broken = (yaml: string, shown: Shown, refill: RefillAdvice | null = null) =>
  checkResults(shown, { policies: policies(yaml), environment: 'production', refill });
const codes = (yaml: string, changes: Partial<Shown> = {}) =>
  broken(yaml, { ...results, ...changes }).map(({ code, severity }) => `${severity} ${code}`);
const BOUNCED = 'safe: { results: { bounced: { max: 3%, after: 200 } } }';
const REPLIES = 'safe: { results: { replies: { min: 1%, after: 200 } } }';
const LEFT = 'safe: { results: { leads_left: { min: 100 } } }';

describe('a policy on results', () => {
  it.each([BOUNCED, REPLIES, LEFT])('warns: %s', (policy) => {
    expect(codes(policy)).toEqual(['warning policy/safe']);
  });

  it('is kept within its limits', () => {
    expect(codes(BOUNCED, { bounced: 12 })).toEqual([]);
    expect(codes(REPLIES, { replies: 3 })).toEqual([]);
    expect(codes(LEFT, { leads: 400 })).toEqual([]);
  });

  it('says that no leads are left', () => {
    const [problem] = broken(LEFT, { ...results, leads: results.leads_contacted });
    expect(problem?.message).toBe('No leads left to contact, fewer than 100.');
  });

  it('waits for enough emails or contacted leads', () => {
    expect(codes(BOUNCED, { sent: 199 })).toEqual([]);
    expect(codes(REPLIES, { leads_contacted: 199 })).toEqual([]);
  });

  it('waits for 100 of them unless it says otherwise', () => {
    const replies = REPLIES.replace(', after: 200', '');
    expect(codes(replies, { replies: 0, leads_contacted: 99 })).toEqual([]);
    expect(codes(replies, { replies: 0, leads_contacted: 100 })).toEqual(['warning policy/safe']);
    const bounced = BOUNCED.replace(', after: 200', '');
    expect(codes(bounced, { sent: 99 })).toEqual([]);
    expect(codes(bounced, { sent: 100 })).toEqual(['warning policy/safe']);
  });

  it('is not violated by a number that is not shown', () => {
    const none = { sent: null, replies: null, bounced: null, leads: null, leads_contacted: null };
    for (const policy of [BOUNCED, REPLIES, LEFT]) expect(codes(policy, none)).toEqual([]);
  });

  const advise = (lists: LeadList[], ...had: string[]) =>
    adviseRefill({
      ...{
        manifest: 'campaigns/spring.yaml',
        file: 'campaigns/spring.yaml',
        leads: { lists },
        lead_lists: { fr: 77, 'de 2': 78, true: 79 },
      },
      ...{ refills: had.map((refill) => ({ list: 77, refill })), today: '2026-11-28' },
    });

  it.each<[string, LeadList[], string[], string[], string]>([
    ['no list', [], [], [], ''],
    [
      'a list',
      ['fr'],
      [],
      ['- { list: fr, refill: 2026-11-28 }'],
      'If its list has grown, write in campaigns',
    ],
    [
      'lists',
      ['de 2', 77],
      [],
      ['- { list: de 2, refill: 2026-11-28 }', '- { list: 77, refill: 2026-11-28 }'],
      'For each list that has grown, write in',
    ],
    [
      'a list whose name YAML takes for a switch',
      ['true'],
      [],
      ['- { list: "true", refill: 2026-11-28 }'],
      'If its list has grown, write in campaigns',
    ],
    [
      'a value that was applied today',
      [{ list: 'fr', refill: '2026-11-28' }],
      ['2026-11-27', '2026-11-28'],
      ['- { list: fr, refill: 2026-11-28-2 }'],
      'under leads.lists: - { list: fr, refill: 2026-11-28-2 }.',
    ],
    ['a value that is not yet applied', [{ list: 'fr', refill: 3 }], ['2'], [], 'run campaignctl apply.'],
  ])('on leads left advises how to refill a campaign with %s', (_, lists, had, lines, words) => {
    const advice = advise(lists, ...had);
    expect(advice?.lines ?? []).toEqual(lines);
    expect(advice?.hint ?? '').toContain(words);
    const [problem] = broken(LEFT, results, advice);
    expect(problem?.lines).toEqual(advice?.lines);
    expect(problem?.hint).toContain(advice?.hint ?? 'Attach more leads');
  });

  it('on leads left names only the value if other campaigns have the same line (for_each)', () => {
    const lists = [{ list: 'fr', refill: '2026-11-28' }];
    const facts = { leads: { lists }, lead_lists: { fr: 77 }, today: '2026-11-28' };
    const manifest = { file: 'campaigns/[new].yaml', manifest: 'campaigns/[new].yaml#2[France]' };
    const advice = adviseRefill({ ...facts, ...manifest, refills: [{ list: 77, refill: '2026-11-28' }] });
    expect(advice?.lines).toEqual(['refill: 2026-11-28-2']);
    expect(advice?.hint).toMatch(/write refill: 2026-11-28-2 for it in campaigns\/\[new\]\.yaml\./);
  });

  it('is not needed to notice that a campaign whose lists grow has no leads left', () => {
    const found = (lists: LeadList[], policy: string, leads_contacted = 350) =>
      broken(policy, { ...results, leads_contacted }, advise(lists, '1')).map(({ code }) => code);
    const refilled = [{ list: 77, refill: 1 }];
    expect(found(refilled, BOUNCED)).toEqual(['policy/safe', 'leads-exhausted']);
    expect(found(refilled, LEFT)).toEqual(['policy/safe']);
    expect(found(refilled, BOUNCED, 349)).toEqual(['policy/safe']);
    expect(found([77], BOUNCED)).toEqual(['policy/safe']);
  });

  it('applies only in its environments', () => {
    expect(codes(`safe: { environments: [staging], results: { leads_left: { min: 100 } } }`)).toEqual([]);
  });
});

const HEAD = `version: 1
manifests: ['*.yaml', '!campaignctl.yaml']
environments:
  sandbox: { sandbox: {} }
  production: { sandbox: {} }
policies:
`;

async function wrong(policy: string): Promise<[place: string, message: string, hint: string][]> {
  const root = folder({ 'campaignctl.yaml': `${HEAD}  ${policy}\n` });
  const { code, findings } = await failureOf(readProject({ cwd: root, config: null }));
  expect(code).toBe('invalid-project');
  return findings.map(({ line, column, length, code: kind, message, hint }) => [
    `${line}:${column}+${length} ${kind}`,
    message,
    hint,
  ]);
}

test('each error has a position in the project file, a message and a fix', async () => {
  const lines: string[] = [];
  for (const [, policy] of readCases(import.meta.dirname, 'wrong-policies'))
    lines.push(`# ${policy}`, ...(await wrong(policy)).flat(), '');
  await expect(lines.join('\n')).toMatchFileSnapshot('golden/policies-of-a-project.txt');
});

const WAIVING = `name: Spring
settings: { max_emails_per_day: 10, max_new_leads_per_day: 1 }
waive: { caps: Because }
environments:
  production: { settings: { max_emails_per_day: 900 }, waive: { names: Old } }
`;

async function findings(files: Record<string, string>) {
  const policies =
    '  caps: { range: { settings.max_emails_per_day: { max: 500 } } }\n  names: { name: { pattern: "^S" } }\n';
  const root = folder({ 'campaignctl.yaml': `${HEAD}${policies}`, ...files });
  const project = await readProject({ cwd: root, config: null });
  const environments = Object.values(project.environments);
  const { findings } = await loadCampaigns(openManifests(project), {
    environments,
    files: [],
    cwd: root,
    env: {},
  });
  return findings.map(({ line, column, length, code, message }) => [
    `${line}:${column}+${length} ${code}`,
    message,
  ]);
}

test('a manifest with errors has no findings that could be wrong', async () => {
  expect(await findings({ 'a.yaml': WAIVING.replace('900', 'many') })).toEqual([
    ['5:49+4 wrong-type', expect.stringContaining('max_emails_per_day')],
  ]);
});

interface Links {
  policy: string;
  hrefs?: string[];
  body?: string;
  plainText?: boolean;
}

test('links in every form are found at their positions, with a known host, an unknown host or none', async () => {
  const lines: string[] = [];
  for (const [, { policy, hrefs = [], body = '', plainText = false }] of readCases<Links>(
    import.meta.dirname,
    'links',
  )) {
    lines.push(`# ${policy}`);
    const bodies = hrefs.length > 0 ? hrefs.map((href) => `<a href="${href}">x</a>`) : [body];
    for (const [at, text] of bodies.entries()) {
      const matches = await policyFindings(`p: { links: { ${policy} } }`, mail('One', text, plainText));
      lines.push(hrefs[at] ?? body, ...matches.map(([place, message]) => `  ${place} ${message}`));
    }
    lines.push('');
  }
  await expect(lines.join('\n')).toMatchFileSnapshot('golden/links.txt');
});
