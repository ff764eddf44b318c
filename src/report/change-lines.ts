import { structuredPatch } from 'diff';
import type { Change } from '../model/change.js';
import { isObject, type Json } from '../model/json.js';
import type { Paint } from './paint.js';
import { scheduleLine, short } from './values.js';
import { visible, visibleLine } from './visible.js';
import { count, cut } from './words.js';

/** The changes of one campaign as indented lines, an aspect a block. `width` is that of the terminal. */
export function changeLines(changes: readonly Change[], paint: Paint, width: number): string[] {
  return changes.flatMap((change, index) => {
    const opens = changes[index - 1]?.aspect !== change.aspect;
    return describe(change, opens, paint, width);
  });
}

function describe(change: Change, opens: boolean, paint: Paint, width: number): string[] {
  const { aspect, path, from, to } = change;
  if (aspect === 'campaign') return [];
  if (aspect === 'status')
    return [`    ${paint('bold', 'status')}  ${arrow(from ?? 'draft', to, paint)}${note(change, paint)}`];
  const heading = opens ? [`    ${paint('bold', aspect)}`] : [];
  if (path === '' && isObject(to)) {
    const lines =
      aspect === 'sequence' ? newSequence(to, paint, width) : [paint('green', `+ ${scheduleLine(to)}`)];
    return [...heading, ...lines.map((line) => `      ${line}`)];
  }
  if (typeof from === 'string' && typeof to === 'string' && /[\r\n]/.test(from + to)) {
    return [...heading, `      ${paint('yellow', '~')} ${label(path)}`, ...textDiff(from, to, paint)];
  }
  return [
    ...heading,
    `      ${line(change, paint, width)}${note(change, paint)}`,
    ...variantLines(change, paint, width),
  ];
}

function line({ aspect, path, kind, from, to }: Change, paint: Paint, width: number): string {
  const name = label(path);
  const room = Math.max(30, width - name.length - 12);
  if (aspect === 'leads') return paint('green', `+ ${leads(path, to)}`);
  if (kind === 'add') return paint('green', `+ ${name}  ${isObject(to) ? email(to, room) : short(to, room)}`);
  if (kind === 'drop')
    return paint('red', `- ${name}  ${isObject(from) ? email(from, room) : short(from, room)}`);
  return `${paint('yellow', '~')} ${name}  ${arrow(from, to, paint)}`;
}

/** The variants that come or go with a whole step. */
function variantLines({ kind, from, to }: Change, paint: Paint, width: number): string[] {
  const step = kind === 'drop' ? from : to;
  if (!isObject(step) || !Array.isArray(step.variants)) return [];
  const [colour, sign] = kind === 'drop' ? (['red', '-'] as const) : (['green', '+'] as const);
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
  return note === null ? '' : paint('dim', `  (${note})`);
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
  const noun = path === 'lists' ? 'lead list' : 'single lead';
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

/** Changed lines of a long text with one line around them. */
function textDiff(from: string, to: string, paint: Paint): string[] {
  const ended = (text: string) => `${text.replace(/\r\n?/g, '\n').trim()}\n`;
  const { hunks } = structuredPatch('', '', ended(from), ended(to), '', '', { context: 1 });
  return hunks.flatMap((hunk, index) => [
    ...(index > 0 ? [paint('dim', '          …')] : []),
    ...hunk.lines.map((text) => {
      const shown = `          ${text.slice(0, 1)} ${visible(text.slice(1))}`;
      return text.startsWith('+')
        ? paint('green', shown)
        : text.startsWith('-')
          ? paint('red', shown)
          : paint('dim', shown);
    }),
  ]);
}
