import type { Environment } from '../model/environment.js';
import { isObject, type Json } from '../model/json.js';
import type { CampaignSpec } from '../model/spec.js';
import type { CampaignContext } from '../plan/index.js';
import { SECTIONS } from '../sections/index.js';
import { check, type Reading, type Verdict } from './check.js';
import {
  type Live,
  MANIFEST_KEYS,
  type Named,
  type Overlay,
  type Part,
  type Section,
  type Style,
  type Target,
  type Written,
} from './part.js';
import { writeManifest } from './write.js';

/** One live campaign, what it is called, where its manifest goes, and the project that it goes into. */
export interface ImportInput {
  live: Live;
  named: Named;
  target: Target;
  environment: Environment;
  environments: readonly Environment[];
  rules: Reading['rules'];
  policies: Reading['policies'];
}

/**
 * A manifest that says what is live: its files by path, the manifest first, and the campaign that is read from them.
 * `remarks`: what it does not say, and why.
 */
export interface ImportedManifest {
  manifest: string;
  files: Map<string, string>;
  spec: CampaignSpec;
  remarks: string[];
}

/** What is to be written: the parts in order, those of this environment alone, and the rules that are weighed less. */
interface Draft {
  parts: Part[];
  overlay: Overlay;
  style: Style;
}

/** More rounds than there are sections, styles and reasons to write again. */
const MOST_ROUNDS = 20;

/**
 * Writes, reads again, plans: what is not read back as it is, or would not plan empty, is written in another style, and
 * left out where that does not help. Null where not even the name can be said.
 */
export function importCampaign(input: ImportInput): ImportedManifest | null {
  const { live, named, target, environment } = input;
  const { listed, answers, recorded } = live;
  const spec: CampaignSpec = { name: named.here ?? named.name, ...(named.pinned ? { id: listed.id } : {}) };
  const context: CampaignContext = {
    environment,
    recorded,
    templates: null,
    spec,
    id: listed.id,
    listed,
    answers,
  };
  const { rules, policies } = input;
  const reading = { environments: input.environments.map(({ name }) => name), rules, policies };
  let draft = firstDraft(context, input);
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const { parts, overlay, style } = draft;
    const written = writeManifest(
      parts,
      { environment: environment.name, sections: overlay },
      { target, style },
    );
    const verdict = check(written, draft, { context, reading });
    const { campaign, faults, lint, waive } = verdict;
    if (campaign !== null && faults.size + lint.length + waive.length === 0)
      return finished(written, draft, campaign.spec);
    const next = corrected(draft, verdict);
    if (next === null) return null;
    draft = next;
  }
  return null;
}

function firstDraft(context: CampaignContext, { named, live, environments }: ImportInput): Draft {
  const overlay: Overlay = {
    ...(named.pinned ? { id: live.listed.id } : {}),
    ...(named.here === null ? {} : { name: named.here }),
  };
  const parts: Part[] = [{ section: 'name', value: named.name, remarks: named.remarks }];
  for (const section of SECTIONS) {
    if (section.name === 'campaign') continue;
    const { section: value, remarks } = section.toManifest(context);
    const isOwn = section.name === 'leads' && value !== null && !isPortable(value, environments);
    if (isOwn) overlay.leads = value;
    parts.push({ section: section.name, value: isOwn ? null : value, remarks });
  }
  return { parts: inOrder(parts), overlay, style: 'natural' };
}

function inOrder(parts: readonly Part[]): Part[] {
  return [...parts].sort((a, b) => MANIFEST_KEYS.indexOf(a.section) - MANIFEST_KEYS.indexOf(b.section));
}

/** Ids are those of one workspace: where there are others, only lists that all of them name may be said for all. */
function isPortable(leads: Json, environments: readonly Environment[]): boolean {
  if (environments.length === 1 || !isObject(leads)) return true;
  const lists = Array.isArray(leads.lists) ? leads.lists : [];
  const isKnown = (name: Json) =>
    environments.every(({ lead_lists }) => Object.hasOwn(lead_lists, String(name)));
  return leads.ids === undefined && lists.every((list) => typeof list === 'string' && isKnown(list));
}

/** The next thing to try; null where nothing is left. */
function corrected(draft: Draft, { faults, lint, waive }: Verdict): Draft | null {
  if (faults.size === 0) return { ...draft, parts: withWaivers(withSwitches(draft.parts, lint), waive) };
  if (draft.style === 'natural') return { ...draft, style: 'quoted' };
  const present = draft.parts.filter(
    ({ section, value }) => section !== 'name' && (value !== null || draft.overlay[section] !== undefined),
  );
  const known = present.filter(({ section }) => faults.has(section));
  // Of the whole it is not known what is wrong: the texts are the likeliest.
  const wrong = known.length > 0 ? known : present.filter(({ section }) => section === 'sequence');
  if (wrong.length === 0) return null;
  const { overlay } = draft;
  const parts = draft.parts
    .filter(({ section }) => section !== 'lint' && section !== 'waive')
    .map((part) => (wrong.includes(part) ? leftOut(part, faults) : part));
  const kept = Object.entries(overlay).filter(([section]) => !wrong.some((part) => part.section === section));
  // What was in the way of the natural style may be gone now.
  return { parts, overlay: Object.fromEntries(kept), style: 'natural' };
}

function leftOut({ section, remarks }: Part, faults: ReadonlyMap<string, string>): Part {
  const [first = ''] = faults.values();
  const why = faults.get(section) ?? first;
  return { section, value: null, remarks: [...remarks, `left out, since ${why}`] };
}

/** What the service already sends is told as a warning: with an error, nothing could be planned any more. */
function withSwitches(parts: readonly Part[], codes: readonly string[]): Part[] {
  const remark = 'live as it is: campaignctl validate shows where; take this out once it is corrected';
  return withMore(parts, 'lint', { names: codes, value: 'warning', remark });
}

/** What breaks a policy already is waived, for everybody to see. */
function withWaivers(parts: readonly Part[], names: readonly string[]): Part[] {
  const remark = 'live as it is: take each of these out once the campaign is as the policy says';
  return withMore(parts, 'waive', { names, value: 'It was so when it was imported.', remark });
}

function withMore(
  parts: readonly Part[],
  section: Section,
  { names, value, remark }: { names: readonly string[]; value: string; remark: string },
): Part[] {
  if (names.length === 0) return [...parts];
  const before = parts.find((part) => part.section === section)?.value ?? null;
  const all = {
    ...(isObject(before) ? before : {}),
    ...Object.fromEntries(names.map((name) => [name, value])),
  };
  return inOrder([
    ...parts.filter((part) => part.section !== section),
    { section, value: all, remarks: [remark] },
  ]);
}

function finished({ manifest, files }: Written, { parts }: Draft, spec: CampaignSpec): ImportedManifest {
  const remarks = parts
    .filter(({ section }) => section !== 'name')
    .flatMap(({ section, remarks: own }) => own.map((remark) => `${section}: ${remark}`));
  return { manifest, files, spec, remarks };
}
