/** Findings as annotations, JUnit and SARIF. */
import { createHash } from 'node:crypto';
import { groupBy } from '../model/json.js';
import type { FindingPlace, LocatedFinding } from '../model/outputs.js';
import { errorsAndWarnings, isFailure, renderFindingsText } from './problems.js';
import { escapedMarkup, plain, printable, renderJson, visible, visibleLine } from './terminal.js';

/** Number of annotations of each level that GitHub keeps. */
const MAX_ANNOTATIONS = 10;

/** For `Shell.annotate`. Paths are relative to the repository's root. */
export function renderFindingsGithub(findings: readonly LocatedFinding[]): string {
  const [errors, warnings] = bySeverity(findings);
  const omitted = errorsAndWarnings(
    errors.length - MAX_ANNOTATIONS,
    warnings.length - MAX_ANNOTATIONS,
    'more ',
  );
  const note = `GitHub shows at most ${MAX_ANNOTATIONS} errors and ${MAX_ANNOTATIONS} warnings per step. Left out here: ${omitted}. The log of this step shows everything.`;
  return [
    ...[errors, warnings].flatMap((each) => withFurther(each).slice(0, MAX_ANNOTATIONS)).map(annotation),
    ...(omitted === '' ? [] : [workflowCommand('notice', { title: `${omitted} in the log` }, note)]),
  ].join('');
}

function bySeverity(findings: readonly LocatedFinding[]) {
  const errors = findings.filter(isFailure);
  return [errors, findings.filter((finding) => !isFailure(finding))] as const;
}

/** Each finding once, then at its further places. */
function withFurther(findings: readonly LocatedFinding[]): LocatedFinding[] {
  const further = findings.flatMap(({ also = [], ...finding }) =>
    also.map((place) => ({ ...finding, ...place })),
  );
  return [...findings, ...further];
}

function annotation(finding: LocatedFinding): string {
  const { file, line, column, length, code, message, hint } = finding;
  // If the end column is missing, GitHub uses the first column.
  const place = { file, line, endLine: line, col: column, endColumn: column + length - 1 };
  const text = [message, ...(hint === '' ? [] : [`→ ${hint}`])].map(visibleLine).join('\n');
  return workflowCommand(findingLevel(finding), { ...place, title: code }, text);
}

function findingLevel(finding: LocatedFinding): 'error' | 'warning' {
  return isFailure(finding) ? 'error' : 'warning';
}

/** Escapes in the reverse order of the runner (`ActionCommand.cs` in actions/runner). */
function workflowCommand(
  name: 'error' | 'warning' | 'notice',
  properties: Record<string, string | number>,
  text: string,
): string {
  const data = (part: string) => part.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
  const property = (part: string) => data(part).replaceAll(':', '%3A').replaceAll(',', '%2C');
  const written = Object.entries(properties).map(([key, value]) => `${key}=${property(String(value))}`);
  return `::${name} ${written.join(',')}::${data(printable(text))}\n`;
}

const REPORT_WIDTH = 100;

/**
 * One suite per file, and one case per kind of problem. Names contain no line numbers, so that GitLab recognises known
 * failures. Warnings count as passed and appear as output.
 */
export function renderFindingsJunit(findings: readonly LocatedFinding[], files: readonly string[]): string {
  const byFile = groupBy(findings, ({ file }) => file);
  const all = [...new Set([...files, ...byFile.keys()])].sort();
  const suites = all.map((file) => buildSuite(file, byFile.get(file) ?? []));
  const sum = (key: 'tests' | 'failures') => suites.reduce((so, suite) => so + suite[key], 0);
  const numbers = { name: 'campaignctl validate', tests: sum('tests'), failures: sum('failures'), errors: 0 };
  const inner = suites.map(({ xml }) => xml).join('');
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', numbers, `\n${inner}`)}`;
}

function buildSuite(file: string, findings: readonly LocatedFinding[]) {
  const kinds = [...groupBy(findings, ({ code }) => code)];
  // Jenkins splits a class name at its last dot.
  const caseOf = (name: string, inner: string) =>
    element('testcase', { classname: 'campaignctl.validate', name, file, time: 0 }, inner);
  const cases =
    kinds.length === 0
      ? [caseOf(file, '')]
      : kinds.map(([code, kind]) => caseOf(`${file}: ${code}`, outcome(kind)));
  const failures = kinds.filter(([, kind]) => kind.some(isFailure)).length;
  const attributes = { name: file, tests: cases.length, failures, errors: 0, skipped: 0 };
  return { tests: cases.length, failures, xml: element('testsuite', attributes, `\n${cases.join('')}`) };
}

function outcome(kind: readonly LocatedFinding[]): string {
  const text = escapedMarkup(
    visible(renderFindingsText(kind, { paint: plain, width: REPORT_WIDTH }).trimEnd()),
  );
  const failed = kind.find(isFailure);
  if (failed === undefined) return `\n${element('system-out', {}, text)}`;
  const more = kind.length > 1 ? ` (and ${kind.length - 1} more)` : '';
  const message = `line ${failed.line}: ${failed.message}${more}`;
  return `\n${element('failure', { message, type: failed.code }, text)}`;
}

/** `inner` is XML. */
function element(name: string, attributes: Record<string, string | number>, inner: string): string {
  const written = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${escapedMarkup(visibleLine(String(value)))}"`,
  );
  const head = `${name}${written.join('')}`;
  return inner === '' ? `<${head}/>\n` : `<${head}>${inner}</${name}>\n`;
}

export interface RuleText {
  code: string;
  severity: 'error' | 'warning';
  summary: string;
  help: string;
}

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';
const ROOT = '%SRCROOT%';

/** Renders SARIF 2.1.0, errors first. Paths are relative to the repository's root. `rules`: all rules. */
export function renderFindingsSarif(
  findings: readonly LocatedFinding[],
  { rules, version }: { rules: readonly RuleText[]; version: string },
): string {
  const codes = rules.map(({ code }) => code);
  const ranked = bySeverity(findings).flat();
  const marks = fingerprints(ranked);
  return renderJson({
    $schema: SCHEMA,
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'campaignctl', version, rules: rules.map(buildRule) } },
        columnKind: 'utf16CodeUnits',
        originalUriBaseIds: { [ROOT]: { description: { text: 'The root of the repository.' } } },
        results: ranked.map((finding, at) =>
          buildResult(finding, marks[at] ?? '', codes.indexOf(finding.code)),
        ),
      },
    ],
  });
}

function buildRule({ code, severity, summary, help }: RuleText) {
  // Untrusted text must not contain links.
  const text = literal(summary);
  return {
    id: code,
    shortDescription: { text },
    fullDescription: { text },
    help: { text: `${text} ${help}` },
    defaultConfiguration: { level: severity },
  };
}

function buildResult(finding: LocatedFinding, mark: string, ruleIndex: number) {
  const { code, message, hint, also } = finding;
  const text = hint === '' ? message : `${message} ${hint}`;
  return {
    ruleId: code,
    ruleIndex,
    level: findingLevel(finding),
    message: { text: literal(text) },
    locations: [buildLocation(finding)],
    ...(also && { relatedLocations: also.map(buildLocation) }),
    // GitHub computes `primaryLocationLineHash` itself and rejects other values.
    partialFingerprints: { 'campaignctlFinding/v1': mark },
  };
}

function buildLocation({ file, line, column, length }: FindingPlace) {
  return {
    physicalLocation: {
      artifactLocation: { uri: encodeUri(file), uriBaseId: ROOT },
      region: { startLine: line, startColumn: column, endLine: line, endColumn: column + length },
    },
  };
}

/** Escapes links. Contrary to SARIF 3.11.5, braces stay single, because viewers show them unchanged. */
function literal(text: string): string {
  return visibleLine(text).replaceAll('](', '] (');
}

/** Encodes a path as a relative URI, without scheme, query or fragment. */
function encodeUri(file: string): string {
  return file
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .split('/')
    .map(encodeURIComponent)
    .join('/');
}

/** Identifies findings even if lines move: a hash of the code, the file, the text of the line and the marked text, and a counter for equal hashes. */
function fingerprints(findings: readonly LocatedFinding[]): string[] {
  const hashes = findings.map(({ code, file, excerpt, column, length }) => {
    const meant = excerpt.slice(column - 1, column - 1 + length);
    const what = JSON.stringify([code, file, excerpt.trim(), meant.trim()]);
    return createHash('sha256').update(what).digest('hex').slice(0, 16);
  });
  const seen = new Map<string, number>();
  return hashes.map((hash) => {
    const rank = (seen.get(hash) ?? 0) + 1;
    seen.set(hash, rank);
    return `${hash}:${rank}`;
  });
}
