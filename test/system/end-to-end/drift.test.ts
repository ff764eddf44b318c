/** Distinguishes changes made outside campaignctl from changes of the manifest. */
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Plan } from '../../../src/model/outputs.js';
import { type Project, withProject } from '../../support/project.js';
import { shaped } from '../../support/service/shape.js';
import { projectFiles, usedWorkspace } from './agency.js';

const SHAPE = shaped({ reputation: 'shown', title: 'shown' });
const STATE = '.campaignctl/state/production';
const SPRING = 'campaigns/spring.yaml';
const OTHERS = 'campaigns/others.yaml';

function withAgency(use: (project: Project) => Promise<void>): Promise<void> {
  const files = projectFiles('{url}', SHAPE);
  return withProject({ shape: SHAPE, ...usedWorkspace(), files }, use);
}

/** After everything was applied. */
const withApplied = (use: (project: Project) => Promise<void>) =>
  withAgency(async (project) => {
    await project.exits(0, 'apply --yes --allow launch');
    // The next apply records the list as it is after the last write.
    await project.exits(0, 'apply --yes');
    project.sent();
    await use(project);
  });

/** After an apply, with changes on either side. */
const withDrift = (use: (project: Project) => Promise<void>) =>
  withApplied(async (project) => {
    const { edit, live } = project;
    const spring = live('Spring installers');
    spring.settings.max_emails_per_day = 999;
    spring.settings.max_new_leads_per_day = 60;
    changeBody(project, 'Goodbye', '<p>Good riddance.</p>');
    live('Quiet one').status = 'active';
    await edit(SPRING, 'max_new_leads_per_day: 50', 'max_new_leads_per_day: 70');
    await edit(SPRING, 'open_tracking: true', 'open_tracking: false');
    await use(project);
  });

function changeBody({ live }: Project, word: string, body: string): void {
  const step = live('Spring installers').steps.find(({ email_body }) => email_body.includes(word));
  if (step === undefined) throw new Error(`no email has the word ${word}`);
  step.email_body = body;
}

/** The text of every entry, by file. */
async function entries({ folder }: Project): Promise<Record<string, string>> {
  const files = (await readdir(join(folder, STATE))).filter((name) => name.endsWith('.json'));
  const texts = await Promise.all(files.map((name) => readFile(join(folder, STATE, name), 'utf8')));
  return Object.fromEntries(files.map((name, index) => [name, texts[index] ?? '']));
}

/** The sections recorded as last applied, and how, by campaign. */
async function applied({ state }: Project): Promise<Record<string, unknown>> {
  const all = await state().readAll();
  return Object.fromEntries(
    all.map(({ name, recorded: { last } }) => [name, last && [last.how, ...Object.keys(last.spec)]]),
  );
}

async function lastSpec({ live, state }: Project, name: string) {
  const all = await state().readAll();
  return all.find(({ id }) => id === live(name).id)?.recorded.last?.spec;
}

/** Every change of a plan with its origin. */
function origins({ campaigns }: Plan): string[] {
  return campaigns.flatMap(({ name, changes }) =>
    changes.map(({ section, path, origin }) => `${name}: ${section} ${path} ${origin}`),
  );
}

const ALL = {
  'Spring installers': ['apply', 'name', 'settings', 'schedule', 'sequence', 'leads', 'status'],
  'Office hours | by template': ['apply', 'name', 'schedule', 'sequence'],
  'Quiet one': ['apply', 'name', 'settings', 'status'],
};
const DRIFT = 'plan --drift --detailed-exitcode';

test('before the first apply, nothing can have drifted', () =>
  withAgency(async ({ exits, service }) => {
    expect((await exits(0, DRIFT)).out).toMatch(
      new RegExp(`^.*production \\(${service.url}\\)\n\n  Nothing .*\n$`),
    );
  }));

test('an apply records what it has proven, and one with nothing to do writes nothing', () =>
  withApplied(async (project) => {
    expect(await applied(project)).toEqual(ALL);
    const before = await entries(project);
    await project.exits(0, 'apply --yes');
    expect(await entries(project)).toEqual(before);
  }));

test('a plan distinguishes changes of the service from those of the manifest; --drift shows only the former, and sends and saves nothing', () =>
  withDrift(async ({ exits, plan, run, sent }) => {
    const all = [
      'Quiet one: status  service',
      'Spring installers: settings max_emails_per_day service',
      'Spring installers: settings max_new_leads_per_day both',
      'Spring installers: settings open_tracking manifest',
      'Spring installers: sequence steps[2].email_body service',
    ];
    expect(origins(await plan())).toEqual(all);
    expect((await run('plan')).out).toMatch(/max_new_leads_per_day {2}60 → 70 {2}\(.*manifest and outside/);
    await exits(2, DRIFT);
    const drift = await plan('--drift');
    expect(origins(drift)).toEqual(all.filter((line) => !line.endsWith(' manifest')));
    expect(drift).toMatchObject({ mode: 'drift', summary: { change: 2, unchanged: 1, requests: 0 } });
    expect(drift.campaigns.map(({ action, steps }) => [action, steps])).toEqual([
      ['drift', []],
      ['drift', []],
    ]);
    const { out } = await run('plan --drift');
    expect(out).not.toMatch(/open_tracking|not sent|LAUNCH|request|blocked|apply would/);
    const { out: page } = await run('plan --drift --format html');
    expect(page).toContain('Good riddance');
    expect(page).not.toContain('open_tracking');
    expect(sent()).toEqual([]);
  }));

test('blocked changes keep the applied value recorded, sent changes are recorded as applied, and no drift remains', () =>
  withDrift(async (project) => {
    const { exits, plan } = project;
    await exits(4, 'apply --yes');
    expect(origins(await plan('--drift'))).toEqual([
      'Spring installers: sequence steps[2].email_body service',
    ]);
    changeBody(project, 'riddance', '<p>Goodbye.</p>\n');
    await exits(0, DRIFT);
    await exits(0, 'apply --yes');
  }));

test('a change that the manifest takes over is applied with the next apply, which sends nothing', () =>
  withApplied(async (project) => {
    const { edit, exits, live, plan, sent } = project;
    const quiet = live('Quiet one');
    quiet.settings.max_emails_per_day = 30;
    await edit(OTHERS, 'max_emails_per_day: null', 'max_emails_per_day: 30');
    const before = await entries(project);
    await exits(0, 'apply --yes');
    const after = await entries(project);
    expect(sent()).toEqual([]);
    expect(Object.keys(after).filter((file) => after[file] !== before[file])).toEqual([`${quiet.id}.json`]);
    quiet.settings.max_emails_per_day = 40;
    expect(origins(await plan('--drift'))).toEqual(['Quiet one: settings max_emails_per_day service']);
  }));

test('changes that are blocked, held, refused or ignored are not recorded as applied', () =>
  withApplied(async (project) => {
    const { edit, exits, live, plan, service } = project;
    await edit(SPRING, '<p>Any news?</p>', '<p>News?</p>');
    await edit(OTHERS, 'max_emails_per_day: null', 'max_emails_per_day: 35');
    await edit(OTHERS, 'status: paused', 'status: running');
    const update = `/api/campaigns/${live('Quiet one').id}/update`;
    const appliedNow = async () => {
      await exits(4, 'apply --yes --hold launch');
      const spec = await lastSpec(project, 'Quiet one');
      return [spec?.settings?.max_emails_per_day, spec?.status];
    };
    service.answerThen('PATCH', update, { status: 422, body: { message: 'No.' }, effect: false });
    expect(await appliedNow()).toEqual([null, 'paused']);
    service.answerThen('PATCH', update, { status: 200, body: {}, effect: false });
    expect(await appliedNow()).toEqual([null, 'paused']);
    // The service did not keep 35, so only another value is sent.
    await edit(OTHERS, 'max_emails_per_day: 35', 'max_emails_per_day: 36');
    expect(await appliedNow()).toEqual([36, 'paused']);
    expect(live('Quiet one').settings.max_emails_per_day).toBe(36);
    expect(origins(await plan())).toEqual([
      'Quiet one: status  manifest',
      'Spring installers: sequence steps[1].email_body manifest',
    ]);
  }));

test('a lead list or a template with a new name hides no drift', () =>
  withApplied(async ({ edit, exits, live, plan }) => {
    await edit('campaignctl.yaml', 'installers-fr: 77', 'installers-france: 77');
    await edit('campaignctl.yaml', 'office-hours: 3', 'office: 3');
    await edit(SPRING, 'lists: [42, installers-fr]', 'lists: [42, installers-france, 78]');
    await edit(OTHERS, 'template: office-hours', 'template: office');
    live('Spring installers').settings.max_emails_per_day = 999;
    const { schedule } = live('Office hours | by template');
    if (schedule !== null) schedule.end_time = '19:00';
    expect(origins(await plan())).toEqual([
      'Office hours | by template: schedule end_time service',
      'Spring installers: settings max_emails_per_day service',
      'Spring installers: leads lists manifest',
    ]);
    expect(origins(await plan('--drift'))).toEqual([
      'Office hours | by template: schedule end_time service',
      'Spring installers: settings max_emails_per_day service',
    ]);
    expect((await exits(2, DRIFT)).out).not.toContain('drift-unknown');
  }));

test('a name changed outside campaignctl is drift, beside every other change', () =>
  withApplied(async ({ edit, exits, live, plan, sent }) => {
    const quiet = live('Quiet one');
    quiet.name = 'Loud one';
    quiet.settings.max_emails_per_day = 40;
    const drift = await plan('--drift');
    expect(drift.campaigns).toMatchObject([
      {
        name: 'Quiet one',
        id: quiet.id,
        action: 'drift',
        changes: [
          { section: 'campaign', path: 'name', from: 'Loud one', to: 'Quiet one', origin: 'service' },
          { path: 'max_emails_per_day', from: 40, to: null, origin: 'service' },
        ],
        problems: [{ code: 'rename', severity: 'warning' }],
      },
    ]);
    expect((await exits(2, DRIFT)).out).toMatch(/Loud one → Quiet one[\s\S]*max_emails_per_day {2}40 → none/);
    await edit(OTHERS, 'name: Quiet one', `name: Quiet one\nid: ${quiet.id}`);
    expect(origins(await plan('--drift'))).toEqual([
      'Quiet one: campaign name service',
      'Quiet one: settings max_emails_per_day service',
    ]);
    await edit(OTHERS, 'name: Quiet one', 'name: Loud one');
    expect(origins(await plan('--drift'))).toEqual(['Loud one: settings max_emails_per_day service']);
    expect(sent()).toEqual([]);
  }));

test('a name changed in the manifest is not drift and hides none; a missing campaign is drift', () =>
  withApplied(async ({ edit, exits, live, plan, service }) => {
    const quiet = live('Quiet one');
    await edit(OTHERS, 'name: Quiet one', 'name: Calm one');
    expect((await exits(0, DRIFT)).out).toContain('\n\n  Nothing was changed outside campaignctl.\n');
    quiet.settings.max_emails_per_day = 40;
    expect(origins(await plan('--drift'))).toEqual(['Calm one: settings max_emails_per_day service']);
    quiet.settings.max_emails_per_day = null;
    quiet.name = 'Loud one';
    expect(origins(await plan('--drift'))).toEqual(['Calm one: campaign name service']);
    await edit(OTHERS, 'name: Calm one', 'name: Quiet one');
    expect((await exits(2, DRIFT)).out).toContain('~ Quiet one  drift');
    const at = service.store.campaigns.indexOf(quiet);
    service.store.campaigns.splice(at, 1);
    expect((await exits(2, DRIFT)).out).toContain('~ Quiet one  drift  missing');
    quiet.name = 'Quiet one';
    service.store.campaigns.splice(at, 0, quiet);
    await exits(0, DRIFT);
  }));

test('a replaced campaign that runs again is not called unchanged', () =>
  withApplied(async ({ edit, exits, live }) => {
    await edit(OTHERS, 'name: Quiet one', 'name: Quiet two\nreplaces: Quiet one');
    await exits(0, 'apply --yes --allow no-leads');
    expect((await exits(0, DRIFT)).out).toContain('\n\n  Nothing was changed outside campaignctl.\n');
    live('Quiet one').status = 'active';
    expect((await exits(2, DRIFT)).out).toContain(
      '\n\n  1 replaced campaign is or may be sending again; nothing else was changed outside campaignctl.\n',
    );
  }));

test('without a state, drift is unknown until an apply has seen the campaign', () =>
  withApplied(async (project) => {
    const { exits, folder, live, plan, sent } = project;
    const { settings } = live('Quiet one');
    await rm(join(folder, STATE), { recursive: true });
    settings.max_emails_per_day = 40;
    const { out } = await exits(0, DRIFT);
    expect(out).toContain('Nothing is known');
    expect(out).toMatch(/drift-unknown\n .* 3 campaigns/);
    expect(origins(await plan())).toContain('Quiet one: settings max_emails_per_day null');
    settings.max_emails_per_day = null;
    await exits(0, `apply ${OTHERS} --yes`);
    expect(sent()).toEqual([]);
    const { 'Spring installers': _spring, ...others } = ALL;
    expect(await applied(project)).toEqual(others);
  }));

test('a campaign that may be a different one does not count as applied', () =>
  withApplied(async (project) => {
    const { edit, folder, live, run } = project;
    const { id } = live('Quiet one');
    await edit(`${STATE}/${id}.json`, `"id": ${id},`, '"id": 900,');
    await rename(join(folder, STATE, `${id}.json`), join(folder, STATE, '900.json'));
    const before = await entries(project);
    expect((await run(`apply ${OTHERS} --yes`)).out).toContain('! missing');
    expect(await entries(project)).toEqual(before);
  }));
