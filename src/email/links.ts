import { parseCopy } from './copy.js';
import { decodeText, type HtmlTag, readHtml } from './html.js';

/** A link, or an image that mail programs fetch. `text`: as written. `address`: as browsers parse it. */
export interface Link {
  kind: 'link' | 'image';
  text: string;
  address: string;
}

const VARIABLE = '\\{[A-Z0-9_ ]+\\}';

/** Matches a bare address. A brace at its end begins a choice that may belong to the host. */
const BARE = new RegExp(`(?:https?:[\\\\/]{2}|\\bwww\\.)(?:${VARIABLE}|[^\\s<>"'{}|)\\],;])*\\{?`, 'giu');

const LINKING = new Set(['href', 'action', 'formaction']);
const FETCHING = new Set(['src', 'background', 'poster', 'data']);

export function linksInText(text: string, kind: Link['kind'] = 'link'): Link[] {
  return Array.from(text.matchAll(BARE), ([match]) => {
    const address = match.replace(/[.:!?]+$/, '');
    return { kind, text: address, address: /^www\./i.test(address) ? `//${address}` : address };
  });
}

export function linksInHtml(html: string): Link[] {
  let inLink = false;
  return readHtml(html).flatMap((token) => {
    if (token.kind === 'text') return inLink ? [] : linksInText(decodeText(token.source));
    if (token.name === 'a') inLink = token.kind === 'open';
    return token.kind === 'open' ? linksInTag(token) : [];
  });
}

function linksInTag({ source, name, attributes }: HtmlTag): Link[] {
  // Browsers parse `<https://example.com>` as a tag, but readers see an address.
  if (/^https?:/.test(name)) return linksInText(source);
  return attributes.flatMap(({ name: key, source: value }): Link[] => {
    const isLink = LINKING.has(key);
    if (!isLink && !FETCHING.has(key)) return linksInText(decodeText(value), 'image');
    return listChoices(value).map((choice) => ({
      kind: isLink ? 'link' : 'image',
      text: choice.trim(),
      address: decodeText(choice),
    }));
  });
}

function listChoices(text: string): string[] {
  const [node, ...others] = parseCopy(text.trim());
  if (node?.kind !== 'spintax' || others.length > 0) return [text];
  return node.choices.flatMap((choice) => listChoices(choice.map((part) => part.text).join('')));
}
