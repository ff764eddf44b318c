import type { ResourceName } from '../model/answer.js';
import type { AspectName, Change } from '../model/change.js';
import { replan, resourcesFor, type Subject } from '../plan/index.js';
import type { ApplyTools } from './apply.js';

/** Waits before looks at the service, in milliseconds: what was written may show a moment later. */
const LOOKS = [0, 500, 2000];
/** The same before something is sent again that must not be there twice: seven and a half seconds in all. */
export const PATIENT = [0, 500, 2000, 5000];

/** The subject as the service shows it now, as far as these aspects need it. */
export async function readAgain(
  subject: Subject,
  aspects: readonly AspectName[],
  { service }: ApplyTools,
): Promise<Subject> {
  const { id } = subject;
  if (id === null) return subject;
  const resources = resourcesFor(subject, aspects);
  const read = (name: ResourceName) => (resources.includes(name) ? service.read(name, id) : null);
  const [campaign, schedule, sequence] = await Promise.all([
    read('campaign'),
    read('schedule'),
    read('sequence'),
  ]);
  return { ...subject, listed: null, answers: { campaign, schedule, sequence } };
}

/**
 * Looks until `found` gives a value for what the service shows; the last look's value, which may be null, is the
 * answer. Once somebody has asked to stop, there is no further look.
 */
export async function lookFor<T>(
  { subject, aspects, tools, looks }: Look,
  found: (seen: Subject) => T | null,
): Promise<T | null> {
  for (const wait of looks) {
    if (wait > 0) await tools.sleep(wait);
    if (wait > 0 && tools.stopping()) return null;
    const value = found(await readAgain(subject, aspects, tools));
    if (value !== null) return value;
  }
  return null;
}

interface Look {
  subject: Subject;
  aspects: readonly AspectName[];
  tools: ApplyTools;
  /** Waits before each look, in milliseconds. */
  looks: readonly number[];
}

/** What still differs in these aspects after they were written; empty: proven equal. */
export async function remaining(
  subject: Subject,
  aspects: readonly AspectName[],
  tools: ApplyTools,
): Promise<Change[]> {
  let changes: Change[] = [];
  const equal = await lookFor({ subject, aspects, tools, looks: LOOKS }, (seen) => {
    changes = [...creation(seen, aspects), ...replan(seen, aspects).changes];
    return changes.length === 0 ? true : null;
  });
  return equal === null ? changes : [];
}

/** A campaign that was made has to be there, under its name. */
function creation({ spec, answers }: Subject, aspects: readonly AspectName[]): Change[] {
  if (!aspects.includes('campaign') || answers?.campaign?.none !== true) return [];
  return [{ aspect: 'campaign', path: 'name', kind: 'add', from: null, to: spec.name, note: null }];
}
