import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** Words that were given up for standard terms. */
const GIVEN_UP = new RegExp(
  `\\b(?:${[
    // Code, JSON and options.
    'aspects?|resources?(?![-_])|trails?|surveys?|takeStock|lookAt|lookFor|portrait\\w*|portray\\w*|Sides|express(?=\\()',
    'CampaignRecord|NEWBORN|Harvest|\\w*[wW]ish|stem|reach(?=[:,;)}\\]]| =)|Standing|standing(?=:)|dropped-step|is-adopted',
    '[pP]atien(?:ce|t)|PATIEN\\w+|onward|Announced|ResourceName|liveSubject|newSubject|settle[ds]?|unsettled',
    'one_way|alter|remember(?=\\()|not[-_]managed|notManaged|not made yet|sandbox --like',
    // Messages and pages.
    '[nN]obody|[sS]omebody|[wW]hoever|[aA]nybody|[sS]ome installations|needs?[- ](?:a|no)[- ]word(?! of)',
    'this interface|web page of the service|taken back by|be taken back|allowed by name|Live now|To be(?= \\|)',
    'Nothing to do|is not known here|[aA]s above|single leads|Another apply is at work|go(?:es)? out as it stands',
    '(?<=\\()[\\w-]+ is \\d+(?=\\))|first mail|id none|(?:manifests?|applied before) (?:is|are) gone|it is for apply',
  ].join('|')})\\b`,
);

/** Where one of them is right: the name of a policy, what people are called, a field of Kubernetes, and what was renamed or removed. */
const RIGHT: readonly RegExp[] = [
  /recommended\/patience/,
  /^ +patience: \{/,
  /"patience": \{/,
  /"title": "patience"/,
  /with more patience/,
  /^ {2}\['patience', |patience: off/,
  /^ +"resources": \{/,
  /^\|.*\|.*\|.*\|$/,
  /^- Of the library: `survey`/,
];

const root = fileURLToPath(new URL('../..', import.meta.url));
const FOLDERS = ['src', 'schemas', 'docs', 'test', 'examples', 'scripts', 'bench'];
const PAGES = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'action.yml'];
const FILES = [
  ...FOLDERS.flatMap((folder) =>
    readdirSync(`${root}/${folder}`, { recursive: true, encoding: 'utf8' }).map(
      (file) => `${folder}/${file}`,
    ),
  ),
  ...PAGES,
]
  .map((file) => file.replaceAll('\\', '/'))
  .filter(
    (file) =>
      /\.(ts|js|json|md|ya?ml|txt|html|sh)$/.test(file) &&
      !file.includes('.generated.') &&
      file !== 'test/architecture/words.test.ts',
  );

test('words that were given up are nowhere, nor in the name of a file', () => {
  const wordIn = (line: string) =>
    RIGHT.some((right) => right.test(line)) ? undefined : GIVEN_UP.exec(line)?.[0];
  const found = FILES.flatMap((file) => {
    const lines = readFileSync(`${root}/${file}`, 'utf8').split('\n');
    return [file, ...lines].flatMap((line, at) => {
      const word = wordIn(line);
      return word === undefined ? [] : [`${file}:${at}: ${word}`];
    });
  });
  expect(FILES.length).toBeGreaterThan(600);
  expect(found).toEqual([]);
});
