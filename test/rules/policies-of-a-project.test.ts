import { expect, test } from 'vitest';
import { loadCampaigns } from '../../src/project/campaigns.js';
import { readProject } from '../../src/project/project.js';
import { failure, folder } from '../project/folder.js';

const HEAD = `version: 1
manifests: ['*.yaml', '!campaignctl.yaml']
environments:
  sandbox: { sandbox: {} }
  production: { sandbox: {} }
policies:
`;

async function wrong(policy: string): Promise<[place: string, message: string, hint: string][]> {
  const root = folder({ 'campaignctl.yaml': `${HEAD}  ${policy}\n` });
  const { code, findings } = await failure(() => readProject({ cwd: root, config: null }));
  expect(code).toBe('invalid-project');
  return findings.map(({ line, column, length, code: kind, message, hint }) => [
    `${line}:${column}+${length} ${kind}`,
    message,
    hint,
  ]);
}

test.each([
  ['p: { reason: Because }', '7:3+1 bad-policy', 'Policy p has no requirement.'],
  [
    'p: { environments: [prod], name: { pattern: a } }',
    '7:23+4 unknown-environment',
    'The project file has no environment named "prod".',
  ],
  [
    'p: { range: { settings.max_emails_per_day: { min: 9, max: 8 } } }',
    '7:46+18 bad-policy',
    'Policy p: range.settings.max_emails_per_day: no number is at least 9 and at most 8.',
  ],
  [
    'p: { steps: { least: 3, most: 2 } }',
    '7:33+1 bad-policy',
    'Policy p: steps.most: no number is at least 3 and at most 2.',
  ],
  [
    'p: { steps: { shortest_wait: 3, longest_wait: 2 } }',
    '7:49+1 bad-policy',
    'Policy p: steps.longest_wait: no number is at least 3 and at most 2.',
  ],
  [
    'p: { sending: { from_time: "18:00", until_time: "08:00" } }',
    '7:51+7 bad-policy',
    'Policy p: sending: there is no time from 18:00 until 08:00.',
  ],
  [
    'p: { words: { never: [a, Risk  Free], always: [risk free] } }',
    '7:50+9 bad-policy',
    'Policy p: words: "risk free" cannot be in both never and always.',
  ],
  [
    'p: { words: { always: ["\u200b"] } }',
    '7:26+3 bad-policy',
    'Policy p: words.always has a phrase without visible characters.',
  ],
  [
    'p: { links: { hosts: [example.com, "https://example.com"] } }',
    '7:38+21 bad-policy',
    'Policy p: links.hosts: https://example.com is not a host name.',
  ],
  [
    'p: { name: { pattern: "(a" } }',
    '7:25+4 bad-policy',
    'Policy p: name.pattern is not a valid regular expression: Unterminated group.',
  ],
  [
    'p: { name: { pattern: "a**" } }',
    '7:25+5 bad-policy',
    'Policy p: name.pattern is not a valid regular expression: Nothing to repeat.',
  ],
  ['p: { rnage: {} }', '7:8+5 unknown-key', 'Unknown key "rnage" in policies.p.'],
  [
    'p: { range: { settings.max_emails: { max: 1 } } }',
    '7:17+19 unknown-key',
    'Unknown key "settings.max_emails" in policies.p.range.',
  ],
  ['p: { words: {} }', '7:15+2 wrong-value', 'policies.p.words is empty.'],
  ['recommended: { folow-up: off }', '7:18+8 unknown-key', 'Unknown key "folow-up" in policies.recommended.'],
  [
    'recommended: yes',
    '7:16+3 wrong-type',
    'policies.recommended: expected true, false or a section of keys, found text "yes".',
  ],
  ['"a b": { name: { pattern: a } }', '7:3+5 wrong-value', '"a b" cannot be a name in policies.'],
])('%s is an error of the project file', async (policy, place, message) => {
  expect((await wrong(policy)).map(([at, said]) => [at, said])).toEqual([[place, message]]);
});

test('a misspelt environment has a suggestion', async () => {
  expect((await wrong('p: { environments: [prodction], name: { pattern: a } }'))[0]?.[2]).toBe(
    'Did you mean "production"?',
  );
});

const WAIVING = `name: Spring
settings: { max_emails_per_day: 10, max_new_leads_per_day: 1 }
waive: { caps: Because }
environments:
  production: { settings: { max_emails_per_day: 900 }, waive: { names: Old } }
`;

async function found(files: Record<string, string>) {
  const policies =
    '  caps: { range: { settings.max_emails_per_day: { max: 500 } } }\n  names: { name: { pattern: "^S" } }\n';
  const root = folder({ 'campaignctl.yaml': `${HEAD}${policies}`, ...files });
  const project = await readProject({ cwd: root, config: null });
  const environments = Object.values(project.environments);
  const { findings } = await loadCampaigns(project, { environments, files: [], cwd: root });
  return findings.map(({ line, column, length, code, message }) => [
    `${line}:${column}+${length} ${code}`,
    message,
  ]);
}

test('of a manifest with errors nothing is said that could be wrong', async () => {
  expect(await found({ 'a.yaml': WAIVING.replace('900', 'many') })).toEqual([
    ['5:49+4 wrong-type', expect.stringContaining('max_emails_per_day')],
  ]);
});
