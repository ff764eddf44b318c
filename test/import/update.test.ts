import { diffLines } from 'diff';
import { expect, test } from 'vitest';
import { readCases } from '../support/cases.js';
import { environment } from '../support/environment.js';
import {
  byHand,
  email,
  FILE,
  type LiveCampaign,
  type LiveEmail,
  STAGING,
  steps,
  update,
} from './updating.js';

interface Case {
  manifest: string;
  applied?: string;
  document?: number;
  newName?: string;
  files?: Record<string, string>;
  live: Omit<LiveCampaign, 'emails'> & { emails?: Partial<LiveEmail>[] };
}

const lineOf = (sign: string) => (line: string) =>
  `${sign} ${line.replace('\r', '\\r').replace('\n', '')}${line.endsWith('\n') ? '' : ' (no line end)'}`;

/** The replaced and new lines, then what a person must do and what stays. */
function outcome({ manifest, applied, files = {}, live, ...options }: Case): string[] {
  const { emails = [], ...rest } = live;
  const before = { [FILE]: manifest, ...files };
  const last = applied === 'as it is' ? manifest : applied;
  const shown = { ...rest, emails: emails.map((each) => ({ ...email('', ''), ...each })) };
  const choice = { ...options, ...(last !== undefined && { applied: last }) };
  const { files: after, update: done } = update(before, shown, choice);
  const written = diffLines(manifest, after[FILE] ?? '').flatMap(({ value, added, removed }) =>
    added || removed ? value.split(/(?<=\n)/).map(lineOf(added ? '+' : '-')) : [],
  );
  expect(after).toEqual({ ...before, [FILE]: after[FILE] });
  return [
    ...written,
    ...done.by_hand.flatMap(({ section, path, file, line, reason, text }) => [
      `by hand: ${section} ${path}, ${file}:${line}: ${reason}`,
      ...(text === null ? [] : text.split(/(?<=\n)/).map(lineOf('   '))),
    ]),
    ...done.local_changes.map(({ section, path }) => `stays: ${section} ${path}`),
    done.in_sync ? 'in sync' : 'not in sync',
  ];
}

test('values of the service are set in place; the rest is left to a person, with the reason', async () => {
  const lines = readCases<Case>(import.meta.dirname, 'updates').flatMap(([title, each]) => [
    `# ${title}`,
    ...outcome(each),
    '',
  ]);
  await expect(lines.join('\n')).toMatchFileSnapshot('golden/updates.txt');
});

test.each([
  ['a control character', 'a\u0085b', 'the live text contains the control character U+0085'],
  ['too large to be read again', 'x'.repeat(1024 * 1024), 'campaigns/spring.yaml would be too large'],
])('a text is not written if it is %s', (_, body, reason) => {
  expect(byHand(steps('B'), { emails: [email('S', body)] })).toEqual({
    files: { [FILE]: steps('B') },
    byHand: [expect.stringContaining(`sequence steps[0].email_body: ${reason}`)],
  });
});

test.each([
  ['Plain\u200bone', '"Plain\\u200Bone"'],
  ['Pay $${{ x }} or ${{ y }}', 'Pay $$${{ x }} or $${{ y }}'],
])('%j is written so that an editor shows it, and as no expression', (body, written) => {
  const { files, byHand: kept } = byHand(steps('B'), { emails: [email('S', body)] });
  expect([files[FILE], kept]).toEqual([steps(written), []]);
});

test('an error in a different environment reverts the edit', () => {
  const poor = { ...STAGING, custom_variables: ['COMPANY'] };
  const text = steps('B', 'status: paused\n');
  const live = { status: 'active', emails: [email('S', 'Hi {FIRST_NAME}')] };
  const seen = byHand(text, live, { environments: [environment(), poor] });
  expect(seen).toEqual({
    files: { [FILE]: text.replace('paused', 'running') },
    byHand: [expect.stringContaining('steps[0].email_body: ')],
  });
});

test('a status that the service does not show is the one that campaignctl set', () => {
  const here = environment();
  const text = 'name: Spring\nstatus: running\n';
  const seen = byHand(text, {}, { environments: [here], status: 'paused' });
  expect(seen).toEqual({ files: { [FILE]: 'name: Spring\nstatus: paused\n' }, byHand: [] });
});
