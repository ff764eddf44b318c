import { readHtml } from '../../model/html.js';
import { placeOf, quoted } from './excerpt.js';
import type { CampaignRule } from './rule.js';

/** Elements that start a new line. */
const LINE_BREAKS = new Set(
  'article blockquote br center div footer h1 h2 h3 h4 h5 h6 header hr li main ol p pre section table td tr ul'.split(
    ' ',
  ),
);

/** What else mails are made of. `<https://example.com>` and `<name@example.com>` are no tags to whoever reads them. */
const OTHERS = new Set(
  'a abbr b body code em font head html i img s small span strike strong style sub sup tbody tfoot th thead title u'.split(
    ' ',
  ),
);

const REFERENCE = /&(?:nbsp|amp|lt|gt|quot|#\d{1,6});/i;

/** One finding per email, at its first tag. */
export const htmlInPlainText: CampaignRule = {
  scope: 'campaign',
  code: 'html-in-plain-text',
  severity: 'warning',
  summary: 'HTML in an email that is sent as plain text.',
  check({ subject, emails }) {
    if (subject.spec.settings?.plain_text !== true) return [];
    return emails.flatMap(({ body }) => {
      const piece = firstMarkup(body.value);
      if (piece === null) return [];
      return {
        message: `${body.label}: ${quoted(piece.text)} is HTML, but settings.plain_text is true: recipients would read it as it stands.`,
        hint: 'Write the email without HTML, or set plain_text to false.',
        place: placeOf(subject, body, piece),
      };
    });
  },
};

/** The first tag or character reference of a text. */
function firstMarkup(text: string): { start: number; text: string } | null {
  for (const token of readHtml(text)) {
    if (token.kind !== 'text') {
      if (LINE_BREAKS.has(token.name) || OTHERS.has(token.name))
        return { start: token.start, text: token.source };
      continue;
    }
    const found = REFERENCE.exec(token.source);
    if (found !== null) return { start: token.start + found.index, text: found[0] };
  }
  return null;
}

/** HTML takes a line end for a space. */
export const paragraphsWithoutHtml: CampaignRule = {
  scope: 'campaign',
  code: 'paragraphs-without-html',
  severity: 'warning',
  summary: 'Several lines without HTML in an email that is sent as HTML: they run together.',
  check({ subject, emails }) {
    if (subject.spec.settings?.plain_text === true) return [];
    return emails
      .filter(({ body }) => /\S[^\S\n]*\n\s*\S/.test(body.value) && !breaksLines(body.value))
      .map(({ body }) => ({
        message: `${body.label}: its lines would run together, since settings.plain_text is not true and nothing in it breaks a line in HTML.`,
        hint: 'Put paragraphs into <p> … </p> or lines behind <br>, or set settings.plain_text to true.',
        place: subject.at(body.path),
      }));
  },
};

function breaksLines(html: string): boolean {
  return readHtml(html).some((token) => token.kind === 'open' && LINE_BREAKS.has(token.name));
}
