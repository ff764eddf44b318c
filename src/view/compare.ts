import type { Json } from '../model/json.js';
import type { CampaignComparison, Change, Comparison, SectionName, Verdict } from '../model/outputs.js';
import { count } from '../model/words.js';
import { showing } from './changes.js';
import { code, fold, htmlCode, prose } from './markdown.js';
import { changeItems, DETAILS, type Detail } from './markdown-changes.js';
import { nameOf } from './plan-markdown.js';
import { changeLines } from './plan-text.js';
import { type Colour, type TextOptions, visibleLine } from './terminal.js';
import { counts, cut, short, wrap } from './words.js';

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
  const { from, to } = comparison;
  const shown = differing(comparison);
  const lines = [
    paint('bold', `${from} → ${to}`),
    '',
    ...wrap(summaryLine(comparison), width - 2).map((line) => `  ${line}`),
    ...(isOneSided(shown) ? [paint('dim', `  - only in ${from}, + only in ${to}`)] : []),
    ...shown.flatMap((campaign) => ['', ...campaignLines(campaign, comparison, options)]),
  ];
  return `${lines.join('\n')}\n`;
}

function campaignLines(campaign: CampaignComparison, between: Comparison, options: TextOptions): string[] {
  const { manifest, name, verdict, content, environment } = campaign;
  const { paint, width } = options;
  const [colour, sign] = SIGNS[verdict];
  const words: Partial<Record<Verdict, string>> = {
    content: `  ${paint('red', 'CONTENT DIFFERS')}`,
    only_from: `  not in ${between.to}`,
    only_to: `  not in ${between.from}`,
  };
  const title = paint(colour, `${sign} ${visibleLine(name)}`);
  const quiet = wrapParts(environment.map(environmentWords), width - 4);
  return [
    `${title}${words[verdict] ?? ''}  ${paint('dim', visibleLine(manifest))}`,
    ...changeLines(content, options),
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

/** Two environments as Markdown of at most `limit` characters: what differs in content open, the rest folded or a line. */
export function renderCompareMarkdown(comparison: Comparison, limit: number): string {
  const { from, to } = comparison;
  const shown = differing(comparison);
  const sides = `<sub>removed or -: only in ${code(from)}; new or +: only in ${code(to)}</sub>\n`;
  const title = `### ${code(from)} → ${code(to)}: ${summaryLine(comparison)}\n`;
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

function campaignMarkdown(campaign: CampaignComparison, { from, to }: Comparison, detail: Detail): string {
  const { manifest, name, verdict, content, environment } = campaign;
  const quiet = prose(environment.map(environmentWords).join(' · '));
  if (verdict === 'only_from' || verdict === 'only_to')
    return `- ${nameOf({ name })} (${code(manifest)}) is not in ${code(verdict === 'only_from' ? to : from)}\n`;
  if (verdict !== 'content')
    return `- ${nameOf({ name })}: ${detail === 'line' ? 'settings of the environment' : quiet}\n`;
  if (detail === 'line') return `- ${nameOf({ name })}: **content differs**\n`;
  const body = [...changeItems(content, detail), ...(environment.length === 0 ? [] : ['', quiet]), ''];
  return fold(`<b>${htmlCode(cut(name, 120))}</b> · content differs`, true, [
    ...body,
    `<sub>${code(manifest)}</sub>`,
  ]);
}

function differing({ campaigns }: Comparison): CampaignComparison[] {
  return campaigns.filter(({ verdict }) => verdict !== 'same');
}

/** "12 campaigns: 1 differs in content; 9 differ in caps, ids and lists only; 2 are the same". */
function summaryLine({ summary, from, to, campaigns }: Comparison): string {
  const { content, environment, same, only_from, only_to } = summary;
  const settings = campaigns.filter(({ verdict }) => verdict === 'environment');
  const kinds = kindsOf(settings.flatMap((campaign) => campaign.environment));
  const verb = (number: number) => (number === 1 ? 'differs' : 'differ');
  const parts = counts(
    [content, `${verb(content)} in content`],
    [only_from, `only in ${from}`],
    [only_to, `only in ${to}`],
    [environment, `${verb(environment)} in ${kinds} only`],
    [same, `${same === 1 ? 'is' : 'are'} the same`],
  ).join('; ');
  return `${count(summary.campaigns, 'campaign')}${parts && `: ${parts}`}`;
}

const KINDS: Partial<Record<SectionName, string>> = {
  campaign: 'ids',
  settings: 'caps',
  schedule: 'templates',
  status: 'status',
};

/** What differs as an environment may, in words: "caps, ids and lists". */
function kindsOf(changes: readonly Change[]): string {
  const kinds = changes.map(({ section, path }) =>
    section === 'leads' ? (path === 'ids' ? 'leads' : 'lists') : (KINDS[section] ?? section),
  );
  const known = [...new Set(kinds)].sort();
  const last = known.pop() ?? '';
  return known.length === 0 ? last : `${known.join(', ')} and ${last}`;
}

/** Whether anything is there in one of the two only, so that signs have to be explained. */
function isOneSided(campaigns: readonly CampaignComparison[]): boolean {
  return campaigns.some(({ content, environment }) =>
    [...content, ...environment].some(({ kind }) => kind !== 'update'),
  );
}

/** A difference of an environment in a few words: "max_emails_per_day 200 → 1000", "+ list installers-fr". */
function environmentWords({ section, path, kind, from, to }: Change): string {
  const name = valueName(section, path);
  const value = (one: Json) => short(one, 70, showing(path));
  if (kind === 'update') return `${name} ${value(from)} → ${value(to)}`;
  return kind === 'add' ? `+ ${name} ${value(to)}` : `- ${name} ${value(from)}`;
}

/** `lists.installers-fr` → "list installers-fr" */
function valueName(section: SectionName, path: string): string {
  if (section === 'status') return 'status';
  if (section !== 'leads' || path === 'lists') return path;
  return path === 'ids' ? 'leads' : `list ${visibleLine(path.slice('lists.'.length))}`;
}
