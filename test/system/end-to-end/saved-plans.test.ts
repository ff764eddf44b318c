import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Plan } from '../../../src/model/outputs.js';
import { openProject } from '../../../src/operations/project.js';
import type { SavedPlan } from '../../../src/plan/files.generated.js';
import { fingerprint, planFingerprint } from '../../../src/plan/fingerprint.js';
import { command, writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';
import { startService, type TestService, TOKEN } from '../../support/service/service.js';
import { shaped } from '../../support/service/shape.js';
import { draft } from '../../support/service/store.js';

const services: TestService[] = [];
afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.close()));
});

const manifest = (most: number) =>
  `name: Spring installers\nsettings: { max_emails_per_day: ${most}, reputation_building: true }\n`;
const project = (url: string) => `version: 1
manifests: [campaigns/*.yaml]
default_environment: production
environments:
  production: { base_url: "${url}", token_env: CAMPAIGNS_TOKEN, lead_lists: { fr: 77 } }
  staging: { base_url: "${url}", token_env: CAMPAIGNS_TOKEN }
`;

const week = (day: string) =>
  `days: [${day}]\nstart_time: "09:00"\nend_time: "17:00"\ntimezone: Europe/Paris\n`;

interface Scene {
  folder: string;
  service: TestService;
  run(...argv: string[]): ReturnType<typeof command>;
}

/** A project beside a service with one campaign of ours and one of another team, and a saved plan `p.json`. */
async function afterPlanning(
  use: (scene: Scene) => Promise<void>,
  flags: string[] = [],
  { launch = false, sending = false } = {},
): Promise<void> {
  const more = launch ? 'status: running\n' : sending ? 'leads: { ids: [1001] }\n' : '';
  const store = {
    campaigns: [
      {
        ...draft(42, 'Spring installers'),
        ...(launch || sending ? { lists: [1, 2, 3] } : {}),
        ...(sending ? { status: 'active' } : {}),
      },
      draft(7, 'Other'),
    ],
    templates: [],
  };
  const service = await startService(shaped({ totals: 'shown' }), store);
  services.push(service);
  await withFolder(async (folder) => {
    await writeFiles(folder, {
      'campaignctl.yaml': project(service.url),
      'campaigns/spring.yaml': `${manifest(200)}${more}`,
      'campaigns/other.yaml':
        'name: Other\nsettings: { max_emails_per_day: 50, reputation_building: true }\n',
    });
    const run = (...argv: string[]) => command(folder, argv);
    const planned = await run('plan', '--out', 'p.json', ...flags);
    expect(planned.code, planned.err).toBe(0);
    await use({ folder, service, run });
  });
  expect(service.violations).toEqual([]);
}

/** Changes the saved plan and makes its checksum anew, or `all` fingerprints. */
async function seal(folder: string, change: (text: string) => string, all = false): Promise<void> {
  const before = await readFile(join(folder, 'p.json'), 'utf8');
  const text = change(before);
  expect(text).not.toBe(before);
  const { checksum: _, ...rest } = JSON.parse(text);
  const again = all ? sealed(JSON.parse(text)) : { ...rest, checksum: fingerprint(rest) };
  await writeFile(join(folder, 'p.json'), JSON.stringify(again));
}

/** All fingerprints made anew, as everyone can who may write the file. */
function sealed({ checksum: _, ...rest }: SavedPlan): SavedPlan {
  const { fingerprint: __, ...body } = rest.plan;
  const plan = {
    ...rest.plan,
    fingerprint: planFingerprint(body, rest.live.map(fingerprint), rest.selection),
  };
  const again = { ...rest, plan, shown: fingerprint({ made: rest.made, plan }) };
  return { ...again, checksum: fingerprint(again) };
}

type Path = string[];

/** The places of all values that are no objects with something in them. */
function leaves(value: unknown, path: Path = []): Path[] {
  const inner = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return inner.length === 0 ? [path] : inner.flatMap(([name, one]) => leaves(one, [...path, name]));
}

/** Words of a fixed set, each with another one of it. */
const OTHER: Record<string, string> = {
  ...{ service: 'manifest', manifest: 'service', apply: 'import', hazard: 'warning', warning: 'hazard' },
  ...{ change: 'create', update: 'add', PATCH: 'POST', settings: 'leads', status: 'settings', all: 'drift' },
};

/** Changes the value at a place into another one of its type, where there is one. */
function change(value: Record<string, unknown>, [first = '', ...rest]: Path): void {
  const old = value[first];
  if (rest.length > 0) change(old as Record<string, unknown>, rest);
  else if (typeof old === 'string')
    value[first] = /^\d{4}-\d\d-\d\dT/.test(old) ? old.replace(/^..../, '2025') : (OTHER[old] ?? `${old}x`);
  else if (typeof old === 'number') value[first] = old + 1;
  else if (typeof old === 'boolean') value[first] = !old;
  else value[first] = Array.isArray(old) ? ['x'] : 'x';
}

describe('a saved plan', () => {
  it('is what was shown, for its owner only, and without a token', () =>
    afterPlanning(async ({ folder, run }) => {
      const text = await readFile(join(folder, 'p.json'), 'utf8');
      expect(text).not.toContain(TOKEN);
      expect((await stat(join(folder, 'p.json'))).mode & 0o777).toBe(0o600);
      expect((await run('show', 'p.json')).out).toBe((await run('plan')).out);
      expect((await run('show', 'p.json', '--format', 'json')).out).toBe(
        (await run('plan', '--format', 'json')).out,
      );
    }));

  it.each([[[]], [['.']]])('of %j is applied as it is, once', (words) =>
    afterPlanning(async ({ service, run }) => {
      expect(await run('apply', '--plan', 'p.json')).toMatchObject({ code: 3 });
      expect(service.writes()).toEqual([]);
      expect(await run('apply', '--plan', 'p.json', '--yes')).toMatchObject({ code: 0 });
      expect(service.writes()).toHaveLength(2);
      const again = await run('apply', '--plan', 'p.json', '--yes');
      expect(again.code).toBe(3);
      expect(again.err).toContain('[plan-stale]');
      expect(service.writes()).toHaveLength(2);
    }, words),
  );

  it('is applied where the project file has changed for another environment only', () =>
    afterPlanning(
      async ({ folder, service, run }) => {
        const accepting = (text: string) => text.replace('lead_lists:', 'allow: [launch], lead_lists:');
        await writeFiles(folder, { 'campaignctl.yaml': accepting(project(service.url)) });
        expect(await run('plan', '--out', 'p.json')).toMatchObject({ code: 0 });
        expect((await run('show', 'p.json', '--json')).out).toContain('"accepted_by": "campaignctl.yaml:5"');
        const staging = '  staging: { base_url: "https://other.example", token_env: STAGING_TOKEN }\n';
        const others = project(service.url).replace(/ {2}staging: .*\n/, '');
        const moved = others.replace('environments:\n', `# Ours.\nenvironments:\n${staging}`);
        await writeFiles(folder, { 'campaignctl.yaml': accepting(moved) });
        const ended = await run('apply', '--plan', 'p.json', '--yes');
        expect(ended.out).toContain('✓ update the settings');
        expect(ended.err).not.toContain('plan-project-changed');
        expect(service.writes().at(-1)?.path, ended.out).toBe('/api/campaigns/42/resume');
      },
      [],
      { launch: true },
    ));

  it('is of the campaigns that were chosen when it was made, wherever it is applied from', () =>
    afterPlanning(
      async ({ folder, service, run }) => {
        expect(await run('apply', '--plan', 'p.json', '--yes', '--target', 'Other')).toMatchObject({
          code: 1,
        });
        const below = await command(join(folder, 'campaigns'), ['apply', '--plan', '../p.json', '--yes']);
        expect(below.code, below.err).toBe(0);
        expect(service.writes().map(({ path }) => path)).toEqual(['/api/campaigns/42/update']);
      },
      ['campaigns/spring.yaml', '--target', 'Spring installers'],
    ));

  it.each([
    ['its file', ['campaigns/spring.yaml']],
    ['its name', ['--target', 'Spring installers']],
  ])(
    'of a campaign chosen by %s is applied where files that only another campaign uses have changed',
    (_, choice) =>
      afterPlanning(async ({ folder, service, run }) => {
        const summer =
          'name: Summer installers\nschedule: { use: ../week.yaml }\nleads: { ids_file: ../ids.txt }\n';
        await writeFiles(folder, {
          'campaigns/summer.yaml': summer,
          'week.yaml': week('monday'),
          'ids.txt': '7\n',
        });
        expect(await run('plan', ...choice, '--out', 'p.json')).toMatchObject({ code: 0 });
        await writeFiles(folder, {
          'campaigns/summer.yaml': `${summer}status: paused\n`,
          'campaigns/winter.yaml': 'name: Winter installers\n',
          'week.yaml': week('friday'),
          'ids.txt': '8\n',
        });
        const ended = await run('apply', '--plan', 'p.json', '--yes');
        expect(ended.code, ended.err).toBe(0);
        expect(service.writes().map(({ path }) => path)).toEqual(['/api/campaigns/42/update']);
      }),
  );

  it.each([
    ['week.yaml', week('friday')],
    ['ids.txt', '8\n'],
  ])('of one campaign is refused where %s has changed, which it uses', (file, text) =>
    afterPlanning(async ({ folder, service, run }) => {
      const uses = 'schedule: { use: ../week.yaml }\nleads: { ids_file: ../ids.txt }\n';
      await writeFiles(folder, {
        'campaigns/spring.yaml': `${manifest(200)}${uses}`,
        'week.yaml': week('monday'),
        'ids.txt': '7\n',
      });
      const planned = await run('plan', '--target', 'Spring installers', '--out', 'p.json');
      expect(planned.code, planned.err).toBe(0);
      await writeFiles(folder, { [file]: text });
      const ended = await run('apply', '--plan', 'p.json', '--yes');
      expect(ended).toMatchObject({ code: 3, err: expect.stringContaining('[plan-manifests-changed]') });
      expect(ended.err).toContain(`${file} has changed`);
      expect(service.writes()).toEqual([]);
    }),
  );

  const refused: [what: string, code: string, shown: string, change: (scene: Scene) => Promise<unknown>][] = [
    [
      'the service has changed',
      'plan-stale',
      'Spring installers: settings.max_emails_per_day was 1000, is 300',
      async ({ service }) => {
        const [spring] = service.store.campaigns;
        if (spring !== undefined) spring.settings = { ...spring.settings, max_emails_per_day: 300 };
      },
    ],
    [
      'a setting that is not managed has changed in the service',
      'plan-stale',
      'Spring installers: settings.plain_text was false, is true',
      async ({ service }) => {
        const [spring] = service.store.campaigns;
        if (spring !== undefined) spring.settings = { ...spring.settings, plain_text: true };
      },
    ],
    [
      'the campaign is gone',
      'plan-stale',
      'Spring installers',
      async ({ service }) => service.store.campaigns.splice(0, 1),
    ],
    [
      'a manifest says something else',
      'plan-manifests-changed',
      'Spring installers: settings.max_emails_per_day was 200, is 201',
      ({ folder }) => writeFiles(folder, { 'campaigns/spring.yaml': manifest(201) }),
    ],
    [
      'a manifest is not valid any more',
      'plan-manifests-changed',
      'campaigns/spring.yaml has changed',
      ({ folder }) => writeFiles(folder, { 'campaigns/spring.yaml': 'name: 7\nnonsense: 1\n' }),
    ],
    [
      'there is another manifest',
      'plan-manifests-changed',
      'campaigns/third.yaml is new',
      ({ folder }) => writeFiles(folder, { 'campaigns/third.yaml': 'name: Third\n' }),
    ],
    [
      'the project file says something else',
      'plan-project-changed',
      'production: lead_lists.fr was 77, is 78',
      async ({ folder, service }) =>
        writeFiles(folder, { 'campaignctl.yaml': project(service.url).replace('fr: 77', 'fr: 78') }),
    ],
    [
      'the plan file was altered',
      'plan-altered',
      'p.json',
      async ({ folder }) => {
        const text = await readFile(join(folder, 'p.json'), 'utf8');
        await writeFile(
          join(folder, 'p.json'),
          text.replace('"max_emails_per_day":200', '"max_emails_per_day":900'),
        );
      },
    ],
  ];
  it.each(refused)('is refused where %s', (_, code, shown, change) =>
    afterPlanning(async (scene) => {
      await change(scene);
      const { service, run } = scene;
      const ended = await run('apply', '--plan', 'p.json', '--yes');
      expect(ended.code, ended.err).toBe(3);
      expect(ended.err).toContain(`[${code}]`);
      expect(ended.err).toContain(shown);
      expect(service.writes()).toEqual([]);
    }),
  );

  it.each<[string, RegExp, string, string]>([
    ['has a step without a path', /"path":"\/api[^"]*",/, '', 'path is missing'],
    ['has an action that is none', /"action":"change"/, '"action":"delete"', 'must be equal to one of'],
    ['has no campaigns', /"campaigns":\[/, '"emails":[', 'campaigns is missing'],
    ['does not say what made it', /"made":\{/, '"made":7,"x":{', 'made must be object'],
  ])('that %s is refused, although its checksum was made anew', (_, from, to, shown) =>
    afterPlanning(async ({ folder, service, run }) => {
      await seal(folder, (text) => {
        expect(text).toMatch(from);
        return text.replace(from, to);
      });
      for (const argv of [
        ['apply', '--plan', 'p.json', '--yes'],
        ['show', 'p.json'],
      ]) {
        const ended = await run(...argv);
        expect(ended.code, ended.err).toBe(1);
        expect(ended.err).toContain('[plan-file-unusable]');
        expect(ended.err).toContain(shown);
      }
      expect(service.writes()).toEqual([]);
    }),
  );

  it('that shows another value than it applies is refused by whatever opens it, although its checksum was made anew', () =>
    afterPlanning(async ({ folder, service, run }) => {
      await seal(folder, (text) => text.replace('"from":1000,"to":200', '"from":1000,"to":20'));
      for (const argv of [
        ['apply', '--plan', 'p.json', '--yes'],
        ['show', 'p.json'],
        ['comment', 'p.json', '--platform', 'github'],
      ]) {
        const ended = await run(...argv);
        expect(ended).toMatchObject({ code: 3, out: '' });
        expect(ended.err).toContain('(plan.fingerprint does not match)');
      }
      const project = await openProject({ cwd: folder, variables: { CAMPAIGNS_TOKEN: TOKEN } });
      await expect(project.apply({ plan: 'p.json' })).rejects.toMatchObject({
        code: 'plan-altered',
        exitCode: 3,
      });
      expect(service.writes()).toEqual([]);
    }));

  it('whose forecast of a launch is not what the service shows is refused, even with fingerprints that fit', () =>
    afterPlanning(
      async ({ folder, service, run }) => {
        await seal(folder, (text) => text.replace('"leads":300', '"leads":3'), true);
        expect((await run('show', 'p.json')).out).toContain('about 3 leads');
        const ended = await run('apply', '--plan', 'p.json', '--yes', '--allow', 'launch');
        expect(ended.code, ended.err).toBe(3);
        expect(ended.err).toContain('[plan-stale]');
        expect(ended.err).toContain('Spring installers: impact.leads was 3, is 300');
        expect(service.writes()).toEqual([]);
      },
      [],
      { launch: true },
    ));

  it('that shows another number of leads on a campaign that sends is refused, even with fingerprints that fit', () =>
    afterPlanning(
      async ({ folder, service, run }) => {
        const argv = ['apply', '--plan', 'p.json', '--yes', '--allow', 'adopt', '--allow', 'attach-running'];
        await seal(folder, (text) => text.replace('shows 300 leads on it', 'shows 3 leads on it'), true);
        const ended = await run(...argv);
        expect(ended.code, ended.err).toBe(3);
        expect(ended.err).toContain('[plan-stale]');
        expect(service.writes()).toEqual([]);
        await seal(folder, (text) => text.replace('shows 3 leads on it', 'shows 300 leads on it'), true);
        expect((await run(...argv)).err).not.toContain('[plan-stale]');
      },
      [],
      { sending: true },
    ));

  it('that shows anything else than apply would is refused by apply, even with all fingerprints made anew', () =>
    afterPlanning(
      async ({ folder, service, run }) => {
        const file = join(folder, 'campaignctl.yaml');
        await writeFile(
          file,
          (await readFile(file, 'utf8')).replace('lead_lists', 'allow: [launch], lead_lists'),
        );
        expect((await run('apply', '--yes', '--hold', 'launch')).code).toBe(0);
        const [spring] = service.store.campaigns;
        if (spring !== undefined) spring.settings = { ...spring.settings, max_emails_per_day: 300 };
        expect((await run('plan', '--out', 'p.json')).code).toBe(0);
        const sent = service.writes().length;
        const text = await readFile(join(folder, 'p.json'), 'utf8');
        const whole = JSON.parse(text);
        expect(
          whole.plan.campaigns.flatMap(({ changes }: Plan['campaigns'][number]) => changes),
        ).toContainEqual(expect.objectContaining({ origin: 'service' }));
        expect(text).toMatch(/"accepted_by":"campaignctl.yaml:\d+"/);
        expect(text).toMatch(/"last":\{"at"/);
        // Who planned, and when: forecasts are reckoned from it. What only messages repeat: the files are compared.
        const free = /^(?:made|environment|specs)\b|^(?:checksum|shown|plan\.fingerprint)$/;
        const places = leaves(whole).filter((path) => !free.test(path.join('.')));
        expect(places.length).toBeGreaterThan(100);
        for (const path of places) {
          const forged = structuredClone(whole);
          change(forged, path);
          await writeFile(join(folder, 'p.json'), JSON.stringify(sealed(forged)));
          const ended = await run('apply', '--plan', 'p.json', '--dry-run');
          expect([1, 3], path.join('.')).toContain(ended.code);
          expect(ended.out).toBe('');
        }
        await writeFile(join(folder, 'p.json'), JSON.stringify(sealed(whole)));
        expect((await run('apply', '--plan', 'p.json', '--dry-run')).code).toBe(0);
        expect(service.writes()).toHaveLength(sent);
      },
      [],
      { launch: true },
    ));

  it('is applied days later as it was shown: a forecast is reckoned from when it was made', () =>
    afterPlanning(
      async ({ folder, run }) => {
        const later = Date.UTC(2026, 2, 5, 17);
        const argv = ['apply', '--plan', 'p.json', '--dry-run'];
        const ended = await command(folder, argv, { CAMPAIGNS_TOKEN: TOKEN }, () => later);
        expect(ended.code, ended.err).toBe(0);
        expect((await run('show', 'p.json')).out).toContain('about 300 leads');
      },
      [],
      { launch: true },
    ));

  it('is refused for another environment', () =>
    afterPlanning(async ({ service, run }) => {
      const ended = await run('apply', '--plan', 'p.json', '--yes', '--env', 'staging');
      expect(ended.code).toBe(3);
      expect(ended.err).toContain('[plan-environment]');
      expect(service.writes()).toEqual([]);
    }));

  it('that is not there is an error', () =>
    afterPlanning(async ({ run }) => {
      const ended = await run('apply', '--plan', 'q.json', '--yes');
      expect(ended.code).toBe(1);
      expect(ended.err).toContain('q.json');
    }));
});
