import equal from 'fast-deep-equal';
import { LIMITS, type SourceFinding, sectionOf } from '../manifest/index.js';
import type { Answers, ListedCampaign } from '../model/answer.js';
import { isSameName } from '../model/characters.js';
import type { Environment } from '../model/environment.js';
import { UnreadableAnswer } from '../model/failure.js';
import type { ImportRemark } from '../model/import.js';
import { isObject, type Json, type JsonObject, mapValues } from '../model/json.js';
import { OPTIONAL_SECTIONS, SECTION_NAMES } from '../model/sections.js';
import type { Campaign, CampaignSpec } from '../model/spec.js';
import type { RecordedState, StateEntry } from '../model/state.js';
import { remarkLine } from '../model/words.js';
import { type CampaignContext, liveStatus, meaningOf, replan } from '../plan/index.js';
import { RULES } from '../rules/index.js';
import { SECTIONS } from '../sections/index.js';
import { leftOut, note, type SectionRemark } from '../sections/section.js';
import type { ManifestName } from './names.js';
import { type ManifestReading, readManifest } from './reading.js';
import { blockYaml, commentLine, withoutExpressions } from './write.js';

/** A live campaign and what the state knows of it. `replaces`: name or id of the campaign that it replaced, or `null`. */
export interface LiveCampaign {
  listed: ListedCampaign;
  answers: Answers;
  recorded: RecordedState;
  replaces: string | number | null;
}

/** `manifest`: the file that is to be written. `head`: its first line, if any. */
export interface ImportInput extends ManifestReading {
  live: LiveCampaign;
  named: ManifestName;
  manifest: string;
  head: string;
}

/** A manifest that was read again and plans empty. `remarks`: what it does not say, and why. */
export interface ImportedManifest {
  manifest: string;
  text: string;
  spec: CampaignSpec;
  remarks: ImportRemark[];
}

/** One key of a manifest, `null` if it has no value, and its comments. */
interface ManifestPart {
  key: string;
  value: Json;
  remarks: SectionRemark[];
}

/** The keys of a manifest, and those that hold for this environment alone. */
interface Draft {
  parts: ManifestPart[];
  overlay: JsonObject;
}

/** `faults`: errors by key, '' for the whole. `silenced`: broken rules and policies, by the key that silences them. */
interface DraftCheck {
  campaign: Campaign | null;
  faults: Map<string, string>;
  silenced: { lint: string[]; waive: string[] };
}

/** A rule or policy that the live campaign breaks already would stop every plan. */
const SILENCERS = {
  lint: {
    value: 'warning',
    remark: 'live as it is: campaignctl validate shows where; remove this once you have corrected it',
  },
  waive: {
    value: 'It was so when it was imported.',
    remark: 'live as it is: remove each of these once the campaign is as the policy says',
  },
};

/** Each pass leaves a section out or silences a rule. */
const MOST_PASSES = 20;
const LINT_CODES = new Set<string>(RULES.map(({ code }) => code));

/** Writes, reads again and plans. Leaves out what does not read back or plans a change. `null` if the name cannot be written. */
export function importCampaign(input: ImportInput): ImportedManifest | null {
  const { live, named, environment, manifest, head } = input;
  const { id } = live.listed;
  const spec: CampaignSpec = { name: named.here ?? named.name, ...(named.pinned ? { id } : {}) };
  const context: CampaignContext = { ...live, environment, templates: null, spec, id };
  let draft: Draft | null = firstDraft(context, input);
  for (let pass = 0; draft !== null && pass < MOST_PASSES; pass += 1) {
    const { parts, overlay }: Draft = draft;
    const text = head + manifestText(parts, overlay, environment.name);
    const checked = check(text, draft, context, input);
    const { campaign, faults, silenced } = checked;
    if (campaign !== null && faults.size + silenced.lint.length + silenced.waive.length === 0) {
      const remarks = parts.flatMap(({ key, remarks }) => remarks.map((remark) => ({ key, ...remark })));
      return { manifest, text, spec: campaign.spec, remarks: remarks.filter(({ key }) => key !== 'name') };
    }
    draft = corrected(draft, checked);
  }
  return null;
}

function firstDraft(context: CampaignContext, { named, live, environments }: ImportInput): Draft {
  const { id, name } = live.listed;
  const overlay: JsonObject = {
    ...(named.pinned ? { id } : {}),
    ...(named.here === null ? {} : { name: named.here }),
    // An id belongs to one workspace.
    ...(typeof live.replaces === 'number' ? { replaces: live.replaces } : {}),
  };
  const pin = note(`campaign ${id}, which the service calls ${JSON.stringify(name)}`);
  const isRenamed = (named.here ?? named.name) !== name;
  const sections = OPTIONAL_SECTIONS.map((key): ManifestPart => {
    const written = SECTIONS.find((section) => section.name === key)?.toManifest(context);
    const { section: value, remarks } = written ?? { section: null, remarks: [] };
    if (key !== 'leads' || isPortable(value, environments)) return { key, value: unixLines(value), remarks };
    overlay.leads = value;
    return { key, value: null, remarks };
  });
  const replaces = typeof live.replaces === 'string' ? live.replaces : null;
  const silencers = Object.keys(SILENCERS).map((key) => ({ key, value: null, remarks: [] }));
  return {
    parts: [
      { key: 'name', value: named.name, remarks: isRenamed ? [pin] : [] },
      { key: 'replaces', value: replaces, remarks: [] },
      ...sections,
      ...silencers,
    ],
    overlay,
  };
}

/** Planning ignores line ends, and only `\n` can stand in a block scalar. */
function unixLines(value: Json): Json {
  if (typeof value === 'string') return value.replaceAll('\r\n', '\n');
  if (Array.isArray(value)) return value.map(unixLines);
  return isObject(value) ? mapValues(value, unixLines) : value;
}

/** Ids belong to one workspace: with several environments, only lists that all of them name may stand in the base. */
function isPortable(leads: Json, environments: readonly Environment[]): boolean {
  if (environments.length === 1 || !isObject(leads)) return true;
  const lists = Array.isArray(leads.lists) ? leads.lists : [];
  const isKnown = (name: Json) =>
    environments.every(({ lead_lists }) => Object.hasOwn(lead_lists, String(name)));
  return leads.ids === undefined && lists.every((list) => typeof list === 'string' && isKnown(list));
}

function manifestText(parts: readonly ManifestPart[], overlay: JsonObject, environment: string): string {
  const texts = parts.map(({ key, value, remarks }) => {
    if (value === null) return remarks.map((remark) => commentLine(remarkLine({ key, ...remark }))).join('');
    const comments = remarks.map(({ text }) => commentLine(text));
    const text = blockYaml({ [key]: withoutExpressions(value) });
    if (!isObject(value)) return comments.join('') + text;
    return text.replace('\n', () => `\n${comments.map((line) => `  ${line}`).join('')}`);
  });
  if (Object.keys(overlay).length > 0)
    texts.push(blockYaml({ environments: { [environment]: mapValues(overlay, withoutExpressions) } }));
  return texts.filter(Boolean).join('\n');
}

/** Reads the text that is to be written, compares it with the draft, and plans it. */
function check(text: string, draft: Draft, context: CampaignContext, input: ImportInput): DraftCheck {
  const { manifest } = input;
  // A policy that cannot be waived is for the plan to report.
  const policies = input.policies.filter(({ waivable }) => waivable);
  const { campaigns, findings } = readManifest(manifest, new Map([[manifest, text]]), { ...input, policies });
  const errors = findings.filter(({ severity }) => severity === 'error');
  const codes = [...new Set(errors.map(({ code }) => code))];
  const lint = codes.filter((code) => LINT_CODES.has(code));
  const breached = policies.filter(({ code }) => codes.includes(code));
  const silenceable = new Set([...lint, ...breached.map(({ code }) => code)]);
  const [campaign = null] = campaigns;
  const faults = new Map<string, string>();
  // The first error of a section is the reason; others follow from it.
  const blame = (key: string, fault: string) => faults.set(key, faults.get(key) ?? fault);
  if (Buffer.byteLength(text) > LIMITS.manifest) blame('sequence', 'it is larger than a manifest may be');
  for (const error of errors) if (!silenceable.has(error.code)) blame(keyAt(error, manifest), error.message);
  if (campaign === null && faults.size === 0) blame('', 'it cannot be read back');
  if (campaign !== null) {
    const spec: Partial<Record<string, unknown>> = { ...campaign.spec };
    for (const { key, value } of draft.parts) {
      const wanted = draft.overlay[key] ?? value;
      if (!(key in SILENCERS) && wanted !== null && !equal(spec[key], wanted))
        blame(key, 'it would not be read back as it is');
    }
    for (const { section, path } of replan({ ...context, spec: campaign.spec }, SECTION_NAMES).changes)
      blame(section, `planning it would change ${path || section}`);
  }
  return { campaign, faults, silenced: { lint, waive: breached.map(({ name }) => name) } };
}

function keyAt({ place }: SourceFinding, manifest: string): string {
  return place.file === manifest && 'path' in place ? sectionOf(place.path) : '';
}

/** The next draft; `null` if there is nothing left to leave out. */
function corrected({ parts, overlay }: Draft, { faults, silenced }: DraftCheck): Draft | null {
  if (faults.size === 0) return { parts: parts.map((part) => silencing(part, silenced)), overlay };
  const present = parts.filter(
    ({ key, value }) => key !== 'name' && (value !== null || overlay[key] !== undefined),
  );
  const blamed = present.filter(({ key }) => faults.has(key));
  // If the section is not known, the texts of the emails are the most likely cause.
  const wrong = blamed.length > 0 ? blamed : present.filter(({ key }) => key === 'sequence');
  if (wrong.length === 0) return null;
  const [first = ''] = faults.values();
  return {
    parts: parts.map((part): ManifestPart => {
      if (part.key in SILENCERS) return { key: part.key, value: null, remarks: [] };
      const reason = leftOut(faults.get(part.key) ?? first);
      return wrong.includes(part) ? { ...part, value: null, remarks: [...part.remarks, reason] } : part;
    }),
    overlay: Object.fromEntries(
      Object.entries(overlay).filter(([key]) => wrong.every((part) => part.key !== key)),
    ),
  };
}

function silencing(part: ManifestPart, silenced: DraftCheck['silenced']): ManifestPart {
  const { key, value: before } = part;
  if ((key !== 'lint' && key !== 'waive') || silenced[key].length === 0) return part;
  const { value, remark } = SILENCERS[key];
  const added = Object.fromEntries(silenced[key].map((name) => [name, value]));
  return { key, value: { ...(isObject(before) ? before : {}), ...added }, remarks: [note(remark)] };
}

/** `replaces:` of a campaign that, as the state knows, replaced one that is still live; else `null`. */
export function replacedBy(
  id: number,
  listed: readonly ListedCampaign[],
  entries: readonly StateEntry[],
  { service }: Environment,
): string | number | null {
  const isPredecessor = (row: ListedCampaign) =>
    meaningOf(row.status, service.statuses) !== 'gone' &&
    entries.some((entry) => entry.id === row.id && entry.recorded.superseded_by === id);
  const old = listed.find(isPredecessor);
  if (old === undefined) return null;
  const isUnique = listed.filter(({ name }) => isSameName(name, old.name)).length === 1;
  return isUnique && old.name.trim() === old.name && old.name !== '' ? old.name : old.id;
}

/** The reason why a listed campaign has nothing to import; else `null`. */
export function goneReason({ listed, ...live }: LiveCampaign, environment: Environment): string | null {
  if (live.answers.campaign === null || live.answers.campaign.none)
    return 'the service lists it and does not have it';
  const { id, name } = listed;
  try {
    const { word, meaning } = liveStatus({
      ...live,
      environment,
      templates: null,
      spec: { name },
      id,
      listed,
    });
    return meaning === 'gone' ? `it is "${word}" in the service` : null;
  } catch (error) {
    if (error instanceof UnreadableAnswer) return error.message;
    throw error;
  }
}
