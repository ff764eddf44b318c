/** How the manifests differ between two environments: of one project, or of many. */
import { posix } from 'node:path';
import type { Change } from '../model/outputs.js';
import type { CampaignComparison, Comparison } from '../model/reports.js';
import { count } from '../model/words.js';
import { type ChangeView, groupSections, showing, viewChanges } from './changes.js';
import { type Block, type Card, type Document, type Fact, type Part, plainHead } from './document.js';
import { anchorsFor } from './plan-view.js';
import { failuresBlock, type ProjectPart, projectName, projectsHead, resultsOf } from './projects.js';
import { counts, short, unseenNote } from './words.js';

export function compareDocument(comparison: Comparison): Document {
  const { from, to } = comparison;
  return [
    plainHead(`${from} → ${to}`, { verdict: compareSummary([comparison]) }),
    ...cardsBlock(comparison.campaigns.map((campaign) => ({ campaign, comparison, title: campaign.name }))),
  ];
}

/** Comparisons of the same two environments. One line if all campaigns are the same. */
export function comparesDocument(parts: readonly ProjectPart<Comparison>[]): Document {
  const comparisons = parts.flatMap(({ result }) => result ?? []);
  const isOpen = ({ campaigns }: Comparison) => campaigns.some(isDifferent);
  const head = projectsHead(parts, 'compared');
  const summary = comparisons.length === 0 ? '' : compareSummary(comparisons);
  if (parts.every(({ result }) => result !== null && !isOpen(result)))
    return [plainHead([head, summary].filter(Boolean).join(' · '))];
  const campaigns = parts.flatMap(({ result: comparison, ...part }) => {
    if (comparison === null) return [];
    return comparison.campaigns.map((campaign) => ({
      campaign: { ...campaign, manifest: posix.join(part.project, campaign.manifest) },
      ...{ comparison, title: `${projectName(part)}: ${campaign.name}` },
    }));
  });
  return [
    plainHead(head, { verdict: summary || null }),
    { is: 'results', results: resultsOf(parts, { done: 'compared', totals: compareSummary, isOpen }) },
    ...failuresBlock(parts, 'a comparison'),
    ...cardsBlock(campaigns),
  ];
}

function isDifferent({ status }: CampaignComparison): boolean {
  return status !== 'same';
}

interface ComparedCampaign {
  campaign: CampaignComparison;
  comparison: Pick<Comparison, 'from' | 'to'>;
  title: string;
}

function cardsBlock(campaigns: readonly ComparedCampaign[]): Block[] {
  const differing = campaigns.filter(({ campaign }) => isDifferent(campaign));
  const anchors = anchorsFor(differing.map(({ title }) => title));
  const cards = differing.map((each, at) => cardOf(each, anchors[at] ?? `campaign-${at + 1}`));
  if (cards.length === 0) return [];
  const table = {
    ...{ id: 'campaigns', title: 'Campaigns', number: cards.length, isRepeated: true },
    columns: [{ head: 'Campaign', isName: true }, { head: 'Difference' }],
    rows: cards.map(({ facts, members }) => [members, facts.map(({ words }) => words).join(' · ')]),
  };
  return [
    { is: 'table', ...table, only: 'markdown' },
    { is: 'cards', id: 'differences', title: 'Differences', cards },
  ];
}

function cardOf({ campaign, comparison, title }: ComparedCampaign, anchor: string): Card {
  const { manifest, status, changes } = campaign;
  const { sign, ...fact } = signOf(status, comparison);
  return {
    // On a page, no part shows the changes of the campaign itself.
    ...{ sign, title, facts: [fact], themes: changes.filter(isOfCampaign).map(themeOf) },
    ...{ leads: null, subjects: [], where: manifest, explainsLeads: false, remarks: [], codes: [] },
    parts: partsOf(changes, comparison),
    members: [{ name: title, anchor, manifest, where: manifest, leads: null, parts: [] }],
    ...{ isLaunch: false, isNew: false, isAwaited: false },
  };
}

function signOf(
  status: CampaignComparison['status'],
  comparison: ComparedCampaign['comparison'],
): Fact & { sign: string } {
  switch (status) {
    case 'only_from':
      return { sign: '-', look: 'blocked', words: `only in ${comparison.from}` };
    case 'only_to':
      return { sign: '+', look: 'new', words: `only in ${comparison.to}` };
    default:
      return { sign: '~', look: 'changed', words: 'differs' };
  }
}

function isOfCampaign({ section }: Change): boolean {
  return section === 'campaign';
}

function themeOf(change: Change): string {
  const [from, to] = [short(change.from), short(change.to)];
  const values = { update: `${from} → ${to}`, add: to, remove: `${from} → none` };
  return `${change.path} ${values[change.kind]}`;
}

function partsOf(changes: readonly Change[], comparison: ComparedCampaign['comparison']): Part[] {
  return groupSections(changes).map(({ section, changes: some }): Part => {
    const shown = [
      ...viewChanges(some.filter((change) => !isBrief(change))),
      ...some.filter(isBrief).map(viewBrief),
    ];
    return {
      ...{ is: 'changes', section, mark: null, compared: '', sameAs: null, changes: shown, isPlain: false },
      sides: [comparison.from, comparison.to],
    };
  });
}

/** True for changes that a plan view of two specs cannot show. */
function isBrief({ section, path }: Change): boolean {
  return section === 'leads' || section === 'status' || (section === 'campaign' && path !== 'name');
}

/** "+ id 1042", "~ lead lists [12] → [77]" */
function viewBrief({ section, path, kind, from, to }: Change): ChangeView {
  const words = section === 'leads' ? (path === 'lists' ? 'lead lists' : 'leads') : path;
  const named = { name: section === 'status' ? '' : words, note: '', email: '' };
  const [before, after] = [short(from, 70, showing(path)), short(to, 70, showing(path))];
  if (kind === 'update')
    return { ...named, form: 'update', from: before, to: `${after}${unseenNote(from, to)}` };
  const value = kind === 'add' ? after : before;
  return { ...named, form: 'value', isNew: kind === 'add', value, whole: value };
}

function compareSummary(comparisons: readonly Comparison[]): string {
  const [{ from, to } = { from: '', to: '' }] = comparisons;
  const number = (status: CampaignComparison['status']) =>
    comparisons.reduce((sum, { summary }) => sum + summary[status], 0);
  const differs = number('differs');
  const parts = counts(
    [differs, differs === 1 ? 'differs' : 'differ'],
    [number('only_from'), `only in ${from}`],
    [number('only_to'), `only in ${to}`],
    [number('same'), 'the same'],
  ).join('; ');
  const all = comparisons.reduce((sum, { campaigns }) => sum + campaigns.length, 0);
  return `${count(all, 'campaign')}${parts && `: ${parts}`}`;
}
