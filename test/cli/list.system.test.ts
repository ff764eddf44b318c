import { describe, expect, test } from 'vitest';
import type { Inventory } from '../../src/model/reports.js';
import { NO_RESULTS } from '../../src/model/results.js';
import { UNKNOWN_STATE } from '../../src/model/state.js';
import { entryOf } from '../support/campaigns.js';
import { command, writeFiles } from '../support/command.js';
import { withFolder } from '../support/folder.js';
import { type Project, type ProjectOptions, projectFile, withProject } from '../support/project.js';
import { faultsOf } from '../support/schema.js';
import { CHOICES } from '../support/service/shape.js';
import { draft, type StoredCampaign } from '../support/service/store.js';

/** A project whose service receives no writes. */
const beside = (options: ProjectOptions, use: (project: Project) => Promise<void>) =>
  withProject(options, async (project) => {
    await use(project);
    expect(project.service.writes()).toEqual([]);
  });

/** Thirty campaigns, two of which have manifests. */
const thirty = () =>
  Array.from({ length: 30 }, (_, at) => draft(at + 1, `Campaign ${String(at + 1).padStart(2, '0')}`));
const MANIFESTS = {
  'campaigns/a.yaml': 'name: Campaign 07\n---\nname: Campaign 30\n',
  'campaigns/new.yaml': 'name: Summer\n',
};

describe('a paged list', () => {
  test.each(CHOICES.rows)('is read completely, and nothing else is read: rows %s', async (rows) => {
    const shape = { list: 'numbered', rows } as const;
    await beside({ campaigns: thirty(), files: MANIFESTS, shape }, async ({ run, service }) => {
      const { code, out, err } = await run('list --format json');
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(faultsOf('list', out)).toEqual([]);
      const { summary, campaigns } = JSON.parse(out) as Inventory;
      expect(summary).toEqual({
        live: 30,
        unclear: 0,
        missing: 0,
        gone: 0,
        removed: 0,
        outside: 0,
        new: 1,
        unmanaged: 28,
        superseded: 0,
        managed: 2,
      });
      expect(campaigns.filter(({ manifest }) => manifest !== null)).toMatchObject([
        { status: 'new', name: 'Summer', id: null, live_status: null, manifest: 'campaigns/new.yaml' },
        { status: 'managed', name: 'Campaign 07', id: 7, manifest: 'campaigns/a.yaml' },
        { status: 'managed', name: 'Campaign 30', id: 30, manifest: 'campaigns/a.yaml#2' },
      ]);
      const word = rows === 'whole' ? 'draft' : null;
      expect(campaigns.map(({ live_status }) => live_status)).toEqual([
        null,
        ...Array.from({ length: 30 }, () => word),
      ]);
      expect(new Set(service.requests.map(({ path }) => path))).toEqual(new Set(['/api/campaigns']));
    });
  });
});

const HOSTILE = 'A \u001b[31mred\u202e | `name` @everyone <b>';
const few = (): StoredCampaign[] => [
  { ...draft(3, 'Spring installers'), status: 'active' },
  { ...draft(4, 'Autumn'), status: 'Archived' },
  draft(5, HOSTILE),
  draft(12, '東京の展示会'),
];
const FEW = {
  'campaigns/spring.yaml': 'name: Spring installers\n',
  'campaigns/gone.yaml': 'name: Gone one\n',
};

/** A project with two campaigns in its state. */
const besideApplied = (use: (project: Project) => Promise<void>) =>
  beside({ campaigns: few(), files: FEW }, async (project) => {
    const last = (at: string, how: 'apply' | 'import') =>
      ({ recorded: { ...UNKNOWN_STATE, last: { at, how, spec: { name: 'Spring installers' } } } }) as const;
    const gone = entryOf(9, 'campaigns/gone.yaml', 'Gone one');
    await project.state().save({ ...gone, ...last('2026-04-01T09:00:00.000Z', 'import') });
    const spring = entryOf(3, 'campaigns/spring.yaml');
    await project.state().save({ ...spring, ...last('2026-05-12T09:00:00.000Z', 'apply') });
    await use(project);
  });

describe('live campaigns with and without manifests', () => {
  test('as a table, what needs attention first', () =>
    besideApplied(async ({ run, service }) => {
      const { code, out, err } = await run('list');
      expect({ code, err }).toEqual({ code: 0, err: '' });
      await expect(out.replaceAll(service.url, 'URL')).toMatchFileSnapshot('../view/golden/list.txt');
    }));

  test('as Markdown, in which names have no effect', () =>
    besideApplied(async ({ run, service }) => {
      const { out } = await run('list --format markdown');
      await expect(out.replaceAll(service.url, 'URL')).toMatchFileSnapshot('../view/golden/list.md');
    }));

  test('with the same name are unclear, with a fix', () => {
    const campaigns = [draft(3, 'Twice'), { ...draft(4, 'Twice'), status: 'active' }];
    return beside(
      { campaigns, files: { 'campaigns/a.yaml': 'name: Twice\n' } },
      async ({ run, service: { url } }) => {
        const { code, out } = await run('list');
        expect(code).toBe(0);
        await expect(out.replace(url, 'URL')).toMatchFileSnapshot('../view/golden/list-unclear.txt');
      },
    );
  });

  test('whose status is not shown have a question mark', () =>
    beside({ campaigns: few(), shape: { rows: 'id-name' } }, async ({ run }) => {
      const { out } = await run('list');
      expect(out).toContain('Spring installers                                  3  ?       —         —\n');
      expect(out).toMatch(/^ {2}\?: .* status\.$/m);
    }));

  test('of a project without manifests are all unmanaged', () =>
    beside({ campaigns: few() }, async ({ run }) => {
      const { code, out, err } = await run('list');
      expect([code, err]).toEqual([0, expect.stringContaining('1 warning: run campaignctl validate')]);
      expect(out).toContain('4 campaigns: 3 unmanaged, 1 gone\n');
      expect(out).toContain('campaignctl import --all --env production');
    }));

  test('are not read if a manifest has an error', () =>
    beside(
      { campaigns: few(), files: { 'campaigns/a.yaml': 'name: A\nstatus: on\n' } },
      async ({ run, service }) => {
        const { code, out, err } = await run('list');
        expect([code, out]).toEqual([1, '']);
        expect(err).toContain('campaigns/a.yaml:2:9');
        expect(service.requests).toEqual([]);
      },
    ));

  test('of the sandbox', () =>
    withFolder(async (folder) => {
      const run = (line: string) => command(folder, line.split(' '));
      await run('init .');
      expect((await run('list')).out).toContain('0 campaigns · 1 not created\n');
      await run('apply --yes --allow launch');
      const after = await run('list --format json');
      expect(faultsOf('list', after.out)).toEqual([]);
      expect((JSON.parse(after.out) as Inventory).summary).toMatchObject({ live: 1, managed: 1, new: 0 });
    }));
});

const RUNNING = { status: 'active', settings: { ...draft(1, '').settings, max_emails_per_day: 200 } };
const counted = (): StoredCampaign[] => [
  {
    ...{ ...draft(3, 'Spring installers'), ...RUNNING },
    counters: {
      ...{ emails_sent: 1200, unique_replies: '9', bounced: 60 },
      ...{ total_leads: 900, total_leads_contacted: 850 },
    },
  },
  {
    ...{ ...draft(4, 'Autumn'), ...RUNNING },
    counters: { emails_sent: 99, unique_replies: 1, bounced: 1, total_leads: 10, total_leads_contacted: 9 },
  },
  { ...draft(5, 'Fair'), counters: { emails_sent: 7, max_emails_per_day: null } },
];
const LIMITS = `policies:
  results:
    reason: Our domains must stay clean.
    results: { bounced: { max: 3%, after: 200 }, replies: { min: 1%, after: 500 }, leads_left: { min: 100 } }
`;

describe('results of campaigns', () => {
  test('appear in every format, a missing number as a dash, with the problems of a policy', () =>
    beside(
      { campaigns: counted(), files: FEW, environment: `    capacity: 300\n${LIMITS}` },
      async ({ run, service }) => {
        const text = await run('list --check');
        expect(text.code).toBe(2);
        await expect(text.out.replaceAll(service.url, 'URL')).toMatchFileSnapshot(
          '../view/golden/list-results.txt',
        );
        const markdown = await run('list --check --format markdown');
        expect(markdown.code).toBe(2);
        await expect(markdown.out.replaceAll(service.url, 'URL')).toMatchFileSnapshot(
          '../view/golden/list-results.md',
        );
        expect((await run('list --format html')).out).toContain('<th scope="row">');
        const { out } = await run('list --json');
        expect(faultsOf('list', out)).toEqual([]);
        const { campaigns, totals, volume, problems } = JSON.parse(out) as Inventory;
        expect(campaigns.map(({ name, results, cap }) => ({ name, ...results, cap }))).toEqual([
          { name: 'Gone one', ...NO_RESULTS, cap: null },
          {
            name: 'Autumn',
            ...{ sent: 99, replies: 1, bounced: 1, leads: 10, leads_contacted: 9 },
            cap: 200,
          },
          { name: 'Fair', ...NO_RESULTS, sent: 7, cap: 'unlimited' },
          {
            ...{ name: 'Spring installers', sent: 1200, replies: 9, bounced: 60 },
            ...{ leads: 900, leads_contacted: 850, cap: 200 },
          },
        ]);
        expect(totals).toEqual({ ...NO_RESULTS, sent: 1306 });
        expect(volume).toEqual({ running: 2, cap: 400, unlimited: 0, not_shown: 0, capacity: 300 });
        expect(problems.map(({ code }) => code)).toEqual(['over-capacity']);
        expect(new Set(service.requests.map(({ path }) => path))).toEqual(new Set(['/api/campaigns']));
      },
    ));

  test('name the line to write if leads run out', () =>
    beside(
      {
        campaigns: counted(),
        files: {
          'campaigns/spring.yaml': 'name: Spring installers\nleads: { lists: [visitors] }\n',
          'campaigns/autumn.yaml': 'name: Autumn\nleads: { lists: [{ list: visitors, refill: 1 }] }\n',
        },
        environment: `    lead_lists: { visitors: 7 }\n${LIMITS.replace('bounced: { max: 3%, after: 200 }, replies: { min: 1%, after: 500 }, ', '')}`,
      },
      async ({ run, live, state }) => {
        const { code, out } = await run('list --check --json');
        expect([code, faultsOf('list', out)]).toEqual([2, []]);
        const problems = (JSON.parse(out) as Inventory).campaigns.flatMap((entry) => entry.problems);
        const today = '2026-03-02';
        const line = `- { list: visitors, refill: ${today} }`;
        expect(problems.map(({ hint }) => hint)).toEqual([
          expect.stringContaining('campaigns/autumn.yaml has a value of refill that was not applied yet'),
          expect.stringContaining(`write in campaigns/spring.yaml under leads.lists: ${line}.`),
        ]);
        expect(problems.map(({ lines }) => lines)).toEqual([[], [line]]);
        expect((await run('list --check')).out.replaceAll(/\s+/g, ' ')).toContain(line);
        // A campaign that has finished goes on if it gets new leads.
        Object.assign(live(4), {
          status: 'completed',
          counters: { total_leads_contacted: 10, total_leads: 10 },
        });
        Object.assign(live(3), { status: 'completed' });
        await state().save({
          ...entryOf(4, 'campaigns/autumn.yaml', 'Autumn'),
          recorded: {
            ...UNKNOWN_STATE,
            known: true,
            attached: { lists: [7], ids: [], refills: [{ list: 7, refill: '1' }] },
          },
        });
        const finished = JSON.parse((await run('list --check --json')).out) as Inventory;
        expect(
          finished.campaigns.flatMap(({ name, problems: all }) =>
            all.map(({ code, lines }) => [name, code, lines]),
          ),
        ).toEqual([['Autumn', 'leads-exhausted', [line]]]);
      },
    ));

  test('that break nothing, or that no service shows, end a check with 0', () =>
    beside({ campaigns: few(), environment: LIMITS, shape: { rows: 'id-name' } }, async ({ run }) => {
      const { code, out } = await run('list --check');
      expect(code).toBe(0);
      expect(out).not.toContain('sent');
    }));

  test('of several projects are one table, those that need a person first', () =>
    beside({ campaigns: counted() }, async ({ run, service, write }) => {
      const project = (lines: string) => projectFile(lines).replace('{url}', service.url);
      await write({
        ...{ 'campaignctl.yaml': null, 'b/campaignctl.yaml': 'a: 1', 'c/campaignctl.yaml': project('') },
        'd/campaignctl.yaml': project('    capacity: 300\n'),
        'a/campaignctl.yaml': project('    capacity: 300\n'),
        'e/campaignctl.yaml': project(LIMITS.replace('results:', 'clean:')),
      });
      const { code, out } = await run('list --recursive --check --format markdown');
      expect(code).toBe(1);
      const rows = out.match(/^\| [✓!✗] .*/gm) ?? [];
      expect(rows).toEqual([
        expect.stringMatching(/^\| ✗ \| b \| – /),
        expect.stringMatching(/^\| ! \| e \| 2 \| 400 \| 1,306 \| .* \| 3 \|$/),
        expect.stringMatching(/^\| ! \| a \| .* \| 1 \|$/),
        expect.stringMatching(/^\| ! \| d \| .* \| 1 \|$/),
        expect.stringMatching(/^\| ✓ \| c \| .* \| 0 \|$/),
      ]);
      const { projects } = JSON.parse((await run('list --recursive --check --json')).out);
      expect(projects.map(({ project: name }: { project: string }) => name)).toEqual([
        'b',
        'e',
        'a',
        'd',
        'c',
      ]);
      // A broken project file does not say which environment was meant.
      expect(out).toMatch(/^### 5 projects: 4 listed, 1 failed for production\b/m);
      expect(out).toMatch(/^\*\*1 project without a list, left out of all numbers\*\*$/m);
      expect(out).toMatch(/^- ✗ `b`: /m);
      expect(out).toMatch(/^> ⚠ e: Spring installers: Only 50 leads left/m);
    }));
});

test.each<[name: string, files: Record<string, string>, warnings: number]>([
  ['no manifest', {}, 1],
  ['a file that the pattern nearly matches', { 'campaigns/a.yml': 'name: A\n' }, 1],
  ['a manifest', { 'campaigns/a.yaml': 'name: A\n' }, 0],
])('list warns of what validate shows, and of nothing else: %s', (_, files, warnings) =>
  withFolder(async (folder) => {
    await writeFiles(folder, {
      'campaignctl.yaml': `version: 1
manifests: [campaigns/*.yaml]
environments: { a: { sandbox: {} }, b: { sandbox: {} } }
`,
      ...files,
    });
    for (const env of ['a', 'b']) {
      const { err } = await command(folder, ['list', '--env', env]);
      const [, listed = '0'] = / (?:has|have) (\d+) (?:warning|error)/.exec(err) ?? [];
      for (const line of [['validate'], ['validate', '--env', env]]) {
        const { out } = await command(folder, [...line, '--json']);
        const { findings } = JSON.parse(out) as { findings: unknown[] };
        expect([Number(listed), findings.length]).toEqual([warnings, warnings]);
      }
      expect(err.startsWith('campaignctl.yaml has')).toBe(
        warnings > 0 && files['campaigns/a.yaml'] === undefined,
      );
    }
  }),
);
