import { UnreadableAnswer } from '../model/failure.js';
import { excerpt, type JsonObject, wholeNumber } from '../model/json.js';

/**
 * Reads fields in all formats that services send: numbers as strings, booleans as 0/1 or words. Throws `UnreadableAnswer` for
 * any other format.
 */
export interface Fields {
  endpoint: string;
  record: JsonObject;
  /** Prefix of field names in messages, such as `sequence_steps[0].`. */
  at: string;
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
    excerpt(fields.record[name]),
  );
}
