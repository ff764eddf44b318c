import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, test } from 'vitest';
import { type Project, SCHEDULE, withProject } from '../../support/project.js';
import { DEFAULT_SETTINGS, draft } from '../../support/service/store.js';

const scene = (
  files: Record<string, string>,
  use: (project: Project) => Promise<void>,
  live: Partial<typeof DEFAULT_SETTINGS> | null = null,
) => {
  const spring = { ...draft(42, 'Spring'), settings: { ...DEFAULT_SETTINGS, ...live } };
  // A second environment does not duplicate findings.
  const environment = '  staging: { sandbox: {} }\ndefault_environment: production\n';
  return withProject({ environment, files, campaigns: live === null ? [] : [spring] }, use);
};

const NO_TEXT = 'can_unsubscribe is true, but unsubscribe_text is not set';
const unlinked = (name: string) => `name: ${name}\nsettings:\n  can_unsubscribe: true\n`;
/** As a reader sees it, without Markdown escapes. */
const times = (text: string, part: string) =>
  text
    .replace(/\\|<!-- -->/g, '')
    .replace(/\s+/g, ' ')
    .split(part).length - 1;
const READABLE = ['text', 'markdown', 'html'];

it('a finding is in the plan once, with its line, in each format', () =>
  scene({ 'campaigns/spring.yaml': unlinked('Spring') }, async ({ run }) => {
    for (const format of [...READABLE, 'json']) {
      const { out } = await run(`plan --format ${format}`);
      const counts = [times(out, NO_TEXT), times(out, 'campaigns/spring.yaml:3')];
      expect(counts, format).toEqual([1, 1]);
    }
  }));

it('findings on unplanned campaigns are omitted', () =>
  scene({ 'campaigns/a.yaml': unlinked('Alpha'), 'campaigns/b.yaml': unlinked('Beta') }, async ({ run }) => {
    const { out } = await run('plan --target Beta');
    expect(out).toContain('campaigns/b.yaml:3');
    expect(out).not.toContain('campaigns/a.yaml');
  }));

it('findings on unchanged campaigns come after the campaigns, each once, and only the first of many', () => {
  const names = [...'abcdefghijkl'];
  const files = Object.fromEntries(names.map((name) => [`campaigns/${name}.yaml`, unlinked(name)]));
  return scene(files, async ({ exits, run }) => {
    await exits(0, 'apply --yes --target a --target b');
    const both = await run('plan campaigns/a.yaml campaigns/b.yaml');
    const shown = both.out.replace(/127\S+(?=\))/, 'ADDRESS');
    await expect(shown).toMatchFileSnapshot('golden/warnings.txt');
    for (const format of [...READABLE, 'json']) {
      const { out } = await run(`plan --format ${format}`);
      // For readers, the first positions, separately for changed and unchanged campaigns.
      const expected = names.map((_, at) => (at < 4 || format === 'json' ? 1 : 0));
      expect([format, names.map((name) => times(out, `campaigns/${name}.yaml:3`))]).toEqual([
        format,
        expected,
      ]);
    }
    await exits(0, 'apply --yes');
    await exits(0, 'plan --detailed-exitcode');
    for (const format of READABLE) {
      const { out } = await run(`plan --format ${format}`);
      expect([format, times(out, NO_TEXT), times(out, ' and 10 more')]).toEqual([format, 1, 1]);
    }
  });
});

it('a finding at one line of several campaigns is reported once for all of them', () => {
  const text = `for_each: [{ segment: France }, { segment: Spain }]\n${unlinked('A ${{ segment }}')}`;
  return scene({ 'campaigns/a.yaml': text }, async ({ exits, run }) => {
    const once = async (format: string) =>
      expect(times((await run(`plan --format ${format}`)).out, 'campaigns/a.yaml:4'), format).toBe(1);
    for (const format of READABLE) await once(format);
    await exits(0, 'apply --yes --target', 'A France');
    await once('text');
  });
});

const FIFTY = 'name: Spring\nsettings: { max_emails_per_day: 50 }\n';
const numbersIn = async ({ problems }: Project) =>
  (await problems()).filter(({ code }) => /^new-leads/.test(code));

it('an email cap below the default cap on new leads is reported before the campaign is created', () =>
  scene({ 'campaigns/spring.yaml': FIFTY }, async (project) => {
    expect(await numbersIn(project)).toEqual([
      expect.objectContaining({
        message: expect.stringContaining('max_new_leads_per_day is 1000 (the default'),
        hint: expect.stringContaining('Write max_new_leads_per_day: 50 or less'),
      }),
    ]);
  }));

it.each([
  [40, 0],
  [51, 1],
])('for an existing campaign, the live cap on new leads counts: %i', (max_new_leads_per_day, number) =>
  scene(
    { 'campaigns/spring.yaml': FIFTY },
    async (project) => expect(await numbersIn(project)).toHaveLength(number),
    { max_new_leads_per_day },
  ),
);

it('two declared caps are reported once, where they are written', () =>
  scene(
    { 'campaigns/spring.yaml': FIFTY.replace(' }', ', max_new_leads_per_day: 60 }') },
    async (project) => {
      expect(await numbersIn(project)).toMatchObject([{ at: 'campaigns/spring.yaml:2' }]);
    },
  ));

const MANIFEST = `name: Spring installers
${SCHEDULE}sequence:
  title: Spring
  steps: [{ email_subject: A question, email_body: "Hi {FIRST_NAME}", wait_in_days: 3 }]
leads: { ids: [7] }
status: running
`;

it('an unknown status is not called a draft, and one that was set says when', () =>
  withProject(
    { shape: { status: 'hidden' }, files: { 'campaigns/spring.yaml': MANIFEST } },
    async ({ exits, folder, plan, run, write }) => {
      await exits(0, 'apply --yes --allow launch');
      await write({ 'campaigns/spring.yaml': MANIFEST.replace('running', 'paused') });
      for (const format of ['text', 'markdown', 'html'])
        expect((await run(`plan --format ${format}`)).out).toMatch(
          /running, as last set on\s+2026-\d\d-\d\d; the\s+service shows no status/,
        );
      await write({ 'campaigns/spring.yaml': MANIFEST });
      await rm(join(folder, '.campaignctl'), { recursive: true });
      for (const [format, words] of [
        ['text', /status {2}(will not be applied {2})?not shown → running/],
        ['markdown', /`not shown` → `running`/],
        ['html', /<del>not shown<\/del> → <ins>running</],
      ] as const)
        expect((await run(`plan --format ${format}`)).out).toMatch(words);
      const change = { section: 'status', path: '', kind: 'update', from: null, to: 'running' };
      const { campaigns } = await plan();
      expect(campaigns[0]?.changes.at(-1)).toEqual({ ...change, note: null, origin: null });
    },
  ));

const WAIVED = `name: Spring
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
  return withProject({ environment, files: { 'campaigns/spring.yaml': WAIVED } }, use);
};

test('an error fails validate, and stops plan and apply before anything is read', () =>
  withPolicies('error', async ({ exits, service }) => {
    expect((await exits(1, 'validate')).out).toMatch(
      /^campaigns\/spring\.yaml:1:7 {2}error {2}Policy leads /m,
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
    const place = 'Declared under policies, leads, in the project file or the file that it extends.';
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

test('warnings and waivers are in every format of the plan, and apply continues', () =>
  withPolicies('warning', async ({ exits, problems, run, service }) => {
    const plan = async (format: string) => (await run(`plan --env production --format ${format}`)).out;
    const text = (await plan('text')).replace(/\s+/g, ' ');
    expect(text).toContain('! policy/leads Spring Policy leads (production): ');
    expect(text).toContain('Policy caps is waived: settings.max_emails_per_day');
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
