import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** Words that were given up for those of the vocabulary in ARCHITECTURE.md. */
const GIVEN_UP = [
  ...['aspects?', 'trails?', 'surveys?', 'takeStock', 'lookAt', 'lookFor', 'portrait\\w*', 'portray\\w*'],
  ...[
    'CampaignRecord',
    'NEWBORN',
    'Harvest',
    '\\w*[wW]ish',
    'reach(?=[:,;)}\\]]| =)',
    'Standing',
    'standing(?=:)',
  ],
  ...['[pP]atien(?:ce|t)', 'PATIEN\\w+', 'onward', 'Announced', 'ResourceName', 'liveSubject', 'newSubject'],
  ...['one_way', 'alter', 'unsettled', 'remember(?=\\()', 'not[-_]managed', 'notManaged', 'not made yet'],
  ...['this interface', 'web page of the service', 'taken back by', 'allowed by name', 'Live now'],
  ...[
    '[nN]obody',
    '[sS]omebody',
    '[wW]hoever',
    '[aA]nybody',
    'Nothing to do',
    'is not known here',
    'as above',
    '[sS]ome installations',
    'settle(?=\\()',
  ],
];

/** Where one of them is right: the name of a policy, and what people are called. */
const RIGHT: readonly RegExp[] = [
  /recommended\/patience/,
  /^ +patience: \{/,
  /"patience": \{/,
  /with more patience/,
];

const root = fileURLToPath(new URL('../..', import.meta.url));
const pages = ['src', 'schemas', 'docs'].flatMap((folder) =>
  readdirSync(`${root}/${folder}`, { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
);
const FILES = [...pages, 'README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md'].filter(
  (file) => /\.(ts|json|md)$/.test(file) && !file.includes('.generated.'),
);

test('words that were given up are nowhere', () => {
  const words = new RegExp(`\\b(?:${GIVEN_UP.join('|')})\\b`);
  const found = FILES.flatMap((file) =>
    readFileSync(`${root}/${file}`, 'utf8')
      .split('\n')
      .flatMap((line, at) => {
        const word = RIGHT.some((right) => right.test(line)) ? undefined : words.exec(line)?.[0];
        return word === undefined ? [] : [`${file}:${at + 1}: ${word}`];
      }),
  );
  expect(FILES.length).toBeGreaterThan(150);
  expect(found).toEqual([]);
});
