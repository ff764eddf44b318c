import { escapeExpressions } from '../manifest/index.js';
import { isObject, type Json, type JsonObject } from '../model/json.js';
import type { Overlay, Part, Style, Target, Written } from './part.js';
import { belongsInFile, commentText, isHtml } from './texts.js';
import { yamlText } from './yaml.js';

/** More ids than these go into a file. */
const MOST_IDS = 20;

/** Parts → the text of the manifest, and the files that it names. */
export function writeManifest(
  parts: readonly Part[],
  overlay: { environment: string; sections: Overlay },
  { target, style }: { target: Target; style: Style },
): Written {
  const { folder, basename, extension } = target;
  const files = new Map<string, string>();
  const moved = (value: Json) => {
    const spelt = escaped(value);
    return style === 'quoted' ? spelt : moveOut(spelt, basename, files);
  };
  const sections = parts.map((part) => sectionText({ ...part, value: moved(part.value) }, style));
  if (Object.keys(overlay.sections).length > 0) {
    const value = { [overlay.environment]: moved(overlay.sections) };
    sections.push(yamlText('environments', value, style));
  }
  const within = (path: string) => (folder === '' ? path : `${folder}/${path}`);
  const manifest = within(`${basename}${extension}`);
  const named = [...files].map(([path, text]) => [within(path), text] as const);
  return { manifest, files: new Map([[manifest, sections.filter(Boolean).join('\n')], ...named]) };
}

/** Remarks stand in front of one value, at the top of a section, or in the place of one that is missing. */
function sectionText({ section, value, remarks }: Part, style: Style): string {
  if (value === null) return comments(remarks, `${section}: `);
  const text = yamlText(section, value, style);
  if (!isObject(value)) return comments(remarks, '') + text;
  const top = text.indexOf('\n') + 1;
  return text.slice(0, top) + comments(remarks, '', '  ') + text.slice(top);
}

function comments(remarks: readonly string[], about: string, indent = ''): string {
  return remarks.map((remark) => `${indent}# ${commentText(`${about}${remark}`)}\n`).join('');
}

function escaped(value: Json): Json {
  if (typeof value === 'string') return escapeExpressions(value);
  if (Array.isArray(value)) return value.map(escaped);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, escaped(inner)]));
}

/** The value with bodies and lists of ids that belong in files replaced by their names; `files` gets those. */
function moveOut(value: Json, stem: string, files: Map<string, string>): Json {
  if (!isObject(value)) return value;
  const { steps, ids, leads } = value;
  if (isObject(leads)) return { ...value, leads: moveOut(leads, stem, files) };
  if (Array.isArray(ids) && ids.length > MOST_IDS) {
    const { ids: _, ...rest } = value;
    const path = `leads/${stem}.txt`;
    files.set(path, `${ids.join('\n')}\n`);
    return { ...rest, ids_file: path };
  }
  if (!Array.isArray(steps)) return value;
  const folder = `emails/${stem}`;
  return { ...value, steps: steps.map((step, index) => moveStep(step, `${folder}/${index + 1}`, files)) };
}

function moveStep(step: Json, path: string, files: Map<string, string>): Json {
  if (!isObject(step)) return step;
  const moved = moveBody(step, path, files);
  if (!Array.isArray(moved.variants)) return moved;
  const variants = moved.variants.map((variant, at) =>
    isObject(variant) ? moveBody(variant, `${path}-${letter(at)}`, files) : variant,
  );
  return { ...moved, variants };
}

function moveBody(email: JsonObject, path: string, files: Map<string, string>): JsonObject {
  const { email_body } = email;
  if (typeof email_body !== 'string' || !belongsInFile(email_body)) return email;
  const name = `${path}${isHtml(email_body) ? '.html' : '.txt'}`;
  files.set(name, email_body);
  return Object.fromEntries(
    Object.entries(email).map(([key, value]) =>
      key === 'email_body' ? ['email_body_file', name] : [key, value],
    ),
  );
}

/** The step itself is `a`: its variants are `b`, `c`, …, and from the 26th on numbers. */
function letter(variant: number): string {
  return variant < 25 ? String.fromCharCode(98 + variant) : String(variant + 2);
}
