import { isObject, type Json } from '../model/json.js';
import type { Change, SectionName } from '../model/outputs.js';
import { areLong, diffBody, type Piece } from './diffs.js';
import { groupSections, type SectionView } from './plan-view.js';
import { type Paint, type TextOptions, visible, visibleLine } from './terminal.js';
import { count, cut, scheduleLine, short } from './words.js';

/** Characters of a long line that are shown on either side of a change. */
const AROUND = 24;

/** The changes of one campaign as indented lines, a section a block; `left`: sections of which nothing is sent. */
export function changeLines(
  changes: readonly Change[],
  left: readonly SectionName[],
  options: TextOptions,
): string[] {
  return groupSections(changes).flatMap(({ section, changes: own }) =>
    sectionLines({ section, changes: own, sent: !left.includes(section) }, options),
  );
}

/** The changes of one section below its name. */
export function sectionLines(
  { section, changes, sent }: Pick<SectionView, 'section' | 'changes' | 'sent'>,
  { paint, width }: TextOptions,
): string[] {
  const mark = sent ? '' : `  ${paint('red', 'not sent')}`;
  // That a campaign is new stands in its first line.
  if (section === 'campaign')
    return changes.filter(({ kind }) => kind !== 'add').map((change) => `    ${line(change, paint, width)}`);
  if (section === 'status') return changes.map((change) => `    ${status(change, paint)}${mark}`);
  return [
    `    ${paint('bold', section)}${mark}`,
    ...changes.flatMap((change) => describe(change, paint, width)),
  ];
}

function describe(change: Change, paint: Paint, width: number): string[] {
  const { section, path, from, to } = change;
  if (path === '' && isObject(to)) {
    const lines =
      section === 'sequence' ? newSequence(to, paint, width) : [paint('green', `+ ${scheduleLine(to)}`)];
    return lines.map((line, index) => `      ${line}${index === 0 ? note(change, paint) : ''}`);
  }
  if (areLong(from, to)) {
    const lines = textDiff(String(from), String(to), paint, width - 12);
    return [`      ${paint('yellow', '~')} ${label(path)}${note(change, paint)}`, ...lines];
  }
  return [`      ${line(change, paint, width)}${note(change, paint)}`, ...variantLines(change, paint, width)];
}

function status(change: Change, paint: Paint): string {
  return `${paint('bold', 'status')}  ${arrow(change.from ?? 'draft', change.to, paint)}${note(change, paint)}`;
}

function line({ section, path, kind, from, to }: Change, paint: Paint, width: number): string {
  const name = label(path);
  const room = Math.max(30, width - name.length - 12);
  if (section === 'leads') return paint('green', `+ ${leads(path, to)}`);
  if (kind === 'add') return paint('green', `+ ${name}  ${isObject(to) ? email(to, room) : short(to, room)}`);
  if (kind === 'remove')
    return paint('red', `- ${name}  ${isObject(from) ? email(from, room) : short(from, room)}`);
  return `${paint('yellow', '~')} ${name}  ${arrow(from, to, paint)}`;
}

/** The variants that come or go with a whole step. */
function variantLines({ kind, from, to }: Change, paint: Paint, width: number): string[] {
  const step = kind === 'remove' ? from : to;
  if (!isObject(step) || !Array.isArray(step.variants)) return [];
  const [colour, sign] = kind === 'remove' ? (['red', '-'] as const) : (['green', '+'] as const);
  return step.variants
    .filter(isObject)
    .map(
      (variant, at) =>
        `      ${paint(colour, `${sign}    variant ${at + 1}  ${email(variant, width - 30)}`)}`,
    );
}

function arrow(from: Json, to: Json, paint: Paint): string {
  return `${short(from)} ${paint('yellow', '→')} ${short(to)}`;
}

function note({ note }: Change, paint: Paint): string {
  return note === null ? '' : paint('dim', `  (${visibleLine(note)})`);
}

/** `steps[1].variants[0].email_body` → `step 2, variant 1: email_body`. */
export function label(path: string): string {
  const match = /^steps\[(\d+)\](?:\.variants\[(\d+)\])?(?:\.(.+))?$/.exec(path);
  if (!match) return path;
  const [, step, variant, field] = match;
  const place =
    variant === undefined
      ? `step ${Number(step) + 1}`
      : `step ${Number(step) + 1}, variant ${Number(variant) + 1}`;
  return field === undefined ? place : `${place}: ${field}`;
}

function leads(path: string, to: Json): string {
  const ids = Array.isArray(to) ? to : [];
  const noun = path === 'lists' ? 'lead list' : 'individual lead';
  return `${count(ids.length, noun)}  ${short(ids)}`;
}

function newSequence({ title, steps }: { [key: string]: Json }, paint: Paint, width: number): string[] {
  const list = Array.isArray(steps) ? steps.filter(isObject) : [];
  const lines = list.flatMap((step, index) => {
    const variants = Array.isArray(step.variants) ? step.variants.filter(isObject) : [];
    return [
      paint('green', `+ ${index + 1}. ${email(step, width - 14)}`),
      ...variants.map((variant, at) =>
        paint('green', `+    variant ${at + 1}  ${email(variant, width - 24)}`),
      ),
    ];
  });
  return [paint('green', `+ "${short(title ?? null)}", ${count(list.length, 'email')}`), ...lines];
}

/** Subject, how it is sent, and the beginning of the body. */
function email(value: { [key: string]: Json }, width: number): string {
  const { email_subject, email_body, wait_in_days, thread_reply } = value;
  const how = [
    ...(thread_reply === true ? ['as a reply'] : []),
    `then ${count(Number(wait_in_days), 'day')} wait`,
  ].join(', ');
  const head = `${visibleLine(String(email_subject))}  (${how})`;
  const words = visibleLine(
    String(email_body)
      .replace(/<[^<>]*>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  );
  const room = width - head.length - 3;
  return room < 12 ? cut(head, Math.max(width, 20)) : `${head}  ${cut(words, room)}`;
}

/** Changed lines of a long text with one line around them; of a line that is too long, what is around its changes. */
function textDiff(from: string, to: string, paint: Paint, width: number): string[] {
  return diffBody(from, to, 1).flatMap((row) => {
    if (row.kind === 'folded') return [paint('dim', '          …')];
    const has = (kind: Piece['kind']) => row.pieces.some((piece) => piece.kind === kind);
    if (!has('removed') && !has('added')) return [paint('dim', `            ${excerpt(row.pieces, width)}`)];
    const side = (kind: 'removed' | 'added', sign: string) =>
      row.pieces.every((piece) => piece.kind !== 'same' && piece.kind !== kind)
        ? []
        : [
            `          ${sign} ${excerpt(
              row.pieces.filter((piece) => piece.kind === 'same' || piece.kind === kind),
              width,
            )}`,
          ];
    return [
      ...side('removed', '-').map((line) => paint('red', line)),
      ...side('added', '+').map((line) => paint('green', line)),
    ];
  });
}

/** What a line says, cut in the stretches that do not change if it is longer than `width`. */
function excerpt(pieces: readonly Piece[], width: number): string {
  const length = pieces.reduce((sum, { text }) => sum + text.length, 0);
  if (length <= width) return visible(pieces.map(({ text }) => text).join(''));
  const parts = pieces.map(({ kind, text }, index) => {
    if (kind !== 'same') return text;
    const start = index === 0 ? '' : text.slice(0, AROUND);
    const end = index === pieces.length - 1 ? '' : text.slice(-AROUND);
    return text.length <= 2 * AROUND ? text : `${start}…${end}`;
  });
  return visible(pieces.length === 1 ? cut(parts.join(''), width) : parts.join(''));
}
