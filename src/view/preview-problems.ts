/** What is wrong with the manifests of a served preview, where the emails would be. */
import type { Failure } from '../model/failure.js';
import { groupBy } from '../model/json.js';
import type { LocatedFinding } from '../model/outputs.js';
import type { PreviewedCampaign } from '../model/preview.js';
import { copied, type Html, html } from './html-page.js';
import { cutExcerpt, errorsAndWarnings, isFailure } from './problems.js';
import { visibleCopy } from './terminal.js';

/**
 * `problems`: findings of the files that a manifest was made from, by its file. `findings`: all, and `scopes`, the campaign that
 * each is about. `known`: campaigns as they were when they were last valid. `failure`: why nothing can be previewed now.
 */
export interface PreviewProblems {
  findings: readonly LocatedFinding[];
  scopes: ReadonlyMap<LocatedFinding, string>;
  problems: ReadonlyMap<string, readonly LocatedFinding[]>;
  known: readonly Pick<PreviewedCampaign, 'name' | 'place' | 'source'>[];
  failure: Failure | null;
}

/** `campaign`: `null` if it is not valid. */
export interface PreviewEntry {
  name: string;
  place: string;
  campaign: PreviewedCampaign | null;
  findings: readonly LocatedFinding[];
}

/** The campaigns in the order of their files, each with its findings; without emails if it is not valid. */
export function entriesOf(
  campaigns: readonly PreviewedCampaign[],
  problems: PreviewProblems | null,
): PreviewEntry[] {
  const entryOf = (campaign: PreviewedCampaign) => {
    return { name: campaign.name, place: campaign.place, campaign, findings: [] };
  };
  if (problems === null) return campaigns.map(entryOf);
  const files = new Set([...campaigns.map(({ source }) => source?.file ?? ''), ...problems.problems.keys()]);
  return [...files].sort().flatMap((file) => {
    const valid = campaigns.filter(({ source }) => source?.file === file);
    const hasErrors = problems.problems.get(file)?.some(isFailure);
    const lost = problems.known.filter(
      (known) =>
        hasErrors && known.source?.file === file && !valid.some((other) => scopeOf(other) === scopeOf(known)),
    );
    const entries = [
      ...lost.map(({ name, place, source }) => ({ name, place, source, campaign: null, findings: [] })),
      ...valid.map((campaign) => ({ ...entryOf(campaign), source: campaign.source })),
    ].sort((a, b) => (a.source?.document ?? 0) - (b.source?.document ?? 0));
    return withFindings(file, entries, problems);
  });
}

type SourcedEntry = PreviewEntry & Pick<PreviewedCampaign, 'source'>;

function scopeOf({ source }: Pick<PreviewedCampaign, 'source'>): string {
  return `${source?.file}#${source?.document}${source?.label}`;
}

/** A finding that is about no campaign of the page stands where emails are missing or, if none are, at the file. */
function withFindings(
  file: string,
  entries: readonly SourcedEntry[],
  { problems, scopes }: PreviewProblems,
): PreviewEntry[] {
  const findings = problems.get(file) ?? [];
  const [only, ...others] = entries;
  const entryFor = (finding: LocatedFinding): SourcedEntry | undefined => {
    const scope = scopes.get(finding) ?? '';
    const own =
      entries.find((entry) => scopeOf(entry) === scope) ??
      entries.find(({ source }) => `${source?.file}#${source?.document}` === scope);
    return own ?? (finding.file !== file && others.length === 0 ? only : undefined);
  };
  const byEntry = groupBy(findings, entryFor);
  const rest = byEntry.get(undefined) ?? [];
  const lost = entries.filter(({ campaign }) => campaign === null);
  const isUnplaced = rest.length > 0 && lost.length === 0;
  const ofFile = isUnplaced ? [{ name: file, place: file, campaign: null, findings: rest }] : [];
  const placed = entries.map((entry) => {
    const own = byEntry.get(entry) ?? [];
    return { ...entry, findings: entry.campaign === null ? [...rest, ...own] : own };
  });
  return [...ofFile, ...placed];
}

/** Findings that belong to no manifest, such as those of patterns in the project file. */
export function generalProblems({ failure, findings, problems }: PreviewProblems): Html {
  const placed = new Set([...problems.values()].flat());
  const general = findings.filter((finding) => !placed.has(finding));
  return html`${failure && failureNotice(failure)}${general.length === 0 ? null : html`<div id="problems">${findingList(general)}</div>`}`;
}

/** The id of the first part of the page with an error or, without errors, with a warning. */
function firstProblem(problems: PreviewProblems, entries: readonly AnchoredEntry[]): string | null {
  const placed = new Set([...problems.problems.values()].flat());
  const general = problems.findings.filter((finding) => !placed.has(finding));
  const parts = [{ anchor: 'problems', findings: general }, ...entries];
  if (problems.failure !== null) return 'failure';
  const part =
    parts.find(({ findings }) => findings.some(isFailure)) ??
    parts.find(({ findings }) => findings.length > 0);
  return part?.anchor ?? null;
}

type AnchoredEntry = Pick<PreviewEntry, 'findings'> & { anchor: string };

/** "2 errors, 1 warning. ", or '' without errors. */
export function problemTitle(problems: PreviewProblems): string {
  const { errors, words } = countProblems(problems);
  return errors === 0 ? '' : `${words}. `;
}

export function problemChip(problems: PreviewProblems, entries: readonly AnchoredEntry[]): Html | null {
  const { errors, words } = countProblems(problems);
  if (words === '') return null;
  const anchor = firstProblem(problems, entries);
  const linked = anchor === null ? words : html`<a href="#${anchor}">${words}</a>`;
  return html`<span class="chip ${errors === 0 ? 'warning' : 'blocked'}">${linked}</span> `;
}

function countProblems({ failure, findings }: PreviewProblems): { errors: number; words: string } {
  const errors = findings.filter(isFailure).length + (failure === null ? 0 : 1);
  const warnings = findings.length - findings.filter(isFailure).length;
  return { errors, words: errors + warnings === 0 ? '' : errorsAndWarnings(errors, warnings) };
}

function failureNotice({ message, hint, code, findings }: Failure): Html {
  return html`<section class="notice error" id="failure" aria-labelledby="failed"><h2 id="failed">${message}</h2>${findingList(findings)}<p class="hint">${hint} <code>[${code}]</code></p><p class="quiet">The emails below are older than this error.</p></section>`;
}

export function findingList(findings: readonly LocatedFinding[]): Html[] {
  return findings.map(
    (finding) =>
      html`<div class="notice ${isFailure(finding) ? 'error' : 'warning'}"><p><strong>${isFailure(finding) ? '✗ error' : '! warning'}</strong> ${finding.message} <code>[${finding.code}]</code></p><p class="where">${finding.file}:${finding.line}:${finding.column}</p>${excerpt(finding)}${finding.hint === '' ? null : html`<p class="hint">${finding.hint}</p>`}</div>`,
  );
}

function excerpt(finding: LocatedFinding): Html {
  const { before, spot, after } = cutExcerpt(finding, AROUND, visibleCopy);
  return html`<pre class="excerpt" tabindex="0">${copied(before)}<mark class="spot">${copied(spot)}</mark>${copied(after)}</pre>`;
}

const AROUND = { before: 120, spot: 120, after: 120 };
