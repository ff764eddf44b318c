import { createHash } from 'node:crypto';
import type { LocatedFinding } from '../model/problem.js';
import { characters, renderJson, visibleLine } from './terminal.js';
import { count } from './words.js';

/**
 * A kind of problem as lists of rules tell it; `switchable` with `lint:` in the project file. `explained` says where to read on,
 * if that is no page of rules or errors.
 */
export interface RuleText {
  code: string;
  severity: 'error' | 'warning';
  summary: string;
  switchable: boolean;
  explained?: string;
}

/** What GitHub takes of a run: results, and bytes of the file (less than its 10 MB, with room for rules and the frame). */
const LIMITS = { results: 25_000, bytes: 9_500_000 };

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';
const ROOT = '%SRCROOT%';

/**
 * Problems of source files as a SARIF 2.1.0 log, errors first. Files have to be named from the root of the repository. `rules`
 * are all there are, found or not. What is more than `limits` allow is left out, and the log says so.
 */
export function renderFindingsSarif(
  findings: readonly LocatedFinding[],
  { rules, version }: { rules: readonly RuleText[]; version: string },
  limits = LIMITS,
): string {
  const marks = fingerprints(findings);
  const all = findings.map((finding, index) => ({ finding, mark: marks[index] ?? '' }));
  const ranked = [
    ...all.filter(({ finding }) => finding.severity !== 'warning'),
    ...all.filter(({ finding }) => finding.severity === 'warning'),
  ];
  const indexes = new Map(rules.map(({ code }, index) => [code, index]));
  const results = ranked
    .slice(0, limits.results)
    .map(({ finding, mark }) => resultOf(finding, mark, indexes.get(finding.code) ?? -1));
  const kept = withinBytes(results, limits.bytes);
  return renderJson({
    $schema: SCHEMA,
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'campaignctl', version, rules: rules.map(ruleOf) } },
        invocations: [
          {
            executionSuccessful: true,
            toolExecutionNotifications: whatIsLeft(findings.length - kept.length),
          },
        ],
        columnKind: 'utf16CodeUnits',
        originalUriBaseIds: { [ROOT]: { description: { text: 'The root of the repository.' } } },
        results: kept,
      },
    ],
  });
}

function ruleOf({ code, severity, summary, switchable, explained }: RuleText) {
  const page = switchable ? 'docs/rules.md' : 'docs/errors.md';
  // A reason is the project's own text: nothing in it may be a link.
  const told = literal(summary);
  const off = `lint: { ${code}: off }`;
  const [text, markdown] = switchable
    ? [
        ` Switch it off with ${off} in campaignctl.yaml.`,
        `\n\nSwitch it off in \`campaignctl.yaml\`: \`${off}\``,
      ]
    : ['', ''];
  return {
    id: code,
    shortDescription: { text: told },
    fullDescription: { text: told },
    help: {
      text: `${told}${text} ${explained ?? `Explained in ${page} of campaignctl.`}`,
      markdown: `**${severity}**: ${told}${markdown}\n\n${explained ?? `Explained under \`${code}\` in \`${page}\` of campaignctl.`}`,
    },
    defaultConfiguration: { level: severity },
  };
}

function resultOf(finding: LocatedFinding, mark: string, ruleIndex: number) {
  const { code, severity, message, hint, file, line, column, length } = finding;
  const text = hint === '' ? message : `${message} ${hint}`;
  return {
    ruleId: code,
    ruleIndex,
    level: severity === 'warning' ? 'warning' : 'error',
    message: { text: literal(text) },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: uriOf(file), uriBaseId: ROOT },
          region: { startLine: line, startColumn: column, endLine: line, endColumn: column + length },
        },
      },
    ],
    // Not `primaryLocationLineHash`: GitHub's upload works that out by itself and complains of any other value.
    partialFingerprints: { 'campaignctlFinding/v1': mark },
  };
}

/**
 * A text in which nothing is a link. Its braces stay as they are, although the standard (3.11.5) wants them doubled: viewers
 * show what is written where a message has no arguments, and `{{FIRST_NAME}}` would be Liquid.
 */
function literal(text: string): string {
  return characters(visibleLine(text)).replaceAll('](', '] (');
}

/** A path as a relative reference: no part of it can be taken for a scheme, a query or a fragment. */
function uriOf(file: string): string {
  return characters(file).split('/').map(encodeURIComponent).join('/');
}

/**
 * What tells a finding from the others of its file and stays the same when lines move or are indented: the hash of its kind,
 * file and line, of what is meant in it, and which of those that are alike it is.
 */
function fingerprints(findings: readonly LocatedFinding[]): string[] {
  const seen = new Map<string, number>();
  return findings.map(({ code, file, excerpt, column, length }) => {
    const meant = excerpt.slice(column - 1, column - 1 + length);
    const what = JSON.stringify([code, file, excerpt.trim(), meant.trim()]);
    const hash = createHash('sha256').update(what).digest('hex').slice(0, 16);
    const index = (seen.get(hash) ?? 0) + 1;
    seen.set(hash, index);
    return `${hash}:${index}`;
  });
}

/** The first results that fit, measured as they are written: four levels deep. */
function withinBytes<Result>(results: readonly Result[], most: number): Result[] {
  let bytes = 0;
  const end = results.findIndex((result) => {
    bytes += Buffer.byteLength(renderJson([[[[result]]]]));
    return bytes > most;
  });
  return end < 0 ? [...results] : results.slice(0, end);
}

function whatIsLeft(left: number) {
  if (left === 0) return [];
  const text = `${count(left, 'finding is', 'findings are')} left out: there are too many for one log. campaignctl validate shows them all.`;
  return [{ level: 'warning', message: { text } }];
}
