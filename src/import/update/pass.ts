import equal from 'fast-deep-equal';
import type { SourceFinding } from '../../manifest/index.js';
import { applyEdit, intoOverlay, newErrors, type Texts } from './files.js';
import { keyOf, type ManifestRefresh, type UpdateInput } from './refresh.js';
import type { FileEdit } from './writing.js';

/**
 * Makes the edits one after the other. Where one is not possible or brings an error, nothing of this pass is kept: what is
 * to blame is refused (all of it where that cannot be told), and the next pass is without it.
 */
export function carryOut(
  open: ManifestRefresh['planned'],
  before: Texts,
  { document }: ManifestRefresh,
  input: UpdateInput,
): { texts: Texts; refused: Map<string, string> } {
  const refused = new Map<string, string>();
  const refuse = (edits: readonly FileEdit[], reason: string) => {
    for (const key of edits.flatMap((edit) => ownersOf(edit, open))) refused.set(key, reason);
  };
  const wanted = open.flatMap(({ edit }) => ('edits' in edit ? edit.edits : []));
  const edits = input.overlay ? intoOverlay(wanted, document.value, input.environment.name) : wanted;
  let texts = before;
  for (const edit of inOrder(edits)) {
    const next = applyEdit(texts, edit, input);
    if (next === null) refuse([edit], UNTOUCHABLE);
    texts = next ?? texts;
  }
  const errors = texts === before ? [] : newErrors(document.file, before, texts, input);
  for (const error of errors) {
    const guilty = edits.filter((edit) => isAt(error, edit));
    // As the linter begins where it speaks of an email: that is said already.
    const reason = error.message.replace(/^step \d+(?:, variant \d+)?, \w+: /, '');
    refuse(guilty.length > 0 ? guilty : edits, reason);
  }
  return { texts: refused.size === 0 ? texts : before, refused };
}

/** The differences that an edit is for; the whole list of steps in an overlay is for all of them. */
function ownersOf(edit: FileEdit, open: ManifestRefresh['planned']): string[] {
  const owners = open.filter(({ edit: planned }) => 'edits' in planned && planned.edits.includes(edit));
  const all = open.filter(({ change }) => change.path.startsWith('steps['));
  return (owners.length > 0 ? owners : all).map(({ change }) => keyOf(change));
}

const UNTOUCHABLE =
  'it cannot be changed without touching something else: an alias, an anchor, or a layout that is not understood';

/** Values first, then additions in turn, then removals from the end, so that indexes stay right. */
function inOrder(edits: readonly FileEdit[]): FileEdit[] {
  const kinds = ['file', 'set', 'insert', 'remove'];
  const index = (edit: FileEdit) => ('path' in edit ? Number(edit.path.at(-1)) || 0 : 0);
  const direction = (edit: FileEdit) => (edit.kind === 'remove' ? -1 : edit.kind === 'insert' ? 1 : 0);
  return [...edits].sort(
    (a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind) || direction(a) * (index(a) - index(b)),
  );
}

/** Whether a finding is about what an edit has written. */
function isAt({ place }: SourceFinding, edit: FileEdit): boolean {
  if (!('path' in place) || place.file !== edit.file) return false;
  if (edit.kind === 'file') return true;
  const length = Math.min(place.path.length, edit.path.length);
  return place.document === edit.document && equal(place.path.slice(0, length), edit.path.slice(0, length));
}
