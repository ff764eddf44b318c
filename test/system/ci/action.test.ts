import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FakeGithub, fakeGithub, TOKEN } from '../../platform/fake-github.js';
import { command } from '../../support/command.js';
import { PROGRAM } from '../../support/program.js';
import { git } from '../../support/repository.js';
import { action, has, ROOT } from './files.js';
import { ARTIFACTS, openRunner, type Runner } from './runner.js';

const NAME = 'campaignctl-plan-sandbox';
const MANIFEST = 'campaigns/spring.yaml';

let github: FakeGithub;
let runner: Runner;
beforeEach(async () => {
  github = await fakeGithub();
  runner = openRunner();
  await command(runner.project, ['init', '.']);
  install('node_modules/.bin/campaignctl', `exec '${process.execPath}' '${PROGRAM}' "$@"`);
});
afterEach(async () => {
  runner.close();
  await github.close();
});

/** A program that the project contains. */
function install(path: string, script: string): void {
  const file = join(runner.project, path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
}

function edit(from: string, to: string): void {
  const file = join(runner.project, MANIFEST);
  const text = readFileSync(file, 'utf8');
  if (!text.includes(from)) throw new Error(`The manifest does not hold "${from}".`);
  writeFileSync(file, text.replace(from, to));
}

/** The action on a pull request, with the program as a dependency of the project. */
function use(inputs: Record<string, string>, event = 'pull_request') {
  const env = {
    GITHUB_EVENT_NAME: event,
    GITHUB_EVENT_PATH: join(runner.project, '../event.json'),
    GITHUB_API_URL: github.url,
    GITHUB_REPOSITORY: 'acme/mailings',
    GITHUB_ACTIONS: 'true',
    CI: 'true',
  };
  writeFileSync(env.GITHUB_EVENT_PATH, JSON.stringify({ pull_request: { number: 12 } }));
  return runner.use({ version: 'installed', environment: 'sandbox', token: TOKEN, ...inputs }, env);
}

const UPLOAD = 'actions/upload-artifact@v7';
const CHECKS = ['names', 'actions/setup-node@v6', 'Install campaignctl', 'Validate'];

describe.skipIf(!has('bash'))('the action', () => {
  it('plans, comments, applies exactly that plan, and then reports no changes', async () => {
    const planned = await use({});
    expect(planned).toMatchObject({
      failed: null,
      ran: [...CHECKS, 'Plan', 'Summary', UPLOAD, 'Page', 'page', 'Comment'],
      outputs: {
        changes: 'true',
        'exit-code': '2',
        'plan-file': expect.stringContaining(`/${NAME}/plan.json`),
        'page-url': `${ARTIFACTS}/${NAME}.html`,
      },
    });
    expect(planned.summary).toMatch(/\S/);
    expect(readdirSync(join(runner.artifacts, NAME))).toEqual(['plan.json']);
    const page = readFileSync(join(runner.artifacts, `${NAME}.html`), 'utf8');
    expect([page.slice(0, 15), page.includes('Just an address is enough')]).toEqual([
      '<!doctype html>',
      true,
    ]);
    const before = github.remarks[0]?.body ?? '';
    expect([github.remarks.length, before.split('\n').filter(Boolean).slice(0, 3)]).toEqual([
      1,
      [
        '<!-- campaignctl:campaignctl.yaml:sandbox -->',
        expect.stringMatching(/^### Plan for `sandbox`: /),
        `**[Every email as it will look, on one page](<${ARTIFACTS}/${NAME}.html>)**`,
      ],
    ]);

    const applied = await use({ mode: 'apply' }, 'push');
    expect(applied).toMatchObject({
      failed: null,
      ran: [...CHECKS.slice(0, -1), 'actions/download-artifact@v7', 'Apply'],
      outputs: { changes: '', 'exit-code': '0' },
    });
    expect(applied.summary).toMatch(/^### Apply to `sandbox`: 1 created, 0 unchanged/);
    expect(applied.log).toContain(applied.summary);

    expect(await use({})).toMatchObject({ failed: null, outputs: { changes: 'false', 'exit-code': '0' } });
    expect(github.remarks).toHaveLength(1);
    expect(github.remarks[0]?.body).not.toBe(before);

    // In mode drift, it checks for changes made outside campaignctl.
    edit('max_emails_per_day: ', 'max_emails_per_day: 1');
    const arrived = github.arrived.length;
    const ended = await use({ mode: 'drift' }, 'schedule');
    expect(ended).toMatchObject({ failed: null, ran: [...CHECKS, 'Drift'], outputs: { 'exit-code': '0' } });
    expect(ended.summary).toContain('### Drift in `sandbox`: nothing ');
    expect(github.arrived).toHaveLength(arrived);
  });

  it('keeps the comments, plans and pages of two projects apart', async () => {
    mkdirSync(join(runner.project, '.git'));
    for (const project of ['clients/a', 'clients/b']) {
      await command(runner.project, ['init', project]);
      cpSync(join(runner.project, 'node_modules'), join(runner.project, project, 'node_modules'), {
        recursive: true,
      });
      expect(await use({ 'working-directory': project })).toMatchObject({ failed: null });
    }
    expect(github.remarks.map(({ body }) => [body.split('\n', 1)[0], /<(\S+)>/.exec(body)?.[1]])).toEqual(
      ['a', 'b'].map((project) => [
        `<!-- campaignctl:clients/${project}/campaignctl.yaml:sandbox -->`,
        `${ARTIFACTS}/${NAME}-clients-${project}.html`,
      ]),
    );
    const names = ['a', 'b'].flatMap((project) =>
      ['', '.html'].map((end) => `${NAME}-clients-${project}${end}`),
    );
    expect(readdirSync(runner.artifacts).toSorted()).toEqual(names);
    const applied = await use({ mode: 'apply', 'working-directory': 'clients/a' }, 'push');
    expect(applied).toMatchObject({ failed: null, outputs: { 'exit-code': '0' } });
  });

  it('warns of a shallow clone where the history matters', async () => {
    const { project } = runner;
    git(project, 'init', '-q');
    git(project, 'commit', '-q', '--allow-empty', '-m', 'First');
    git(project, 'commit', '-q', '--allow-empty', '-m', 'Second');
    expect((await use({})).log).not.toContain('Shallow clone');
    writeFileSync(join(project, '.git/shallow'), `${git(project, 'rev-parse', 'HEAD')}`);
    expect((await use({})).log).toContain('::warning title=Shallow clone::');
    expect((await use({ mode: 'validate' })).log).not.toContain('Shallow clone');
  });

  it('applies nothing once the manifests have changed, and launches only what is approved', async () => {
    edit('status: paused', 'status: running');
    await use({}, 'push');
    edit('max_emails_per_day: ', 'max_emails_per_day: 1');
    const applied = await use({ mode: 'apply' }, 'push');
    expect(applied).toMatchObject({ failed: 'Apply', outputs: { 'exit-code': '3' } });
    expect(applied.log).toContain('plan-manifests-changed');
    edit('max_emails_per_day: 1', 'max_emails_per_day: ');
    const refused = await use({ mode: 'apply' }, 'push');
    expect(refused).toMatchObject({ failed: 'Apply', outputs: { 'exit-code': '3' } });
    const launched = await use({ mode: 'apply', allow: 'mass-change\n launch="Spring *" \r\n' }, 'push');
    expect(launched).toMatchObject({ failed: null, outputs: { 'exit-code': '0' } });
    expect(launched.log).toContain('✓ launch the campaign');
    expect(github.arrived).toEqual([]);
  });

  it('stops at a manifest with an error in every mode', async () => {
    edit('max_emails_per_day: ', 'max_emails_per_dya: ');
    for (const mode of ['validate', 'plan']) {
      const ended = await use({ mode });
      expect(ended).toMatchObject({
        failed: 'Validate',
        ran: CHECKS,
        outputs: { 'exit-code': '1', changes: '' },
      });
    }
    expect(github.arrived).toEqual([]);
  });

  it('only validates in mode validate, without any token', async () => {
    const ended = await use({ mode: 'validate', environment: '(none)', token: '' });
    expect(ended).toMatchObject({ failed: null, ran: CHECKS, outputs: { 'exit-code': '0' } });
    expect(readdirSync(runner.artifacts)).toEqual([]);
  });

  it('fails if the comment is refused, and keeps the plan', async () => {
    const ended = await use({ token: 'another-token-of-a-test' });
    expect(ended).toMatchObject({ failed: 'Comment', outputs: { changes: 'true' } });
    expect(ended.log).not.toContain('another-token-of-a-test');
    expect(readdirSync(runner.artifacts)).toEqual([NAME, `${NAME}.html`]);
  });

  it('knows two kinds of reports', async () => {
    expect(await use({ report: 'html' })).toMatchObject({
      failed: 'names',
      log: expect.stringContaining('report is markdown or json'),
    });
  });

  it('knows four modes', async () => {
    expect(await use({ mode: 'destroy' })).toMatchObject({
      failed: 'names',
      log: expect.stringContaining('validate, plan, apply or drift'),
    });
  });

  it('refuses an empty input before anything else', async () => {
    const may = ['version', 'run-id', 'service-token', 'token', 'node-version'];
    const refused = Object.keys(action.inputs).filter((name) => !may.includes(name));
    for (const [at, input] of refused.entries()) {
      const ended = await use({ [input]: at % 2 === 0 ? '' : '  ' });
      expect([ended.failed, ended.ran]).toEqual(['names', ['names']]);
      expect(ended.log).toContain(`The input ${input} is empty.`);
    }
    const situation = { 'run-id': '', 'service-token': '', mode: 'validate' };
    expect(await use(situation)).toMatchObject({ failed: null });
  });

  it('passes each input on as one word, and never executes it', async () => {
    const hostile = `$(touch pwned) "; touch pwned; '; touch pwned; #\`touch pwned\``;
    install(
      'node_modules/.bin/campaignctl',
      'for word; do echo "$word" >> words.txt; test "$last" = --out && : > "$word"; last=$word; done; true',
    );
    const inputs = {
      environment: hostile,
      hold: `${hostile}\nlaunch="Fair follow-up"`,
      refresh: hostile,
      marker: hostile,
      next: hostile,
    };
    const planned = await use({ ...inputs, artifact: NAME });
    const names = [
      ...['launch="Fair follow-up"', "launch='Fair follow-up'", '  launch=Fair follow-up\t\r', ''],
      ...['launch="', 'launch=""', 'launch="a" "b"', "launch='$HOME \"'", `launch="${hostile}"`],
      ...['*', '--yes', '-- -x', '\\', '$(touch pwned)', '`touch pwned`', '; touch pwned', 'mass-change'],
    ];
    const applied = await use({ ...inputs, artifact: NAME, mode: 'apply', allow: names.join('\n') });
    const words = readFileSync(join(runner.project, 'words.txt'), 'utf8').replaceAll(
      /\/\S+\/temp-\w+/g,
      'TEMP',
    );
    expect([planned.failed, applied.failed, existsSync(join(runner.project, 'pwned'))]).toEqual([
      null,
      null,
      false,
    ]);
    expect(words.trim().split('\n')).toEqual([
      ...['validate', '--format', 'github', '--env', hostile],
      ...['plan', '--out', `TEMP/${NAME}/plan.json`, '--detailed-exitcode'],
      ...['--env', hostile, `--hold=${hostile}`, '--hold=launch=Fair follow-up', '--refresh', hostile],
      ...['show', `TEMP/${NAME}/plan.json`, '--format', 'markdown'],
      ...['show', `TEMP/${NAME}/plan.json`, '--format', 'html'],
      ...['comment', `TEMP/${NAME}/plan.json`, '--platform', 'github'],
      ...['--page', `${ARTIFACTS}/${NAME}.html`, '--marker', hostile],
      ...['--next', hostile],
      ...['apply', '--plan', `TEMP/${NAME}/plan.json`, '--yes'],
      ...['--format', 'markdown', '--env', hostile],
      ...Array(3).fill('--allow=launch=Fair follow-up'),
      ...['--allow=launch="', '--allow=launch=', '--allow=launch=a" "b', '--allow=launch=$HOME "'],
      ...[`--allow=launch=${hostile}`, '--allow=*', '--allow=--yes', '--allow=-- -x', '--allow=\\'],
      ...['--allow=$(touch pwned)', '--allow=`touch pwned`', '--allow=; touch pwned', '--allow=mass-change'],
    ]);
    for (const input of ['environment', 'artifact'])
      for (const end of ['\n', '\r'])
        expect(await use({ [input]: `x${end}plan-file=/tmp/other` })).toMatchObject({
          ran: ['names'],
          log: expect.stringContaining('have one line each'),
        });
    const artifact = `$(touch pwned)";touch pwned;'`;
    expect(await use({ artifact })).toMatchObject({ failed: null });
    expect(readdirSync(runner.artifacts)).toContain(artifact);
    expect(existsSync(join(runner.project, 'pwned'))).toBe(false);
  });

  it('by default, reads only what may have changed on pull requests, and everything on other events', async () => {
    install('node_modules/.bin/campaignctl', 'echo "$*" >> words.txt; touch "$3"; true');
    await use({ comment: 'false' });
    await use({ comment: 'false', refresh: 'all' });
    await use({ comment: 'false' }, 'push');
    await use({ mode: 'drift' });
    const words = readFileSync(join(runner.project, 'words.txt'), 'utf8').split('\n');
    const asked = words
      .filter((line) => line.startsWith('plan'))
      .map((line) => line.match(/--refresh .*/)?.[0]);
    expect(asked).toEqual(['--refresh changed', '--refresh all', undefined, undefined]);
  });

  it('runs the program in its release, without installing a package', async () => {
    const release = join(runner.project, '../release');
    cpSync(join(ROOT, 'dist'), join(release, 'dist'), { recursive: true });
    const ran = await runner.use({ mode: 'validate' }, { GITHUB_ACTION_PATH: release });
    expect([ran.failed, ran.ran.slice(0, 3), readdirSync(release)]).toEqual([
      null,
      CHECKS.slice(0, 3),
      ['dist'],
    ]);
  });

  it('fails if its commit contains no program, and installs only the requested version', async () => {
    install('bin/npm', 'echo "$PWD: npm $*" >> "$CALLS"');
    const calls = join(runner.project, 'calls.txt');
    const env = { PATH: `${join(runner.project, 'bin')}:${process.env.PATH}`, CALLS: calls };
    const bare = await runner.use({ mode: 'validate' }, { ...env, GITHUB_ACTION_PATH: runner.project });
    expect([bare.failed, bare.log]).toEqual([
      'Install campaignctl',
      expect.stringMatching(/^::error title=No program::/),
    ]);
    await runner.use({ mode: 'validate', version: 'campaignctl@1.2.3' }, env);
    const lines = readFileSync(calls, 'utf8')
      .replaceAll(/\S+\/temp-\w+/g, 'TEMP')
      .trim();
    expect(lines.replaceAll(runner.project, 'PROJECT').split('\n')).toEqual([
      'PROJECT: npm install --global --prefix TEMP/campaignctl --omit=dev --ignore-scripts -- campaignctl@1.2.3',
    ]);
  });

  it('applies only plans that its workflow has attested', async () => {
    expect(await use({ comment: 'false' })).toMatchObject({ failed: null });
    const signer = 'acme/mailings/.github/workflows/pull-request.yml';
    const log = join(runner.project, 'asked');
    const gh = (code: number) =>
      install('node_modules/.bin/gh', `echo "$GH_TOKEN $*" > '${log}'; exit ${code}`);
    gh(1);
    const refused = await use({ mode: 'apply', signer }, 'push');
    expect([refused.failed, refused.ran.includes('Apply')]).toEqual(['Verify the attestation', false]);
    expect(readFileSync(log, 'utf8')).toMatch(
      new RegExp(
        `^${TOKEN} attestation verify \\S+/plan.json --repo acme/mailings --signer-workflow ${signer}\n$`,
      ),
    );
    gh(0);
    expect(await use({ mode: 'apply', signer }, 'push')).toMatchObject({
      failed: null,
      outputs: { 'exit-code': '0' },
    });
  });
});
