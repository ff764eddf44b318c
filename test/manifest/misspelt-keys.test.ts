import { expect, test } from 'vitest';
import { manifestSchema } from '../../src/manifest/schema.js';
import { validate, validateManifest } from '../../src/manifest/validate.js';
import { isObject, type Json, type JsonObject, objectAt } from '../../src/model/json.js';
import { projectSchema } from '../../src/project/schema.js';
import { validate as projectValidator } from '../../src/project/validator.generated.js';

/** Each known key in each section of a file, misspelt. */
interface Misspelt {
  section: string;
  key: string;
  written: string;
  value: Json;
}

function misspellings(root: JsonObject): Misspelt[] {
  const found: Misspelt[] = [];
  const visit = (part: Json, wrap: (inner: Json) => Json, path: string): void => {
    if (!isObject(part)) return;
    if (typeof part.$ref === 'string') {
      const name = part.$ref.split('/').at(-1) ?? '';
      visit(objectAt(objectAt(root, 'definitions'), name), wrap, path);
      return;
    }
    const properties = objectAt(part, 'properties');
    for (const [key, property] of Object.entries(properties)) {
      if (key.length > 3) {
        const written = `${key.slice(0, 2)}${key.slice(3)}`;
        const examples = isObject(property) && Array.isArray(property.examples) ? property.examples : [];
        const [value = 'x'] = examples;
        found.push({ section: path, key, written, value: wrap({ [written]: value }) });
      }
      visit(property, (inner) => wrap({ [key]: inner }), `${path}.${key}`);
    }
    for (const form of [part.oneOf ?? [], part.anyOf ?? []].flat()) visit(form, wrap, path);
    visit(part.items ?? null, (inner) => wrap([inner]), `${path}[]`);
    visit(part.additionalProperties ?? null, (inner) => wrap({ live: inner }), `${path}.<name>`);
  };
  visit(root, (inner) => inner, '');
  return found;
}

const SCHEMAS = {
  manifest: { schema: manifestSchema, check: (value: Json) => validateManifest(value) },
  project: {
    schema: projectSchema,
    check: (value: Json) =>
      validate(value, { validator: projectValidator, schema: projectSchema, copy: [] }, null),
  },
};

test.each(Object.entries(SCHEMAS))(
  'a misspelt key is recognised in every section of a %s',
  (_, { schema, check }) => {
    const all = misspellings(schema);
    expect(all.length).toBeGreaterThan(40);
    const missed = all.filter(({ key, value }) => !check(value).some(({ hint }) => hint.includes(key)));
    expect(missed.map(({ section, written }) => `${section}: ${written}`)).toEqual([]);
  },
);
