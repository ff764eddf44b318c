import type { LintSubject } from '../../manifest/resolve.js';
import type { Environment } from '../../model/environment.js';
import type { ProjectRule, Remark } from './rule.js';

/** Campaigns that are all pinned may share a name: the service allows it, and each is known by its id. */
export const duplicateName: ProjectRule = {
  scope: 'project',
  code: 'duplicate-name',
  severity: 'error',
  summary: 'Two manifests with the same campaign name.',
  check(subjects) {
    return twins(subjects, (subject) => subject.spec.name.trim())
      .filter(([first, second]) => first.spec.id === undefined || second.spec.id === undefined)
      .map(([first, second]) => ({
        message: `"${second.spec.name.trim()}" is already the name of ${first.manifest}: both would be the same campaign.`,
        hint: 'Give one of them another name, or pin both with the id of their live campaign.',
        place: second.at(['name']),
      }));
  },
};

export const duplicateId: ProjectRule = {
  scope: 'project',
  code: 'duplicate-id',
  severity: 'error',
  summary: 'Two manifests pinned to the same live campaign.',
  check(subjects) {
    return twins(subjects, (subject) => subject.spec.id).map(([first, second]) => ({
      message: `Campaign ${second.spec.id} is already managed by ${first.manifest} ("${first.spec.name}").`,
      hint: 'Remove the id from one of them, or put what both say into one manifest.',
      place: second.at(['id']),
    }));
  },
};

/** The same people would hear from both campaigns. Names that the environment does not know are reported elsewhere. */
export const sharedLeadList: ProjectRule = {
  scope: 'project',
  code: 'shared-lead-list',
  severity: 'warning',
  summary: 'A lead list in two campaigns that both run.',
  check(subjects, environment) {
    const first = new Map<number, LintSubject>();
    return subjects
      .filter(({ spec }) => spec.status === 'running')
      .flatMap((subject) =>
        (subject.spec.leads?.lists ?? []).flatMap((list, index): Remark[] => {
          const id = listId(list, environment);
          if (id === null) return [];
          const other = first.get(id);
          if (other === undefined) first.set(id, subject);
          if (other === undefined || other === subject) return [];
          return [
            {
              message: `Lead list ${list === id ? id : `${list} (${id})`} is also attached by ${other.manifest} ("${other.spec.name}"), and both campaigns run: its leads would get both.`,
              hint: 'Take the list out of one of them, or set the status of one to paused.',
              place: subject.at(['leads', 'lists', index]),
            },
          ];
        }),
      );
  },
};

/** Each later campaign of the same key with the first of it. */
function twins(
  subjects: readonly LintSubject[],
  keyOf: (subject: LintSubject) => string | number | undefined,
): (readonly [LintSubject, LintSubject])[] {
  const first = new Map<string | number, LintSubject>();
  return subjects.flatMap((subject) => {
    const key = keyOf(subject);
    if (key === undefined) return [];
    const other = first.get(key);
    if (other !== undefined) return [[other, subject] as const];
    first.set(key, subject);
    return [];
  });
}

function listId(list: number | string, environment: Environment): number | null {
  if (typeof list === 'number') return list;
  return Object.hasOwn(environment.lead_lists, list) ? (environment.lead_lists[list] ?? null) : null;
}
