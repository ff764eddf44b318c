import type { Change, SectionName } from '../model/change.js';
import type { CampaignComparison, Comparison } from '../model/comparison.js';
import { visibleLine } from './terminal.js';
import { count, short } from './words.js';

/** "12 campaigns: 1 differs in content; 9 differ in caps, ids and lists only; 2 are the same". */
export function comparisonLine({ summary, from, to, campaigns }: Comparison): string {
  const { content, environment, same, only_from, only_to } = summary;
  const settings = campaigns.filter(({ verdict }) => verdict === 'environment');
  const kinds = kindsOf(settings.flatMap((campaign) => campaign.environment));
  const verb = (number: number) => (number === 1 ? 'differs' : 'differ');
  const parts = [
    ...(content > 0 ? [`${content} ${verb(content)} in content`] : []),
    ...(only_from > 0 ? [`${only_from} only in ${from}`] : []),
    ...(only_to > 0 ? [`${only_to} only in ${to}`] : []),
    ...(environment > 0 ? [`${environment} ${verb(environment)} in ${kinds} only`] : []),
    ...(same > 0 ? [`${same} ${same === 1 ? 'is' : 'are'} the same`] : []),
  ];
  return [count(summary.campaigns, 'campaign'), parts.join('; ')].filter((part) => part !== '').join(': ');
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
export function isOneSided(campaigns: readonly CampaignComparison[]): boolean {
  return campaigns.some(({ content, environment }) =>
    [...content, ...environment].some(({ kind }) => kind !== 'update'),
  );
}

/** A difference of an environment in a few words: "max_emails_per_day 200 → 1000", "+ list installers-fr". */
export function environmentWords({ section, path, kind, from, to }: Change): string {
  const name = nameOf(section, path);
  if (kind === 'update') return `${name} ${short(from)} → ${short(to)}`;
  return kind === 'add' ? `+ ${name} ${short(to)}` : `- ${name} ${short(from)}`;
}

function nameOf(section: SectionName, path: string): string {
  if (section === 'leads') return path === 'ids' ? 'leads' : path === 'lists' ? 'lists' : listName(path);
  if (section === 'status') return 'status';
  return path;
}

/** `lists.installers-fr` → "list installers-fr" */
function listName(path: string): string {
  return `list ${visibleLine(path.slice('lists.'.length))}`;
}
