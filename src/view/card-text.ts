/** Campaigns of a document in a terminal. */
import type { ChangeView, EmailView } from './changes.js';
import { splitLines } from './diffs.js';
import { type Card, FATE_LOOKS, type Member, type Part } from './document.js';
import { painted } from './looks.js';
import type { DocumentTextOptions } from './options.js';
import type { CampaignLink } from './plan-notices.js';
import { plain, type TextOptions, visibleCopy, visibleCopyLine, visibleLine } from './terminal.js';
import { textDiff } from './text-diff.js';
import { cut, hanging, indented, unbroken, wrap } from './words.js';

export function cardsLines(cards: readonly Card[], options: DocumentTextOptions, isBrief: boolean): string[] {
  const takesLine = (card: Card | undefined) => isBrief && card?.isNew === true && card.members.length === 1;
  const isShort = (card: Card | undefined) => takesLine(card) || (card !== undefined && isBare(card));
  return cards.flatMap((card, at) => [
    ...(isShort(card) && isShort(cards[at - 1]) ? [] : ['']),
    ...(takesLine(card) ? briefLines(card, options) : cardLines(card, options)),
  ]);
}

function isBare({ parts, codes, remarks, members }: Card): boolean {
  return parts.length + codes.length + remarks.length === 0 && members.length === 1;
}

function cardLines(card: Card, options: DocumentTextOptions): string[] {
  const { paint, width } = options;
  return [
    ...whereLines(card, options),
    ...leadLines(card, options),
    ...card.remarks.flatMap((words) => indented(paint('yellow', words), '    ', width)),
    ...card.parts.flatMap((part) => partLines(part, options)),
    ...codeLines(card, options),
    ...(card.members.length === 1 ? [] : memberLines(card.members, options)),
  ];
}

/** If they say more than the changes of leads, which follow. */
function leadLines({ leads, explainsLeads }: Card, { width }: TextOptions): string[] {
  return leads === null || !explainsLeads ? [] : indented(visibleLine(leads), '    ', width);
}

function memberLines(members: readonly Member[], options: DocumentTextOptions): string[] {
  const { paint, width, full = false } = options;
  const groups = new Map<string, string[]>();
  for (const { name, leads, parts } of members) {
    const facts = [leads ?? '', ...(full ? parts.flatMap(wholeValues) : [])].filter(Boolean).join(' · ');
    groups.set(facts, [...(groups.get(facts) ?? []), unbroken(visibleLine(name))]);
  }
  const lines = [...groups].flatMap(([facts, names]) =>
    indented([names.join(', '), visibleLine(facts)].filter(Boolean).join(': '), '      ', width),
  );
  return [`    ${paint('bold', 'campaigns')}`, ...lines];
}

function wholeValues(part: Part): string[] {
  if (part.is === 'emails') return [];
  return part.changes.flatMap((change) =>
    change.form === 'value' ? [`${change.name} ${change.whole}`.trim()] : [],
  );
}

function whereLines(card: Card, options: TextOptions): string[] {
  const { paint, width } = options;
  const [head, where] = [nameLine(card, options), visibleLine(card.where)];
  if (where === '') return headingLines(head, width);
  const length = nameLine(card, { ...options, paint: plain }).length + 2 + where.length;
  if (length <= width) return [`${head}  ${paint('dim', where)}`];
  return [...headingLines(head, width), ...indented(paint('dim', where), '    ', width)];
}

function headingLines(text: string, width: number): string[] {
  return wrap(text, width).length === 1 ? [text] : hanging(text, width - 2);
}

function briefLines(card: Card, options: TextOptions): string[] {
  const { themes, isLaunch, leads, subjects } = card;
  const room = Math.max(20, options.width - nameLine(card, { ...options, paint: plain }).length - 2);
  const words = [...themes, ...(isLaunch || leads === null ? [] : [leads])];
  const short = cut(words.map(visibleLine).join(' · '), room);
  const quoted = isLaunch
    ? subjects.map(({ subject, isVariant }) => `${isVariant ? 'or ' : ''}"${visibleCopyLine(subject)}"`)
    : [];
  return [
    ...headingLines(
      `${nameLine(card, options)}${short && `  ${options.paint('dim', short)}`}`,
      options.width,
    ),
    ...leadLines(card, options),
    ...(quoted.length === 0 ? [] : indented(`sends ${quoted.join(', ')}`, '    ', options.width)),
    ...codeLines(card, options),
  ];
}

function nameLine({ sign, title, facts }: Card, { paint }: TextOptions): string {
  const [action, ...others] = facts;
  const words = others.map((fact) =>
    painted(paint, fact.look, fact.look === 'launch' ? fact.words.toUpperCase() : fact.words),
  );
  const head = painted(paint, action?.look ?? 'quiet', `${sign} ${visibleLine(title)}`);
  return `${head}  ${[action?.words ?? '', ...words].join(' · ')}`;
}

function codeLines({ codes }: Card, { paint }: TextOptions): string[] {
  return codes.length === 0 ? [] : [`    ${paint('dim', `see: ${codes.join(', ')}`)}`];
}

export function partLines(part: Part, options: DocumentTextOptions): string[] {
  const { paint } = options;
  if (part.is === 'emails') {
    if (part.sent.length === 0) return [];
    const lines = emailLines(part.sent, options).map((line) => `      ${line}`);
    return [`    ${paint('bold', 'sends')}`, ...lines];
  }
  const { section, changes, compared, sameAs } = part;
  const lines = changes.flatMap((change) =>
    sameAs === null || options.full ? changeLines(change, options) : sameLines(change, sameAs, options),
  );
  if (section === 'campaign') return lines.map((line) => `    ${line}`);
  const mark = part.mark === null ? '' : `  ${painted(paint, FATE_LOOKS[part.mark], part.mark)}`;
  const beside = compared && `  ${paint('dim', compared)}`;
  const head = `    ${paint('bold', section)}${mark}${beside}`;
  if (section === 'status') return lines.map((line) => `${head}  ${line}`);
  return [head, ...lines.map((line) => `      ${line}`)];
}

/** `+ "Autumn sequence", 2 emails, the same as those of Spring` */
function sameLines(
  { name }: ChangeView,
  { name: other }: CampaignLink,
  { paint, width }: TextOptions,
): string[] {
  const words = `+ ${name}, the same as those of ${visibleLine(other)}`;
  return hanging(words, width - 6).map((line) => paint('green', line));
}

function changeLines(change: ChangeView, options: DocumentTextOptions): string[] {
  const { paint, width, full } = options;
  const { name } = change;
  const room = width - 6;
  const note = change.note && `  ${paint('dim', `(${visibleLine(change.note)})`)}`;
  const isGone = 'isNew' in change && !change.isNew;
  const added = (text: string) => (isGone ? paint('red', `- ${text}`) : paint('green', `+ ${text}`));
  const edited = name && `${paint('yellow', '~')} ${name}`;
  switch (change.form) {
    case 'update': {
      const isShort = name.length + change.from.length + change.to.length + 7 <= room;
      if (!isShort && name !== '') return [`${edited}${note}`, ...textDiff(change, options)];
      const line = `${edited && `${edited}  `}${change.from} ${paint('yellow', '→')} ${change.to}`;
      return hanging(`${line}${note}`, room);
    }
    case 'text':
      return [`${edited}${note}`, ...textDiff(change, options)];
    case 'value': {
      const { value, whole } = change;
      const more = full !== false || value === whole ? '' : `  ${paint('dim', '(--full shows all)')}`;
      return hanging(`${added(`${name && `${name}  `}${full ? whole : value}`)}${more}${note}`, room);
    }
    case 'emails': {
      const emails = emailLines(change.emails, { ...options, width: width - 2 });
      const [first = '', ...rest] = name === '' ? emails : [name, ...emails];
      return [`${added(first)}${note}`, ...rest.map(added)];
    }
  }
}

function emailLines(emails: readonly EmailView[], { width, full = false }: DocumentTextOptions): string[] {
  return emails.flatMap(({ label, email, how }) => {
    const head = `${label}: ${visibleCopyLine(email.email_subject)}  (${how})`;
    if (full) return [head, ...splitLines(email.email_body).map((text) => `     ${visibleCopy(text)}`)];
    const body = email.email_body.replace(/<[^<>]*>/g, ' ').replace(/[ \t\r\n]+/g, ' ');
    return [...hanging(head, width - 10), `     ${cut(visibleCopyLine(body.trim()), width - 15)}`];
  });
}
