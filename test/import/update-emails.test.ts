import { describe, expect, test } from 'vitest';
import { email, FILE, inSyncAfter, type LiveEmail, left, steps, update } from './updating.js';

const BODIES = `name: Spring
sequence:
  title: Spring   # of the sequence
  steps:
    # the first one
    - email_subject: "A question"
      email_body: |   # in plain words
          Hi {FIRST_NAME},

          it is short.

      wait_in_days: 3     # days


    # the second one
    - email_subject: Plain one
      email_body: >-
        A paragraph that was
        wrapped by hand.

        Another one.
      wait_in_days: 3
# end
`;

describe('emails', () => {
  const first = email('A question', 'Hi {FIRST_NAME},\n\nit is short.\n');
  const second = email('Plain one', 'A paragraph that was wrapped by hand.\nAnother one.');

  test('are equal as they are', () => {
    expect(inSyncAfter(BODIES, { emails: [first, second] })).toBe(BODIES);
  });

  test.each<[what: string, emails: LiveEmail[], from: string, to: string]>([
    [
      'a literal block keeps its indentation, its comment and the blank lines behind it',
      [{ ...first, email_body: 'Hi {FIRST_NAME},\n\n  it is # long.\n' }, second],
      '          it is short.\n',
      '            it is # long.\n',
    ],
    [
      'a text whose last line end the service took off',
      [{ ...first, email_body: 'Hi,\nbye' }, second],
      '|   # in plain words\n          Hi {FIRST_NAME},\n\n          it is short.\n',
      '|   # in plain words\n          Hi,\n          bye\n',
    ],
    [
      'a folded block is wrapped again',
      [
        first,
        { ...second, email_body: 'A paragraph that was wrapped by hand once more, and more.\nAnother one.' },
      ],
      'A paragraph that was\n        wrapped by hand.\n',
      'A paragraph that was wrapped by hand once more, and more.\n',
    ],
    [
      'what an editor would not show is escaped',
      [first, { ...second, email_subject: 'Plain\u200bone' }],
      'email_subject: Plain one\n',
      'email_subject: "Plain\\u200Bone"\n',
    ],
  ])('%s', (_, emails, from, to) => {
    expect(BODIES).toContain(from);
    const at = BODIES.lastIndexOf(from);
    expect(inSyncAfter(BODIES, { emails })).toBe(BODIES.slice(0, at) + to + BODIES.slice(at + from.length));
  });
});

test.each([
  [
    'at the end of a file without a line end',
    '      email_body: B',
    'a\nb\n\n',
    '      email_body: |+\n        a\n        b\n\n',
  ],
])('a block %s', (_, from, body, to) => {
  const text = (own: string) =>
    `name: Spring\nsequence:\n  title: T\n  steps:\n    - email_subject: S\n      wait_in_days: 3\n${own}`;
  expect(inSyncAfter(text(from), { emails: [email('S', body)] })).toBe(text(to));
});

describe('variants', () => {
  const text = `name: Spring
sequence:
  title: T
  steps:
    - { email_subject: S, email_body: B, wait_in_days: 3, variants: [ { email_subject: V, email_body: W } ] }
    - email_subject: S2
      email_body: B2
      wait_in_days: 3
      # other words
      variants:
        # short
        - email_subject: V2
          email_body: W2
      thread_reply: false
`;
  const live = [
    email('S', 'B'),
    { ...email('V', 'W'), of: 0 },
    email('S2', 'B2'),
    { ...email('V2', 'W2'), of: 1 },
  ];
  const changed = (...changes: (Partial<LiveEmail> | null)[]) =>
    live.flatMap((one, index) => (changes[index] === null ? [] : [{ ...one, ...changes[index] }]));

  test.each<[what: string, emails: LiveEmail[], pairs: [from: string, to: string][]]>([
    [
      'follow their step',
      changed({ wait_in_days: 5 }, { wait_in_days: 5 }),
      [['wait_in_days: 3, v', 'wait_in_days: 5, v']],
    ],
  ])('%s', (_, emails, pairs) => {
    const after = pairs.reduce((so, [from, to]) => so.replace(from, to), text);
    expect(inSyncAfter(text, { emails })).toBe(after);
  });

  test('need a key that they do not have where they no longer follow their step', () => {
    const emails = changed({ wait_in_days: 5 }, {}, { wait_in_days: 6 });
    const seen = update({ [FILE]: text }, { emails });
    expect(seen.files[FILE]).toBe(
      text
        .replace('wait_in_days: 3, v', 'wait_in_days: 5, v')
        .replace('wait_in_days: 3\n', 'wait_in_days: 6\n'),
    );
    expect(seen.update.by_hand).toEqual([
      {
        ...{ section: 'sequence', path: 'steps[0].variants[0].wait_in_days', file: FILE, line: 5 },
        ...{ reason: expect.stringContaining('not a single value'), text: 'wait_in_days: 3\n' },
      },
      {
        ...{ section: 'sequence', path: 'steps[1].variants[0].wait_in_days', file: FILE, line: 12 },
        ...{ reason: expect.stringContaining('not a single value'), text: 'wait_in_days: 3\n' },
      },
    ]);
  });
});

test.each<[what: string, emails: LiveEmail[]]>([
  ['removed', [email('One', 'first')]],
  ['added', [email('One', 'first'), email('New', 'new'), email('Two', 'second')]],
  ['moved', [email('Two', 'second'), email('One', 'first')]],
])('where a step was %s, all live steps are for a person to write', (_, emails) => {
  const text = `name: Spring
status: paused
sequence:
  title: T
  steps:
    - { email_subject: One, email_body: first, wait_in_days: 3 }
    - { email_subject: Two, email_body: second, wait_in_days: 3 }
`;
  const { files, update: made } = update({ [FILE]: text }, { emails, status: 'active' });
  expect(files[FILE]).toBe(text.replace('paused', 'running'));
  const steps = emails.map(
    ({ email_subject, email_body }) =>
      `  - email_subject: ${email_subject}\n    email_body: ${email_body}\n    wait_in_days: 3\n`,
  );
  expect([made.in_sync, made.by_hand]).toEqual([
    false,
    [
      {
        ...{ section: 'sequence', path: 'steps', file: FILE, line: 5 },
        ...{ reason: expect.stringContaining('added, removed or moved'), text: `steps:\n${steps.join('')}` },
      },
    ],
  ]);
});

test('what the service holds is written so that it is no expression', () => {
  const { files, left: kept } = left(steps('B'), { emails: [email('S', 'Pay $${{ x }} or ${{ y }}')] });
  expect([files[FILE], kept]).toEqual([steps('Pay $$${{ x }} or $${{ y }}'), []]);
});

test.each(['x\ny\n', '  blanks  \n', '---\n# a\n', 'key: value'])(
  'a body in a file of its own is for a person to write: %j',
  (live) => {
    const text = `name: Spring
sequence:
  title: T
  steps:
    - { email_subject: S, email_body_file: ../emails/a.html, wait_in_days: 3 }
`;
    const before = { [FILE]: text, 'emails/a.html': 'old' };
    const { files, update: made } = update(before, { emails: [email('S', live)] });
    expect([files, made.in_sync, made.by_hand]).toEqual([
      before,
      false,
      [
        {
          ...{ section: 'sequence', path: 'steps[0].email_body', file: 'emails/a.html', line: 1 },
          ...{ reason: 'it is in emails/a.html, which is not edited', text: live },
        },
      ],
    ]);
  },
);
