import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { CampaignSpec } from '../../../src/model/spec.js';
import { run } from '../../support/apply.js';
import { campaign } from '../../support/campaigns.js';
import { environment } from '../../support/environment.js';
import { withFolder } from '../../support/folder.js';
import { type Project, SCHEDULE, withProject, withService } from '../../support/project.js';
import { TOKEN } from '../../support/service/service.js';
import type { Shape } from '../../support/service/shape.js';
import { draft } from '../../support/service/store.js';

const NAME = 'Spring installers';

/** A campaign that runs has a schedule. */
const OTHER_HOURS = {
  monday: false,
  tuesday: true,
  wednesday: false,
  thursday: false,
  friday: false,
  saturday: false,
  sunday: false,
  start_time: '09:00',
  end_time: '17:00',
  timezone: 'Europe/Paris',
};

/** A project that names campaign 42, which someone else created and which has this status. */
function withForeign(
  { status = 'active', shape = {} }: { status?: string; shape?: Partial<Shape> },
  use: (project: Project) => Promise<void>,
): Promise<void> {
  const campaigns = [{ ...draft(42, NAME), status, schedule: OTHER_HOURS }];
  return withProject({ shape, campaigns }, use);
}

const manifest = (sections: string) => ({ 'campaigns/spring.yaml': `name: ${NAME}\n${sections}` });
const isKnown = ({ folder }: Project) => existsSync(join(folder, '.campaignctl/state/production/42.json'));

it('a running campaign of the name stays unknown while nothing is sent to it, and needs one approval', () =>
  withForeign({}, async (project) => {
    const { exits, write, sent } = project;
    await write(manifest('status: running\n'));
    await exits(0, 'apply --yes');
    expect(isKnown(project)).toBe(false);
    await write(manifest(SCHEDULE));
    expect((await exits(3, 'apply --yes')).err).toContain('[adopt]');
    expect([sent(), isKnown(project)]).toEqual([[], false]);
    await exits(0, 'apply --yes --allow adopt');
    expect(isKnown(project)).toBe(true);
    await write(manifest(`${SCHEDULE}status: paused\n`));
    await exits(0, 'apply --yes');
    expect(sent()).toEqual(['POST /api/campaigns/42/schedule', 'PATCH /api/campaigns/42/pause']);
  }));

it('a pause alone needs no approval', () =>
  withForeign({}, async ({ exits, write, sent }) => {
    await write(manifest('status: paused\n'));
    await exits(0, 'apply --yes');
    expect(sent()).toEqual(['PATCH /api/campaigns/42/pause']);
  }));

it('an apply that accepts it makes it known with nothing to send, and forget makes it unknown again', () =>
  withForeign({}, async (project) => {
    const { exits, write, sent } = project;
    await write(manifest('status: running\n'));
    await exits(0, 'apply --yes --allow adopt');
    expect(isKnown(project)).toBe(true);
    await exits(0, 'forget 42 --yes');
    await write(manifest(SCHEDULE));
    await exits(3, 'apply --yes');
    expect(sent()).toEqual([]);
  }));

it.each<[string, Partial<Shape>, CampaignSpec]>([
  ['the list', {}, { name: NAME, leads: { ids: [1] } }],
  ['only the record', { rows: 'id-name' }, { name: NAME, settings: { plain_text: true } }],
])('one that begins to send after the plan is left alone, where %s shows it', (_, shape, spec) =>
  withService({ shape, campaigns: [draft(42, NAME)] }, (service) =>
    withFolder(async (folder) => {
      const { result, campaigns } = await run({
        url: service.url,
        token: TOKEN,
        folder,
        environment: environment(),
        campaigns: [campaign('spring.yaml', spec)],
        store: (real) => ({
          ...real,
          begin(...start) {
            for (const campaign of service.store.campaigns) campaign.status = 'active';
            return real.begin(...start);
          },
        }),
      });
      expect([result, service.writes()]).toEqual(['incomplete', []]);
      expect(campaigns[0]?.steps[0]?.detail).toBe(
        'it was not sent: it is now a campaign that is sending ("active"), which it was not when this was planned. The state does not know it, so it may be someone else\'s. Plan again',
      );
    }),
  ),
);

it('an import makes it known', () =>
  withForeign({}, async (project) => {
    const { exits, sent, write } = project;
    await exits(0, 'import 42 --dir live');
    expect(isKnown(project)).toBe(true);
    await write(manifest('status: paused\n'));
    await exits(0, 'apply --yes');
    expect(sent()).toEqual(['PATCH /api/campaigns/42/pause']);
  }));

it.each<[string, number, string[]]>([
  ['active', 3, []],
  ['draft', 0, ['POST /api/campaigns/42/schedule']],
])('the record is read where the list shows no status: %s', (status, code, writes) =>
  withForeign({ status, shape: { rows: 'id-name' } }, async ({ exits, write, sent }) => {
    await write(manifest(SCHEDULE));
    await exits(code, 'apply --yes');
    expect(sent()).toEqual(writes);
  }),
);
