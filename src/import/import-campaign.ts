import { posix } from 'node:path';
import equal from 'fast-deep-equal';
import { LIMITS, nearest, type SourceFinding, sectionOf } from '../manifest/index.js';
import type { Answers, ListedCampaign } from '../model/answer.js';
import { isSameName } from '../model/characters.js';
import type { Environment } from '../model/environment.js';
import { Failure, UnreadableAnswer } from '../model/failure.js';
import { groupBy, isObject, type Json, type JsonObject } from '../model/json.js';
import type { ImportRemark, SkippedCampaign } from '../model/outputs.js';
import { isScratch } from '../model/probe.js';
import { SECTION_NAMES } from '../model/sections.js';
import type { Campaign, CampaignSpec } from '../model/spec.js';
import type { RecordedState, StateEntry } from '../model/state.js';
import { type CampaignContext, liveStatus, matchCampaigns, meaningOf, replan } from '../plan/index.js';
import { RULES } from '../rules/index.js';
import { SECTIONS } from '../sections/index.js';
import { leftOut, note, type SectionRemark } from '../sections/section.js';
import { type ManifestReading, readManifest, type Texts } from './reading.js';
import {
  MANIFEST_KEYS,
  type ManifestPart,
  type ManifestTarget,
  type TextStyle,
  writeManifest,
} from './write.js';

/** A live campaign as it was read, and what is remembered of it. `replaces`: the campaign that it has replaced, its name or its id. */
export interface LiveCampaign {
  listed: ListedCampaign;
  answers: Answers;
  recorded: RecordedState;
  replaces: string | number | null;
}

/** One live campaign, what it is called, where its manifest goes, and the project that it goes into. */
export interface ImportInput extends ManifestReading {
  live: LiveCampaign;
  named: ManifestName;
  target: ManifestTarget;
}

/**
 * A manifest that says what is live: its files by path, the manifest first, and the campaign that is read from them.
 * `remarks`: what it does not say, and why.
 */
export interface ImportedManifest {
  manifest: string;
  files: Texts;
  spec: CampaignSpec;
  remarks: ImportRemark[];
}

/** What is to be written: the parts in order, those of this environment alone, and in which style. */
interface Draft {
  parts: ManifestPart[];
  overlay: JsonObject;
  style: TextStyle;
}

/**
 * What came of reading a draft again: the campaign, what is wrong by key ('' for the whole), and what would stop it: the rules of
 * the linter and the policies, by the key that silences them.
 */
interface DraftCheck {
  campaign: Campaign | null;
  faults: Map<string, string>;
  silenced: { lint: string[]; waive: string[] };
}

/** What silences a rule or a policy that the live campaign breaks already: with an error, nothing could be planned. */
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

/** More passes than there are sections, styles and reasons to write again. */
const MOST_PASSES = 20;
const LINT_CODES = new Set<string>(RULES.map(({ code }) => code));

/**
 * Writes, reads again, plans: what is not read back as it is, or would not plan empty, is written in another style, and
 * left out where that does not help. Null where not even the name can be said.
 */
export function importCampaign(input: ImportInput): ImportedManifest | null {
  const { live, named, target, environment } = input;
  const { id } = live.listed;
  const spec: CampaignSpec = { name: named.here ?? named.name, ...(named.pinned ? { id } : {}) };
  const context: CampaignContext = { ...live, environment, templates: null, spec, id };
  let draft: Draft | null = firstDraft(context, input);
  for (let pass = 0; draft !== null && pass < MOST_PASSES; pass += 1) {
    const files = writeManifest({ ...draft, environment: environment.name }, target, draft.style);
    const [manifest = ''] = files.keys();
    const checked = check(manifest, files, { draft, context, input });
    const { campaign, faults, silenced } = checked;
    if (campaign !== null && faults.size + silenced.lint.length + silenced.waive.length === 0) {
      const told = draft.parts.filter(({ key }) => key !== 'name');
      const remarks = told.flatMap((part) => part.remarks.map((remark) => ({ key: part.key, ...remark })));
      return { manifest, files, spec: campaign.spec, remarks };
    }
    draft = corrected(draft, checked);
  }
  return null;
}

function firstDraft(context: CampaignContext, { named, live, environments }: ImportInput): Draft {
  const overlay: JsonObject = {
    ...(named.pinned ? { id: live.listed.id } : {}),
    ...(named.here === null ? {} : { name: named.here }),
    // An id is that of one workspace.
    ...(typeof live.replaces === 'number' ? { replaces: live.replaces } : {}),
  };
  const parts = MANIFEST_KEYS.map((key): ManifestPart => {
    if (key === 'name') return { key, value: named.name, remarks: named.remarks };
    if (key === 'replaces')
      return { key, value: typeof live.replaces === 'string' ? live.replaces : null, remarks: [] };
    const written = SECTIONS.find(({ name }) => name === key)?.toManifest(context);
    const { section: value, remarks } = written ?? { section: null, remarks: [] };
    if (key !== 'leads' || isPortable(value, environments)) return { key, value, remarks };
    overlay.leads = value;
    return { key, value: null, remarks };
  });
  return { parts, overlay, style: 'natural' };
}

/** Ids are those of one workspace: where there are others, only lists that all of them name may be said for all. */
function isPortable(leads: Json, environments: readonly Environment[]): boolean {
  if (environments.length === 1 || !isObject(leads)) return true;
  const lists = Array.isArray(leads.lists) ? leads.lists : [];
  const isKnown = (name: Json) =>
    environments.every(({ lead_lists }) => Object.hasOwn(lead_lists, String(name)));
  return leads.ids === undefined && lists.every((list) => typeof list === 'string' && isKnown(list));
}

/** Reads the very texts that are to be written, compares them with what they were to say, and plans them. */
function check(
  manifest: string,
  files: Texts,
  { draft, context, input }: { draft: Draft; context: CampaignContext; input: ImportInput },
): DraftCheck {
  // A policy that cannot be waived is for the plan to tell.
  const policies = input.policies.filter(({ waivable }) => waivable);
  const { campaigns, findings } = readManifest(manifest, files, { ...input, policies });
  const errors = findings.filter(({ severity }) => severity === 'error');
  const codes = [...new Set(errors.map(({ code }) => code))];
  const breached = policies.filter(({ code }) => codes.includes(code));
  const harmless = new Set([...LINT_CODES, ...breached.map(({ code }) => code)]);
  const [campaign = null] = campaigns;
  const faults = new Map<string, string>();
  // The first word about a section is the reason, what follows comes of it.
  const blame = (key: string, fault: string) => faults.set(key, faults.get(key) ?? fault);
  if (Buffer.byteLength(files.get(manifest) ?? '') > LIMITS.manifest)
    blame('sequence', 'it is larger than a manifest may be');
  for (const error of errors) if (!harmless.has(error.code)) blame(keyAt(error, manifest), error.message);
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
  const lint = codes.filter((code) => LINT_CODES.has(code));
  return { campaign, faults, silenced: { lint, waive: breached.map(({ name }) => name) } };
}

/** A file that the manifest names belongs to its section; '' where it is not known which one is meant. */
function keyAt({ place }: SourceFinding, manifest: string): string {
  if (place.file === manifest) return 'path' in place ? sectionOf(place.path) : '';
  return place.file.startsWith(posix.join(posix.dirname(manifest), 'leads/')) ? 'leads' : 'sequence';
}

/** The next thing to try; null where nothing is left. */
function corrected({ parts, overlay, style }: Draft, { faults, silenced }: DraftCheck): Draft | null {
  if (faults.size === 0) return { parts: parts.map((part) => silencing(part, silenced)), overlay, style };
  if (style === 'natural') return { parts, overlay, style: 'quoted' };
  const present = parts.filter(
    ({ key, value }) => key !== 'name' && (value !== null || overlay[key] !== undefined),
  );
  const known = present.filter(({ key }) => faults.has(key));
  // Of the whole it is not known what is wrong: the texts are the likeliest.
  const wrong = known.length > 0 ? known : present.filter(({ key }) => key === 'sequence');
  if (wrong.length === 0) return null;
  const [first = ''] = faults.values();
  const left = parts.map((part): ManifestPart => {
    if (part.key in SILENCERS) return { key: part.key, value: null, remarks: [] };
    const why = leftOut(faults.get(part.key) ?? first);
    return wrong.includes(part) ? { ...part, value: null, remarks: [...part.remarks, why] } : part;
  });
  const kept = Object.entries(overlay).filter(([key]) => !wrong.some((part) => part.key === key));
  // What was in the way of the natural style may be gone now.
  return { parts: left, overlay: Object.fromEntries(kept), style: 'natural' };
}

/** A key with what has to be silenced by it, besides what is already. */
function silencing(part: ManifestPart, silenced: DraftCheck['silenced']): ManifestPart {
  const { key, value: before } = part;
  if ((key !== 'lint' && key !== 'waive') || silenced[key].length === 0) return part;
  const { value, remark } = SILENCERS[key];
  const own = Object.fromEntries(silenced[key].map((name) => [name, value]));
  return { key, value: { ...(isObject(before) ? before : {}), ...own }, remarks: [note(remark)] };
}

/**
 * The live campaigns that names or ids mean, by id, or all that no manifest manages yet; and those that are left out.
 * `managed`: manifests by the id of their live campaign. Failure for a word that means none or several of them, or one that
 * is managed.
 */
export function selectLive(
  words: readonly string[],
  listed: readonly ListedCampaign[],
  managed: ReadonlyMap<number, string>,
): { chosen: ListedCampaign[]; skipped: SkippedCampaign[] } {
  const byId = [...listed].sort((a, b) => a.id - b.id);
  if (words.length === 0) {
    const skipped = byId.flatMap(({ id, name }): SkippedCampaign[] => {
      const manifest = managed.get(id);
      if (manifest !== undefined) return [{ id, name, manifest, reason: `managed by ${manifest}` }];
      return isScratch(name) ? [{ id, name, manifest: null, reason: OF_PROBE }] : [];
    });
    const told = new Set(skipped.map(({ id }) => id));
    return { chosen: byId.filter(({ id }) => !told.has(id)), skipped };
  }
  const meant = new Set(words.map((word) => findCampaign(word, byId) ?? unknown(word, byId)));
  const chosen = byId.filter((one) => meant.has(one));
  for (const { id, name } of chosen) {
    const manifest = managed.get(id);
    if (manifest === undefined) continue;
    throw new Failure({
      code: 'already-managed',
      message: `"${name}" is managed by ${manifest} already. Nothing was written.`,
      hint: 'campaignctl import NAME --update brings changes of the service into that manifest.',
    });
  }
  return { chosen, skipped: [] };
}

const OF_PROBE = "a probe made it, to try the service out: delete it in the service's web app";

/** The campaign with this id, or else the only one with this name; null for none. Failure where several have the name. */
export function findCampaign<Campaign extends { id: number | null; name: string }>(
  word: string,
  campaigns: readonly Campaign[],
): Campaign | null {
  const byId = campaigns.find(({ id }) => String(id) === word);
  if (byId !== undefined) return byId;
  const exact = campaigns.filter(({ name }) => name === word);
  const named = exact.length > 0 ? exact : campaigns.filter(({ name }) => isSameName(name, word));
  if (named.length <= 1) return named[0] ?? null;
  const ids = named.map(({ id }) => id);
  throw new Failure({
    code: 'ambiguous-name',
    message: `The service has ${ids.length} campaigns called "${word}": ${ids.join(', ')}. Nothing was written.`,
    hint: `Name the one you mean by its id, such as ${ids[0]}.`,
  });
}

function unknown(word: string, listed: readonly ListedCampaign[]): never {
  const names = listed.map(({ name }) => name);
  const part = names.find((name) => name.toLowerCase().includes(word.toLowerCase()));
  const near = nearest(word, names) ?? part;
  throw new Failure({
    code: 'unknown-campaign',
    message: `The service has no campaign ${/^\d+$/.test(word) ? `with the id or name ${word}` : `called "${word}"`}. Nothing was written.`,
    hint:
      near === undefined
        ? 'Write names or ids alone, as in campaignctl import 42. campaignctl import --all --dry-run shows every campaign.'
        : `Did you mean "${near}"?`,
  });
}

/** What `replaces:` says of a campaign that the state knows to have replaced one that is there still; null: nothing. */
export function replacedBy(
  id: number,
  listed: readonly ListedCampaign[],
  entries: readonly StateEntry[],
  { service }: Environment,
): string | number | null {
  const isLeft = (row: ListedCampaign) =>
    meaningOf(row.status, service.statuses) !== 'gone' &&
    entries.some((entry) => entry.id === row.id && entry.recorded.superseded_by === id);
  const old = listed.find(isLeft);
  if (old === undefined) return null;
  const isAlone = listed.filter(({ name }) => isSameName(name, old.name)).length === 1;
  return isAlone && old.name.trim() === old.name && old.name !== '' ? old.name : old.id;
}

/** Why there is nothing to import, although the service lists the campaign; null: it can be imported. */
export function goneReason(
  { listed, answers, recorded }: LiveCampaign,
  environment: Environment,
): string | null {
  if (answers.campaign === null || answers.campaign.none) return 'the service lists it and does not have it';
  const { id, name } = listed;
  try {
    const about = { environment, recorded, templates: null, spec: { name }, id, listed, answers };
    const { word, meaning } = liveStatus(about);
    return meaning === 'gone' ? `it is "${word}" in the service` : null;
  } catch (error) {
    if (error instanceof UnreadableAnswer) return error.message;
    throw error;
  }
}

/**
 * What a live campaign is called in its manifest: `name`; `here` where it is another one in the environment it comes
 * from. `pinned`: its name alone would not find it again. `remarks`: what has to be said of that.
 */
interface ManifestName {
  name: string;
  here: string | null;
  pinned: boolean;
  remarks: SectionRemark[];
}

/** The project and its workspace, as far as names go. `listed`: the whole workspace. */
interface KnownNames {
  campaigns: readonly Campaign[];
  listed: readonly ListedCampaign[];
  entries: readonly StateEntry[];
}

const LONGEST_SLUG = 60;
/** Names of devices: Windows has no files of these names. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;

/**
 * What each campaign is called in its manifest, in order. A campaign whose name finds it again needs nothing more. Of
 * several with one name each is pinned, and all but the first get another one for the other environments, where they
 * would be made: two manifests of one name would be one campaign there.
 */
export function nameCampaigns(chosen: readonly ListedCampaign[], known: KnownNames): ManifestName[] {
  const fixed = new Set(known.campaigns.map(({ spec }) => spec.name.trim()));
  const used = new Set(fixed);
  const proposed = chosen.map(({ id, name: live }): ManifestName => {
    // As a manifest may say it: one line, no white space around it.
    const plain = live.replace(/[\u0000-\u001f\u007f]+/g, ' ').trim() || `Campaign ${id}`;
    const name = used.has(plain) ? `${plain} (${id})` : plain;
    used.add(name);
    const here = name !== plain && plain === live && !fixed.has(plain) ? plain : null;
    const pinned = (here ?? name) !== live;
    const remark = `campaign ${id}, which the service calls ${JSON.stringify(live)}`;
    return { name, here, pinned, remarks: pinned ? [note(remark)] : [] };
  });
  const manifests = proposed.map(({ name, here }, at): Campaign => {
    const file = `?${at}`;
    return { manifest: file, file, document: 0, remarks: [], spec: { name: here ?? name } };
  });
  const found = matchCampaigns([...known.campaigns, ...manifests], known.listed, known.entries);
  const own = found.slice(known.campaigns.length);
  const namesakes = groupBy(known.listed, ({ name }) => name);
  return proposed.map((named, at) => {
    const { id, name = '' } = chosen[at] ?? {};
    const isAlone = (namesakes.get(name) ?? []).length < 2;
    const isFound = own[at]?.id === id && own[at]?.problems.length === 0 && isAlone;
    return { ...named, pinned: named.pinned || !isFound };
  });
}

/** File names without their ends for campaigns in their order: no two alike, none that is `taken` (lower case). */
export function chooseBasenames(
  campaigns: readonly { id: number; name: string }[],
  taken: ReadonlySet<string>,
): string[] {
  const used = new Set(taken);
  return campaigns.map(({ id, name }) => {
    const slug = slugOf(name) || `campaign-${id}`;
    let basename = slug;
    for (let number = 2; used.has(basename); number += 1) basename = `${slug}-${number}`;
    used.add(basename);
    return basename;
  });
}

/** A campaign's name as a basename: letters, digits and dashes; empty where it has neither. */
export function slugOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/ß/g, 'ss')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, LONGEST_SLUG)
    .replace(/-$/, '');
  return RESERVED.test(slug) ? `${slug}-campaign` : slug;
}
