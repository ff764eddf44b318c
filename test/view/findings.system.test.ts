import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LocatedFinding } from '../../src/model/outputs.js';
import {
  type RuleText,
  renderFindingsGithub,
  renderFindingsJunit,
  renderFindingsSarif,
} from '../../src/view/reports.js';
import { printable, visible, visibleLine } from '../../src/view/terminal.js';
import { finding, hostileFindings, MOVES } from './findings.js';
import { commandsIn } from './runner.js';
import { parseXml } from './xml.js';

const RULES: RuleText[] = [
  { code: 'variable-case', severity: 'error', summary: 'Not in upper case.', help: 'Switch it off.' },
  { code: 'liquid', severity: 'warning', summary: 'Liquid.', help: '' },
  { code: 'wrong-value', severity: 'error', summary: 'Not a value that the key takes.', help: '' },
];
const TOOL = { rules: RULES, version: '1.2.3' };

/** The schema uses draft 4, which for this schema differs from the current draft only in the name of `id`. */
const {
  id: _id,
  $schema: _draft,
  ...schema
} = createRequire(import.meta.url)('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json');
const PATH = /^(?![a-z][a-z0-9+.-]*:)(?:[\w.~!$&'()*+,;=:@/-]|%[0-9A-F]{2})*$/i;
const ajv = new Ajv({
  strict: false,
  // One pattern of the schema is invalid in Unicode mode.
  unicodeRegExp: false,
  formats: { uri: /^https:\/\/[\w./-]+$/, 'uri-reference': PATH, 'date-time': true },
});
const isValid = ajv.compile(schema);

interface Result {
  ruleId: string;
  ruleIndex: number;
  level: string;
  message: { text: string };
  locations: [{ physicalLocation: { artifactLocation: { uri: string; uriBaseId: string }; region: object } }];
  partialFingerprints: Record<string, string>;
}

function runOf(log: string) {
  const value = JSON.parse(log);
  isValid(value);
  expect(isValid.errors).toBe(null);
  return value.runs[0] as {
    tool: { driver: { rules: { id: string; help: { text: string } }[] } };
    results: Result[];
  };
}

function resultsOf(findings: readonly LocatedFinding[]): Result[] {
  return runOf(renderFindingsSarif(findings, TOOL)).results;
}

function marksOf(findings: readonly LocatedFinding[]): (string | undefined)[] {
  return resultsOf(findings).map(({ partialFingerprints }) => partialFingerprints['campaignctlFinding/v1']);
}

test('the schema refuses invalid logs', () => {
  expect(isValid({ version: '2.1.0', runs: [{ results: [] }] })).toBe(false);
});

test('a log has the tool, every rule with its help, and the findings with their positions', async () => {
  const log = renderFindingsSarif([finding()], { ...TOOL, rules: RULES.slice(0, 1) });
  await expect(log).toMatchFileSnapshot('golden/findings.sarif');
});

test('a finding has its own level, whatever the default of its rule; an unknown rule has no index', () => {
  const results = resultsOf([
    finding({ severity: 'warning' }),
    finding({ code: 'liquid' }),
    finding({ code: 'new' }),
  ]);
  expect(results.map(({ ruleId, ruleIndex, level }) => [ruleId, ruleIndex, level])).toEqual([
    ['liquid', 1, 'error'],
    ['new', -1, 'error'],
    ['variable-case', 0, 'warning'],
  ]);
});

test('a file is named by a relative URI, whatever its name', () => {
  const files = [
    'campaigns/été 2.yaml',
    'a:b/c.yaml',
    'campaigns/50%#?.yaml',
    '../x.yaml',
    'half \ud800.yaml',
  ];
  const uris = resultsOf(files.map((file) => finding({ file }))).map(
    ({ locations: [{ physicalLocation }] }) => physicalLocation.artifactLocation.uri,
  );
  expect(uris).toEqual([
    'campaigns/%C3%A9t%C3%A9%202.yaml',
    'a%3Ab/c.yaml',
    'campaigns/50%25%23%3F.yaml',
    '../x.yaml',
    'half%20%EF%BF%BD.yaml',
  ]);
});

test('no quoted text in a message becomes a link', () => {
  const [link] = resultsOf([finding({ message: 'See [here](https://example.com) and steps[0].', hint: '' })]);
  expect(link?.message.text).toBe('See [here] (https://example.com) and steps[0].');
});

test('a fingerprint stays the same if the line moves or is indented, or if the message changes', () => {
  const [mark] = marksOf([finding()]);
  expect(marksOf([finding({ line: 90 })])).toEqual([mark]);
  expect(marksOf([finding({ excerpt: `  ${finding().excerpt}`, column: 10 })])).toEqual([mark]);
  expect(marksOf([finding({ message: 'step 2, email_body: another.', hint: '' })])).toEqual([mark]);
});

test('a fingerprint depends on rule, file, line text and marked text, and numbers equal ones', () => {
  const marks = marksOf([
    finding(),
    finding({ code: 'liquid' }),
    finding({ file: 'campaigns/autumn.yaml' }),
    finding({ excerpt: '    Hi {first_name}, hello' }),
    finding({ column: 5 }),
  ]);
  expect(new Set(marks).size).toBe(5);
  const [first, second] = marksOf([finding(), finding({ line: 12 })]);
  expect(second).toBe(first?.replace(/:1$/, ':2'));
});

test('errors come first', () => {
  const results = resultsOf([finding({ severity: 'warning' }), finding({ line: 2 })]);
  expect(results.map(({ level }) => level)).toEqual(['error', 'warning']);
});

test('any text gives a valid log that neither moves a terminal nor starts a command', () => {
  fc.assert(
    fc.property(hostileFindings, (findings) => {
      const log = renderFindingsSarif(findings, TOOL);
      expect(runOf(log).results).toHaveLength(findings.length);
      for (const { message } of runOf(log).results) {
        expect(message.text).not.toMatch(MOVES);
        expect(message.text).not.toMatch(/\p{Surrogate}|\]\(/u);
      }
      expect(printable(log)).toBe(log);
    }),
  );
});

test('annotations: the runner reads back exactly the findings', () => {
  fc.assert(
    fc.property(hostileFindings, (findings) => {
      const log = renderFindingsGithub(findings);
      const commands = commandsIn(log).filter(({ name }) => name !== 'notice');
      expect(log.split('\n')).toHaveLength(commandsIn(log).length + 1);
      const meant = new Set(
        findings.map(({ severity, file, line, column, length, code }) =>
          JSON.stringify([severity, file, `${line}`, `${line}`, `${column}`, `${column + length - 1}`, code]),
        ),
      );
      for (const { name, properties, text } of commands) {
        expect(meant).toContain(JSON.stringify([name, ...Object.values(properties)]));
        expect(text).not.toMatch(MOVES);
        expect(commandsIn(text)).toEqual([]);
      }
      const first = findings.find(({ severity }) => severity === 'error');
      if (first !== undefined)
        expect(commands[0]?.text.length).toBeGreaterThanOrEqual(visibleLine(first.message).length);
      expect(visible(log)).not.toMatch(MOVES);
      expect(commandsIn(visible(log)).map(({ name }) => name)).toEqual(
        commandsIn(log).map(({ name }) => name),
      );
    }),
  );
});

test('JUnit: the report is well-formed and its counts are correct', () => {
  fc.assert(
    fc.property(hostileFindings, (findings) => {
      const xml = renderFindingsJunit(findings, ['campaigns/a.yaml']);
      const report = parseXml(xml);
      const cases = report.children.flatMap(({ children }) => children);
      const failures = cases.filter(({ children }) => children.some(({ name }) => name === 'failure'));
      expect(report.attributes).toMatchObject({
        tests: `${cases.length}`,
        failures: `${failures.length}`,
      });
      for (const { attributes, children } of report.children)
        expect(attributes.tests).toBe(`${children.length}`);
      expect(failures.length > 0).toBe(findings.some(({ severity }) => severity === 'error'));
      expect(xml).not.toMatch(MOVES);
      expect(printable(xml)).toBe(xml);
    }),
  );
});
