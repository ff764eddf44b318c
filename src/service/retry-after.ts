import { isObject, type Json } from '../model/json.js';
import type { AnswerHeaders } from './exchange.js';

/**
 * Milliseconds that the service asks to wait: header `Retry-After` in seconds or as a date, else `retry_after` of the
 * body in seconds. Null where it asks nothing or what has passed.
 */
export function readRetryAfter(headers: AnswerHeaders, body: Json | undefined, now: number): number | null {
  const header = headers['retry-after'];
  const text = (Array.isArray(header) ? header[0] : header)?.trim() ?? '';
  const asked = text === '' ? bodySeconds(body) * 1000 : headerMilliseconds(text, now);
  return asked > 0 ? asked : null;
}

function headerMilliseconds(text: string, now: number): number {
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
}

function bodySeconds(body: Json | undefined): number {
  if (!isObject(body)) return Number.NaN;
  return Number(body.retry_after ?? (isObject(body.data) ? body.data.retry_after : Number.NaN));
}
