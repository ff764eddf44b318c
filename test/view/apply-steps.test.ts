/** The offered commands give every approval that is wanted, and hold a launch until something has been carried over. */
import { expect, test } from 'vitest';
import type { ByHandTask, CampaignPlan, Plan } from '../../src/model/outputs.js';
import { documentHtml } from '../../src/view/document-html.js';
import { documentMarkdown } from '../../src/view/document-markdown.js';
import { documentText } from '../../src/view/document-text.js';
import { planDocument } from '../../src/view/plan-document.js';
import { plain } from '../../src/view/terminal.js';
import { campaignPlan, planOf, step } from '../support/plans.js';
import { oneLine } from '../support/texts.js';
import { LAUNCH, LAUNCHED } from './plans.js';

const SHARED = { ...LAUNCH, code: 'shared-leads', message: 'Shared.', hint: 'Approve it.' } as const;
const TASK: ByHandTask = {
  ...{ campaign: 'Spring 2', id: null, manifest: 'campaigns/spring.yaml', does: 'carry', section: null },
  ...{ path: '', place: 'attachments', from: 'Spring', to: null, replaces: 1 },
};
const NO_LEADS = { lists: [], ids: [], list_names: [], leads: null };
const OLD = { id: 1, name: 'Spring', status: 'active', running: true } as const;
const REPLACED = { ...OLD, ...{ copy: [], settings: [], schedule: [] }, stops: NO_LEADS };
const NEW: CampaignPlan = {
  ...LAUNCHED,
  ...{ name: 'Spring 2', id: null, manifest: TASK.manifest, problems: [LAUNCH, SHARED] },
  replaces: REPLACED,
};

const forms = (plan: Plan, saved: string | null = null) => {
  const document = planDocument(plan, { saved });
  return [
    documentText(document, { paint: plain, width: 100 }),
    documentMarkdown(document, 60_000),
    documentHtml(document)
      .replace(/<script>.*?<\/script>/gs, '')
      .replaceAll('&#34;', '"'),
  ].map(oneLine);
};

const ALL = 'campaignctl apply --env production --allow launch="Spring 2" --allow shared-leads';
const HELD = 'campaignctl apply --env production --allow shared-leads --hold launch="Spring 2"';

test('a replacement needs its launch and its leads approved', () => {
  for (const form of forms(planOf([NEW]))) {
    expect(form).toContain(ALL);
    expect(form).not.toContain(HELD);
  }
});

test('a held launch leaves the pause of what it replaces, if that sends', () => {
  const idle = { ...NEW, replaces: { ...REPLACED, running: false } };
  for (const form of forms(planOf([NEW]))) expect(form).toContain('Apply pauses Spring all the same');
  for (const form of forms(planOf([idle]))) expect(form).not.toContain('all the same');
});

test('launches precede the other hazards, which concern campaigns before them', () => {
  const shared = { ...campaignPlan('Autumn', { steps: [step('leads')] }), problems: [SHARED] };
  for (const form of forms(planOf([shared, NEW]))) {
    const [launch, other] = [form.indexOf(LAUNCH.message), form.indexOf(SHARED.message)];
    expect(launch).toBeGreaterThan(0);
    expect(launch).toBeLessThan(other);
  }
});

test('a launch names the campaign that it replaces, in the table as well', () => {
  const [text, markdown, page] = forms(planOf([NEW]));
  expect(text).toContain('LAUNCH · replaces Spring, which is paused first');
  for (const form of [markdown, page])
    expect(form).toMatch(/Spring 2.{0,200}launch.{0,80} replaces Spring, which is paused first/);
});

test('leads shared with another campaign are not approved by the offered command', () => {
  const { replaces: _, ...other } = NEW;
  for (const form of forms(planOf([other]))) {
    expect(form).toContain('First resolve or approve shared-leads');
    expect(form).not.toContain(ALL);
  }
});

test.each([
  ['', 'If something has to be carried over by hand to Spring 2, first apply', 'or if there is nothing'],
  ['settings.tags', 'Something has to be carried over by hand to Spring 2. So first apply', 'After that, to'],
])('what is carried over precedes the launch: %j', (path, first, then) => {
  const forAll = forms(planOf([NEW], { by_hand: [{ ...TASK, path }] }));
  for (const form of forAll) {
    for (const words of [first, HELD, then, ALL]) expect(form).toContain(words);
    expect(form.lastIndexOf(HELD)).toBeLessThan(form.lastIndexOf(ALL));
  }
  expect(forAll[2]).toMatch(
    /approve the change in the review, .*<li>Apply with the launch of Spring 2 held, do the tasks/,
  );
});

test('a saved plan is planned again without the launch', () => {
  for (const form of forms(planOf([NEW], { by_hand: [TASK] }), 'plan.json'))
    expect(form).toContain('campaignctl plan --env production --out plan.json --hold launch="Spring 2"');
});

test('a saved plan that holds launches is planned again with them', () => {
  const again = 'campaignctl plan --env production --out plan.json --hold launch="Fair *" --hold launch=';
  for (const form of forms(planOf([LAUNCHED], { hold: ['launch=Fair *'] }), 'plan.json'))
    expect(form).toContain(again);
});

test('the offered commands are for the campaigns of the plan only', () => {
  const plan = planOf([NEW], { files: ['campaigns/a b.yaml'], targets: ['Spring *', '!Spring 1'] });
  const selected = `"campaigns/a b.yaml" --target "Spring *" --target '!Spring 1'`;
  for (const form of forms(plan).map((each) => each.replaceAll('&#39;', "'")))
    expect(form).toContain(`campaignctl apply --env production ${selected} --allow launch="Spring 2"`);
  for (const form of forms({ ...plan, by_hand: [TASK] }, 'plan.json').map((each) =>
    each.replaceAll('&#39;', "'"),
  ))
    expect(form).toContain(
      `campaignctl plan --env production --out plan.json ${selected} --hold launch="Spring 2"`,
    );
});

test('a created campaign can be launched at once', () => {
  for (const form of forms(planOf([{ ...NEW, id: 2 }], { by_hand: [{ ...TASK, id: 2 }] }))) {
    expect(form).toContain(ALL);
    expect(form).not.toContain(HELD);
  }
});

test('a plan that needs no approval ends with the command that applies it, unless it is applied next', () => {
  const plan = planOf([campaignPlan('Spring', { steps: [step('settings')] })]);
  const shown = (before: 'apply' | null) =>
    documentText(planDocument(plan, { saved: 'plan.json' }), { paint: plain, width: 60, before });
  expect(shown(null)).toMatch(/\n\nTo apply this plan, run: campaignctl apply --plan plan\.json\n$/);
  expect(shown('apply')).not.toContain('To apply');
});
