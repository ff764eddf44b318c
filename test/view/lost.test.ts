import { expect, test } from 'vitest';
import type { LostProject } from '../../src/model/reports.js';
import { documentHtml } from '../../src/view/document-html.js';
import { documentMarkdown } from '../../src/view/document-markdown.js';
import { documentText } from '../../src/view/document-text.js';
import { listsDocument } from '../../src/view/list.js';
import { lostProblems } from '../../src/view/lost.js';
import { plansDocument } from '../../src/view/plans.js';
import { plain } from '../../src/view/terminal.js';
import { oneLine } from '../support/texts.js';
import { inventory, mixedPlan } from './plans.js';

const LOST: LostProject = {
  project: 'clients/acorn',
  environment: 'production',
  base_url: 'https://send.example.com',
  file: 'clients/acorn/campaignctl.yaml',
  remote: 'origin',
  branch: 'campaignctl/clients/acorn/production',
  removed_in: '0123456789abcdef0123456789abcdef01234567',
  campaigns: [
    { id: 1, name: 'Spring', running: true },
    { id: null, name: 'Autumn', running: false },
  ],
};

const lost = { projects: [LOST], unread: ['No answer.'] };
const part = <Result>(result: Result) =>
  ({ project: 'birch', environment: 'production', exit_code: 0, result, failure: null }) as const;

test.each([
  ['list', listsDocument([part(inventory('Spring'))], lost)],
  ['plan', plansDocument([part(mixedPlan())], { lost })],
])('every form of %s names lost projects, and remotes that were not read', (_, document) => {
  const forms = [
    documentText(document, { paint: plain, width: 80 }),
    documentMarkdown(document, 60_000),
    documentHtml(document),
  ];
  for (const form of forms.map(oneLine)) {
    expect(form).toContain(
      'clients/acorn: no project file any more; 2 campaigns that its state does not know as stopped',
    );
    expect(form).toContain('It is not known whether projects without a project file still send. No answer.');
  }
});

test('on a page, the name of a project is the head of its row', () => {
  const page = documentHtml(listsDocument([part(inventory('Spring'))], lost));
  const heads = [...page.matchAll(/<th scope="row">(.*?)<\/th>/g)].map(([, name]) => name);
  expect(heads).toEqual(['clients/acorn', 'birch']);
});

test.each<[name: string, changes: Partial<LostProject>, words: string[]]>([
  [
    'the commit that removed it',
    { project: 'clients/The acorn' },
    ['git checkout 01234567^ -- "clients/The acorn"', 'pause --all -C "clients/The acorn" --env production'],
  ],
  [
    'how to find that commit',
    { removed_in: null },
    [
      'run git pull',
      'git checkout HEAD -- clients/acorn, then stop its campaigns with campaignctl pause --all -C clients/acorn',
      'git log --diff-filter=D -- clients/acorn/campaignctl.yaml',
      'git checkout COMMIT^ -- clients/acorn',
    ],
  ],
])('the way back: %s', (_, changes, words) => {
  const [problem] = lostProblems({ projects: [{ ...LOST, ...changes }], unread: [] });
  expect(problem?.message).toContain(
    `no project file ${changes.removed_in === null ? 'in this checkout' : 'any more'};`,
  );
  for (const each of words) expect(problem?.hint).toContain(each);
});
