/** Apply would refuse the plan again, so no view prints a command that applies it. */
import { expect, test } from 'vitest';
import type { Plan } from '../../src/model/outputs.js';
import { problem } from '../../src/plan/messages.js';
import type { Document } from '../../src/view/document.js';
import { documentHtml } from '../../src/view/document-html.js';
import { documentMarkdown } from '../../src/view/document-markdown.js';
import { documentText } from '../../src/view/document-text.js';
import { planDocument } from '../../src/view/plan-document.js';
import { plansDocument } from '../../src/view/plans.js';
import { plain } from '../../src/view/terminal.js';
import { planOf } from '../support/plans.js';
import { oneLine } from '../support/texts.js';
import { LAUNCH, LAUNCHED } from './plans.js';

function launchOf(name: string, isRefused: boolean): Plan {
  const refusals = isRefused ? [problem('not-promoted', 'staging', false)] : [];
  const campaigns = [{ ...LAUNCHED, name, problems: [...refusals, LAUNCH] }];
  return planOf(campaigns, isRefused ? { require_applied: 'staging' } : {});
}

const forms = (document: Document) =>
  [
    documentText(document, { paint: plain, width: 100 }),
    documentMarkdown(document, 60_000),
    documentHtml(document).replace(/<script>.*?<\/script>/gs, ''),
  ].map(oneLine);

const partOf = (project: string, plan: Plan, environment = 'production') => {
  const result = { ...plan, environment };
  return { project, environment, exit_code: 0 as const, failure: null, result };
};

test('one plan', () => {
  for (const form of forms(planDocument(launchOf('Acorn', true)))) {
    expect(form).toContain('Then plan again: the new plan shows how to apply it.');
    expect(form).not.toContain('campaignctl apply --env production');
  }
  const [, , page] = forms(planDocument(launchOf('Acorn', true)));
  expect(page).toContain('Copy my decision');
  expect(page).not.toContain('Copy the command');
});

test('the others can be planned, and no launch is announced as if it happened', () => {
  const { campaigns, ...plan } = launchOf('Acorn', true);
  const both = planOf([...campaigns, { ...LAUNCHED, name: 'Birch', problems: [LAUNCH] }], plan);
  const [text = '', markdown = '', page = ''] = forms(planDocument(both));
  expect(markdown).toMatch(/^### [^>]* · refused · needs approval: launch/);
  for (const form of [text, markdown, page.replaceAll('&#39;', "'")]) {
    expect(form).toContain('Not yet, because apply refuses this plan: 2 launches');
    expect(form).toContain("campaignctl plan --env production --target '!Acorn'");
    expect(form).toContain('campaignctl apply --env staging; if it is not to be launched there, with --hold');
  }
});

test('a comment says what a merge changes without approval', () => {
  const next = 'Merge to apply to production.';
  const [open, refused] = [launchOf('Acorn', false), launchOf('Birch', true)];
  const { campaigns } = planOf([...refused.campaigns, ...open.campaigns]);
  const comment = (document: Document) => documentMarkdown(document, 60_000, { next });
  expect(comment(planDocument(open))).toContain(`${next} That changes nothing as long as`);
  expect(comment(planDocument({ ...refused, campaigns }))).toMatch(/^Merge to apply to production\.$/m);
  const many = plansDocument([partOf('a', open), partOf('b', planOf([]))]);
  expect(comment(many)).toContain(`${next} That skips each project that has a hazard`);
});

test('a saved plan, which is still valid afterwards', () => {
  for (const form of forms(planDocument(launchOf('Acorn', true), { saved: 'plan.json' }))) {
    expect(form).not.toContain('campaignctl apply --plan');
    expect(form).not.toContain('plan again');
  }
});

test('all projects', () => {
  for (const form of forms(plansDocument([partOf('acorn', launchOf('Acorn', true))]))) {
    expect(form).toContain('Apply refuses a project until its campaigns have been applied to staging');
    expect(form).not.toContain('campaignctl apply --recursive');
  }
});

test('one of two projects: the command approves what the other one needs', () => {
  const parts = [partOf('acorn', launchOf('Acorn', true)), partOf('birch', launchOf('Birch', false))];
  const [text = '', markdown = '', page = ''] = forms(plansDocument(parts));
  for (const form of [text, markdown, page])
    expect(form).toContain('Refused: apply sends nothing for these projects until this is resolved');
  for (const form of [text, markdown]) {
    expect(form).toMatch(
      /campaignctl apply --recursive --env production --yes --allow launch="?Birch"?(?! --allow)/,
    );
    expect(form).not.toMatch(/--allow launch="?Acorn/);
  }
  expect(page).toContain('It applies the other projects.');
  expect(page).toContain('Copy the command');
  expect(page).not.toMatch(/--allow launch=(&#34;)?Acorn/);
});

const commandsFor = (...parts: ReturnType<typeof partOf>[]) =>
  forms(plansDocument(parts))
    .slice(0, 2)
    .map((form) => /campaignctl apply --recursive[^`]*?--allow launch=(?:"[^"]*"|\S+)/.exec(form)?.[0]);

test('staging and production: the command applies to staging, so that it launches nothing in production', () => {
  const staging = partOf('acorn', launchOf('Spring', false), 'staging');
  const open = partOf('birch', launchOf('Spring', false));
  const command =
    'campaignctl apply --recursive --env staging --yes --allow launch="acorn (staging): Spring"';
  expect(commandsFor(staging, partOf('acorn', launchOf('Spring', true)), open)).toEqual([command, command]);
});

test('environments that only a pattern for the refused one selects are applied one after the other', () => {
  const open = ['staging', 'test'].map((name) => partOf('acorn', launchOf('Spring', false), name));
  const refused = partOf('acorn', launchOf('Spring', true));
  for (const command of commandsFor(...open, refused))
    expect(command).toContain(
      'apply --recursive --env staging --yes --allow launch="acorn (staging): Spring"',
    );
});

test.each([
  [['staging', 'production'], "--recursive --env '*'"],
  [['uk-production', 'fr-production'], "--recursive --env '*-production'"],
  [['eu-a', 'eu-b'], "--recursive --env 'eu-*'"],
])('environments that are planned together are applied together: %s', (names, flags) => {
  const [first, second] = names.map((name) => partOf('acorn', launchOf('Spring', false), name));
  if (first === undefined || second === undefined) throw new Error('two environments are needed');
  for (const command of commandsFor(first, second)) expect(command).toContain(`apply ${flags} --yes`);
});

test('projects with different default environments need no flag', () => {
  const parts = [
    partOf('acorn', launchOf('Spring', false), 'staging'),
    partOf('birch', launchOf('Fair', false)),
  ];
  for (const command of commandsFor(...parts)) expect(command).toContain('apply --recursive --yes');
});
