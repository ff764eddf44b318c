import { placeOf, quoted } from './excerpt.js';
import type { CampaignRule } from './rule.js';

/** Tags that mails are made of, so that `<https://example.com>` and `<name@example.com>` are not taken for one. */
const TAG =
  /<\/?(?:a|abbr|article|b|blockquote|body|br|center|code|div|em|font|footer|h[1-6]|head|header|hr|html|i|img|li|main|ol|p|pre|s|section|small|span|strike|strong|style|sub|sup|table|tbody|td|tfoot|th|thead|title|tr|u|ul)(?:\s[^<>]*)?\/?>|&(?:nbsp|amp|lt|gt|quot|#\d{1,6});/i;

/** Tags that start a new line. */
const LINE_BREAK =
  /<(?:article|blockquote|br|center|div|footer|h[1-6]|header|hr|li|main|ol|p|pre|section|table|td|tr|ul)[\s/>]/i;

/** One finding per email, at its first tag. */
export const htmlInPlainText: CampaignRule = {
  scope: 'campaign',
  code: 'html-in-plain-text',
  severity: 'warning',
  summary: 'HTML in an email that is sent as plain text.',
  check({ subject, emails }) {
    if (subject.spec.settings?.plain_text !== true) return [];
    return emails.flatMap(({ body }) => {
      const match = TAG.exec(body.value);
      if (match === null) return [];
      return {
        message: `${body.label}: ${quoted(match[0])} is HTML, but settings.plain_text is true: recipients would read it as it stands.`,
        hint: 'Write the email without HTML, or set plain_text to false.',
        place: placeOf(subject, body, { start: match.index, text: match[0] }),
      };
    });
  },
};

/** HTML takes a line end for a space. */
export const paragraphsWithoutHtml: CampaignRule = {
  scope: 'campaign',
  code: 'paragraphs-without-html',
  severity: 'warning',
  summary: 'Several lines without HTML in an email that is sent as HTML: they run together.',
  check({ subject, emails }) {
    if (subject.spec.settings?.plain_text === true) return [];
    return emails
      .filter(({ body }) => /\S[^\S\n]*\n\s*\S/.test(body.value) && !LINE_BREAK.test(body.value))
      .map(({ body }) => ({
        message: `${body.label}: its lines would run together, since settings.plain_text is not true and nothing in it breaks a line in HTML.`,
        hint: 'Put paragraphs into <p> … </p> or lines behind <br>, or set settings.plain_text to true.',
        place: subject.at(body.path),
      }));
  },
};
