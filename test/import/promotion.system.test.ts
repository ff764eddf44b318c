import { expect, test } from 'vitest';
import { projectFile, withProject, withService } from '../support/project.js';
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

test('a campaign that is imported from one workspace and edited is created in another', () => {
  const campaigns = [campaign(1, 'Spring'), campaign(2, 'Autumn')];
  const shape = { title: 'shown', reputation: 'shown', replySubject: 'Re: ' } as const;
  return withService({ shape }, (staging) => {
    const text = projectFile(`  staging: { base_url: "${staging.url}", token_env: CAMPAIGNS_TOKEN }\n`);
    const files = { 'campaignctl.yaml': text };
    return withProject({ shape, campaigns, files }, async ({ edit, exits, sent }) => {
      await exits(0, 'import --all --env production');
      await exits(0, 'plan --env production --detailed-exitcode');

      await edit('campaigns/spring.yaml', 'max_emails_per_day: 1000', 'max_emails_per_day: 1500');
      const [first, ...others] = campaigns.map(essence);
      await exits(0, 'apply --env staging --yes');
      const changed = { ...first, settings: { ...first?.settings, max_emails_per_day: 1500 } };
      const created = staging.store.campaigns.map(essence).sort((a, b) => (a.name < b.name ? 1 : -1));
      expect(created).toEqual([changed, ...others]);

      await exits(0, 'apply --env production --yes');
      expect(sent()).toEqual(['PATCH /api/campaigns/1/update']);
      for (const env of ['production', 'staging']) await exits(0, `plan --env ${env} --detailed-exitcode`);
    });
  });
});
