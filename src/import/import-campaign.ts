/** Builds manifests from live campaigns, then parses and plans them again. Uses neither the disk nor the service. */
import equal from 'fast-deep-equal';
import { canonicalTexts, findSection } from '../manifest/documents.js';
import { blockYaml, commentLine, mapTexts } from '../manifest/edit.js';
import { escapeExpressions } from '../manifest/expressions.js';
import { LIMITS } from '../manifest/files.js';
import type { ListedCampaign } from '../model/answer.js';
import { isObject, type Json } from '../model/json.js';
import { isNone, type LiveCampaign } from '../model/live.js';
import type { ImportRemark } from '../model/reports.js';
import { OPTIONAL_SECTIONS, SECTION_NAMES } from '../model/sections.js';
import type { CampaignSpec } from '../model/spec.js';
import type { RecordedState } from '../model/state.js';
import type { Target } from '../model/target.js';
import { remarkLine } from '../model/words.js';
import { RULES } from '../rules/check.js';
import { replan } from '../sections/all.js';
import { SECTIONS } from '../sections/index.js';
import { leftOut, type SectionRemark } from '../sections/section.js';
import { specTarget, withFacts } from '../sections/target.js';
import { type ManifestReading, readManifest } from './reading.js';

/** A campaign that is to get a manifest. */
export interface Unmanaged {
  listed: ListedCampaign;
  live: LiveCampaign;
  recorded: RecordedState;
}

interface ImportInput extends Pick<ManifestReading, 'environment' | 'environments' | 'rules'> {
  unmanaged: Unmanaged;
  manifest: string;
  head: string;
}

export interface ImportedManifest {
  manifest: string;
  text: string;
  spec: CampaignSpec;
  remarks: ImportRemark[];
}

interface ManifestPart {
  key: string;
  value: Json;
  remarks: SectionRemark[];
}

/**
 * Leaves out sections that a manifest cannot contain or for which a plan would show a change. Returns the reason if the
 * campaign cannot be imported.
 */
export function importCampaign(input: ImportInput): ImportedManifest | string {
  const { unmanaged, environment } = input;
  const { listed, live, recorded } = unmanaged;
  const { id, name } = listed;
  if (isNone(live.record)) return 'the service lists the campaign but cannot find it';
  const target = withFacts(specTarget({ name }, environment), { id, live, recorded });
  const { word, meaning } = target.status;
  if (meaning === 'gone') return `it is "${word}" in the service`;
  const parts = OPTIONAL_SECTIONS.map((key): ManifestPart => {
    const section = SECTIONS.find((each) => each.name === key)?.toManifest(target);
    const value = canonicalTexts(mapTexts(section?.section ?? null, unixLines));
    return { key, value, remarks: section?.remarks ?? [] };
  });
  const first = check(parts, target, input);
  if ('text' in first) return withRulesAsWarnings(first, input);
  const second = check(
    parts.map((part) => {
      const fault = first.faults.get(part.key);
      return fault === undefined ? part : { ...part, value: null, remarks: [leftOut(fault)] };
    }),
    target,
    input,
  );
  return 'text' in second ? withRulesAsWarnings(second, input) : ([...second.faults.values()][0] ?? '');
}

/** Rules that the live emails break become warnings, because an error in one manifest would block every plan. */
function withRulesAsWarnings(imported: ImportedManifest, input: ImportInput): ImportedManifest {
  const { manifest, text } = imported;
  const { findings } = readManifest(manifest, new Map([[manifest, text]]), { ...input, ...ALONE });
  const broken = new Set(findings.flatMap(({ severity, code }) => (severity === 'error' ? [code] : [])));
  if (broken.size === 0) return imported;
  const note = commentLine(
    'The live campaign breaks these rules. Correct it in the service and here, then remove this section.',
  );
  const lint = Object.fromEntries([...broken].map((code) => [code, 'warning']));
  return { ...imported, text: `${text}\n${note}${blockYaml({ lint })}` };
}

const ALONE = { policies: [], readFile: () => ({ problem: 'file-not-found' as const }) };
const NO_RULES = Object.fromEntries(RULES.map(({ code }) => [code, 'off' as const]));

function check(
  parts: readonly ManifestPart[],
  target: Target,
  input: ImportInput,
): ImportedManifest | { faults: Map<string, string> } {
  const { manifest, head } = input;
  const text = head + manifestText(target.spec.name, parts, input);
  const texts = new Map([[manifest, text]]);
  const { campaigns, findings } = readManifest(manifest, texts, { ...input, ...ALONE, rules: NO_RULES });
  const faults = new Map<string, string>();
  const blame = (key: string, fault: string) => faults.set(key, faults.get(key) ?? fault);
  if (Buffer.byteLength(text) > LIMITS.manifest) blame('sequence', 'it is too large for a manifest');
  for (const { severity, place, message } of findings)
    if (severity === 'error') blame('path' in place ? findSection(place.path) : 'sequence', message);
  const spec: Partial<CampaignSpec> = campaigns[0]?.spec ?? {};
  if (faults.size === 0 && spec.name !== target.spec.name)
    blame('name', 'a manifest cannot contain this name');
  for (const { key, value } of parts) {
    const read = new Map<string, unknown>(Object.entries(spec)).get(key);
    if (faults.size === 0 && value !== null && !equal(read, value))
      blame(key, 'the manifest would not describe the same campaign');
  }
  for (const { section, path } of replan({ ...target, spec: { ...target.spec, ...spec } }, SECTION_NAMES)
    .changes)
    blame(section, `a plan would change ${path || section}`);
  if (faults.size > 0) return { faults };
  const remarks = parts.flatMap(({ key, remarks }) => remarks.map((remark) => ({ key, ...remark })));
  return { manifest, text, spec: { ...target.spec, ...spec }, remarks };
}

/** Planning ignores line endings, and block scalars can contain only `\n`. */
function unixLines(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

function manifestText(
  name: string,
  parts: readonly ManifestPart[],
  { environment, environments }: ImportInput,
): string {
  // Leads belong to a single workspace, so they cannot be shared by all environments.
  const isShared = environments.length > 1;
  const texts = [blockYaml({ name: escapeExpressions(name) })];
  for (const { key, value, remarks } of parts) {
    if (value === null || (key === 'leads' && isShared)) {
      texts.push(remarks.map((remark) => commentLine(remarkLine({ key, ...remark }))).join(''));
      continue;
    }
    const comments = remarks
      .filter(({ step }) => step === undefined)
      .map((remark) => commentLine(remark.text));
    const text = withStepComments(blockYaml({ [key]: mapTexts(value, escapeExpressions) }), remarks);
    const inner = `\n${comments.map((line) => `  ${line}`).join('')}`;
    texts.push(isObject(value) ? text.replace('\n', () => inner) : comments.join('') + text);
  }
  const leads = parts.find(({ key }) => key === 'leads')?.value ?? null;
  if (leads !== null && isShared) texts.push(blockYaml({ environments: { [environment.name]: { leads } } }));
  return texts.filter(Boolean).join('\n');
}

/** Only a step begins with a dash at this depth: the lines of its texts are deeper. */
function withStepComments(text: string, remarks: readonly SectionRemark[]): string {
  let index = 0;
  return text.replace(/^ {4}(?=- )/gm, (indent) => {
    const here = remarks.filter(({ step }) => step === index);
    index += 1;
    return `${here.map((remark) => indent + commentLine(remark.text)).join('')}${indent}`;
  });
}

export function slugOf(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/ß/g, 'ss')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 60)
    .replace(/-$/, '');
}

/** Windows reserves these names, with any extension: it cannot even check such a file out. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;

/** `existing`: names in use, in lower case. */
export function chooseBasenames(
  campaigns: readonly { id: number; name: string }[],
  existing: ReadonlySet<string>,
): string[] {
  const used = new Set(existing);
  return campaigns.map(({ id, name }) => {
    const slug = slugOf(name);
    const start = slug === '' ? `campaign-${id}` : RESERVED.test(slug) ? `campaign-${slug}` : slug;
    let basename = start;
    for (let number = 2; used.has(basename); number += 1) basename = `${start}-${number}`;
    used.add(basename);
    return basename;
  });
}
