import type { Answer } from '../../model/answer.js';
import type { ContentSequence } from '../../model/content.js';
import { UnreadableAnswer } from '../../model/failure.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import type { CampaignSpec, ResolvedStep, ResolvedVariant } from '../../model/spec.js';
import { boolean, type Fields, integer, needed, record, seen, text, unreadable } from '../decode.js';
import type { CampaignContext } from '../section.js';

/** One email: what step and variant have in common. Texts are as written or as stored; `diff` compares them canonically. */
export interface Email {
  email_subject: string;
  email_body: string;
  wait_in_days: number;
  thread_reply: boolean;
}
export interface DesiredStep extends Email {
  variants: Email[];
}
export interface Desired {
  title: string;
  steps: DesiredStep[];
}

export interface LiveEmail extends Email {
  id: number;
}
export interface LiveStep extends LiveEmail {
  variants: LiveEmail[];
}
/** `title` is null where the service does not show it. No steps: there is no sequence. */
export interface Live {
  title: string | null;
  steps: LiveStep[];
}

export function normalize(spec: CampaignSpec): Desired | null {
  const { sequence } = spec;
  if (sequence === undefined) return null;
  return { title: sequence.title, steps: sequence.steps.map(desiredStep) };
}

function desiredStep(step: ResolvedStep): DesiredStep {
  const { email_subject, email_body, wait_in_days, thread_reply = false, variants = [] } = step;
  const email = { email_subject, email_body, wait_in_days, thread_reply };
  return { ...email, variants: variants.map((variant) => ({ ...email, ...ownFields(variant) })) };
}

function ownFields(variant: ResolvedVariant): Partial<Email> {
  const { email_subject, email_body, wait_in_days, thread_reply } = variant;
  return {
    email_subject,
    email_body,
    ...(wait_in_days === undefined ? {} : { wait_in_days }),
    ...(thread_reply === undefined ? {} : { thread_reply }),
  };
}

/** A row of the answer: a base step, or a variant with `parent`: the id (or order) it refers to. */
interface Row {
  fields: Fields;
  id: number;
  order: number | null;
  parent: number | null;
}

/**
 * Rows come in any order: base steps are sorted by `order`, or by id where one has none. Variants hang on the base
 * step that `variant_from_step` names: by id if that fits all of them, else by order.
 */
export function decode(context: CampaignContext): Live {
  const answer = context.answers?.sequence ?? null;
  if (answer === null || answer.none) return { title: null, steps: [] };
  const body = record(answer);
  const rows = readRows(answer, body.steps);
  const base = sortedBase(rows.filter(({ parent }) => parent === null));
  const variants = rows.filter(({ parent }) => parent !== null).sort((a, b) => a.id - b.id);
  const byId = variants.every(({ parent }) => base.some(({ id }) => id === parent));
  const steps = base.map((step) => ({
    ...email(step.fields, null),
    id: step.id,
    variants: [] as LiveEmail[],
  }));
  for (const variant of variants) {
    const parent = steps[base.findIndex((step) => (byId ? step.id : step.order) === variant.parent)];
    if (parent === undefined) {
      throw unreadable(variant.fields, 'variant_from_step', 'it names no step of this sequence');
    }
    parent.variants.push({ ...email(variant.fields, parent), id: variant.id });
  }
  return { title: text({ endpoint: answer.endpoint, record: body, at: '' }, 'title'), steps };
}

function readRows({ endpoint }: Answer, list: Json | undefined): Row[] {
  if (!Array.isArray(list)) throw new UnreadableAnswer(endpoint, 'a list of steps was expected', seen(list));
  return list.map((entry, index) => {
    const at = `sequence_steps[${index}]`;
    if (isObject(entry)) return row({ endpoint, record: entry, at: `${at}.` });
    throw new UnreadableAnswer(endpoint, `${at}: a step was expected`, seen(entry));
  });
}

function row(fields: Fields): Row {
  const reference = integer(fields, 'variant_from_step') || null;
  const isVariant = boolean(fields, 'variant') ?? reference !== null;
  if (isVariant && reference === null) throw unreadable(fields, 'variant_from_step', 'a variant needs it');
  return {
    fields,
    id: needed(integer(fields, 'id'), fields, 'id'),
    order: integer(fields, 'order'),
    parent: isVariant ? reference : null,
  };
}

function sortedBase(base: readonly Row[]): Row[] {
  const ordered = base.every(({ order }) => order !== null);
  return [...base].sort((a, b) => (ordered ? (a.order ?? 0) - (b.order ?? 0) : 0) || a.id - b.id);
}

/** A variant may leave wait and thread to its step. */
function email(fields: Fields, parent: Email | null): Email {
  return {
    email_subject: copy(fields, 'email_subject'),
    email_body: copy(fields, 'email_body'),
    wait_in_days: needed(
      integer(fields, 'wait_in_days') ?? parent?.wait_in_days ?? null,
      fields,
      'wait_in_days',
    ),
    thread_reply: needed(
      boolean(fields, 'thread_reply') ?? parent?.thread_reply ?? null,
      fields,
      'thread_reply',
    ),
  };
}

/** Services turn empty texts into null; a field that is not there at all cannot be read. */
function copy(fields: Fields, name: string): string {
  return fields.record[name] === null ? '' : needed(text(fields, name), fields, name);
}

/** Plain JSON of a desired or live email, for a change. */
export function emailJson(value: Email): JsonObject {
  const { email_subject, email_body, wait_in_days, thread_reply } = value;
  return { email_subject, email_body, wait_in_days, thread_reply };
}

/** The live sequence as views show it, without ids; null where there is none. */
export function liveView({ title, steps }: Live): ContentSequence | null {
  const shown = steps.map(({ id: _id, variants, ...step }) => ({
    ...step,
    variants: variants.map(({ id: _variant, ...variant }) => variant),
  }));
  return steps.length === 0 ? null : { title, steps: shown };
}
