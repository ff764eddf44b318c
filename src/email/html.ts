/**
 * Reads even malformed HTML as browsers do, and reports positions. Runs in linear time, never throws, and corrects nothing.
 */
import { decodeHTML, decodeHTMLAttribute } from 'entities';
import { Tokenizer } from 'htmlparser2';

/** The exact text, and its start in UTF-16 units. */
interface SourceText {
  start: number;
  source: string;
}

/** `source`: the value; '' if there is none. Names are in lower case. */
interface HtmlAttribute extends SourceText {
  name: string;
}

type HtmlText = SourceText & { kind: 'text' };
export type HtmlTag = SourceText & { kind: 'open' | 'close'; name: string; attributes: HtmlAttribute[] };

const UNSEEN = new Set(
  'iframe noembed noframes noscript script select style template textarea title'.split(' '),
);

/** Returns text and tags in order, without comments, hidden content or unclosed tags. */
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
        // After an unclosed end tag, the tokenizer reports text before the tag's start.
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

export function decodeText(source: string): string {
  return decodeHTML(source);
}

export function attributeValue({ attributes }: HtmlTag, name: string): string | null {
  const attribute = attributes.find((candidate) => candidate.name === name);
  return attribute === undefined ? null : decodeHTMLAttribute(attribute.source);
}
