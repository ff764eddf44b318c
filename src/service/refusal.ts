import { isObject, type Json, type JsonObject } from '../model/json.js';

/** `success: false` in an answer, and what it says about it, empty where it says nothing. */
export interface Refusal {
  message: string;
}

/** Finds `success: false` at the root, under `data` or under `result`; it counts whatever the status is. */
export function findRefusal(body: Json | undefined): Refusal | null {
  const layers = layersOf(body);
  if (!layers.some((layer) => isFalse(layer.success))) return null;
  return { message: layers.map(messageIn).find((message) => message !== '') ?? '' };
}

/**
 * Whether the refusal says that there is nothing, and not that something went wrong: "Schedule does not exist for
 * Error hunters" does, "Too many requests for No Limits" does not. Saying nothing at all counts as well.
 */
export function saysNothing({ message }: Refusal): boolean {
  if (message === '') return true;
  // What is quoted or follows "for" is a name that somebody chose, so its words tell nothing.
  const said = message.replace(QUOTED, '').split(/\bfor\s|:/i)[0] ?? '';
  return NEGATION.test(said) && !TROUBLE.test(said);
}

const QUOTED = /"[^"]*"|“[^”]*”|«[^»]*»|`[^`]*`|(?<!\w)'[^']*'(?!\w)/g;
const NEGATION = /\b(?:no|not|none|nothing|never|without|missing|empty|yet|\w+n['’]t)\b/i;
const TROUBLE =
  /\brates?\b|limit|too many|throttl|permi|author|authent|forbid|denied|allow|access|token|credential|expired|session|error|fail|exception|\bagain|\blater|temporar|unavailable|not available|time[d -]*out|maintenance|server|service|busy|connect|database|internal|subscription|payment|suspend|invalid|unable|could not|cannot/i;

/**
 * What a refusing answer says: its message and the messages of its fields, `fallback` where it says nothing.
 * Shapes: `message`, `error`, `detail`, `errors: {field: [text]}`, each at the root or under `data`.
 */
export function refusalMessage(body: Json | undefined, fallback: string): string {
  const layers = layersOf(body);
  const message = layers.map(messageIn).find((text) => text !== '') ?? '';
  const fields = layers.flatMap((layer) => fieldMessages(layer.errors));
  const more = fields.filter(({ text }) => !message.includes(text));
  const parts = [message, ...more.map(({ field, text }) => (field === '' ? text : `${field}: ${text}`))];
  return parts.filter((part) => part !== '').join('; ') || fallback;
}

function layersOf(body: Json | undefined): JsonObject[] {
  if (!isObject(body)) return [];
  return [body, ...layersOf(body.data), ...layersOf(body.result)];
}

function messageIn(layer: JsonObject): string {
  const { message, error, detail } = layer;
  const nested = isObject(error) ? error.message : error;
  return (
    [message, nested, detail].find(
      (text): text is string => typeof text === 'string' && text.trim() !== '',
    ) ?? ''
  );
}

function fieldMessages(errors: Json | undefined): { field: string; text: string }[] {
  if (typeof errors === 'string') return [{ field: '', text: errors }];
  if (typeof errors !== 'object' || errors === null) return [];
  const list = Array.isArray(errors);
  return Object.entries(errors).flatMap(([field, said]) =>
    (Array.isArray(said) ? said : [said])
      .map((one) => (isObject(one) ? one.message : one))
      .filter((text) => typeof text === 'string')
      .map((text) => ({ field: list ? '' : field, text })),
  );
}

function isFalse(value: Json | undefined): boolean {
  return value === false || value === 0 || value === '0' || value === 'false';
}
