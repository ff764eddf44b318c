import { parseCopy } from '../../model/copy.js';
import { decodeText, type HtmlTag, readHtml } from '../../model/html.js';

/** A link, or an image and the like that is fetched. `text`: as it is written, `address`: as a browser reads it. */
export interface Link {
  kind: 'link' | 'image';
  text: string;
  address: string;
}

const VARIABLE = '\\{[A-Z0-9_ ]+\\}';

/** An address in a text. A brace at its end tells that a choice follows, which may still belong to the host. */
const BARE = new RegExp(`(?:https?:[\\\\/]{2}|\\bwww\\.)(?:${VARIABLE}|[^\\s<>"'{}|)\\],;])*\\{?`, 'giu');

const LINKING = new Set(['href', 'action', 'formaction']);
const FETCHING = new Set(['src', 'background', 'poster', 'data']);

/** The addresses in a text that is no HTML, as mail programs make links of them. */
export function linksInText(text: string, kind: Link['kind'] = 'link'): Link[] {
  return Array.from(text.matchAll(BARE), ([found]) => {
    const address = found.replace(/[.:!?]+$/, '');
    return { kind, text: address, address: /^www\./i.test(address) ? `//${address}` : address };
  });
}

/** The links of a body in HTML: those of its tags, and bare addresses outside of links. */
export function linksInHtml(html: string): Link[] {
  let inLink = false;
  return readHtml(html).flatMap((token) => {
    if (token.kind === 'text') return inLink ? [] : linksInText(decodeText(token.source));
    if (token.name === 'a') inLink = token.kind === 'open';
    return token.kind === 'open' ? linksInTag(token) : [];
  });
}

function linksInTag({ source, name, attributes }: HtmlTag): Link[] {
  // `<https://example.com>` is a tag to a browser and an address to whoever reads the text of the mail.
  if (/^https?:/.test(name)) return linksInText(source);
  return attributes.flatMap(({ name: key, source: value }): Link[] => {
    const isLink = LINKING.has(key);
    if (!isLink && !FETCHING.has(key)) return linksInText(decodeText(value), 'image');
    return choicesOf(value).map((one) => ({
      kind: isLink ? 'link' : 'image',
      text: one.trim(),
      address: decodeText(one),
    }));
  });
}

/** `{https://a.example|https://b.example}` are two addresses. */
function choicesOf(text: string): string[] {
  const [node, ...others] = parseCopy(text.trim());
  if (node?.kind !== 'spintax' || others.length > 0) return [text];
  return node.choices.flatMap((choice) => choicesOf(choice.map((part) => part.text).join('')));
}

/** Where an address leads. `unknown`: its host is a variable, a choice, or not given. `other`: not to a web page. */
export type Target = { kind: 'web'; host: string } | { kind: 'unknown' } | { kind: 'other' };

const HARMLESS = /^(?:mailto|tel|sms|cid):/i;

/** Where a link leads, read as browsers do; null for mail addresses, phone numbers and what is in the mail itself. */
export function targetOf({ address, kind }: Link): Target | null {
  const text = cleaned(address);
  if (text === '' || text.startsWith('#') || HARMLESS.test(text)) return null;
  if (kind === 'image' && /^data:/i.test(text)) return null;
  const [head] = /^(?:[a-z][a-z0-9+.-]*:)?[\\/]*[^\\/?#]*/i.exec(text) ?? [''];
  if (/[{}]/.test(head)) return { kind: 'unknown' };
  if (!URL.canParse(text, 'https://nowhere.invalid')) return { kind: 'unknown' };
  const url = new URL(text, 'https://nowhere.invalid');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return { kind: 'other' };
  const host = url.hostname.replace(/\.$/, '');
  return host === 'nowhere.invalid' ? { kind: 'unknown' } : { kind: 'web', host };
}

/** Whether a link goes over the network in the clear, or may. */
export function isInsecure({ address }: Link): boolean {
  return /^(?:http:|[\\/]{2})/i.test(cleaned(address));
}

/** Browsers drop line ends and tabs anywhere, and white space and control characters at the edges. */
function cleaned(address: string): string {
  return address.replace(/[\t\n\r]/g, '').replace(/^[\0- ]+|[\0- ]+$/g, '');
}
