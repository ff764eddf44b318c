import { type CopyNode, parseCopy } from '../../model/copy.js';
import { decodeText, readHtml as tokensOf } from '../../model/html.js';
import { plain } from './phrase.js';

/** Tags in the middle of a word; all others part words. */
const INLINE = /^(?:a|abbr|b|big|code|em|font|i|mark|s|small|span|strike|strong|sub|sup|tt|u|wbr)$/;

/** A subject, or a body that is plain text, as people read it: its copy, the text in it in one spelling. */
export function readText(text: string): CopyNode[] {
  return spelled(parseCopy(text), plain);
}

/** The same of a body in HTML: without its tags, with what its images are called. */
export function readHtml(html: string): CopyNode[] {
  const pieces = tokensOf(html).map((token) => {
    if (token.kind === 'text') return token.source;
    if (token.name === 'img') return ` ${token.attributes.find(({ name }) => name === 'alt')?.source ?? ''} `;
    return INLINE.test(token.name) ? '' : ' ';
  });
  return spelled(parseCopy(pieces.join('')), (text) => plain(decodeText(text)));
}

/** Character references are read at the very end: a brace that is written as one is no brace of the copy. */
function spelled(nodes: readonly CopyNode[], spell: (text: string) => string): CopyNode[] {
  return nodes.map((node) => {
    if (node.kind === 'spintax')
      return { ...node, choices: node.choices.map((choice) => spelled(choice, spell)) };
    if (node.kind === 'braces') return { ...node, content: spelled(node.content, spell) };
    return { ...node, text: spell(node.text) };
  });
}
