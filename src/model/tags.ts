/** A tag: its name in lower case, and the whole of it as it is written. */
export interface Element {
  kind: 'open' | 'close';
  name: string;
  source: string;
}

/** A piece of HTML: text as it is written, or a tag. */
export type Tag = { kind: 'text'; source: string } | Element;

/** Elements whose content is no text of the mail. */
const UNSEEN = new Set(['script', 'style', 'title', 'template', 'noscript', 'iframe', 'textarea', 'select']);

/** Cuts HTML into text and tags the way a browser does, comments and unseen elements left out. Any text, in linear time. */
export function cutTags(html: string): Tag[] {
  const tags: Tag[] = [];
  const lower = html.toLowerCase();
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf('<', at);
    const end = open < 0 ? html.length : open;
    if (end > at) tags.push({ kind: 'text', source: html.slice(at, end) });
    if (open < 0) break;
    const [, slash, name] = /^<(\/?)([a-zA-Z][^\s/>]*)/.exec(html.slice(open, open + 64)) ?? [];
    if (name === undefined) {
      const isMarkup = /^[!?/]/.test(html.slice(open + 1, open + 2));
      if (!isMarkup) tags.push({ kind: 'text', source: '<' });
      at = isMarkup ? endOfMarkup(html, open) : open + 1;
      continue;
    }
    at = endOfTag(html, open);
    const kind = slash === '/' ? 'close' : 'open';
    const element = name.toLowerCase();
    tags.push({ kind, name: element, source: html.slice(open, at) });
    if (kind !== 'open' || !UNSEEN.has(element)) continue;
    const close = lower.indexOf(`</${element}`, at);
    at = close < 0 ? html.length : close;
  }
  return tags;
}

/** Behind a comment, a doctype or the like; the end of the text where it does not end. */
function endOfMarkup(html: string, open: number): number {
  const isComment = html.startsWith('<!--', open);
  const found = html.indexOf(isComment ? '-->' : '>', open + (isComment ? 2 : 1));
  return found < 0 ? html.length : found + (isComment ? 3 : 1);
}

/** Behind the `>` of a tag; one inside a quoted value does not count. A tag without an end takes the rest, as in a browser. */
function endOfTag(html: string, open: number): number {
  const mark = /[>=]/g;
  mark.lastIndex = open;
  for (let found = mark.exec(html); found !== null; found = mark.exec(html)) {
    if (found[0] === '>') return mark.lastIndex;
    const [, quote] = /^\s*(["'])/.exec(html.slice(mark.lastIndex, mark.lastIndex + 16)) ?? [];
    if (quote === undefined) continue;
    const close = html.indexOf(quote, html.indexOf(quote, mark.lastIndex) + 1);
    if (close < 0) return html.length;
    mark.lastIndex = close + 1;
  }
  return html.length;
}

/** The value of an attribute of a tag, as it is written; null where there is none. */
export function attributeOf({ source }: { source: string }, name: 'href' | 'alt' | 'type'): string | null {
  const found = new RegExp(`[\\s"']${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i').exec(source);
  return found === null ? null : (found[1] ?? found[2] ?? found[3] ?? '');
}
