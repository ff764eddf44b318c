import type { StoredSettings } from '../model/settings.js';
import { type Campaign, newCampaign, type Schedule, type State, type Step } from './state.js';

/**
 * What a request changed, with every value decided: replaying events needs no rule and no profile. `polled` is
 * the one that reads make: each read of a queued campaign brings its launch nearer.
 */
export type Event = { type: 'campaign-created'; name: string } | CampaignEvent;

type CampaignEvent = { campaign: number } & (
  | { type: 'settings-updated'; settings: StoredSettings }
  | { type: 'schedule-set'; schedule: Schedule; saveAsTemplate: boolean }
  | { type: 'steps-added'; title: string; steps: Step[] }
  | { type: 'list-attached'; list: number }
  | { type: 'leads-attached'; leads: number[] }
  | { type: 'resumed'; status: 'queued' | 'active'; queuedReads: number; fails?: true }
  | { type: 'paused' }
  | { type: 'polled' }
);

/**
 * Brings `state` up to date **in place**: its one owner calls this after the event is on disk. A copy per write
 * would make a thousand campaigns quadratic. Throws on an event that does not fit the state.
 */
export function evolve(state: State, event: Event): void {
  if (event.type === 'campaign-created') {
    state.campaigns.push(newCampaign(state.campaigns.length + 1, event.name));
    return;
  }
  const campaign = state.campaigns[event.campaign - 1];
  if (campaign === undefined) throw new Error(`there is no campaign ${event.campaign}`);
  const changed = changedBy(campaign, event);
  state.campaigns[event.campaign - 1] = { ...changed, revision: changed.revision + 1 };
  if (event.type === 'steps-added')
    state.lastStepId = Math.max(state.lastStepId, ...event.steps.map((s) => s.id));
  if (event.type === 'schedule-set' && event.saveAsTemplate) {
    state.templates.push({ ...event.schedule, id: state.templates.length + 1 });
  }
}

function changedBy(campaign: Campaign, event: CampaignEvent): Campaign {
  switch (event.type) {
    case 'settings-updated':
      return { ...campaign, settings: event.settings };
    case 'schedule-set':
      return { ...campaign, schedule: event.schedule };
    case 'steps-added':
      return {
        ...campaign,
        sequenceTitles: [...campaign.sequenceTitles, event.title],
        steps: [...campaign.steps, ...event.steps],
      };
    case 'list-attached':
      return { ...campaign, lists: union(campaign.lists, [event.list]) };
    case 'leads-attached':
      return { ...campaign, leads: union(campaign.leads, event.leads) };
    case 'resumed':
      return {
        ...campaign,
        status: event.status,
        queuedReads: event.queuedReads,
        launchFails: event.fails === true,
        resumes: campaign.resumes + 1,
      };
    case 'paused':
      return { ...campaign, status: 'paused', queuedReads: 0 };
    case 'polled':
      return campaign.queuedReads > 0
        ? { ...campaign, queuedReads: campaign.queuedReads - 1 }
        : { ...campaign, status: campaign.launchFails ? 'failed' : 'active' };
    default:
      throw new Error(`unknown event ${JSON.stringify(event satisfies never)}`);
  }
}

function union(some: number[], more: number[]): number[] {
  return [...new Set([...some, ...more])].sort((a, b) => a - b);
}
