/** What is wrong with the manifests of a served preview, where the emails would be. */
import type { Failure } from '../model/failure.js';
import type { LocatedFinding } from '../model/outputs.js';
import type { PreviewedCampaign } from '../model/preview.js';
import { copied, type Html, html } from './html-page.js';
import { errorsAndWarnings, isFailure } from './problems.js';

/**
 * `problems`: findings of the files that a manifest was made from, by its file. `findings`: all. `known`: campaigns as they
 * were when they were last valid. `failure`: why nothing can be previewed now.
 */
export interface PreviewProblems {
  findings: readonly LocatedFinding[];
  problems: ReadonlyMap<string, readonly LocatedFinding[]>;
  known: readonly Pick<PreviewedCampaign, 'name' | 'place' | 'file'>[];
  failure: Failure | null;
}

/** `campaign`: `null` if it is not valid. `isAlone`: false if the findings may be about another campaign of the file. */
export interface PreviewEntry {
  name: string;
  place: string;
  isAlone: boolean;
  campaign: PreviewedCampaign | null;
  findings: readonly LocatedFinding[];
}

/** The campaigns in the order of their files, and in the place of each campaign that is not valid its findings. */
export function entriesOf(
  campaigns: readonly PreviewedCampaign[],
  problems: PreviewProblems | null,
): PreviewEntry[] {
  const entryOf = (campaign: PreviewedCampaign): PreviewEntry => {
    return { name: campaign.name, place: campaign.place, isAlone: true, campaign, findings: [] };
  };
  if (problems === null) return campaigns.map(entryOf);
  const files = new Set([...campaigns.map(({ file }) => file ?? ''), ...problems.problems.keys()]);
  return [...files].sort().flatMap((file) => {
    const valid = campaigns.filter((campaign) => campaign.file === file);
    const findings = problems.problems.get(file) ?? [];
    const hasErrors = findings.some(isFailure);
    const lost = problems.known.filter(
      (known) => hasErrors && known.file === file && valid.every(({ place }) => place !== known.place),
    );
    const broken = lost.map(({ name, place }) => ({ name, place, isAlone: true, campaign: null, findings }));
    const entries = [...broken, ...valid.map(entryOf)];
    const [first, ...others] = entries;
    if (first === undefined)
      return hasErrors ? [{ name: file, place: file, isAlone: true, campaign: null, findings }] : [];
    return [{ ...first, findings, isAlone: others.length === 0 }, ...others];
  });
}

/** Findings that belong to no manifest, such as those of patterns in the project file. */
export function generalProblems({ failure, findings, problems }: PreviewProblems): Html {
  const placed = new Set([...problems.values()].flat());
  const general = findings.filter((finding) => !placed.has(finding));
  return html`${failure && failureNotice(failure)}${findingList(general)}`;
}

/** "2 errors, 1 warning. ", or '' without errors. */
export function problemTitle(problems: PreviewProblems): string {
  const { errors, words } = countProblems(problems);
  return errors === 0 ? '' : `${words}. `;
}

export function problemChip(problems: PreviewProblems): Html | null {
  const { errors, words } = countProblems(problems);
  return words === ''
    ? null
    : html`<span class="chip ${errors === 0 ? 'warning' : 'blocked'}">${words}</span> `;
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

function excerpt({ excerpt: line, column, length }: LocatedFinding): Html {
  const start = column - 1;
  const end = start + Math.min(length, AROUND);
  const [from, to] = [wholeCharacter(line, start - AROUND), wholeCharacter(line, end + AROUND)];
  const [before, after] = [from > 0 ? '…' : '', to < line.length ? '…' : ''];
  return html`<pre class="excerpt" tabindex="0">${before}${copied(line.slice(from, start))}<mark class="spot">${copied(line.slice(start, end))}</mark>${copied(line.slice(end, to))}${after}</pre>`;
}

/** Characters before and after the spot: a line may be a whole email. */
const AROUND = 120;

/** The position, moved so that it is not inside of a surrogate pair. */
function wholeCharacter(line: string, at: number): number {
  const place = Math.min(Math.max(at, 0), line.length);
  return /[\udc00-\udfff]/.test(line[place] ?? '') ? place + 1 : place;
}
