/** What was changed outside campaignctl behind our back is told from what was changed in the manifest. */
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Plan } from '../../../src/model/outputs.js';
import type { CampaignSpec } from '../../../src/model/spec.js';
import type { StateEntry } from '../../../src/model/state.js';
import { command, writeFiles } from '../../support/command.js';
import { startService, type TestService } from '../../support/service/service.js';
import { shaped } from '../../support/service/shape.js';
import type { StoredCampaign } from '../../support/service/store.js';
import { projectFiles, usedWorkspace } from './agency.js';

const shape = shaped({ reputation: 'shown', title: 'shown' });
let service: TestService;
let folder: string;
beforeAll(async () => {
  service = await startService(shape, usedWorkspace());
  folder = await mkdtemp(join(tmpdir(), 'campaignctl-'));
  await writeFiles(folder, projectFiles(service.url, shape));
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

const run = (...argv: string[]) => command(folder, argv);
const state = () => join(folder, '.campaignctl', 'state', 'production');

/** The text of every record, by file. */
async function entries(): Promise<Record<string, string>> {
  const files = (await readdir(state())).filter((name) => name.endsWith('.json'));
  const texts = await Promise.all(files.map((name) => readFile(join(state(), name), 'utf8')));
  return Object.fromEntries(files.map((name, index) => [name, texts[index] ?? '']));
}

/** What is remembered as last applied, a campaign each: its sections, and how. */
async function applied(): Promise<Record<string, unknown>> {
  const found = Object.values(await entries()).map(
    (text) => JSON.parse(text) as StateEntry & StateEntry['recorded'],
  );
  return Object.fromEntries(
    found.map(({ name, last }) => [name, last && [last.how, ...Object.keys(last.spec)]]),
  );
}

async function lastOf({ id }: StoredCampaign): Promise<CampaignSpec | undefined> {
  const record = JSON.parse(await readFile(join(state(), `${id}.json`), 'utf8')) as StateEntry['recorded'];
  return record.last?.spec;
}

/** Every change of a plan with whose it is. */
function origins(json: string): string[] {
  const { campaigns } = JSON.parse(json) as Plan;
  return campaigns.flatMap(({ name, changes }) =>
    changes.map(({ section, path, origin }) => `${name}: ${section} ${path} ${origin}`),
  );
}

function live(name: string): StoredCampaign {
  const found = service.store.campaigns.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no campaign ${name}`);
  return found;
}

async function edit(file: string, from: string, to: string): Promise<void> {
  const text = await readFile(join(folder, file), 'utf8');
  expect(text).toContain(from);
  await writeFile(join(folder, file), text.replace(from, to));
}

const ALL = {
  'Spring installers': ['apply', 'name', 'settings', 'schedule', 'sequence', 'leads', 'status'],
  'Office hours | by template': ['apply', 'name', 'schedule', 'sequence'],
  'Quiet one': ['apply', 'name', 'settings', 'status'],
};

test('before the first apply nothing can have been changed', async () => {
  const { code, out } = await run('plan', '--drift', '--detailed-exitcode');
  expect(code).toBe(0);
  expect(out).toBe(`Drift of production (${service.url})\n\n  Nothing was changed outside campaignctl.\n`);
});

test('an apply remembers what it has proven, and one with nothing to do writes nothing', async () => {
  const first = await run('apply', '--yes', '--allow', 'launch');
  expect(first.code, first.out + first.err).toBe(0);
  expect(await applied()).toEqual(ALL);
  // What the list shows after its own writes is noted by the next one.
  expect((await run('apply', '--yes')).code).toBe(0);
  const before = await entries();
  expect((await run('apply', '--yes')).code).toBe(0);
  expect(await entries()).toEqual(before);
});

test('a plan tells the service’s changes from the manifest’s, in every format', async () => {
  const spring = live('Spring installers');
  spring.settings.max_emails_per_day = 999;
  spring.settings.max_new_leads_per_day = 60;
  const goodbye = spring.steps.find(({ email_body }) => email_body.includes('Goodbye'));
  if (goodbye !== undefined) goodbye.email_body = '<p>Good riddance.</p>';
  live('Quiet one').status = 'active';
  await edit('campaigns/spring.yaml', 'max_new_leads_per_day: 50', 'max_new_leads_per_day: 70');
  await edit('campaigns/spring.yaml', 'open_tracking: true', 'open_tracking: false');

  const json = await run('plan', '--format', 'json');
  expect(origins(json.out)).toEqual([
    'Quiet one: status  service',
    'Spring installers: settings max_emails_per_day service',
    'Spring installers: settings max_new_leads_per_day both',
    'Spring installers: settings open_tracking manifest',
    'Spring installers: sequence steps[2].email_body service',
  ]);
  const day = /on \d{1,2} \p{L}+ \d{4}/u;
  const { out } = await run('plan');
  expect(out).toContain(
    '  1 to change, 1 blocked, 1 unchanged · 1 pause · 2 changed outside campaignctl · 1 to do by hand ·\n    2 requests\n',
  );
  expect(out.replaceAll(new RegExp(day, 'gu'), 'on DAY')).toContain(
    '    changed outside campaignctl since the last apply on DAY\n    status  active → paused\n',
  );
  expect(out).toContain('max_emails_per_day  999 → 200  (changed outside campaignctl)\n');
  expect(out).toContain(
    'max_new_leads_per_day  60 → 70  (changed in the manifest and outside campaignctl)\n',
  );
  expect(out).toContain('open_tracking  true → false\n');
  const markdown = await run('plan', '--format', 'markdown');
  expect(markdown.out).toMatch(
    /^### Plan for .* · 2 changed outside campaignctl · 1 to do by hand · 2 requests\n/,
  );
  expect(markdown.out).toContain('**Drift: 2 campaigns changed outside campaignctl**');
  expect(markdown.out).toContain('- max_emails_per_day: `999` → `200` (changed outside campaignctl)');
  const html = await run('plan', '--format', 'html');
  expect(html.out).toContain('Drift: 2 campaigns changed outside campaignctl');
  expect(html.out).toMatch(/Changed outside campaignctl since the last apply on \d/);
});

test('--drift shows only what was changed outside campaignctl, and sends and saves nothing', async () => {
  const json = await run('plan', '--drift', '--detailed-exitcode', '--format', 'json');
  const plan = JSON.parse(json.out) as Plan;
  expect(json.code).toBe(2);
  expect(origins(json.out)).toEqual([
    'Quiet one: status  service',
    'Spring installers: settings max_emails_per_day service',
    'Spring installers: settings max_new_leads_per_day both',
    'Spring installers: sequence steps[2].email_body service',
  ]);
  expect(plan).toMatchObject({ mode: 'drift', summary: { change: 2, unchanged: 1, requests: 0 } });
  expect(plan.campaigns.map(({ action, steps }) => [action, steps])).toEqual([
    ['drift', []],
    ['drift', []],
  ]);
  const { out } = await run('plan', '--drift');
  expect(out).toContain('\n  2 of 3 campaigns changed outside campaignctl\n  Each line: live value →');
  expect(out).not.toMatch(/open_tracking|not sent|LAUNCH|request|blocked|apply would/);
  expect((await run('plan', '--drift', '--format', 'markdown')).out).toMatch(
    /^### Drift of `production`: 2 of 3 campaigns changed outside campaignctl\n/,
  );
  const { out: page } = await run('plan', '--drift', '--format', 'html');
  expect(page).toContain('Good riddance');
  expect(page).not.toContain('open_tracking');
  const saved = await run('plan', '--drift', '--out', 'plan.json');
  expect(saved).toMatchObject({ code: 1, out: '', err: expect.stringContaining('[usage]') });
});

test('what is blocked stays as it was applied, what is sent is applied, and nothing is left to tell of it', async () => {
  const { code } = await run('apply', '--yes');
  expect(code).toBe(4);
  const left = await run('plan', '--drift', '--format', 'json');
  expect(origins(left.out)).toEqual(['Spring installers: sequence steps[2].email_body service']);
  const goodbye = live('Spring installers').steps.find(({ email_body }) => email_body.includes('riddance'));
  if (goodbye !== undefined) goodbye.email_body = '<p>Goodbye.</p>\n';
  expect((await run('plan', '--drift', '--detailed-exitcode')).code).toBe(0);
});

test('a change that the manifest takes over is applied with the next apply, which sends nothing', async () => {
  expect((await run('apply', '--yes')).code).toBe(0);
  live('Quiet one').settings.max_emails_per_day = 30;
  await edit('campaigns/others.yaml', 'max_emails_per_day: null', 'max_emails_per_day: 30');
  const before = await entries();
  const sent = service.writes().length;
  expect((await run('apply', '--yes')).code).toBe(0);
  const after = await entries();
  expect(service.writes()).toHaveLength(sent);
  expect(Object.keys(after).filter((file) => after[file] !== before[file])).toEqual([
    `${live('Quiet one').id}.json`,
  ]);
  live('Quiet one').settings.max_emails_per_day = 40;
  const drift = await run('plan', '--drift', '--format', 'json');
  expect(origins(drift.out)).toEqual(['Quiet one: settings max_emails_per_day service']);
  live('Quiet one').settings.max_emails_per_day = 30;
});

test('what is blocked, held, refused or ignored is not taken for applied', async () => {
  const quiet = live('Quiet one');
  await edit('campaigns/spring.yaml', '<p>Any news?</p>', '<p>News?</p>');
  await edit('campaigns/others.yaml', 'max_emails_per_day: 30', 'max_emails_per_day: 35');
  await edit('campaigns/others.yaml', 'status: paused', 'status: running');
  const refusal = { status: 422, body: { message: 'No.' }, effect: false };
  service.answerThen('PATCH', `/api/campaigns/${quiet.id}/update`, refusal);
  expect((await run('apply', '--yes', '--hold', 'launch')).code).toBe(4);
  const before = await lastOf(quiet);
  expect([before?.settings?.max_emails_per_day, before?.status]).toEqual([30, 'paused']);

  const ignored = { status: 200, body: {}, effect: false };
  service.answerThen('PATCH', `/api/campaigns/${quiet.id}/update`, ignored);
  expect((await run('apply', '--yes', '--hold', 'launch')).code).toBe(4);
  expect((await lastOf(quiet))?.settings?.max_emails_per_day).toBe(30);

  expect((await run('apply', '--yes', '--hold', 'launch')).code).toBe(4);
  const after = await lastOf(quiet);
  expect([after?.settings?.max_emails_per_day, after?.status]).toEqual([35, 'paused']);
  expect(origins((await run('plan', '--format', 'json')).out)).toEqual([
    'Quiet one: status  manifest',
    'Spring installers: sequence steps[1].email_body manifest',
  ]);
  await edit('campaigns/spring.yaml', '<p>News?</p>', '<p>Any news?</p>');
  await edit('campaigns/others.yaml', 'status: running', 'status: paused');
  await edit('campaigns/others.yaml', 'max_emails_per_day: 35', 'max_emails_per_day: 30');
  expect((await run('apply', '--yes')).code).toBe(0);
});

test('a name that was changed in the manifest is no drift; one that was changed outside campaignctl, or a campaign that is gone, is', async () => {
  const drift = () => run('plan', '--drift', '--detailed-exitcode');
  const quiet = live('Quiet one');
  await edit('campaigns/others.yaml', 'name: Quiet one', 'name: Calm one');
  const inManifest = await drift();
  expect(inManifest.code).toBe(0);
  expect(inManifest.out).not.toMatch(/~|\d of 3 campaigns/);
  expect(inManifest.out.replace(/\s+/g, ' ')).toContain(
    'There is no baseline for 1 manifest that has another name than its campaign: "Calm one"',
  );

  quiet.name = 'Loud one';
  const inBoth = await drift();
  expect(inBoth.code).toBe(2);
  expect(inBoth.out).toContain('~ Calm one  drift  renamed');

  await edit('campaigns/others.yaml', 'name: Calm one', 'name: Quiet one');
  const inService = await drift();
  expect([inService.code, inService.out]).toEqual([
    2,
    expect.stringContaining('~ Quiet one  drift  renamed'),
  ]);

  const at = service.store.campaigns.indexOf(quiet);
  service.store.campaigns.splice(at, 1);
  const gone = await drift();
  expect([gone.code, gone.out]).toEqual([2, expect.stringContaining('~ Quiet one  drift  missing')]);
  quiet.name = 'Quiet one';
  service.store.campaigns.splice(at, 0, quiet);
  expect((await drift()).code).toBe(0);
});

test('without a state it is said to be not known, until an apply has seen it', async () => {
  await rm(state(), { recursive: true });
  live('Quiet one').settings.max_emails_per_day = 40;
  const unknown = await run('plan', '--drift', '--detailed-exitcode');
  expect(unknown.code).toBe(0);
  expect(unknown.out).toContain('Nothing is known to have been changed outside campaignctl.');
  expect(unknown.out.replace(/\s+/g, ' ')).toContain(
    'There is no baseline for 3 campaigns that were never applied from here: "',
  );
  expect(origins((await run('plan', '--format', 'json')).out)).toContain(
    'Quiet one: settings max_emails_per_day null',
  );
  live('Quiet one').settings.max_emails_per_day = 30;
  const sent = service.writes().length;
  const adopted = await run('apply', 'campaigns/others.yaml', '--yes');
  expect([adopted.code, service.writes().length - sent]).toEqual([0, 0]);
  const { 'Spring installers': _spring, ...others } = ALL;
  expect(await applied()).toEqual(others);
});

test('a campaign that may be another one is not taken for applied', async () => {
  const { id } = live('Quiet one');
  const text = await readFile(join(state(), `${id}.json`), 'utf8');
  await writeFile(join(state(), `${id}.json`), text.replace(`"id": ${id},`, '"id": 900,'));
  await rename(join(state(), `${id}.json`), join(state(), '900.json'));
  const before = await entries();
  const refused = await run('apply', 'campaigns/others.yaml', '--yes');
  expect(refused.out).toContain('! missing');
  expect(await entries()).toEqual(before);
});
