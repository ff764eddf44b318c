/**
 * HTML as a browser reads it: tags, comments, quotes and character references, however broken they are. It promises to
 * read any text in linear time without ever throwing, and to say where each token stands. It must not clean anything up:
 * a mail is judged and shown as it is written.
 */
import { decodeHTML, decodeHTMLAttribute } from 'entities/decode';
import { Tokenizer } from 'htmlparser2';

/** A piece of the source: its exact text and where it starts, in UTF-16 units. */
interface Written {
  start: number;
  source: string;
}

/** `source` is the value, '' where there is none; the name is in lower case. */
export interface HtmlAttribute extends Written {
  name: string;
}

export type HtmlText = Written & { kind: 'text' };
export type HtmlTag = Written & { kind: 'open' | 'close'; name: string; attributes: HtmlAttribute[] };

/** Elements whose content is no text of a mail. */
const UNSEEN = new Set(
  'iframe noembed noframes noscript script select style template textarea title'.split(' '),
);

/** Text and tags in order. Comments are left out, the content of unseen elements, and a tag that never ends, as in a browser. */
export function readHtml(html: string): (HtmlText | HtmlTag)[] {
  const tokens: (HtmlText | HtmlTag)[] = [];
  let hidden: string | null = null;
  let name = '';
  let start = 0;
  let attributes: HtmlAttribute[] = [];
  const add = (kind: HtmlTag['kind'], end: number): void => {
    if (hidden !== null) return;
    tokens.push({ kind, name, attributes, start, source: html.slice(start, end) });
    if (kind === 'open' && UNSEEN.has(name)) hidden = name;
  };
  const begin = (from: number, to: number): void => {
    name = html.slice(from, to).toLowerCase();
    start = html.lastIndexOf('<', from);
    attributes = [];
  };
  const ignore = (): void => undefined;
  const tokenizer = new Tokenizer(
    { decodeEntities: false },
    {
      ontext(from, to) {
        // Behind a closing tag without an end, the tokenizer tells of a text before the start.
        if (hidden === null && from >= 0)
          tokens.push({ kind: 'text', start: from, source: html.slice(from, to) });
      },
      onopentagname: begin,
      onattribname(from, to) {
        attributes.push({ name: html.slice(from, to).toLowerCase(), start: to, source: '' });
      },
      onattribdata(from, to) {
        const attribute = attributes.at(-1);
        if (attribute !== undefined) Object.assign(attribute, { start: from, source: html.slice(from, to) });
      },
      onopentagend: (at) => add('open', at + 1),
      onselfclosingtag: (at) => add('open', at + 1),
      onclosetag(from, to) {
        begin(from, to);
        if (hidden === name) hidden = null;
        const end = html.indexOf('>', to);
        add('close', end < 0 ? html.length : end + 1);
      },
      onattribend: ignore,
      onattribentity: ignore,
      oncdata: ignore,
      oncomment: ignore,
      ondeclaration: ignore,
      onend: ignore,
      onprocessinginstruction: ignore,
      ontextentity: ignore,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  return tokens;
}

/** Text of HTML with its character references replaced. */
export function decodeText(source: string): string {
  return decodeHTML(source);
}

/** What a browser takes for the value of an attribute; null where there is none. */
export function attributeOf({ attributes }: HtmlTag, name: string): string | null {
  const found = attributes.find((one) => one.name === name);
  return found === undefined ? null : decodeHTMLAttribute(found.source);
}
