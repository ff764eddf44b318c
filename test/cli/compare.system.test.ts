import { describe, expect, test } from 'vitest';
import { command, writeFiles } from '../support/command.js';
import { withFolder } from '../support/folder.js';
import { faultsOf } from '../support/schema.js';

const PROJECT = `version: 1
manifests: [campaigns/*.yaml]
environments:
  staging: { sandbox: {}, lead_lists: { installers: 12 }, schedule_templates: { office-hours: 1 } }
  production:
    base_url: https://send.example.com
    token_env: CAMPAIGNS_TOKEN
    lead_lists: { installers: 77 }
    schedule_templates: { office-hours: 3 }
`;
const SPRING = `name: Spring installers
settings: { max_emails_per_day: 200, plain_text: true }
schedule: { template: office-hours }
leads: { lists: [installers] }
environments:
  production:
    id: 1042
    settings: { max_emails_per_day: 1000 }
`;
const FAIR = `name: Fair invitation
schedule: { days: [monday, tuesday], start_time: "09:00", end_time: "17:00", timezone: Europe/London }
sequence:
  title: Fair
  steps:
    - email_subject: See you at the fair?
      email_body: |
        Hi,

        our stand is in hall 4 this year and we would be glad to see you.
      wait_in_days: 3
environments:
  production:
    name: Fair invitation (live)
    settings: { open_tracking: true }
    schedule: { days: [monday, tuesday, wednesday, thursday, friday] }
    status: running
    sequence:
      title: Fair
      steps:
        - email_subject: See you at the fair?
          email_body: |
            Hi,

            our stand is in hall 5 this year and we would be glad to see you.
          wait_in_days: 3
        - email_subject: Any news?
          email_body: Still time to register.
          wait_in_days: 4
`;
const FILES = {
  'campaignctl.yaml': PROJECT,
  'campaigns/spring.yaml': SPRING,
  'campaigns/fair.yaml': FAIR,
  'campaigns/quiet.yaml': 'name: Quiet one\n',
};

const inProject = (use: (folder: string) => Promise<void>, files: Record<string, string> = FILES) =>
  withFolder(async (folder) => {
    await writeFiles(folder, files);
    await use(folder);
  });

/** What a person reads of Markdown or of a page. */
const textOf = (report: string) =>
  report
    .replace(/^.*<\/head>/s, '')
    .replace(/<[^>]*>|[`*|>]|:(?=\s)/g, ' ')
    .replace(/\s+/g, ' ');

/** Without any variable: no token is needed. */
const compare = (folder: string, ...argv: string[]) => command(folder, ['compare', ...argv], {});

describe('two environments', () => {
  test('as text', () =>
    inProject(async (folder) => {
      const { code, out, err } = await compare(folder, 'staging', 'production');
      expect({ code, err }).toEqual({ code: 0, err: '' });
      await expect(out).toMatchFileSnapshot('../view/golden/compare.txt');
    }));

  test.each(['markdown', 'html'])('as %s, with every fact', (format) =>
    inProject(
      async (folder) => {
        const { code, out } = await compare(folder, 'staging', 'production', '--format', format);
        expect(code).toBe(0);
        const shown = textOf(out);
        const facts = [
          'staging → production 5 campaigns 2 differ; 1 only in staging; 1 only in production; 1 the same',
          ...['Old one only in staging', 'New one only in production'],
          ...['campaigns/fair.yaml', 'name Fair invitation → Fair invitation (live)', 'id 1042', 'running'],
          ...['Any news?', 'mon, tue → mon–fri', 'office-hours → weekend'],
          ...['lead lists installers → 42, installers'],
        ];
        for (const fact of facts) expect(shown).toContain(fact);
        expect(shown).toMatch(/max_emails_per_day.* 200 (?:→ )?1000 /);
        expect(out).toContain('Still time to register.');
        expect(shown).not.toMatch(/Quiet one|Current|Planned/);
      },
      {
        ...FILES,
        'campaignctl.yaml': PROJECT.replaceAll('schedule_templates: {', 'schedule_templates: { weekend: 9,')
          .replace('staging: {', 'staging: { manifests: [campaigns/*.yaml, "!campaigns/new.yaml"],')
          .replace('production:', 'production:\n    manifests: [campaigns/*.yaml, "!campaigns/old.yaml"]'),
        'campaigns/spring.yaml': `${SPRING.replace('max_emails_per_day: 1000', 'max_emails_per_day: 1000, plain_text: false')}    schedule: { template: weekend }\n    leads: { lists: [installers, 42] }\n`,
        ...{ 'campaigns/old.yaml': 'name: Old one\n', 'campaigns/new.yaml': 'name: New one\n' },
      },
    ),
  );

  test('as JSON', () =>
    inProject(async (folder) => {
      const { code, out } = await compare(folder, 'staging', 'production', '--json');
      expect([code, faultsOf('compare', out)]).toEqual([0, []]);
      const setting = {
        section: 'settings',
        path: 'max_emails_per_day',
        kind: 'update',
        from: 200,
        to: 1000,
      };
      const id = { section: 'campaign', path: 'id', kind: 'add', from: null, to: 1042 };
      expect(JSON.parse(out)).toMatchObject({
        ...{ version: 1, from: 'staging', to: 'production' },
        summary: { differs: 2, only_from: 0, only_to: 0, same: 1 },
        campaigns: [
          { name: 'Fair invitation', status: 'differs' },
          {
            ...{ manifest: 'campaigns/spring.yaml', name: 'Spring installers', status: 'differs' },
            changes: [
              { ...id, note: null },
              { ...setting, note: null },
            ],
          },
          { name: 'Quiet one', status: 'same', changes: [] },
        ],
      });
    }));

  test('that are the same', () =>
    inProject(async (folder) => {
      const { code, out } = await compare(folder, 'staging', 'production', '--target', 'Quiet one');
      expect([code, out]).toEqual([0, 'staging → production\n\n  1 campaign: 1 the same\n']);
    }));

  test('of some manifests, by file or by either name', () =>
    inProject(async (folder) => {
      const file = await compare(folder, 'staging', 'production', 'campaigns/spring.yaml');
      expect(file.out).toContain('1 campaign: 1 differs\n');
      const live = await compare(folder, 'staging', 'production', '--target', 'Fair invitation (live)');
      expect(live.out).toContain('1 campaign: 1 differs\n');
      const none = await compare(folder, 'staging', 'production', '--target', 'Quiet');
      expect([none.code, none.out]).toEqual([1, '']);
      expect(none.err).toMatch(/"Quiet"[\s\S]*\[unknown-target\]/);
    }));
});

describe('what cannot be compared', () => {
  test('is an environment that is not there, one with itself, and one too many', () =>
    inProject(async (folder) => {
      const unknown = await compare(folder, 'staging', 'prodution');
      expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('Did you mean "production"?')]);
      const twice = await compare(folder, 'staging', 'staging');
      expect([twice.code, twice.err]).toEqual([1, expect.stringContaining('not staging twice')]);
      const env = await compare(folder, 'staging', 'production', '--env', 'staging');
      expect([env.code, env.err]).toEqual([1, expect.stringContaining('not with --env')]);
    }));

  test('is a manifest with an error in one of them: all are shown', () => {
    const broken = 'name: A\nenvironments:\n  production: { leads: { lists: [unlisted] }, status: on }\n';
    return inProject(
      async (folder) => {
        const { code, out, err } = await compare(folder, 'staging', 'production');
        expect([code, out]).toEqual([1, '']);
        expect(err).toContain('[unknown-lead-list]');
        expect(err).toContain('[wrong-value]');
      },
      { ...FILES, 'campaigns/broken.yaml': broken },
    );
  });
});

test('names and texts move no terminal', () => {
  const name = 'A \\e[31m\\u202E | `x` @all <b>';
  const hostile = `name: "${name}"\nenvironments:\n  production: { name: "${name}!", leads: { lists: ["<i>"] } }\n`;
  const project = PROJECT.replace(
    'lead_lists: { installers: 77 }',
    'lead_lists: { installers: 77, "<i>": 5 }',
  );
  return inProject(
    async (folder) => {
      const { out } = await compare(folder, 'staging', 'production');
      expect(out).not.toMatch(/[\u001b\u202e]/);
    },
    { 'campaignctl.yaml': project, 'campaigns/a.yaml': hostile },
  );
});
