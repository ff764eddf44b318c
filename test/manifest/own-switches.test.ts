import { describe, expect, test } from 'vitest';
import { check, seen } from './check.js';

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
  test('weighs rules for its own campaign, more than the project does', () => {
    const manifest = `name: Spring\nlint: { variable-case: warning, empty-choice: off }\n${steps('"{x} {Hi|}"')}`;
    expect(weights(manifest)).toEqual(['warning variable-case']);
    expect(weights(manifest, { 'variable-case': 'error', 'empty-choice': 'error' })).toEqual([
      'warning variable-case',
    ]);
  });

  test('is not part of the campaign, and not of another document of the file', () => {
    const first = `name: Spring\nlint: { variable-case: off }\n${steps('"{x}"')}`;
    const second = `name: Autumn\n${steps('"{x}"')}`;
    const { campaigns, findings } = check({ 'campaigns/spring.yaml': `${first}---\n${second}` });
    expect(campaigns[0]?.map(({ spec }) => Object.keys(spec))).toEqual([
      ['name', 'sequence'],
      ['name', 'sequence'],
    ]);
    expect(findings.map(({ code, line }) => `${code} ${line}`)).toEqual(['variable-case 12']);
  });

  test('knows which rules there are', () => {
    expect(seen('name: Spring\nlint: { variable-cas: warning }\n')).toEqual([
      ['2:9+12 unknown-key', 'The linter has no rule "variable-cas".', 'Did you mean "variable-case"?'],
    ]);
    expect(seen('name: Spring\nlint: { liquid: loud }\n')[0]?.[0]).toBe('2:17+4 wrong-value');
  });
});

test.each([
  ['"a \\v b"', 'U+000B'],
  ['"a \\ud800 b"', 'U+D800'],
  ['"a \\0 b"', 'U+0000 NUL'],
])('copy may hold the control character %s as an escape, with a warning', (body, name) => {
  const { findings, campaigns } = check({ 'campaigns/spring.yaml': `name: Spring\n${steps(body)}` });
  expect(findings.map(({ code, severity }) => [code, severity])).toEqual([
    ['invisible-characters', 'warning'],
  ]);
  expect(findings[0]?.message).toContain(name);
  expect(campaigns[0]?.[0]?.spec.sequence?.steps[0]?.email_body).toBe(
    JSON.parse(body.replace('\\v', '\\u000b').replace('\\0', '\\u0000')),
  );
});
