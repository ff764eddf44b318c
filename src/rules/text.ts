import { readHtml } from '../model/html.js';
import { excerpt, spot } from './emails.js';
import type { CampaignRule } from './rule.js';

/** Elements that start a new line. */
const LINE_BREAKS =
  'article|blockquote|br|center|div|footer|h1|h2|h3|h4|h5|h6|header|hr|li|main|ol|p|pre|section|table|td|tr|ul';
const IS_LINE_BREAK = new RegExp(`^(?:${LINE_BREAKS})$`);

/** What else emails are made of. To a reader, `<https://example.com>` and `<name@example.com>` are not tags. */
const IS_OTHER =
  /^(?:a|abbr|b|body|code|em|font|head|html|i|img|s|small|span|strike|strong|style|sub|sup|tbody|tfoot|th|thead|title|u)$/;

const REFERENCE = /&(?:nbsp|amp|lt|gt|quot|#\d{1,6});/i;

/** In the order of `docs/rules.md`. */
export const TEXT_RULES: readonly CampaignRule[] = [
  {
    code: 'html-in-plain-text',
    severity: 'warning',
    summary: 'HTML in an email that is sent as plain text.',
    *check({ spec, emails }) {
      if (spec.settings?.plain_text !== true) return;
      for (const { body } of emails) {
        const piece = firstMarkup(body.value);
        if (piece === null) continue;
        yield {
          ...spot(body, piece),
          message: `${body.label}: ${excerpt(piece.text)} is HTML, but settings.plain_text is true: recipients would read the tags.`,
          hint: 'Write the email without HTML, or set plain_text to false.',
        };
      }
    },
  },
  {
    code: 'paragraphs-without-html',
    severity: 'warning',
    summary: 'Several lines without HTML in an email that is sent as HTML: they run together.',
    *check({ spec, emails }) {
      if (spec.settings?.plain_text === true) return;
      for (const { body } of emails) {
        if (!/\S[^\S\n]*\n\s*\S/.test(body.value) || breaksLines(body.value)) continue;
        yield {
          path: body.path,
          message: `${body.label}: its lines would run together, since settings.plain_text is not true and no tag in it breaks a line.`,
          hint: 'Wrap paragraphs in <p> … </p> or end lines with <br>, or set settings.plain_text to true.',
        };
      }
    },
  },
  {
    code: 'invisible-characters',
    severity: 'warning',
    summary: 'Invisible characters: zero-width, bidi and control characters.',
    *check({ spec: { name, settings, sequence }, texts }) {
      const others: [label: string, path: string[], value: string | null | undefined][] = [
        ['name', ['name'], name],
        ['unsubscribe_text', ['settings', 'unsubscribe_text'], settings?.unsubscribe_text],
        ['sequence title', ['sequence', 'title'], sequence?.title],
      ];
      for (const text of [
        ...others.map(([label, path, value]) => ({ label, path, value: value ?? '' })),
        ...texts,
      ]) {
        // Most texts have none.
        if (text.value.search(INVISIBLE) < 0) continue;
        const shown = text.value.replace(JOINERS, (match) => '-'.repeat(match.length));
        const found = [...shown.matchAll(INVISIBLE)];
        const [first] = found;
        if (first === undefined) continue;
        const names = new Set(found.map(([character]) => codePoint(character)));
        yield {
          ...spot(text, { start: first.index, text: first[0] }),
          message: `${text.label} holds invisible characters: ${[...names].join(', ')}.`,
          hint: 'Delete them: they come from copy and paste, and spam filters look for them.',
        };
      }
    },
  },
];

/** The first tag or character reference of a text. */
function firstMarkup(text: string): { start: number; text: string } | null {
  for (const token of readHtml(text)) {
    if (token.kind !== 'text') {
      if (IS_LINE_BREAK.test(token.name) || IS_OTHER.test(token.name))
        return { start: token.start, text: token.source };
      continue;
    }
    const found = REFERENCE.exec(token.source);
    if (found !== null) return { start: token.start + found.index, text: found[0] };
  }
  return null;
}

/** Most bodies begin with a tag that starts a line: they need not be read to the end. */
const BEGINS_WITH_BREAK = new RegExp(`^[^<]*<(?:${LINE_BREAKS})>`, 'i');

function breaksLines(html: string): boolean {
  return (
    BEGINS_WITH_BREAK.test(html) ||
    readHtml(html).some((token) => token.kind === 'open' && IS_LINE_BREAK.test(token.name))
  );
}

/** Controls but tab and line ends, soft hyphen, zero-width and bidi characters, the byte order mark, half characters. */
const INVISIBLE =
  /\r(?!\n)|[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u2069\ufeff\ufff9-\ufffb]|\p{Surrogate}/gu;

/** Joiners that belong: inside an emoji, and between letters of scripts that need them (not Latin, Greek, Cyrillic). */
const JOINERS =
  /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d(?=\p{Extended_Pictographic})|(?![\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])[\p{L}\p{M}][\u200c\u200d](?=[\p{L}\p{M}])/gu;

const NAMES: Record<string, string> = {
  '\u0000': 'NUL',
  '\u00ad': 'soft hyphen',
  '\u061c': 'Arabic letter mark',
  '\u200b': 'zero width space',
  '\u200c': 'zero width non-joiner',
  '\u200d': 'zero width joiner',
  '\u200e': 'left-to-right mark',
  '\u200f': 'right-to-left mark',
  '\u2028': 'line separator',
  '\u2029': 'paragraph separator',
  '\u202a': 'left-to-right embedding',
  '\u202b': 'right-to-left embedding',
  '\u202c': 'end of bidi formatting',
  '\u202d': 'left-to-right override',
  '\u202e': 'right-to-left override',
  '\u2060': 'word joiner',
  '\u2066': 'left-to-right isolate',
  '\u2067': 'right-to-left isolate',
  '\u2068': 'first strong isolate',
  '\u2069': 'end of bidi isolate',
  '\ufeff': 'byte order mark',
};

function codePoint(character: string): string {
  const code = `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
  return NAMES[character] === undefined ? code : `${code} ${NAMES[character]}`;
}
