import type { Answer, ListedCampaign, ResourceName } from '../model/answer.js';
import type { Json } from '../model/json.js';
import type { Channel } from './channel.js';
import { answer, decodeCampaign, decodeSchedule, decodeSequence, unreadable } from './decode.js';
import { campaignId, unwrap } from './envelope.js';
import { campaignList, stepList, templateList } from './lists.js';
import { nextPage, readPageInfo } from './next-page.js';
import { readWhole } from './pages.js';
import { type Reading, readPath } from './reading.js';

/** Reads the service. There is no way to write through it. */
export interface Reader {
  /** Every campaign of the workspace, provably; Failure otherwise. */
  campaigns(): Promise<ListedCampaign[]>;
  /**
   * One resource of a campaign, without its envelope: campaign and schedule as object, the sequence as
   * `{title, steps}` with `title` null where it is not shown.
   */
  read(resource: ResourceName, id: number): Promise<Answer>;
  /** `body`: every schedule template of the workspace as list of records; none if there are none. */
  templates(): Promise<Answer>;
  /**
   * Ends at once what waits or is on its way: reads fail with code `interrupted`, writes are unsent, or in doubt if they
   * were on their way.
   */
  close(): Promise<void>;
}

const PATHS: Record<ResourceName, string> = {
  campaign: '',
  schedule: '/schedule',
  sequence: '/sequence-steps',
};

export function createReader(channel: Channel): Reader {
  const base = `${channel.prefix}/api/campaigns`;
  return {
    campaigns: () => readWhole(campaignList(channel, base)),
    async read(resource, id) {
      const path = `${base}/${id}${PATHS[resource]}`;
      const reading = await readPath(channel, path, [404]);
      return answer(
        reading.origin,
        reading.status === 404 ? null : await content(reading, { resource, id, path }),
      );
    },
    async templates() {
      const path = `${base}/schedule/templates`;
      const records = await readWhole(templateList(channel, path));
      return answer({ endpoint: `GET ${path}`, quote: channel.quote }, records.length === 0 ? null : records);
    },
    close: () => channel.close(),
  };

  function content(
    reading: Reading,
    asked: { resource: ResourceName; id: number; path: string },
  ): Json | Promise<Json> {
    switch (asked.resource) {
      case 'campaign':
        return ownCampaign(reading, asked.id);
      case 'schedule':
        return decodeSchedule(reading.body, reading.origin);
      case 'sequence':
        return wholeSequence(reading, asked.path);
    }
  }

  /** Steps come on one page as a rule; where the answer announces more, part of them is not taken for all. */
  async function wholeSequence({ body, headers, origin }: Reading, path: string): Promise<Json> {
    const sequence = decodeSequence(body, origin);
    if (sequence === null) return null;
    const announced = readPageInfo(unwrap(body, 'sequence').layers, headers);
    const { kind } = nextPage(announced, 1, sequence.steps.length);
    if (kind === 'end' || kind === 'unsaid') return sequence;
    return { ...sequence, steps: await readWhole(stepList(channel, path)) };
  }
}

/** Somebody else's campaign must not be taken for the one that was asked for. */
function ownCampaign({ body, origin }: Reading, id: number): Json {
  const record = decodeCampaign(body, origin);
  const seen = record === null ? null : campaignId(record);
  if (seen !== null && seen !== id) throw unreadable(origin, `campaign ${id} was asked for`, { id: seen });
  return record;
}
