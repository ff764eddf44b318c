import type { Change } from '../../model/change.js';
import type { Problem } from '../../model/problem.js';
import type { LeadRefs } from '../../model/state-entry.js';
import type { Difference, SectionContext } from '../section.js';
import { isEmpty, type Live } from './state.js';

const KINDS = ['lists', 'ids'] as const;

export function diff(live: Live, desired: LeadRefs, context: SectionContext): Difference {
  const missing = without(desired, live.attached);
  const surplus = without(live.attached, desired);
  const changes = KINDS.filter((kind) => missing[kind].length > 0).map((kind): Change => {
    const note = kind === 'lists' ? namesOf(missing.lists, context) : null;
    return { section: 'leads', path: kind, kind: 'add', from: null, to: missing[kind], note };
  });
  const unsure = live.certain ? common(missing, live.doubtful) : missing;
  const problems = [
    ...(isEmpty(unsure) || context.environment.service.attach_repeat === 'safe'
      ? []
      : [repeatHazard(unsure, live)]),
    ...(isEmpty(surplus) ? [] : [cannotDetach(surplus)]),
  ];
  return { changes, problems };
}

/** What the project file calls these lists: "installers-fr is 77". */
function namesOf(lists: readonly number[], { environment }: SectionContext): string | null {
  const named = Object.entries(environment.lead_lists).filter(([, id]) => lists.includes(id));
  return named.length === 0 ? null : named.map(([name, id]) => `${name} is ${id}`).join(', ');
}

export function without(refs: LeadRefs, other: LeadRefs): LeadRefs {
  return select(refs, other, false);
}

function common(refs: LeadRefs, other: LeadRefs): LeadRefs {
  return select(refs, other, true);
}

function select(refs: LeadRefs, other: LeadRefs, present: boolean): LeadRefs {
  const [lists, ids] = [new Set(other.lists), new Set(other.ids)];
  return {
    lists: refs.lists.filter((id) => lists.has(id) === present),
    ids: refs.ids.filter((id) => ids.has(id) === present),
  };
}

function repeatHazard(refs: LeadRefs, live: Live): Problem {
  const why = live.certain
    ? 'An earlier run sent it and never learned the outcome'
    : 'Nothing is recorded of what was attached to this campaign';
  return {
    code: 'repeat-attach',
    severity: 'hazard',
    message: `It is not known whether the campaign already has ${describe(refs)}. ${why}, and the service does not show it.${totals(live)} Attaching again might enter leads twice.`,
    hint: 'Look the leads up in the web page of the service, then accept with --allow repeat-attach; or say attach_repeat: safe under service if it skips leads that are there.',
  };
}

/** The one thing that the service may show of it. */
function totals({ before, now }: Live): string {
  if (now === null) return '';
  const leads = (count: number) => `${count} lead${count === 1 ? '' : 's'}`;
  return before === null
    ? ` It shows ${leads(now)} on the campaign now.`
    : ` It showed ${leads(before)} on the campaign before, and shows ${leads(now)} now.`;
}

function cannotDetach(refs: LeadRefs): Problem {
  return {
    code: 'cannot-detach',
    severity: 'warning',
    message: `No longer in the manifest, but attached: ${describe(refs)}. This interface cannot detach leads; they stay.`,
    hint: 'Remove them in the web page of the service, or put them back into the manifest.',
  };
}

/** "lead lists 42, 77 and 1,200 leads": names up to five ids each. */
export function describe({ lists, ids }: LeadRefs): string {
  const parts = [
    ...(lists.length > 0 ? [`lead list${lists.length > 1 ? 's' : ''} ${few(lists)}`] : []),
    ...(ids.length > 0 ? [`${ids.length} single lead${ids.length > 1 ? 's' : ''} (${few(ids)})`] : []),
  ];
  return parts.join(' and ');
}

function few(ids: readonly number[]): string {
  return ids.length <= 5 ? ids.join(', ') : `${ids.slice(0, 4).join(', ')}, … ${ids[ids.length - 1]}`;
}
