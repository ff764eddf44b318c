import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openPlace } from '../../src/operations/place.js';
import { systemClock } from '../../src/service/clock.js';
import type { Wire } from '../../src/service/wire.js';
import { fakeClock } from '../support/clock.js';
import { command } from '../support/command.js';
import { type Project, withProject } from '../support/project.js';
import { replaceGit } from '../support/repository.js';
import { TOKEN } from '../support/service/service.js';
import { draft, type StoredCampaign } from '../support/service/store.js';
import { wireTo } from '../support/service/wire.js';
import { keepOnBranch, stateKeys } from '../support/state.js';

const NAMES = ['Spring', 'Summer', 'Autumn'];
const FILES = Object.fromEntries(
  NAMES.map((name) => [
    `campaigns/${name.toLowerCase()}.yaml`,
    `name: ${name}\nsettings: { open_tracking: true }\n`,
  ]),
);
const APPLY = 'apply --yes --allow adopt --allow reset-unreadable';
const live = (): StoredCampaign[] => NAMES.map((name, at) => draft(at + 1, name));

/** Runs a command line against a service that takes `took` milliseconds for each response. */
async function watch(
  { folder, service }: Pick<Project, 'folder' | 'service'>,
  line: string,
  { took = 0, isTTY = false, clock = { ...fakeClock(), now: Date.now } } = {},
) {
  const wire = wireTo(service, service.url);
  const slow: Wire = {
    ...wire,
    async exchange(...sent) {
      await clock.sleep(took);
      return wire.exchange(...sent);
    },
    // A command may open several services.
    async close() {},
  };
  const env = { CAMPAIGNS_TOKEN: TOKEN };
  const ended = await command(folder, line.split(' '), env, undefined, { wire: slow, isTTY, clock });
  const lines = ended.err.split('\r\u001b[K').flatMap((part) => part.split('\n'));
  return { ...ended, lines: lines.filter((text) => text !== '') };
}

const withThree = (use: (project: Project) => Promise<void>, environment = '') =>
  withProject({ campaigns: live(), files: FILES, environment }, use);

describe('on a terminal', () => {
  it.each([
    ['plan', 'Reading campaigns: 3 of 3'],
    ['list', 'Reading the list of campaigns: 3'],
    ['import --update --all', 'Reading campaigns: 3 of 3'],
    ['apply --dry-run', 'Reading campaigns: 3 of 3'],
    [APPLY, 'Sending requests: 3 of 3 · '],
  ])('%s shows how far it is', (line, last) =>
    withThree(async (project) => {
      const { code, err, lines } = await watch(project, line, { took: 1_500, isTTY: true });
      expect(code, err).toBe(0);
      expect(
        lines.filter((text) => text.startsWith(last)),
        err,
      ).not.toEqual([]);
    }),
  );

  it('import shows how many campaigns it has read', () =>
    withProject({ campaigns: live() }, async (project) => {
      const { lines } = await watch(project, 'import --all', { took: 1_500, isTTY: true });
      expect(lines).toContain('Reading campaigns: 0 of 3');
      expect(lines).toContain('Reading campaigns: 3 of 3');
    }));

  it('several projects are counted', () =>
    withThree(async (project) => {
      await project.write({
        'b/campaignctl.yaml': await project.read('campaignctl.yaml'),
        'b/campaigns/winter.yaml': 'name: Winter\n',
      });
      const { lines } = await watch(project, 'list --recursive', { took: 1_500, isTTY: true });
      const words = 'Reading the list of campaigns';
      expect(lines).toEqual([
        `Project 1 of 2 · . (production) · ${words}`,
        `Project 1 of 2 · . (production) · ${words}: 3 of 3`,
        `Project 2 of 2 · b (production) · ${words}`,
        `Project 2 of 2 · b (production) · ${words}: 3 of 3`,
      ]);
    }));

  it('a fast command shows nothing', () =>
    withThree(async (project) => {
      expect((await watch(project, 'list', { isTTY: true })).err).toBe('');
    }));

  it('the line is gone before the result, also as JSON, and before an error', () =>
    withThree(async (project) => {
      const shown = { took: 1_500, isTTY: true };
      expect((await watch(project, 'plan --json', shown)).err).toMatch(/\r\u001b\[K$/);
      project.service.answerThen('GET', '/api/campaigns/3', { status: 401, body: {}, effect: false });
      const { code, err } = await watch(project, 'plan', shown);
      expect(code).toBe(1);
      expect(err).toContain('[no-access]');
    }));
});

it('without a terminal, a command that makes progress says nothing', () =>
  withThree(async (project) => {
    for (const line of ['plan', 'list', 'apply --dry-run'])
      expect((await watch(project, line, { took: 1_500 })).err).not.toMatch(/Reading|\r/);
  }));

describe('whether or not there is a terminal', () => {
  it.each([true, false])('a slow response is announced, with its URL: %s', (isTTY) =>
    withThree(async (project) => {
      const { lines } = await watch(project, 'list', { took: 5_000, isTTY });
      expect(lines).toContain(
        `Still waiting for GET ${project.service.url}/api/campaigns?page=1 (2 s; tries again after 30 s).`,
      );
    }),
  );

  it('so is a 429', () =>
    withThree(async (project) => {
      const limit = { status: 429, body: { retry_after: 12 }, effect: false };
      project.service.answerThen('GET', '/api/campaigns', limit);
      const { err } = await watch(project, 'list');
      expect(err).toBe(
        'Waiting 12 s: the service answered with status 429 (too many requests) and asks for this wait.\n',
      );
    }));

  it('so is the rate limit, once', () =>
    withThree(async (project) => {
      const { err } = await watch(project, 'plan');
      expect(
        err.match(/^The limit of 6 requests a minute .*: the next \d+ requests take about \d+ s\.$/gm),
      ).toHaveLength(1);
    }, '    limits: { requests_per_minute: 6 }\n'));

  it('so is an effect that the service shows late', () =>
    withThree(async (project) => {
      const clock = fakeClock();
      project.service.behave({ lag: 12_000 }, clock.elapsed);
      const { code, err } = await watch(project, APPLY, { clock });
      expect(code, err).toBe(0);
      expect(err).toMatch(
        /^Waiting up to 58 s for the service to show what was sent \((Spring|Summer|Autumn)\)\.$/m,
      );
    }));

  it('so is the lock', () =>
    withThree(async (project) => {
      const { folder } = project;
      const world = { cwd: folder, env: {}, now: Date.now, clock: systemClock, err() {} };
      const place = await openPlace({ config: null, env: 'production', debug: false }, world);
      const { signal } = new AbortController();
      const lease = await place.backend.acquire({ who: 'ada', timeout: 0, waiting() {}, signal });
      const { code, err } = await project.run('apply --yes --lock-timeout 3');
      await lease.end();
      expect(code).toBe(1);
      expect(err).toMatch(
        /^Waiting up to \d s for another apply to production \(ada, process \d+ on .*\)\.\n/,
      );
    }));

  it('so is git', () =>
    withThree(async (project) => {
      const { folder } = project;
      keepOnBranch(folder);
      replaceGit(join(folder, '.git/programs'), 'case "$*" in *fetch*) sleep 3;; esac');
      const { code, err } = await project.run('list');
      expect(code, err).toBe(0);
      expect(err).toMatch(/^Still waiting for git fetch, remote origin \(\d s; gives up after 60 s\)\.\n$/);
    }, stateKeys('on a branch')));
});

describe('pause', () => {
  const sending = () => live().map((campaign) => ({ ...campaign, status: 'active' }));
  const withSending = (use: (project: Project) => Promise<void>) =>
    withProject({ campaigns: sending(), files: FILES, shape: { launch: 'anything' } }, use);

  it('announces that it waits for the service to show the pauses', () =>
    withSending(async (project) => {
      for (let times = 0; times < 200; times += 1)
        project.service.answerThen('PATCH', '/api/campaigns/1/pause', {
          status: 200,
          body: {},
          effect: false,
        });
      const { code, lines } = await watch(project, 'pause Spring --yes');
      expect(code).toBe(4);
      expect(lines).toEqual(['Waiting up to 58 s for the service to show the pauses (production).']);
    }));

  it('announces that it waits for an apply at work', () =>
    withSending(async (project) => {
      const id = '0b8e5c1e-6f3f-4c9e-9f0e-0d4b0e1c2a3b';
      const place = { host: 'another', pid: 7, space: null, started: null };
      const holder = { id, who: 'ada', ...place, at: new Date().toISOString() };
      await project.write({ [`.campaignctl/state/production/lock/${id}.json`]: JSON.stringify(holder) });
      const { code, lines } = await watch(project, 'pause Spring --yes');
      expect(code).toBe(4);
      expect(lines).toEqual([
        'Waiting up to 58 s for another apply to end, because it may launch campaigns (production).',
      ]);
    }));

  it('says nothing if it is done at once, and shows no progress', () =>
    withSending(async (project) => {
      const { code, err } = await watch(project, 'pause Spring --yes', { isTTY: true });
      expect([code, err]).toEqual([0, '']);
    }));
});
