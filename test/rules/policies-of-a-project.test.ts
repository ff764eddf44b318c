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

/** The golden file has their sentences. */
const WRONG: [policy: string, place: string][] = [
  ['p: { reason: Because }', '7:3+1 bad-policy'],
  ['p: { environments: [prodction], name: { pattern: a } }', '7:23+9 unknown-environment'],
  ['p: { range: { settings.max_emails_per_day: { min: 9, max: 8 } } }', '7:46+18 bad-policy'],
  ['p: { steps: { least: 3, most: 2 } }', '7:33+1 bad-policy'],
  ['p: { steps: { shortest_wait: 3, longest_wait: 2 } }', '7:49+1 bad-policy'],
  ['p: { sending: { from_time: "18:00", until_time: "08:00" } }', '7:51+7 bad-policy'],
  ['p: { words: { never: [a, Risk  Free], always: [risk free] } }', '7:50+9 bad-policy'],
  ['p: { words: { always: ["\u200b"] } }', '7:26+3 bad-policy'],
  ['p: { links: { hosts: [example.com, "https://example.com"] } }', '7:38+21 bad-policy'],
  ['p: { name: { pattern: "(a" } }', '7:25+4 bad-policy'],
  ['p: { name: { pattern: "a**" } }', '7:25+5 bad-policy'],
  ['p: { rnage: {} }', '7:8+5 unknown-key'],
  ['p: { range: { settings.max_emails: { max: 1 } } }', '7:17+19 unknown-key'],
  ['p: { words: {} }', '7:15+2 wrong-value'],
  ['recommended: { folow-up: off }', '7:18+8 unknown-key'],
  ['recommended: yes', '7:16+3 wrong-type'],
  ['"a b": { name: { pattern: a } }', '7:3+5 wrong-value'],
];

test.each(WRONG)('%s is an error of the project file', async (policy, place) => {
  expect((await wrong(policy)).map(([at]) => at)).toEqual([place]);
});

test('each error says what is wrong and what to write', async () => {
  const lines: string[] = [];
  for (const [policy] of WRONG) lines.push(`# ${policy}`, ...(await wrong(policy)).flat(), '');
  await expect(lines.join('\n')).toMatchFileSnapshot('golden/policies-of-a-project.txt');
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
