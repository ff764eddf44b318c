import { greater, type JsonObject, objectSchema, property } from '../model/json.js';
import {
  attachedLists,
  common,
  isEmpty,
  leadRefs,
  listOf,
  refillOf,
  union,
  without,
  withoutRefills,
} from '../model/leads.js';
import type { PlanProblem, Step } from '../model/outputs.js';
import {
  CREATED_STATE,
  type LeadRefs,
  type Moment,
  NO_LEADS,
  type RecordedState,
  type Refill,
} from '../model/state.js';
import type { Target } from '../model/target.js';
import { ATTACH, count, leadsNamed } from '../model/words.js';
import {
  added,
  defineSection,
  type ManifestSection,
  namedId,
  note,
  removed,
  type SectionDifference,
  type SectionStep,
} from './section.js';

const list = property(
  { type: ['integer', 'string'], minimum: 1, minLength: 1 },
  "A lead list: its id, or its name in the environment's lead_lists.",
  'installers-fr',
);
const refill = property(
  { type: ['string', 'integer'], minLength: 1, pattern: '\\S' },
  'For lists that grow: apply attaches the list again for each value that this campaign never had. Usually a date.',
  '2026-11-27',
);

const schema: JsonObject = property(
  objectSchema('LeadsSpec', {
    lists: property(
      {
        type: 'array',
        items: {
          ...objectSchema('LeadList', { list, refill }, ['list', 'refill']),
          ...{ type: ['integer', 'string', 'object'], minimum: 1, minLength: 1 },
        },
      },
      "Lead lists: ids, or names defined in the environment's lead_lists. With `refill`, apply attaches the list again whenever that value changes.",
      [42, 'installers-fr', { list: 'installers-fr', refill: '2026-11-27' }],
    ),
    ids: property(
      { type: 'array', items: { type: 'integer', minimum: 1 } },
      'Ids of individual leads.',
      [1001, 1002],
    ),
    ids_file: property(
      { type: 'string', minLength: 1 },
      'File with ids of individual leads, one per line; "#" starts a comment. The path is relative to the manifest.',
      'leads/fr.txt',
    ),
  }),
  'Leads to attach. The API cannot detach leads, and does not show which are attached, so campaignctl records them in its state.',
  { lists: ['installers-fr'] },
  { ids_file: 'leads/fr.txt' },
);

/**
 * `isKnown`: the state records which leads are attached. `hasMore`: the service shows more leads than that. `before`,
 * `now`: lead counts shown by the service, kept only if it is in doubt which leads are attached.
 */
interface LiveLeads {
  attached: LeadRefs;
  doubtful: LeadRefs;
  isKnown: boolean;
  hasMore: boolean;
  before: number | null;
  now: number | null;
}

/** Only the state records which leads are attached; the number that the service shows serves only as a check. */
export const leads = defineSection<LiveLeads, LeadRefs>({
  name: 'leads',
  properties: { leads: schema },
  reads: ['campaign'],
  normalize,
  decode,
  diff,
  /** `attached`: leads whose attachment the service accepted. `doubtful`: leads whose attachment has an unknown outcome. */
  recordStep(recorded, step, effect) {
    const { attached, doubtful } = recorded;
    const sent = sentLeads(step);
    if (effect === 'in_doubt') return { ...recorded, doubtful: union(doubtful, without(sent, attached)) };
    // The list as it is now includes what an earlier request in doubt may have attached.
    const overtaken = (doubtful.refills ?? []).filter(({ list }) => sent.lists.includes(list));
    const settled = union(sent, { ...NO_LEADS, refills: overtaken });
    return {
      ...recorded,
      known: true,
      attached: union(attached, settled),
      doubtful: without(doubtful, settled),
    };
  },
  toView: ({ attached }) => attached,
  toManifest,
});

function decode(target: Target): LiveLeads {
  const recorded = target.id === null ? CREATED_STATE : target.recorded;
  const { attached, doubtful, known: isKnown } = recorded;
  const missing = without(desiredLeads(target), attached);
  // The number is irrelevant if nothing is to be attached.
  const total = isEmpty(missing) ? null : totalLeads(target);
  // Leads in doubt are reported separately.
  const isExplained = total === null || total <= explainedLeads(recorded);
  const hasMore = isKnown && !isExplained && !isEmpty(without(missing, doubtful));
  const isCertain = isKnown && !hasMore && isEmpty(doubtful);
  const numbers = isCertain ? { before: null, now: null } : { before: recorded.total_leads, now: total };
  return { attached, doubtful, isKnown, hasMore, ...numbers };
}

/** `null` if not shown. */
export function totalLeads({ live }: Target): number | null {
  return live?.total_leads ?? null;
}

/** `null` if not shown. */
export function contactedLeads({ id, live }: Target): number | null {
  return id === null ? 0 : (live?.leads_contacted ?? null);
}

/**
 * The number of leads for which this state accounts. Any others may have been attached elsewhere: hazard `repeat-attach`.
 */
export function explainedLeads({ total_leads, attached }: RecordedState): number {
  return total_leads ?? (attached.lists.length > 0 ? 0 : attached.ids.length);
}

/** The number of leads for which the state accounts if it is less than `total`; otherwise `null`. */
export function accountedLeads(recorded: RecordedState, total: number | null): number | null {
  const { lists, ids } = union(recorded.attached, recorded.doubtful);
  // If only individual leads are attached, their number is exact.
  const accounted = lists.length === 0 ? ids.length : explainedLeads(recorded);
  return total !== null && total > accounted ? accounted : null;
}

/** `total`: the number shown now; `null` if none is. `isIdle`: the service shows that the campaign is not sending. */
interface Attachment {
  sent: LeadRefs;
  at: Moment;
  total: number | null;
  isIdle: boolean;
}

/** A sending campaign's number of leads is minutes late, so individual leads are counted immediately. */
export function withAttachment(
  recorded: RecordedState,
  { sent, at, total, isIdle }: Attachment,
): RecordedState {
  if (isEmpty(sent)) return recorded;
  const before = recorded.total_leads;
  if (isIdle) return { ...recorded, total_leads: total ?? before };
  const expected = before === null ? null : before + sent.ids.length;
  return { ...recorded, total_leads: greater(total, expected), attached_at: at };
}

/** Records the number after a run that attached nothing. Only a recent attachment explains a higher number. */
export function withTotalLeads(recorded: RecordedState, total: number | null): RecordedState {
  if (!recorded.known || total === null) return recorded;
  const explained = explainedLeads(recorded);
  const isRecent = recorded.attached_at !== null;
  return { ...recorded, total_leads: isRecent ? Math.max(total, explained) : Math.min(total, explained) };
}

function normalize(target: Target): LeadRefs | null {
  if (target.spec.leads === undefined) return null;
  const { lists: entries = [], ids = [] } = target.spec.leads;
  const lists = entries.map((entry) => namedId(listOf(entry), 'lead_lists', target));
  const refills = entries.flatMap((entry, index): Refill[] => {
    const [list, refill] = [lists[index], refillOf(entry)];
    return list === undefined || refill === null ? [] : [{ list, refill }];
  });
  return leadRefs({ lists, ids, refills });
}

export function desiredLeads(target: Target): LeadRefs {
  return normalize(target) ?? NO_LEADS;
}

function diff(live: LiveLeads, desired: LeadRefs, target: Target): SectionDifference {
  const missing = without(desired, live.attached);
  // The values of `refill` that the campaign has had stay in the state.
  const surplus = withoutRefills(without(live.attached, desired));
  const named = (lists: readonly number[]) => {
    const names = listNames(lists, target).join(', ');
    return names === lists.join(', ') ? null : names;
  };
  const changes = attachedKinds(missing).map((kind) =>
    added(kind, missing[kind], kind === 'lists' ? named(missing.lists) : null),
  );
  const refills = refillsOf(missing);
  const again = added(
    REFILL,
    refills.map((refill) => ({ ...refill })),
    named(refills.map(({ list }) => list)),
  );
  return {
    changes: refills.length === 0 ? changes : [...changes, again],
    problems: isEmpty(surplus) ? [] : [cannotDetach(surplus)],
    steps: attachments(missing, desired),
    byHand: attachedKinds(surplus).map((kind) => removed(kind, surplus[kind])),
  };
}

/** Path of the change that attaches lists again. */
export const REFILL = 'refill';

/** The lists that are attached again, each for a new value of `refill`. */
export function refillsOf({ lists, refills = [] }: LeadRefs): Refill[] {
  return refills.filter(({ list }) => !lists.includes(list));
}

function attachedKinds(refs: LeadRefs): ('lists' | 'ids')[] {
  return (['lists', 'ids'] as const).filter((kind) => refs[kind].length > 0);
}

/** "installers-fr (id 77)", or "77" if the environment does not name the list. */
export function listNames(lists: readonly number[], { environment }: Target): string[] {
  const named = Object.entries(environment.lead_lists);
  return lists.map((id) => {
    const names = named.filter(([, other]) => other === id).map(([name]) => name);
    return names.length === 0 ? String(id) : `${names.join(', ')} (id ${id})`;
  });
}

/** Leads that may be attached already, and lists that are attached again although the service may not skip their leads. */
export function repeatHazard(target: Target): PlanProblem[] {
  if (target.environment.service.attach_repeat === 'safe') return [];
  const live = decode(target);
  const missing = without(desiredLeads(target), live.attached);
  const refills = live.isKnown ? (without(missing, live.doubtful).refills ?? []) : [];
  const again = refills.filter(({ list }) => live.attached.lists.includes(list));
  const others = without(missing, { ...NO_LEADS, refills: again });
  const refs = live.isKnown && !live.hasMore ? common(others, live.doubtful) : others;
  return [
    ...(isEmpty(refs) ? [] : [mayBeAttached(refs, live)]),
    ...(again.length === 0 ? [] : [attachesAgain(again, target)]),
  ];
}

function mayBeAttached(refs: LeadRefs, live: LiveLeads): PlanProblem {
  return repeatAttach(
    `The campaign may already have ${describeLeads(refs)}. ${reasonForDoubt(refs, live)}${totals(live)} A second request might attach the same leads twice.`,
    "Check in the service's web app whether these leads are attached. If they are not, pass --allow repeat-attach. If the service skips leads that are already attached, write attach_repeat: safe under service in the project file.",
  );
}

function attachesAgain(refills: readonly Refill[], target: Target): PlanProblem {
  const lists = refills.map(({ list }) => list);
  const total = totalLeads(target);
  const shown = total === null ? '' : ` The service now shows ${count(total, 'lead')} in the campaign.`;
  return repeatAttach(
    `The campaign already has ${leadsNamed('lists', lists)}, and refill attaches ${lists.length === 1 ? 'it' : 'them'} again. It is not known whether the service skips the leads that the campaign has: it might attach them twice, and they would get the emails again.${shown}`,
    'If the service skips leads that are already attached, write attach_repeat: safe under service in the project file. If it does not, attach only the new leads: as ids, or as a list of their own.',
  );
}

function repeatAttach(message: string, hint: string): PlanProblem {
  return { code: 'repeat-attach', severity: 'hazard', message, hint };
}

function reasonForDoubt(refs: LeadRefs, { isKnown, hasMore, doubtful }: LiveLeads): string {
  if (!isKnown)
    return 'The state does not record which leads were attached, and the service does not show them.';
  if (!hasMore)
    return 'An earlier request to attach these leads had an unknown outcome, or they were forgotten with --removed-leads, and the service does not show attached leads.';
  const lost = common(refs, doubtful);
  const earlier = `An earlier request to attach ${describeLeads(lost)} had an unknown outcome, or they were forgotten with --removed-leads. `;
  return `${isEmpty(lost) ? '' : earlier}The service shows more leads than the state accounts for: the state may be outdated, leads may have been attached outside this project, a list may have grown, or the service may have picked up a list later.`;
}

function totals({ before, now }: LiveLeads): string {
  if (now === null) return '';
  return before === null
    ? ` The service now shows ${count(now, 'lead')} in the campaign.`
    : ` The service showed ${count(before, 'lead')} in the campaign before, and now shows ${count(now, 'lead')}.`;
}

function cannotDetach(refs: LeadRefs): PlanProblem {
  return {
    code: 'cannot-detach',
    severity: 'warning',
    message: `The manifest no longer includes ${describeLeads(refs)}, but the API cannot detach leads: they stay attached, and are mailed while the campaign runs.`,
    hint: "Remove them in the service's web app, or add them to the manifest again.",
  };
}

export function describeLeads(refs: LeadRefs): string {
  const again = refillsOf(refs).map(
    ({ list, refill }) => `${leadsNamed('lists', [list])} for refill ${refill}`,
  );
  return [...attachedKinds(refs).map((kind) => leadsNamed(kind, refs[kind])), ...again].join(' and ');
}

/** Users report that a call with 1,000 ids works, and that one with 40,000 times out. */
const BATCH = 500;

/** A list is attached once for its first attachment and its value of `refill`. */
function attachments(missing: LeadRefs, { refills = [] }: LeadRefs): SectionStep[] {
  const lists = attachedLists(missing).map((id): SectionStep => {
    const title = `${ATTACH}lead list ${id}${missing.lists.includes(id) ? '' : ' again'}`;
    const step = request(`leads/list-${id}`, title, 'attach-lead-list', { lead_list_id: id });
    const refill = refills.find(({ list }) => list === id)?.refill;
    return refill === undefined ? step : { ...step, refill };
  });
  const length = Math.ceil(missing.ids.length / BATCH);
  const batches = Array.from({ length }, (_, index) => {
    const lead_ids = missing.ids.slice(index * BATCH, (index + 1) * BATCH);
    const title = `${ATTACH}${count(lead_ids.length, 'lead')}${length > 1 ? ` (batch ${index + 1} of ${length})` : ''}`;
    return request(`leads/batch-${index + 1}`, title, 'attach-leads', { lead_ids });
  });
  return [...lists, ...batches];
}

function request(id: string, title: string, operation: string, body: JsonObject): SectionStep {
  const path = `/api/campaigns/{campaign_id}/leads/${operation}`;
  return { id, stage: 'leads', title, method: 'POST', path, body, irreversible: true };
}

export function sentLeads({ section, body, refill }: Step): LeadRefs {
  const { lead_list_id: list, lead_ids: ids } = (section === 'leads' ? body : null) ?? {};
  const lists = typeof list === 'number' ? [list] : [];
  return {
    lists,
    ids: Array.isArray(ids) ? ids.filter((id) => typeof id === 'number') : [],
    ...(refill !== undefined && { refills: lists.map((id) => ({ list: id, refill })) }),
  };
}

function toManifest({ attached }: LiveLeads, target: Target): ManifestSection {
  if (isEmpty(attached)) {
    const text =
      'the service does not show attached leads; apply attaches the lists and ids that you write here';
    return { section: null, remarks: [note(text, totalLeads(target))] };
  }
  const { lists, ids } = attached;
  const names = new Map(Object.entries(target.environment.lead_lists).map(([name, id]) => [id, name]));
  return {
    section: {
      ...(lists.length > 0 ? { lists: lists.map((id) => names.get(id) ?? id) } : {}),
      ...(ids.length > 0 ? { ids } : {}),
    },
    remarks: [],
  };
}
