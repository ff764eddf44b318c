import { badText, escapeExpressions, type LintSubject, type ManifestDocument } from '../../manifest/index.js';
import type { Change } from '../../model/change.js';
import { isObject, type Json } from '../../model/json.js';
import type { Path, Place } from '../../model/problem.js';
import type { LiveStatus } from '../../plan/index.js';
import type { Edit } from './edit.js';

/** An edit of a manifest, or the whole text of the file of a body. */
export type FileEdit = { file: string } & (Edit | { kind: 'file'; text: string });

/** What deciding about a change takes. `overlay`: the environment whose overlay is to be written, null for where it stands. */
export interface View {
  subject: LintSubject;
  document: ManifestDocument;
  changes: readonly Change[];
  status: LiveStatus;
  overlay: string | null;
  /** How often the manifests of the project name a file as the body of an email. */
  uses(file: string): number;
}

/** Where a value is to be written, or why it cannot be. */
export function placeFor(path: Path, view: View): Place | { reason: string } {
  const { subject, overlay } = view;
  const place = subject.at(path);
  if (place.file !== subject.file) return { reason: `it stands in ${place.file}, which others may use too` };
  if (overlay === null || place.path[0] === 'environments' || path[1] === 'steps') return place;
  return { ...place, path: ['environments', overlay, ...place.path] };
}

export function isNew(place: Place, { document }: View): boolean {
  return valueAt(document.value, place.path) === undefined;
}

/** The one place where a value of the service becomes a value of a manifest. */
export function editAt(kind: Edit['kind'], { file, document, path }: Place, value: Json): FileEdit {
  return { file, kind, document, path, value: written(value) };
}

export function written(value: Json): Json {
  if (typeof value === 'string') return escapeExpressions(value);
  if (Array.isArray(value)) return value.map(written);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, written(inner)]));
}

/** Why a manifest may not hold a value; null where it may. */
export function unfit(value: Json, mayBeEmpty = false): string | null {
  if (Array.isArray(value)) return value.map((one) => unfit(one)).find((reason) => reason !== null) ?? null;
  if (isObject(value)) return unfit(Object.values(value));
  if (typeof value !== 'string') return null;
  const bad = badText(value);
  if (bad !== null) return `the live text holds the control character ${bad.name}`;
  return value.trim() === '' && !mayBeEmpty ? 'the live text is empty' : null;
}

/** `steps[0].email_body` → its keys and indexes. */
export function partsOf(path: string): (string | number)[] {
  return (path.match(/[^.[\]]+/g) ?? []).map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

export function same(one: Path, other: Path): boolean {
  return one.length === other.length && one.every((part, index) => part === other[index]);
}

/** The value at a path of a document as it is written. */
export function valueAt(value: Json | undefined, path: Path): Json | undefined {
  return path.reduce<Json | undefined>((inner, part) => {
    if (Array.isArray(inner)) return typeof part === 'number' ? inner[part] : undefined;
    return isObject(inner) && Object.hasOwn(inner, part) ? inner[part] : undefined;
  }, value);
}
