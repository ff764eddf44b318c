import { expect, test } from 'vitest';
import { check, production, staging } from '../manifest/check.js';
import { policies } from './campaign.js';

const POLICIES = `
caps: { reason: Agreed with legal., range: { settings.max_emails_per_day: { max: 500 } } }
here: { severity: warning, environments: [production], range: { settings.max_emails_per_day: { max: 300 } } }
fixed: { reason: The law., waivable: false, require: { settings.plain_text: true } }
`;
const SETTINGS = 'settings: { max_emails_per_day: 900, plain_text: true, max_new_leads_per_day: 1 }\n';

async function waive(manifest: string) {
  const { campaigns, findings } = check(
    { 'campaigns/spring.yaml': manifest },
    { environments: [production, staging], policies: policies(POLICIES) },
  );
  return {
    findings: findings.map(({ line, column, length, code, message }) => [
      `${line}:${column}+${length} ${code}`,
      message,
    ]),
    remarks: campaigns.map((declared) => declared.flatMap(({ remarks }) => remarks)),
    specs: campaigns.map((list) => list.map(({ spec }) => Object.keys(spec))),
  };
}

test('without a waiver, violations are findings, once for all environments, and warnings are in the plan', async () => {
  const here = expect.stringMatching(/^Policy here \(production\): settings\.max_emails_per_day .*900.*300/);
  expect(await waive(`name: Spring\n${SETTINGS}`)).toEqual({
    findings: [
      ['2:33+3 policy/caps', expect.stringMatching(/^Policy caps: settings\.max_emails_per_day .*900.*500/)],
      ['2:33+3 policy/here', here],
    ],
    remarks: [
      [
        {
          code: 'policy/here',
          severity: 'warning',
          message: here,
          hint: expect.stringMatching(/^Write 300 or less\. .* waive: \{ here: … \}$/),
        },
      ],
      [],
    ],
    specs: [[['name', 'settings']], [['name', 'settings']]],
  });
});

test('a waived violation is not a finding, but is in the plan with the reason; the waiver is not part of the spec', async () => {
  const hint = 'Remove the waiver from the manifest when it is no longer needed.';
  const caps = {
    code: 'policy-waived',
    severity: 'warning',
    message:
      'Policy caps is waived: settings.max_emails_per_day is 900, more than 500. Why: Agreed on 3 May.',
    hint,
  };
  const here = {
    code: 'policy-waived',
    severity: 'warning',
    message: 'Policy here is waived: settings.max_emails_per_day is 900, more than 300. Why: Peak.',
    hint,
  };
  const manifest = `name: Spring
${SETTINGS}waive: { caps: Agreed on 3 May. }
environments:
  production: { waive: { here: Peak. } }
`;
  expect(await waive(manifest)).toEqual({
    findings: [],
    remarks: [[caps, here], [caps]],
    specs: [[['name', 'settings']], [['name', 'settings']]],
  });
});

test('several violations under one waiver are one remark', async () => {
  const { campaigns } = check(
    { 'campaigns/spring.yaml': 'name: A\nwaive: { all: Not begun. }\n' },
    { policies: policies('all: { require: { schedule: any, leads: any, sequence: any } }') },
  );
  expect(campaigns[0]?.[0]?.remarks.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^Policy all .*: schedule .*\(and 2 more\)\. .*: Not begun\.$/),
  ]);
});

test.each([
  [
    'a policy that does not exist',
    'waive: { cap: Because }',
    ['3:10+3 unknown-policy', 'There is no policy named "cap".'],
  ],
  [
    'a policy that cannot be waived',
    'waive: { fixed: Because }',
    ['3:10+5 policy-not-waivable', 'Policy fixed cannot be waived: the project file forbids it.'],
  ],
  ['a waiver without a reason', 'waive: { caps: " " }', ['3:16+3 wrong-value', 'waive.caps: " " is blank.']],
  [
    'a waiver of nothing',
    'waive: { caps: null }',
    ['3:16+4 wrong-type', 'waive.caps: expected a string, but got nothing (null).'],
  ],
])('%s is an error', async (_, line, expected) => {
  const settings = 'settings: { max_emails_per_day: 10, plain_text: true, max_new_leads_per_day: 1 }';
  expect((await waive(`name: Spring\n${settings}\n${line}\n`)).findings).toEqual([expected]);
});

test('a policy that is not waivable applies despite a waiver', async () => {
  const manifest =
    'name: A\nsettings: { max_emails_per_day: 10, plain_text: false, max_new_leads_per_day: 1 }\nwaive: { fixed: Because }\n';
  expect((await waive(manifest)).findings.map(([place]) => place)).toEqual([
    '2:49+5 policy/fixed',
    '3:10+5 policy-not-waivable',
  ]);
});

test('waiving an unknown policy is an error even if there are no policies', () => {
  const { findings } = check({ 'campaigns/spring.yaml': 'name: A\nwaive: { caps: Because }\n' });
  expect(findings.map(({ code }) => code)).toEqual(['unknown-policy']);
});

test('an invalid waiver hides no other findings', async () => {
  const { findings, specs } = await waive(`name: Spring\n${SETTINGS}waive: { here: '' }\n`);
  expect([findings.map(([place]) => place), specs]).toEqual([
    ['2:33+3 policy/caps', expect.stringMatching(/^3:16\+2 /)],
    [[], []],
  ]);
});

test('policies are not checked for a campaign with an invalid section', async () => {
  const manifest =
    'name: Spring\nsettings: { max_emails_per_day: many, plain_text: false, max_new_leads_per_day: 1 }\n';
  expect((await waive(manifest)).findings).toEqual([['2:33+4 wrong-type', expect.any(String)]]);
});
