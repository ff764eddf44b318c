import type { ListedCampaign } from '../model/answer.js';
import { count, listed } from '../model/words.js';
import { campaignThat, howToDeclare } from '../plan/messages.js';
import type { Sending } from '../sections/sending.js';

export function refusal<Key extends keyof typeof REASONS>(
  key: Key,
  facts: Parameters<(typeof REASONS)[Key]>[0],
): string {
  const say = REASONS[key] as (facts: unknown) => string;
  return say(facts);
}

const AGAIN = 'Plan again';
const ANOTHER_RUN = 'Another run may have created it at the same time';

interface Namesakes {
  id: number | null;
  name: string;
  others: readonly ListedCampaign[];
}

function namesakes({ name, id, others }: Namesakes): string {
  const ids = others.map((row) => `${row.id}${row.status === null ? '' : ` (${row.status})`}`).join(', ');
  return `the service has ${others.length + 1} campaigns called "${name}": this one (${id}) and ${ids}`;
}

function sendsNow(status: Sending, then: string): string {
  return `it is now ${campaignThat(status)}, which it was not when ${then}`;
}

const REASONS = {
  'wrong-workspace/pin': ({ campaign_id, name }: { campaign_id: number; name: string }) =>
    `wrong workspace: the list of campaigns does not show campaign ${campaign_id} with the name "${name}" that workspace: in the project file requires. Check the token, then plan again`,
  'wrong-workspace': ({ expected }: { expected: number }) =>
    `wrong workspace: the list of campaigns no longer shows any campaign that it showed when this was planned (${count(expected, 'campaign')}). Check the token, then plan again`,
  'name-taken': ({ id, name }: ListedCampaign) =>
    `campaign ${id} is now called "${name}", and was not listed when this was planned. ${ANOTHER_RUN}. ${AGAIN}`,
  'not-listed': ({ id, name }: { id: number | null; name: string }) =>
    `the list of campaigns does not show campaign ${id} under the name "${name}". ${AGAIN}`,
  'not-alone': (facts: Namesakes & { isPinned: boolean }) =>
    `${namesakes(facts)}. ${facts.isPinned ? `${facts.others.length === 1 ? 'The other is' : 'The others are'} neither in the state nor pinned by a manifest` : ANOTHER_RUN}. ${AGAIN}`,
  'created-twice': (facts: Namesakes) => `${namesakes(facts)}. ${ANOTHER_RUN}`,
  gone: ({ id }: { id: number | null }) => `the service no longer shows campaign ${id}. ${AGAIN}`,
  stranger: ({ status }: { status: Sending }) =>
    `${sendsNow(status, 'this was planned')}. It is not in the state, so it may be someone else's. ${AGAIN}`,
  'pause-not-shown': ({ status }: { status: Sending }) =>
    `the service accepted the pause, but this is still ${campaignThat(status)}. ${AGAIN}`,
  'created-as': ({ status }: { status: Sending }) =>
    `the service created it as ${campaignThat(status)}. ${AGAIN} to see what needs approval${howToDeclare(status)}`,
  sending: ({ status, isCreated }: { status: Sending; isCreated: boolean }) =>
    `${sendsNow(status, isCreated ? 'it was created' : 'this was planned')}. ${AGAIN}`,
  'section-changed': ({ section }: { section: string }) =>
    `its ${section} has been changed outside this run since this was planned. ${AGAIN} to see the change`,
  'sets-back': ({ fields, isCreated }: { fields: readonly string[]; isCreated: boolean }) =>
    `${listed(fields)} changed in the service since ${isCreated ? 'the campaign was created' : 'this was planned'}, and the request would overwrite the change. ${AGAIN} to see it first`,
  'status-changed': ({
    now,
    before,
    isCreated,
  }: {
    now: Sending;
    before: string | null;
    isCreated: boolean;
  }) => {
    const shown =
      now.word === null ? 'the service no longer shows its status' : `its status is now "${now.word}"`;
    return before === null
      ? `${shown}. ${AGAIN}`
      : `${shown}; when ${isCreated ? 'it was created' : 'this was planned'}, its status was "${before}". ${AGAIN} to see the change`;
  },
  'predecessor-sends': ({ id, name, status }: { id: number | null; name: string; status: Sending }) =>
    `campaign ${id} "${name}", which this one replaces, is now ${campaignThat(status)}${howToDeclare(status)}`,
  'owner-woken': ({ id, name, word }: { id: number; name: string; word: string | null }) =>
    `campaign ${id} "${name}" ${word === null ? 'now shows no status' : `is now "${word}"`}, was a draft when this was planned, and has some of the same leads, who may be mailed twice. Plan again to see what needs approval`,
  'not-as-read-back': ({ sections }: { sections: readonly string[] }) =>
    `${listed([...sections])} changed in the service after the read-back. ${AGAIN} to see the change`,
  'more-leads': ({ approved, total }: { approved: number; total: number }) =>
    `the plan listed ${count(approved, 'lead')}, but the service now shows ${total}: more have been added since. ${AGAIN} to see what needs approval`,
} satisfies Record<string, (facts: never) => string>;
