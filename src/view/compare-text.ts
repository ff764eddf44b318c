import type { CampaignComparison, Comparison, Verdict } from '../model/comparison.js';
import { changeLines } from './change-lines.js';
import { comparisonLine, environmentWords, isOneSided } from './comparison-words.js';
import { type Colour, type TextOptions, visibleLine } from './terminal.js';
import { wrap } from './words.js';

const SIGNS: Record<Verdict, [Colour, string]> = {
  content: ['red', '!'],
  only_from: ['red', '-'],
  only_to: ['red', '+'],
  environment: ['yellow', '~'],
  same: ['dim', '='],
};

/** Two environments for a terminal: counts, then what differs in content in full, then the rest a line or two each. */
export function renderCompareText(comparison: Comparison, options: TextOptions): string {
  const { paint, width } = options;
  const { from, to, campaigns } = comparison;
  const shown = campaigns.filter(({ verdict }) => verdict !== 'same');
  const lines = [
    paint('bold', `${from} → ${to}`),
    '',
    ...wrap(comparisonLine(comparison), width - 2).map((line) => `  ${line}`),
    ...(isOneSided(shown) ? [paint('dim', `  - only in ${from}, + only in ${to}`)] : []),
    ...shown.flatMap((campaign) => ['', ...campaignLines(campaign, comparison, options)]),
  ];
  return `${lines.join('\n')}\n`;
}

function campaignLines(
  { manifest, name, verdict, content, environment }: CampaignComparison,
  { from, to }: Comparison,
  options: TextOptions,
): string[] {
  const { paint, width } = options;
  const [colour, sign] = SIGNS[verdict];
  const words = {
    content: `  ${paint('red', 'CONTENT DIFFERS')}`,
    only_from: `  not in ${to}`,
    only_to: `  not in ${from}`,
    environment: '',
    same: '',
  }[verdict];
  const head = `${paint(colour, `${sign} ${visibleLine(name)}`)}${words}  ${paint('dim', visibleLine(manifest))}`;
  const quiet = environment.length === 0 ? [] : wrapParts(environment.map(environmentWords), width - 4);
  return [
    head,
    ...changeLines(content, [], options),
    ...quiet.map((line) => `    ${verdict === 'content' ? paint('dim', line) : line}`),
  ];
}

/** Parts joined by dots, broken between them; a part that is longer than a line is broken at its spaces. */
function wrapParts(parts: readonly string[], width: number): string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 3 + part.length <= width)
      lines[lines.length - 1] = `${last} · ${part}`;
    else lines.push(...wrap(part, width));
  }
  return lines;
}
