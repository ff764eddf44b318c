/** What only a person can do is a list in every view, with the exact values; once it is done in the web app, no plan lists it. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ApplyResult, ByHandTask, Plan } from '../../../src/model/outputs.js';
import { command, writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';
import { startService } from '../../support/service/service.js';
import { type Shape, shaped } from '../../support/service/shape.js';

const BODY = '<p>Hi {FIRST_NAME},</p>\n<p>worth a look?</p>';
const NEW = '<p>Hello {FIRST_NAME},</p>\n<p>is it worth a look?</p>';

const manifest = (name: string, { body = BODY, more = '', leads = 'lists: [42, 77]' } = {}) => `name: ${name}
schedule: { days: [monday], start_time: "09:00", end_time: "17:00", timezone: Europe/Paris }
sequence:
  title: Spring
  steps:
    - { email_subject: A question, email_body: ${JSON.stringify(body)}, wait_in_days: 3 }
${more}leads: { ${leads} }
`;
const FOLLOW =
  '    - { email_subject: One more, email_body: "<p>Still?</p>", wait_in_days: 2, thread_reply: true }\n';

const SHAPES: [string, Partial<Shape>][] = [
  ['as documented', {}],
  ['bare bodies, and rows of id and name alone', { rows: 'id-name' }],
];

it.each(SHAPES)('is listed with what to enter until it is done: %s', async (_name, shape) => {
  const service = await startService(shaped(shape), { campaigns: [], templates: [] });
  try {
    await withFolder(async (folder) => {
      const write = (files: Record<string, string>) => writeFiles(folder, files);
      await write({
        'campaignctl.yaml': `version: 1\nmanifests: [campaigns/*.yaml]\nenvironments:\n  production:\n    base_url: ${service.url}\n    token_env: CAMPAIGNS_TOKEN\n`,
        'campaigns/spring.yaml': manifest('Spring'),
        'campaigns/summer.yaml': manifest('Summer', { leads: 'ids: [7]' }),
        'campaigns/old.yaml': manifest('Old', { leads: 'ids: [8]' }),
      });
      const plan = async () => JSON.parse((await command(folder, ['plan', '--format', 'json'])).out) as Plan;
      const live = (name: string) => {
        const found = service.store.campaigns.find((campaign) => campaign.name === name);
        if (found === undefined) throw new Error(`no campaign is called ${name}`);
        return found;
      };
      const first = await command(folder, ['apply', '--yes']);
      expect(first.code, first.out + first.err).toBe(0);
      expect((await plan()).by_hand).toEqual([]);
      const [spring, summer, old] = ['Spring', 'Summer', 'Old'].map((name) => live(name).id);

      await write({
        'campaigns/spring.yaml': manifest('Spring', { body: NEW, more: FOLLOW, leads: 'lists: [42]' }),
        'campaigns/summer.yaml': manifest('Midsummer', { leads: 'ids: [7]' }),
      });
      await rm(join(folder, 'campaigns/old.yaml'));
      const whose = (campaign: string, id: number | undefined, file: string) => ({
        ...{ campaign, id, manifest: `campaigns/${file}.yaml` },
      });
      const sequence = { ...whose('Spring', spring, 'spring'), section: 'sequence' };
      const whole = { section: null, path: '', place: '' };
      const email = { email_subject: 'One more', email_body: '<p>Still?</p>', wait_in_days: 2 };
      const [edit, step, leads, rename, left] = [
        {
          ...{ ...sequence, does: 'update', path: 'steps[0].email_body' },
          ...{ place: 'sequence, step 1: email_body', from: BODY, to: NEW },
        },
        {
          ...{ ...sequence, does: 'add', path: 'steps[1]', place: 'sequence, step 2', from: null },
          to: { ...email, thread_reply: true, variants: [] },
        },
        {
          ...{ ...sequence, section: 'leads', does: 'remove', path: 'lists', place: 'leads, lists' },
          ...{ from: [77], to: null },
        },
        {
          ...{ ...whose('Summer', summer, 'summer'), does: 'rename', section: null },
          ...{ path: 'name', place: 'name', from: 'Summer', to: 'Midsummer' },
        },
        { ...whose('Old', old, 'old'), does: 'delete', ...whole, from: 'draft', to: null },
      ] as ByHandTask[];
      expect((await plan()).by_hand).toEqual([edit, step, leads, rename, left]);

      const text = (await command(folder, ['plan'])).out;
      const markdown = (await command(folder, ['plan', '--format', 'markdown'])).out;
      const html = (await command(folder, ['plan', '--format', 'html'])).out;
      expect(text).toContain("To do by hand in the service's web app: 5\n");
      expect(markdown).toContain(`- [ ] \`Summer\` (id ${summer}): rename it to \`Midsummer\`\n`);
      const escaped = NEW.replaceAll('<', '&#60;').replaceAll('>', '&#62;');
      expect(html).toContain(`data-text="${escaped}">Copy</button>`);

      // Without approval of the new name, apply sends nothing; what it leaves is listed again at its end.
      const refused = await command(folder, ['apply', '--yes']);
      expect(refused.code).toBe(3);
      await write({ 'campaigns/summer.yaml': manifest('Summer', { leads: 'ids: [7]' }) });
      const applied = await command(folder, ['apply', '--yes', '--format', 'json']);
      expect(applied.code, applied.err).toBe(4);
      expect((JSON.parse(applied.out) as ApplyResult).by_hand).toEqual([edit, step, leads, left]);
      const again = await command(folder, ['apply', '--yes']);
      expect(again.out.slice(again.out.indexOf('Apply to'))).toContain(
        "To do by hand in the service's web app: 4\n",
      );

      // A person does it.
      const [email1] = live('Spring').steps;
      if (email1 === undefined) throw new Error('there is no step');
      email1.email_body = NEW;
      live('Spring').steps.push({
        ...{ ...email1, id: 9_000, order: 2, email_subject: 'One more', email_body: '<p>Still?</p>' },
        ...{ wait_in_days: 2, thread_reply: true },
      });
      service.store.campaigns = service.store.campaigns.filter(({ name }) => name !== 'Old');
      // Which leads are attached is not shown: that entry stays until the manifest has them again, or until a person says that it is done.
      expect((await plan()).by_hand).toEqual([leads]);
      await write({ 'campaigns/spring.yaml': manifest('Spring', { body: NEW, more: FOLLOW }) });
      expect((await plan()).by_hand).toEqual([]);
      const fewer = {
        'campaigns/spring.yaml': manifest('Spring', { body: NEW, more: FOLLOW, leads: 'lists: [42]' }),
      };
      await write(fewer);
      const told = await command(folder, ['plan']);
      expect(told.out.replace(/\s+/g, ' ')).toContain(
        'once you have removed some, campaignctl forget ID --removed-leads takes them',
      );
      const asked = await command(folder, ['forget', 'Spring', '--removed-leads']);
      expect([asked.code, (await plan()).by_hand]).toEqual([3, [leads]]);
      const writes = service.writes().length;
      const forgot = await command(folder, ['forget', String(spring), '--removed-leads', '--yes']);
      expect([forgot.code, forgot.out, service.writes().length]).toEqual([
        0,
        `The manifest campaigns/spring.yaml does not name lead list 77 attached to campaign ${spring}, "Spring".\nForgot them. Nothing was sent. To attach them again needs approval: whether they are still there is not known.\n`,
        writes,
      ]);
      expect((await plan()).by_hand).toEqual([]);
      expect((await command(folder, ['apply', '--yes'])).code).toBe(0);
      expect((await command(folder, ['forget', 'Spring', '--removed-leads', '--yes'])).out).toBe(
        'There is nothing to forget: the manifest of "Spring" names all leads that it is known to have, or manages none.\n',
      );
      // A person may have been wrong: they are not attached again without approval.
      await write({ 'campaigns/spring.yaml': manifest('Spring', { body: NEW, more: FOLLOW }) });
      const back = (await plan()).campaigns.flatMap(({ problems }) => problems.map(({ code }) => code));
      expect(back).toContain('repeat-attach');
      expect((await command(folder, ['apply', '--yes'])).code).toBe(3);
    });
    expect(service.violations).toEqual([]);
  } finally {
    await service.close();
  }
});
