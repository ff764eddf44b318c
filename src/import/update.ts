/** Sets live values in existing manifests, then parses and plans them again. Uses neither the disk nor the service. */
import equal from 'fast-deep-equal';
import { blockYaml, mapTexts, setScalar } from '../manifest/edit.js';
import { badText } from '../manifest/errors.js';
import { escapeExpressions } from '../manifest/expressions.js';
import { LIMITS } from '../manifest/files.js';
import { lineFinder } from '../manifest/locate.js';
import type { WrittenCampaign } from '../manifest/resolve.js';
import { canonicalText } from '../model/canonical.js';
import { isSameName } from '../model/characters.js';
import type { Json } from '../model/json.js';
import type { Change, Path, Place } from '../model/outputs.js';
import type { CampaignUpdate } from '../model/reports.js';
import { SECTION_NAMES } from '../model/sections.js';
import { type CampaignSpec, desiredSequence } from '../model/spec.js';
import type { Target } from '../model/target.js';
import type { Planned } from '../plan/planned.js';
import { replan } from '../sections/all.js';
import { bareSubject, liveSequence, stepToManifest } from '../sections/sequence.js';
import { withoutNotKept } from '../sections/settings.js';
import { withFacts } from '../sections/target.js';
import { type ManifestReading, readManifest, type Texts, textOf } from './reading.js';

export interface UpdatedCampaign {
  texts: Texts;
  spec: CampaignSpec;
  update: CampaignUpdate;
}

/** `reason`: why campaignctl does not set the value; `null` if it can. */
interface LiveDifference extends LiveValue {
  change: Change;
  place: Place;
}

interface Version {
  texts: Texts;
  subject: WrittenCampaign;
  errors: string[];
  differences: LiveDifference[];
}

const STRANGE = ['rename', 'missing', 'campaign-gone'];
const NOT_SCALAR = 'it is not a single value in the manifest, or an anchor or alias shares it';

/**
 * A person must set the values that still differ after the update. `newName`: the name in the web app; `null` if it has not
 * changed.
 */
export function updateCampaign(
  planned: Planned,
  newName: string | null,
  before: Texts,
  input: ManifestReading,
): UpdatedCampaign {
  const { plan, target } = planned;
  const strange = plan.problems.filter(({ code }) => STRANGE.includes(code));
  const read = (texts: Texts, fallback: WrittenCampaign | null) =>
    readVersion(planned, newName, { texts, fallback }, input);
  const first = read(before, null);
  const open = strange.length > 0 ? [] : first.differences;
  const edits = open.filter(({ reason }) => reason === null);
  const refused = new Map<string, string>();
  const whole = withEdits(first, edits, input, read);
  let now = typeof whole === 'string' ? first : whole;
  // Some values, such as the times of a schedule, are valid only together, so single edits come second.
  for (const edit of typeof whole === 'string' ? edits : []) {
    const next = withEdits(now, [edit], input, read);
    if (typeof next === 'string') refused.set(keyOf(edit), next);
    else now = next;
  }
  const { texts, subject } = now;
  const position = ({ change: { section, path }, place }: Pick<LiveDifference, 'change' | 'place'>) => {
    const { file, document } = place;
    const line = place.path.length === 0 ? 1 : lineFinder(textOf(file, texts, input), document)(place.path);
    return { section, path, file, line };
  };
  const remaining = strange.length > 0 ? [] : now.differences;
  const isWhole = remaining.some(({ reason }) => reason === WHOLE_SEQUENCE);
  const steps = liveSequence(target).steps.map(stepToManifest);
  const byHand: LiveDifference[] = [
    ...remaining.filter(({ reason }) => reason !== 'local' && reason !== WHOLE_SEQUENCE),
    ...(isWhole
      ? [
          {
            path: ['sequence', 'steps'],
            value: steps,
            reason: WHOLE_SEQUENCE,
            place: subject.at(['sequence', 'steps']),
            change: differenceOf('sequence', 'steps'),
          },
        ]
      : []),
  ];
  const name = { change: differenceOf('campaign', 'name'), place: subject.at(['name']) };
  const remainingKeys = new Set(remaining.map(keyOf));
  const by_hand = [
    ...strange.map(({ message }) => ({ ...position(name), reason: message, text: null })),
    ...byHand.map((difference) => ({
      ...position(difference),
      reason: difference.reason ?? refused.get(keyOf(difference)) ?? NOT_SCALAR,
      text: textByHand(difference),
    })),
  ];
  return {
    texts,
    spec: subject.spec,
    update: {
      manifest: plan.manifest,
      name: subject.spec.name,
      id: plan.id,
      updated: edits
        .filter((edit) => !remainingKeys.has(keyOf(edit)))
        .map((edit) => ({ ...position(edit), from: edit.change.to, to: edit.value })),
      by_hand,
      local_changes: remaining.filter(({ reason }) => reason === 'local').map(position),
      in_sync: by_hand.length === 0,
    },
  };
}

function differenceOf(section: Change['section'], path: string, from = '', to = ''): Change {
  return { section, path, kind: 'update', from, to, note: null };
}

/** `fallback`: the campaign to use if the edited manifest is unreadable. */
function readVersion(
  planned: Planned,
  newName: string | null,
  { texts, fallback }: { texts: Texts; fallback: WrittenCampaign | null },
  input: ManifestReading,
): Version {
  const { file, manifest, spec } = planned.target.campaign;
  const readings = input.environments.map((environment) =>
    readManifest(file, texts, { ...input, environment }),
  );
  const here = readings[input.environments.findIndex(({ name }) => name === input.environment.name)];
  const same = here?.written.filter((campaign) => campaign.manifest === manifest) ?? [];
  const subject = same.find((campaign) => campaign.spec.name === spec.name) ?? same[0] ?? fallback;
  const document = here?.documents.find((each) => each.manifest === manifest);
  if (subject === null || document === undefined) throw new Error(`${manifest} no longer exists`);
  const protection = protectionOf(planned);
  // The manifest may take over the value that the service shows instead.
  const recorded = withoutNotKept(planned.target.recorded);
  const target = { ...withFacts(planned.target, { recorded }), spec: subject.spec };
  const isRenamed = newName !== null && newName !== subject.spec.name;
  const renaming = isRenamed ? [differenceOf('campaign', 'name', newName, subject.spec.name)] : [];
  const changes = [...renaming, ...replan(target, SECTION_NAMES).changes];
  const differences = changes.map((change): LiveDifference => {
    const live = liveValue(change, target, changes);
    const place = subject.at(live.path);
    const otherFile =
      place.file === file ? null : `it is in ${place.file}, which import --update does not edit`;
    const notEdited =
      document.values === null ? otherFile : 'the manifest describes several campaigns (for_each)';
    return { ...live, change, place, reason: protection(change) ?? live.reason ?? notEdited };
  });
  const errors = readings
    .flatMap(({ findings }) => findings)
    .flatMap(({ severity, message }) => (severity === 'error' ? [message] : []));
  return { texts, subject, errors, differences };
}

/** Returns the reason if the edited manifest is invalid in any environment, or if a plan would still show a difference. */
function withEdits(
  before: Version,
  edits: readonly LiveDifference[],
  input: ManifestReading,
  read: (texts: Texts, fallback: WrittenCampaign) => Version,
): Version | string {
  const { file } = before.subject;
  if (edits.length === 0) return before;
  let text: string | null = textOf(file, before.texts, input);
  for (const { place, value } of edits) {
    const escaped = mapTexts(value, escapeExpressions);
    if (text === null || Array.isArray(escaped)) return NOT_SCALAR;
    text = typeof escaped === 'object' && escaped !== null ? null : setScalar(text, place, escaped);
  }
  if (text === null) return NOT_SCALAR;
  if (Buffer.byteLength(text) > LIMITS.manifest) return `${file} would be too large`;
  const after = read(new Map([...before.texts, [file, text]]), before.subject);
  const error = after.errors.find((message) => !before.errors.includes(message));
  if (error !== undefined) return error.replace(/^step \d+(?:, variant \d+)?, \w+: /, '');
  const open = new Set(after.differences.map(keyOf));
  return edits.some((edit) => open.has(keyOf(edit))) ? 'a plan would still show the difference' : after;
}

function textByHand({ change: { section }, place, path, value }: LiveDifference): string | null {
  if (value === null && section !== 'settings') return null;
  if (place.path.length === 0 && typeof value === 'string') return value;
  return blockYaml({ [String(path.at(-1))]: mapTexts(value, escapeExpressions) });
}

interface LiveValue {
  path: Path;
  value: Json;
  reason: string | null;
}

function liveValue(
  { section, path, kind, from, to, note }: Change,
  target: Target,
  changes: readonly Change[],
): LiveValue {
  // `steps[0].email_body` → `steps`, 0, `email_body`
  const parts = (path.match(/[^.[\]]+/g) ?? []).map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  const live = (value: Json, reason: string | null = null): LiveValue => {
    const bad = typeof value === 'string' ? badText(value) : null;
    const badReason = bad === null ? null : `the live text contains the control character ${bad.name}`;
    return { path: [section, ...parts], value, reason: reason ?? badReason };
  };
  if (section === 'leads') return live(null, 'the service does not show which leads are attached');
  if (note !== null && section !== 'status') return live(null, note);
  if (section === 'campaign') return { path: [path], value: from, reason: null };
  if (section === 'status') {
    const { meaning, word, basis } = target.status;
    if (basis === 'unknown') return live(null, 'the service shows no status');
    if (meaning === 'stopped') return live('paused');
    const isRunning = meaning === 'running' || meaning === 'starting';
    return isRunning ? live('running') : live(null, `"${word}" is not a known status`);
  }
  if (path === '') return live(null, `the service has no ${section}; remove the section to stop managing it`);
  if (section === 'schedule' && 'template' in (target.spec.schedule ?? {}))
    return live(from, 'the manifest uses a template: write days, times and timezone instead');
  if (section !== 'sequence' || kind !== 'update') return live(from);
  if (path.endsWith('email_body')) return live(withLineEndsOf(String(from), to));
  if (!path.endsWith('email_subject')) return live(from);
  const sibling = path.replace(/email_subject$/, 'thread_reply');
  const thread = changes.find((change) => change.section === section && change.path === sibling);
  const step = stepsOf(target.spec)[Number(parts[1])];
  const email = parts[2] === 'variants' ? step?.variants[Number(parts[3])] : step;
  const isReply = thread === undefined ? email?.thread_reply === true : thread.from === true;
  return live(bareSubject(String(from), isReply));
}

/** Planning ignores line endings, so the manifest keeps its own. */
function withLineEndsOf(live: string, written: Json): string {
  if (typeof written !== 'string' || /\r(?!\n)/.test(live)) return live;
  const lines = live.replaceAll('\r\n', '\n');
  const text = written.endsWith('\n') && /\S$/.test(lines) ? `${lines}\n` : lines;
  return written.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text;
}

/** The reason for keeping a value. `local` if only the manifest changed it; `null` if it may be overwritten. */
type Protection = (change: Change) => string | 'local' | null;

const WHOLE_SEQUENCE =
  'steps were added, removed or moved, or the manifest changed the sequence as well: these are the live steps';

const NOT_OURS =
  'the manifest may also have changed this value since the last apply, so it was kept: run apply, or set the live value by hand';

/**
 * Protects values that the manifest may have changed since the last apply. Steps have no names, so they are edited only
 * if none has moved.
 */
function protectionOf({ plan, target }: Planned): Protection {
  const last = target.recorded.last?.spec ?? null;
  const origins = new Map(plan.changes.map((change) => [keyOf({ change }), change.origin]));
  const [manifest, live] = [stepsOf(target.spec), liveSequence(target).steps];
  const liveBodies = live.map(({ email_body }) => canonicalText(email_body));
  const bodies = manifest.map(({ email_body }) => canonicalText(email_body));
  const areSame =
    bodies.every((body, at) => liveBodies[at] === body || !liveBodies.includes(body)) &&
    manifest.length === live.length &&
    manifest.every(({ variants }, at) => variants.length === live[at]?.variants.length) &&
    (last === null || equal(manifest, stepsOf(last)));
  return (change) => {
    const { section, path } = change;
    if (section === 'campaign')
      return last !== null && isSameName(last.name, String(change.from)) ? 'local' : null;
    if (section === 'settings' && Object.hasOwn(target.recorded.not_kept ?? {}, path)) return null;
    const origin = origins.get(keyOf({ change })) ?? null;
    const isNew =
      last !== null &&
      (section === 'settings' ? !Object.hasOwn(last.settings ?? {}, path) : last[section] === undefined);
    if (origin === 'manifest' || isNew) return 'local';
    if (section === 'sequence' && path.startsWith('steps[') && !areSame) return WHOLE_SEQUENCE;
    return last === null || origin === 'service' || origin === 'pause' ? null : NOT_OURS;
  };
}

function stepsOf({ sequence }: CampaignSpec) {
  return sequence === undefined ? [] : desiredSequence(sequence).steps;
}

export function keyOf({ change: { section, path } }: { change: Change }): string {
  return `${section} ${path}`;
}
