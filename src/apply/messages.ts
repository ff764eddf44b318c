import type { ListedCampaign } from '../model/answer.js';
import type { Status } from '../model/target.js';
import { count, listed } from '../model/words.js';
import { describeSending, howToDeclare } from '../plan/messages.js';

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

function noLongerIdle(status: Status, then: string): string {
  return `the campaign ${describeSending(status)}, but was idle when ${then}`;
}

export const REASONS = {
  'wrong-workspace/pin': ({ campaign_id, name }: { campaign_id: number; name: string }) =>
    `wrong workspace: the list of campaigns does not show campaign ${campaign_id} with the name "${name}", which workspace: in the project file requires. Check the token, then plan again`,
  'wrong-workspace': ({ expected }: { expected: number }) =>
    `wrong workspace: the list of campaigns no longer shows ${expected === 1 ? 'the campaign' : `any of the ${expected} campaigns`} that it showed when this was planned. Check the token, then plan again`,
  'name-taken': ({ id, name }: ListedCampaign) =>
    `campaign ${id} is called "${name}" and was not listed when this was planned. ${ANOTHER_RUN}. ${AGAIN}`,
  'not-listed': ({ id, name }: { id: number | null; name: string }) =>
    `the list of campaigns does not show campaign ${id} under the name "${name}". ${AGAIN}`,
  'not-alone': (facts: Namesakes & { isPinned: boolean }) =>
    `${namesakes(facts)}. ${facts.isPinned ? `${facts.others.length === 1 ? 'The other is' : 'The others are'} neither in the state nor pinned by a manifest` : ANOTHER_RUN}. ${AGAIN}`,
  'created-twice': (facts: Namesakes) => `${namesakes(facts)}. ${ANOTHER_RUN}`,
  gone: ({ id }: { id: number | null }) => `the service no longer shows campaign ${id}. ${AGAIN}`,
  'not-in-state': ({ status }: { status: Status }) =>
    `${noLongerIdle(status, 'this was planned')}. It is not in the state, so it may be someone else's. ${AGAIN}`,
  'pause-not-shown': ({ status }: { status: Status }) =>
    `the service accepted the pause, but the campaign ${describeSending(status)}. ${AGAIN}`,
  'created-as': ({ status }: { status: Status }) =>
    `the new campaign ${describeSending(status)}. ${AGAIN} to see what needs approval${howToDeclare(status)}`,
  sending: ({ status, isCreated }: { status: Status; isCreated: boolean }) =>
    `${noLongerIdle(status, isCreated ? 'it was created' : 'this was planned')}. ${AGAIN}`,
  'section-changed': ({ section }: { section: string }) =>
    `the campaign's ${section} has changed in the service since this was planned. ${AGAIN} to see the change`,
  'overwrites-change': ({ fields, isCreated }: { fields: readonly string[]; isCreated: boolean }) =>
    `${listed(fields)} ${fields.length === 1 ? 'has' : 'have'} changed in the service since ${isCreated ? 'the campaign was created' : 'this was planned'}, and the request would overwrite the change. ${AGAIN} to see it first`,
  'status-changed': ({
    now,
    before,
    isCreated,
  }: {
    now: Status;
    before: string | null;
    isCreated: boolean;
  }) => {
    const shown =
      now.word === null ? 'the service no longer shows the status' : `the status is now "${now.word}"`;
    return before === null
      ? `${shown}. ${AGAIN}`
      : `${shown}; it was "${before}" when ${isCreated ? 'the campaign was created' : 'this was planned'}. ${AGAIN} to see the change`;
  },
  'predecessor-sends': ({ id, name, status }: { id: number | null; name: string; status: Status }) =>
    `campaign ${id} "${name}", which this one replaces, ${describeSending(status)}. ${AGAIN}${howToDeclare(status)}`,
  'paused-meanwhile': (_: object) =>
    'campaignctl pause was run for this campaign while this apply was at work',
  'draft-started': ({ id, name, word }: { id: number; name: string; word: string | null }) =>
    `campaign ${id} "${name}" was a draft when this was planned, and ${word === null ? 'now shows no status' : `is now "${word}"`}. It has some of the same leads, which may be mailed twice. ${AGAIN} to see what needs approval`,
  'not-as-planned': ({ sections }: { sections: readonly string[] }) =>
    `${listed([...sections])} changed in the service after the plan. ${AGAIN}, and review it`,
  'more-leads': ({ approved, total }: { approved: number; total: number }) =>
    `the plan listed ${count(approved, 'lead')}, but the service now shows ${total}. ${AGAIN} to see what needs approval`,
  'leads-grew': ({ before, total }: { before: number; total: number }) =>
    `the service now shows ${count(total, 'lead')}, ${total - before} more than before the request`,
  nobody: (_: object) =>
    `the service shows 0 leads in the campaign, so nobody would get its emails. ${AGAIN} to see what needs approval`,
} satisfies Record<string, (facts: never) => string>;
