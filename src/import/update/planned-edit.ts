import type { Change } from '../../model/change.js';
import type { Json } from '../../model/json.js';
import type { Path } from '../../model/problem.js';
import { dayEdits } from './days.js';
import { itemOf, subjectOf, variantOf } from './emails.js';
import {
  editAt,
  type FileEdit,
  isNew,
  partsOf,
  placeFor,
  same,
  unfit,
  type View,
  valueAt,
  written,
} from './writing.js';

/** What would make a manifest say what is live: edits, of which there may be none yet; or why it is left alone. */
export type PlannedEdit = { file: string; edits: FileEdit[] } | { reason: string };

/** How one difference could be written into the files; `change.from` is what is live. */
export function planEdit(change: Change, view: View): PlannedEdit {
  if (view.document.values !== null) return { reason: 'the manifest makes several campaigns (for_each)' };
  if (change.note !== null) return { reason: change.note };
  switch (change.section) {
    case 'campaign':
      return { reason: 'a name cannot be taken over: it says which campaign is meant' };
    case 'leads':
      return { reason: 'the service does not show which leads are attached' };
    case 'settings':
      return valueEdit(change.from, ['settings', change.path], view);
    case 'schedule':
      return scheduleEdit(change, view);
    case 'status':
      return statusEdit(view);
    case 'sequence':
      return sequenceEdit(change, view);
  }
}

function statusEdit(view: View): PlannedEdit {
  const { meaning, word } = view.status;
  if (meaning === 'running' || meaning === 'starting') return valueEdit('running', ['status'], view);
  if (meaning === 'stopped') return valueEdit('paused', ['status'], view);
  return {
    reason: word === null ? 'the service shows no status' : `the status "${word}" is not a known word`,
  };
}

function scheduleEdit({ path, from }: Change, view: View): PlannedEdit {
  const { schedule } = view.subject.spec;
  if (path === '')
    return { reason: 'the service has no schedule; take the section out to manage it no longer' };
  if (schedule === undefined || 'template' in schedule)
    return { reason: 'the manifest names a template: write days, times and timezone instead of it' };
  if (path !== 'days' || !Array.isArray(from)) return valueEdit(from, ['schedule', path], view);
  if (from.length === 0) return { reason: 'the service sends on no day' };
  const place = placeFor(['schedule', 'days'], view);
  if ('reason' in place) return place;
  if (isNew(place, view)) return valueEdit(from, ['schedule', 'days'], view);
  const edits = dayEdits(schedule.days, from.map(String)).map(({ kind, index, day }) =>
    editAt(kind, { ...place, path: [...place.path, index] }, day),
  );
  return { file: place.file, edits };
}

function sequenceEdit(change: Change, view: View): PlannedEdit {
  const { path, kind, from } = change;
  if (path === '')
    return { reason: 'the service has no sequence; take the section out to manage it no longer' };
  const whole: Path = ['sequence', ...partsOf(path)];
  if (path === 'title') return valueEdit(from, whole, view);
  if (kind === 'add') return removalEdit(whole, view);
  if (kind === 'remove') return additionEdit(from, whole, view);
  if (isInherited(whole, view)) return { file: view.subject.file, edits: [] };
  if (whole.at(-1) === 'email_body') return bodyEdit(asBefore(String(from), change.to), whole, view);
  return valueEdit(path.endsWith('email_subject') ? subjectOf(change, view) : from, whole, view);
}

/**
 * A body with the line ends that the manifest has, and with its last one where the service took it off: services change both as
 * they please, planning sees no difference, and a block would become one long line.
 */
function asBefore(live: string, written: Json): string {
  const isMixed = /\r(?!\n)/.test(live) || (live.includes('\r\n') && /(?<!\r)\n/.test(live));
  if (typeof written !== 'string' || isMixed) return live;
  const lines = live.replaceAll('\r\n', '\n');
  const text = written.endsWith('\n') && /\S$/.test(lines) ? `${lines}\n` : lines;
  return written.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text;
}

/** What a variant takes from its step is settled once the step is. */
function isInherited(path: Path, { document, subject, changes }: View): boolean {
  if (!path.includes('variants') || valueAt(document.value, subject.at(path).path) !== undefined)
    return false;
  const step = `steps[${path[2]}].${path.at(-1)}`;
  return changes.some((change) => change.section === 'sequence' && change.path === step);
}

function bodyEdit(body: string, path: Path, view: View): PlannedEdit {
  const place = view.subject.at(path);
  const isFile = place.file !== view.subject.file && place.path.length === 0;
  if (!isFile) return valueEdit(body, path, view);
  const { file } = place;
  const email = path.slice(0, -1);
  const target = placeFor(email, view);
  if ('reason' in target) return target;
  if (view.overlay !== null && target.path[0] !== 'environments') {
    const name = { ...target, path: [...target.path, 'email_body_file'] };
    const inline = { ...target, path: [...target.path, 'email_body'] };
    return { file: target.file, edits: [editAt('remove', name, null), editAt('set', inline, body)] };
  }
  if (view.uses(file) > 1) return { reason: `${file} is the body of other emails too` };
  const bad = unfit(body);
  return bad === null
    ? { file, edits: [{ file, kind: 'file', text: String(written(body)) }] }
    : { reason: bad };
}

/** A step or variant that the service does not have any more. */
function removalEdit(path: Path, view: View): PlannedEdit {
  const place = placeFor(path, view);
  if ('reason' in place) return place;
  const owner = path.slice(0, -1);
  const siblings = view.changes.filter(({ kind, path: one }) => {
    return kind === 'add' && same(partsOf(one).slice(0, -1), owner.slice(1));
  });
  const list = valueAt(view.document.value, place.path.slice(0, -1));
  const isWhole = owner.at(-1) === 'variants' && Array.isArray(list) && list.length === siblings.length;
  if (!isWhole) return { file: place.file, edits: [editAt('remove', place, null)] };
  const key = { ...place, path: place.path.slice(0, -1) };
  return { file: place.file, edits: path.at(-1) === 0 ? [editAt('remove', key, null)] : [] };
}

/** A step or variant that the manifest does not have. */
function additionEdit(live: Json, path: Path, view: View): PlannedEdit {
  const place = placeFor(path, view);
  if ('reason' in place) return place;
  const step = view.subject.spec.sequence?.steps[Number(path[2])];
  const item = path.includes('variants') && step !== undefined ? variantOf(live, step) : itemOf(live);
  const bad = unfit(item);
  if (bad !== null) return { reason: bad };
  const isFirst = path.at(-1) === 0 && valueAt(view.document.value, place.path.slice(0, -1)) === undefined;
  const list = { ...place, path: place.path.slice(0, -1) };
  const edit = isFirst ? editAt('set', list, [item]) : editAt('insert', place, item);
  return { file: place.file, edits: [edit] };
}

function valueEdit(value: Json, path: Path, view: View): PlannedEdit {
  const place = placeFor(path, view);
  if ('reason' in place) return place;
  const bad = unfit(value, path[0] === 'settings');
  return bad === null ? { file: place.file, edits: [editAt('set', place, value)] } : { reason: bad };
}
