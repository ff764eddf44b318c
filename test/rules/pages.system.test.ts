import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { describe, expect, it, test } from 'vitest';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { manifestParser } from '../../src/manifest/documents.js';
import type { SourceFinding } from '../../src/manifest/errors.js';
import { manifestSchema } from '../../src/manifest/schema.js';
import type { Environment } from '../../src/model/environment.js';
import { isObject, valueAt } from '../../src/model/json.js';
import type { CampaignSpec } from '../../src/model/spec.js';
import { projectSchema } from '../../src/project/schema.js';
import { checkCampaigns, RULES } from '../../src/rules/check.js';
import { POLICY_KINDS, policyTexts } from '../../src/rules/policies.js';
import { environment, policies, policyFindings } from './campaign.js';

const STEP = { email_subject: 'A question', email_body: '<p>Worth a look?</p>', wait_in_days: 3 };

/** Parts of a YAML block by comment: `# bad`, `# good`. */
function examples(markdown: string): Record<string, string> {
  const block = /```yaml\n(# (?:policy|bad)\n[\s\S]*?)```/.exec(markdown)?.[1] ?? '';
  const parts = block.split(/^# (policy|bad|good)\n/m).slice(1);
  return Object.fromEntries(
    ['policy', 'bad', 'good'].map((name) => [name, parts[parts.indexOf(name) + 1] ?? '']),
  );
}

/**
 * Manifests with the keys of an example. Steps, or keys of a step, are completed to a sequence. An example with a name is a
 * whole manifest.
 */
function manifests(example: string): string {
  if (example.startsWith('name:')) return example;
  return parseAllDocuments(example, { schema: 'core' })
    .map((document) => {
      const { steps, email_subject, email_body, wait_in_days, ...rest } = document.toJS();
      const step = Object.entries({ email_subject, email_body, wait_in_days }).filter(
        ([, value]) => value !== undefined,
      );
      const shown: object[] = steps ?? (step.length > 0 ? [Object.fromEntries(step)] : []);
      const filled = shown.map((keys) => ({ ...STEP, ...keys }));
      const sequence = filled.length > 0 ? { sequence: { title: 'Spring sequence', steps: filled } } : {};
      return stringify({ name: 'Spring installers', ...rest, ...sequence });
    })
    .join('---\n');
}

const [intro = '', ...sections] = readFileSync('docs/rules.md', 'utf8').split(/^## /m);
const pages = sections.map((section) => {
  const [, code = '', severity = '', summary = ''] = /^(\S+)\n\*\*(\w+)\*\*: (.+)\n/.exec(section) ?? [];
  const { bad = '', good = '' } = examples(section);
  return { code, severity, summary, bad: manifests(bad), good: manifests(good), section };
});
const described = environment(parse(block(intro, 'this environment')) as Partial<Environment>);

function block(markdown: string, heading: string): string {
  return markdown.split(`${heading}:`)[1]?.match(/```yaml\n([\s\S]*?)```/)?.[1] ?? '';
}

function documents(yaml: string): CampaignSpec[] {
  return parseAllDocuments(yaml, { schema: 'core' }).map((document) => document.toJS() as CampaignSpec);
}

function findings(yaml: string, section: string): SourceFinding[] {
  const isUndeclared = section.includes('Without `custom_variables`');
  const where = isUndeclared ? { ...described, custom_variables: null } : described;
  const readFile = () => ({ problem: 'file-not-found' }) as const;
  const parsed = manifestParser([], readFile).parse('campaigns/example.yaml', yaml);
  const resolved = checkCampaigns(parsed.documents, where, { readFile, rules: {} });
  return [...parsed.findings, ...resolved.findings];
}

const validate = new Ajv({ strict: false }).compile(
  JSON.parse(readFileSync('schemas/campaign.schema.json', 'utf8')),
);

it.each([
  ['a project', projectSchema],
  ['a manifest', manifestSchema],
])('the examples of lint in the schema of %s name rules that exist', (_, schema) => {
  const examples = valueAt(schema, ['properties', 'lint', 'examples']);
  const named = (Array.isArray(examples) ? examples : []).flatMap((value) =>
    Object.keys(isObject(value) ? value : {}),
  );
  expect(named.length).toBeGreaterThan(0);
  const known: string[] = RULES.map(({ code }) => code);
  expect(named.filter((code) => !known.includes(code))).toEqual([]);
});

describe('docs/rules.md', () => {
  it('describes every rule in order, with its severity and summary', () => {
    expect(pages.map(({ code, severity, summary }) => ({ code, severity, summary }))).toEqual(
      RULES.map(({ code, severity, summary }) => ({ code, severity, summary })),
    );
  });

  it('has examples whose findings have a message and a fix', async () => {
    const lines = pages.flatMap(({ code, bad, section }) => [
      `# ${code}`,
      ...findings(bad, section).flatMap(({ message, hint }) => [message, hint]),
      '',
    ]);
    await expect(lines.join('\n')).toMatchFileSnapshot('golden/rules.txt');
  });

  describe.each(pages)('$code', ({ code, bad, good, section }) => {
    it('is the only finding in the bad example', () => {
      expect(new Set(findings(bad, section).map((finding) => finding.code))).toEqual(new Set([code]));
    });

    it('is not found in the good example, which has no findings', () => {
      expect(documents(good).length).toBeGreaterThan(0);
      expect(findings(good, section)).toEqual([]);
    });

    it('shows manifests that are valid', () => {
      for (const manifest of documents(`${bad}---\n${good}`)) {
        validate(manifest);
        expect(validate.errors).toBe(null);
      }
    });
  });
});

const page = readFileSync('docs/policies.md', 'utf8');
const policySections = page.split(/^### /m).slice(1);
const ajv = new Ajv({ strict: false });

function named(section: string): string {
  return /^\S+/.exec(section)?.[0] ?? '';
}

describe('docs/policies.md', () => {
  it('has a section for every check and every policy of the built-in set, in order', () => {
    const checks = POLICY_KINDS.map(({ key }) => String(key));
    const codes = policyTexts([]).map(({ code }) => code);
    expect(policySections.map(named)).toEqual([...checks, ...codes]);
  });

  it('states the severity and reason of the built-in set', () => {
    const outcomes = policyTexts([]);
    for (const { code, severity, summary } of outcomes)
      expect(page).toContain(`### ${code}\n**${severity}**: ${summary}\n`);
  });

  it('begins with policies that are valid in the project file', () => {
    const shown = parse(/```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? '');
    const project = { version: 1, manifests: ['a.yaml'], environments: { a: { sandbox: {} } } };
    expect(ajv.validate(projectSchema, { ...project, ...shown }), ajv.errorsText()).toBe(true);
  });

  const checks = policySections.filter((section) => examples(section).policy !== '');
  it.each(checks.map((section) => [named(section), section]))(
    '%s: the examples are correct',
    async (key, section) => {
      const { policy = '', bad = '', good = '' } = examples(section);
      expect(Object.keys(Object.values(parse(policy))[0] ?? {})).toEqual([key]);
      for (const manifest of [bad, good].map(manifests)) {
        const isBad = manifest === manifests(bad);
        expect(ajv.validate(manifestSchema, parse(manifest)), ajv.errorsText()).toBe(true);
        expect((await policyFindings(policy, manifest)).length > 0).toBe(isBad);
      }
    },
  );
  it('has examples for every check except the one of list', () => {
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

test('the recommended set accepts a good campaign, and a new one except for its settings', async () => {
  expect(await policyFindings('recommended: true', GOOD)).toEqual([]);
  expect((await policyFindings('recommended: true', 'name: A\n')).map(([place]) => place)).toEqual([
    '1:7+1 recommended/unsubscribe',
    '1:7+1 recommended/unsubscribe',
    '1:7+1 recommended/daily-limit',
  ]);
});

test.each(BAD)(
  'recommended/%s reports "%s" if it is "%s", and can be switched off',
  async (name, from, to) => {
    const bad = GOOD.replace(from, to);
    expect(bad).not.toBe(GOOD);
    expect((await policyFindings('recommended: true', bad)).map(([place]) => place.split(' ')[1])).toEqual([
      `recommended/${name}`,
    ]);
    expect(await policyFindings('recommended: {}', bad)).toHaveLength(1);
    expect(await policyFindings(`recommended: { ${name}: off }`, bad)).toEqual([]);
    expect(await policyFindings('recommended: false', bad)).toEqual([]);
  },
);

test('a policy of the built-in set has the severity in the project file', async () => {
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
