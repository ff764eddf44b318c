import { expect, test } from 'vitest';
import { type Project, withProject } from '../../support/project.js';

const MANIFEST = `name: Spring
settings: { max_emails_per_day: 900, plain_text: true, max_new_leads_per_day: 900 }
waive: { caps: "Fair <b>\u202eweek" }
`;

const withPolicies = (weight: 'warning' | 'error', use: (project: Project) => Promise<void>) => {
  const environment = `  staging: { sandbox: {} }
policies:
  caps: { reason: Agreed with legal., range: { settings.max_emails_per_day: { max: 500 } } }
  leads:
    reason: "A campaign [needs](x) leads."
    severity: ${weight}
    environments: [production]
    require: { leads: any }
`;
  return withProject({ environment, files: { 'campaigns/spring.yaml': MANIFEST } }, use);
};

test('an error makes validate fail and stops plan and apply before anything is read', () =>
  withPolicies('error', async ({ exits, service }) => {
    expect((await exits(1, 'validate')).out).toContain(
      'campaigns/spring.yaml:1:7  error  Policy leads (production): leads is not set',
    );
    await exits(0, 'validate --env staging');
    for (const line of ['plan', 'apply --yes', 'apply --dry-run'])
      expect((await exits(1, `${line} --env production`)).err).toContain('[policy/leads]');
    expect(service.requests).toEqual([]);
  }));

test('a log for code scanning has the policies as rules, with their reasons', () =>
  withPolicies('error', async ({ run }) => {
    const { out } = await run('validate --format sarif');
    const [{ tool, results }] = JSON.parse(out).runs;
    const rules: { id: string }[] = tool.driver.rules;
    const ids = rules.map(({ id }) => id);
    expect(ids.filter((id) => /^policy\/|waive/.test(id))).toEqual(['policy/caps', 'policy/leads']);
    expect(ids.filter((id) => id.startsWith('recommended/'))).toHaveLength(8);
    const text = 'A campaign [needs] (x) leads.';
    const place = 'Declared in campaignctl.yaml under policies, leads.';
    expect(rules.find(({ id }) => id === 'policy/leads')).toEqual({
      id: 'policy/leads',
      shortDescription: { text },
      fullDescription: { text },
      help: { text: `${text} ${place}` },
      defaultConfiguration: { level: 'error' },
    });
    const ruleIndex = ids.indexOf('policy/leads');
    expect(results).toMatchObject([{ ruleId: 'policy/leads', ruleIndex, level: 'error' }]);
  }));

test('warnings and waivers are in the plan, in every form, and apply goes on', () =>
  withPolicies('warning', async ({ exits, problems, run, service }) => {
    const plan = async (format: string) => (await run(`plan --env production --format ${format}`)).out;
    const text = (await plan('text')).replace(/\s+/g, ' ');
    expect(text).toContain(
      '! policy/leads Spring Policy leads (production): leads is not set in the manifest, so its value in the service is unknown',
    );
    expect(text).toContain('Policy caps is waived: settings.max_emails_per_day is 900, more than 500.');
    expect(text).toContain('Why: Fair <b><U+202E>week');
    expect((await problems('--env production')).map(({ code, severity }) => [code, severity])).toEqual([
      ['policy/leads', 'warning'],
      ['policy-waived', 'warning'],
    ]);
    for (const page of [await plan('markdown'), await plan('html')]) {
      expect(page).toContain('Policy leads');
      expect(page).toContain('Policy caps is waived');
      expect(page).not.toContain('Fair <b>');
    }
    expect(service.writes()).toEqual([]);
    await exits(0, 'apply --env production --yes');
    expect(JSON.stringify(service.writes())).not.toContain('waive');
    const again = await exits(0, 'plan --env production --detailed-exitcode');
    expect(again.out).toContain('Policy caps is waived');
  }));

test('a saved plan is refused once a policy is another', () =>
  withPolicies('warning', async ({ edit, exits, sent }) => {
    await exits(0, 'plan --env production --out plan.json');
    await edit('campaignctl.yaml', 'max: 500', 'max: 1000');
    await exits(3, 'apply --plan plan.json --yes');
    expect(sent()).toEqual([]);
  }));
