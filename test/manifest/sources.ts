import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { spec } from '../support/specs.js';

const ROOT = join(import.meta.dirname, '../..');

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

function yamlIn(page: string): string[] {
  return Array.from(read(page).matchAll(/```yaml\n([\s\S]*?)```/g), ([, text = '']) => text);
}

const EXAMPLES = readdirSync(join(ROOT, 'examples'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.yaml'))
  .sort()
  .map((file) => read(join('examples', file)));
const TEXTS = [...['README.md', 'docs/manifests.md', 'docs/changing-copy.md'].flatMap(yamlIn), ...EXAMPLES];

const isProject = (text: string) => /^version: 1$/m.test(text);
const isManifest = (text: string) => !isProject(text) && /^name: /m.test(text);
const isPiece = (text: string) => !isProject(text) && !isManifest(text) && /^(title|days): /m.test(text);

export interface Source {
  kind: 'manifest' | 'piece' | 'project';
  text: string;
}

/** Files of the documentation and of the examples. */
export const WRITTEN: readonly Source[] = TEXTS.flatMap((text): Source[] => {
  if (isProject(text)) return [{ kind: 'project', text }];
  if (isPiece(text)) return [{ kind: 'piece', text }];
  return isManifest(text) ? [{ kind: 'manifest', text }] : [];
});

const withoutReturns = (value: object): object => JSON.parse(JSON.stringify(value).replaceAll('\\r', ''));

/** Manifests in other styles: four spaces, dashes at the column of their key, lists on several lines. */
const generated: fc.Arbitrary<Source> = fc
  .record({ value: spec, indent: fc.constantFrom(2, 4), indentSeq: fc.boolean() })
  .map(({ value, ...style }) => ({
    kind: 'manifest',
    text: stringify(withoutReturns({ ...value, name: 'Spring' }), {
      ...style,
      lineWidth: 0,
      blockQuote: 'literal',
    }),
  }));

export const source: fc.Arbitrary<Source> = fc.oneof(
  { arbitrary: fc.constantFrom(...WRITTEN), weight: 2 },
  { arbitrary: generated, weight: 1 },
);
