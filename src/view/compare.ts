import type { CampaignComparison, Comparison } from '../model/compare.js';
import type { Change } from '../model/outputs.js';
import { count } from '../model/words.js';
import { showing } from './changes.js';
import { changeLines } from './plan-text.js';
import { type TextOptions, visibleLine } from './terminal.js';
import { counts, short, wrap } from './words.js';

const SIGNS = {
  differs: ['yellow', '~'],
  only_from: ['red', '-'],
  only_to: ['green', '+'],
  same: ['dim', '='],
} as const;

/** Counts, then campaigns that differ. */
export function renderCompareText(comparison: Comparison, options: TextOptions): string {
  const { paint, width } = options;
  const { from, to } = comparison;
  const summary = wrap(summaryLine(comparison), width - 2).map((line) => `  ${line}`);
  const body = bodyLines(comparison, options).map((line) => `${line}\n`);
  return `${paint('bold', `${from} → ${to}`)}\n\n${summary.join('\n')}\n${body.join('')}`;
}

function bodyLines(comparison: Comparison, options: TextOptions): string[] {
  const { paint, width } = options;
  const { from, to } = comparison;
  const signs = paint('dim', `  - only in ${from}, + only in ${to}`);
  const campaigns = differing(comparison).flatMap(({ manifest, name, status, changes }) => {
    const [colour, sign] = SIGNS[status];
    const others = changes.filter(isBrief).flatMap((change) => wrap(briefly(change), width - 4));
    const whole = changes.filter((change) => !isBrief(change));
    return [
      '',
      `${paint(colour, `${sign} ${visibleLine(name)}`)}  ${paint('dim', visibleLine(manifest))}`,
      ...changeLines(whole, options),
      ...others.map((line) => `    ${line}`),
    ];
  });
  return [...(hasSides(comparison) ? [signs] : []), ...campaigns];
}

function differing({ campaigns }: Comparison): CampaignComparison[] {
  return campaigns.filter(({ status }) => status !== 'same');
}

/** "12 campaigns: 1 differs; 2 only in staging; 9 the same" */
function summaryLine({ summary, from, to }: Comparison): string {
  const { campaigns, differs, only_from, only_to, same } = summary;
  const parts = counts(
    [differs, differs === 1 ? 'differs' : 'differ'],
    [only_from, `only in ${from}`],
    [only_to, `only in ${to}`],
    [same, 'the same'],
  ).join('; ');
  return `${count(campaigns, 'campaign')}${parts && `: ${parts}`}`;
}

/** Signs need a legend. */
function hasSides({ campaigns }: Comparison): boolean {
  return campaigns.some(
    ({ status, changes }) => status.startsWith('only') || changes.some(({ kind }) => kind !== 'update'),
  );
}

/** Changes that plan views do not show between two specs. */
function isBrief({ section, path }: Change): boolean {
  return section === 'leads' || section === 'status' || (section === 'campaign' && path !== 'name');
}

/** "+ id 1042", "~ lead lists [12] → [77]" */
function briefly({ section, path, kind, from, to }: Change): string {
  const name = section === 'leads' ? (path === 'lists' ? 'lead lists' : 'leads') : path || section;
  const [before, after] = [short(from, 70, showing(path)), short(to, 70, showing(path))];
  if (kind === 'update') return `~ ${name}  ${before} → ${after}`;
  return kind === 'add' ? `+ ${name}  ${after}` : `- ${name}  ${before}`;
}
