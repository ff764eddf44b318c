import { type Document, type Scalar, visit } from 'yaml';
import type { Path } from '../model/json.js';
import { quoted } from './errors.js';
import { pathOf } from './written.js';

/**
 * `comment`: YAML ends the text at " #". `written`: the text that is left. `rest`: what YAML takes for a comment.
 * `folded`: YAML makes one line of the body of an email.
 */
export type Cut = { kind: 'comment'; written: string; rest: string } | { kind: 'folded' };

type CommentCut = Extract<Cut, { kind: 'comment' }>;

/** A text of which YAML drops something. */
export interface CutText {
  path: Path;
  cut: Cut;
}

/** `path`: the key, or the list, that holds the text. */
export function commentWording(path: Path, cut: CommentCut): { message: string; hint: string } {
  const { message, hint } = cutWording(path, cut);
  return { message, hint: `${hint} If it is a comment, write a space after "#".` };
}

/** `whole`: the text as it is meant. */
export function cutWording(
  path: Path,
  { written, rest }: Pick<CommentCut, 'written' | 'rest'>,
  whole = written === '' ? rest : `${written} ${rest}`,
): { message: string; hint: string } {
  const key = path.findLast((part) => typeof part === 'string');
  const text = JSON.stringify(whole);
  const line = typeof path.at(-1) === 'string' ? `${key}: ${text}` : text;
  return {
    message: `${key ?? 'The text'} ${written === '' ? 'is empty' : 'ends at " #"'}, because YAML takes ${quoted(rest)} for a comment.`,
    hint:
      whole.length > 200 ? 'Put the whole text in double quotes.' : `Put the whole text in quotes: ${line}.`,
  };
}

/** Keys whose values are words from a list, so that a "#" after them begins a comment. */
const WORDS = new Set(['days', 'start_time', 'end_time', 'timezone', 'status', 'lint']);

/** A body without "|" that goes on below its first line. */
const FOLDED =
  /email_body["']?:[ \t]*(?![|\s&*!])[^\n]*\n\s*(?![\w-]+:\s|- |#)\S|email_body["']?:[ \t]*\r?\n/;

/** Finds plain texts followed by "#" and a character without a space between them, as in `Idea #1`, and folded bodies. */
export function findCutTexts(document: Document, text: string): CutText[] {
  const found: CutText[] = [];
  if (!/[ \t]#[^\s#!]/.test(text) && !FOLDED.test(text)) return found;
  visit(document, {
    Scalar(key, scalar, ancestors) {
      if (key === 'key' || !scalar.range) return;
      const path = pathOf(ancestors, scalar);
      if (path.at(-1) === 'email_body' && isFolded(scalar, text))
        found.push({ path, cut: { kind: 'folded' } });
      const { range, type, value, source } = scalar;
      const isText = type === 'PLAIN' && (typeof value === 'string' || source === '');
      const rest = isText ? commentAt(text, range[1]) : null;
      if (rest !== null && !path.some((part) => WORDS.has(String(part))))
        found.push({ path, cut: { kind: 'comment', written: source ?? '', rest } });
    },
  });
  return found;
}

function isFolded({ value, type, range }: Scalar, text: string): boolean {
  if (typeof value !== 'string' || type === 'BLOCK_LITERAL' || !range) return false;
  const written = text.slice(range[0], range[1]);
  const lines = type === 'BLOCK_FOLDED' ? written.replace(/^[^\n]*\n/, '') : written;
  if (!/\n\s*\S/.test(value)) return /\S[ \t]*\r?\n\s*\S/.test(lines);
  // Of an empty line, YAML keeps only the end of the line before it. Somebody who writes ">" knows that.
  return type !== 'BLOCK_FOLDED' && EMPTY_LINE.test(lines) && !EMPTY_LINE.test(value);
}

/** Between two lines with text. */
const EMPTY_LINE = /\S[ \t]*\r?\n[ \t]*\r?\n\s*\S/;

function commentAt(text: string, end: number): string | null {
  const [space = '', rest] = /^([ \t]*)(#[^\s#!][^\r\n]*)/.exec(text.slice(end, end + 1000))?.slice(1) ?? [];
  const isApart = space !== '' || /[ \t]/.test(text[end - 1] ?? '');
  return rest !== undefined && isApart ? rest.trimEnd() : null;
}
