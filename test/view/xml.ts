/** An element of an XML document with its joined text and its elements in order. */
export interface Element {
  name: string;
  attributes: Record<string, string>;
  text: string;
  children: Element[];
}

/** Characters that XML 1.0 allows, also as references. */
const CHARACTER = /^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u;
const TOKEN = /<([a-z-]+)((?: [a-z]+="[^"<]*")*)(\/?)>|<\/([a-z-]+)>|([^<>]+)/uy;

/** Parses elements, attributes, text and numeric references. Throws for everything else and for malformed documents. */
export function parseXml(document: string): Element {
  const [head = '', ...rest] = document.split('\n');
  if (head !== '<?xml version="1.0" encoding="UTF-8"?>') throw new Error(`Not a declaration: ${head}`);
  const body = rest.join('\n');
  if (!CHARACTER.test(body)) throw new Error('A character that XML cannot hold');
  const root: Element = { name: '', attributes: {}, text: '', children: [] };
  const open = [root];
  TOKEN.lastIndex = 0;
  for (let at = 0; at < body.length; at = TOKEN.lastIndex) {
    const token = TOKEN.exec(body);
    const above = open.at(-1);
    if (token === null || above === undefined) throw new Error(`Not well-formed: ${body.slice(at, at + 80)}`);
    const [, name, attributes = '', empty, end, text] = token;
    if (text !== undefined) above.text += decoded(text);
    else if (end !== undefined) {
      if (above.name !== end) throw new Error(`</${end}> ends <${above.name}>`);
      open.pop();
    } else if (name !== undefined) {
      const element: Element = { name, attributes: attributesOf(attributes), text: '', children: [] };
      above.children.push(element);
      if (empty === '') open.push(element);
    }
  }
  const [element, ...more] = root.children;
  if (open.length !== 1 || element === undefined || more.length > 0) throw new Error('Not one element');
  return element;
}

function attributesOf(text: string): Record<string, string> {
  const pairs = [...text.matchAll(/ ([a-z]+)="([^"]*)"/gu)].map(([, key = '', value = '']) => [
    key,
    decoded(value),
  ]);
  if (new Set(pairs.map(([key]) => key)).size < pairs.length) throw new Error(`An attribute twice: ${text}`);
  return Object.fromEntries(pairs);
}

function decoded(text: string): string {
  const plain = text.replace(/&#(\d+);/gu, (_, code: string) => String.fromCodePoint(Number(code)));
  if (/&(?!#\d+;)/u.test(text) || !CHARACTER.test(plain)) throw new Error(`A bad reference: ${text}`);
  return plain;
}
