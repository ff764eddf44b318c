import { expect, test } from 'vitest';
import { documentMarkdown } from '../../src/view/document-markdown.js';
import { documentText } from '../../src/view/document-text.js';
import { listDocument, listsDocument } from '../../src/view/list.js';
import { plain } from '../../src/view/terminal.js';
import { oneLine } from '../support/texts.js';
import { inventory } from './plans.js';

/** The service's list does not show the status of "Hidden". */
function hidden(...names: string[]) {
  const { campaigns, ...all } = inventory('Hidden', ...names);
  const [first, ...others] = campaigns;
  if (first === undefined) throw new Error('one campaign is needed');
  const running = others.length;
  return {
    ...all,
    campaigns: [{ ...first, live_status: null, status_basis: 'unknown' as const }, ...others],
    volume: { running, cap: 100 * running, unlimited: 0, not_shown: 0, capacity: 400 },
  };
}

const part = (project: string, result: ReturnType<typeof hidden>) => {
  return { project, environment: 'production', exit_code: 0 as const, failure: null, result };
};
const MAY_SEND = '1 more campaign, whose status the list does not show, may be sending, too';

test.each([
  [[], '0 campaigns running; capacity 400 a day'],
  [['Spring'], '1 campaign running, together up to 100 emails a day; capacity 400 a day'],
])('a campaign without a status may be sending, and does not count as stopped', (names, running) => {
  const text = oneLine(documentText(listDocument(hidden(...names)), { paint: plain, width: 100 }));
  expect(text).toContain(`${running}; ${MAY_SEND}`);
});

test('in the table of projects, its number and volume are the least, or unknown', () => {
  const document = listsDocument([part('acorn', hidden()), part('birch', hidden('Spring'))]);
  const markdown = documentMarkdown(document, 60_000);
  expect(markdown).toContain('| ! | acorn | ? | ? of 400 |');
  expect(markdown).toContain('| ! | birch | ≥ 1 | ≥ 100 of 400 |');
  const more = MAY_SEND.replace('1 more campaign', '2 more campaigns');
  expect(markdown).toContain(`1 running, together up to 100 emails a day; ${more}`);
});
