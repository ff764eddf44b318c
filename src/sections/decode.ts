import equal from 'fast-deep-equal';
import type { Answer } from '../model/answer.js';
import { UnreadableAnswer } from '../model/failure.js';
import { isObject, type Json, type JsonObject, wholeNumber } from '../model/json.js';

/**
 * Reads single fields of an answer in every form in which services send them: numbers as strings, booleans as 0/1
 * or words. What cannot be read is an `UnreadableAnswer` that names endpoint, field and what was seen.
 */
export interface Fields {
  endpoint: string;
  record: JsonObject;
  /** Prefix of field names in messages, such as `sequence_steps[0].`. */
  at: string;
}

/** The fields of an answer's record, or an error: the campaign is known to exist, so its record must be there. */
export function fieldsOf({ endpoint, body }: Answer): Fields {
  if (isObject(body)) return { endpoint, record: body, at: '' };
  throw new UnreadableAnswer(endpoint, 'a record was expected', seen(body));
}

export function integer(fields: Fields, name: string): number | null {
  const value = fields.record[name];
  if (value === null || value === undefined || value === '') return null;
  const number = wholeNumber(value);
  if (number !== null) return number;
  throw unreadable(fields, name, 'a whole number was expected');
}

export function boolean(fields: Fields, name: string): boolean | null {
  const value = fields.record[name];
  if (value === null || value === undefined || value === '') return null;
  if (typeof value === 'boolean') return value;
  const word = typeof value === 'object' ? '' : String(value).trim().toLowerCase();
  if (word === '1' || word === 'true') return true;
  if (word === '0' || word === 'false') return false;
  throw unreadable(fields, name, 'true or false was expected');
}

export function text(fields: Fields, name: string): string | null {
  const value = fields.record[name];
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  throw unreadable(fields, name, 'a text was expected');
}

/** A text that says something; null where it is empty. */
export function shownText(fields: Fields, name: string): string | null {
  const said = text(fields, name);
  return said?.trim() ? said : null;
}

/** Turns a null from one of the readers above into an error: the field is needed. */
export function needed<T>(value: T | null, fields: Fields, name: string): T {
  if (value === null) throw unreadable(fields, name, 'it is missing');
  return value;
}

export function unreadable(fields: Fields, name: string, reason: string): UnreadableAnswer {
  return new UnreadableAnswer(
    fields.endpoint,
    `field ${fields.at}${name}: ${reason}`,
    seen(fields.record[name]),
  );
}

/** What was seen, short enough for a message. */
export function seen(value: Json | undefined): string {
  if (value === undefined) return 'no such field';
  const shown = JSON.stringify(value);
  return shown.length > 80 ? `${shown.slice(0, 77)}...` : shown;
}

/** Servers trim what they store, some with the invisible characters that look like white space. */
const EDGES = /^[\s\u200b\u200e\ufeff]+|[\s\u200b\u200e\ufeff]+$/g;

/** The canonical form of a text: one kind of line end, no white space around the whole. */
export function canonicalText(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(EDGES, '');
}

/** Whether two values are equal, texts in their canonical form. */
export function isSameValue(one: Json | undefined, other: Json | undefined): boolean {
  if (typeof one === 'string' && typeof other === 'string')
    return canonicalText(one) === canonicalText(other);
  return equal(one, other);
}
