import { readHtml } from '../email/html.js';
import { commentWording } from '../manifest/cut-texts.js';
import { type BodyForm, excerpt, overlaps, spot, type TextSpan } from './emails.js';
import { withScheme } from './link-targets.js';
import type { CampaignRule, ParsedCampaign } from './rule.js';

/** Of a text: HTML, plain text with lines, or one line. */
type Form = BodyForm | 'line';

interface PastedText extends TextSpan {
  fact: string;
  hint: string;
}

/** Text that was copied from elsewhere and that recipients would read as it is. */
export const PASTED_RULES: readonly CampaignRule[] = [
  {
    code: 'hash-cuts-text',
    severity: 'warning',
    summary: 'A text without quotes that YAML ends at " #", because it takes the rest for a comment.',
    *check({ cuts }) {
      for (const { place, cut } of cuts)
        if (cut.kind === 'comment') yield { path: [], place, ...commentWording(place.path, cut) };
    },
  },
  {
    code: 'front-matter',
    severity: 'error',
    summary: 'A body that begins with front matter, the lines between two lines "---".',
    *check({ emails }) {
      for (const { body } of emails) {
        const [block = ''] = FRONT_MATTER.exec(body.value) ?? [];
        if (block === '') continue;
        const subject = /^subject\s*[:=]\s*(\S.*)$/im
          .exec(block)?.[1]
          ?.trim()
          .replace(/^(["'])(.*)\1$/, '$2');
        const example = subject === undefined ? '' : `, such as email_subject: ${JSON.stringify(subject)}`;
        yield {
          ...spot(body, { start: body.value.indexOf(block.trimStart().slice(0, 3)), text: block.trim() }),
          message: `${body.label} begins with front matter, which would be sent.`,
          hint: `Remove these lines, and write what they say as keys of the manifest${example}.`,
        };
      }
    },
  },
  {
    code: 'markdown',
    severity: 'warning',
    summary: 'Markdown, which recipients would read with its marks.',
    check: (campaign) => inTexts(campaign, markdownIn),
  },
  {
    code: 'pasted-mail',
    severity: 'warning',
    summary: 'Lines that a mail program wrote, such as "Sent from my iPhone".',
    check: (campaign) => inTexts(campaign, mailLinesIn),
  },
  {
    code: 'curly-quotes-in-tag',
    severity: 'warning',
    summary: 'Curly quotes around an attribute of an HTML tag: they become part of its value.',
    check: (campaign) => inTexts(campaign, (text, form) => (form === 'html' ? curlyQuotesIn(text) : [])),
  },
];

const FRONT_MATTER =
  /^\s*(---|\+\+\+)[ \t]*\r?\n(?:(?:[\w-]+[ \t]*[:=]|[ \t]|- |#)[^\n]*\n|\r?\n){1,60}?\1[ \t]*(?:\r?\n|$)/;

/** Bodies are left out while an error hides whether they are HTML. */
function* inTexts(
  { texts, bodyForm }: ParsedCampaign,
  find: (text: string, form: Form) => Iterable<PastedText>,
) {
  for (const text of texts) {
    const isBody = text.path.at(-1) === 'email_body';
    const form = isBody ? bodyForm : 'line';
    if (form === null) continue;
    const seen = new Set<string>();
    for (const piece of find(text.value, form)) {
      if (seen.has(piece.text) || text.placeholders().some((other) => overlaps(other, piece))) continue;
      seen.add(piece.text);
      yield {
        ...spot(text, piece),
        message: `${text.label}: ${excerpt(piece.text)} ${piece.fact}.`,
        hint: piece.hint,
      };
    }
  }
}

/** By form, what to write instead; `$1` and `$2` are the groups of the pattern. */
interface Mark extends Record<Form, string> {
  pattern: RegExp;
}

const TARGET =
  '(?:(?:https?:|www\\.|mailto:|tel:|\\{)[^\\s)]{1,500}|(?!\\w+\\.(?:png|jpe?g|gif|svg|webp|pdf|html?|md)\\))(?:[\\w-]{1,60}\\.){1,5}[a-z]{2,20}(?:[/?#][^\\s)]{0,500})?)';

/** Lists with hyphens or asterisks read well in plain text. */
const MARKDOWN: readonly Mark[] = [
  {
    pattern: new RegExp(`!\\[([^\\]\\n]{0,200})\\]\\((${TARGET})\\)`, 'g'),
    html: '<img src="$2" alt="$1">',
    plain: '$2',
    line: '$1',
  },
  {
    pattern: /!\[([^\]\n]{0,200})\]\((?!\w+:|www\.)([^\s)]{1,500}\.(?:png|jpe?g|gif|svg|webp))\)/gi,
    html: '<img src="https://…/$2" alt="$1">',
    plain: '$1',
    line: '$1',
  },
  {
    pattern: new RegExp(`(?<!!)\\[([^\\]\\n]{1,200})\\]\\((${TARGET})\\)`, 'g'),
    html: '<a href="$2">$1</a>',
    plain: '$1: $2',
    line: '$1',
  },
  {
    pattern: /(?<![\w*])\*\*(?=[^\s*])([^*\n]{1,200})(?<=[^\s*])\*\*(?![\w*])/g,
    html: '<b>$1</b>',
    plain: '$1',
    line: '$1',
  },
  {
    // Python has names such as __init__, and capitals between the marks may be a placeholder.
    pattern:
      /(?<!\w)__(?=[^\s_])(?!(?:[A-Z]+|init|main|name|file|all|str|dict|call)__)([^_\n]{1,200})(?<=[^\s_])__(?!\w)/g,
    html: '<b>$1</b>',
    plain: '$1',
    line: '$1',
  },
  {
    pattern: /(?<![\w~])~~(?=[^\s~])([^~\n]{1,200})(?<=[^\s~])~~(?![\w~])/g,
    html: '<s>$1</s>',
    plain: '$1',
    line: '$1',
  },
  {
    pattern: /(?<![^\n])#{1,6} (?!of\b)(\S[^\n]{0,200})(?=\r?\n|$)/g,
    html: '<h2>$1</h2>',
    plain: '$1',
    line: '$1',
  },
  { pattern: /(?<![^\n])```[\w-]*[ \t]*(?=\r?\n)/g, html: '<pre> … </pre>', plain: '', line: '' },
];

const ITEM = '[ \\t]*(?:[-*+•]|\\d{1,2}[.)]) ';
const WORDS = '(?:[^\\n<>]|</?(?:a|b|em|i|s|span|strong|u)(?:\\s[^<>\\n]*)?>)+';
const HTML_LIST = new RegExp(
  `(?<![^\\n])${ITEM}${WORDS}(?:(?:\\r?\\n[ \\t]*)?\\r?\\n${ITEM}(?=\\S)${WORDS})+`,
);

function htmlList(list: string): string {
  const lines = list.split('\n').filter((line) => /\S/.test(line));
  const name = /^\s*\d/.test(list) ? 'ol' : 'ul';
  const items = lines.map((line) => `<li>${line.trim().replace(/^\S+ +/, '')}</li>`);
  return `<${name}>${items.join('')}</${name}>`;
}

function* markdownIn(text: string, form: Form): Generator<PastedText> {
  for (const { pattern, [form]: other } of MARKDOWN)
    for (const match of text.matchAll(pattern)) {
      const [whole, first = '', second = ''] = match;
      const instead = other.replace('$1', () => first).replace('$2', () => withScheme(second) ?? second);
      yield {
        start: match.index,
        text: whole,
        fact: 'is Markdown, which is sent as it is',
        hint: instead === '' ? 'Remove the line.' : `Write: ${instead}`,
      };
    }
  const list = form === 'html' ? HTML_LIST.exec(text) : null;
  if (list !== null)
    yield {
      start: list.index,
      text: list[0].split('\n', 1)[0] ?? '',
      fact: 'begins a Markdown list, whose lines run together in HTML',
      hint: `Write: ${htmlList(list[0])}`,
    };
}

const LINES: readonly RegExp[] = [
  /(?<![^\n>])(?:Sent|Get Outlook|Gesendet|Von meinem|Envoyé|Télécharger Outlook|Enviado|Inviato|Verzonden|Verstuurd|Skickat|Sendt|Wysłane)(?!\p{L})[^\n<.]{0,20}\b(?:iPhone|iPad|iOS|Android|Galaxy|Samsung|Outlook|smartphone|BlackBerry|(?:Mail|Courrier|Correo)(?= (?:for|für|pour|para) Windows))\b[^\n<]{0,40}/giu,
  /(?<![^\n>])-{2,} ?(?:Original Message|Forwarded message|Ursprüngliche Nachricht|Weitergeleitete Nachricht|Message d'origine|Message transféré|Mensaje original) ?-{2,}/gi,
  // With a date or an address, and nothing after it.
  /(?<![^\n>])(?:On|Am|Le|El|Il|Op) (?=[^\n]{0,120}[\d@])(?:[^\n<]|<[^<>\s]*>|&lt;){5,120}(?:wrote|schrieb[^\n:]{0,60}|a écrit|escribió|ha scritto|schreef[^\n:]{0,60}) ?:(?=[ \t\r]*(?:\n|<|$))/g,
  // The head of an email, and a subject above its text.
  /(?<![^\n>])(?:From|Von|De|Da|Van): ?(?:[^\n<]|<[^<>\s]*@[^<>\s]*>){1,200}(?:\n|<br ?\/?>\s*)(?:Sent|Date|To|Gesendet|Datum|An|Envoyé|À|Enviado|Para|Inviato|Verzonden|Aan): ?\S[^\n<]{0,200}/g,
  /\b(?=(?:Subject|Betreff|Objet|Asunto|Oggetto|Onderwerp): ?\S)(?<=^(?:\s|<[^<>]{0,200}>){0,50})[^\n<]{1,200}/gi,
];

/** The separator of signatures, unless the variable of the sender's signature follows. */
const SEPARATOR = /(?<![^\n>])--[ \u00a0](?=\r?\n|<)(?!\s*(?:<[^>\n]*>\s*)*\{SENDER[A-Z_ ]*SIGNATURE\})/g;

function* mailLinesIn(text: string): Generator<PastedText> {
  for (const pattern of LINES)
    for (const { 0: line, index } of text.matchAll(pattern))
      yield {
        start: index,
        text: line,
        fact: 'is a line that a mail program wrote',
        hint: 'Remove the line.',
      };
  for (const { 0: line, index } of text.matchAll(SEPARATOR))
    yield {
      start: index,
      text: line,
      fact: 'separates a signature: mail programs hide what follows, or leave it out of replies',
      hint: 'Remove the line, or write {SENDER_EMAIL_SIGNATURE} below it if the service has this variable.',
    };
}

const CURLY = /^[“”„‟‘’‚‛«»″′]/;

function* curlyQuotesIn(html: string): Generator<PastedText> {
  if (!/=\s*[“”„‟‘’‚‛«»″′]/.test(html)) return;
  for (const token of readHtml(html)) {
    if (token.kind !== 'open') continue;
    for (const { name, source, start } of token.attributes) {
      if (!CURLY.test(source) || /["']/.test(html[start - 1] ?? '')) continue;
      const value = /^.([^“”„‟‘’‚‛«»″′<>]*)/.exec(html.slice(start))?.[1] ?? '';
      yield {
        start,
        text: source,
        fact: `has curly quotes, which become part of ${name}`,
        hint: `Write straight quotes: ${name}="${value}".`,
      };
    }
  }
}
