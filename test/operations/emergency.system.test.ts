import { readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openPlace } from '../../src/operations/place.js';
import { systemClock } from '../../src/service/clock.js';
import type { Lease } from '../../src/state/backend.js';
import { command, type Ended, writeFiles } from '../support/command.js';
import { startProgram } from '../support/program.js';
import { type Project, withProject } from '../support/project.js';
import { replaceGit } from '../support/repository.js';
import { startService, type TestService, TOKEN } from '../support/service/service.js';
import { type Shape, shaped } from '../support/service/shape.js';
import { draft, type StoredCampaign } from '../support/service/store.js';
import { BACKENDS, keepOnBranch, stateKeys } from '../support/state.js';

const active = (id: number, name: string): StoredCampaign => ({ ...draft(id, name), status: 'active' });
const SPRING = { 'campaigns/spring.yaml': 'name: Spring\nstatus: running\n' };
const LIST = '/api/campaigns';
const record = (id: number) => `/api/campaigns/${id}`;
const pauseOf = (id: number) => `/api/campaigns/${id}/pause`;
const statuses = ({ store }: TestService) => store.campaigns.map(({ name, status }) => `${name} ${status}`);
const pausedIds = (service: TestService) => service.writes().map(({ path }) => path.split('/')[3]);

interface Scene extends Project {
  /** Answers the question with yes, after `meanwhile`. */
  asked(line: string, meanwhile: () => void): Promise<Ended>;
}

const scene = (
  campaigns: StoredCampaign[],
  use: (scene: Scene) => Promise<void>,
  {
    files = SPRING,
    shape = {},
    environment = '',
  }: { files?: Record<string, string>; shape?: Partial<Shape>; environment?: string } = {},
) =>
  withProject(
    {
      ...{ campaigns, files, environment },
      variables: { CAMPAIGNS_TOKEN: TOKEN },
      shape: { launch: 'anything', ...shape },
    },
    (project) =>
      use({
        ...project,
        asked: (line, meanwhile) =>
          command(project.folder, line.split(' '), { CAMPAIGNS_TOKEN: TOKEN }, undefined, {
            ask: async () => {
              meanwhile();
              return 'yes';
            },
          }),
      }),
  );

/** Answers all later requests to a path in this way. */
function always(service: TestService, method: string, path: string, body: object, status = 200): void {
  for (let times = 0; times < 500; times += 1)
    service.answerThen(method, path, { status, body, effect: false });
}

describe('a pause is called done only if the service shows it', () => {
  it.each([403, 404, 422])('not if it is refused (%i) and the list lacks the campaign', (status) =>
    scene([active(1, 'Spring'), active(2, 'Autumn')], async ({ service, asked }) => {
      const { code, out } = await asked('pause Spring', () => {
        always(service, 'PATCH', pauseOf(1), { message: 'no' }, status);
        always(service, 'GET', LIST, { data: [{ id: 2, name: 'Autumn', status: 'active' }] });
      });
      expect(code).toBe(4);
      expect(out).not.toContain('✓');
      expect(statuses(service)).toEqual(['Spring active', 'Autumn active']);
    }),
  );

  it('not if its answer is lost, the list lacks the campaign, and the record cannot be read', () =>
    scene([active(1, 'Spring'), active(2, 'Autumn')], async ({ service, asked }) => {
      const { code, out } = await asked('pause Spring', () => {
        for (let times = 0; times < 60; times += 1)
          service.answerThen('PATCH', pauseOf(1), { reset: true, effect: false });
        always(service, 'GET', record(1), { message: 'down' }, 500);
        always(service, 'GET', LIST, { data: [{ id: 2, name: 'Autumn', status: 'active' }] });
      });
      expect(code).toBe(4);
      expect(out).toContain('? Spring');
    }));

  it('not if the campaign vanished', () =>
    scene([active(1, 'Spring'), active(2, 'Autumn')], async ({ service, asked }) => {
      const { code, out } = await asked('pause Spring', () => {
        service.actAt(1, () => void service.store.campaigns.shift(), 'writes');
      });
      expect(code).toBe(4);
      expect(out).not.toContain('✓');
    }));

  it('but if the service refuses it and shows the campaign as stopped', () =>
    scene([active(1, 'Spring')], async ({ service, run }) => {
      service.answerThen('PATCH', pauseOf(1), { status: 422, body: { message: 'not active' }, effect: true });
      const { code, out } = await run('pause Spring --yes');
      expect(out).toContain('✓ Spring  id 1  paused: the service shows "paused"');
      expect(code).toBe(0);
    }));

  it('and not if only the response shows a status, which says that it sends', () =>
    scene(
      [active(1, 'Spring')],
      async ({ service, run }) => {
        const body = { data: { id: 1, name: 'Spring', status: 'active' } };
        service.answerThen('PATCH', pauseOf(1), { status: 200, body, effect: false });
        const { code, out } = await run('pause Spring --yes');
        expect([code, ...statuses(service)]).toEqual([4, 'Spring active']);
        expect(out).toContain('the response to the pause shows "active"');
      },
      { shape: { status: 'hidden' } },
    ));

  it('and a status that is not known is no proof that it sends', () =>
    scene([active(1, 'Spring')], async ({ service, run }) => {
      always(service, 'GET', LIST, { data: [{ id: 1, name: 'Spring', status: 7 }] });
      always(service, 'GET', record(1), { data: { id: 1, name: 'Spring', status: 7 } });
      const { code, out } = await run('pause Spring --yes');
      expect([code, ...statuses(service)]).toEqual([4, 'Spring paused']);
      expect(out).toContain('? Spring  id 1  not known: the service shows "7"');
      expect(out).toContain('0 campaigns paused, 1 not known: run pause again');
    }));

  it('and not if a status that was shown is missing afterwards', () =>
    scene([active(1, 'Spring')], async ({ service, run }) => {
      always(service, 'GET', record(1), { data: { id: 1, name: 'Spring' } });
      const rows = { data: [{ id: 1, name: 'Spring' }] };
      service.actAt(1, () => always(service, 'GET', LIST, rows), 'writes');
      const { code, out } = await run('pause Spring --yes');
      expect(code, out).toBe(4);
      expect(out).toContain('the service no longer shows a status');
    }));

  it('or, if the service shows no status, if it accepted the request', () =>
    scene(
      [active(1, 'Spring')],
      async ({ service, run }) => {
        const { code, out } = await run('pause Spring --yes');
        expect(out.replace(/\s+/g, ' ')).toContain(
          'paused: the service accepted the pause and shows no status',
        );
        expect([code, ...statuses(service)]).toEqual([0, 'Spring paused']);
      },
      { shape: { status: 'hidden' } },
    ));
});

describe('the right workspace', () => {
  const OTHER = [active(8, 'Spring'), active(9, 'Acme')];
  it.each(['pause Spring', 'pause S*', 'pause --all --unmanaged'])(
    'is checked after the question: %s',
    (line) =>
      scene([active(1, 'Spring'), active(2, 'Autumn')], async ({ service, asked }) => {
        const { code, err } = await asked(line, () => {
          service.store.campaigns.splice(0, 2, ...OTHER);
        });
        expect([code, service.writes()]).toEqual([4, []]);
        expect(err).toContain('wrong-workspace');
      }),
  );

  it('is one in which the campaign still has its name', () =>
    scene([active(1, 'Spring'), active(2, 'Autumn')], async ({ service, asked }) => {
      const { code, out } = await asked('pause Spring', () => {
        for (const campaign of service.store.campaigns) campaign.name = `Acme ${campaign.id}`;
      });
      expect([code, service.writes()]).toEqual([4, []]);
      expect(out).toContain('wrong workspace: campaign 1 was called "Spring" and is now called "Acme 1"');
    }));

  it('is one in which a campaign that no list shows has its name in the record', () =>
    scene([active(1, 'Spring')], async ({ service, run, exits }) => {
      await exits(0, 'apply --yes --allow adopt');
      const sent = service.writes().length;
      for (const campaign of service.store.campaigns) campaign.name = 'Acme';
      always(service, 'GET', LIST, { message: 'down' }, 503);
      const { code, out } = await run('pause Spring --yes');
      expect([code, service.writes().length]).toEqual([4, sent]);
      expect(out).toContain('wrong workspace: campaign 1 was called "Spring" and is now called "Acme"');
    }));

  it('is the only one that the token shows: a campaign with another name than in the state is paused, and both are named', () =>
    scene([active(1, 'Spring')], async ({ service, run, exits }) => {
      await exits(0, 'apply --yes --allow adopt');
      for (const campaign of service.store.campaigns) campaign.name = 'Spring 2026';
      const { code, out } = await run('pause Spring --yes');
      expect([code, ...statuses(service)]).toEqual([0, 'Spring 2026 paused']);
      expect(out).toContain('✓ Spring 2026  id 1');
      expect(out).toContain('the state calls it "Spring"');
    }));

  it.each(['', '    workspace: { campaign_id: 1, name: Spring }\n'])(
    'is checked for each further list: a campaign that was not shown is not paused: "%s"',
    (environment) =>
      scene(
        [active(1, 'Spring'), active(2, 'Autumn')],
        async ({ service, run }) => {
          const change = () => {
            const [spring] = service.store.campaigns;
            if (spring !== undefined && environment !== '') spring.name = 'Zenith';
            service.store.campaigns.push(active(3, 'Zephyr'));
          };
          service.actAt(1, change, 'writes');
          await run('pause --all --unmanaged --yes');
          expect(pausedIds(service)).not.toContain('3');
          expect(statuses(service)[2]).toBe('Zephyr active');
        },
        { environment },
      ),
  );

  it('is checked with the record if no list comes', () =>
    scene([active(1, 'Spring')], async ({ service, asked }) => {
      const down = () => always(service, 'GET', LIST, { message: 'down' }, 503);
      expect((await asked('pause Spring', down)).out).toContain('✓ Spring');
      expect(statuses(service)).toEqual(['Spring paused']);
    }));
});

describe('doubt sends the pause', () => {
  const known = async ({ exits }: Project) => void (await exits(0, 'apply --yes --allow adopt'));

  it('if the list says draft and the record says active', () =>
    scene([active(1, 'Spring')], async (project) => {
      await known(project);
      const { service, run } = project;
      always(service, 'GET', LIST, { data: [{ id: 1, name: 'Spring', status: 'draft' }] });
      await run('pause --all --yes');
      expect(statuses(service)).toEqual(['Spring paused']);
    }));

  it('if a status that the same command saw contradicts the draft that is shown afterwards', () =>
    scene([active(1, 'Spring')], async ({ service, run }) => {
      service.answerThen('PATCH', pauseOf(1), { status: 500, body: { message: 'down' }, effect: false });
      const row = { id: 1, name: 'Spring', status: 'draft' };
      service.answerThen('GET', LIST, {
        status: 200,
        body: { data: [{ ...row, status: 'active' }] },
        effect: false,
      });
      service.answerThen('GET', LIST, {
        status: 200,
        body: { data: [{ ...row, status: 'active' }] },
        effect: false,
      });
      always(service, 'GET', LIST, { data: [row] });
      always(service, 'GET', record(1), { data: row });
      const { code, out } = await run('pause Spring --yes');
      expect([code, ...statuses(service)], out).toEqual([0, 'Spring paused']);
    }));

  it.each(['active first', 'paused first'])(
    'if two rows have its id, one of which says active: %s',
    (order) =>
      scene([active(1, 'Spring')], async ({ service, run }) => {
        const rows = ['active', 'paused'].map((status) => ({ id: 1, name: 'Spring', status }));
        const data = order === 'active first' ? rows : rows.toReversed();
        always(service, 'GET', LIST, { data });
        always(service, 'GET', record(1), { data: { id: 1, name: 'Spring' } });
        service.answerThen('PATCH', pauseOf(1), { status: 500, body: { message: 'down' }, effect: false });
        const { code } = await run('pause Spring --yes');
        expect([code, ...statuses(service)]).toEqual([4, 'Spring paused']);
      }),
  );

  it('if a campaign that has run is shown nowhere: it is unknown', () =>
    scene([active(1, 'Spring')], async (project) => {
      await known(project);
      const { service, run } = project;
      always(service, 'GET', LIST, { data: [{ id: 9, name: 'Other', status: 'draft' }], meta: { total: 1 } });
      always(service, 'GET', record(1), { message: 'none' }, 404);
      const { code, out } = await run('pause --all --yes');
      expect([code, ...statuses(service)], out).toEqual([4, 'Spring paused']);
      expect(out).toContain('? Spring  id 1  not known: the service no longer shows the campaign');
    }));

  it.each(['pause Spring --yes', 'pause --all --yes'])(
    'but not if a campaign that never ran is shown nowhere: %s',
    (line) =>
      scene(
        [draft(2, 'Autumn')],
        async ({ service, run, exits }) => {
          await exits(0, 'apply --yes');
          const sent = service.writes().length;
          service.store.campaigns.pop();
          const { code, out } = await run(line);
          expect([code, service.writes().length], out).toEqual([0, sent]);
          expect(out).toContain('1 selected campaign is not sending');
        },
        { files: { 'campaigns/spring.yaml': 'name: Spring\nstatus: paused\n' } },
      ),
  );

  it.each([
    ['the list and the record', true],
    ['the list', false],
  ])('if %s still say draft after the launch, which then proves nothing', (_, both) =>
    scene([], async ({ service, run, exits }) => {
      await exits(0, 'apply --yes --allow launch --allow no-leads');
      const row = { id: 101, name: 'Spring', status: 'draft' };
      always(service, 'GET', LIST, { data: [row] });
      always(service, 'GET', record(101), { data: both ? row : { ...row, status: undefined } });
      service.answerThen('PATCH', pauseOf(101), { status: 500, body: { message: 'down' }, effect: false });
      const { code, out } = await run('pause Spring --yes');
      expect([code, ...statuses(service)], out).toEqual([0, 'Spring paused']);
      expect(out).toContain('1 campaign to pause');
      expect(out).toContain('✓ Spring  id 101  paused: the service accepted the pause; it shows "draft"');
    }),
  );

  it('if two campaigns have the name', () =>
    scene([active(1, 'Spring'), active(2, 'Spring')], async ({ service, run }) => {
      expect((await run('pause Spring --yes')).code).toBe(0);
      expect(statuses(service)).toEqual(['Spring paused', 'Spring paused']);
    }));

  it('if the state cannot be read', () =>
    scene([active(1, 'Spring')], async (project) => {
      await known(project);
      const { service, run, folder } = project;
      await writeFiles(folder, { '.campaignctl/state/production/1.json': '{' });
      expect((await run('pause Spring --yes')).out).toContain('✓ Spring');
      expect(statuses(service)).toEqual(['Spring paused']);
    }));

  it.each<[string, (service: TestService) => void]>([
    [
      'has an odd row',
      (service) =>
        always(service, 'GET', LIST, { data: [{ id: 1, name: 'Spring', status: 'draft' }, { id: 'x' }] }),
    ],
    ['answers 500', (service) => always(service, 'GET', LIST, { message: 'down' }, 500)],
    [
      'has a total that is not reached',
      (service) =>
        always(service, 'GET', LIST, {
          data: [{ id: 1, name: 'Spring', status: 'draft' }],
          meta: { total: 5, last_page: 1 },
        }),
    ],
  ])('if the list %s: others may be sending', (_, spoil) =>
    scene([active(1, 'Spring'), draft(2, 'Autumn')], async (project) => {
      await known(project);
      const { service, run } = project;
      spoil(service);
      const { code, out } = await run('pause Spring --yes');
      expect(statuses(service)[0]).toBe('Spring paused');
      expect(code, out).toBe(4);
      expect(out).toContain('others may be sending');
    }),
  );

  it('if the list is incomplete: an id needs no other row, so the exit code is 0', () =>
    scene([active(1, 'Spring'), draft(2, 'Autumn')], async (project) => {
      await known(project);
      const { service, run } = project;
      const data = [{ id: 1, name: 'Spring', status: 'draft' }];
      always(service, 'GET', LIST, { data, meta: { total: 5, last_page: 1 } });
      const { code, out } = await run('pause 1 --yes');
      expect(statuses(service)[0]).toBe('Spring paused');
      expect(code, out).toBe(0);
      expect(out).toContain('others may be sending');
    }));

  it.each<[string, Partial<Shape>]>([
    ['shows no status', { status: 'hidden' }],
    ['shows one only in records', { rows: 'id-name' }],
  ])('if the service %s, campaigns that were not selected are named', (_, shape) =>
    scene(
      [active(1, 'Spring'), active(2, 'Autumn')],
      async ({ service, run, folder }) => {
        await writeFiles(folder, {
          'campaigns/spring.yaml': 'x: [',
          '.campaignctl/state/production/1.json': '{',
        });
        const { code, out } = await run('pause --all --yes');
        expect([code, service.writes()]).toEqual([4, []]);
        expect(out.replace(/\s+/g, ' ')).toContain(
          'Not selected, and they may be sending, because the list does not show their status (2 campaigns): Spring, Autumn. To pause them too, add --unmanaged.',
        );
      },
      { shape },
    ),
  );

  it.each([{}, { rows: 'id-name' as const }])(
    'but a finished or archived campaign is not touched: %j',
    (shape) =>
      scene(
        [
          { ...draft(1, 'Spring'), status: 'completed' },
          { ...draft(2, 'Autumn'), status: 'archived' },
        ],
        async ({ service, run }) => {
          const { code, out } = await run('pause Spring Autumn --yes');
          expect([code, service.writes()]).toEqual([0, []]);
          expect(out).toContain('2 selected campaigns are not sending.');
        },
        { shape },
      ),
  );

  it('if a launch of an earlier run is open', () =>
    scene([], async ({ service, run, exits }) => {
      service.answerThen('PATCH', '/api/campaigns/101/resume', { reset: true, effect: false });
      await exits(4, 'apply --yes --allow launch --allow no-leads');
      expect((await run('pause Spring --yes')).code).toBe(0);
      expect(service.writes().at(-1)?.path).toBe('/api/campaigns/101/pause');
    }));
});

describe('where it acts', () => {
  const PROJECT = (url: string) => `version: 1
manifests: [campaigns/*.yaml]
default_environment: sandbox
environments:
  sandbox: { sandbox: {} }
  staging: { base_url: "${url}", token_env: STAGING_TOKEN }
  production: { base_url: "${url}", token_env: CAMPAIGNS_TOKEN }
`;
  const withEnvironments = (use: (project: Project) => Promise<void>) =>
    scene([active(1, 'Spring')], async (project) => {
      await writeFiles(project.folder, { 'campaignctl.yaml': PROJECT(project.service.url) });
      await use(project);
    });
  const run = (folder: string, line: string, env: Record<string, string>) =>
    command(folder, line.split(' '), env);

  it('is every environment with a base_url, whatever the default is', () =>
    withEnvironments(async ({ folder, service }) => {
      const env = { CAMPAIGNS_TOKEN: TOKEN, STAGING_TOKEN: TOKEN, CAMPAIGNCTL_ENV: 'sandbox' };
      const { code, out } = await run(folder, 'pause --all --yes', env);
      expect([code, ...statuses(service)]).toEqual([0, 'Spring paused']);
      expect(out).toContain('Sending on staging: ');
      expect(out).toContain('Sending on production: ');
      expect(out).not.toContain('sandbox');
      const elsewhere = await run(join(folder, '..'), `pause --all --yes -C ${basename(folder)}`, env);
      expect(elsewhere.out).toContain(`Nothing to pause on ${basename(folder)} (production)`);
    }));

  it('is the sandboxes if there is nothing else', () =>
    withEnvironments(async ({ folder }) => {
      const [head = ''] = PROJECT('').split('  staging:');
      await writeFiles(folder, {
        'campaignctl.yaml': `${head}  other: { sandbox: {} }\n`.replace('default_environment: sandbox\n', ''),
      });
      const { code, out } = await run(folder, 'pause --all --yes', {});
      expect(code).toBe(0);
      expect(out.match(/^Nothing to pause on .*$/gm)).toEqual([
        'Nothing to pause on sandbox',
        'Nothing to pause on other',
      ]);
    }));

  it('an environment without a token is named, and the others are paused', () =>
    withEnvironments(async ({ folder, service }) => {
      const { code, err } = await run(folder, 'pause --all --yes', { CAMPAIGNS_TOKEN: TOKEN });
      expect([code, ...statuses(service)]).toEqual([4, 'Spring paused']);
      expect(err).toContain('STAGING_TOKEN');
    }));

  it('an error says that nothing was paused and how to go on, and names the sandboxes that are left out', () =>
    withEnvironments(async ({ folder, service }) => {
      await writeFiles(folder, {
        'campaignctl.yaml': PROJECT(service.url).replace(/ {2}staging: .*\n/, ''),
      });
      const left = '! sandbox left out, because a sandbox sends no email. To pause there, add --env sandbox.';
      const failed = await run(folder, 'pause --all --yes', {});
      expect([failed.code, service.writes()]).toEqual([1, []]);
      const words = failed.err.replace(/\s+/g, ' ');
      expect(words).toContain('is not set. Nothing was paused in production.');
      expect(words).toContain("Then run pause again, or pause the campaigns in the service's web app.");
      expect(failed.err).toContain(left);
      expect((await run(folder, 'pause --all --yes', { CAMPAIGNS_TOKEN: TOKEN })).err).toContain(left);
      expect((await run(folder, 'pause --all --yes --env sandbox', {})).err).not.toContain('left out');
    }));

  it('the help of pause says so', () =>
    withEnvironments(async ({ folder }) => {
      const { out } = await run(folder, 'pause --help', {});
      expect(out.replace(/\s+/g, ' ')).toContain(
        'default: all that have a base_url or, if none has, the sandboxes',
      );
      expect(out).not.toContain('CAMPAIGNCTL_ENV');
      expect(out.match(/--env/g)).toHaveLength(1);
    }));

  it('an id means the campaign in the list if there is only one environment', () =>
    scene([active(7, 'Spring')], async ({ service, run }) => {
      expect((await run('pause 7 --yes')).code).toBe(0);
      expect(statuses(service)).toEqual(['Spring paused']);
    }));

  it.each(['Sprnig', '7'])('%s, which nothing has, is an error that says what is not known', (name) =>
    scene([active(1, 'Spring')], async (project) => {
      await project.exits(0, 'apply --yes --allow adopt');
      const { service, run, folder } = project;
      const sent = service.writes().length;
      await writeFiles(folder, { '.campaignctl/state/production/1.json': '{' });
      const { code, err } = await run(`pause ${name} --yes`);
      expect([code, service.writes().length]).toEqual([4, sent]);
      const words = err.replace(/\s+/g, ' ');
      expect(words).toContain(`campaignctl found no campaign with the name or id "${name}"`);
      expect(words).toContain('It may exist all the same: the state could not be read');
    }),
  );

  it('a name that no environment shows is named, although one cannot be read', () =>
    withEnvironments(async ({ service, folder }) => {
      const { code, err } = await run(folder, 'pause Sprnig --yes', { CAMPAIGNS_TOKEN: TOKEN });
      expect([code, service.writes()]).toEqual([4, []]);
      const words = err.replace(/\s+/g, ' ');
      expect(words).toContain(
        'no campaign with the name or id "Sprnig". It may exist all the same: 1 environment',
      );
    }));

  it('only --env narrows it', () =>
    withEnvironments(async ({ folder, service }) => {
      const { code, out } = await run(folder, 'pause --all --yes --env sandbox', { CAMPAIGNS_TOKEN: TOKEN });
      expect([code, ...statuses(service)]).toEqual([0, 'Spring active']);
      expect(out).toContain('Nothing to pause on sandbox');
    }));

  it('an id means the campaign that the state knows or, with --env, one in the list', () =>
    withEnvironments(async ({ folder, service }) => {
      const env = { CAMPAIGNS_TOKEN: TOKEN, STAGING_TOKEN: TOKEN };
      const refused = await run(folder, 'pause 1 --yes', env);
      expect([refused.code, service.writes()]).toEqual([1, []]);
      expect(refused.err).toContain('campaignctl pause 1 --env');
      expect((await run(folder, 'pause 1 --yes --env production', env)).code).toBe(0);
      expect(statuses(service)).toEqual(['Spring paused']);
    }));
});

describe('nothing delays or refuses the first request', () => {
  it('not a policy that takes for ever, nor a broken manifest', () =>
    scene(
      [active(1, `${'Northern Lights '.repeat(4)}Spring!`)],
      async ({ service, folder, run, read }) => {
        const project = await read('campaignctl.yaml');
        const policy =
          "policies:\n  names: { reason: Names., name: { pattern: '^([A-Za-z0-9]+ ?)+ · [A-Z]{2}$' } }\n";
        await writeFiles(folder, { 'campaignctl.yaml': `${project}${policy}` });
        expect((await run('pause --all --yes')).code).toBe(0);
        expect(pausedIds(service)).toEqual(['1']);
      },
      {
        files: {
          'campaigns/spring.yaml': `name: ${'Northern Lights '.repeat(4)}Spring!\n`,
          'campaigns/odd.yaml': 'name: [\n',
        },
      },
    ));

  it.each([
    ['shown', {}, 0],
    ['not shown', { status: 'hidden' }, 4],
  ] as const)(
    'not a state on a branch whose remote is missing: the pause says that it is not recorded (status %s)',
    (_, shape, exitCode) =>
      scene(
        [active(1, 'Spring')],
        async ({ service, run, folder }) => {
          await rm(join(folder, '.git'), { recursive: true, force: true });
          const { code, out } = await run('pause Spring --yes');
          expect([code, ...statuses(service)]).toEqual([exitCode, 'Spring paused']);
          expect(out).toContain('The state does not record these pauses');
          expect(out).not.toContain('Nothing was sent');
          expect(out).toContain('Not known: whether an apply is running, which may launch campaigns again');
        },
        { environment: '    state: { backend: git, id: abc }\n', shape },
      ),
  );
});

/** Shortens the program's waits. */
const FASTER = { FASTER: '4', NOW: String(Date.now()), JUMP: '0' };

describe.each(BACKENDS)('while an apply is at work, with the state %s', (backend) => {
  const during = (
    status: string,
    shape: Partial<Shape>,
    use: (project: Project, lease: Lease) => Promise<void>,
  ) =>
    scene(
      [],
      async (project) => {
        if (backend === 'on a branch') keepOnBranch(project.folder);
        await project.exits(0, 'apply --yes --hold launch');
        for (const campaign of project.service.store.campaigns) campaign.status = status;
        const world = { cwd: project.folder, env: {}, now: Date.now, clock: systemClock, err() {} };
        const place = await openPlace({ config: null, env: 'production', debug: false }, world);
        const { signal } = new AbortController();
        const lease = await place.backend.acquire({ who: 'ada', timeout: 0, waiting() {}, signal });
        await use(project, lease);
      },
      { shape, environment: stateKeys(backend) },
    );
  // Git would take too long for a faster clock.
  const speed = backend === 'in a folder' ? FASTER : {};
  const requests = ({ service }: Project, path: string) =>
    service.requests.filter((request) => request.path.startsWith(path)).length;

  it('its end is noticed: what shows no status is then called paused', () =>
    during('active', { status: 'hidden' }, async (project, lease) => {
      const pausing = startProgram(project.folder, ['pause', 'Spring', '--yes'], speed).ended;
      await expect.poll(() => statuses(project.service), { timeout: 20_000 }).toEqual(['Spring paused']);
      await lease.end();
      const { code, out } = await pausing;
      expect(code, out).toBe(0);
      expect(out).toContain('✓ Spring');
      expect(out).not.toContain('The apply is still running');
    }));

  it('what it launches last is paused', () =>
    during('draft', {}, async (project, lease) => {
      const before = requests(project, LIST);
      const pausing = startProgram(project.folder, ['pause', 'Spring', '--yes'], speed).ended;
      // The first list, and the one that is read while the apply is at work.
      await expect.poll(() => requests(project, LIST) - before, { timeout: 20_000 }).toBeGreaterThan(2);
      for (const campaign of project.service.store.campaigns) campaign.status = 'active';
      await lease.end();
      const { code, out } = await pausing;
      expect([code, ...statuses(project.service)], out).toEqual([0, 'Spring paused']);
    }));

  it.each<Partial<Shape>>([{ status: 'shown' }, { status: 'listed' }, { rows: 'id-name' }])(
    'what sends again after it was shown as paused is paused again: %j',
    (shape) =>
      during('active', shape, async (project, lease) => {
        const isPaused = () => statuses(project.service)[0] === 'Spring paused';
        const pausing = startProgram(project.folder, ['pause', 'Spring', '--yes'], speed).ended;
        await expect.poll(isPaused, { timeout: 20_000 }).toBe(true);
        const before = requests(project, LIST);
        // The reading that proves the pause, and one after that.
        await expect.poll(() => requests(project, LIST) - before, { timeout: 20_000 }).toBeGreaterThan(3);
        for (const campaign of project.service.store.campaigns) campaign.status = 'active';
        await lease.end();
        const { code, out } = await pausing;
        expect([code, ...statuses(project.service)], out).toEqual([0, 'Spring paused']);
      }),
  );

  it.runIf(backend === 'on a branch')('what it launches last is paused even if git is slow', () =>
    during('draft', {}, async (project, lease) => {
      replaceGit(join(project.folder, '.git/programs'), 'case "$*" in *fetch*) sleep 1.5;; esac');
      const before = requests(project, LIST);
      const pausing = startProgram(project.folder, ['pause', 'Spring', '--yes']).ended;
      await expect.poll(() => requests(project, LIST) - before, { timeout: 20_000 }).toBeGreaterThan(2);
      for (const campaign of project.service.store.campaigns) campaign.status = 'active';
      await lease.end();
      const { code, out } = await pausing;
      expect([code, ...statuses(project.service)], out).toEqual([0, 'Spring paused']);
    }),
  );
});

describe('git that does not answer', () => {
  const slowGit = (folder: string, script: string) =>
    replaceGit(join(folder, '.git/programs'), `case "$*" in *fetch*) ${script};; esac`);
  const onBranch = (use: (project: Project) => Promise<void>) =>
    scene(
      [active(1, 'Spring')],
      async (project) => {
        keepOnBranch(project.folder);
        await project.exits(0, 'apply --yes --allow adopt');
        await use(project);
      },
      { environment: stateKeys('on a branch') },
    );

  it('is waited for if only the state knows the name', () =>
    onBranch(async ({ service, run, folder }) => {
      for (const campaign of service.store.campaigns) campaign.name = 'Spring 2026';
      slowGit(folder, 'sleep 1.5');
      const { code, out } = await run('pause Spring --yes');
      expect([code, ...statuses(service)], out).toEqual([0, 'Spring 2026 paused']);
    }));

  it('does not keep the command from ending', () =>
    onBranch(async ({ service, program, folder }) => {
      slowGit(folder, `echo $$ >> "${folder}/.git/running"; exec sleep 300`);
      const { code, out } = await program('pause --all --yes', FASTER);
      expect([code, ...statuses(service)], out).toEqual([4, 'Spring paused']);
      const running = (await readFile(join(folder, '.git/running'), 'utf8')).trim().split('\n');
      const isAlive = (pid: string) => {
        try {
          return process.kill(Number(pid), 0);
        } catch {
          return false;
        }
      };
      await expect.poll(() => running.filter(isAlive)).toEqual([]);
    }));
});

describe('a later apply with a standing approval does not undo it', () => {
  const STANDING = { environment: '    allow: [launch, no-leads, adopt]\n' };

  it.each<[string, (service: TestService) => void]>([
    [
      'was pending when it was paused',
      (service) => service.behave({ launching: 'queued' } as never, () => 0),
    ],
    [
      'got no answer',
      (service) => service.answerThen('PATCH', '/api/campaigns/101/resume', { reset: true, effect: true }),
    ],
  ])('whose launch %s', (_, before) =>
    scene(
      [],
      async ({ service, run }) => {
        before(service);
        await run('apply --yes');
        expect((await run('pause --all --yes')).code).toBe(0);
        const launches = () => service.writes().filter(({ path }) => path.endsWith('/resume')).length;
        const sent = launches();
        expect((await run('apply --yes')).code).toBe(3);
        expect(launches()).toBe(sent);
        expect(statuses(service)).toEqual(['Spring paused']);
      },
      STANDING,
    ),
  );

  it('nor the apply that is at work: it does not launch what was paused meanwhile', () =>
    scene(
      [],
      async ({ service, run, folder }) => {
        let isPaused = false;
        // Just before the campaign's leads are attached.
        service.actAt(
          2,
          () => {
            isPaused = true;
          },
          'writes',
        );
        const applying = run('apply --yes --debug');
        await expect.poll(() => isPaused, { timeout: 10_000 }).toBe(true);
        await command(folder, ['pause', 'Spring', '--yes'], { CAMPAIGNS_TOKEN: TOKEN });
        await applying;
        expect(service.store.campaigns.map(({ status }) => status)).not.toContain('active');
      },
      STANDING,
    ));

  it.each([
    ['paused', SPRING['campaigns/spring.yaml']],
    ['paused', 'name: [\n'],
    ['draft', 'name: [\n'],
  ])(
    'nor the first apply of a campaign, which was killed as it launched: shown as %s, while the manifest is %j',
    (word, manifest) =>
      scene(
        [],
        async ({ service, run, folder, exits }) => {
          const applying = startProgram(folder, ['apply', '--yes']);
          service.actAt(2, () => applying.kill('SIGKILL'), 'writes');
          await applying.ended;
          expect(statuses(service)).toEqual(['Spring active']);
          await writeFiles(folder, { 'campaigns/spring.yaml': manifest });
          expect((await run('pause Spring --yes')).code).toBe(0);
          for (const campaign of service.store.campaigns) campaign.status = word;
          await writeFiles(folder, SPRING);
          const sent = service.writes().length;
          const { code, err } = await run('apply --yes');
          expect([code === 0, service.writes().length, ...statuses(service)], err).toEqual([
            ...[false, sent, `Spring ${word}`],
          ]);
          expect(err).not.toContain('record-twice');
          await exits(0, 'apply --yes --allow launch=Spring');
        },
        STANDING,
      ),
  );

  it('nor one for a campaign that an apply had already paused, as its manifest said', () =>
    scene(
      [],
      async ({ service, run, folder, exits }) => {
        await exits(0, 'apply --yes');
        await writeFiles(folder, { 'campaigns/spring.yaml': 'name: Spring\nstatus: paused\n' });
        await exits(0, 'apply --yes');
        const { out } = await exits(0, 'pause Spring --yes');
        expect(out).toContain('✓ Spring  id 101  paused: the service shows "paused"');
        await writeFiles(folder, SPRING);
        // The folder is in no git repository.
        const { code, err } = await run('apply --yes --allow undoes-apply');
        expect([code, err]).toEqual([3, expect.stringContaining('was paused by campaignctl pause')]);
        expect(statuses(service)).toEqual(['Spring paused']);
        await exits(0, 'apply --yes --allow undoes-apply --allow launch=Spring');
      },
      STANDING,
    ));

  it('nor one for a campaign that was imported after it was paused', () =>
    scene(
      [],
      async ({ service, run, folder, exits }) => {
        await exits(0, 'apply --yes');
        await exits(0, 'pause --all --yes');
        await rm(join(folder, 'campaigns/spring.yaml'));
        await exits(0, 'import Spring');
        await writeFiles(folder, SPRING);
        const sent = service.writes().length;
        // The folder is in no git repository.
        const { code, err } = await run('apply --yes --allow undoes-apply');
        expect([code, err]).toEqual([3, expect.stringContaining('was paused by campaignctl pause')]);
        expect([service.writes().length, ...statuses(service)]).toEqual([sent, 'Spring paused']);
        await exits(0, 'apply --yes --allow undoes-apply --allow launch=Spring');
      },
      STANDING,
    ));

  it.each<[string, (run: Scene['run'], service: TestService) => unknown]>([
    ['by pause', (run) => run('pause Spring --yes')],
    [
      'in the web app',
      (_, service) => {
        for (const campaign of service.store.campaigns) campaign.status = 'paused';
      },
    ],
  ])('nor an older checkout, after an apply has found in sync what was stopped %s', (_, stop) =>
    scene(
      [],
      async ({ service, run, folder, exits }) => {
        await exits(0, 'apply --yes');
        await stop(run, service);
        await writeFiles(folder, { 'campaigns/spring.yaml': 'name: Spring\nstatus: paused\n' });
        const sent = service.writes().length;
        await exits(0, 'apply --yes');
        expect(service.writes()).toHaveLength(sent);
        await writeFiles(folder, SPRING);
        expect((await run('apply --yes')).code).toBe(3);
        expect(statuses(service)).toEqual(['Spring paused']);
        await exits(0, 'apply --yes --allow launch=Spring');
      },
      STANDING,
    ),
  );

  it('nor a pause in the web app after a launch in doubt', () =>
    scene(
      [],
      async ({ service, run }) => {
        service.answerThen('PATCH', '/api/campaigns/101/resume', { reset: true, effect: false });
        await run('apply --yes');
        for (const campaign of service.store.campaigns) campaign.status = 'paused';
        expect((await run('apply --yes')).code).toBe(3);
        expect(statuses(service)).toEqual(['Spring paused']);
      },
      STANDING,
    ));
});

it('campaigns of another project are paused at the same time', () =>
  scene([active(1, 'Spring')], async ({ service, folder }) => {
    const other = await startService(shaped({}), { campaigns: [active(1, 'Beta')], templates: [] });
    try {
      const project = `version: 1\nmanifests: [campaigns/*.yaml]\nenvironments:\n  production: { base_url: "${other.url}", token_env: CAMPAIGNS_TOKEN }\n`;
      await writeFiles(folder, {
        'clients/beta/campaignctl.yaml': project,
        'clients/beta/campaigns/beta.yaml': 'name: Beta\nstatus: running\n',
      });
      const { code } = await command(folder, ['pause', '--all', '--yes', '--recursive'], {
        CAMPAIGNS_TOKEN: TOKEN,
      });
      expect([code, ...statuses(service), ...statuses(other)]).toEqual([0, 'Spring paused', 'Beta paused']);
    } finally {
      await other.close();
    }
  }));
