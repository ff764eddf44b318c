import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { command, writeFiles } from '../support/command.js';
import { withFolder } from '../support/folder.js';
import { startService } from '../support/service/service.js';
import { shaped } from '../support/service/shape.js';
import { draft, type StoredCampaign, type StoredStep } from '../support/service/store.js';

const BODIES = [
  '<p>Hi {FIRST_NAME}</p>\n',
  'Hi {FIRST_NAME},\n\nworth a look?\n',
  'a: b # c\n---\n',
  '"quoted" \\n 👩‍👩‍👧\n\tand a tab',
  '  leading\nand only blanks\n   \nend',
  'one\u2028two',
];

function campaign(id: number, name: string): StoredCampaign {
  const steps = BODIES.map((email_body, index): StoredStep => {
    const isVariant = index % 3 === 2;
    return {
      id: 10 * id + index,
      order: isVariant ? null : index + 1,
      email_subject: index === 4 ? 'Re: A question' : 'A question',
      email_body,
      wait_in_days: 1 + index,
      variant: isVariant,
      variant_from_step: isVariant ? 10 * id + index - 1 : null,
      thread_reply: index === 4,
    };
  });
  return { ...draft(id, name), steps, title: 'Spring' };
}

/** What counts of a campaign, without ids, and wherever the variants stand. */
const essence = ({ name, settings, schedule, steps }: StoredCampaign) => ({
  name,
  settings,
  schedule,
  steps: steps
    .map(({ id: _, variant_from_step: parent, ...step }) => ({
      ...step,
      order: step.variant ? null : 'base',
      parent: steps.find(({ id }) => id === parent)?.email_body ?? null,
    }))
    .sort((a, b) => a.wait_in_days - b.wait_in_days),
});

test('what is imported from one workspace is changed, and made in another one as it was', async () => {
  const old = [campaign(1, 'Spring'), campaign(2, 'Autumn')];
  const shape = shaped({ title: 'shown', reputation: 'shown', replySubject: 'Re: ' });
  const production = await startService(shape, { campaigns: old, templates: [] });
  const staging = await startService(shape, { campaigns: [], templates: [] });
  await withFolder(async (folder) => {
    const environment = (url: string) => `{ base_url: ${url}, token_env: CAMPAIGNS_TOKEN }`;
    await writeFiles(folder, {
      'campaignctl.yaml': `version: 1
manifests: [campaigns/*.yaml]
environments:
  production: ${environment(production.url)}
  staging: ${environment(staging.url)}
`,
    });
    const run = (...line: string[]) => command(folder, line);
    expect((await run('import', '--all', '--env', 'production')).code).toBe(0);
    expect((await run('plan', '--env', 'production', '--detailed-exitcode')).code).toBe(0);

    const spring = join(folder, 'campaigns/spring.yaml');
    const text = await readFile(spring, 'utf8');
    await writeFile(spring, text.replace('max_emails_per_day: 1000', 'max_emails_per_day: 1500'));
    const applied = await run('apply', '--env', 'staging', '--yes');
    expect(applied.code, applied.out + applied.err).toBe(0);
    const [first, ...others] = old.map(essence);
    const changed = { ...first, settings: { ...first?.settings, max_emails_per_day: 1500 } };
    const made = staging.store.campaigns.map(essence).sort((a, b) => (a.name < b.name ? 1 : -1));
    expect(made).toEqual([changed, ...others]);

    expect((await run('apply', '--env', 'production', '--yes')).code).toBe(0);
    expect(production.writes().map(({ method, path }) => `${method} ${path}`)).toEqual([
      'PATCH /api/campaigns/1/update',
    ]);
    for (const env of ['production', 'staging'])
      expect((await run('plan', '--env', env, '--detailed-exitcode')).code).toBe(0);
  });
  await production.close();
  await staging.close();
});
