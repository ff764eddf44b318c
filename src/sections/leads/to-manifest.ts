import type { CampaignContext, ManifestSection } from '../section.js';
import { isEmpty, type Live, totalLeads } from './state.js';

/** What the state knows to be attached, lists by their names where the environment has some; else only a remark. */
export function toManifest({ attached }: Live, context: CampaignContext): ManifestSection {
  if (isEmpty(attached)) return { section: null, remarks: [notShown(totalLeads(context))] };
  const { lists, ids } = attached;
  const names = new Map(Object.entries(context.environment.lead_lists).map(([name, id]) => [id, name]));
  return {
    section: {
      ...(lists.length > 0 ? { lists: lists.map((id) => names.get(id) ?? id) } : {}),
      ...(ids.length > 0 ? { ids } : {}),
    },
    remarks: [],
  };
}

function notShown(total: number | null): string {
  const now = total === null ? '' : ` (${total} lead${total === 1 ? '' : 's'} now)`;
  return `what is attached is not shown by the service${now}; lists and ids that you write here are attached`;
}
