import { chmod, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Project, withProject } from '../../support/project.js';
import { mixedShapes, type Shape, shaped } from '../../support/service/shape.js';
import { projectFiles, usedWorkspace } from './agency.js';

const SPRING = 'campaigns/spring.yaml';
const OTHERS = 'campaigns/others.yaml';

/** A project with three applied campaigns. An update sends nothing. */
const applied = (shape: Partial<Shape>, use: (project: Project) => Promise<void>) =>
  withProject({ shape, ...usedWorkspace(), files: projectFiles('{url}', shaped(shape)) }, async (project) => {
    await project.run('apply --yes --allow launch');
    project.sent();
    await use(project);
  });

function changeByHand({ live }: Project): void {
  const spring = live('Spring installers');
  spring.settings.max_emails_per_day = 180;
  if (spring.schedule !== null) spring.schedule.end_time = '18:00';
  for (const step of spring.steps) {
    if (step.email_body.includes('worth a look'))
      step.email_body = '<p>Hi {FIRST_NAME},</p>\n<p>shorter.</p>\n';
    if (step.email_subject.endsWith('Any news?')) step.wait_in_days = 6;
    if (step.email_subject.endsWith('Still there?')) step.wait_in_days = 6;
  }
  live('Quiet one').settings.max_emails_per_day = 40;
}

const shapes = mixedShapes([
  ...(['booleans', 'numbers', 'texts', 'replySubject', 'lineEnds'] as const),
  ...(['title', 'steps', 'stepsOrder', 'settings', 'times'] as const),
]);

const UPDATE = 'import --update --all';

test.each(shapes)('changes in the web app are written to the manifest: %j', (shape) =>
  applied(shape, async (project) => {
    const { exits, read, sent } = project;
    const before = await read(SPRING);
    changeByHand(project);
    await exits(2, 'plan --detailed-exitcode');
    const { out } = await exits(0, UPDATE);
    expect(out).toContain('campaigns/spring.yaml:3  settings, max_emails_per_day: 200 → 180\n');
    await exits(0, 'plan --detailed-exitcode');
    const again = await exits(0, UPDATE);
    expect(again.out).toMatch(/^Nothing to update\./);

    expect(await read(SPRING)).toBe(
      before
        .replace('day: 200', 'day: 180')
        .replace('"17:30"', '"18:00"')
        .replace('worth a look at {COMPANY}?', 'shorter.')
        .replace('wait_in_days: 4', 'wait_in_days: 6'),
    );
    expect(await read(OTHERS)).toContain('max_emails_per_day: 40, plain_text: true');
    expect(sent()).toEqual([]);
  }),
);

test('the entry records when the manifest was last in sync, and keeps the rest', () =>
  applied({}, async (project) => {
    const { live, read, run } = project;
    const entry = async () =>
      JSON.parse(await read(`.campaignctl/state/production/${live('Spring installers').id}.json`));
    const before = await entry();
    changeByHand(project);
    await run(UPDATE);
    const after = await entry();
    expect(after).toEqual({
      ...before,
      last: { at: expect.any(String), how: 'import', spec: expect.any(Object) },
    });
    expect(after.last.spec.settings.max_emails_per_day).toBe(180);
  }));

test('a name or an id narrows it down', () =>
  applied({}, async (project) => {
    const { exits, live, read, run } = project;
    changeByHand(project);
    const { out } = await run(`import --update ${live('Spring installers').id}`);
    expect([out.includes('Spring installers'), out.includes('Quiet one')]).toEqual([true, false]);
    expect(await read(OTHERS)).toContain('max_emails_per_day: null');
    expect(await exits(1, 'import --update Unlisted')).toMatchObject({
      out: '',
      err: expect.stringContaining('name or id "Unlisted".'),
    });
  }));

test('values that cannot be written are reported, with exit code 4', () =>
  applied({}, async ({ exits, live, read }) => {
    const { settings, steps } = live('Spring installers');
    if (steps[0] !== undefined) steps[0].email_body = 'Hi {unlisted}\u001b[2J';
    settings.open_tracking = false;
    const { out, err } = await exits(4, UPDATE);
    expect(err).toBe('');
    expect(out).toContain('sequence, step 1: email_body: ');
    expect(out).toContain('1 difference to set by hand.');
    expect(out).not.toContain('\u001b');
    expect(await read(SPRING)).toContain('open_tracking: false');
  }));

test('the byte order mark, line endings and permissions of a file are kept', () =>
  applied({}, async ({ exits, folder, live, read, write }) => {
    const text = `\ufeff${(await read(SPRING)).replaceAll('\n', '\r\n')}`;
    await write({ [SPRING]: text });
    await chmod(join(folder, SPRING), 0o640);
    live('Spring installers').settings.max_emails_per_day = 7;
    await exits(0, UPDATE);
    expect(await read(SPRING)).toBe(text.replace('day: 200', 'day: 7'));
    expect((await stat(join(folder, SPRING))).mode & 0o777).toBe(0o640);
  }));

test('a value that breaks a policy is not written', () =>
  applied({}, async ({ edit, exits, read, write, live }) => {
    const policies =
      'policies: { caps: { range: { settings.max_emails_per_day: { max: 500 } }, optional: true } }\n';
    await write({ 'campaignctl.yaml': `${await read('campaignctl.yaml')}${policies}` });
    await edit(OTHERS, 'max_emails_per_day: null, ', '');
    const before = await read(SPRING);
    live('Spring installers').settings.max_emails_per_day = 900;
    expect((await exits(4, UPDATE)).out).toContain('is 900, more than 500');
    expect(await read(SPRING)).toBe(before);
    await exits(0, 'plan');
  }));

test('a new name in the web app is written, with other changes', () =>
  applied({}, async ({ exits, live, read, sent }) => {
    await exits(0, 'plan --drift --detailed-exitcode');
    const quiet = live('Quiet one');
    quiet.name = 'Loud one';
    quiet.settings.max_emails_per_day = 40;
    const drift = await exits(2, 'plan --drift --detailed-exitcode');
    expect(drift.out).toContain('is now called "Loud one"');
    const before = await read(OTHERS);
    await exits(0, UPDATE);
    expect(await read(OTHERS)).toBe(
      before
        .replace('name: Quiet one', 'name: Loud one')
        .replace('max_emails_per_day: null', 'max_emails_per_day: 40'),
    );
    await exits(0, 'plan --detailed-exitcode');
    await exits(0, 'apply --yes');
    expect(sent()).toEqual([]);
  }));

test('selected by its old name or its id; a name that was changed only in the manifest stays', () =>
  applied({}, async ({ edit, exits, live, read }) => {
    const quiet = live('Quiet one');
    quiet.name = 'Loud';
    await exits(0, 'import --update', 'Quiet one');
    expect(await read(OTHERS)).toContain('name: Loud\n');
    quiet.name = 'Louder';
    await exits(0, `import --update ${quiet.id}`);
    expect(await read(OTHERS)).toContain('name: Louder\n');
    await edit(OTHERS, 'name: Louder', 'name: Mine');
    const edited = await read(OTHERS);
    await exits(4, UPDATE);
    expect(await read(OTHERS)).toBe(edited);
  }));

test('a name that several campaigns share selects all of them, and an id selects one', () =>
  applied({}, async ({ edit, exits, live, read, service, write }) => {
    const quiet = live('Quiet one');
    service.store.campaigns.push({ ...structuredClone(quiet), id: 900 });
    await write({ 'campaigns/twin.yaml': 'name: Quiet one\nid: 900\nsettings: { plain_text: true }\n' });
    await edit(OTHERS, 'name: Quiet one\n', `name: Quiet one\nid: ${quiet.id}\n`);
    for (const campaign of service.store.campaigns) campaign.settings.plain_text = false;
    expect((await exits(0, 'import --update 900')).out).toContain('campaigns/twin.yaml');
    expect(await read(OTHERS)).toContain('plain_text: true');
    await exits(0, 'import --update', 'Quiet one');
    expect(await read(OTHERS)).not.toContain('plain_text: true');
  }));
