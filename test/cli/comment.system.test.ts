import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type FakeGithub, fakeGithub, TOKEN } from '../platform/fake-github.js';
import { type FakeGitlab, fakeGitlab, TOKEN as GITLAB_TOKEN } from '../platform/fake-gitlab.js';
import { command, type Ended } from '../support/command.js';
import { withFolder } from '../support/folder.js';

let github: FakeGithub;
let gitlab: FakeGitlab;
beforeEach(async () => {
  [github, gitlab] = await Promise.all([fakeGithub(), fakeGitlab()]);
});
afterEach(async () => {
  await Promise.all([github.close(), gitlab.close()]);
});

/** A folder with the saved plan of a project that is new, applied, or applied and without one of its manifests. */
function withPlan(
  use: (folder: string) => Promise<void>,
  project: 'new' | 'applied' | 'removed' = 'new',
): Promise<void> {
  return withFolder(async (folder) => {
    await command(folder, ['init', '.']);
    if (project === 'removed') writeFileSync(join(folder, 'campaigns/other.yaml'), 'name: Other\n');
    if (project !== 'new') await command(folder, ['apply', '--yes', '--hold', 'launch']);
    if (project === 'removed') rmSync(join(folder, 'campaigns/spring.yaml'));
    expect(await command(folder, ['plan', '--out', 'plan.json'])).toMatchObject({ code: 0 });
    writeFileSync(join(folder, 'event.json'), JSON.stringify({ pull_request: { number: 12 } }));
    await use(folder);
  });
}

function comment(folder: string, words: string[], more: Record<string, string> = {}): Promise<Ended> {
  return commentOn(folder, ['plan.json', ...words], more);
}

function commentOn(folder: string, words: string[], more: Record<string, string> = {}): Promise<Ended> {
  const env = {
    GITHUB_API_URL: github.url,
    GITHUB_REPOSITORY: 'acme/mailings',
    GITHUB_EVENT_PATH: join(folder, 'event.json'),
    GITHUB_TOKEN: TOKEN,
    CI_API_V4_URL: gitlab.api,
    CI_PROJECT_ID: '77',
    CI_MERGE_REQUEST_IID: '5',
    GITLAB_TOKEN,
    ...more,
  };
  return command(folder, ['comment', ...words], env, () => 0);
}

it('puts a saved plan on the pull request of the workflow, under the marker of its environment', () =>
  withPlan(async (folder) => {
    expect(await comment(folder, ['--debug'])).toEqual({
      code: 0,
      out: expect.stringMatching(/ created: \S+\/acme\/mailings\/pull\/12#9000000000\n$/),
      err: [
        'GET /repos/acme/mailings/issues/12/comments?per_page=100&page=1 200',
        'POST /repos/acme/mailings/issues/12/comments 201',
        '',
      ].join('\n'),
    });
    expect(github.remarks[0]?.body).toMatch(/^<!-- campaignctl:campaignctl\.yaml:sandbox -->\n\S/);
    expect(github.remarks[0]?.body).toMatch(/\n<sub>Created \d{4}-\d\d-\d\d \d\d:\d\d UTC<\/sub>\n?$/);
    const run = { GITHUB_SERVER_URL: 'https://github.com', GITHUB_RUN_ID: '77' };
    await comment(folder, [], run);
    expect(github.remarks[0]?.body).toContain('](https://github.com/acme/mailings/actions/runs/77)');
    await comment(folder, [], { ...run, GITHUB_SERVER_URL: 'https://x.example/) [y](z' });
    expect(github.remarks[0]?.body).not.toContain('x.example');
    expect((await comment(folder, [])).out).toMatch(/ is already up to date: /);
    expect(github.remarks).toHaveLength(1);
  }));

it('is sent with the token of the platform, whatever origins may get that of a service', () =>
  withPlan(async (folder) => {
    expect(await comment(folder, [], { CAMPAIGNCTL_ORIGINS: '' })).toMatchObject({ code: 0 });
    expect(github.remarks).toHaveLength(1);
  }));

it('says what to do next, and links the manifests at their commit', () =>
  withPlan(async (folder) => {
    const run = { GITHUB_SERVER_URL: 'https://github.com', GITHUB_SHA: 'abc1234def' };
    await comment(folder, [], run);
    const body = github.remarks[0]?.body ?? '';
    expect(body).toMatch(/\n\*\*Next:\*\* .*Merge .* sandbox\.\n/);
    expect(body).toContain(
      '](<https://github.com/acme/mailings/blob/abc1234def/campaigns/spring.yaml>) | create',
    );
    await comment(folder, ['--next', 'Ask @ada to start the job.'], run);
    expect(github.remarks[0]?.body).toMatch(/@<!-- -->ada to start .*\n/);
    await comment(folder, [], { ...run, GITHUB_SERVER_URL: 'https://x.example/) [y](z' });
    expect(github.remarks[0]?.body).not.toContain('x.example');
  }));

it('links the page of the plan in its first lines, also for several projects', () =>
  withPlan(async (folder) => {
    await command(folder, ['plan', '--recursive', '--out', 'plans']);
    const link =
      '**[Every email as it will look, on one page](<https://ci.example/jobs/7/plan%20b%3E.html>)**';
    const page = ['--page', 'https://ci.example/jobs/7/plan b>.html'];
    for (const [file = '', heading] of [
      ['plan.json', /^### Plan for /],
      ['plans', /^### 1 project/],
    ]) {
      await commentOn(folder, [String(file), ...page]);
      const lines = github.remarks.at(-1)?.body.split('\n').filter(Boolean) ?? [];
      expect(lines.slice(1, 3)).toEqual([expect.stringMatching(heading ?? ''), link]);
    }
    expect(github.remarks).toHaveLength(2);
    const written = github.arrived.length;
    for (const address of [
      '',
      'plan.html',
      'javascript:alert(1)',
      'https://ci:secret@ci.example/plan.html',
    ]) {
      const ended = await comment(folder, [`--page=${address}`]);
      expect(ended).toMatchObject({ code: 1, out: '', err: expect.stringContaining('--page') });
      expect(ended.err).not.toContain('secret');
    }
    expect(github.arrived).toHaveLength(written);
  }));

it('repeats what the plan holds in the line on what to do next', () =>
  withPlan(async (folder) => {
    await command(folder, ['plan', '--hold', 'launch=Spring *', '--out', 'plan.json']);
    await comment(folder, []);
    expect(github.remarks[0]?.body).toMatch(
      /\n\*\*Next:\*\* .*Merge to apply to sandbox with --hold launch="Spring \\?\*"\.\n/,
    );
  }));

it('links no manifest that is not there', () =>
  withPlan(async (folder) => {
    rmSync(join(folder, 'campaigns/spring.yaml'));
    await comment(folder, [], { GITHUB_SERVER_URL: 'https://github.com', GITHUB_SHA: 'abc1234def' });
    expect(github.remarks[0]?.body).not.toContain('/blob/');
  }));

it('links to GitLab', () =>
  withPlan(async (folder) => {
    const run = {
      GITLAB_CI: 'true',
      CI_PROJECT_URL: 'https://gitlab.example/acme/mailings',
      CI_COMMIT_SHA: 'abc1234def',
    };
    await comment(folder, [], run);
    expect(gitlab.notes[0]?.body).toContain('/-/blob/abc1234def/campaigns/spring.yaml>)');
  }));

it.each(['github', 'gitlab'] as const)(
  'has on %s one comment for each project and each environment, wherever it is run',
  (platform) =>
    withFolder(async (folder) => {
      await mkdir(join(folder, '.git'));
      const first = (text = '') => text.split('\n', 1)[0];
      const heads = () => [...github.remarks, ...gitlab.notes].map(({ body }) => first(body));
      writeFileSync(join(folder, 'event.json'), JSON.stringify({ pull_request: { number: 12 } }));
      for (const project of ['clients/a', 'clients/b--c', 'Fair > é:1']) {
        await command(folder, ['init', project]);
        const file = join(folder, project, 'campaignctl.yaml');
        writeFileSync(
          file,
          `${readFileSync(file, 'utf8')}  other:\n    sandbox: {}\n    lead_lists: { installers: 12 }\n`,
        );
        for (const environment of ['sandbox', 'other']) {
          const words = ['plan', '-C', project, '--env', environment, '--out', `${environment}.json`];
          expect(await command(folder, words)).toMatchObject({ code: 0 });
        }
      }
      const plans = ['clients/a/sandbox', 'clients/b--c/sandbox', 'Fair > é:1/sandbox', 'clients/a/other'];
      const all = plans.map((plan) => [`${plan}.json`, '--platform', platform]);
      for (const words of all) expect((await commentOn(folder, words)).out).toMatch(/ was created/);
      expect(heads()).toEqual([
        '<!-- campaignctl:clients/a/campaignctl.yaml:sandbox -->',
        '<!-- campaignctl:clients/b&#45;-c/campaignctl.yaml:sandbox -->',
        '<!-- campaignctl:Fair&#32;&#62;&#32;&#233;&#58;1/campaignctl.yaml:sandbox -->',
        '<!-- campaignctl:clients/a/campaignctl.yaml:other -->',
      ]);
      const words = ['other.json', '--platform', platform, '-C', 'clients/a'];
      expect((await commentOn(folder, words)).out).toMatch(/ already up to date| was updated/);
      expect(heads()).toHaveLength(4);
    }),
);

it('tells of a project that is no longer in the checkout, even without changes', () =>
  withPlan(async (folder) => {
    await command(folder, ['plan', '--recursive', '--out', 'plans']);
    const list = join(folder, 'plans/campaignctl-plans.json');
    const saved = JSON.parse(readFileSync(list, 'utf8'));
    const lost = {
      ...{ project: 'clients/acorn', environment: 'production', base_url: 'https://send.example.com' },
      ...{ file: 'clients/acorn/campaignctl.yaml', remote: 'origin', branch: 'campaignctl/production' },
      ...{ removed_in: 'abcdef0123', campaigns: [{ id: 1, name: 'Spring', running: true }] },
    };
    for (const [projects, result] of [
      [[], /^No changes/],
      [[lost], / was created/],
    ] as const) {
      writeFileSync(list, JSON.stringify({ ...saved, projects: [], lost: { projects, unread: [] } }));
      expect((await commentOn(folder, ['plans'])).out).toMatch(result);
    }
    expect(github.remarks[0]?.body).toContain('clients/acorn: no project file any more');
  }));

it('has one comment for the projects of each folder', () =>
  withFolder(async (folder) => {
    await mkdir(join(folder, '.git'));
    writeFileSync(join(folder, 'event.json'), JSON.stringify({ pull_request: { number: 12 } }));
    for (const project of ['uk/a', 'de/a']) await command(folder, ['init', project]);
    for (const part of ['uk', 'de', '.']) {
      await command(join(folder, part), ['plan', '--recursive', '--out', 'plans']);
      expect((await commentOn(folder, [`${part}/plans`])).out).toMatch(/ was created/);
    }
    expect(github.remarks.map(({ body }) => body.split('\n', 1)[0])).toEqual([
      '<!-- campaignctl:uk/:* -->',
      '<!-- campaignctl:de/:* -->',
      '<!-- campaignctl:./:* -->',
    ]);
  }));

it('has a comment for each project that names a marker', () =>
  withPlan(async (folder) => {
    await comment(folder, []);
    await comment(folder, ['--marker', 'clients/pier-street']);
    await comment(folder, ['--marker', 'clients/pier-street']);
    expect(github.remarks.map(({ body }) => body.split('\n', 1)[0])).toEqual([
      '<!-- campaignctl:campaignctl.yaml:sandbox -->',
      '<!-- campaignctl:campaignctl.yaml:sandbox:clients/pier-street -->',
    ]);
    for (const marker of ['a --> b', 'a--b', '-', 'a b', 'é']) {
      expect(await comment(folder, [`--marker=${marker}`])).toMatchObject({ code: 1, out: '' });
    }
  }));

it('comments on the merge request of a GitLab pipeline', () =>
  withPlan(async (folder) => {
    const ended = await comment(folder, [], { GITLAB_CI: 'true' });
    expect(ended).toEqual({
      code: 0,
      out: expect.stringMatching(/ 5 .* 77 .*created\n$/),
      err: '',
    });
    expect(gitlab.notes).toHaveLength(1);
    expect(github.arrived).toEqual([]);
  }));

it('creates no comment for a plan without changes', () =>
  withPlan(async (folder) => {
    expect((await comment(folder, [])).out).toMatch(/^No changes, .* 12 of acme\/mailings /);
    expect(github.remarks).toEqual([]);
  }, 'applied'));

it('creates no comment for a plan with nothing but tasks to do by hand', () =>
  withPlan(async (folder) => {
    const file = join(folder, 'campaigns/spring.yaml');
    const text = readFileSync(file, 'utf8').replace('status: paused', 'status: running');
    writeFileSync(file, text.replace(/^name: (.*)$/m, 'name: $1 v2\nreplaces: $1'));
    await command(folder, ['apply', '--yes', '--allow', 'launch', '--allow', 'shared-leads']);
    const { out } = await command(folder, ['plan', '--out', 'plan.json']);
    expect(out).toContain('No changes, but 1 task is left to do by hand.');
    expect((await comment(folder, [])).out).toMatch(/ has no comment to update/);
    expect(github.remarks).toEqual([]);
  }, 'applied'));

it.each(['github', 'gitlab'] as const)(
  'creates one on %s if a removed campaign is the only news',
  (platform) =>
    withPlan(async (folder) => {
      const ended = await comment(folder, ['--platform', platform]);
      expect(ended).toMatchObject({ code: 0, out: expect.stringMatching(/ was created/), err: '' });
      const bodies = [...github.remarks, ...gitlab.notes].map(({ body }) => body);
      expect(bodies).toEqual([expect.stringMatching(/Without a manifest: 1 [\s\S]*Spring installers/)]);
      expect((await comment(folder, ['--platform', platform])).out).toMatch(/ is already up to date/);
    }, 'removed'),
);

it('lists unread campaigns even in a plan without changes', () =>
  withPlan(async (folder) => {
    await command(folder, ['apply', '--yes', '--refresh', 'changed']);
    const changed = ['plan', '--refresh', 'changed', '--out', 'plan.json'];
    expect(await command(folder, changed)).toMatchObject({ code: 0 });
    expect((await comment(folder, [])).out).toContain('1 campaign was not read');
  }, 'applied'));

it('fails with what is missing, and never shows the token', () =>
  withPlan(async (folder) => {
    const wrong = await comment(folder, ['--debug'], { GITHUB_TOKEN: 'another-token-of-a-test' });
    expect(wrong).toMatchObject({ code: 1, out: '', err: expect.stringContaining('GITHUB_TOKEN') });
    expect(wrong.err).not.toContain('another-token-of-a-test');
    expect(await comment(folder, ['--number', '13'])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/404:\s+"Not Found"[\s\S]*pull-requests: write/),
    });
    expect(await comment(folder, [], { GITHUB_EVENT_PATH: '' })).toMatchObject({
      code: 1,
      err: expect.stringContaining('pull request'),
    });
  }));

it('refuses a file that is not a plan', () =>
  withPlan(async (folder) => {
    writeFileSync(join(folder, 'plan.json'), '{}');
    expect(await comment(folder, [])).toMatchObject({
      code: 1,
      err: expect.stringContaining('[plan-file-unusable]'),
    });
    expect(github.arrived).toEqual([]);
  }));
