import { Document, isScalar, type ScalarTag, type Tags, visit } from 'yaml';
import type { Json } from '../model/json.js';
import type { Style } from './part.js';
import { isBlock, isPlain, isVisible, quotedText } from './texts.js';

/** One key of a manifest and what stands under it, as YAML text. */
export function yamlText(key: string, value: Json, style: Style): string {
  const document = new Document(
    { [key]: value },
    { schema: 'core', compat: 'yaml-1.1', customTags: (tags: Tags) => [escapedText(style), ...tags] },
  );
  visit(document, {
    Seq(_, list) {
      if (list.items.every(isScalar)) list.flow = true;
    },
  });
  return document.toString({ lineWidth: 0, flowCollectionPadding: false, blockQuote: 'literal' });
}

/** Texts that the library would not quote, or not so that others read them in the same way. */
function escapedText(style: Style): ScalarTag {
  const isOdd = (text: string) => (style === 'quoted' ? !isPlain(text) : !isVisible(text) && !isBlock(text));
  return {
    tag: 'tag:yaml.org,2002:str',
    default: true,
    identify: (value) => typeof value === 'string' && isOdd(value),
    resolve: (text) => text,
    stringify: ({ value }) => quotedText(String(value)),
  };
}
