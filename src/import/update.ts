import equal from 'fast-deep-equal';
import { LIMITS, type ManifestDocument, type ReadFile, type SourceFinding } from '../manifest/index.js';
import { valueAt } from '../model/json.js';
import type { CampaignUpdate, Change, PlannedChange } from '../model/outputs.js';
import { SECTION_NAMES } from '../model/sections.js';
import type { CampaignSpec, DesiredStep } from '../model/spec.js';
import { type CampaignContext, liveStatus, replan, type Work } from '../plan/index.js';
import { canonicalText } from '../sections/decode.js';
import { liveSequence } from '../sections/sequence.js';
import { applyEdit, editValue } from './apply-edits.js';
import {
  alignSteps,
  type EditContext,
  isStep,
  type PlannedEdit,
  planEdits,
  stepsOf,
  type YamlEdit,
} from './plan-edits.js';
import { type ManifestReading, readManifest, type Texts, textOf } from './reading.js';
import { withoutExpressions } from './write.js';

/** `overlay`: write into the overlay of the environment what stands in the base. `uses`: as in `EditContext`. */
export interface UpdateInput extends ManifestReading {
  readFile: ReadFile;
  overlay: boolean;
  uses: EditContext['uses'];
}

/** One campaign after its update: the files that are to be written, and what the manifest says then. */
export interface UpdatedCampaign {
  texts: Texts;
  update: CampaignUpdate;
  spec: CampaignSpec;
}

/** A difference, with the edits that would close it or the reason why there are none. */
interface OpenChange {
  change: Change;
  edits: PlannedEdit[] | string;
}

/**
 * A campaign with the texts so far: what differs, and what could be done about each of it. `localChanges`: what was changed in the
 * manifest since the last apply, and not in the service: a local change.
 */
interface RefreshedManifest {
  spec: CampaignSpec;
  document: ManifestDocument;
  open: OpenChange[];
  localChanges: Change[];
}

/** Problems that say that the live campaign may not be the one that is meant, or is no more. */
const STRANGE = ['rename', 'missing', 'campaign-gone', 'name-differs'];
/** Each pass writes or refuses something, so that there is an end; this is the bolt behind the lock. */
const MOST_PASSES = 100;
const UNTOUCHABLE =
  'it cannot be changed without touching something else: an alias, an anchor, or a layout that campaignctl does not understand';
/** As the manifest sees it: what the plan would remove has come. */
const SEEN = { add: 'remove', remove: 'add', update: 'update' } as const;

/**
 * Makes the manifest of one campaign say what the service shows, as far as it can: plans, edits, plans again with the same
 * answers. What would be an error in any environment is undone. It ends where nothing more can be written: what a variant
 * takes from its step shows once the step is right.
 */
export function updateCampaign(work: Work, before: Texts, input: UpdateInput): UpdatedCampaign {
  const strange = work.plan.problems.filter(({ code }) => STRANGE.includes(code));
  const isStranger = strange.some(({ code }) => code !== 'name-differs');
  const tried = new Map<string, { change: Change; file: string }>();
  const refused = new Map<string, string>();
  const kept = keptChanges(work);
  let texts = before;
  let now = refreshManifest(work, kept, texts, input);
  for (let pass = 0; !isStranger && pass < MOST_PASSES; pass += 1) {
    const open = now.open.filter(({ change }) => !refused.has(keyOf(change)));
    const made = makeEdits(open, texts, now.document, input);
    if (made.texts === texts && made.refused.size === 0) break;
    for (const [key, reason] of made.refused) refused.set(key, reason);
    for (const { change, edits } of open) {
      if (typeof edits === 'string' || tried.has(keyOf(change))) continue;
      tried.set(keyOf(change), { change, file: edits[0]?.file ?? work.campaign.file });
    }
    texts = made.texts;
    now = refreshManifest(work, kept, texts, input);
  }
  const { spec, open, localChanges } = now;
  for (const { change } of open) tried.delete(keyOf(change));
  const skipped = open.map(({ change, edits }) => ({
    section: change.section,
    path: change.path,
    reason:
      refused.get(keyOf(change)) ?? (typeof edits === 'string' ? edits : 'it still differs after the edit'),
  }));
  const { manifest, name, id } = work.plan;
  return {
    texts,
    spec,
    update: {
      manifest,
      name,
      id,
      updated: [...tried.values()].map(({ change: { section, path, kind, from, to }, file }) => {
        const said = section === 'status' ? (spec.status ?? null) : from;
        return { section, path, kind: SEEN[kind], from: to, to: said, file };
      }),
      skipped: [
        ...strange.map(({ message }) => ({ section: 'campaign' as const, path: 'name', reason: message })),
        ...(isStranger ? [] : skipped),
      ],
      local_changes: isStranger ? [] : localChanges.map(({ section, path }) => ({ section, path })),
      other_environments: texts === before ? [] : otherEnvironments(work, before, texts, input),
      in_sync: open.length === 0 && !isStranger,
    },
  };
}

function refreshManifest(
  { campaign, context, plan }: Work,
  kept: ReadonlyMap<string, string | null>,
  texts: Texts,
  input: UpdateInput,
): RefreshedManifest {
  const { written, documents } = readManifest(campaign.file, texts, input);
  const subject = written.find(
    ({ manifest, spec }) => manifest === campaign.manifest && spec.name === campaign.spec.name,
  );
  const document = documents.find((one) => one.manifest === campaign.manifest);
  if (subject === undefined || document === undefined)
    throw new Error(`${campaign.manifest} has disappeared`);
  const { spec } = subject;
  const now = { ...context, spec };
  const planned = replan(now, SECTION_NAMES).changes;
  const isKept = plan.changes.some((change) => isStep(change) && kept.has(keyOf(change)));
  const changes = isKept ? planned : alignSteps(planned, now);
  const overlay = input.overlay ? input.environment.name : null;
  const edited = { subject, document, changes, status: liveStatus(now), overlay, uses: input.uses };
  const isLocal = (change: Change) => kept.get(keyOf(change)) === null;
  return {
    spec,
    document,
    open: changes
      .filter((change) => !isLocal(change))
      .map((change) => {
        const edits = planEdits(change, edited);
        return { change, edits: typeof edits === 'string' ? edits : (kept.get(keyOf(change)) ?? edits) };
      }),
    localChanges: changes.filter(isLocal),
  };
}

/**
 * Makes the edits one after the other. Where one is not possible or brings an error, nothing of this pass is kept: what is
 * to blame is refused (all of it where that cannot be told), and the next pass is without it.
 */
function makeEdits(
  open: readonly OpenChange[],
  before: Texts,
  document: ManifestDocument,
  input: UpdateInput,
): { texts: Texts; refused: Map<string, string> } {
  const refused = new Map<string, string>();
  const refuse = (edits: readonly PlannedEdit[], reason: string) => {
    for (const key of edits.flatMap((edit) => ownersOf(edit, open))) refused.set(key, reason);
  };
  const planned = open.flatMap(({ edits }) => (typeof edits === 'string' ? [] : edits));
  const edits = input.overlay ? intoOverlay(planned, document, input.environment.name) : planned;
  let texts = before;
  for (const edit of inOrder(edits)) {
    const text = textOf(edit.file, texts, input);
    const edited = applyEdit(text, edit);
    if (edited === null) refuse([edit], UNTOUCHABLE);
    else if (Buffer.byteLength(edited) > LIMITS[edit.kind === 'file' ? 'body' : 'manifest'])
      refuse([edit], `${edit.file} would be larger than it may be`);
    else if (edited !== text) texts = new Map([...texts, [edit.file, edited]]);
  }
  for (const { place, message } of texts === before ? [] : newErrors(document.file, before, texts, input)) {
    const guilty = edits.filter((edit) => isAt(place, edit));
    // As the linter begins where it speaks of an email: that is said already.
    refuse(guilty.length > 0 ? guilty : edits, message.replace(/^step \d+(?:, variant \d+)?, \w+: /, ''));
  }
  return { texts: refused.size === 0 ? texts : before, refused };
}

/** The differences that an edit is for; the whole list of steps in an overlay is for all of them. */
function ownersOf(edit: PlannedEdit, open: readonly OpenChange[]): string[] {
  const owners = open.filter(({ edits }) => typeof edits !== 'string' && edits.includes(edit));
  const all = open.filter(({ change }) => change.path.startsWith('steps['));
  return (owners.length > 0 ? owners : all).map(({ change }) => keyOf(change));
}

/** Edits of steps in the base become one: the whole list in the overlay, since lists are not merged. */
function intoOverlay(
  edits: readonly PlannedEdit[],
  { value }: ManifestDocument,
  name: string,
): readonly PlannedEdit[] {
  const path = ['sequence', 'steps'];
  const isBase = (edit: PlannedEdit): edit is YamlEdit =>
    edit.kind !== 'file' && equal(edit.path.slice(0, 2), path);
  const base = edits.filter(isBase);
  const steps = valueAt(value, path);
  if (base[0] === undefined || steps === undefined) return edits;
  const list = base.reduce(
    (now, edit) => editValue(now, edit.path.slice(2), edit),
    withoutExpressions(steps),
  );
  const whole = { ...base[0], kind: 'set' as const, path: ['environments', name, ...path], value: list };
  return [...edits.filter((edit) => !isBase(edit)), whole];
}

/** Values first, then additions in turn, then removals from the end, so that indexes stay right. */
function inOrder(edits: readonly PlannedEdit[]): PlannedEdit[] {
  const kinds = ['file', 'set', 'insert', 'remove'];
  const indexOf = (edit: PlannedEdit) => ('path' in edit ? Number(edit.path.at(-1)) || 0 : 0);
  return [...edits].sort(
    (a, b) =>
      kinds.indexOf(a.kind) - kinds.indexOf(b.kind) ||
      (a.kind === 'remove' ? indexOf(b) - indexOf(a) : indexOf(a) - indexOf(b)),
  );
}

/** The errors of a manifest file in any environment that were not there before. */
function newErrors(file: string, before: Texts, after: Texts, input: UpdateInput): SourceFinding[] {
  const errorsOf = (texts: Texts) =>
    input.environments
      .flatMap((environment) => readManifest(file, texts, { ...input, environment }).findings)
      .filter(({ severity }) => severity === 'error');
  const known = new Set(errorsOf(before).map(({ code, message }) => `${code} ${message}`));
  return errorsOf(after).filter(({ code, message }) => !known.has(`${code} ${message}`));
}

/** Whether a finding is about what an edit has written. */
function isAt(place: SourceFinding['place'], edit: PlannedEdit): boolean {
  if (!('path' in place) || place.file !== edit.file) return false;
  if (edit.kind === 'file') return true;
  const length = Math.min(place.path.length, edit.path.length);
  return place.document === edit.document && equal(place.path.slice(0, length), edit.path.slice(0, length));
}

/** The other environments for which the manifest says something else now. */
function otherEnvironments({ campaign }: Work, before: Texts, after: Texts, input: UpdateInput): string[] {
  return input.environments
    .filter((environment) => {
      const [was, is] = [before, after].map((texts) => {
        const { campaigns } = readManifest(campaign.file, texts, { ...input, environment });
        return campaigns.find(({ manifest }) => manifest === campaign.manifest)?.spec;
      });
      return environment.name !== input.environment.name && is !== undefined && !equal(is, was);
    })
    .map(({ name }) => name);
}

const WAYS = 'and the manifest stays: apply, or write the live value into it';
const UNKNOWN = `it is not known who changed it since the last apply, ${WAYS}`;
const NO_BASE =
  'the state does not know whether it was added to the manifest or removed in the service, and the manifest stays: apply, or take it out of the manifest';
const both = (what: string) =>
  `the manifest and the service both changed ${what} since the last apply, ${WAYS}`;

/**
 * What an update must not overwrite, by `keyOf`: what the manifest has changed or added since it was last applied. Null: the manifest
 * alone, so it is a local change; else why it is skipped. Of a campaign that was never applied from here the values of the service come,
 * and nothing goes.
 */
function keptChanges({ plan, context }: Work): Map<string, string | null> {
  const { last } = context.recorded;
  if (last === null) {
    const losesAny = losesEmail(context, alignSteps(plan.changes, context));
    const kept = losesAny ? plan.changes.filter(isStep) : [];
    return new Map(kept.map((change) => [keyOf(change), NO_BASE]));
  }
  const isContested = contestedSteps(context, last.spec);
  return new Map(
    plan.changes.flatMap((change) => {
      const why = isContested(change) ? both('the sequence') : whyKept(change, last.spec);
      return why === undefined ? [] : [[keyOf(change), why] as const];
    }),
  );
}

/** Whether the manifest has a step or variant that the service has not, or one in whose place another one has moved. */
function losesEmail(context: CampaignContext, aligned: readonly Change[]): boolean {
  if (aligned.some((change) => isStep(change) && change.kind === 'add')) return true;
  const own = stepsOf(context.spec);
  const live = liveSequence(context).steps;
  const hasFewer = (step: DesiredStep) =>
    live.some((one) => bodyOf(one) === bodyOf(step) && one.variants.length < step.variants.length);
  const [old, young] = [own.map(bodyOf), live.map(bodyOf)];
  return own.some(hasFewer) || (old.some((body) => !young.includes(body)) && hasMoved(old, young));
}

/** Whether a body stands in another place than before. */
function hasMoved(before: readonly string[], after: readonly string[]): boolean {
  return before.some((body, at) => after[at] !== body && after.includes(body));
}

/** Names a difference, in one pass and the next. */
function keyOf({ section, path }: Change): string {
  return `${section} ${path}`;
}

function whyKept({ section, path, origin }: PlannedChange, last: CampaignSpec): string | null | undefined {
  if (origin === 'service') return undefined;
  const isAdded =
    section === 'settings'
      ? !Object.hasOwn(last.settings ?? {}, path)
      : section !== 'campaign' && last[section] === undefined;
  if (origin === 'manifest' || isAdded) return null;
  return origin === 'both' ? both('it') : UNKNOWN;
}

/**
 * Steps have no names: the planner compares them by their places, which mean the same on three sides only while the service has
 * added, removed and moved none. Where it has, and the manifest has changed the list too, the whole of it is contested. Else it is
 * each step that both have changed, unless its body still says that it is the same one, and its variants are not what both changed:
 * these come in any order.
 */
function contestedSteps(context: CampaignContext, last: CampaignSpec): (change: Change) => boolean {
  const [own, base] = [stepsOf(context.spec), stepsOf(last)];
  const theirs = replan({ ...context, spec: last }, ['sequence']).changes.map(({ path }) => path);
  const isTheirs = (place: string) => theirs.some((path) => path.startsWith(place));
  if (base.length === 0 || equal(own, base) || !isTheirs('steps[')) return () => false;
  const live = liveSequence(context).steps;
  const [old, young] = [base.map(bodyOf), live.map(bodyOf)];
  if (old.length !== young.length || hasMoved(old, young)) return isStep;
  const contested = base.flatMap((step, at) => {
    const place = `steps[${at}]`;
    const now = own[at];
    const isSame = now !== undefined && bodyOf(now) === old[at] && young[at] === old[at];
    const areVariants = isTheirs(`${place}.variants`) && !equal(now?.variants, step.variants);
    return equal(now, step) || (isSame && !areVariants) ? [] : [place];
  });
  return (change) =>
    isStep(change) && contested.some((place) => isTheirs(place) && change.path.startsWith(place));
}

function bodyOf({ email_body }: { email_body: string }): string {
  return canonicalText(email_body);
}
