/** Tasks for a person: every view lists them with exact values; once done in the web app, no plan lists them. */
import { expect, it } from 'vitest';
import type { ByHandTask } from '../../../src/model/outputs.js';
import type { ApplyResult } from '../../../src/model/reports.js';
import { SCHEDULE, withProject } from '../../support/project.js';
import type { Shape } from '../../support/service/shape.js';
import { oneLine } from '../../support/texts.js';

const BODY = '<p>Hi {FIRST_NAME},</p>\n<p>worth a look?</p>';
const NEW = '<p>Hello {FIRST_NAME},</p>\n<p>is it worth a look?</p>';
const FOLLOW_UP =
  '    - { email_subject: One more, email_body: "<p>Still?</p>", wait_in_days: 2, thread_reply: true }\n';

const manifest = (name: string, { body = BODY, more = '', leads = 'lists: [42, 77]' } = {}) => `name: ${name}
${SCHEDULE}sequence:
  title: Spring
  steps:
    - { email_subject: A question, email_body: ${JSON.stringify(body)}, wait_in_days: 3 }
${more}leads: { ${leads} }
`;
const SUMMER = { 'campaigns/summer.yaml': manifest('Summer', { leads: 'ids: [7]' }) };
/** With the new emails. */
const spring = (leads?: string) => ({
  'campaigns/spring.yaml': manifest('Spring', { body: NEW, more: FOLLOW_UP, ...(leads && { leads }) }),
});

it.each<[string, Partial<Shape>]>([
  ['as documented', {}],
  ['bare bodies, and rows of id and name alone', { rows: 'id-name' }],
])('is listed with the text to enter until it is done: %s', (_, shape) => {
  const files = {
    'campaigns/spring.yaml': manifest('Spring'),
    'campaigns/old.yaml': manifest('Old', { leads: 'ids: [8]' }),
    ...SUMMER,
  };
  return withProject({ shape, files }, async ({ exits, live, plan, run, sent, service, write }) => {
    const tasks = async () => (await plan()).by_hand;
    await exits(0, 'apply --yes');
    expect(await tasks()).toEqual([]);
    const [springId, summerId, oldId] = [live('Spring').id, live('Summer').id, live('Old').id];

    await write({
      ...spring('lists: [42]'),
      'campaigns/summer.yaml': manifest('Midsummer', { leads: 'ids: [7]' }),
      'campaigns/old.yaml': null,
    });
    type Task = [
      does: string,
      section: string | null,
      path: string,
      place: string,
      from: unknown,
      to: unknown,
    ];
    const task = (campaign: string, id: number, [does, section, path, place, from, to]: Task) =>
      ({
        ...{ campaign, id, manifest: `campaigns/${campaign.toLowerCase()}.yaml` },
        ...{ does, section, path, place, from, to },
      }) as ByHandTask;
    const email = { email_subject: 'One more', email_body: '<p>Still?</p>', wait_in_days: 2 };
    const added = { ...email, thread_reply: true, variants: [] };
    const body = 'steps[0].email_body';
    const edit = task('Spring', springId, [
      'update',
      'sequence',
      body,
      'sequence, step 1: email_body',
      BODY,
      NEW,
    ]);
    const step = task('Spring', springId, ['add', 'sequence', 'steps[1]', 'sequence, step 2', null, added]);
    const leads = task('Spring', springId, ['remove', 'leads', 'lists', 'leads, lists', [77], null]);
    const rename = task('Summer', summerId, ['rename', null, 'name', 'name', 'Summer', 'Midsummer']);
    const removal = task('Old', oldId, ['delete', null, '', '', 'draft', null]);
    expect(await tasks()).toEqual([edit, step, leads, rename, removal]);

    const escaped = NEW.replaceAll('<', '&#60;').replaceAll('>', '&#62;');
    for (const [format, words] of [
      ['text', 'web app: 5\n'],
      ['markdown', '`Summer` to `Midsummer`\n'],
      ['html', `data-text="${escaped}">Copy</button>`],
    ])
      expect((await run(`plan --format ${format}`)).out).toContain(words);

    // Without approval of the new name, apply sends nothing.
    await exits(3, 'apply --yes');
    await write(SUMMER);
    const applied = await exits(4, 'apply --yes --format json');
    expect((JSON.parse(applied.out) as ApplyResult).by_hand).toEqual([edit, step, leads, removal]);
    const again = await run('apply --yes');
    expect(again.out.slice(again.out.indexOf('Apply to'))).toContain('web app: 4\n');

    // A person completes the task.
    const { steps } = live('Spring');
    const [first] = steps;
    if (first === undefined) throw new Error('there is no step');
    first.email_body = NEW;
    steps.push({ ...first, ...email, id: 9_000, order: 2, thread_reply: true });
    service.store.campaigns = service.store.campaigns.filter(({ name }) => name !== 'Old');
    // Attached leads are not shown, so the task stays until the manifest lists them again or a person reports them removed.
    expect(await tasks()).toEqual([leads]);
    await write(spring());
    expect(await tasks()).toEqual([]);
    await write(spring('lists: [42]'));
    expect(oneLine((await run('plan')).out)).toMatch(
      new RegExp(`list 77, .* campaignctl forget ${springId} --removed-leads`),
    );
    await exits(3, 'forget Spring --removed-leads');
    expect(await tasks()).toEqual([leads]);
    sent();
    const forgot = await exits(0, `forget ${springId} --removed-leads --yes`);
    expect([forgot.out, sent()]).toEqual([
      expect.stringMatching(new RegExp(` campaigns/spring\\.yaml .* list 77 .* ${springId}, "Spring"`)),
      [],
    ]);
    expect(await tasks()).toEqual([]);
    await exits(0, 'apply --yes');
    const nothing = await exits(0, 'forget Spring --removed-leads --yes');
    expect(nothing.out).toContain('nothing to forget');
    // The person may have been wrong, so the leads are not attached again without approval.
    await write(spring());
    const problems = (await plan()).campaigns.flatMap((campaign) => campaign.problems);
    const repeat = problems.find(({ code }) => code === 'repeat-attach');
    expect(repeat?.message).toContain('had an unknown outcome, or they were forgotten with --removed-leads');
    await exits(3, 'apply --yes');
  });
});

it('a plan does not say that the live campaign matches its manifest while something is to be done by hand', () =>
  withProject({ files: SUMMER }, async ({ exits, live, plan }) => {
    await exits(0, 'apply --yes');
    expect((await exits(0, 'plan')).out).toContain('No changes. The live campaign matches its manifest.');
    const [step] = live('Summer').steps;
    if (step !== undefined) step.active = false;
    expect(await plan()).toMatchObject({ summary: { unchanged: 1, requests: 0 }, by_hand: [{ to: true }] });
    for (const form of ['text', 'markdown', 'html']) {
      const { out } = await exits(0, `plan --format ${form}`);
      expect(out).not.toMatch(/match(es)? (its|their) manifest/);
      expect(oneLine(out)).toMatch(
        /o changes that apply can make, but 1 live campaign differs from its manifest: Summer \(sequence, step 1: active\)\. Only a person can change that/,
      );
    }
  }));
