import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { CampaignSpec } from '../../../src/model/spec.js';
import { run } from '../../support/apply.js';
import { campaign } from '../../support/campaigns.js';
import { command, writeFiles } from '../../support/command.js';
import { environment } from '../../support/environment.js';
import { withFolder } from '../../support/folder.js';
import { startService, TOKEN } from '../../support/service/service.js';
import { type Shape, shaped } from '../../support/service/shape.js';
import { draft } from '../../support/service/store.js';

const SCHEDULE =
  'schedule: { days: [monday], start_time: "09:00", end_time: "17:00", timezone: Europe/Paris }\n';

/** A campaign that runs has a schedule. */
const OTHER_HOURS = {
  ...{ monday: false, tuesday: true, wednesday: false, thursday: false, friday: false },
  ...{ saturday: false, sunday: false, start_time: '09:00', end_time: '17:00', timezone: 'Europe/Paris' },
};

/** A project whose manifest names campaign 42, which someone else made and which has this status. */
async function beside(
  status: string,
  shape: Partial<Shape>,
  use: (at: {
    run: (...argv: string[]) => ReturnType<typeof command>;
    write: (manifest: string) => Promise<void>;
    sent: () => string[];
    isKnown: () => boolean;
  }) => Promise<void>,
): Promise<void> {
  const service = await startService(shaped(shape), {
    campaigns: [{ ...draft(42, 'Spring installers'), status, schedule: OTHER_HOURS }],
    templates: [],
  });
  try {
    await withFolder(async (folder) => {
      await writeFiles(folder, {
        'campaignctl.yaml': `version: 1\nmanifests: [campaigns/*.yaml]\nenvironments:\n  production: { base_url: "${service.url}", token_env: CAMPAIGNS_TOKEN }\n`,
      });
      await use({
        run: (...argv) => command(folder, argv, { CAMPAIGNS_TOKEN: TOKEN }),
        write: (manifest) =>
          writeFiles(folder, { 'campaigns/spring.yaml': `name: Spring installers\n${manifest}` }),
        sent: () => service.writes().map(({ method, path }) => `${method} ${path}`),
        isKnown: () => existsSync(join(folder, '.campaignctl/state/production/42.json')),
      });
    });
  } finally {
    await service.close();
  }
}

it('a running campaign of the name stays unknown while nothing is sent to it, and needs one word once', () =>
  beside('active', {}, async ({ run, write, sent, isKnown }) => {
    await write('status: running\n');
    expect(await run('apply', '--yes')).toMatchObject({ code: 0 });
    expect(isKnown()).toBe(false);
    await write(SCHEDULE);
    const refused = await run('apply', '--yes');
    expect(refused.code).toBe(3);
    expect(refused.err).toContain('[adopt]');
    expect([sent(), isKnown()]).toEqual([[], false]);
    expect(await run('apply', '--yes', '--allow', 'adopt')).toMatchObject({ code: 0 });
    expect(isKnown()).toBe(true);
    await write(`${SCHEDULE}status: paused\n`);
    expect(await run('apply', '--yes')).toMatchObject({ code: 0 });
    expect(sent()).toEqual(['POST /api/campaigns/42/schedule', 'PATCH /api/campaigns/42/pause']);
  }));

it('a pause alone needs no approval', () =>
  beside('active', {}, async ({ run, write, sent }) => {
    await write('status: paused\n');
    expect(await run('apply', '--yes')).toMatchObject({ code: 0 });
    expect(sent()).toEqual(['PATCH /api/campaigns/42/pause']);
  }));

it('an apply that accepts it makes it known with nothing to send, and forget makes it unknown again', () =>
  beside('active', {}, async ({ run, write, sent, isKnown }) => {
    await write('status: running\n');
    expect(await run('apply', '--yes', '--allow', 'adopt')).toMatchObject({ code: 0 });
    expect(isKnown()).toBe(true);
    expect(await run('forget', '42', '--yes')).toMatchObject({ code: 0 });
    await write(SCHEDULE);
    expect(await run('apply', '--yes')).toMatchObject({ code: 3 });
    expect(sent()).toEqual([]);
  }));

it.each<[string, Partial<Shape>, CampaignSpec]>([
  ['the list', {}, { name: 'Spring installers', leads: { ids: [1] } }],
  ['only the record', { rows: 'id-name' }, { name: 'Spring installers', settings: { plain_text: true } }],
])('one that begins to send after the plan is left alone, where %s shows it', (_, shape, spec) =>
  withFolder(async (folder) => {
    const service = await startService(shaped(shape), { campaigns: [draft(42, spec.name)], templates: [] });
    const ours = campaign('spring.yaml', spec);
    try {
      const { result, campaigns } = await run({
        ...{ url: service.url, token: TOKEN, folder, environment: environment(), campaigns: [ours] },
        store: (real) => ({
          ...real,
          begin(...start) {
            for (const one of service.store.campaigns) one.status = 'active';
            return real.begin(...start);
          },
        }),
      });
      expect([result, service.writes()]).toEqual(['incomplete', []]);
      expect(campaigns[0]?.steps[0]?.detail).toBe(
        'it was not sent: it is now a campaign that is sending ("active"); it was not when this was planned, and the state does not know it: it may be someone else\'s. Plan again',
      );
    } finally {
      await service.close();
    }
  }),
);

it('an import makes it known', () =>
  beside('active', {}, async ({ run, sent, isKnown, write }) => {
    expect(await run('import', '42', '--dir', 'live')).toMatchObject({ code: 0 });
    expect(isKnown()).toBe(true);
    await write('status: paused\n');
    expect(await run('apply', '--yes')).toMatchObject({ code: 0 });
    expect(sent()).toEqual(['PATCH /api/campaigns/42/pause']);
  }));

it.each<[string, number, string[]]>([
  ['active', 3, []],
  ['draft', 0, ['POST /api/campaigns/42/schedule']],
])('the record is read where the list shows no status: %s', (status, code, wanted) =>
  beside(status, { rows: 'id-name' }, async ({ run, write, sent }) => {
    await write(SCHEDULE);
    expect(await run('apply', '--yes')).toMatchObject({ code });
    expect(sent()).toEqual(wanted);
  }),
);
