/** Sets single values in YAML and keeps every other byte. Parses the result after each edit. */
import equal from 'fast-deep-equal';
import { Composer, CST, isMap, isNode, isScalar, Parser, type Scalar } from 'yaml';
import { composeYaml, parseYaml } from '../manifest/parse.js';
import { isObject, type Json } from '../model/json.js';
import type { Path, Place } from '../model/outputs.js';
import { blockYaml, isVisible, quotedText } from './write.js';

type Position = Pick<Place, 'document' | 'path'>;
type SingleValue = Exclude<Json, object>;

/** Replaces a scalar in its style; `null` if that is impossible, or if aliases share the value. */
export function setScalar(text: string, position: Position, value: SingleValue): string | null {
  const isCrlf = !/(?<!\r)\n/.test(text);
  const written = (type: Scalar.Type | null): string | null => {
    const tokens = [...new Parser().parse(text)];
    const document = [...new Composer({ keepSourceTokens: true }).compose(tokens)][position.document];
    const token = nodeAt(document, position.path)?.srcToken;
    if (token === undefined || !CST.isScalar(token) || token.source === '') return null;
    // Blank lines below a block belong to its source.
    const blanks =
      token.type === 'block-scalar' ? (/\n((?:[ \t]*\r?\n)+)$/.exec(token.source)?.[1] ?? '') : '';
    const indentation = token.type === 'block-scalar' ? /^( *)\S/m.exec(token.source)?.[1] : undefined;
    if (indentation !== undefined) Object.assign(token, { indent: indentation.length - 2 });
    CST.setScalarValue(token, String(value), { afterKey: true, ...(type !== null && { type }) });
    if (type === 'QUOTE_DOUBLE') Object.assign(token, { source: quotedText(String(value)) });
    if (token.type === 'block-scalar') Object.assign(token, { source: token.source + blanks });
    else if ('end' in token) token.end?.push({ type: 'newline', offset: -1, indent: 0, source: blanks });
    const changed = tokens.map((part) => CST.stringify(part)).join('');
    return isCrlf ? changed.replaceAll(/\r?\n/g, '\r\n') : changed;
  };
  const isBlock = typeof value === 'string' && value.includes('\n');
  const types: (Scalar.Type | null)[] =
    typeof value !== 'string'
      ? ['PLAIN']
      : [
          ...(isBlock || isVisible(value) ? [null] : []),
          ...(isBlock ? (['BLOCK_LITERAL'] as const) : []),
          'QUOTE_DOUBLE',
        ];
  return proven(
    text,
    position,
    value,
    types.map((type) => () => written(type)),
  );
}

/** Also adds missing keys to the nearest map. */
export function setValue(text: string, position: Position, value: SingleValue): string | null {
  const { document, path } = position;
  const composed = composeYaml(text);
  const root = 'documents' in composed ? composed.documents[document] : undefined;
  const parents = path.map((_, at) => nodeAt(root, path.slice(0, at)));
  const depth = parents.findLastIndex(isMap);
  const map = parents[depth];
  const [first] = isMap(map) ? map.items : [];
  if (depth === path.length - 1 && isMap(map) && map.has(path.at(-1)))
    return setScalar(text, position, value);
  if (!isMap(map) || !isNode(first?.key)) return null;
  const [start = 0] = first.key.range ?? [];
  const indent = ' '.repeat(start - text.lastIndexOf('\n', start - 1) - 1);
  const before = text.slice(0, (map.range?.[1] ?? 0) - (map.flow ? 1 : 0)).trimEnd();
  const [key = '', ...rest] = path.slice(depth).map(String);
  const added = { [key]: rest.reduceRight<Json>((inner, name) => ({ [name]: inner }), value) };
  const scalar = blockYaml({ _: value }).slice('_: '.length).trimEnd();
  const entry = map.flow
    ? `${before.endsWith(',') ? '' : ','} ${key}: ${rest.reduceRight((inner, name) => `{ ${name}: ${inner} }`, scalar)}`
    : `\n${blockYaml(added).trimEnd()}`.replaceAll('\n', `\n${indent}`);
  const eol = /\r?\n/.exec(text)?.[0] ?? '\n';
  const changed = before + entry.replaceAll('\n', eol) + text.slice(before.length);
  return proven(text, position, value, [() => changed, () => changed + eol]);
}

function nodeAt(root: { contents: unknown; getIn(path: Path, keep: true): unknown } | undefined, path: Path) {
  const node = path.length === 0 ? root?.contents : root?.getIn(path, true);
  return isNode(node) && (isScalar(node) || isMap(node)) ? node : undefined;
}

function proven(
  text: string,
  { document, path }: Position,
  value: Json,
  candidates: readonly (() => string | null)[],
): string | null {
  const { documents, findings } = parseYaml('', text);
  if (findings.length > 0) return null;
  const wanted = documents.map((other) =>
    other.document === document ? { ...other, value: withValue(other.value, path, value) } : other,
  );
  for (const candidate of candidates) {
    const changed = candidate();
    if (changed === null) continue;
    const parsed = parseYaml('', changed);
    if (parsed.findings.length === 0 && equal(parsed.documents, wanted)) return changed;
  }
  return null;
}

/** Copies objects along the path, so that aliases elsewhere keep the old value. */
function withValue(root: Json, path: Path, value: Json): Json {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (Array.isArray(root)) return root.map((item, at) => (at === key ? withValue(item, rest, value) : item));
  const owner = isObject(root) ? root : {};
  return { ...owner, [key]: withValue(owner[key] ?? {}, rest, value) };
}
