import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { acquireLock } from '../../../src/state/lock.js';
import { command, type Ended, writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';
import { startService, type TestService } from '../../support/service/service.js';
import { BASE, type Shape, SINGLE_CHANGES, shaped } from '../../support/service/shape.js';
import type { StoredCampaign } from '../../support/service/store.js';
import { projectFiles, usedWorkspace } from './agency.js';

interface Scene {
  service: TestService;
  folder: string;
  run(line: string): Promise<Ended>;
  read(file: string): Promise<string>;
  /** The campaign of this name, as a person would change it in the web page. */
  live(name: string): StoredCampaign;
}

/** A project whose three campaigns were applied. */
async function applied(shape: Shape, use: (scene: Scene) => Promise<void>): Promise<void> {
  const service = await startService(shape, usedWorkspace());
  try {
    await withFolder(async (folder) => {
      await writeFiles(folder, projectFiles(service.url, shape));
      const run = (line: string) => command(folder, line.split(' '));
      await run('apply --yes --allow launch');
      const live = (name: string) => {
        const found = service.store.campaigns.find((one) => one.name === name);
        if (found === undefined) throw new Error(`${name} is not there`);
        return found;
      };
      await use({ service, folder, run, live, read: (file) => readFile(join(folder, file), 'utf8') });
    });
  } finally {
    await service.close();
  }
}

/** What a person does in the service's web app. */
function changeByHand({ live }: Scene): void {
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

const shapes: Partial<Shape>[] = [
  {},
  ...SINGLE_CHANGES.filter((change) =>
    [
      'booleans',
      'numbers',
      'texts',
      'replySubject',
      'lineEnds',
      'title',
      'steps',
      'stepsOrder',
      'settings',
      'times',
    ].some((name) => name in change),
  ),
];

test.each(shapes)('what was changed in the web page comes back: %j', async (change) => {
  const shape = shaped(change);
  await applied(shape, async (scene) => {
    const { run, read, service } = scene;
    const before = await read('campaigns/spring.yaml');
    changeByHand(scene);
    const sent = service.writes();
    expect((await run('plan --detailed-exitcode')).code).toBe(2);
    const rehearsal = await run('import --update --all --dry-run');
    expect(await read('campaigns/spring.yaml')).toBe(before);
    expect(rehearsal.out).toContain('campaigns/spring.yaml:3  settings, max_emails_per_day: 200 → 180\n');

    const done = await run('import --update --all');
    expect(done.code, done.out + done.err).toBe(0);
    const plan = await run('plan --detailed-exitcode');
    expect(plan.code, plan.out).toBe(0);
    const again = await run('import --update --all');
    expect([again.code, again.out]).toEqual([
      0,
      'Nothing to update. The manifests say what the service shows.\n',
    ]);

    const after = await read('campaigns/spring.yaml');
    expect(after).toBe(
      before
        .replace('day: 200', 'day: 180')
        .replace('"17:30"', '"18:00"')
        .replace('worth a look at {COMPANY}?', 'shorter.')
        .replace('wait_in_days: 4', 'wait_in_days: 6'),
    );
    expect(await read('campaigns/others.yaml')).toContain('max_emails_per_day: 40, plain_text: true');
    expect(service.writes()).toEqual(sent);
    expect(service.violations).toEqual([]);
  });
});

test('the record says when the manifest was last seen as live, and keeps the rest', async () => {
  await applied(BASE, async (scene) => {
    const { run, folder, live } = scene;
    const file = join(folder, '.campaignctl/state/production', `${live('Spring installers').id}.json`);
    const before = JSON.parse(await readFile(file, 'utf8'));
    changeByHand(scene);
    await run('import --update --all');
    const after = JSON.parse(await readFile(file, 'utf8'));
    expect(after).toEqual({
      ...before,
      last: { at: expect.any(String), how: 'import', spec: expect.any(Object) },
    });
    expect(after.last.spec.settings.max_emails_per_day).toBe(180);
  });
});

test('a name or an id narrows it down', () =>
  applied(BASE, async (scene) => {
    const { run, read, live } = scene;
    changeByHand(scene);
    const { out } = await run(`import --update ${live('Spring installers').id}`);
    expect([out.includes('Spring installers'), out.includes('Quiet one')]).toEqual([true, false]);
    expect(await read('campaigns/others.yaml')).toContain('max_emails_per_day: null');
    expect(await run('import --update Unlisted')).toEqual({
      code: 1,
      out: '',
      err: expect.stringContaining('campaignctl import Unlisted writes a new manifest'),
    });
  }));

test('a list and a body file are left alone: file, line and live value are printed', () =>
  applied(BASE, async ({ run, live, read }) => {
    const before = [await read('campaigns/spring.yaml'), await read('emails/goodbye.html')];
    const { schedule, steps } = live('Spring installers');
    if (schedule !== null) schedule.friday = false;
    for (const step of steps)
      if (step.email_subject === 'Goodbye {FIRST_NAME}') step.email_body = '<p>So long.</p>';
    const { code, out } = await run('import --update --all');
    expect(code).toBe(4);
    expect(out).toContain(`set by hand   campaigns/spring.yaml:11  schedule, days: `);
    expect(out).toContain('        days: [monday, tuesday, wednesday, thursday]\n');
    expect(out).toContain('set by hand   emails/goodbye.html:1  sequence, step 3: email_body: ');
    expect(out).toContain('        <p>So long.</p>\n');
    expect(out).toContain('Nothing was written. 2 differences to set by hand.');
    expect([await read('campaigns/spring.yaml'), await read('emails/goodbye.html')]).toEqual(before);
  }));

test('what cannot be taken over is said, with exit code 4', async () => {
  await applied(BASE, async ({ run, live, read }) => {
    const [step] = live('Spring installers').steps;
    if (step !== undefined) step.email_body = 'Hi {unlisted}\u001b[2J';
    live('Spring installers').settings.open_tracking = false;
    const done = await run('import --update --all');
    expect([done.code, done.err]).toEqual([4, '']);
    expect(done.out).toContain('sequence, step 1: email_body: the live text holds');
    expect(done.out).toContain('1 campaign written into 1 file. 1 difference to set by hand.');
    expect(done.out).not.toContain('\u001b');
    expect(await read('campaigns/spring.yaml')).toContain('open_tracking: false');
  });
});

test('mark, line ends and permissions of a file stay', async () => {
  await applied(BASE, async (scene) => {
    const { folder, run, read } = scene;
    const path = join(folder, 'campaigns/spring.yaml');
    const text = `\ufeff${(await read('campaigns/spring.yaml')).replaceAll('\n', '\r\n')}`;
    await writeFile(path, text);
    await chmod(path, 0o640);
    scene.live('Spring installers').settings.max_emails_per_day = 7;
    expect((await run('import --update --all')).code).toBe(0);
    expect(await read('campaigns/spring.yaml')).toBe(text.replace('day: 200', 'day: 7'));
    expect((await stat(path)).mode & 0o777).toBe(0o640);
  });
});

test('it waits for an apply that is at work; a dry run does not', async () => {
  await applied(BASE, async (scene) => {
    const { folder, run } = scene;
    const options = { who: 'ann', timeout: 0, waiting: () => {}, signal: new AbortController().signal };
    const lock = await acquireLock({ ...options, folder: join(folder, '.campaignctl/state/production') });
    changeByHand(scene);
    expect((await run('import --update --all --dry-run')).code).toBe(0);
    const waiting = run('import --update --all');
    setTimeout(() => lock.release(), 300);
    const done = await waiting;
    expect([done.code, done.err]).toEqual([
      0,
      expect.stringContaining('for another apply to production (ann'),
    ]);
  });
});

test('what was changed in the manifest since the last apply is a local change', () =>
  applied(BASE, async ({ folder, run, read, live, service }) => {
    const file = 'campaigns/others.yaml';
    const edited = (await read(file)).replace('plain_text: true', 'plain_text: false');
    await writeFile(join(folder, file), edited);
    live('Quiet one').settings.max_emails_per_day = 40;
    const updated = await run('import --update --all');
    expect([updated.code, updated.out]).toEqual([0, expect.stringContaining('local change')]);
    expect(await read(file)).toBe(edited.replace('max_emails_per_day: null', 'max_emails_per_day: 40'));
    const again = await run('import --update --all');
    expect([again.code, again.out]).toEqual([0, expect.stringContaining('Nothing to update. What differs')]);
    expect((await run('apply --yes --allow reset-unreadable')).code).toBe(0);
    expect(live('Quiet one').settings).toMatchObject({ max_emails_per_day: 40, plain_text: false });
    expect(service.violations).toEqual([]);
  }));

test('a value that breaks a policy is not written', () =>
  applied(BASE, async ({ folder, run, read, live }) => {
    const config = `${await read('campaignctl.yaml')}policies: { caps: { range: { settings.max_emails_per_day: { max: 500 } }, optional: true } }\n`;
    await writeFile(join(folder, 'campaignctl.yaml'), config);
    const others = (await read('campaigns/others.yaml')).replace('max_emails_per_day: null, ', '');
    await writeFile(join(folder, 'campaigns/others.yaml'), others);
    const before = await read('campaigns/spring.yaml');
    live('Spring installers').settings.max_emails_per_day = 900;
    const updated = await run('import --update --all');
    expect([updated.code, updated.out]).toEqual([4, expect.stringContaining('is 900, more than 500')]);
    expect(await read('campaigns/spring.yaml')).toBe(before);
    expect((await run('plan')).code).toBe(0);
  }));

test('a new name of the web app is written, with what else was changed there', () =>
  applied(BASE, async ({ run, live, read, service }) => {
    expect((await run('plan --drift --detailed-exitcode')).code).toBe(0);
    const quiet = live('Quiet one');
    Object.assign(quiet, { name: 'Loud one' });
    quiet.settings.max_emails_per_day = 40;
    const drift = await run('plan --drift --detailed-exitcode');
    expect([drift.code, drift.out]).toEqual([2, expect.stringContaining('is now called "Loud one"')]);
    const before = await read('campaigns/others.yaml');
    const sent = service.writes();
    const updated = await run('import --update --all');
    expect(updated.code, updated.out + updated.err).toBe(0);
    expect(await read('campaigns/others.yaml')).toBe(
      before
        .replace('name: Quiet one', 'name: Loud one')
        .replace('max_emails_per_day: null', 'max_emails_per_day: 40'),
    );
    const plan = await run('plan --detailed-exitcode');
    expect(plan.code, plan.out).toBe(0);
    expect((await run('apply --yes')).code).toBe(0);
    expect(service.writes()).toEqual(sent);
  }));

test('by its old name or its id, too; a name that only the manifest has changed stays', () =>
  applied(BASE, async ({ folder, run, live, read }) => {
    const quiet = live('Quiet one');
    Object.assign(quiet, { name: 'Loud' });
    expect((await command(folder, ['import', '--update', 'Quiet one'])).code).toBe(0);
    expect(await read('campaigns/others.yaml')).toContain('name: Loud\n');
    Object.assign(quiet, { name: 'Louder' });
    expect((await run(`import --update ${quiet.id}`)).code).toBe(0);
    const text = await read('campaigns/others.yaml');
    expect(text).toContain('name: Louder\n');
    const own = text.replace('name: Louder', 'name: Mine');
    await writeFile(join(folder, 'campaigns/others.yaml'), own);
    expect(await run('import --update --all')).toMatchObject({ code: 4 });
    expect(await read('campaigns/others.yaml')).toBe(own);
  }));

test('a name that several campaigns have says nothing, an id does', () =>
  applied(BASE, async ({ folder, run, live, service }) => {
    const quiet = live('Quiet one');
    service.store.campaigns.push({ ...structuredClone(quiet), id: 900 });
    await writeFiles(folder, {
      'campaigns/twin.yaml': 'name: Quiet one\nid: 900\nsettings: { plain_text: true }\n',
      'campaigns/others.yaml': (await readFile(join(folder, 'campaigns/others.yaml'), 'utf8')).replace(
        'name: Quiet one\n',
        `name: Quiet one\nid: ${quiet.id}\n`,
      ),
    });
    for (const one of service.store.campaigns) one.settings.plain_text = false;
    const named = await command(folder, ['import', '--update', 'Quiet one']);
    expect([named.code, named.err]).toEqual([
      1,
      expect.stringContaining(`The service has 2 campaigns called "Quiet one": ${quiet.id}, 900.`),
    ]);
    const one = await run('import --update 900');
    expect([one.code, one.out]).toEqual([0, expect.stringContaining('campaigns/twin.yaml')]);
    expect(await readFile(join(folder, 'campaigns/others.yaml'), 'utf8')).toContain('plain_text: true');
  }));
