import type { JsonObject } from '../../model/json.js';

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

export function oneOf(description: string, words: readonly string[]): JsonObject {
  return { type: 'string', enum: [...words], description };
}

export function counts(descriptions: { [name: string]: string }): { [name: string]: JsonObject } {
  return Object.fromEntries(
    Object.entries(descriptions).map(([name, description]) => [
      name,
      { type: 'integer', minimum: 0, description },
    ]),
  );
}

export function listOf(item: JsonObject | string, description: string): JsonObject {
  return {
    type: 'array',
    description,
    items: typeof item === 'string' ? { $ref: `#/definitions/${item}` } : item,
  };
}

export function orNull(schema: JsonObject): JsonObject {
  const { description = '', ...rest } = schema;
  return { description, anyOf: [rest, { type: 'null' }] };
}

/** A published schema: what it describes, under its file name and the name of its type. */
export function published(name: string, title: string, schema: JsonObject): JsonObject {
  return { $schema: 'http://json-schema.org/draft-07/schema#', $id: `${name}.schema.json`, title, ...schema };
}

export const textOrNull = (description: string): JsonObject => ({ type: ['string', 'null'], description });
export const numberOrNull = (description: string): JsonObject => ({ type: ['integer', 'null'], description });
