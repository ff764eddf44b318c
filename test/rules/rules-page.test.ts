import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { manifestParser } from '../../src/manifest/documents.js';
import type { SourceFinding } from '../../src/manifest/errors.js';
import { manifestSchema } from '../../src/manifest/schema.js';
import type { Environment } from '../../src/model/environment.js';
import { isObject, valueAt } from '../../src/model/json.js';
import type { CampaignSpec } from '../../src/model/spec.js';
import { projectSchema } from '../../src/project/schema.js';
import { checkCampaigns, RULES } from '../../src/rules/check.js';
import { environment } from './campaign.js';
import { examples, manifests } from './examples.js';

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

/** What is said of manifests on the way to their campaigns. */
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
  const named = (Array.isArray(examples) ? examples : []).flatMap((one) =>
    Object.keys(isObject(one) ? one : {}),
  );
  expect(named.length).toBeGreaterThan(0);
  const known = RULES.map(({ code }) => code);
  expect(named.filter((code) => !known.includes(code))).toEqual([]);
});

describe('docs/rules.md', () => {
  it('has a section for every rule, in order, with its severity and summary', () => {
    expect(pages.map(({ code, severity, summary }) => ({ code, severity, summary }))).toEqual(
      RULES.map(({ code, severity, summary }) => ({ code, severity, summary })),
    );
  });

  it('has examples whose findings say what is wrong and what to write', async () => {
    const lines = pages.flatMap(({ code, bad, section }) => [
      `# ${code}`,
      ...findings(bad, section).flatMap(({ message, hint }) => [message, hint]),
      '',
    ]);
    await expect(lines.join('\n')).toMatchFileSnapshot('golden/rules.txt');
  });

  describe.each(pages)('$code', ({ code, bad, good, section }) => {
    it('is found in the bad example and nothing else is', () => {
      expect(new Set(findings(bad, section).map((finding) => finding.code))).toEqual(new Set([code]));
    });

    it('is not found in the good example, nor is anything else', () => {
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
