import type { JsonObject } from '../json.js';

/** The properties of an object by name. A string stands for a text and describes it. */
export type Properties = { [name: string]: JsonObject | string };

/** An object with these properties, all required, and possibly others. */
export function open(properties: Properties, optional: Properties = {}): JsonObject {
  const schemas = Object.entries({ ...properties, ...optional }).map(([name, property]) => [
    name,
    typeof property === 'string' ? text(property) : property,
  ]);
  return { type: 'object', required: Object.keys(properties), properties: Object.fromEntries(schemas) };
}

export function text(description: string): JsonObject {
  return { type: 'string', description };
}

export function textOrNull(description: string): JsonObject {
  return { type: ['string', 'null'], description };
}

export function integer(description: string, minimum?: number): JsonObject {
  return { type: 'integer', ...(minimum === undefined ? {} : { minimum }), description };
}

export function integerOrNull(description: string): JsonObject {
  return { type: ['integer', 'null'], description };
}

export function oneOf(description: string, words: readonly string[]): JsonObject {
  return { type: 'string', enum: [...words], description };
}

export function listOf(items: JsonObject, description: string): JsonObject {
  return { type: 'array', description, items };
}
