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
      'A paragraph that was wrapped by hand\n        once more, and more.\n',
    ],
    [
      'a step that is a reply now, and waits longer',
      [first, { ...second, email_subject: 'Re: Plain one', wait_in_days: 5, thread_reply: true }],
      '      wait_in_days: 3\n# end',
      '      wait_in_days: 5\n      thread_reply: true\n# end',
    ],
    [
      'a reply of another subject, without the mark that the service puts in front',
      [first, { ...second, email_subject: 'Re: Another', thread_reply: true }],
      'email_subject: Plain one\n      email_body: >-\n        A paragraph that was\n        wrapped by hand.\n\n        Another one.\n      wait_in_days: 3\n',
      'email_subject: Another\n      email_body: >-\n        A paragraph that was\n        wrapped by hand.\n\n        Another one.\n      wait_in_days: 3\n      thread_reply: true\n',
    ],
    [
      'paragraphs of a folded block that are as they were keep their lines',
      [first, { ...second, email_body: 'A paragraph that was wrapped by hand.\nThe last one.' }],
      '        Another one.\n',
      '        The last one.\n',
    ],
    [
      'what an editor would not show is escaped',
      [first, { ...second, email_subject: 'Plain\u200bone' }],
      'email_subject: Plain one\n',
      'email_subject: "Plain\\u200Bone"\n',
    ],
    [
      'a step that is gone, with the comment above it',
      [first],
      BODIES.slice(BODIES.indexOf('\n\n    # the second'), BODIES.indexOf('# end')),
      '',
    ],
    [
      'a third step, as the others are written',
      [first, second, email('Re: Plain: one', 'Bye.\n', { thread_reply: true, wait_in_days: 1 })],
      '      wait_in_days: 3\n# end',
      `      wait_in_days: 3

    - email_subject: "Plain: one"
      email_body: |
        Bye.
      wait_in_days: 1
      thread_reply: true
# end`,
    ],
    [
      'the first two variants',
      [
        first,
        { ...email('Other', 'Other body', { wait_in_days: 4 }), of: 0 },
        { ...email('Another', 'x\n'), of: 0 },
        second,
      ],
      '      wait_in_days: 3     # days\n',
      `      wait_in_days: 3     # days
      variants:
        - email_subject: Other
          email_body: Other body
          wait_in_days: 4
        - email_subject: Another
          email_body: "x\\n"
`.replace('"x\\n"', '|\n            x'),
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
  [
    'with its indentation in digits',
    '      email_body: |2\n          deep\n        B\n',
    '  deep\nC\n',
    '      email_body: |2\n          deep\n        C\n',
  ],
])('a block %s', (_, from, body, to) => {
  const text = (own: string) =>
    `name: Spring\nsequence:\n  title: T\n  steps:\n    - email_subject: S\n      wait_in_days: 3\n${own}`;
  expect(inSyncAfter(text(from), { emails: [email('S', body)] })).toBe(text(to));
});

test('an item that is new has the blanks of the others behind its dash', () => {
  const item = (subject: string) =>
    `    -   email_subject: ${subject}\n        email_body: B\n        wait_in_days: 3\n`;
  const text = `name: Spring\nsequence:\n  title: T\n  steps:\n${item('S')}`;
  expect(inSyncAfter(text, { emails: [email('S', 'B'), email('T', 'B')] })).toBe(text + item('T'));
});

test('what looks like a comment above a step that is gone may be the end of the body before it', () => {
  const text = (end: string) =>
    `name: Spring\nsequence:\n  title: T\n  steps:\n    - email_subject: S\n      wait_in_days: 3\n      email_body: |\n        B\n        # B\n${end}`;
  const gone = '    - email_subject: T\n      email_body: C\n      wait_in_days: 3\n';
  expect(inSyncAfter(text(gone), { emails: [email('S', 'B\n# B\n')] })).toBe(text(''));
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
    [
      'get a key of their own where they no longer follow it',
      changed({ wait_in_days: 5 }, {}, { wait_in_days: 6 }, { thread_reply: true }),
      [
        ['wait_in_days: 3, v', 'wait_in_days: 5, v'],
        ['email_body: W }', 'email_body: W, wait_in_days: 3 }'],
        ['      wait_in_days: 3\n', '      wait_in_days: 6\n'],
        ['email_body: W2\n', 'email_body: W2\n          wait_in_days: 3\n          thread_reply: true\n'],
      ],
    ],
    [
      'are taken out, and the last one with its key',
      changed({}, null, {}, null),
      [
        ['variants: [ { email_subject: V, email_body: W } ]', ''],
        [
          '      # other words\n      variants:\n        # short\n        - email_subject: V2\n          email_body: W2\n',
          '',
        ],
      ],
    ],
    [
      'come to the others',
      [...live, { ...email('X', 'Y'), of: 0 }, { ...email('X2', 'Y2'), of: 1 }],
      [
        ['email_body: W }', 'email_body: W }, { email_subject: X, email_body: "Y" }'],
        [
          '          email_body: W2\n',
          '          email_body: W2\n        - email_subject: X2\n          email_body: Y2\n',
        ],
      ],
    ],
  ])('%s', (_, emails, pairs) => {
    const after = pairs
      .reduce((so, [from, to]) => so.replace(from, to), text)
      .replace('wait_in_days: 3,  }', 'wait_in_days: 3 }');
    expect(inSyncAfter(text, { emails })).toBe(after);
  });
});

test('a step that came or went in the middle leaves the others and their comments alone', () => {
  const one =
    '    # one\n    - email_subject: One\n      email_body: 1\u00a0st   # legal\n      wait_in_days: 3\n';
  const two = '    # two\n    - { email_subject: Two, email_body: second, wait_in_days: 4 }\n';
  const three = '    # three\n    - { email_subject: Three, email_body: third, wait_in_days: 5 }\n';
  const whole = (...steps: string[]) => `name: Spring\nsequence:\n  title: T\n  steps:\n${steps.join('')}`;
  const live = [
    email('One', '1\u00a0st', { wait_in_days: 3 }),
    email('Two', 'second', { wait_in_days: 4 }),
    email('Three', 'third', { wait_in_days: 5 }),
  ];
  const [first, , last] = live;
  if (first === undefined || last === undefined) throw new Error('three were expected');
  expect(inSyncAfter(whole(one, two, three), { emails: [first, last] })).toBe(whole(one, three));
  expect(inSyncAfter(whole(one, two, three), { emails: live.slice(1) })).toBe(whole(two, three));
  const added = inSyncAfter(whole(one, three), { emails: live });
  expect(added.startsWith(whole(one))).toBe(true);
  expect(added.endsWith(three)).toBe(true);
  expect(added).toContain('email_subject: Two');
});

test('what the service holds is written so that it is no expression', () => {
  const { files, left: kept } = left(steps('B'), { emails: [email('S', 'Pay $${{ x }} or ${{ y }}')] });
  expect([files[FILE], kept]).toEqual([steps('Pay $$${{ x }} or $${{ y }}'), []]);
});

describe('bodies in files', () => {
  const text = `name: Spring
sequence:
  title: T
  steps:
    - { email_subject: S, email_body_file: ../emails/a.html, wait_in_days: 3 }
`;
  const body = 'emails/a.html';

  test.each(['x\ny\n', 'x\r\ny\n', '  blanks  \n', '---\n# a\n', '👋\ttab', 'key: value'])(
    '%j byte for byte',
    (live) => {
      const { files, update: made } = update({ [FILE]: text, [body]: 'old' }, { emails: [email('S', live)] });
      expect([files, made.in_sync, made.updated.map(({ file }) => file)]).toEqual([
        { [FILE]: text, [body]: live },
        true,
        [body],
      ]);
    },
  );

  test.each([
    ['old\n', 'x\r\ny', 'x\ny\n'],
    ['old\r\n', 'x\ny\n', 'x\r\ny\r\n'],
  ])('%j keeps its line ends with %j', (before, live, after) => {
    const { files, update: made } = update({ [FILE]: text, [body]: before }, { emails: [email('S', live)] });
    expect([files[body], made.in_sync]).toEqual([after, true]);
  });

  test('are left alone where something else uses the file', () => {
    const twice = `${text}    - { email_subject: T, email_body_file: ../emails/a.html, wait_in_days: 3 }\n`;
    const live = { emails: [email('S', 'new'), email('T', 'old')] };
    const seen = left(twice, live, {}, { [body]: 'old' });
    expect(seen.files).toEqual({ [FILE]: twice, [body]: 'old' });
    expect(seen.left).toEqual([
      'sequence steps[0].email_body: emails/a.html is also the body of other emails',
    ]);
  });
});
