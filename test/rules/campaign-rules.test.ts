import { expect, it } from 'vitest';
import type { CampaignSpec, ResolvedStep } from '../../src/model/spec.js';
import { readCases } from '../support/cases.js';
import { applyRules, environment, mailing, subject } from './campaign.js';

type Case = Partial<CampaignSpec> & { manifest?: string; steps?: Partial<ResolvedStep>[] };

const french = environment({ lead_lists: { 'installers-fr': 77 } });

it('each flaw is found at its place, and says what is wrong and what to write', async () => {
  const lines = readCases<Case[]>(import.meta.dirname, 'campaigns').flatMap(([title, cases]) => {
    const campaigns = cases.map(({ manifest = 'spring.yaml', steps, ...spec }) =>
      subject({ name: 'Spring installers', ...(steps && mailing(...steps)), ...spec }, manifest),
    );
    // Without names, each is a project of its own.
    const projects = cases.every(({ name }) => name === undefined)
      ? campaigns.map((item) => [item])
      : [campaigns];
    const rows = projects.map((project) =>
      applyRules(project, french).findings.map(
        ({ severity, code, message, hint, place: { file, path, text } }) =>
          `${severity} ${code} ${file} ${path.join('.')} ${JSON.stringify(text)}\n  ${message}\n  ${hint}`,
      ),
    );
    return [`# ${title}`, ...rows.map((each) => each.join('\n') || 'nothing'), ''];
  });
  await expect(lines.join('\n')).toMatchFileSnapshot('golden/campaigns.txt');
});

it.each([
  ['a no-break space', 'Sale 5 000', 'Sale 5\u00a0000'],
  ['a narrow one', 'Sale 5 000', 'Sale 5\u202f000'],
  ['case', 'Spring', 'SPRING'],
  ['composed letters', 'Caf\u00e9', 'Cafe\u0301'],
  ['a hidden character', 'Spring', 'Spr\u200bing'],
])('names that differ in %s only are found at each place', (_, word, other) => {
  const campaigns = [
    subject({ name: word }, 'campaigns/a.yaml'),
    subject({ name: other }, 'campaigns/b.yaml'),
  ];
  const rows = applyRules([...campaigns, subject({ name: 'Summer' }, 'campaigns/c.yaml')], french).findings;
  const alike = rows.filter(({ code }) => code === 'alike-names');
  const shown = alike.map(({ message, place: { file, path } }) => [file, path, message.match(/".*?"/g)]);
  expect(shown).toEqual([
    ['campaigns/a.yaml', ['name'], [`"${word}"`, `"${other}"`]],
    ['campaigns/b.yaml', ['name'], [`"${other}"`, `"${word}"`]],
  ]);
});
