/** Notices of a document in a terminal. */
import { count, listed, thousands } from '../model/words.js';
import type { DocumentTextOptions } from './options.js';
import type { Message, Notice, NoticeKind } from './plan-notices.js';
import { hintLines } from './problems.js';
import { type Colour, visibleLine } from './terminal.js';
import { indented, unbroken, wrap } from './words.js';

/** Maximum number of messages in a notice if the campaigns repeat them. */
const MAX_LISTED = 12;
const MAX_BLOCKS = 2;
/** Maximum number of names in a message if cards repeat them. */
const MAX_REPEATED = 3;

const NOTICES: Record<NoticeKind, { colour: Colour; sign: string }> = {
  launch: { colour: 'magenta', sign: '!' },
  raise: { colour: 'magenta', sign: '!' },
  emails: { colour: 'magenta', sign: '!' },
  stop: { colour: 'yellow', sign: '!' },
  unmanaged: { colour: 'magenta', sign: '!' },
  error: { colour: 'red', sign: '✗' },
  hazard: { colour: 'magenta', sign: '!' },
  accepted: { colour: 'green', sign: '✓' },
  blocked: { colour: 'red', sign: '✗' },
  removed: { colour: 'yellow', sign: '!' },
  drift: { colour: 'yellow', sign: '!' },
  warning: { colour: 'yellow', sign: '!' },
  calm: { colour: 'green', sign: '✓' },
  unreadable: { colour: 'dim', sign: '!' },
  quiet: { colour: 'dim', sign: '' },
};

export function noticeLines({ kind, title, messages, hint }: Notice, options: DocumentTextOptions): string[] {
  const { paint, width, full = false } = options;
  const { colour, sign } = NOTICES[kind];
  const plainMessages = messages.filter(({ code }) => code === null);
  const follow = plainMessages.every((message) => message.campaigns.some(({ anchor }) => anchor !== null));
  const most = full || !follow ? plainMessages.length : MAX_LISTED;
  return [
    '',
    ...wrap(paint(colour, title), width),
    ...messageLines(plainMessages, { width, most, more: ': see below' }),
    ...messages
      .filter(({ code }) => code !== null)
      .flatMap((problem) => codedLines(problem, paint(colour, `${sign} ${problem.code}`), options)),
    ...hintLines(hint, '    ', options),
  ];
}

/** `more`: how to see the others. */
export function messageLines(
  messages: readonly Message[],
  { width, most, more }: { width: number; most: number; more: string },
): string[] {
  const rest = messages.slice(most).reduce((sum, message) => sum + message.campaigns.length, 0);
  return [
    ...messages.slice(0, most).flatMap(({ campaigns, text }) => {
      const names = campaigns.map(({ name }) => unbroken(visibleLine(name)));
      const line = [listed(names), visibleLine(text)].filter(Boolean).join(': ');
      return indented(line, '  ', width - 2);
    }),
    ...(rest === 0 ? [] : [`  and ${thousands(rest)} more${more}`]),
  ];
}

function codedLines(
  { campaigns, text, hint, blocks }: Message,
  head: string,
  options: DocumentTextOptions,
): string[] {
  const { paint, width, full = false } = options;
  const times = campaigns.length > 1 ? ` ${campaigns.length} ×` : '';
  const names = campaigns.map(({ name }) => unbroken(visibleLine(name)));
  const shown = full || blocks.length <= MAX_BLOCKS ? blocks : blocks.slice(0, 1);
  // Their cards follow.
  const most = !full && campaigns.every(({ anchor }) => anchor !== null) ? MAX_REPEATED : campaigns.length;
  const hidden = blocks.length - shown.length;
  return [
    ...indented(names.length === 0 ? head : `${head}${times}  ${listed(names, most)}`, '  ', width),
    ...wrap(visibleLine(text), width - 6).map((line) => `      ${paint('dim', line)}`),
    ...hintLines(hint, '      ', options),
    ...shown.flatMap(({ where, lines }) => [
      ...wrap(visibleLine(where), width - 8).map((line) => `        ${paint('dim', line)}`),
      ...lines.map((line) => `          ${visibleLine(line)}`),
    ]),
    ...(hidden === 0
      ? []
      : [`        ${paint('dim', `--full also shows the lines for ${count(hidden, 'other campaign')}.`)}`]),
  ];
}
