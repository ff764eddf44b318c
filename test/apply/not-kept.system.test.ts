/** A setting that the service accepts and does not show afterwards is not a change for ever. */
import { expect, test } from 'vitest';
import { type Project, SCHEDULE, withProject } from '../support/project.js';
import { oneLine } from '../support/texts.js';

const FILE = 'campaigns/spring.yaml';
const MANIFEST = `name: Spring
settings:
  max_emails_per_day: 200
  max_new_leads_per_day: 20
  reputation_building: true
  can_unsubscribe: true
  unsubscribe_text: Leave
${SCHEDULE}sequence:
  title: Spring
  steps:
    - { email_subject: A question, email_body: Worth a look?, wait_in_days: 3 }
leads: { ids: [1, 2] }
`;

function ignoring(use: (project: Project) => Promise<void>, manifest = MANIFEST): Promise<void> {
  return withProject({ files: { [FILE]: manifest } }, async (project) => {
    project.service.behave({ ignores: ['unsubscribe_text'] });
    await use(project);
  });
}

const NOT_KEPT = 'settings.unsubscribe_text (sent "Leave", shown none)';

test('the apply that sends it is incomplete and says why; later plans report it, and do not send it again', () =>
  ignoring(async ({ exits, plan, sent }) => {
    const first = await exits(4, 'apply --yes');
    expect(oneLine(first.out)).toContain(`not kept by the service: ${NOT_KEPT}`);
    expect(oneLine(first.out)).toContain('Run plan: it shows what is left, and whether apply can change it.');
    expect(first.out).not.toContain('apply again');
    expect(sent()).toHaveLength(5);
    const seen = await plan();
    expect(seen).toMatchObject({
      summary: { unchanged: 1, change: 0, requests: 0 },
      by_hand: [{ does: 'update', section: 'settings', path: 'unsubscribe_text', from: null, to: 'Leave' }],
    });
    expect(seen.campaigns[0]?.problems).toContainEqual(
      expect.objectContaining({ code: 'not-kept', severity: 'warning' }),
    );
    for (const form of ['text', 'markdown', 'html']) {
      const { out } = await exits(0, `plan --detailed-exitcode --format ${form}`);
      expect(oneLine(out).replaceAll('\\_', '_').replaceAll('&#34;', '"')).toContain(
        `Not kept by the service: ${NOT_KEPT}`,
      );
      expect(out).not.toContain('matches its manifest');
    }
    await exits(0, 'apply --yes');
    await exits(0, 'plan --drift --detailed-exitcode');
    expect(sent()).toEqual([]);
  }));

test('a new value is sent again, once', () =>
  ignoring(async ({ edit, exits, plan, sent }) => {
    await exits(4, 'apply --yes');
    sent();
    await edit(FILE, 'Leave', 'Stop');
    expect((await plan()).campaigns[0]?.changes).toMatchObject([{ path: 'unsubscribe_text', to: 'Stop' }]);
    await exits(4, 'apply --yes');
    expect(sent()).toHaveLength(1);
    expect(await plan()).toMatchObject({ summary: { unchanged: 1, requests: 0 } });
    await edit(FILE, 'Stop', 'Leave');
    expect(await plan()).toMatchObject({ summary: { change: 1, requests: 1 } });
  }));

test('an update for another setting carries the value, shows it, and is complete without it', () =>
  ignoring(async ({ edit, exits, plan, service }) => {
    await exits(4, 'apply --yes');
    await edit(FILE, 'max_emails_per_day: 200', 'max_emails_per_day: 150');
    expect((await plan()).campaigns[0]?.changes).toMatchObject([
      { path: 'max_emails_per_day', to: 150, note: null },
      {
        ...{ path: 'unsubscribe_text', from: null, to: 'Leave' },
        note: 'not kept by the service when it was last sent',
      },
    ]);
    await exits(0, 'apply --yes');
    expect(service.writes().at(-1)?.body).toMatchObject({ unsubscribe_text: 'Leave' });
    expect(await plan()).toMatchObject({ summary: { unchanged: 1, requests: 0 } });
  }));

test('once the service shows the value or a third one, it is compared as usual', () =>
  ignoring(async ({ exits, live, plan }) => {
    await exits(4, 'apply --yes');
    live('Spring').settings.unsubscribe_text = 'Bye';
    expect(await plan()).toMatchObject({ summary: { change: 1 }, by_hand: [] });
    live('Spring').settings.unsubscribe_text = 'Leave';
    expect(await plan()).toMatchObject({ summary: { unchanged: 1 }, by_hand: [] });
    await exits(0, 'apply --yes');
    // The service has kept it since, so a later difference is somebody's change.
    live('Spring').settings.unsubscribe_text = null;
    expect(await plan('--drift')).toMatchObject({ summary: { change: 1 } });
  }));

test('a launch is blocked while a managed value is not kept', () =>
  ignoring(async ({ edit, exits, plan, statuses }) => {
    const first = await exits(4, 'apply --yes --allow launch');
    expect(first.out).toContain('not run: launch');
    expect(await plan()).toMatchObject({ summary: { blocked: 1, launch: 0, requests: 0 } });
    await exits(4, 'apply --yes --allow launch');
    expect(statuses()).toEqual({ Spring: 'draft' });
    await edit(FILE, '  unsubscribe_text: Leave\n', '');
    await exits(0, 'apply --yes --allow launch');
    expect(statuses()).toEqual({ Spring: 'active' });
  }, `${MANIFEST}status: running\n`));

test('import --update writes the value that the service shows', () =>
  ignoring(async ({ exits, plan, read }) => {
    await exits(4, 'apply --yes');
    await exits(0, 'import --update --all');
    expect(await read(FILE)).toContain('unsubscribe_text: null');
    const { campaigns, by_hand } = await plan();
    expect(by_hand).toEqual([]);
    expect(campaigns[0]?.problems.map(({ code }) => code)).not.toContain('not-kept');
  }));
