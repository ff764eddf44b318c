import equal from 'fast-deep-equal';
import type { Change } from '../../model/change.js';
import { isObject, type Json } from '../../model/json.js';
import type { Problem } from '../../model/problem.js';
import type { Difference, SectionContext } from '../section.js';
import type { Desired, Live, Window } from './state.js';

const FIELDS = ['days', 'start_time', 'end_time', 'timezone'] as const;

export function diff(live: Live, desired: Desired, context: SectionContext): Difference {
  if (live === null) return { changes: [change('', 'add', null, whole(desired))], problems: [] };
  const changes =
    desired.window === null ? unseenTemplate(desired.template, context) : differing(live, desired.window);
  const problems = desired.window === null ? [templateNotShown(desired.template)] : [];
  return { changes, problems: changes.length > 0 ? [...problems, ...repost(context)] : problems };
}

function differing(live: Window, desired: Window): Change[] {
  return FIELDS.filter((field) => !equal(live[field], desired[field])).map((field) =>
    change(field, 'update', live[field], desired[field]),
  );
}

/** A template whose content is not shown can only be compared with the one that was last applied. */
function unseenTemplate(template: number | null, context: SectionContext): Change[] {
  const applied = context.recorded.applied.schedule;
  const from = isObject(applied) ? (applied.template ?? null) : null;
  if (from === template) return [];
  return [
    {
      ...change('template', 'update', from, template),
      note: 'the service does not show what the template holds; compared with what was last applied',
    },
  ];
}

function whole(desired: Desired): Json {
  const { template, window } = desired;
  const fields = window === null ? {} : { ...window };
  return template === null
    ? { ...fields, save_as_template: desired.save_as_template }
    : { template, ...fields };
}

function change(path: string, kind: Change['kind'], from: Json, to: Json): Change {
  return { section: 'schedule', path, kind, from, to, note: null };
}

function templateNotShown(template: number | null): Problem {
  return {
    code: 'not-readable',
    severity: 'warning',
    message: `What schedule template ${template} holds is not shown by the service: it was compared with what was last applied.`,
    hint: 'A change made elsewhere would not be noticed. Own fields (days, times, timezone) can be compared.',
  };
}

function repost({ environment }: SectionContext): Problem[] {
  switch (environment.service.schedule_repost) {
    case 'replace':
      return [];
    case 'unknown':
      return [
        {
          code: 'schedule-repost',
          severity: 'warning',
          message:
            'The campaign has a schedule. Whether posting another one replaces it is not documented: it is sent, and only what is read back afterwards counts.',
          hint: 'Once you know, say so under service: schedule_repost: replace or refuse.',
        },
      ];
    case 'refuse':
      return [
        {
          code: 'schedule-exists',
          severity: 'blocked',
          message:
            'The campaign has a schedule, and this service refuses a second one (schedule_repost: refuse).',
          hint: 'Change the schedule in the web page of the service, then plan again.',
        },
      ];
  }
}
