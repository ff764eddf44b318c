/** Stops campaigns in an emergency, whatever is broken, locked, lost or in progress. */
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import type { PausePlan, PauseResult } from '../../src/model/reports.js';
import type { PendingOperations } from '../../src/model/state.js';
import { openPlace } from '../../src/operations/place.js';
import { preparePause } from '../../src/operations/prepare-pause.js';
import { pauseCampaigns } from '../../src/operations/send-pauses.js';
import { toInterrupt, type World } from '../../src/operations/world.js';
import { folderBackend } from '../../src/state/backend.js';
import { fakeClock } from '../support/clock.js';
import { command, writeFiles } from '../support/command.js';
import { withFolder } from '../support/folder.js';
import { listenOn } from '../support/listen.js';
import { step } from '../support/plans.js';
import { type Project, withProject } from '../support/project.js';
import { openService, type Service, startService, TOKEN } from '../support/service/service.js';
import { shaped } from '../support/service/shape.js';
import { active, draft, type StoredCampaign } from '../support/service/store.js';
import { wireTo } from '../support/service/wire.js';
import { stateUser } from '../support/state.js';
import { oneLine } from '../support/texts.js';

const project = (url: string, more = '') =>
  `version: 1\nmanifests: [campaigns/*.yaml]\nenvironments:\n  production: { base_url: "${url}", token_env: CAMPAIGNS_TOKEN${more} }\n`;
const running = (name: string) => `name: ${name}\nstatus: running\n`;
const statuses = ({ store }: Service) => store.campaigns.map(({ name, status }) => `${name} ${status}`);

const scene = (
  campaigns: StoredCampaign[],
  files: Record<string, string>,
  use: (project: Project) => Promise<void>,
  environment = '',
) => {
  // It connects twice: over HTTP.
  const variables = { CAMPAIGNS_TOKEN: TOKEN };
  return withProject({ campaigns, files, environment, variables, shape: { launch: 'anything' } }, use);
};

const ALL = 'pause --all --yes';

test('broken manifests, a missing shared folder and a held lock do not prevent a pause', () =>
  scene(
    [active(1, 'Spring'), active(2, 'Autumn')],
    { 'campaigns/spring.yaml': running('Spring'), 'campaigns/autumn.yaml': running('Autumn') },
    async ({ service, run, folder, write }) => {
      expect((await run('apply --yes --allow adopt')).code).toBe(0);
      const config = await readFile(join(folder, 'campaignctl.yaml'), 'utf8');
      await write({ 'campaignctl.yaml': `${config}shared: [none]\n` });
      expect(await run('apply --yes')).toMatchObject({
        code: 1,
        err: expect.stringContaining('shared-not-found'),
      });
      await write({ 'campaigns/autumn.yaml': 'name: Autumn\nstatus: [\n' });
      expect((await run('apply --yes')).code).toBe(1);
      const backend = folderBackend(join(folder, '.campaignctl/state/production'), stateUser(service.url));
      const signal = new AbortController().signal;
      const lease = await backend.acquire({ who: 'ada', timeout: 0, waiting() {}, signal });
      const { code, out } = await run(ALL);
      await lease.end();
      expect({ code, statuses: statuses(service) }).toEqual({
        code: 0,
        statuses: ['Spring paused', 'Autumn paused'],
      });
      expect(out).toContain('2 campaigns paused.');
      expect(service.writes()).toHaveLength(2);
    },
  ));

test.each([
  ['of its syntax', 'name: Autumn\nstatus: [\n', 'campaigns/autumn.yaml'],
  ['of a key', 'name: Autumn\nstate: running\n', 'campaigns/autumn.yaml'],
  ['of a piece', 'name: Autumn\nsequence: { use: ../pieces/autumn.yaml }\n', 'pieces/autumn.yaml'],
])('with --all, a campaign that only a manifest with an error %s describes is in doubt', (_, text, file) =>
  scene(
    [active(1, 'Spring'), active(2, 'Autumn')],
    {
      'campaigns/spring.yaml': running('Spring'),
      'campaigns/autumn.yaml': text,
      'pieces/autumn.yaml': 'title: [\n',
    },
    async ({ service, run }) => {
      for (const time of ['first', 'again']) {
        const { code, out } = await run(ALL);
        expect([code, ...statuses(service)], time).toEqual([4, 'Spring paused', 'Autumn active']);
        expect(oneLine(out)).toContain(`${file} has errors, so campaigns that were not selected may belong`);
      }
      expect((await run('pause Spring --yes')).code).toBe(0);
      expect((await run('pause --all --unmanaged --yes')).code).toBe(0);
      expect(statuses(service)).toEqual(['Spring paused', 'Autumn paused']);
    },
  ),
);

test('unmanaged campaigns continue unless they are named, matched or included with --unmanaged', () =>
  scene(
    [active(1, 'Spring'), active(2, 'Acme A'), active(3, 'Acme B'), draft(4, 'Acme C'), active(5, 'Other')],
    { 'campaigns/spring.yaml': running('Spring') },
    async ({ service, run }) => {
      const all = await run(ALL);
      expect(all.out).toContain('(3 campaigns): Acme A, Acme B, Other');
      expect(all.out).toContain('--unmanaged');
      expect(statuses(service)).toEqual([
        'Spring paused',
        'Acme A active',
        'Acme B active',
        'Acme C draft',
        'Other active',
      ]);
      await run('pause --yes', 'Acme *');
      expect(statuses(service).slice(1)).toEqual([
        'Acme A paused',
        'Acme B paused',
        'Acme C draft',
        'Other active',
      ]);
      await run('pause --unmanaged --yes');
      expect(statuses(service).at(-1)).toBe('Other paused');
    },
  ));

test('nothing is paused without confirmation or a selection, or for an unknown name', () =>
  scene([active(1, 'Spring')], { 'campaigns/spring.yaml': running('Spring') }, async ({ service, exits }) => {
    await exits(3, 'pause --all');
    await exits(1, 'pause --yes');
    expect((await exits(1, 'pause Sprong --yes')).err).toContain('Did you mean "Spring"?');
    expect(service.writes()).toEqual([]);
  }));

test('every project below the folder is paused, even if one cannot be read', () =>
  scene([active(1, 'Acme')], {}, async ({ service, folder }) => {
    const other = await startService(shaped({}), { campaigns: [active(1, 'Beta')], templates: [] });
    try {
      await writeFiles(folder, {
        'campaigns/acme.yaml': running('Acme'),
        'clients/beta/campaignctl.yaml': project(other.url),
        'clients/beta/campaigns/beta.yaml': 'name: Beta\nstatus: [\n---\nname: Beta\nsettings: oops',
        'clients/beta/campaigns/good.yaml': running('Beta'),
        'clients/broken/campaignctl.yaml': 'version: 1\noops: 1\n',
      });
      const { code, out, err } = await command(folder, [...ALL.split(' '), '--recursive']);
      expect(code).toBe(4);
      expect(err).toContain('clients/broken');
      expect(out).toContain('clients/beta');
      expect(out).toMatch(/import\s+--update\s+--all\s+--recursive\s+--env\s+production/);
      expect([...statuses(service), ...statuses(other)]).toEqual(['Acme paused', 'Beta paused']);
    } finally {
      await other.close();
    }
  }));

/** Adds a project whose service accepts requests and calls `arrived` for each; it answers none before `release`. */
async function withSilentProject(
  folder: string,
  arrived: () => void,
  use: (release: () => void) => Promise<void>,
): Promise<void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const server = createServer((_, response) => {
    arrived();
    void released.then(() => response.writeHead(500).end());
  });
  const { url, close } = await listenOn(server);
  try {
    await writeFiles(folder, { 'clients/a-silent/campaignctl.yaml': project(url) });
    await use(release);
  } finally {
    await close();
  }
}

const SPRING = { 'campaigns/spring.yaml': running('Spring') };

test('with --yes, a project is paused while the service of another does not respond', () =>
  scene([active(1, 'Spring')], SPRING, ({ service, folder }) =>
    withSilentProject(
      folder,
      () => {},
      async (release) => {
        service.actAt(1, release, 'writes');
        const { code, out } = await command(folder, [...ALL.split(' '), '--recursive']);
        expect({ code, statuses: statuses(service) }).toEqual({ code: 4, statuses: ['Spring paused'] });
        expect(out).toContain('clients/a-silent (production)');
        expect(out).toContain('others may be sending');
        expect(out).toContain('1 campaign paused.');
      },
    ),
  ));

test('reports come in the order of the folders, and what waits for an earlier one is told in brief', () =>
  scene([active(1, 'Spring')], {}, ({ service, folder }) =>
    withSilentProject(
      folder,
      () => {},
      async (release) => {
        await writeFiles(folder, {
          'clients/b/campaignctl.yaml': project(service.url),
          'clients/b/campaigns/spring.yaml': running('Spring'),
        });
        const seen = (text: string) => {
          if (text.includes('follows')) release();
        };
        const argv = ['-C', 'clients', ...ALL.split(' '), '--recursive'];
        const { code, out, err } = await command(folder, argv, undefined, undefined, { seen });
        expect({ code, statuses: statuses(service) }).toEqual({ code: 4, statuses: ['Spring paused'] });
        expect(err).toContain('b (production): 1 campaign paused. Its report follows.\n');
        expect(out.match(/(?<=^Sending on )\S+/gm)).toEqual(['a-silent', 'b']);
      },
    ),
  ));

test('how to keep campaigns stopped is said once, for all projects', () =>
  scene([active(1, 'Spring'), active(2, 'Fair')], {}, async ({ folder, service, write }) => {
    const clients = (files: Record<string, string>) =>
      Object.fromEntries(Object.entries(files).map(([file, text]) => [`clients/${file}`, text]));
    const other = project(service.url).replace('production', 'live');
    await write(
      clients({
        'a/campaignctl.yaml': project(service.url),
        'a/campaigns/spring.yaml': running('Spring'),
        'b/campaignctl.yaml': project(service.url),
        'b/campaigns/fair.yaml': 'name: Fair\n',
        'c/campaignctl.yaml': other,
        'c/campaigns/spring.yaml': running('Spring'),
      }),
    );
    const pause = async () => {
      for (const campaign of service.store.campaigns) campaign.status = 'active';
      return command(folder, ['pause', '--all', '--yes', '--recursive', '-C', 'clients']);
    };
    const mixed = (await pause()).out;
    expect(mixed.match(/To keep/g)).toHaveLength(1);
    expect(mixed).toContain(`To keep paused campaigns stopped, run these commands, which write status: paused:
  campaignctl import --update --all -C clients/a --env production
  campaignctl import --update --all -C clients/c --env live
`);
    expect(oneLine(mixed)).toContain('write status: paused in the manifests of: b (production): Fair.');
    await write(clients({ 'c/campaignctl.yaml': project(service.url) }));
    const same = (await pause()).out;
    expect(oneLine(same)).toContain(
      'run campaignctl import -C clients --update --all --recursive --env production, which writes status: paused.',
    );
  }));

test('an interrupt while the lists are read pauses nothing and asks nothing', () =>
  scene([active(1, 'Spring')], SPRING, async ({ service, folder }) => {
    const ask = vi.fn(async () => 'yes');
    let arrived = () => {};
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const onInterrupt = async (stop: () => void) => {
      await arrival;
      while (service.requests.length === 0) await wait(1);
      await service.left();
      stop();
    };
    await withSilentProject(folder, arrived, async () => {
      const argv = ['pause', '--all', '--recursive'];
      const { code, err } = await command(folder, argv, undefined, undefined, { ask, onInterrupt });
      expect(code).toBe(130);
      expect(err).toContain('Interrupted. Nothing was sent.');
    });
    expect(ask).not.toHaveBeenCalled();
    expect(service.writes()).toEqual([]);
  }));

test('an interrupt finishes and records the pauses in flight, and sends no further one', () => {
  const names = ['Spring', 'Summer', 'Autumn', 'Winter', 'Easter', 'Advent'];
  return scene(
    names.map((name, at) => active(at + 1, name)),
    { 'campaigns/all.yaml': names.map(running).join('---\n') },
    async ({ service, run, folder }) => {
      const onInterrupt = (stop: () => void) => service.actAt(1, stop, 'writes');
      const { code, out } = await command(folder, ALL.split(' '), undefined, undefined, { onInterrupt });
      const sent = service.writes().length;
      // One more than the limit at a time.
      expect([code, sent === 1 || sent === 2]).toEqual([130, true]);
      expect(statuses(service).filter((status) => status.endsWith('paused'))).toHaveLength(sent);
      expect(out).toMatch(new RegExp(`^${sent} campaigns? paused, ${names.length - sent} not`, 'm'));
      expect((await run('history')).out).toMatch(/ \d +done/);
    },
    '    limits: { parallelism: 1 }\n',
  );
});

test('the next plan mentions the pause, and only a flag launches again', () =>
  scene(
    [active(1, 'Spring')],
    { 'campaigns/spring.yaml': running('Spring') },
    async ({ service, exits, plan, run, read, write }) => {
      await exits(0, 'apply --yes --allow adopt');
      await exits(0, ALL);
      const [campaign] = (await plan()).campaigns;
      const launch = campaign?.problems.find(({ code }) => code === 'launch');
      expect(launch).toMatchObject({ accepted_by: null });
      expect(launch?.message).toContain('paused by campaignctl pause on 2');
      expect((await run('history')).out).toMatch(/ 1 +done/);
      await exits(3, 'apply --yes');
      expect(statuses(service)).toEqual(['Spring paused']);
      await exits(0, 'import --update --all');
      expect(await read('campaigns/spring.yaml')).toBe('name: Spring\nstatus: paused\n');
      // A checkout without the imported change.
      await write({ 'campaigns/spring.yaml': running('Spring') });
      await exits(3, 'apply --yes');
      await write({ 'campaigns/spring.yaml': 'name: Spring\nstatus: paused\n' });
      await exits(0, 'apply --yes');
      await exits(0, ALL);
      await write({ 'campaigns/spring.yaml': running('Spring') });
      await exits(3, 'apply --yes');
      await write({ 'campaigns/spring.yaml': 'name: Spring\nstatus: paused\n' });
      await exits(0, 'apply --yes');
      await write({ 'campaigns/spring.yaml': running('Spring') });
      await exits(3, 'apply --yes');
      await exits(0, 'apply --yes --allow launch=Spring');
      expect(statuses(service)).toEqual(['Spring active']);
    },
    '    allow: [launch, no-leads]\n',
  ));

test('list says that a campaign which should run was stopped by a pause, also once its launch was held', () =>
  scene([active(1, 'Spring')], { 'campaigns/spring.yaml': running('Spring') }, async ({ exits }) => {
    await exits(0, 'apply --yes --allow adopt');
    await exits(0, 'list --check');
    await exits(0, ALL);
    const words =
      /Spring: This campaign wants to run; it was stopped by campaignctl pause on \d{4}-\d\d-\d\d\. → To launch it, run campaignctl apply --env production --allow launch="Spring"/;
    expect(oneLine((await exits(2, 'list --check')).out)).toMatch(words);
    await exits(0, 'apply --yes --hold launch');
    expect(oneLine((await exits(2, 'list --check')).out)).toMatch(words);
    await exits(0, 'apply --yes --allow launch --allow no-leads');
    await exits(0, 'list --check');
  }));

test('list says that no apply launches a paused campaign again whose manifest has no status', () =>
  scene(
    [active(1, 'Spring')],
    { 'campaigns/spring.yaml': 'name: Spring\n' },
    async ({ exits, write, service }) => {
      await exits(0, 'apply --yes');
      await exits(0, ALL);
      await exits(0, 'plan --detailed-exitcode');
      const { out } = await exits(2, 'list --check');
      expect(oneLine(out)).toContain('no apply launches it again, because its manifest has no status.');
      expect(oneLine(out)).toContain('run campaignctl apply --env production --allow launch="Spring"');
      await write({ 'campaigns/spring.yaml': 'name: Spring\nstatus: paused\n' });
      await exits(0, 'list --check');
      await write({ 'campaigns/spring.yaml': running('Spring') });
      await exits(0, 'apply --yes --allow launch --allow no-leads');
      expect(statuses(service)).toEqual(['Spring active']);
      await exits(0, 'list --check');
    },
  ));

test('a pause is not mentioned by plans after the next launch', () =>
  scene([active(1, 'Spring')], { 'campaigns/spring.yaml': running('Spring') }, async ({ exits }) => {
    await exits(0, 'apply --yes --allow adopt');
    await exits(0, ALL);
    await exits(0, 'apply --yes --allow launch --allow no-leads');
    await exits(0, 'plan --detailed-exitcode');
  }));

/** Pauses the campaigns of a service in memory, with a fake clock. */
async function paused(
  service: Service,
  {
    held = async () => null,
    pending = [],
    onLook = () => undefined,
  }: {
    held?: () => Promise<null | 'ada'>;
    pending?: PendingOperations[];
    onLook?: (elapsed: number) => void;
  } = {},
): Promise<{ plan: PausePlan; result: PauseResult; journals: string[] }> {
  const clock = fakeClock();
  return withFolder(async (cwd) => {
    await writeFiles(cwd, {
      'campaignctl.yaml': project('https://send.example.com'),
      'campaigns/spring.yaml': `${running('Spring')}---\n${running('Autumn')}`,
    });
    const world: World = {
      ...{ cwd, env: { CAMPAIGNS_TOKEN: TOKEN }, clock, now: clock.now },
      err: () => undefined,
    };
    const place = await openPlace({ config: null, env: null, debug: false }, world);
    const at = new Date(clock.now()).toISOString();
    const holder = { id: '1', who: 'ada', host: 'other', pid: 7, space: null, started: null, at };
    const look = async () => {
      onLook(clock.elapsed());
      return (await held()) === null ? null : { holder, alive: true, isOwn: false, lease: null };
    };
    const store = { ...place.store, pending: async () => pending };
    const backend = { ...place.backend, held: look, heldNow: look, store };
    const selection = { names: [], all: true, unmanaged: false };
    const interrupt = toInterrupt(new AbortController().signal);
    const connected = () => ({ ...place, backend, store, world: { ...world, wire: wireTo(service) } });
    const request = { selection, isUrgent: false, idsMeanRows: true };
    const prepared = await preparePause(connected(), request, interrupt);
    const result = await pauseCampaigns(connected(), prepared, interrupt);
    const journals = await readdir(join(place.folder, 'journal')).catch(() => []);
    expect(service.violations).toEqual([]);
    return { plan: prepared.plan, result, journals };
  });
}

const PAUSE = '/api/campaigns/1/pause';
const serviceOf = (...campaigns: StoredCampaign[]) =>
  openService(shaped({ launch: 'anything' }), { campaigns, templates: [] });

test.each([
  ['took effect', true],
  ['had none', false],
])('a pause without a response is repeated, because one reading proves little: it %s', async (_, effect) => {
  const service = serviceOf(active(1, 'Spring'));
  service.answerThen('PATCH', PAUSE, { reset: true, effect });
  const { result, journals } = await paused(service);
  expect(result.outcomes).toMatchObject([{ id: 1, result: 'paused' }]);
  expect(service.writes()).toHaveLength(2);
  expect(journals).toHaveLength(1);
});

/** A launch that an apply sent just before it died. */
const launching: PendingOperations = {
  ...{ run: 'r', at: '2026-11-02T09:00:00Z', who: 'ada', manifest: 'campaigns/spring.yaml', name: 'Spring' },
  ...{ id: 1, spec: 'sha256:', changes: [] },
  sent: [
    {
      step: step('status', { id: 'launch', path: '/api/campaigns/1/resume' }),
      ...{ at: '2026-11-02T09:00:00Z', age: 2_000, result: 'unknown', total_leads: null, visible_in: null },
    },
  ],
};

test.each([{}, { status: 'hidden' }] as const)(
  'a launch of an earlier run that takes effect after the pause is noticed: %j',
  async (shape) => {
    const service = openService(shaped({ launch: 'anything', ...shape }), {
      campaigns: [active(1, 'Spring')],
      templates: [],
    });
    let began: number | null = null;
    const onLook = (elapsed: number) => {
      const [spring] = service.store.campaigns;
      began ??= elapsed;
      if (spring !== undefined && elapsed - began > 20_000 && elapsed - began < 23_000)
        spring.status = 'active';
    };
    const { result } = await paused(service, { pending: [launching], onLook });
    expect(service.store.campaigns[0]?.status).toBe('paused');
    expect(result.outcomes).toMatchObject([{ id: 1, result: 'paused' }]);
  },
);

test('a refused pause is sent once and reported', async () => {
  const service = serviceOf(active(1, 'Spring'));
  service.answerThen('PATCH', PAUSE, { status: 422, body: { message: 'not now' }, effect: false });
  const { result, journals } = await paused(service);
  expect(result.outcomes).toMatchObject([{ result: 'refused', detail: expect.stringContaining('not now') }]);
  const closed = expect.not.stringContaining('open');
  expect({ writes: service.writes().length, journals }).toEqual({ writes: 1, journals: [closed] });
});

test('an accepted pause without effect is not reported as done', async () => {
  const service = serviceOf(active(1, 'Spring'));
  service.answerThen('PATCH', PAUSE, { status: 200, body: { data: { success: true } }, effect: false });
  const { result } = await paused(service);
  expect(result.outcomes).toMatchObject([{ result: 'running', status: 'active' }]);
});

test('a campaign that an apply launches meanwhile is paused as well', async () => {
  const service = serviceOf(active(1, 'Spring'), draft(2, 'Autumn'));
  let looks = 0;
  const held = async () => {
    looks += 1;
    const [, autumn] = service.store.campaigns;
    if (looks === 3 && autumn !== undefined) autumn.status = 'active';
    return looks < 6 ? ('ada' as const) : null;
  };
  const { plan, result } = await paused(service, { held });
  expect(plan.targets).toMatchObject([{ name: 'Spring' }]);
  expect(result.outcomes).toMatchObject([
    { name: 'Spring', result: 'paused' },
    { name: 'Autumn', result: 'paused' },
  ]);
  expect(result.apply).toBeNull();
});

test.each([
  ['another campaign', 'name: Spring\nstatus: paused\n', running('Autumn'), ['--allow', 'adopt']],
  [
    'the same campaign',
    'name: Spring\nstatus: paused\nsettings: { max_emails_per_day: 5 }\n',
    'name: Autumn\n',
    [],
  ],
])('an apply that is refused for %s names the command that pauses', (_, spring, autumn, allow) =>
  scene(
    [active(1, 'Spring'), draft(2, 'Autumn')],
    { 'campaigns/spring.yaml': spring, 'campaigns/autumn.yaml': autumn },
    async ({ service, run }) => {
      const refused = await run('apply --yes', ...allow);
      expect(refused.code).toBe(3);
      expect(oneLine(refused.err)).toContain('campaignctl pause "Spring" --env production');
      expect((await run('pause Spring --env production --yes')).code).toBe(0);
      expect(statuses(service)).toEqual(['Spring paused', 'Autumn draft']);
    },
  ),
);

test('a hundred pauses are not a mass change', () => {
  const names = Array.from({ length: 100 }, (_, at) => `Client ${at + 1}`);
  return scene(
    names.map((name, at) => active(at + 1, name)),
    { 'campaigns/all.yaml': names.map((name) => `name: ${name}\nstatus: paused\n`).join('---\n') },
    async ({ plan }) => expect((await plan()).problems).toEqual([]),
  );
});
