import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { manifestSchema } from '../../src/manifest/schema.js';
import { projectSchema } from '../../src/project/schema.js';
import { POLICY_KINDS, policyTexts } from '../../src/rules/policies.js';
import { examples, manifests } from './examples.js';
import { policies, said } from './hold.js';

const page = readFileSync('docs/policies.md', 'utf8');
const sections = page.split(/^### /m).slice(1);
const ajv = new Ajv({ strict: false });

function named(section: string): string {
  return /^\S+/.exec(section)?.[0] ?? '';
}

describe('docs/policies.md', () => {
  it('has a section for every check and every policy of the built-in set, in order', () => {
    const checks = POLICY_KINDS.map(({ key }) => String(key));
    const codes = policyTexts([]).map(({ code }) => code);
    expect(sections.map(named)).toEqual([...checks, ...codes]);
  });

  it('says the severity and reason of the built-in set', () => {
    const told = policyTexts([]);
    for (const { code, severity, summary } of told)
      expect(page).toContain(`### ${code}\n**${severity}**: ${summary}\n`);
  });

  it('begins with policies that the project file takes', () => {
    const shown = parse(/```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? '');
    const project = { version: 1, manifests: ['a.yaml'], environments: { a: { sandbox: {} } } };
    expect(ajv.validate(projectSchema, { ...project, ...shown }), ajv.errorsText()).toBe(true);
  });

  const checks = sections.filter((section) => examples(section).policy !== '');
  it.each(checks.map((section) => [named(section), section]))(
    '%s: its examples are right',
    async (key, section) => {
      const { policy = '', bad = '', good = '' } = examples(section);
      expect(Object.keys(Object.values(parse(policy))[0] ?? {})).toEqual([key]);
      for (const manifest of [bad, good].map(manifests)) {
        const isBad = manifest === manifests(bad);
        expect(ajv.validate(manifestSchema, parse(manifest)), ajv.errorsText()).toBe(true);
        expect((await said(policy, manifest)).length > 0).toBe(isBad);
      }
    },
  );
  it('has examples for every check but the one that list makes', () => {
    expect(checks.map(named)).toEqual(POLICY_KINDS.map(({ key }) => key).filter((key) => key !== 'results'));
  });
});

const GOOD = `name: Spring
settings: { max_emails_per_day: 200, can_unsubscribe: true, unsubscribe_text: No more emails }
sequence:
  title: Spring
  steps:
    - { email_subject: One, email_body: '<p>See https://example.com</p>', wait_in_days: 3 }
    - { email_subject: Two, email_body: <p>Two</p>, wait_in_days: 1 }
`;

const BAD: [code: string, from: string, to: string][] = [
  ['unsubscribe', 'can_unsubscribe: true', 'can_unsubscribe: false'],
  ['unsubscribe', ', unsubscribe_text: No more emails', ''],
  ['daily-limit', 'max_emails_per_day: 200, ', ''],
  ['daily-limit', '200', '1001'],
  ['subject-length', 'Two,', `${'x'.repeat(71)},`],
  ['few-links', 'https://example.com', 'https://example.com '.repeat(6)],
  ['https-links', 'https://example.com', 'http://example.com'],
  ['link-shorteners', 'example.com', 'bit.ly/x'],
  ['follow-up', '    - { email_subject: Two, email_body: <p>Two</p>, wait_in_days: 1 }\n', ''],
  ['patience', 'wait_in_days: 3', 'wait_in_days: 1'],
];

test('the recommended set lets a good campaign pass, and one that is not even begun but for its settings', async () => {
  expect(await said('recommended: true', GOOD)).toEqual([]);
  expect((await said('recommended: true', 'name: A\n')).map(([place]) => place)).toEqual([
    '1:7+1 recommended/unsubscribe',
    '1:7+1 recommended/unsubscribe',
    '1:7+1 recommended/daily-limit',
  ]);
});

test.each(BAD)('recommended/%s speaks where "%s" is "%s"; it can be switched off', async (name, from, to) => {
  const bad = GOOD.replace(from, to);
  expect(bad).not.toBe(GOOD);
  expect((await said('recommended: true', bad)).map(([place]) => place.split(' ')[1])).toEqual([
    `recommended/${name}`,
  ]);
  expect(await said('recommended: {}', bad)).toHaveLength(1);
  expect(await said(`recommended: { ${name}: off }`, bad)).toEqual([]);
  expect(await said('recommended: false', bad)).toEqual([]);
});

test('a policy of the built-in set is weighed as the project says', async () => {
  expect(
    policies('recommended: { follow-up: error, unsubscribe: warning, patience: off }').map(
      ({ code, severity }) => [code, severity],
    ),
  ).toEqual([
    ['recommended/unsubscribe', 'warning'],
    ['recommended/daily-limit', 'warning'],
    ['recommended/subject-length', 'warning'],
    ['recommended/few-links', 'warning'],
    ['recommended/https-links', 'warning'],
    ['recommended/link-shorteners', 'warning'],
    ['recommended/follow-up', 'error'],
  ]);
});
