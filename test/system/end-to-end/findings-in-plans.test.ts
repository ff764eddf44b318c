/** What the linter found of a planned campaign stands in every view of its plan; settings that go badly together are told first. */
import { afterEach, expect, it } from 'vitest';
import type { Plan } from '../../../src/model/outputs.js';
import { command, writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';
import { startService, type TestService } from '../../support/service/service.js';
import { shaped } from '../../support/service/shape.js';
import { DEFAULT_SETTINGS, draft } from '../../support/service/store.js';

const services: TestService[] = [];
afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.close()));
});

type Run = (...argv: string[]) => Promise<{ code: number; out: string; err: string }>;

async function scene(
  files: Record<string, string>,
  use: (run: Run, folder: string) => Promise<void>,
  live: Partial<typeof DEFAULT_SETTINGS> | null = null,
): Promise<void> {
  const campaigns =
    live === null ? [] : [{ ...draft(42, 'Spring'), settings: { ...DEFAULT_SETTINGS, ...live } }];
  const service = await startService(shaped({}), { campaigns, templates: [] });
  services.push(service);
  const address = `base_url: "${service.url}", token_env: CAMPAIGNS_TOKEN`;
  await withFolder(async (folder) => {
    await writeFiles(folder, {
      'campaignctl.yaml': `version: 1\nmanifests: [campaigns/*.yaml]\ndefault_environment: production\nenvironments:\n  staging: { ${address} }\n  production: { ${address} }\n`,
      ...files,
    });
    await use((...argv) => command(folder, argv), folder);
  });
  expect(service.violations).toEqual([]);
}

const NO_TEXT = 'can_unsubscribe is true, but unsubscribe_text is not set';
const unlinked = (name: string) => `name: ${name}\nsettings:\n  can_unsubscribe: true\n`;
const times = (text: string, part: string) =>
  text.replaceAll('\\', '').replace(/\s+/g, ' ').split(part).length - 1;

it.each(['text', 'markdown', 'html', 'json'])(
  'a finding stands in the plan, once, at its line: %s',
  (format) =>
    scene({ 'campaigns/spring.yaml': unlinked('Spring') }, async (run) => {
      const { out } = await run('plan', '--format', format);
      expect(times(out, NO_TEXT)).toBe(1);
      expect(times(out, 'campaigns/spring.yaml:3')).toBe(1);
    }),
);

it('a finding is not said of what is not planned', () =>
  scene({ 'campaigns/a.yaml': unlinked('Alpha'), 'campaigns/b.yaml': unlinked('Beta') }, async (run) => {
    const { out } = await run('plan', '--target', 'Beta');
    expect(out).toContain('campaigns/b.yaml:3');
    expect(out).not.toContain('campaigns/a.yaml');
  }));

it('findings stand after the campaigns where nothing changes, each once, and of many the first ones', () => {
  const names = [...'abcdefghijkl'];
  const files = Object.fromEntries(names.map((name) => [`campaigns/${name}.yaml`, unlinked(name)]));
  return scene(files, async (run) => {
    expect((await run('apply', '--yes', '--target', 'a', '--target', 'b')).code).toBe(0);
    const both = await run('plan', 'campaigns/a.yaml', 'campaigns/b.yaml');
    expect(both.out.replace(/127\S+(?=\))/, 'ADDRESS')).toMatchInlineSnapshot(`
      "Plan for production (http://ADDRESS)

        No changes. All 2 live campaigns match their manifests.

      Warnings about campaigns that do not change
        ! unsubscribe-without-text
            campaigns/a.yaml:3, campaigns/b.yaml:3: can_unsubscribe is true, but unsubscribe_text is not
            set: an unsubscribe link needs both.
            → For a link, set can_unsubscribe: true and unsubscribe_text: "Unsubscribe here". For no link,
              set can_unsubscribe: false and remove unsubscribe_text.
      "
    `);
    for (const format of ['text', 'markdown', 'html', 'json']) {
      const { out } = await run('plan', '--format', format);
      expect([format, names.map((name) => times(out, `campaigns/${name}.yaml:3`))]).toEqual([
        format,
        // For readers the first places where something changes, and where nothing does.
        names.map((_, at) => (at < 4 || format === 'json' ? 1 : 0)),
      ]);
    }
    expect((await run('apply', '--yes')).code).toBe(0);
    expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
    for (const format of ['text', 'markdown', 'html']) {
      const { out } = await run('plan', '--format', format);
      expect([format, times(out, NO_TEXT), times(out, ' and 10 more')]).toEqual([format, 1, 1]);
    }
  });
});

it('a finding at one line of several campaigns is said once for all of them', () =>
  scene(
    {
      'campaigns/a.yaml':
        'for_each: [{ segment: France }, { segment: Spain }]\nname: A ${{ segment }}\nsettings:\n  can_unsubscribe: true\n',
    },
    async (run) => {
      for (const format of ['text', 'markdown', 'html']) {
        const { out } = await run('plan', '--format', format);
        expect([format, times(out, 'campaigns/a.yaml:4')]).toEqual([format, 1]);
      }
      expect((await run('apply', '--yes', '--target', 'A France')).code).toBe(0);
      expect(times((await run('plan')).out, 'campaigns/a.yaml:4')).toBe(1);
    },
  ));

const FIFTY = 'name: Spring\nsettings: { max_emails_per_day: 50 }\n';
const problemsOf = async (run: Run) => {
  const plan: Plan = JSON.parse((await run('plan', '--format', 'json')).out);
  return plan.campaigns.flatMap(({ problems }) => problems).filter(({ code }) => /^new-leads/.test(code));
};

it('fewer emails a day than the new leads by default are told before the campaign is made', () =>
  scene({ 'campaigns/spring.yaml': FIFTY }, async (run) => {
    const [told, ...more] = await problemsOf(run);
    expect(more).toEqual([]);
    expect(told?.message).toContain('max_new_leads_per_day is 1000 (the default of a new campaign)');
    expect(told?.hint).toContain('Write max_new_leads_per_day: 50 or less');
  }));

it.each([
  [40, 0],
  [51, 1],
])('of a campaign that exists, the live number of new leads counts: %i', (max_new_leads_per_day, number) =>
  scene(
    { 'campaigns/spring.yaml': FIFTY },
    async (run) => expect(await problemsOf(run)).toHaveLength(number),
    { max_new_leads_per_day },
  ),
);

it('two numbers that the manifest writes are told once, where they are written', () =>
  scene({ 'campaigns/spring.yaml': FIFTY.replace(' }', ', max_new_leads_per_day: 60 }') }, async (run) => {
    expect(await problemsOf(run)).toMatchObject([{ at: 'campaigns/spring.yaml:2' }]);
  }));
