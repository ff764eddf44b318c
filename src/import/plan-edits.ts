import { badText, type ManifestDocument, type WrittenCampaign } from '../manifest/index.js';
import { isObject, type Json, valueAt } from '../model/json.js';
import type { Change, ContentEmail, Path, Place } from '../model/outputs.js';
import { WEEKDAYS } from '../model/sections.js';
import { type CampaignSpec, type DesiredStep, desiredSequence, emailOf, stepOf } from '../model/spec.js';
import type { CampaignContext, LiveStatus } from '../plan/index.js';
import { canonicalText } from '../sections/decode.js';
import { bareSubject, emailToManifest, liveSequence, stepToManifest } from '../sections/sequence.js';
import { stepJson } from '../sections/sequence-diff.js';
import { withoutExpressions } from './write.js';

const WEEK: readonly string[] = WEEKDAYS;

/**
 * One edit of one document of a file. `set`: the value at the path, which is made where it is missing; `insert`: a new item of
 * a list, before the index that ends the path; `remove`: the item or key that ends the path.
 */
export interface YamlEdit {
  file: string;
  kind: 'set' | 'insert' | 'remove';
  document: number;
  path: Path;
  value: Json;
}

/** An edit of a manifest, or the whole text of the file of a body. */
export type PlannedEdit = YamlEdit | { file: string; kind: 'file'; text: string };

/** What deciding about a change takes. `overlay`: the environment whose overlay is to be written, null for where it stands. */
export interface EditContext {
  subject: WrittenCampaign;
  document: ManifestDocument;
  changes: readonly Change[];
  status: LiveStatus;
  overlay: string | null;
  /** How often the manifests of the project name a file as the body of an email. */
  uses: ReadonlyMap<string, number>;
}

/**
 * How one difference could be written into the files, where `change.from` is what is live: the edits, of which there may be
 * none yet; or why it is skipped.
 */
export function planEdits(change: Change, context: EditContext): PlannedEdit[] | string {
  if (context.document.values !== null) return 'the manifest makes several campaigns (for_each)';
  if (change.note !== null) return change.note;
  switch (change.section) {
    case 'campaign':
      return 'a name cannot be taken over: it identifies the campaign';
    case 'leads':
      return 'the service does not show which leads are attached';
    case 'schedule':
      return scheduleEdits(change, context);
    case 'status':
      return statusEdits(context);
    case 'sequence':
      return sequenceEdits(change, context);
    default:
      return valueEdits(change.from, [change.section, change.path], context);
  }
}

function statusEdits(context: EditContext): PlannedEdit[] | string {
  const { meaning, word, believed } = context.status;
  if (believed) return 'the service shows no status';
  if (meaning === 'running' || meaning === 'starting') return valueEdits('running', ['status'], context);
  if (meaning === 'stopped') return valueEdits('paused', ['status'], context);
  return word === null ? 'the service shows no status' : `the status "${word}" is not a known word`;
}

function scheduleEdits({ path, from }: Change, context: EditContext): PlannedEdit[] | string {
  const { schedule } = context.subject.spec;
  if (path === '') return 'the service has no schedule; remove the section to stop managing it';
  if (schedule === undefined || 'template' in schedule)
    return 'the manifest names a template: write days, times and timezone instead';
  if (path !== 'days' || !Array.isArray(from)) return valueEdits(from, ['schedule', path], context);
  if (from.length === 0) return 'the service has no sending day';
  const place = placeFor(['schedule', 'days'], context);
  if (typeof place === 'string') return place;
  return valueAt(context.document.value, place.path) === undefined
    ? valueEdits(from, ['schedule', 'days'], context)
    : dayEdits(place, schedule.days, from.map(String));
}

/** From the days as they are written to those that are live: each new one before the first later one, then the removals. */
function dayEdits(place: Place, written: readonly string[], live: readonly string[]): YamlEdit[] {
  const days = [...written];
  const at = (index: number) => ({ ...place, path: [...place.path, index] });
  const inserts = live
    .filter((day) => !written.includes(day))
    .map((day) => {
      const later = days.findIndex((one) => WEEK.indexOf(one) > WEEK.indexOf(day));
      const index = later < 0 ? days.length : later;
      days.splice(index, 0, day);
      return editAt('insert', at(index), day);
    });
  const removals = days.flatMap((day, index) =>
    live.includes(day) ? [] : [editAt('remove', at(index), day)],
  );
  return [...inserts, ...removals];
}

function sequenceEdits(change: Change, context: EditContext): PlannedEdit[] | string {
  const { path, kind, from, to } = change;
  if (path === '') return 'the service has no sequence; remove the section to stop managing it';
  // `steps[0].email_body` → its keys and indexes.
  const parts = (path.match(/[^.[\]]+/g) ?? []).map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  const whole: Path = ['sequence', ...parts];
  if (path === 'title') return valueEdits(from, whole, context);
  if (kind === 'add') return removalEdits(change, whole, context);
  if (kind === 'remove') return additionEdits(from, whole, context);
  if (isInherited(whole, context)) return [];
  if (path.endsWith('email_body')) return bodyEdits(asWritten(String(from), to), whole, context);
  const value = path.endsWith('email_subject') ? liveEmailSubject(change, whole, context) : from;
  return valueEdits(value, whole, context);
}

/** The steps of a manifest with their defaults; none where it has no sequence. */
export function stepsOf({ sequence }: CampaignSpec): DesiredStep[] {
  return sequence === undefined ? [] : desiredSequence(sequence).steps;
}

/** The live subject of an email that differs; of a reply without the `Re: ` that the service puts in front. */
function liveEmailSubject({ path, from }: Change, whole: Path, { subject, changes }: EditContext): string {
  const sibling = path.replace(/email_subject$/, 'thread_reply');
  const thread = changes.find((one) => one.section === 'sequence' && one.path === sibling);
  const step = stepsOf(subject.spec)[Number(whole[2])];
  const email = whole.includes('variants') ? step?.variants[Number(whole[4])] : step;
  const thread_reply = thread === undefined ? email?.thread_reply === true : thread.from === true;
  return bareSubject(String(from), thread_reply);
}

/**
 * A body with the line ends that the manifest has, and with its last one where the service took it off: services change both as
 * they please, planning sees no difference, and a block would become one long line.
 */
function asWritten(live: string, written: Json): string {
  const isMixed = /\r(?!\n)/.test(live) || (live.includes('\r\n') && /(?<!\r)\n/.test(live));
  if (typeof written !== 'string' || isMixed) return live;
  const lines = live.replaceAll('\r\n', '\n');
  const text = written.endsWith('\n') && /\S$/.test(lines) ? `${lines}\n` : lines;
  return written.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text;
}

/** What a variant takes from its step is decided once the step is. */
function isInherited(path: Path, { document, subject, changes }: EditContext): boolean {
  if (!path.includes('variants') || valueAt(document.value, subject.at(path).path) !== undefined)
    return false;
  const step = `steps[${path[2]}].${path.at(-1)}`;
  return changes.some((change) => change.section === 'sequence' && change.path === step);
}

function bodyEdits(body: string, path: Path, context: EditContext): PlannedEdit[] | string {
  const { file, path: written } = context.subject.at(path);
  if (file === context.subject.file || written.length > 0) return valueEdits(body, path, context);
  const email = placeFor(path.slice(0, -1), context);
  if (typeof email === 'string') return email;
  if (context.overlay !== null && email.path[0] !== 'environments')
    return [
      editAt('remove', { ...email, path: [...email.path, 'email_body_file'] }, null),
      editAt('set', { ...email, path: [...email.path, 'email_body'] }, body),
    ];
  if ((context.uses.get(file) ?? 0) > 1) return `${file} is also the body of other emails`;
  return unfit(body) ?? [{ file, kind: 'file', text: String(withoutExpressions(body)) }];
}

/** A step or variant that the service does not have any more; with the last variant goes the list. */
function removalEdits({ path: own }: Change, path: Path, context: EditContext): PlannedEdit[] | string {
  const place = placeFor(path, context);
  if (typeof place === 'string') return place;
  const list = { ...place, path: place.path.slice(0, -1) };
  const items = valueAt(context.document.value, list.path);
  const ownerOf = (one: string) => one.replace(/\[\d+\]$/, '');
  const owner = ownerOf(own);
  const gone = context.changes.filter(
    (one) => isStep(one) && one.kind === 'add' && ownerOf(one.path) === owner,
  );
  const isWhole = owner.endsWith('variants') && Array.isArray(items) && items.length === gone.length;
  if (!isWhole) return [editAt('remove', place, null)];
  return path.at(-1) === 0 ? [editAt('remove', list, null)] : [];
}

/** A step or variant that the manifest does not have. */
function additionEdits(live: Json, path: Path, context: EditContext): PlannedEdit[] | string {
  const place = placeFor(path, context);
  if (typeof place === 'string') return place;
  const step = stepsOf(context.subject.spec)[Number(path[2])];
  const isVariant = path.includes('variants') && step !== undefined;
  const item = isVariant ? emailToManifest(emailOf(live), step) : stepToManifest(stepOf(live));
  const list = { ...place, path: place.path.slice(0, -1) };
  const isFirst = path.at(-1) === 0 && valueAt(context.document.value, list.path) === undefined;
  return unfit(item) ?? [isFirst ? editAt('set', list, [item]) : editAt('insert', place, item)];
}

function valueEdits(value: Json, path: Path, context: EditContext): PlannedEdit[] | string {
  const place = placeFor(path, context);
  if (typeof place === 'string') return place;
  return unfit(value, path[0] === 'settings') ?? [editAt('set', place, value)];
}

/** Where a value is to be written, or why it cannot be. */
function placeFor(path: Path, { subject, overlay }: EditContext): Place | string {
  const place = subject.at(path);
  if (place.file !== subject.file) return `it is in ${place.file}, which other manifests may use too`;
  if (overlay === null || place.path[0] === 'environments' || path[1] === 'steps') return place;
  return { ...place, path: ['environments', overlay, ...place.path] };
}

function editAt(kind: YamlEdit['kind'], { file, document, path }: Place, value: Json): YamlEdit {
  return { file, kind, document, path, value: withoutExpressions(value) };
}

/** Why a manifest may not hold a value; null where it may. */
function unfit(value: Json, mayBeEmpty = false): string | null {
  if (Array.isArray(value)) return value.map((one) => unfit(one)).find((reason) => reason !== null) ?? null;
  if (isObject(value)) return unfit(Object.values(value));
  if (typeof value !== 'string') return null;
  const bad = badText(value);
  if (bad !== null) return `the live text holds the control character ${bad.name}`;
  return value.trim() === '' && !mayBeEmpty ? 'the live text is empty' : null;
}

/**
 * Planning compares step by step, so that one step more or less in the middle makes all behind it differ. Where the others are
 * there in their order, only those that came or went are told, at their own places: comments stay with their emails.
 */
export function alignSteps(changes: readonly Change[], context: CampaignContext): readonly Change[] {
  const rest = changes.filter((change) => !isStep(change));
  if (rest.length === changes.length) return changes;
  const live: DesiredStep[] = liveSequence(context).steps;
  const desired = stepsOf(context.spec);
  if (live.length === desired.length) return changes;
  const kind = live.length > desired.length ? 'remove' : 'add';
  const [longer, shorter] = kind === 'remove' ? [live, desired] : [desired, live];
  const extra: Change[] = [];
  let next = 0;
  for (const [index, step] of longer.entries()) {
    if (keyOf(step) === keyOf(shorter[next])) next += 1;
    else {
      const json = stepJson(step);
      const [from, to] = kind === 'remove' ? [json, null] : [null, json];
      extra.push({ section: 'sequence', path: `steps[${index}]`, kind, from, to, note: null });
    }
  }
  return next === shorter.length ? [...rest, ...extra] : changes;
}

export function isStep({ section, path }: Change): boolean {
  return section === 'sequence' && path.startsWith('steps[');
}

/** What tells an email from another one. */
function keyOf(email: ContentEmail | undefined): string {
  if (email === undefined) return '';
  const { email_subject, email_body } = email;
  const subject = bareSubject(email_subject, true);
  return JSON.stringify([canonicalText(subject), canonicalText(email_body)]);
}
