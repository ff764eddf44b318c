import type { JsonObject } from '../json.js';

/** By name. A string is the description of a text. */
export type Properties = { [name: string]: JsonObject | string };

/** An object with these required properties, and possibly others. */
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

export function choice(description: string, words: readonly string[]): JsonObject {
  return { type: 'string', enum: [...words], description };
}
