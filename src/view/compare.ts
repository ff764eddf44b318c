import type { CampaignComparison, Comparison } from '../model/compare.js';
import type { Change } from '../model/outputs.js';
import { count } from '../model/words.js';
import { showing } from './changes.js';
import { code, firstThatFits, fold, htmlCode, prose } from './markdown.js';
import { changeItems } from './markdown-changes.js';
import { nameOf } from './plan-markdown.js';
import { changeLines } from './plan-text.js';
import { type TextOptions, visibleLine } from './terminal.js';
import { counts, cut, short, wrap } from './words.js';

const SIGNS = {
  differs: ['yellow', '~'],
  only_from: ['red', '-'],
  only_to: ['green', '+'],
  same: ['dim', '='],
} as const;

/** Counts, then each campaign that is not the same. */
export function renderCompareText(comparison: Comparison, options: TextOptions): string {
  const { paint, width } = options;
  const { from, to } = comparison;
  const lines = [
    paint('bold', `${from} → ${to}`),
    '',
    ...wrap(summaryLine(comparison), width - 2).map((line) => `  ${line}`),
    ...(hasSides(comparison) ? [paint('dim', `  - only in ${from}, + only in ${to}`)] : []),
    ...differing(comparison).flatMap(({ manifest, name, status, changes }) => {
      const [colour, sign] = SIGNS[status];
      const others = changes.filter(isBrief).flatMap((change) => wrap(briefly(change), width - 4));
      return [
        '',
        `${paint(colour, `${sign} ${visibleLine(name)}`)}  ${paint('dim', visibleLine(manifest))}`,
        ...changeLines(
          changes.filter((change) => !isBrief(change)),
          options,
        ),
        ...others.map((line) => `    ${line}`),
      ];
    }),
  ];
  return `${lines.join('\n')}\n`;
}

/** The same of at most `limit` characters: everything, no bodies, a line for each campaign, or counts. */
export function renderCompareMarkdown(comparison: Comparison, limit: number): string {
  const { from, to } = comparison;
  const sides = `\n<sub>new or +: only in ${code(to)}; otherwise: only in ${code(from)}</sub>\n`;
  const head = `### ${code(from)} → ${code(to)}: ${summaryLine(comparison)}\n${hasSides(comparison) ? sides : ''}`;
  const at = (detail: 'full' | 'brief' | 'line') => () =>
    [head, ...differing(comparison).map((campaign) => campaignMarkdown(campaign, comparison, detail))].join(
      '\n',
    );
  return firstThatFits([at('full'), at('brief'), at('line'), () => head], limit);
}

function campaignMarkdown(
  { manifest, name, status, changes }: CampaignComparison,
  { from, to }: Comparison,
  detail: 'full' | 'brief' | 'line',
): string {
  if (status !== 'differs')
    return `- ${nameOf({ name })} (${code(manifest)}): only in ${code(status === 'only_from' ? from : to)}\n`;
  if (detail === 'line') return `- ${nameOf({ name })} (${code(manifest)}): differs\n`;
  const whole = changes.filter((change) => !isBrief(change));
  const others = changes.filter(isBrief).map((change) => `- ${prose(briefly(change))}`);
  return fold(`<b>${htmlCode(cut(name, 120))}</b>`, true, [
    ...changeItems(whole, detail),
    '',
    ...others,
    '',
    `<sub>${code(manifest)}</sub>`,
  ]);
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

/** True if signs have to be explained. */
function hasSides({ campaigns }: Comparison): boolean {
  return campaigns.some(
    ({ status, changes }) => status.startsWith('only') || changes.some(({ kind }) => kind !== 'update'),
  );
}

/** Views of a plan do not show these as differences between two specs. */
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
