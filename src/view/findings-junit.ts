import type { LocatedFinding } from '../model/problem.js';
import { renderFindingsText } from './findings-text.js';
import { characters, plain, visible, visibleLine } from './terminal.js';

const WIDTH = 100;

type Attributes = Record<string, string | number>;

/**
 * Problems of source files as a JUnit report: a suite for each file that was checked, in it a case for each kind of problem,
 * or one that passed. GitLab tells new failures from known ones by the names of the cases, so these hold no line. Warnings
 * pass and are told as the output of their case: a report knows no other weight than failed.
 */
export function renderFindingsJunit(findings: readonly LocatedFinding[], files: readonly string[]): string {
  const byFile = new Map<string, LocatedFinding[]>(files.map((file) => [file, []]));
  for (const finding of findings) addTo(byFile, finding.file, finding);
  const suites = [...byFile].sort(([left], [right]) => (left < right ? -1 : 1)).map(suiteOf);
  const counts = {
    tests: suites.reduce((sum, { tests }) => sum + tests, 0),
    failures: suites.reduce((sum, { failures }) => sum + failures, 0),
    errors: 0,
  };
  const inner = suites.map(({ xml }) => xml).join('');
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', { name: 'campaignctl validate', ...counts }, `\n${inner}`)}`;
}

function suiteOf([file, findings]: [string, LocatedFinding[]]) {
  const byCode = new Map<string, LocatedFinding[]>();
  for (const finding of findings) addTo(byCode, finding.code, finding);
  const cases = [...byCode].map(([code, kind]) => caseOf(`${file}: ${code}`, file, outcome(kind)));
  if (cases.length === 0) cases.push(caseOf(file, file, ''));
  const failures = [...byCode.values()].filter((kind) => kind.some(isFailure)).length;
  const attributes = { name: file, tests: cases.length, failures, errors: 0, skipped: 0 };
  return { tests: cases.length, failures, xml: element('testsuite', attributes, `\n${cases.join('')}`) };
}

/** Jenkins splits a class name at its last dot into package and class: a file name is no good as one. */
function caseOf(name: string, file: string, inner: string): string {
  return element('testcase', { classname: 'campaignctl.validate', name, file, time: 0 }, inner);
}

function outcome(kind: readonly LocatedFinding[]): string {
  const text = escaped(renderFindingsText(kind, { paint: plain, width: WIDTH }).trimEnd());
  const failed = kind.find(isFailure);
  if (failed === undefined) return `\n${element('system-out', {}, text)}`;
  const more = kind.length > 1 ? ` (and ${kind.length - 1} more)` : '';
  const message = `line ${failed.line}: ${failed.message}${more}`;
  return `\n${element('failure', { message, type: failed.code }, text)}`;
}

function isFailure({ severity }: LocatedFinding): boolean {
  return severity !== 'warning';
}

function addTo(groups: Map<string, LocatedFinding[]>, key: string, finding: LocatedFinding): void {
  const own = groups.get(key);
  if (own === undefined) groups.set(key, [finding]);
  else own.push(finding);
}

/** An element on a line of its own; `inner` is XML already. */
function element(name: string, attributes: Attributes, inner: string): string {
  const written = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${escaped(visibleLine(String(value)))}"`,
  );
  const head = `${name}${written.join('')}`;
  return inner === '' ? `<${head}/>\n` : `<${head}>${inner}</${name}>\n`;
}

/** Nothing that XML cannot hold is left. Colons and hashes as in `::` and `##[` could start a command of a log. */
function escaped(text: string): string {
  return characters(visible(text)).replace(
    /[&<>"']|:(?=:)|#(?=#)/g,
    (character) => `&#${character.charCodeAt(0)};`,
  );
}
