/** One form for values that are equal in the service. */
import equal from 'fast-deep-equal';
import { isObject, type Json, mapValues } from './json.js';

/** Services trim stored strings and remove some invisible characters at their ends. */
const EDGES = /^[\s\u200b\u200e\ufeff]+|[\s\u200b\u200e\ufeff]+$/g;

/** Line ends, the Unicode form and surrounding white space make no difference. */
export function canonicalText(text: string): string {
  return text.normalize('NFC').replace(/\r\n?/g, '\n').replace(EDGES, '');
}

/** Services add `Re: ` to the subjects of replies in a thread. */
export function withoutReplyPrefix(subject: string): string {
  return subject.replace(/^\s*re:\s*/i, '');
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
