import { parseCopy } from './copy.js';
import { attributeValue, decodeText, type HtmlTag, readHtml } from './html.js';

/**
 * A link, or an image that mail programs fetch. `text`: as written. `address`: as browsers parse it. `words`: what readers
 * see of it; '' if nothing.
 */
export interface Link {
  kind: 'link' | 'image';
  text: string;
  address: string;
  words: string;
}

const VARIABLE = '\\{[A-Z0-9_ ]+\\}';

/** Matches a bare address. A brace at its end begins a choice that may belong to the host. */
const BARE = new RegExp(`(?:https?:[\\\\/]{2}|\\bwww\\.)(?:${VARIABLE}|[^\\s<>"'{}|)\\],;])*\\{?`, 'giu');

const LINKING = new Set(['href', 'action', 'formaction']);
const FETCHING = new Set(['src', 'background', 'poster', 'data']);

export function linksInText(text: string, kind: Link['kind'] = 'link'): Link[] {
  return Array.from(text.matchAll(BARE), ([match]) => {
    const address = match.replace(/[.:!?]+$/, '');
    const words = kind === 'link' ? address : '';
    return { kind, text: address, address: /^www\./i.test(address) ? `//${address}` : address, words };
  });
}

export function linksInHtml(html: string): Link[] {
  const links: Link[] = [];
  let around: Link[] | null = null;
  for (const token of readHtml(html)) {
    if (token.kind === 'text') {
      const text = decodeText(token.source);
      if (around === null) links.push(...linksInText(text));
      else for (const link of around) link.words += text;
      continue;
    }
    const inTag = token.kind === 'open' ? linksInTag(token) : [];
    if (token.name === 'a') around = token.kind === 'open' ? inTag : null;
    if (token.name === 'img')
      for (const link of around ?? []) link.words += attributeValue(token, 'alt') ?? '';
    links.push(...inTag);
  }
  return links;
}

function linksInTag(tag: HtmlTag): Link[] {
  const { source, name, attributes } = tag;
  // Browsers parse `<https://example.com>` as a tag, but readers see an address.
  if (/^https?:/.test(name)) return linksInText(source);
  const words = name === 'img' ? (attributeValue(tag, 'alt') ?? '') : '';
  return attributes.flatMap(({ name: key, source: value }): Link[] => {
    const isLink = LINKING.has(key);
    if (!isLink && !FETCHING.has(key)) return linksInText(decodeText(value), 'image');
    return listChoices(value).map((choice) => ({
      kind: isLink ? 'link' : 'image',
      text: choice.trim(),
      address: decodeText(choice),
      words,
    }));
  });
}

function listChoices(text: string): string[] {
  const [node, ...others] = parseCopy(text.trim());
  if (node?.kind !== 'spintax' || others.length > 0) return [text];
  return node.choices.flatMap((choice) => listChoices(choice.map((part) => part.text).join('')));
}
