import { posix } from 'node:path';
import { badText, escapeExpressions, LIMITS } from '../manifest/index.js';
import { isObject, type Json, type JsonObject, mapValues } from '../model/json.js';
import { OPTIONAL_SECTIONS } from '../model/sections.js';
import { remarkLine } from '../model/words.js';
import type { SectionRemark } from '../sections/section.js';
import { blockYaml, commentText, isBlock, type TextStyle } from './yaml-text.js';

/** The keys of a manifest that an import writes, in their order. */
export const MANIFEST_KEYS = ['name', ...OPTIONAL_SECTIONS, 'lint', 'waive'] as const;

/** One key of a manifest with its value, null where there is none, and what stands as comments with it. */
export interface ManifestPart {
  key: (typeof MANIFEST_KEYS)[number];
  value: Json;
  remarks: SectionRemark[];
}

/** Where a manifest goes: its folder, relative to the project, and its file name in two. */
export interface ManifestTarget {
  folder: string;
  basename: string;
  extension: string;
}

/** What a manifest is to say: its parts in order, and what holds for one environment alone. */
export interface ManifestContent {
  parts: readonly ManifestPart[];
  environment: string;
  overlay: JsonObject;
}

/** More ids than these go into a file. */
const MOST_IDS = 20;
/** A body of more goes into a file. */
const MOST_LINES = 15;
const MOST_CHARACTERS = 240;
const HTML = /<\/?[a-z][a-z0-9]*(?:\s[^<>]*)?\/?>|<!--|<!doctype/i;

/** The manifest and the files that it names, by their paths relative to the project; the manifest itself comes first. */
export function writeManifest(
  { parts, environment, overlay }: ManifestContent,
  { folder, basename, extension }: ManifestTarget,
  style: TextStyle,
): Map<string, string> {
  const named = new Map<string, string>();
  const spelt = (value: Json) =>
    style === 'quoted' ? withoutExpressions(value) : moveOut(withoutExpressions(value), basename, named);
  const texts = parts.map((part) => partText({ ...part, value: spelt(part.value) }, style));
  if (Object.keys(overlay).length > 0)
    texts.push(blockYaml({ environments: { [environment]: mapValues(overlay, spelt) } }, style));
  const files = [[`${basename}${extension}`, texts.filter(Boolean).join('\n')] as const, ...named];
  return new Map(files.map(([path, text]) => [posix.join(folder, path), text]));
}

/** Remarks stand in front of one value, at the top of a section, or in the place of one that is missing. */
function partText({ key, value, remarks }: ManifestPart, style: TextStyle): string {
  if (value === null) return comments(remarks.map((remark) => remarkLine({ key, ...remark })));
  const text = blockYaml({ [key]: value }, style);
  const said = remarks.map((remark) => remark.text);
  if (!isObject(value)) return comments(said) + text;
  const top = text.indexOf('\n') + 1;
  return text.slice(0, top) + comments(said, '  ') + text.slice(top);
}

function comments(lines: readonly string[], indent = ''): string {
  return lines.map((line) => `${indent}# ${commentText(line)}\n`).join('');
}

/** A value of the service as a manifest says it: nothing in it is an expression. */
export function withoutExpressions(value: Json): Json {
  if (typeof value === 'string') return escapeExpressions(value);
  if (Array.isArray(value)) return value.map(withoutExpressions);
  return isObject(value) ? mapValues(value, withoutExpressions) : value;
}

/** A section with bodies and a list of ids that belong in files replaced by their names; `files` gets those. */
function moveOut(section: Json, basename: string, files: Map<string, string>): Json {
  if (!isObject(section)) return section;
  const { ids, ...rest } = section;
  if (Array.isArray(rest.steps)) {
    const steps = rest.steps.map((step, at) => moveBodies(step, `emails/${basename}/${at + 1}`, files));
    return { ...section, steps };
  }
  if (!Array.isArray(ids) || ids.length <= MOST_IDS) return section;
  const path = `leads/${basename}.txt`;
  files.set(path, `${ids.join('\n')}\n`);
  return { ...rest, ids_file: path };
}

/** An email, and its variants, with their bodies in files; `path` is the name of its file without the extension. */
function moveBodies(email: Json, path: string, files: Map<string, string>): Json {
  if (!isObject(email)) return email;
  const entries = Object.entries(email).map(([key, value]): [string, Json] => {
    if (key === 'variants' && Array.isArray(value))
      return [key, value.map((variant, at) => moveBodies(variant, `${path}-${variantLetter(at)}`, files))];
    if (key !== 'email_body' || typeof value !== 'string' || !belongsInFile(value)) return [key, value];
    const name = `${path}${HTML.test(value) ? '.html' : '.txt'}`;
    files.set(name, value);
    return ['email_body_file', name];
  });
  return Object.fromEntries(entries);
}

/** The step itself is `a`: its variants are `b`, `c`, …, and from the 26th on numbers. */
function variantLetter(index: number): string {
  return index < 25 ? String.fromCharCode(98 + index) : String(index + 2);
}

/**
 * A body that belongs in a file of its own: HTML, long, or of lines that no block can hold. Not one that no file gives back byte
 * for byte: a mark at its start is dropped by those who read it.
 */
export function belongsInFile(text: string): boolean {
  const isLong =
    text.length > MOST_CHARACTERS && (!text.includes('\n') || text.split('\n').length > MOST_LINES);
  const isUnblocked = text.trimEnd().includes('\n') && !isBlock(text);
  const fits = badText(text) === null && !text.startsWith('\ufeff') && Buffer.byteLength(text) <= LIMITS.body;
  return (HTML.test(text) || isLong || isUnblocked) && fits;
}
