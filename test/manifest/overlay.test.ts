import { describe, expect, test } from 'vitest';
import { applyOverlay } from '../../src/manifest/resolve.js';
import type { JsonObject } from '../../src/model/json.js';
import { readCases } from '../support/cases.js';
import { check, production, seen, staging } from './check.js';

type Case = Record<'base' | 'overlay' | 'merged', JsonObject>;

test.each(readCases<Case>(import.meta.dirname, 'overlays'))('%s', (_, { base, overlay, merged }) => {
  const before = structuredClone([base, overlay]);
  expect(applyOverlay(base, overlay)).toEqual(merged);
  expect([base, overlay]).toEqual(before);
});

const manifest = `name: Spring
settings:
  max_emails_per_day: 200
  max_new_leads_per_day: 100
leads:
  lists: [42]
environments:
  production:
    id: 7
    settings:
      max_emails_per_day: 50
    leads:
      lists: [installers-fr, unknown-list]
`;

test('each environment gets its own spec, without the overlays', () => {
  const text = manifest.replace(', unknown-list', '');
  const { campaigns } = check({ 'campaigns/spring.yaml': text }, { environments: [production, staging] });
  const campaign = { manifest: 'campaigns/spring.yaml', file: 'campaigns/spring.yaml', document: 0 };
  expect(campaigns).toEqual([
    [
      {
        ...campaign,
        remarks: [],
        spec: {
          name: 'Spring',
          id: 7,
          settings: { max_emails_per_day: 50, max_new_leads_per_day: 100 },
          leads: { lists: ['installers-fr'] },
        },
      },
    ],
    [
      {
        ...campaign,
        remarks: [],
        spec: {
          name: 'Spring',
          settings: { max_emails_per_day: 200, max_new_leads_per_day: 100 },
          leads: { lists: [42] },
        },
      },
    ],
  ]);
});

test('a problem points to the overlay if its value is written there, otherwise to the base', () => {
  const { findings } = check({ 'campaigns/spring.yaml': manifest }, { environments: [production, staging] });
  expect(findings.map(({ code, line, column }) => ({ code, line, column }))).toEqual([
    { code: 'new-leads-above-emails', line: 4, column: 26 },
    { code: 'unknown-lead-list', line: 13, column: 30 },
  ]);
  const corrected = manifest.replace(', unknown-list', '');
  const linted = check({ 'campaigns/spring.yaml': corrected }, { environments: [production, staging] });
  expect(linted.findings.map(({ code, line, column }) => ({ code, line, column }))).toEqual([
    { code: 'new-leads-above-emails', line: 4, column: 26 },
  ]);
});

test('equal findings of two environments at one position are reported once', () => {
  const text = 'name: Spring\nleads:\n  ids_file: fr.txt\n';
  const { findings } = check({ 'campaigns/spring.yaml': text }, { environments: [production, staging] });
  expect(findings.map(({ code }) => code)).toEqual(['file-not-found']);
});

const steps = (body: string) => `sequence:
  title: Spring
  steps:
    - { email_subject: Hi, email_body: ${body}, wait_in_days: 1 }
`;
const weights = (manifest: string, rules = {}) =>
  check({ 'campaigns/spring.yaml': manifest }, { rules }).findings.map(
    ({ code, severity }) => `${severity} ${code}`,
  );

describe('lint in a manifest', () => {
  test('sets severities for its campaign, and takes precedence over the project', () => {
    const manifest = `name: Spring\nlint: { variable-case: warning, liquid: off }\n${steps('"{x} {{y}}"')}`;
    expect(weights(manifest)).toEqual(['warning variable-case']);
    expect(weights(manifest, { 'variable-case': 'error', liquid: 'error' })).toEqual([
      'warning variable-case',
    ]);
  });

  test('is not part of the campaign, nor of other documents of the file', () => {
    const first = `name: Spring\nlint: { variable-case: off }\n${steps('"{x}"')}`;
    const second = `name: Autumn\n${steps('"{x}"')}`;
    const { campaigns, findings } = check({ 'campaigns/spring.yaml': `${first}---\n${second}` });
    expect(campaigns[0]?.map(({ spec }) => Object.keys(spec))).toEqual([
      ['name', 'sequence'],
      ['name', 'sequence'],
    ]);
    expect(findings.map(({ code, line }) => `${code} ${line}`)).toEqual(['variable-case 12']);
  });

  test('accepts only existing rules', () => {
    expect(seen('name: Spring\nlint: { shared-lead-list: off }\n')).toEqual([
      [
        '2:9+16 unknown-key',
        'A manifest cannot switch shared-lead-list, because it compares campaigns.',
        expect.stringContaining('under lint in the project file'),
      ],
    ]);
    expect(seen('name: Spring\nlint: { variable-cas: warning }\n')).toEqual([
      [
        '2:9+12 unknown-key',
        expect.stringContaining('"variable-cas"'),
        expect.stringContaining('"variable-case"'),
      ],
    ]);
    expect(seen('name: Spring\nlint: { liquid: loud }\n')[0]?.[0]).toBe('2:17+4 wrong-value');
  });
});

test.each([
  ['"a \\v b"', 'U+000B'],
  ['"a \\ud800 b"', 'U+D800'],
  ['"a \\0 b"', 'U+0000 NUL'],
])('copy may contain the control character %s as an escape, with a warning', (body, name) => {
  const { findings, campaigns } = check({ 'campaigns/spring.yaml': `name: Spring\n${steps(body)}` });
  expect(findings.map(({ code, severity }) => [code, severity])).toEqual([
    ['invisible-characters', 'warning'],
  ]);
  expect(findings[0]?.message).toContain(name);
  expect(campaigns[0]?.[0]?.spec.sequence?.steps[0]?.email_body).toBe(
    JSON.parse(body.replace('\\v', '\\u000b').replace('\\0', '\\u0000')),
  );
});
