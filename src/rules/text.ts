import { decodeText, readHtml } from '../email/html.js';
import { codePoint } from '../model/characters.js';
import type { Environment } from '../model/environment.js';
import { excerpt, namesIn, settingTextsIn, spot, type Text, type TextSpan } from './emails.js';
import { CONTROL, type HiddenCharacter, hiddenIn, namesOf } from './invisible.js';
import type { CampaignRule } from './rule.js';
import { isNoVariable } from './variables.js';

const BREAKING_TAG =
  /^(?:article|aside|blockquote|br|center|dd|div|dl|dt|figure|footer|form|h[1-6]|header|hr|li|main|ol|p|pre|section|table|td|tr|ul)$/;

/** Names of HTML elements, unlike the addresses `<https://example.com>` and `<name@example.com>`. */
const OTHER_TAG =
  /^(?:a|abbr|b|body|code|em|font|head|html|i|img|s|small|span|strike|strong|style|sub|sup|tbody|tfoot|th|thead|title|u)$/;

const REFERENCE = /&(?:[a-z][a-z\d]{1,31}|#\d{1,7}|#x[a-f\d]{1,6});/gi;

export const TEXT_RULES: readonly CampaignRule[] = [
  {
    code: 'html-in-plain-text',
    severity: 'warning',
    summary: 'HTML in an email that is sent as plain text, or in `unsubscribe_text`.',
    *check({ spec, emails, bodyForm }) {
      for (const text of settingTextsIn(spec)) {
        const piece = firstMarkup(text.value);
        if (piece === null) continue;
        yield {
          ...spot(text, piece),
          message: `${text.label}: ${excerpt(piece.text)} is HTML, but the API takes only the text of a link here: recipients may read the tags.`,
          hint: 'Write only the words of the link, for example unsubscribe_text: Unsubscribe here.',
        };
      }
      if (bodyForm !== 'plain') return;
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
    *check({ emails, bodyForm }) {
      if (bodyForm !== 'html') return;
      for (const { body } of emails) {
        if (!/\S[^\S\n]*\n\s*\S/.test(body.value)) continue;
        const tokens = readHtml(body.value);
        const isBroken = tokens.some((token) => token.kind === 'open' && BREAKING_TAG.test(token.name));
        const blank = isBroken ? paragraphBeforeBlankLine(tokens) : null;
        if (isBroken && blank === null) continue;
        const hint =
          'Wrap paragraphs in <p> … </p> or end lines with <br>, or set settings.plain_text to true.';
        if (blank === null)
          yield {
            path: body.path,
            message: `${body.label}: its lines would run together, because settings.plain_text is not true and no tag breaks the lines.`,
            hint,
          };
        else
          yield {
            ...spot(body, blank),
            message: `${body.label}: ${excerpt(blank.text)} would run together with the paragraph below it, because HTML ignores empty lines.`,
            hint: 'Wrap each paragraph in <p> … </p>.',
          };
      }
    },
  },
  {
    code: 'folded-lines',
    severity: 'warning',
    summary: 'Lines or paragraphs of a plain-text email that YAML joins, because no "|" stands before them.',
    *check({ cuts, bodyForm }) {
      if (bodyForm !== 'plain') return;
      for (const { place, cut } of cuts) {
        if (cut.kind !== 'folded') continue;
        yield {
          path: [],
          place,
          message:
            'email_body: its lines would run together, because without a "|", YAML joins lines and drops an empty one.',
          hint: 'Write email_body: | and the lines below it, without quotes.',
        };
      }
    },
  },
  {
    code: 'one-line-text',
    severity: 'error',
    summary:
      'A line break or a control character in a text of one line: name, title, subject or unsubscribe text.',
    *check({ spec, emails }) {
      const subjects = emails.map(({ subject }) => subject);
      for (const { label, path, value } of [...namesIn(spec), ...settingTextsIn(spec), ...subjects]) {
        const [found] = CONTROL.exec(value) ?? [];
        if (found === undefined) continue;
        const isBreak = /^[\n\r\u0085\u2028\u2029]/.test(found);
        const line = value
          .split(new RegExp(CONTROL, 'g'))
          .map((part) => part.trim())
          .join(' ')
          .trim();
        yield {
          path,
          message: `${label} contains ${isBreak ? 'a line break' : `the control character ${codePoint(found)}`}.`,
          hint: `Write it on one line: ${JSON.stringify(line)}.`,
        };
      }
    },
  },
  {
    code: 'literal-line-break',
    severity: 'warning',
    summary: 'A "\\n" that is sent as these two characters, because YAML reads it only in double quotes.',
    *check({ spec, texts }) {
      for (const text of [...namesIn(spec), ...texts]) {
        const match = /(?<!\S)(?![A-Za-z]:\\|\\\\)\S*?(?<!\\)((?:\\r)?\\n)/.exec(text.value);
        if (match === null) continue;
        const [whole, mark = ''] = match;
        const isBody = text.path.at(-1) === 'email_body';
        yield {
          ...spot(text, { start: match.index + whole.length - mark.length, text: mark }),
          message: `${text.label}: ${mark} is not a line break here, and is sent as it is.`,
          hint: isBody
            ? 'Write the lines below a "|", or put the text in double quotes.'
            : 'Write the text on one line.',
        };
      }
    },
  },
  {
    code: 'unfinished-text',
    severity: 'warning',
    summary: 'A text that holds the place of another, such as "…", or a body without text.',
    *check({ spec, emails, bodyForm }) {
      const isHtml = bodyForm !== 'plain';
      for (const email of emails)
        for (const text of [email.subject, email.body]) {
          if (text.value.trim() === '') continue;
          const isBody = text === email.body;
          const words = isBody && isHtml ? readWords(text.value) : text.value.trim();
          if (words === null || (!(isBody && words === '') && !UNFINISHED.test(words))) continue;
          yield {
            path: text.path,
            message:
              words === '' ? `${text.label} contains no text.` : `${text.label} is only "${excerpt(words)}".`,
            hint: isBody ? 'Write the email.' : 'Write the subject.',
          };
        }
      for (const { label, path, value } of [...namesIn(spec), ...settingTextsIn(spec)])
        if (value.trim() !== '' && UNWRITTEN.test(value.trim()))
          yield {
            path,
            message: `${label} is only "${excerpt(value.trim())}".`,
            hint: 'Write the text.',
          };
    },
  },
  {
    code: 'unmatched-quote',
    severity: 'warning',
    summary: 'A text of one line that begins or ends with half a pair of double quotes.',
    *check({ spec, emails }) {
      const subjects = emails.map(({ subject }) => subject);
      for (const text of [...namesIn(spec), ...settingTextsIn(spec), ...subjects]) {
        const start = unmatchedQuote(text.value);
        if (start === null) continue;
        const quote = text.value.charAt(start);
        yield {
          ...spot(text, { start, text: quote }),
          message: `${text.label}: ${quote} has no counterpart.`,
          hint: 'Write both quotes of the same kind, or none.',
        };
      }
    },
  },
  {
    code: 'invisible-characters',
    severity: 'warning',
    summary:
      'Invisible characters: zero-width, bidi, control and filler characters, and characters that look like spaces.',
    *check({ spec, emails }, environment) {
      const found = [
        ...namesIn(spec).map((text) => ({ text, hidden: hiddenIn(text.value, 'name') })),
        ...settingTextsIn(spec).map((text) => ({ text, hidden: hiddenIn(text.value, 'email') })),
        ...emails.map(({ subject }) => ({ text: subject, hidden: hiddenInCopy(subject, environment) })),
        ...emails.map(({ body }) => ({ text: body, hidden: hiddenInCopy(body, environment, true) })),
      ];
      for (const { text, hidden } of found) {
        const [first] = hidden;
        if (first === undefined) continue;
        yield {
          ...spot(text, { start: first.index, text: first.character }),
          message: `${text.label} contains invisible characters: ${namesOf(hidden)}.`,
          hint: 'They usually come from copy and paste, and spam filters look for them. Delete them, or replace them with ordinary spaces.',
        };
      }
    },
  },
];

/** The last line before an empty one, if no tag separates it from the text below; `null` if there is none. */
function paragraphBeforeBlankLine(tokens: ReturnType<typeof readHtml>): TextSpan | null {
  let line: TextSpan | null = null;
  let isBlankAfter = false;
  let kept = 0;
  for (const token of tokens) {
    if (token.kind !== 'text') {
      if (token.name === 'pre') kept += token.kind === 'open' ? 1 : -1;
      if (BREAKING_TAG.test(token.name)) [line, isBlankAfter] = [null, false];
      continue;
    }
    if (kept > 0) continue;
    for (const { 0: text, index } of token.source.matchAll(/\S[^\n]*|\n\s*\n/g)) {
      if (!/\S/.test(text)) isBlankAfter = line !== null;
      else if (line !== null && isBlankAfter) return line;
      else line = { start: token.start + index, text: text.trim() };
    }
  }
  return null;
}

/** The index of a double quote at an end of the text, if those of its kind are not in pairs; 27" is a length. */
function unmatchedQuote(text: string): number | null {
  const ends = [/(?<=^\s*)["“”„‟«»]/, /(?<![\d\s])["“”„‟«»](?=\s*$)/];
  const at = ends.map((end) => end.exec(text)?.index).filter((index) => index !== undefined);
  const found = at.find((index) => {
    const kind = text.charAt(index) === '"' ? /"/g : /[“”„‟«»]/g;
    return (text.match(kind) ?? []).length % 2 === 1;
  });
  return found ?? null;
}

/** In names, words such as "copy" are ordinary ones. */
const UNWRITTEN = /^(?:[.…_\s-]+|to ?do|fixme|tb[ad]|x{3,}|placeholder)[.!…]*$/i;
const UNFINISHED =
  /^(?:[.…_\s-]+|to ?do|fixme|tb[ad]|x{3,}|lorem ipsum\b.*|(?:your |the )?(?:email )?(?:subject|body|text|message|copy)(?: here| goes here)?|placeholder)[.!…]*$/is;

/** The text of HTML or plain text; `null` if there is an image. */
function readWords(body: string): string | null {
  const tokens = readHtml(body);
  if (tokens.some((token) => token.kind === 'open' && token.name === 'img')) return null;
  const words = tokens.map((token) => (token.kind === 'text' ? decodeText(token.source) : ' '));
  return words.join('').replaceAll(/\s+/g, ' ').trim();
}

function firstMarkup(text: string): TextSpan | null {
  for (const token of readHtml(text)) {
    if (token.kind !== 'text') {
      if (BREAKING_TAG.test(token.name) || OTHER_TAG.test(token.name))
        return { start: token.start, text: token.source };
      continue;
    }
    for (const { 0: reference, index } of token.source.matchAll(REFERENCE))
      if (decodeText(reference) !== reference) return { start: token.start + index, text: reference };
  }
  return null;
}

/** Without those in a name that is no variable, of which `variable-case` tells. */
function hiddenInCopy(text: Text, environment: Environment, hasLines = false): HiddenCharacter[] {
  const names = text.nodes.filter(
    (node) =>
      isNoVariable(node, environment) && !text.placeholders().some((other) => other.start === node.start),
  );
  return hiddenIn(text.value, 'email', hasLines).filter(
    ({ index }) => !names.some(({ start, text: { length } }) => index >= start && index < start + length),
  );
}
