import type { JsonObject } from '../json.js';

/** Definitions by the name of their type; `ref('Name')` refers to one. */
export type Definitions = Record<string, JsonObject>;

/** The properties of an object by name. A string stands for a text and describes it. */
export type Properties = { [name: string]: JsonObject | string };

export function ref(name: string): JsonObject {
  return { $ref: `#/definitions/${name}` };
}

/** An object with these properties, all required, and possibly others. */
export function open(properties: Properties, optional: Properties = {}): JsonObject {
  const schemas = Object.entries({ ...properties, ...optional }).map(([name, property]) => [
    name,
    typeof property === 'string' ? text(property) : property,
  ]);
  return { type: 'object', required: Object.keys(properties), properties: Object.fromEntries(schemas) };
}

/** An object with exactly these properties; all but the `optional` ones are required. */
export function closed(description: string, properties: Properties, optional: Properties = {}): JsonObject {
  const { type = '', ...rest } = open(properties, optional);
  return { type, description, additionalProperties: false, ...rest };
}

/** A whole output of a command. */
export function output(description: string, properties: Properties): JsonObject {
  return closed(description, { version, ...properties });
}

/** The version of every format that is printed for machines. */
export const version: JsonObject = { type: 'integer', const: 1, description: 'Version of this format.' };

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

export function boolean(description: string): JsonObject {
  return { type: 'boolean', description };
}

export function oneOf(description: string, words: readonly string[]): JsonObject {
  return { type: 'string', enum: [...words], description };
}

/** Any JSON value. `tsType` is what the generated types say for it and is never published. */
export function json(description: string): JsonObject {
  return { description, tsType: 'Json' };
}

export function bodyOrNull(description: string): JsonObject {
  return { type: ['object', 'null'], description, tsType: 'JsonObject | null' };
}

/** An object of counts: name → description. */
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
