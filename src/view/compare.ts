import type { Change } from '../model/outputs.js';
import type { CampaignComparison, Comparison } from '../model/reports.js';
import { count } from '../model/words.js';
import { showing } from './changes.js';
import { changeLines } from './plan-text.js';
import { type TextOptions, visibleLine } from './terminal.js';
import { counts, short, unseenNote, wrap } from './words.js';

const SIGNS = {
  differs: ['yellow', '~'],
  only_from: ['red', '-'],
  only_to: ['green', '+'],
  same: ['dim', '='],
} as const;

export function renderCompareText(comparison: Comparison, options: TextOptions): string {
  const { paint, width } = options;
  const { from, to } = comparison;
  const lines = [
    paint('bold', `${from} → ${to}`),
    '',
    ...wrap(compareSummary([comparison]), width - 2).map((line) => `  ${line}`),
  ];
  return `${lines.join('\n')}\n${renderDifferencesText(comparison, options)}`;
}

/** Empty if all campaigns are the same. */
export function renderDifferencesText({ from, to, campaigns }: Comparison, options: TextOptions): string {
  const { paint } = options;
  const differing = campaigns.filter(isDifferent);
  const lines = [
    ...(differing.length === 0 ? [] : [paint('dim', `  - only in ${from}, + only in ${to}`)]),
    ...differing.flatMap((campaign) => ['', ...campaignLines(campaign, options)]),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

export function isDifferent({ status }: CampaignComparison): boolean {
  return status !== 'same';
}

function campaignLines(
  { manifest, name, status, changes }: CampaignComparison,
  options: TextOptions,
): string[] {
  const { paint, width } = options;
  const [colour, sign] = SIGNS[status];
  const others = changes.filter(isBrief).flatMap((change) => wrap(changeLine(change), width - 4));
  return [
    `${paint(colour, `${sign} ${visibleLine(name)}`)}  ${paint('dim', visibleLine(manifest))}`,
    ...changeLines(
      changes.filter((change) => !isBrief(change)),
      options,
    ),
    ...others.map((line) => `    ${line}`),
  ];
}

/** Expects comparisons of the same two environments. */
export function compareSummary(comparisons: readonly Comparison[]): string {
  const campaigns = comparisons.flatMap((comparison) => comparison.campaigns);
  const [{ from, to } = { from: '', to: '' }] = comparisons;
  const number = (wanted: CampaignComparison['status']) =>
    campaigns.filter(({ status }) => status === wanted).length;
  const differs = number('differs');
  const parts = counts(
    [differs, differs === 1 ? 'differs' : 'differ'],
    [number('only_from'), `only in ${from}`],
    [number('only_to'), `only in ${to}`],
    [number('same'), 'the same'],
  ).join('; ');
  return `${count(campaigns.length, 'campaign')}${parts && `: ${parts}`}`;
}

/** True for changes that a plan view of two specs cannot show. */
function isBrief({ section, path }: Change): boolean {
  return section === 'leads' || section === 'status' || (section === 'campaign' && path !== 'name');
}

/** "+ id 1042", "~ lead lists [12] → [77]" */
function changeLine({ section, path, kind, from, to }: Change): string {
  const name = section === 'leads' ? (path === 'lists' ? 'lead lists' : 'leads') : path || section;
  const [before, after] = [short(from, 70, showing(path)), short(to, 70, showing(path))];
  if (kind === 'update') return `~ ${name}  ${before} → ${after}${unseenNote(from, to)}`;
  return kind === 'add' ? `+ ${name}  ${after}` : `- ${name}  ${before}`;
}
