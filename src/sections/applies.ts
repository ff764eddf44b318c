/** What the last applies changed, as hashes: they show that a plan would undo one of them. */
import { createHash } from 'node:crypto';
import { canonicalText, withoutReplyPrefix } from '../model/canonical.js';
import { isObject, type Json } from '../model/json.js';
import { type Change, NOT_KNOWN, type Step } from '../model/outputs.js';
import type { CampaignSpec } from '../model/spec.js';
import type { CampaignApply, FieldHashes, RecordedState } from '../model/state.js';

/** Number of applies that are kept for each campaign. */
const KEPT = 10;

/** Adds what an apply changed, and replaces what was recorded for the same run. */
export function withApply(recorded: RecordedState, apply: CampaignApply): RecordedState {
  const { applies = [] } = recorded;
  const fields = Object.values(apply.changes);
  if (fields.length === 0) return recorded;
  const isSame = ({ run }: CampaignApply) => run === apply.run;
  if (applies.some(isSame))
    return { ...recorded, applies: applies.map((known) => (isSame(known) ? apply : known)) };
  // Only the latest apply that found fields in sync is kept.
  const kept = fields.some(isInSync)
    ? applies.filter(({ changes }) => !Object.values(changes).every(isInSync))
    : applies;
  return { ...recorded, applies: [...kept, apply].slice(-KEPT) };
}

function isInSync({ to }: FieldHashes): boolean {
  return to === null;
}

/** The run that changed something. */
interface ChangedBy {
  run: string;
  at: string;
  who: string;
  commit?: string | null;
  checkout?: string;
}

export function applyOf(
  { run, at, who, commit, checkout }: ChangedBy,
  changes: CampaignApply['changes'],
): CampaignApply {
  return { run, at, who, commit: checkout ?? commit ?? null, changes };
}

/** Hashes of the changes that these steps send. */
export function sentChanges(changes: readonly Change[], steps: readonly Step[]): CampaignApply['changes'] {
  const sent = changes.filter(({ section }) => steps.some((step) => step.section === section));
  // A new campaign's initial values are nobody's.
  const isNew = steps.some(({ stage }) => stage === 'create');
  const hashes = (change: Change) => ({ ...hashesOf(change), ...(isNew && { from: null }) });
  return Object.fromEntries(sent.map((change) => [fieldOf(change), hashes(change)]));
}

function fieldOf({ section, path }: Change): string {
  return path === '' ? section : `${section}.${path}`;
}

function hashesOf(change: Change): FieldHashes {
  const { section, path, note, from, to } = change;
  // A live status is in the service's words; `null` if it shows none.
  const before = section !== 'status' ? from : to === 'paused' ? 'running' : 'paused';
  const isKnown = note !== NOT_KNOWN && (section !== 'status' || from !== null);
  return { from: isKnown ? hash(before, path) : null, to: hash(to, path) };
}

/** The first 64 bits. */
function hash(value: Json, path: string): string {
  const text = JSON.stringify(value, (key, part: Json) => canonical(part, key || path));
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** Equal for values that are equal in the service: it trims texts, and adds `Re: ` to the subjects of replies. */
function canonical(value: Json, name: string): Json {
  if (isObject(value)) return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  if (typeof value !== 'string') return value;
  const text = canonicalText(value);
  return name.endsWith('email_subject') ? withoutReplyPrefix(text) : text;
}

/**
 * Fields that an apply of this manifest leaves as they are, although the commit that is checked out is not known to include
 * their last change: after a squash merge, for example. A change based on that commit is then known to be deliberate.
 */
export function fieldsInSync(
  { applies = [] }: RecordedState,
  {
    spec,
    changes,
    ancestors,
  }: { spec: CampaignSpec; changes: readonly Change[]; ancestors: ReadonlySet<string> },
): CampaignApply['changes'] {
  const last = new Map(applies.flatMap((apply) => Object.keys(apply.changes).map((field) => [field, apply])));
  const changed = changes.map(fieldOf);
  const isChanged = (field: string) =>
    changed.some((other) => field.startsWith(other) || other.startsWith(field));
  const unknown = [...last].filter(
    ([field, apply]) => !isIncluded(apply, ancestors) && isManaged(field, spec) && !isChanged(field),
  );
  return Object.fromEntries(unknown.map(([field]) => [field, { from: null, to: null }]));
}

/** True if a later change can put the field's value back: the API neither detaches leads nor renames campaigns. */
function isManaged(field: string, { settings, schedule, sequence, status }: CampaignSpec): boolean {
  const [section, setting = ''] = field.split('.', 2);
  if (section === 'settings') return settings !== undefined && Object.hasOwn(settings, setting);
  return Object.entries({ schedule, sequence, status }).some(
    ([name, value]) => name === section && value !== undefined,
  );
}

/** The changes that undo one apply. */
export interface Undoing {
  apply: CampaignApply;
  changes: Change[];
}

/**
 * Finds the applies that these changes would undo: the changes put back values that those applies replaced, and the
 * commit that is checked out is not known to include them. `ancestors`: commits that it is known to include.
 */
export function undoneApplies(
  changes: readonly Change[],
  applies: readonly CampaignApply[],
  ancestors: ReadonlySet<string>,
): Undoing[] {
  const undone = new Map<CampaignApply, Change[]>();
  for (const change of changes) {
    const apply = applyUndoneBy(change, applies, ancestors);
    if (apply !== null) undone.set(apply, [...(undone.get(apply) ?? []), change]);
  }
  return [...undone].map(([apply, all]) => ({ apply, changes: all }));
}

/** `null` if none is undone. A later apply of the field that the checked-out commit includes shows that the change is deliberate. */
function applyUndoneBy(
  change: Change,
  applies: readonly CampaignApply[],
  ancestors: ReadonlySet<string>,
): CampaignApply | null {
  // A pause needs no approval.
  if (change.section === 'status' && change.to === 'paused') return null;
  const { to } = hashesOf(change);
  let next: CampaignApply | null = null;
  for (const apply of applies.toReversed()) {
    const field = apply.changes[fieldOf(change)];
    if (field === undefined) continue;
    if (field.to === to) return next;
    if (isIncluded(apply, ancestors)) return null;
    if (field.from === to) return apply;
    if (field.from !== null) next = apply;
  }
  return null;
}

/** The commits of the last applies. */
export function commitsOf({ applies = [] }: RecordedState): string[] {
  return applies.flatMap(({ commit }) => commit ?? []);
}

/** A commit with `+` does not include what was applied. */
function isIncluded({ commit }: CampaignApply, ancestors: ReadonlySet<string>): boolean {
  return commit !== null && ancestors.has(commit);
}
