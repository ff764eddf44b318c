import equal from 'fast-deep-equal';
import type { Answer } from '../model/answer.js';
import { leaked, UnreadableAnswer } from '../model/failure.js';
import { isObject, type Json, type JsonObject, mapValues, wholeNumber } from '../model/json.js';

/**
 * Reads fields in all formats that services send: numbers as strings, booleans as 0/1 or words. Throws `UnreadableAnswer`
 * for any other format.
 */
export interface Fields {
  endpoint: string;
  record: JsonObject;
  /** Prefix of field names in messages, such as `sequence_steps[0].`. */
  at: string;
}

/** Fails if there is no record, because the campaign is known to exist. */
export function decodeFields({ endpoint, body }: Answer): Fields {
  if (isObject(body)) return { endpoint, record: body, at: '' };
  throw new UnreadableAnswer(endpoint, 'expected an object', seen(body));
}

/** Like `decodeFields`, for a record whose texts are compared or copied. */
export function decodeContent(answer: Answer): Fields {
  if (answer.leak !== undefined) throw leaked(answer.endpoint, answer.leak);
  return decodeFields(answer);
}

export function integer(fields: Fields, name: string): number | null {
  const value = fields.record[name];
  if (value === null || value === undefined || value === '') return null;
  const number = wholeNumber(value);
  if (number !== null) return number;
  throw unreadable(fields, name, 'expected an integer');
}

export function boolean(fields: Fields, name: string): boolean | null {
  const value = fields.record[name];
  if (value === null || value === undefined || value === '') return null;
  if (typeof value === 'boolean') return value;
  const word = typeof value === 'object' ? '' : String(value).trim().toLowerCase();
  if (word === '1' || word === 'true') return true;
  if (word === '0' || word === 'false') return false;
  throw unreadable(fields, name, 'expected true or false');
}

export function text(fields: Fields, name: string): string | null {
  const value = fields.record[name];
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  throw unreadable(fields, name, 'expected a string');
}

export function shownText(fields: Fields, name: string): string | null {
  const value = text(fields, name);
  return value?.trim() ? value : null;
}

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

export function seen(value: Json | undefined): string {
  if (value === undefined) return 'no such field';
  const shown = JSON.stringify(value);
  return shown.length > 80 ? `${shown.slice(0, 77)}...` : shown;
}

/** Services trim stored strings and remove some invisible characters at their ends. */
const EDGES = /^[\s\u200b\u200e\ufeff]+|[\s\u200b\u200e\ufeff]+$/g;

/** Line ends, the Unicode form and surrounding white space make no difference. */
export function canonicalText(text: string): string {
  return text.normalize('NFC').replace(/\r\n?/g, '\n').replace(EDGES, '');
}

export function canonicalValue(value: Json): Json {
  if (typeof value === 'string') return canonicalText(value);
  if (Array.isArray(value)) return value.map(canonicalValue);
  return isObject(value) ? mapValues(value, canonicalValue) : value;
}

export function isSameValue(a: Json | undefined, b: Json | undefined): boolean {
  if (typeof a === 'string' && typeof b === 'string') return canonicalText(a) === canonicalText(b);
  return equal(a, b);
}
