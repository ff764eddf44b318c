import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { generated } from '../../../scripts/generated.js';
import { isObject, type Json, type JsonObject } from '../../../src/model/json.js';

function read(file: string): string {
  return readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');
}

test('the generated files are what `npm run generate` writes', async () => {
  const files: Record<string, string> = await generated();
  const tree = Object.fromEntries(Object.keys(files).map((file) => [file, read(file)]));
  expect(tree).toEqual(files);
});

/** All properties and definitions of a schema, by path. References are checked as definitions. */
function propertiesOf(schema: Json, path: string): [path: string, property: JsonObject][] {
  if (Array.isArray(schema)) return schema.flatMap((part, index) => propertiesOf(part, `${path}/${index}`));
  if (!isObject(schema)) return [];
  return Object.entries(schema).flatMap(([key, part]): [string, JsonObject][] => {
    const inner = propertiesOf(part, `${path}/${key}`);
    return (key === 'properties' || key === 'definitions') && isObject(part) && !path.endsWith('/examples')
      ? [
          ...Object.entries(part).flatMap(([name, property]) =>
            isObject(property) && property.$ref === undefined
              ? [[`${path}/${name}`, property] satisfies [string, JsonObject]]
              : [],
          ),
          ...inner,
        ]
      : inner;
  });
}

test.each(
  ['campaign', 'project', 'extends', 'sequence', 'schedule'].map((name) => `schemas/${name}.schema.json`),
)('every property of %s has a description and valid examples', (file) => {
  const ajv = new Ajv({ strict: false });
  const root = JSON.parse(read(file));
  const { definitions = {} } = root;
  const properties = propertiesOf(root, '');
  expect(properties.length).toBeGreaterThan(5);
  const poor = properties.filter(([, { description, examples }]) => {
    return (
      typeof description !== 'string' ||
      description === '' ||
      !Array.isArray(examples) ||
      examples.length === 0
    );
  });
  expect(poor.map(([path]) => path)).toEqual([]);
  const wrong = properties.filter(
    ([, { examples, ...schema }]) =>
      Array.isArray(examples) &&
      !examples.every((example) => ajv.validate({ ...schema, definitions }, example)),
  );
  expect(wrong.map(([path]) => path)).toEqual([]);
});

test.each(['src/state/validators.generated.js', 'src/plan/validators.generated.js'])(
  '%s needs no other module when it runs',
  (file) => {
    expect(read(file)).not.toMatch(
      /^\s*import\b|(?<!["'/])\bfrom\s*["']|[^.]\brequire\((?!"ajv\/dist\/runtime\/ucs2length"\)\.default')/m,
    );
  },
);
