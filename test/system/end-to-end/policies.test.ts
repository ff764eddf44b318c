import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { command, writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';
import { startService, type TestService } from '../../support/service/service.js';
import { shaped } from '../../support/service/shape.js';

const services: TestService[] = [];
afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.close()));
});

const MANIFEST = `name: Spring
settings: { max_emails_per_day: 900, plain_text: true, max_new_leads_per_day: 900 }
waive: { caps: "Fair <b>\u202eweek" }
`;

function projectFile(url: string, weight: 'warning' | 'error'): string {
  return `version: 1
manifests: [campaigns/*.yaml]
environments:
  staging: { sandbox: {} }
  production: { base_url: ${url}, token_env: CAMPAIGNS_TOKEN }
policies:
  caps: { reason: Agreed with legal., range: { settings.max_emails_per_day: { max: 500 } } }
  leads:
    reason: "A campaign [needs](x) leads."
    severity: ${weight}
    environments: [production]
    require: { leads: any }
`;
}

async function inProject(
  weight: 'warning' | 'error',
  use: (folder: string, service: TestService) => Promise<void>,
): Promise<void> {
  const service = await startService(shaped({}), { campaigns: [], templates: [] });
  services.push(service);
  await withFolder(async (folder) => {
    await writeFiles(folder, {
      'campaignctl.yaml': projectFile(service.url, weight),
      'campaigns/spring.yaml': MANIFEST,
    });
    await use(folder, service);
  });
  expect(service.violations).toEqual([]);
}

test('an error makes validate fail and stops plan and apply before anything is read', () =>
  inProject('error', async (folder, service) => {
    const validated = await command(folder, ['validate']);
    expect(validated.code).toBe(1);
    expect(validated.out).toContain(
      'campaigns/spring.yaml:1:7  error  Policy leads (production): leads is not set',
    );
    expect((await command(folder, ['validate', '--env', 'staging'])).code).toBe(0);
    for (const argv of [['plan'], ['apply', '--yes'], ['apply', '--dry-run']]) {
      const ended = await command(folder, [...argv, '--env', 'production']);
      expect([argv, ended.code]).toEqual([argv, 1]);
      expect(ended.err).toContain('[policy/leads]');
    }
    expect(service.requests).toEqual([]);
  }));

test('a log for code scanning has the policies as rules, with their reasons', () =>
  inProject('error', async (folder) => {
    const { out } = await command(folder, ['validate', '--format', 'sarif']);
    const [{ tool, results }] = JSON.parse(out).runs;
    const rules: { id: string }[] = tool.driver.rules;
    const ids = rules.map(({ id }) => id);
    expect(ids.filter((id) => /^policy\/|waive/.test(id))).toEqual(['policy/caps', 'policy/leads']);
    expect(ids.filter((id) => id.startsWith('recommended/'))).toHaveLength(8);
    expect(rules.find(({ id }) => id === 'policy/leads')).toEqual({
      id: 'policy/leads',
      shortDescription: { text: 'A campaign [needs] (x) leads.' },
      fullDescription: { text: 'A campaign [needs] (x) leads.' },
      help: {
        text: 'A campaign [needs] (x) leads. Declared in campaignctl.yaml under policies, leads.',
        markdown:
          '**error**: A campaign [needs] (x) leads.\n\nDeclared in campaignctl.yaml under policies, leads.',
      },
      defaultConfiguration: { level: 'error' },
    });
    expect(
      results.map(({ ruleId, ruleIndex, level }: Record<string, unknown>) => [ruleId, ruleIndex, level]),
    ).toEqual([['policy/leads', ids.indexOf('policy/leads'), 'error']]);
  }));

test('warnings and waivers are in the plan, in every form, and apply goes on', () =>
  inProject('warning', async (folder, service) => {
    const plan = (format: string) => command(folder, ['plan', '--env', 'production', '--format', format]);
    const text = (await plan('text')).out.replace(/\s+/g, ' ');
    expect(text).toContain(
      '! policy/leads Spring Policy leads (production): leads is not set in the manifest, so its value in the service is unknown',
    );
    expect(text).toContain('Policy caps is waived: settings.max_emails_per_day is 900, more than 500.');
    expect(text).toContain('Why: Fair <b><U+202E>week');
    const { campaigns } = JSON.parse((await plan('json')).out);
    expect(
      campaigns[0].problems.map(({ code, severity }: Record<string, unknown>) => [code, severity]),
    ).toEqual([
      ['policy/leads', 'warning'],
      ['policy-waived', 'warning'],
    ]);
    const markdown = (await plan('markdown')).out;
    const html = (await plan('html')).out;
    for (const page of [markdown, html]) {
      expect(page).toContain('Policy leads');
      expect(page).toContain('Policy caps is waived');
      expect(page).not.toContain('Fair <b>');
    }
    expect(service.writes()).toEqual([]);
    const applied = await command(folder, ['apply', '--env', 'production', '--yes']);
    expect(applied.code, applied.err).toBe(0);
    expect(JSON.stringify(service.writes())).not.toContain('waive');
    const again = await command(folder, ['plan', '--env', 'production', '--detailed-exitcode']);
    expect(again.code).toBe(0);
    expect(again.out).toContain('Policy caps is waived');
  }));

test('a saved plan is refused once a policy is another', () =>
  inProject('warning', async (folder, service) => {
    await command(folder, ['plan', '--env', 'production', '--out', 'plan.json']);
    const file = join(folder, 'campaignctl.yaml');
    await writeFile(file, (await readFile(file, 'utf8')).replace('max: 500', 'max: 1000'));
    const applied = await command(folder, ['apply', '--plan', 'plan.json', '--yes']);
    expect(applied.code).toBe(3);
    expect(service.writes()).toEqual([]);
  }));
