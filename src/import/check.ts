import { posix } from 'node:path';
import equal from 'fast-deep-equal';
import {
  type FileText,
  LIMITS,
  manifestParser,
  type ReadFile,
  type RuleSwitch,
  type SourceFinding,
} from '../manifest/index.js';
import type { Campaign, CampaignSpec } from '../model/spec.js';
import { type CampaignContext, replan } from '../plan/index.js';
import { type Policy, RULES, resolveCampaigns } from '../rules/index.js';
import { SECTIONS } from '../sections/index.js';
import type { Overlay, Part, Written } from './part.js';

/** What a manifest is read with, later on: the environments by name, how the project weighs the rules, and its policies. */
export interface Reading {
  environments: readonly string[];
  rules: Readonly<Record<string, RuleSwitch>>;
  policies: readonly Policy[];
}

/**
 * What came of reading a manifest again: the campaign, what is wrong by section ('' for the whole), and the rules of
 * the linter and the policies that would stop it.
 */
export interface Verdict {
  campaign: Campaign | null;
  faults: Map<string, string>;
  lint: string[];
  waive: string[];
}

const LINT_CODES = new Set<string>(RULES.map(({ code }) => code));
const ASPECT_NAMES = SECTIONS.map(({ name }) => name);

/** What there is to compare with: the parts as they were meant, those of this environment alone in `overlay`. */
interface Meant {
  parts: readonly Part[];
  overlay: Overlay;
}

/** Reads the very text that is to be written, compares it with what it was to say, and plans it. */
export function check(
  written: Written,
  meant: Meant,
  { context, reading }: { context: CampaignContext; reading: Reading },
): Verdict {
  const { manifest, files } = written;
  const text = files.get(manifest) ?? '';
  const readFile = from(files);
  // One that nobody may waive is for the plan to tell.
  const waivable = reading.policies.filter((policy) => policy.waivable);
  const parsed = manifestParser(reading.environments, readFile).parse(manifest, text);
  const read = resolveCampaigns(parsed.documents, context.environment, {
    readFile,
    rules: reading.rules,
    policies: waivable,
  });
  const errors = [...parsed.findings, ...read.findings].filter(({ severity }) => severity === 'error');
  const lint = [...new Set(errors.map(({ code }) => code).filter((code) => LINT_CODES.has(code)))];
  const codes = new Set(errors.map(({ code }) => code));
  const breached = waivable.filter(({ code }) => codes.has(code));
  const policyCodes = new Set(breached.map(({ code }) => code));
  const broken = errors.filter(({ code }) => !LINT_CODES.has(code) && !policyCodes.has(code));
  const [campaign = null] = read.campaigns;
  const found = [
    ...(Buffer.byteLength(text) > LIMITS.manifest
      ? [['sequence', 'it is larger than a manifest may be'] as const]
      : []),
    ...broken.map((finding) => [sectionOf(finding, manifest), finding.message] as const),
    ...(campaign === null ? [] : [...misread(campaign.spec, meant), ...changed(campaign.spec, context)]),
  ];
  if (campaign === null && found.length === 0) found.push(['', 'it cannot be read back']);
  // The first word about a section is the reason, what follows comes of it.
  return { campaign, faults: new Map(found.reverse()), lint, waive: breached.map(({ name }) => name) };
}

function misread(spec: CampaignSpec, { parts, overlay }: Meant) {
  return parts.flatMap(({ section, value }) => {
    if (section === 'lint' || section === 'waive') return [];
    const wanted = overlay[section] ?? value;
    const isSame = wanted === null || equal(spec[section], wanted);
    return isSame ? [] : [[section, 'it would not be read back as it is'] as const];
  });
}

function changed(spec: CampaignSpec, context: CampaignContext) {
  return replan({ ...context, spec }, ASPECT_NAMES).changes.map(
    ({ section, path }) => [section, `planning it would change ${path || section}`] as const,
  );
}

/** Reads as the project does: no mark at the start, nothing too large. */
function from(files: ReadonlyMap<string, string>): ReadFile {
  return (file, limit): FileText => {
    const text = files.get(file);
    if (text === undefined) return { problem: 'file-not-found' };
    return Buffer.byteLength(text) > limit
      ? { problem: 'file-too-large' }
      : { text: text.replace(/^\ufeff/, '') };
  };
}

/** A file that the manifest names belongs to its section; '' where it is not known which one is meant. */
function sectionOf({ place }: SourceFinding, manifest: string): string {
  if (place.file !== manifest) {
    return place.file.startsWith(posix.join(posix.dirname(manifest), 'leads/')) ? 'leads' : 'sequence';
  }
  if (!('path' in place)) return '';
  return String((place.path[0] === 'environments' ? place.path[2] : place.path[0]) ?? '');
}
