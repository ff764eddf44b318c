/** A service that shows no status: what was last done is believed where the project file says so, and named where not. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { CampaignSpec } from '../../../src/model/spec.js';
import { run } from '../../support/apply.js';
import { command, writeFiles } from '../../support/command.js';
import { environment } from '../../support/environment.js';
import { withFolder } from '../../support/folder.js';
import { startService, TOKEN } from '../../support/service/service.js';
import { type Shape, shaped } from '../../support/service/shape.js';

const manifest = (status: string) => `name: Spring installers
schedule: { days: [monday], start_time: "09:00", end_time: "17:00", timezone: Europe/Paris }
sequence:
  title: Spring
  steps: [{ email_subject: A question, email_body: "Hi {FIRST_NAME}", wait_in_days: 3 }]
leads: { ids: [7] }
status: ${status}
`;

async function scene(
  service: string,
  use: (tools: {
    apply(status: string, ...flags: string[]): Promise<[code: number, text: string]>;
    plan(...flags: string[]): Promise<[code: number, text: string]>;
    /** What earlier runs remembered is gone. */
    forgetAll(): Promise<void>;
    resumed(): string[];
    /** A person gives the campaign this status. */
    becomes(status: string): void;
    /** The next launch takes effect, and its answer is lost. */
    loseLaunch(): void;
  }) => Promise<void>,
  shape: Partial<Shape> = {},
): Promise<void> {
  const fake = await startService(shaped({ status: 'hidden', ...shape }), { campaigns: [], templates: [] });
  try {
    await withFolder(async (folder) => {
      await writeFiles(folder, {
        'campaignctl.yaml': `version: 1\nmanifests: [campaigns/*.yaml]\nenvironments:\n  production:\n    base_url: ${fake.url}\n    token_env: CAMPAIGNS_TOKEN\n    service: ${service}\n`,
      });
      const run = async (...argv: string[]): Promise<[number, string]> => {
        const { code, out, err } = await command(folder, argv);
        return [code, out + err];
      };
      await use({
        async apply(status, ...flags) {
          await writeFiles(folder, { 'campaigns/spring.yaml': manifest(status) });
          return run('apply', '--yes', ...flags);
        },
        plan: (...flags) => run('plan', '--detailed-exitcode', ...flags),
        forgetAll: () => rm(join(folder, '.campaignctl'), { recursive: true }),
        resumed: () =>
          fake
            .writes()
            .map(({ path }) => path.split('/').at(-1) ?? '')
            .filter((end) => end === 'resume' || end === 'pause'),
        becomes(status) {
          for (const one of fake.store.campaigns) one.status = status;
        },
        loseLaunch() {
          const path = `/api/campaigns/${fake.store.campaigns[0]?.id}/resume`;
          fake.answerThen('PATCH', path, { reset: true, effect: true });
        },
      });
    });
    expect(fake.violations).toEqual([]);
  } finally {
    await fake.close();
  }
}

it.each(['absent', 'empty'] as const)(
  'is launched, paused and launched again, each once, and each plan afterwards is empty: %s',
  (noStatus) =>
    scene(
      '{ status: hidden }',
      async ({ apply, plan, resumed }) => {
        const [code, text] = await apply('running', '--allow', 'launch');
        expect(code, text).toBe(0);
        expect(text).toContain('believed, not seen');
        const [unchanged, told] = await plan();
        expect(unchanged, told).toBe(0);
        expect(told).toContain('The plan believes what campaignctl did last: running.');
        expect(await apply('paused')).toEqual([
          0,
          expect.stringContaining('the pause is believed, not seen'),
        ]);
        expect((await plan())[0]).toBe(0);
        expect((await plan('--drift'))[1]).toContain('The service shows no status of 1 campaign');
        expect((await apply('running'))[0]).toBe(3);
        expect(resumed()).toEqual(['resume', 'pause']);
        expect((await apply('running', '--allow', 'launch'))[0]).toBe(0);
        expect(resumed()).toEqual(['resume', 'pause', 'resume']);
        expect((await plan())[0]).toBe(0);
      },
      { noStatus },
    ),
);

it.each(['{ status: hidden }', '{}'])(
  'is not called a draft where neither the service nor the state knows its status: %s',
  (service) =>
    scene(service, async ({ apply, plan, forgetAll }) => {
      expect((await apply('running', '--hold', 'launch'))[0]).toBe(service === '{}' ? 4 : 0);
      await forgetAll();
      expect((await plan())[1]).toContain('status  not shown → running');
      expect((await plan('--format', 'markdown'))[1]).toContain('- `not shown` → `running`');
      expect((await plan('--format', 'html'))[1]).toContain('<del>not shown</del> <ins>running</ins>');
      const { campaigns } = JSON.parse((await plan('--format', 'json'))[1]);
      expect(campaigns[0].changes.at(-1)).toEqual({
        ...{
          section: 'status',
          path: '',
          kind: 'update',
          from: null,
          to: 'running',
          note: null,
          origin: null,
        },
      });
    }),
);

it.each(['{ status: hidden }', '{}'])(
  'that only the list shows is what it shows, from the first campaign of a workspace on: %s',
  (service) =>
    scene(
      service,
      async ({ apply, plan, becomes, resumed }) => {
        const [code, text] = await apply('paused');
        expect(code, text).toBe(0);
        expect((await apply('running', '--allow', 'launch'))[0]).toBe(0);
        expect((await plan())[0]).toBe(0);
        becomes('paused');
        expect((await plan())[1]).toContain('it was stopped outside campaignctl');
        becomes('active');
        const [paused, told] = await apply('paused');
        expect(paused, told).toBe(0);
        expect(text + told).not.toContain('believe');
        expect(resumed()).toEqual(['resume', 'pause']);
      },
      { status: 'listed' },
    ),
);

it('is in doubt where the answer to its launch is lost: it is sent once, and again only after a pause', () =>
  scene('{ status: hidden }', async ({ apply, plan, resumed, loseLaunch }) => {
    expect((await apply('running', '--hold', 'launch'))[0]).toBe(0);
    loseLaunch();
    const [code, text] = await apply('running', '--allow', 'launch');
    expect(code, text).toBe(4);
    expect(text).toContain('the service shows no status');
    expect(resumed()).toEqual(['resume']);
    const [pending, told] = await plan();
    expect(pending, told).toBe(2);
    expect(told).toContain('launch-in-doubt');
    const [again, left] = await apply('running', '--allow', 'launch');
    expect(again, left).toBe(4);
    expect(left).toContain('[launch-in-doubt]');
    expect(resumed()).toEqual(['resume']);
    expect((await apply('paused'))[0]).toBe(0);
    expect((await apply('running', '--allow', 'launch'))[0]).toBe(0);
    expect(resumed()).toEqual(['resume', 'pause', 'resume']);
    expect((await plan())[0]).toBe(0);
  }));

it('gets nothing that mails without the key, and what is said names it', async () => {
  const fake = await startService(shaped({ status: 'hidden' }), { campaigns: [], templates: [] });
  try {
    await withFolder(async (folder) => {
      const sequence = {
        title: 'Spring',
        steps: [{ email_subject: 'A question', email_body: 'Hi', wait_in_days: 3 }],
      };
      const schedule: CampaignSpec['schedule'] = {
        ...{ days: ['monday'], start_time: '09:00', end_time: '17:00', timezone: 'Europe/Paris' },
      };
      const spec: CampaignSpec = { name: 'Spring', schedule, sequence, status: 'running' };
      const campaigns = [{ manifest: 'a.yaml', file: 'a.yaml', document: 0, spec, remarks: [] }];
      const options = { url: fake.url, token: TOKEN, folder, environment: environment(), campaigns };
      const first = await run(options);
      expect(first.campaigns[0]?.steps.map(({ id, result }) => `${id} ${result}`)).toEqual([
        ...['create done', 'schedule done', 'sequence failed', 'read-back not_run', 'launch not_run'],
      ]);
      expect(first.campaigns[0]?.steps[2]?.detail).toContain('status: hidden');
      const { plan } = await run(options);
      expect(plan.campaigns[0]).toMatchObject({ action: 'blocked', steps: [{ id: 'sequence' }] });
      expect(plan.campaigns[0]?.problems.map(({ hint }) => hint).join()).toContain('status: hidden');
    });
    expect(fake.writes().filter(({ path }) => path.endsWith('/resume'))).toEqual([]);
  } finally {
    await fake.close();
  }
});
