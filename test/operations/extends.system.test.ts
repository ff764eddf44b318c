/** A client whose project file extends the file of an agency, in a git repository. */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { CommandError } from '../../src/model/reports.js';
import { command, type Ended, writeFiles } from '../support/command.js';
import { withFolder } from '../support/folder.js';
import { git } from '../support/repository.js';
import { oneLine } from '../support/texts.js';

const AGENCY = `# The rules of all clients.
defaults:
  allow: [no-leads, launch]
  capacity: 500
policies:
  caps: { range: { settings.max_emails_per_day: { max: 300 } } }
`;
const FILES = {
  'agency.yaml': AGENCY,
  'clients/acme/campaignctl.yaml':
    'version: 1\nextends: ../../agency.yaml\nmanifests: [campaigns/*.yaml]\nenvironments: { sandbox: { sandbox: {}, capacity: 700 } }\n',
  'clients/acme/campaigns/spring.yaml':
    'name: Spring\nsettings: { max_emails_per_day: 200 }\nschedule: { days: [monday], start_time: "09:00", end_time: "17:00", timezone: Europe/Paris }\nsequence: { title: A, steps: [{ email_subject: Hi, email_body: Hello, wait_in_days: 1 }] }\nstatus: running\n',
};

interface Scene {
  folder: string;
  run(line: string): Promise<Ended>;
  write(files: Record<string, string>): Promise<void>;
  commit(): void;
}

function scene(use: (scene: Scene) => Promise<void>): Promise<void> {
  return withFolder(async (folder) => {
    git(folder, 'init', '-q');
    const at: Scene = {
      folder,
      run: (line) => command(join(folder, 'clients/acme'), line.split(' '), {}),
      write: (files) => writeFiles(folder, files),
      commit() {
        git(folder, 'add', '-A');
        git(folder, 'commit', '-qm', 'Change');
      },
    };
    await at.write({ ...FILES, '.gitignore': '.campaignctl\nplan.json\n' });
    at.commit();
    await use(at);
  });
}

it('names the file in which a hazard is accepted', () =>
  scene(async ({ run }) => {
    expect((await run('plan')).out).toContain('../../agency.yaml:3');
  }));

it('is named from where the reader is, as all files are', () =>
  scene(async ({ folder }) => {
    for (const line of ['plan --recursive', 'plan --recursive -f markdown', 'apply --recursive --yes']) {
      const { code, out } = await command(folder, line.split(' '), {});
      expect(code).toBe(0);
      expect(out).toContain('Accepted by agency.yaml:3.');
      expect(out).toContain('clients/acme/campaigns/spring.yaml');
      expect(out).not.toMatch(/\.\.\/|(?<!acme\/)campaigns\//);
    }
    await writeFiles(folder, { 'clients/acme/campaigns/fair.yaml': 'name: Fair\n' });
    const { out } = await command(folder, ['apply', '--recursive', '--yes', '-f', 'markdown'], {});
    expect(out).not.toMatch(/(?<!acme\/)campaigns\//);
  }));

it('is named by --debug', () =>
  scene(async ({ run }) => {
    expect((await run('plan --debug')).err).toMatch(/^campaignctl\.yaml extends \.\.\/\.\.\/agency\.yaml\n/);
  }));

it('makes a saved plan stale only if a value changes that the environment uses', () =>
  scene(async ({ run, write }) => {
    expect((await run('plan --out plan.json')).code).toBe(0);
    await write({ 'agency.yaml': AGENCY.replace('500', '600').replace('# The', '\n# The') });
    expect((await run('apply --plan plan.json --dry-run')).code).toBe(0);
    await write({ 'agency.yaml': AGENCY.replace('no-leads, ', '') });
    const { code, err } = await run('apply --plan plan.json --dry-run');
    expect([code, oneLine(err)]).toEqual([
      3,
      expect.stringContaining(
        'The project file campaignctl.yaml or ../../agency.yaml, which it extends, has changed since the plan was made',
      ),
    ]);
  }));

it('breaks policies of the extended file', () =>
  scene(async ({ run, write }) => {
    await write({ 'agency.yaml': AGENCY.replace('300', '100') });
    const { code, out } = await run('validate');
    expect([code, out]).toEqual([1, expect.stringContaining('[policy/caps]')]);
  }));

it.each([
  ['clean', FILES['agency.yaml'], / [0-9a-f]{8} /],
  ['dirty', `${AGENCY}# later\n`, / [0-9a-f]{8}\+ /],
])('counts as a file of the project when it is %s', (_, agency, commit) =>
  scene(async ({ run, write }) => {
    await write({ 'agency.yaml': agency });
    expect((await run('apply --yes')).code).toBe(0);
    expect((await run('history')).out).toMatch(commit);
  }),
);

it('does not keep pause from stopping a campaign, even if it is broken or missing', () =>
  scene(async ({ folder, run, write }) => {
    expect((await run('apply --yes')).code).toBe(0);
    await write({ 'agency.yaml': 'defaults: {\n' });
    const paused = await run('pause Spring --yes');
    expect([paused.code, paused.out, oneLine(paused.err)]).toEqual([
      0,
      expect.stringContaining('Spring'),
      expect.stringContaining(
        'warning: ../../agency.yaml, which the project file campaignctl.yaml extends, has an error. pause uses neither policies nor the file under `extends`.',
      ),
    ]);
    await rm(join(folder, 'agency.yaml'));
    expect((await run('pause --all --yes')).code).toBe(0);
    expect((await run('plan')).code).toBe(1);
  }));

it.each([
  'policies: { caps: 3 }',
  'policies: { caps: { match: { settings.unsubscribe_text: "(" } } }',
  'lint: { liqid: off }',
])('does not keep pause from stopping a campaign, although the project file has %s', (rules) =>
  scene(async ({ run, write }) => {
    expect((await run('apply --yes')).code).toBe(0);
    const file = 'clients/acme/campaignctl.yaml';
    await write({ [file]: `${FILES[file]}${rules}\n` });
    const paused = await run('pause Spring --yes');
    expect([paused.code, paused.out, oneLine(paused.err)]).toEqual([
      0,
      expect.stringContaining('✓ Spring'),
      expect.stringContaining(
        'warning: The project file campaignctl.yaml has an error. pause uses neither policies nor the file under `extends`.',
      ),
    ]);
    expect((await run('plan')).code).toBe(1);
  }),
);

it('is reported once for all projects', () =>
  scene(async ({ folder, write }) => {
    const other = FILES['clients/acme/campaignctl.yaml'];
    await write({
      'agency.yaml': `${AGENCY}lint: { liqid: off }\n`,
      'clients/brightmoor/campaignctl.yaml': other,
      'clients/ledgerline/campaignctl.yaml': `${other}lint: { liqid: off }\n`,
    });
    const all = async (format: string) =>
      (await command(folder, ['validate', '--recursive', ...format.split(' ')], {})).out;
    const report = `\n${await all('--format text')}`.split('\n━━ ').slice(1);
    expect(report.map((block) => block.split('\n').slice(0, 3).join('|').replace(/━+/, '━'))).toEqual([
      '2 projects ━||clients/acme, clients/brightmoor',
      expect.stringMatching(/^clients\/ledgerline ━/),
    ]);
    expect(report[0]?.match(/^agency\.yaml:7:/gm)).toHaveLength(1);
    expect(report[1]).toMatch(/^clients\/ledgerline\/campaignctl\.yaml:5:/m);
    const { runs } = JSON.parse(await all('--format sarif'));
    const places = runs[0].results.map(({ locations }: { locations: SarifLocation[] }) =>
      locations.map(({ physicalLocation: at }) => `${at.artifactLocation.uri}:${at.region.startLine}`),
    );
    expect(places).toEqual([['agency.yaml:7'], ['clients/ledgerline/campaignctl.yaml:5']]);
    const { projects } = JSON.parse(await all('--json'));
    expect(
      projects.map(({ error }: { error: CommandError }) => [error.code, error.findings[0]?.file]),
    ).toEqual([
      ['invalid-project', 'agency.yaml'],
      ['invalid-project', 'agency.yaml'],
      ['invalid-project', 'clients/ledgerline/campaignctl.yaml'],
    ]);
  }));

interface SarifLocation {
  physicalLocation: { artifactLocation: { uri: string }; region: { startLine: number } };
}

it('is not changed by an import, which gives the environment its own list of variables', () =>
  scene(async ({ folder, run, write }) => {
    const manifest = FILES['clients/acme/campaigns/spring.yaml'];
    const known = AGENCY.replace('defaults:', 'defaults:\n  custom_variables: [COMPANY]');
    await write({ 'clients/acme/campaigns/spring.yaml': manifest.replace('Hello', '"Hello {FOO}"') });
    expect((await run('apply --yes')).code).toBe(0);
    await rm(join(folder, 'clients/acme/campaigns/spring.yaml'));
    await write({ 'agency.yaml': known });
    expect((await run('import --all')).code).toBe(0);
    const read = (file: string) => readFile(join(folder, file), 'utf8');
    expect(await read('agency.yaml')).toBe(known);
    expect(await read('clients/acme/campaignctl.yaml')).toContain('custom_variables: [COMPANY, FOO]');
    expect((await run('plan --detailed-exitcode')).code).toBe(0);
  }));
