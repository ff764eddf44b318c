import { type Document, visit } from 'yaml';
import type { Path } from '../model/json.js';
import { quoted } from './errors.js';
import { pathOf } from './written.js';

/** A text that YAML ends at " #". `written`: the text that is left. `rest`: what YAML takes for a comment. */
export interface CutText {
  path: Path;
  written: string;
  rest: string;
}

/** `path`: the key, or the list, that holds the text. */
export function cutWording({ path, written, rest }: CutText): { message: string; hint: string } {
  const key = path.findLast((part) => typeof part === 'string');
  const whole = JSON.stringify(written === '' ? rest : `${written} ${rest}`);
  const line = typeof path.at(-1) === 'string' ? `${key}: ${whole}` : whole;
  return {
    message: `${key ?? 'The text'} ${written === '' ? 'is empty' : 'ends at " #"'}, because YAML takes ${quoted(rest)} for a comment.`,
    hint: `Put the whole text in quotes: ${line}. If it is a comment, write a space after "#".`,
  };
}

/** Keys whose values are words from a list, so that a "#" after them begins a comment. */
const WORDS = new Set(['days', 'start_time', 'end_time', 'timezone', 'status', 'lint']);

/** Finds plain texts followed by "#" and a character without a space between them, as in `Idea #1`. */
export function findCutTexts(document: Document, text: string): CutText[] {
  const found: CutText[] = [];
  if (!/[ \t]#[^\s#!]/.test(text)) return found;
  visit(document, {
    Scalar(key, scalar, ancestors) {
      const { range, type, value, source } = scalar;
      const isText = key !== 'key' && type === 'PLAIN' && (typeof value === 'string' || source === '');
      if (!isText || !range) return;
      const rest = commentAt(text, range[1]);
      const path = rest === null ? [] : pathOf(ancestors, scalar);
      if (rest !== null && !path.some((part) => WORDS.has(String(part))))
        found.push({ path, written: source ?? '', rest });
    },
  });
  return found;
}

function commentAt(text: string, end: number): string | null {
  const [space = '', rest] = /^([ \t]*)(#[^\s#!][^\r\n]*)/.exec(text.slice(end, end + 1000))?.slice(1) ?? [];
  const isApart = space !== '' || /[ \t]/.test(text[end - 1] ?? '');
  return rest !== undefined && isApart ? rest.trimEnd() : null;
}
