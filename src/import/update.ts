import equal from 'fast-deep-equal';
import { LIMITS, lineFinder, type ReadFile, type WrittenCampaign } from '../manifest/index.js';
import type { CampaignUpdate } from '../model/import.js';
import type { Change, Place } from '../model/outputs.js';
import { SECTION_NAMES } from '../model/sections.js';
import type { CampaignSpec } from '../model/spec.js';
import { replan, type Work } from '../plan/index.js';
import { liveSequence, stepToManifest } from '../sections/sequence.js';
import { keyOf, type LiveValue, liveValue, MOVED, protectionOf } from './live-values.js';
import { type ManifestReading, readManifest, type Texts, textOf } from './reading.js';
import { setScalar } from './set-value.js';
import { blockYaml, withoutExpressions } from './write.js';

export interface UpdateInput extends ManifestReading {
  readFile: ReadFile;
}

/** A campaign after its update: all new texts so far, and what its manifest says then. */
export interface UpdatedCampaign {
  texts: Texts;
  spec: CampaignSpec;
  update: CampaignUpdate;
}

/** A difference, where it stands and its live value. `reason`: why it is not set; `null` if it can be. */
interface LiveDifference extends LiveValue {
  change: Change;
  place: Place;
}

/** A manifest with some texts: its errors and the campaign in all environments, and how it differs from the live campaign. */
interface Version {
  texts: Texts;
  subject: WrittenCampaign;
  errors: string[];
  specs: (CampaignSpec | undefined)[];
  differences: LiveDifference[];
}

/** Problems that say that the live campaign may not be the one that is meant, or is gone. */
const STRANGE = ['rename', 'missing', 'campaign-gone'];
const FOR_EACH = 'the manifest makes several campaigns (for_each)';
const NOT_SCALAR = 'it is no single value in the manifest, or an anchor or alias shares it';

/**
 * Sets live values in the manifest of one campaign and plans again: what still differs is for a person. `newName`: its name since it
 * was renamed in the web app; `null` if it was not.
 */
export function updateCampaign(
  work: Work,
  newName: string | null,
  before: Texts,
  input: UpdateInput,
): UpdatedCampaign {
  const { campaign, plan } = work;
  const strange = plan.problems.filter(({ code }) => STRANGE.includes(code));
  const read: ReadVersion = (texts, fallback) => readVersion(work, newName, { texts, fallback }, input);
  const first = read(before, null);
  const { file } = first.subject;
  const edits = (strange.length > 0 ? [] : first.differences).filter(
    (difference) => difference.reason === null && edited(textOf(file, before, input), [difference]) !== null,
  );
  const refused = new Map<string, string>();
  const whole = withEdits(first, edits, input, read);
  let now = typeof whole === 'string' ? first : whole;
  for (const edit of typeof whole === 'string' ? edits : []) {
    const next = withEdits(now, [edit], input, read);
    if (typeof next === 'string') refused.set(keyOf(edit), next);
    else now = next;
  }

  const { texts, subject } = now;
  const left = strange.length > 0 ? [] : now.differences;
  const open = new Set(left.map(keyOf));
  const position = ({ change: { section, path }, place }: Pick<LiveDifference, 'change' | 'place'>) => ({
    ...{ section, path, file: place.file, line: lineOf(place, texts, input) },
  });
  const name = { change: renaming('', ''), place: subject.at(['name']) };
  const byHand = [
    ...strange.map(({ message }) => ({ ...position(name), reason: message, text: null })),
    ...withMovedSteps(left, work.context, subject.at(['sequence', 'steps'])).map((difference) => ({
      ...position(difference),
      reason: difference.reason ?? refused.get(keyOf(difference)) ?? NOT_SCALAR,
      text: textByHand(difference),
    })),
  ];
  return {
    texts,
    spec: subject.spec,
    update: {
      ...{ manifest: campaign.manifest, name: subject.spec.name, id: plan.id },
      updated: edits
        .filter((edit) => !open.has(keyOf(edit)))
        .map((edit) => ({ ...position(edit), from: edit.change.to, to: edit.value })),
      by_hand: byHand,
      local_changes: left.filter(({ reason }) => reason === 'local').map(position),
      other_environments: input.environments.flatMap((environment, at) =>
        environment.name === input.environment.name || equal(first.specs[at], now.specs[at])
          ? []
          : [environment.name],
      ),
      in_sync: byHand.length === 0,
    },
  };
}

/** `fallback`: the campaign that stands for one that is too wrong to be read. */
type ReadVersion = (texts: Texts, fallback: WrittenCampaign | null) => Version;

function readVersion(
  work: Work,
  newName: string | null,
  { texts, fallback }: { texts: Texts; fallback: WrittenCampaign | null },
  input: UpdateInput,
): Version {
  const { file, manifest, spec } = work.campaign;
  const readings = input.environments.map((environment) =>
    readManifest(file, texts, { ...input, environment }),
  );
  const here = readings[input.environments.findIndex(({ name }) => name === input.environment.name)];
  const same = here?.written.filter((campaign) => campaign.manifest === manifest) ?? [];
  const named = same.find((campaign) => campaign.spec.name === spec.name);
  const subject = named ?? same[0] ?? fallback;
  const document = here?.documents.find((one) => one.manifest === manifest);
  if (subject === null || document === undefined) throw new Error(`${manifest} has disappeared`);
  const protection = protectionOf(work);
  const context = { ...work.context, spec: subject.spec };
  const isRenamed = newName !== null && newName !== subject.spec.name;
  const planned = replan(context, SECTION_NAMES).changes;
  const changes = isRenamed ? [renaming(newName, subject.spec.name), ...planned] : planned;
  const differences = changes.map((change): LiveDifference => {
    const live = liveValue(change, context, changes);
    const place = subject.at(live.path);
    const elsewhere = place.file === file ? null : `it is in ${place.file}, which is not edited`;
    const unedited = document.values === null ? elsewhere : FOR_EACH;
    return { ...live, change, place, reason: protection(change) ?? live.reason ?? unedited };
  });
  const errors = readings
    .flatMap(({ findings }) => findings)
    .flatMap(({ severity, message }) => (severity === 'error' ? [message] : []));
  const specs = readings.map(
    ({ campaigns }) => campaigns.find((campaign) => campaign.manifest === manifest)?.spec,
  );
  return { texts, subject, errors, specs, differences };
}

/** The text with these values; `null` if one of them is no scalar there. */
function edited(text: string, edits: readonly LiveDifference[]): string | null {
  return edits.reduce<string | null>(
    (result, { place, value }) => result && setScalar(result, place, withoutExpressions(value)),
    text,
  );
}

/** The manifest with these values, or the reason against it: it has to be valid in all environments, and planning must show them equal. */
function withEdits(
  before: Version,
  edits: readonly LiveDifference[],
  input: UpdateInput,
  read: ReadVersion,
): Version | string {
  const { file } = before.subject;
  if (edits.length === 0) return before;
  const text = edited(textOf(file, before.texts, input), edits);
  if (text === null) return NOT_SCALAR;
  if (Buffer.byteLength(text) > LIMITS.manifest) return `${file} would be larger than it may be`;
  const after = read(new Map([...before.texts, [file, text]]), before.subject);
  const error = after.errors.find((message) => !before.errors.includes(message));
  // The message begins with the email, which is named anyway.
  if (error !== undefined) return error.replace(/^step \d+(?:, variant \d+)?, \w+: /, '');
  const open = new Set(after.differences.map(keyOf));
  return edits.some((edit) => open.has(keyOf(edit))) ? 'planning would still show the difference' : after;
}

function renaming(from: string, to: string): Change {
  return { section: 'campaign', path: 'name', kind: 'update', from, to, note: null };
}

/** The differences for a person. Where steps were moved, single ones would mislead: all live steps take their place. */
function withMovedSteps(
  left: readonly LiveDifference[],
  context: Work['context'],
  place: Place,
): LiveDifference[] {
  const single = left.filter(({ reason }) => reason !== 'local' && reason !== MOVED);
  if (left.every(({ reason }) => reason !== MOVED)) return single;
  const value = liveSequence(context).steps.map(stepToManifest);
  const change: Change = {
    ...{ section: 'sequence', path: 'steps', kind: 'update', from: value, to: null, note: null },
  };
  return [...single, { change, place, path: ['sequence', 'steps'], value, reason: MOVED }];
}

/** The text for a person to write: YAML with its key, or the whole text of a body file. */
function textByHand({ change: { section }, place, path, value }: LiveDifference): string | null {
  if (value === null && section !== 'settings') return null;
  if (place.path.length === 0 && typeof value === 'string') return value;
  return blockYaml({ [String(path.at(-1))]: withoutExpressions(value) });
}

function lineOf({ file, document, path }: Place, texts: Texts, input: UpdateInput): number {
  return path.length === 0 ? 1 : lineFinder(textOf(file, texts, input), document)(path);
}
