import type { CampaignComparison, Comparison } from '../../model/comparison.js';
import { comparisonLine, environmentWords, isOneSided } from '../comparison-words.js';
import { code, htmlCode, prose } from '../markdown.js';
import { count, cut } from '../words.js';
import { changeItems, DETAILS, type Detail } from './campaign.js';
import { nameOf } from './head.js';

/** Two environments as Markdown of at most `limit` characters: what differs in content open, the rest folded or a line. */
export function renderCompareMarkdown(comparison: Comparison, limit: number): string {
  const { from, to, campaigns } = comparison;
  const shown = campaigns.filter(({ verdict }) => verdict !== 'same');
  const sides = `<sub>gone or -: only in ${code(from)}; new or +: only in ${code(to)}</sub>\n`;
  const title = `### ${code(from)} → ${code(to)}: ${comparisonLine(comparison)}\n`;
  const head = isOneSided(shown) ? `${title}\n${sides}` : title;
  const texts = [...DETAILS]
    .reverse()
    .map((detail) => [head, ...shown.map((one) => campaignMarkdown(one, comparison, detail))]);
  const length = (parts: readonly string[]) => parts.reduce((sum, part) => sum + part.length + 1, 0);
  const fits = texts.find((parts) => length(parts) <= limit);
  if (fits !== undefined) return fits.join('\n');
  const lines = texts.at(-1) ?? [];
  const kept = lines.filter((_, at) => length(lines.slice(0, at + 1)) <= limit - 100);
  return `${kept.join('\n')}\n**Too long:** ${count(lines.length - kept.length, 'campaign')} not shown.\n`;
}

function campaignMarkdown(
  { manifest, name, verdict, content, environment }: CampaignComparison,
  { from, to }: Comparison,
  detail: Detail,
): string {
  if (verdict === 'only_from' || verdict === 'only_to')
    return `- ${nameOf(name)} (${code(manifest)}) is not in ${code(verdict === 'only_from' ? to : from)}\n`;
  const loud =
    verdict === 'content' ? '**content differs**' : prose(environment.map(environmentWords).join(' · '));
  if (detail === 'line')
    return `- ${nameOf(name)}: ${verdict === 'content' ? loud : 'settings of the environment'}\n`;
  if (verdict !== 'content') return `- ${nameOf(name)}: ${loud}\n`;
  const blocks = [
    `<details open><summary><b>${htmlCode(cut(name, 120))}</b> · content differs</summary>`,
    '',
    ...changeItems(content, [], detail),
    ...(environment.length === 0 ? [] : ['', prose(environment.map(environmentWords).join(' · '))]),
    '',
    `<sub>${code(manifest)}</sub>`,
    '',
    '</details>\n',
  ];
  return blocks.filter((block, at) => block !== '' || blocks[at - 1] !== '').join('\n');
}
