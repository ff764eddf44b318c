import type { JsonObject } from '../json.js';

/** Definitions by the name of their type; what one says of another is `ref('Name')`. */
export type Definitions = Record<string, JsonObject>;

/** Another definition, by the name of its type. */
export function ref(name: string): JsonObject {
  return { $ref: `#/definitions/${name}` };
}

/** An object with exactly these properties, all of them always there. */
export function closed(description: string, properties: { [name: string]: JsonObject }): JsonObject {
  return {
    type: 'object',
    description,
    additionalProperties: false,
    required: Object.keys(properties),
    properties,
  };
}

export function text(description: string): JsonObject {
  return { type: 'string', description };
}

export function integer(description: string, least?: number): JsonObject {
  return { type: 'integer', ...(least === undefined ? {} : { minimum: least }), description };
}

export function boolean(description: string): JsonObject {
  return { type: 'boolean', description };
}

export function oneOf(description: string, words: readonly string[]): JsonObject {
  return { type: 'string', enum: [...words], description };
}

/** Any JSON value, or an object of any: `tsType` is what the generated types say for it and is never published. */
export function json(description: string): JsonObject {
  return { description, tsType: 'Json' };
}
export function bodyOrNull(description: string): JsonObject {
  return { type: ['object', 'null'], description, tsType: 'JsonObject | null' };
}

/** An object of counts. */
export function counts(description: string, descriptions: { [name: string]: string }): JsonObject {
  const each = Object.entries(descriptions).map(([name, said]) => [name, integer(said, 0)]);
  return closed(description, Object.fromEntries(each));
}

export function listOf(items: JsonObject, description: string): JsonObject {
  return { type: 'array', description, items };
}

export function orNull(schema: JsonObject, said?: string): JsonObject {
  const { description = said ?? '', ...rest } = schema;
  return { description, anyOf: [rest, { type: 'null' }] };
}

export const textOrNull = (description: string): JsonObject => ({ type: ['string', 'null'], description });
export const integerOrNull = (description: string): JsonObject => ({
  type: ['integer', 'null'],
  description,
});

/** The version of every format that is printed for machines. */
export const version: JsonObject = { type: 'integer', const: 1, description: 'Version of this format.' };
