import { describe, expect, test } from 'vitest';
import { command, writeFiles } from '../support/command.js';
import { withFolder } from '../support/folder.js';

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

/** Without any variable: no token is needed. */
const compare = (folder: string, ...argv: string[]) => command(folder, ['compare', ...argv], {});

describe('two environments', () => {
  test('as text', () =>
    inProject(async (folder) => {
      const { code, out, err } = await compare(folder, 'staging', 'production');
      expect({ code, err }).toEqual({ code: 0, err: '' });
      await expect(out).toMatchFileSnapshot('../view/golden/compare.txt');
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
