/** Campaigns without a manifest, as all views show them: what they are, and what apply does to them. */
import type { OtherCampaign, Plan } from '../model/outputs.js';
import { count, dayOf, thousands } from '../model/words.js';
import type { Card, CardFact, Cell } from './document.js';
import { keepsSending } from './plan-notices.js';

export interface OtherView {
  name: string;
  anchor: string;
  campaign: OtherCampaign;
  /** Why no manifest counts, and what happens. */
  facts: readonly CardFact[];
  /** "id 12 · campaigns/spring.yaml · active · up to 200 emails a day" */
  where: string;
}

/** Predecessors that are paused for the first time belong to the card of their successor. */
export function shownOthers({ removed, replaced }: Plan): OtherCampaign[] {
  return [...removed, ...replaced.filter(({ superseded_by }) => superseded_by !== undefined)];
}

export function viewOther(campaign: OtherCampaign, environment: string) {
  const { id, manifest, superseded_by, status, basis, since = null } = campaign;
  const { outside, running, max_emails_per_day: cap } = campaign;
  const cause =
    superseded_by !== undefined
      ? 'replaced, but running again'
      : outside
        ? `not among the manifests of ${environment}`
        : 'without a manifest';
  const setAt = `, as last set${since === null ? '' : ` on ${dayOf(since)}`}`;
  const doubt = { shown: '', set: setAt, unknown: ', may be running' }[basis];
  const most = running ? `up to ${count(cap ?? 0, 'email')} a day` : `cap ${thousands(cap ?? 0)} a day`;
  const where = [
    `id ${id}`,
    superseded_by === undefined ? manifest : `replaced by ${superseded_by}`,
    `${status ?? 'status not shown'}${doubt}`,
    ...(cap === null ? [] : [most]),
  ];
  const facts: CardFact[] = [{ look: 'changed', words: cause }, effectOn(campaign)];
  return { campaign, facts, where: where.join(' · ') };
}

/** What apply does. */
function effectOn(campaign: OtherCampaign): CardFact {
  if (campaign.step !== null) return { look: 'changed', words: 'pause', filter: 'stops' };
  if (!keepsSending(campaign)) return { look: 'quiet', words: 'nothing happens' };
  return { look: 'blocked', words: campaign.basis === 'shown' ? 'keeps sending' : 'may keep sending' };
}

export function otherCard({ name, anchor, facts, where, campaign: { manifest } }: OtherView): Card {
  return {
    ...{ sign: '-', title: name, facts, where, themes: [], codes: [], remarks: [], parts: [], subjects: [] },
    ...{ leads: null, explainsLeads: false, isLaunch: false, isNew: false, isAwaited: false },
    members: [{ name, anchor, manifest, where, leads: null, parts: [] }],
  };
}

/** Its manifest is gone, so the name has no link to it. */
export function otherRow({ name, anchor, facts, where }: OtherView): Cell[] {
  return [[{ name, anchor, manifest: null }], facts.map(({ words }) => words).join(' · '), where];
}
