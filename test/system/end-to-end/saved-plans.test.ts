import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Plan } from '../../../src/model/outputs.js';
import { openProject } from '../../../src/operations/library.js';
import { fingerprint } from '../../../src/plan/fingerprint.js';
import { command } from '../../support/command.js';
import { sealed } from '../../support/plans.js';
import { type Project, type ProjectOptions, withProject } from '../../support/project.js';
import { git } from '../../support/repository.js';
import { TOKEN } from '../../support/service/service.js';
import { draft } from '../../support/service/store.js';
import { oneLine } from '../../support/texts.js';

const NAME = 'Spring installers';
const SPRING = 'campaigns/spring.yaml';
const manifest = (most: number) =>
  `name: ${NAME}\nsettings: { max_emails_per_day: ${most}, reputation_building: true }\n`;
const PROJECT = `version: 1
manifests: [campaigns/*.yaml]
default_environment: production
environments:
  production: { base_url: "{url}", token_env: CAMPAIGNS_TOKEN, lead_lists: { fr: 77 } }
  staging: { base_url: "{url}", token_env: CAMPAIGNS_TOKEN }
`;
const APPLY = 'apply --plan p.json --yes';
const UPDATE = 'PATCH /api/campaigns/42/update';

const week = (day: string) =>
  `days: [${day}]\nstart_time: "09:00"\nend_time: "17:00"\ntimezone: Europe/Paris\n`;

const emails = (wait: number) =>
  `title: Spring\nsteps: [{ email_subject: Hi, email_body_file: hi.html, wait_in_days: ${wait} }]\n`;

interface Scene {
  /** Words that choose the campaigns of the plan. */
  choice?: string[];
  /** The plan launches the campaign, or attaches leads to a sending one. */
  does?: 'launch' | 'attach';
}

/** A project with a saved plan `p.json`. The service has one managed campaign and one of another team. */
function afterPlanning(
  { choice = [], does }: Scene,
  use: (project: Project) => Promise<void>,
): Promise<void> {
  const sections = { launch: 'status: running\n', attach: 'leads: { ids: [1001] }\n' };
  const spring = {
    ...draft(42, NAME),
    lists: does === undefined ? [] : [1, 2, 3],
    status: does === 'attach' ? 'active' : 'draft',
  };
  const options: ProjectOptions = {
    shape: { totals: 'shown' },
    campaigns: [spring, draft(7, 'Other')],
    files: {
      'campaignctl.yaml': PROJECT,
      [SPRING]: `${manifest(200)}${does === undefined ? '' : sections[does]}`,
      'campaigns/other.yaml':
        'name: Other\nsettings: { max_emails_per_day: 50, reputation_building: true }\n',
    },
  };
  return withProject(options, async (project) => {
    await project.exits(0, 'plan --out p.json', ...choice);
    await use(project);
  });
}

/** Changes the saved plan, and recomputes its checksum or `all` fingerprints. */
async function seal({ read, write }: Project, change: (text: string) => string, all = false): Promise<void> {
  const before = await read('p.json');
  const text = change(before);
  expect(text).not.toBe(before);
  const { checksum: _, ...rest } = JSON.parse(text);
  const again = all ? sealed(JSON.parse(text)) : { ...rest, checksum: fingerprint(rest) };
  await write({ 'p.json': JSON.stringify(again) });
}

type Path = string[];

/** The paths of all values except for non-empty objects. */
function leaves(value: unknown, path: Path = []): Path[] {
  const fields = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return fields.length === 0 ? [path] : fields.flatMap(([name, inner]) => leaves(inner, [...path, name]));
}

/** Words of a fixed set, each with a different one. */
const OTHER: Record<string, string> = {
  service: 'manifest',
  manifest: 'service',
  apply: 'import',
  hazard: 'warning',
  warning: 'hazard',
  change: 'create',
  update: 'add',
  PATCH: 'POST',
  settings: 'leads',
  status: 'settings',
  all: 'drift',
};

/** Replaces the value at a path with a different one of the same type, if there is one. */
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
  it('is the plan that was shown, readable only by its owner, without a token', () =>
    afterPlanning({}, async ({ folder, read, run }) => {
      expect(await read('p.json')).not.toContain(TOKEN);
      expect((await stat(join(folder, 'p.json'))).mode & 0o777).toBe(0o600);
      for (const format of ['text', 'markdown', 'html', 'json']) {
        const { out, code } = await run(`plan --format ${format}`);
        // Only text names the file: pages and comments are read elsewhere.
        const shown = format === 'text' ? out.replace('apply --env production', 'apply --plan p.json') : out;
        expect(await run(`show p.json --format ${format}`)).toEqual({ out: shown, code, err: '' });
      }
    }));

  it.each([[[]], [['.']]])('of %j is applied unchanged, once', (choice) =>
    afterPlanning({ choice }, async ({ exits, sent }) => {
      await exits(3, 'apply --plan p.json');
      expect(sent()).toEqual([]);
      await exits(0, APPLY);
      expect(sent()).toHaveLength(2);
      const [{ run }] = JSON.parse((await exits(0, 'history --json')).out).runs;
      const again = oneLine((await exits(3, APPLY)).err);
      expect(again).toContain(`This plan was already applied, by run ${run} (`);
      expect(again).toContain(`campaignctl history ${run} shows what it sent. [plan-stale]`);
      expect(sent()).toEqual([]);
    }),
  );

  it('that was applied in part is planned again', () =>
    afterPlanning({}, async ({ exits, service }) => {
      service.answerThen('PATCH', '/api/campaigns/42/update', { status: 422, body: {}, effect: false });
      await exits(4, APPLY);
      const { err } = await exits(3, APPLY);
      expect(oneLine(err)).toMatch(
        /already applied, by run \S+ \(.*\), which did not complete\. .* Plan again/,
      );
    }));

  it('is applied if the project file has changed only for a different environment', () =>
    afterPlanning({ does: 'launch' }, async ({ edit, exits, run, sent }) => {
      await edit('campaignctl.yaml', 'lead_lists:', 'allow: [launch], lead_lists:');
      await exits(0, 'plan --out p.json');
      expect((await run('show p.json --json')).out).toContain('"accepted_by": "campaignctl.yaml:5"');
      await edit('campaignctl.yaml', 'environments:\n', '# Ours.\nenvironments:\n  moved: { sandbox: {} }\n');
      const { err, out } = await run(APPLY);
      expect(out).toContain('✓ update the settings');
      expect(err).not.toContain('plan-project-changed');
      expect(sent().at(-1), out).toBe('PATCH /api/campaigns/42/resume');
    }));

  it('applies to the selected campaigns, from any folder', () =>
    afterPlanning({ choice: [SPRING, '--target', NAME] }, async ({ exits, folder, sent }) => {
      await exits(1, `${APPLY} --target Other`);
      const below = await command(join(folder, 'campaigns'), ['apply', '--plan', '../p.json', '--yes']);
      expect(below.code, below.err).toBe(0);
      expect(sent()).toEqual([UPDATE]);
    }));

  it.each([
    ['its file', [SPRING]],
    ['its name', ['--target', NAME]],
  ])(
    'of a campaign selected by %s is applied if files that only another campaign uses have changed',
    (_, choice) =>
      afterPlanning({}, async ({ exits, sent, write }) => {
        const summer =
          'name: Summer installers\nschedule: { use: ../week.yaml }\nleads: { ids_file: ../ids.txt }\n';
        await write({ 'campaigns/summer.yaml': summer, 'week.yaml': week('monday'), 'ids.txt': '7\n' });
        await exits(0, 'plan --out p.json', ...choice);
        await write({
          'campaigns/summer.yaml': `${summer}status: paused\n`,
          'campaigns/winter.yaml': 'name: Winter installers\n',
          'week.yaml': week('friday'),
          'ids.txt': '8\n',
        });
        await exits(0, APPLY);
        expect(sent()).toEqual([UPDATE]);
      }),
  );

  it.each([
    ['week.yaml', week('friday')],
    ['ids.txt', '8\n'],
    ['emails.yaml', emails(4)],
    ['hi.html', 'Hello'],
  ])('of one campaign is refused if %s has changed, which it uses', (file, text) =>
    afterPlanning({}, async ({ exits, sent, write }) => {
      const uses =
        'schedule: { use: ../week.yaml }\nsequence: { use: ../emails.yaml }\nleads: { ids_file: ../ids.txt }\n';
      await write({ [SPRING]: manifest(200) + uses, 'week.yaml': week('monday'), 'ids.txt': '7\n' });
      await write({ 'emails.yaml': emails(3), 'hi.html': 'Hi' });
      await exits(0, 'plan --out p.json --target', NAME);
      await write({ [file]: text });
      const { err } = await exits(3, APPLY);
      expect(err).toContain('[plan-manifests-changed]');
      expect(err).toContain(`${SPRING} has changed`);
      expect(sent()).toEqual([]);
    }),
  );

  it('of one campaign is refused if another manifest now has the same list', () =>
    afterPlanning({}, async ({ exits, sent, write }) => {
      await write({ [SPRING]: `${manifest(200)}leads: { lists: [77] }\n` });
      await exits(0, 'plan --out p.json --target', NAME);
      await write({ 'campaigns/summer.yaml': 'name: Summer installers\nleads: { lists: [77] }\n' });
      const { err } = await exits(3, APPLY);
      expect(err).toContain('[plan-stale]');
      expect(oneLine(err)).toContain('what lint rules or policies report has changed');
      expect(sent()).toEqual([]);
    }));

  it.each<[event: string, code: string, shown: string, change: (project: Project) => unknown]>([
    [
      'the service has changed',
      'plan-stale',
      'Spring installers: settings.max_emails_per_day was 1000 and is now 300',
      ({ live }) => Object.assign(live(42).settings, { max_emails_per_day: 300 }),
    ],
    [
      'a setting that is not managed has changed in the service',
      'plan-stale',
      'Spring installers: settings.plain_text was false and is now true',
      ({ live }) => Object.assign(live(42).settings, { plain_text: true }),
    ],
    [
      'the campaign is active now',
      'plan-stale',
      '). Spring installers: the status was "draft" and is now "active" → Nothing was sent.',
      ({ live }) => Object.assign(live(42), { status: 'active' }),
    ],
    ['the campaign is gone', 'plan-stale', NAME, ({ service }) => service.store.campaigns.splice(0, 1)],
    [
      'a campaign breaks another policy',
      'plan-stale',
      'The service, the state, or what lint rules or policies report has changed since the plan was made',
      ({ edit }) =>
        edit(
          'campaignctl.yaml',
          'environments:\n',
          'policies: { mails: { severity: warning, require: { sequence: any } } }\nenvironments:\n',
        ),
    ],
    [
      'a manifest says something else',
      'plan-manifests-changed',
      `${SPRING} has changed`,
      ({ write }) => write({ [SPRING]: manifest(201) }),
    ],
    [
      'a manifest was removed',
      'plan-manifests-changed',
      'campaigns/other.yaml was removed',
      ({ folder }) => rm(join(folder, 'campaigns/other.yaml')),
    ],
    [
      'there is another manifest',
      'plan-manifests-changed',
      'campaigns/third.yaml is new',
      ({ write }) => write({ 'campaigns/third.yaml': 'name: Third\n' }),
    ],
    [
      'the project file says something else',
      'plan-project-changed',
      'campaignctl.yaml has changed',
      ({ edit }) => edit('campaignctl.yaml', 'fr: 77', 'fr: 78'),
    ],
    [
      'the plan file was altered',
      'plan-altered',
      'p.json',
      ({ edit }) => edit('p.json', '"max_emails_per_day":200', '"max_emails_per_day":900'),
    ],
  ])('is refused where %s', (_, code, shown, change) =>
    afterPlanning({}, async (project) => {
      await change(project);
      const { err } = await project.exits(3, APPLY);
      expect(err).toContain(`[${code}]`);
      expect(oneLine(err)).toContain(shown);
      expect(project.sent()).toEqual([]);
    }),
  );

  it('that shows a different value than it applies is refused by every command that opens it, even with a new checksum', () =>
    afterPlanning({}, async (project) => {
      await seal(project, (text) => text.replace('"from":1000,"to":200', '"from":1000,"to":20'));
      for (const line of [APPLY, 'show p.json', 'comment p.json --platform github']) {
        const { out, err } = await project.exits(3, line);
        expect([out, err]).toEqual(['', expect.stringContaining('match plan.fingerprint')]);
      }
      const library = await openProject({ cwd: project.folder, variables: { CAMPAIGNS_TOKEN: TOKEN } });
      await expect(library.apply({ plan: 'p.json' })).rejects.toMatchObject({
        code: 'plan-altered',
        exitCode: 3,
      });
      expect(project.sent()).toEqual([]);
    }));

  it('whose forecast of a launch does not match the service is refused, even with matching fingerprints', () =>
    afterPlanning({ does: 'launch' }, async (project) => {
      await seal(project, (text) => text.replace('"people":300', '"people":3'), true);
      expect((await project.run('show p.json')).out).toContain('3 people');
      const { err } = await project.exits(3, `${APPLY} --allow launch`);
      expect(err).toContain('[plan-stale]');
      expect(err).toMatch(/Spring installers: impact\.people .*3 .*300/);
      expect(project.sent()).toEqual([]);
    }));

  it('that shows a different lead count of a sending campaign is refused, even with matching fingerprints', () =>
    afterPlanning({ does: 'attach' }, async (project) => {
      const line = `${APPLY} --allow adopt --allow attach-running`;
      await seal(
        project,
        (text) => text.replace('shows 300 leads in the campaign', 'shows 3 leads in the campaign'),
        true,
      );
      expect((await project.exits(3, line)).err).toContain('[plan-stale]');
      expect(project.sent()).toEqual([]);
      await seal(
        project,
        (text) => text.replace('shows 3 leads in the campaign', 'shows 300 leads in the campaign'),
        true,
      );
      expect((await project.run(line)).err).not.toContain('[plan-stale]');
    }));

  it('that shows anything that apply would not is refused by apply, even with all fingerprints recomputed', () =>
    afterPlanning({ does: 'launch' }, async ({ edit, exits, live, read, run, sent, write }) => {
      await edit('campaignctl.yaml', 'lead_lists', 'allow: [launch], lead_lists');
      await exits(0, 'apply --yes --hold launch');
      live(42).settings.max_emails_per_day = 300;
      await exits(0, 'plan --out p.json');
      sent();
      const text = await read('p.json');
      const whole = JSON.parse(text);
      expect(
        whole.plan.campaigns.flatMap(({ changes }: Plan['campaigns'][number]) => changes),
      ).toContainEqual(expect.objectContaining({ origin: 'service' }));
      expect(text).toMatch(/"accepted_by":"campaignctl.yaml:\d+"/);
      expect(text).toMatch(/"last":\{"at"/);
      // Author and time, from which forecasts start, may change.
      const free = /^created\b|^(?:checksum|plan\.fingerprint)$/;
      const places = leaves(whole).filter((path) => !free.test(path.join('.')));
      expect(places.length).toBeGreaterThan(100);
      for (const path of places) {
        const forged = structuredClone(whole);
        change(forged, path);
        await write({ 'p.json': JSON.stringify(sealed(forged)) });
        const ended = await run('apply --plan p.json --dry-run');
        expect([1, 3], path.join('.')).toContain(ended.code);
        expect(ended.out).toBe('');
      }
      await write({ 'p.json': JSON.stringify(sealed(whole)) });
      await exits(0, 'apply --plan p.json --dry-run');
      expect(sent()).toEqual([]);
    }));

  it('is applied days later as shown, because forecasts start at the time of the plan', () =>
    afterPlanning({ does: 'launch' }, async ({ folder, run }) => {
      const later = Date.UTC(2026, 2, 5, 17);
      const argv = ['apply', '--plan', 'p.json', '--dry-run'];
      const ended = await command(folder, argv, { CAMPAIGNS_TOKEN: TOKEN }, () => later);
      expect(ended.code, ended.err).toBe(0);
      expect((await run('show p.json')).out).toContain('300 people');
    }));

  it('is refused for a different environment', () =>
    afterPlanning({}, async ({ exits, sent }) => {
      expect((await exits(3, `${APPLY} --env staging`)).err).toContain('[plan-environment]');
      expect(sent()).toEqual([]);
    }));

  it('that does not exist is an error', () =>
    afterPlanning({}, async ({ exits }) => {
      expect((await exits(1, 'apply --plan q.json --yes')).err).toContain('q.json');
    }));
});

it('the page of a saved plan says who planned it, when, and at which commit', () =>
  afterPlanning({}, async ({ folder, write }) => {
    git(folder, 'init', '-q');
    git(folder, 'add', '-A');
    git(folder, 'commit', '-qm', 'campaigns');
    await write({ [SPRING]: manifest(400) });
    const env = { CAMPAIGNS_TOKEN: TOKEN, GITHUB_ACTOR: 'ada' };
    expect((await command(folder, ['plan', '--out', 'p.json'], env)).code).toBe(0);
    const { out } = await command(folder, ['show', 'p.json', '-f', 'html'], { GITHUB_ACTOR: 'grace' });
    const commit = git(folder, 'rev-parse', 'HEAD').slice(0, 8);
    expect(out).toContain(`commit ${commit}+ · by ada · planned `);
  }));
