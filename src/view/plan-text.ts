import { type Change, campaignsWithSteps, type Plan, type Step } from '../model/outputs.js';
import { count, listed, thousands } from '../model/words.js';
import { byHandText } from './by-hand.js';
import { type ChangeView, type EmailView, groupSections, viewChanges } from './changes.js';
import { splitLines } from './diffs.js';
import { isHeadline, type Message, type Notice, type NoticeKind } from './plan-notices.js';
import {
  approvalWords,
  type CampaignBlock,
  type CampaignView,
  type Count,
  countWords,
  groupByFacts,
  type Look,
  type PlanView,
  type SectionView,
  viewPlan,
} from './plan-view.js';
import { hintLines } from './problems.js';
import {
  type Colour,
  plain,
  type TextOptions,
  visibleCopy,
  visibleCopyLine,
  visibleLine,
} from './terminal.js';
import { textDiff } from './text-diff.js';
import { broken, cut, environmentWords, hanging, unbroken, wrap } from './words.js';

/** Maximum number of campaigns shown in full. If there are more, new ones take one or two lines. */
const MAX_WHOLE = 25;
const BRIEF =
  'New campaigns are shown in brief, because the plan is long. --target NAME shows one in full; --full shows all of them.';
/** Number of lines after which the summary is repeated. */
const SCREEN = 30;
/** Maximum number of messages in a notice if the campaigns repeat them. */
const MAX_LISTED = 12;
const MAX_BLOCKS = 2;

/**
 * `full`: shortens nothing. `asks`: true if a question with the summary follows. `place`: flags that select the project.
 */
export interface PlanTextOptions extends TextOptions {
  full?: boolean;
  asks?: boolean;
  place?: string;
}

export function renderPlanText(plan: Plan, options: PlanTextOptions = { paint: plain, width: 100 }): string {
  const { asks = false, place } = options;
  const view = viewPlan(plan, place === undefined ? undefined : () => place);
  const lines = [...headLines(view, options), ...bodyLines(view, options)];
  if (lines.length > SCREEN && !asks) lines.push('', ...closingLines(view, options));
  return lines.map((line) => `${line}\n`).join('');
}

/** Everything below the head. */
export function bodyLines(view: PlanView, options: PlanTextOptions): string[] {
  const { paint, width, full = false } = options;
  const blocks = [...view.launches, ...view.others].flatMap((block) => (full ? ungrouped(block) : [block]));
  const isBrief = (block: CampaignBlock | undefined) =>
    !full &&
    blocks.length > MAX_WHOLE &&
    block?.campaigns.length === 1 &&
    block.campaigns[0].campaign.action === 'create';
  return [
    ...view.notices.flatMap((notice) => noticeLines(notice, options)),
    ...blocks.flatMap((block, at) => [
      ...(isBrief(block) && isBrief(blocks[at - 1]) ? [] : ['']),
      ...(isBrief(block) ? briefLines(block.campaigns[0], options) : blockLines(block, options)),
    ]),
    ...(blocks.some(isBrief) ? ['', ...hanging(paint('dim', BRIEF), width)] : []),
    ...view.notes.flatMap((notice) => noticeLines(notice, options)),
    ...byHandText(view.byHand, options),
  ];
}

/** Splits a group of campaigns that attach leads, because the line of a grouped campaign shortens its leads. */
function ungrouped(block: CampaignBlock): CampaignBlock[] {
  const attaches = ({ sections }: CampaignView) => sections.some(({ section }) => section === 'leads');
  if (!block.campaigns.some(attaches)) return [block];
  return block.campaigns.map((view) => ({ campaigns: [view], sections: view.sections, title: null }));
}

const COLOURS: Record<Look, Colour | null> = {
  new: 'green',
  changed: 'yellow',
  blocked: 'red',
  launch: 'magenta',
  quiet: null,
};

function painted(paint: TextOptions['paint'], look: Look, text: string): string {
  const colour = COLOURS[look];
  return colour === null ? text : paint(colour, text);
}

function headLines(view: PlanView, { paint, width }: TextOptions): string[] {
  const { heading, environment, service, legend, unread, volume } = view;
  const lines = [
    summaryLine(view, paint),
    ...(volume === null ? [] : [volume]),
    ...(unread === null ? [] : [paint('yellow', unread)]),
    ...(legend === null ? [] : [paint('dim', legend)]),
  ];
  return [
    ...wrap(paint('bold', `${heading} ${environment} (${service})`), width),
    '',
    ...lines.flatMap((line) => indented(line, '  ', width)),
  ];
}

function indented(text: string, indent: string, width: number): string[] {
  return hanging(text, width - indent.length).map((line) => `${indent}${broken(line)}`);
}

function summaryLine({ verdict, counts }: PlanView, paint: TextOptions['paint']): string {
  if (verdict !== null) return verdict;
  const words = (all: PlanView['counts']['rest'], separator: string) =>
    all
      .map(({ look, number, words }) => painted(paint, look, unbroken(`${thousands(number)} ${words}`)))
      .join(separator);
  return [words(counts.campaigns, ', '), words(counts.rest, '\u00a0· ')].filter(Boolean).join('\u00a0· ');
}

function closingLines(view: PlanView, { paint, width }: TextOptions): string[] {
  const title = paint('bold', `${view.heading} ${view.environment}:`);
  const needed = approvalWords(view.approvals);
  return [
    ...indented(`${title} ${summaryLine(view, paint)}`, '', width),
    ...(view.refusal === null ? [] : hanging(paint('red', view.refusal), width)),
    ...(needed === '' ? [] : hanging(paint('magenta', `Needs approval: ${needed}.`), width)),
  ];
}

const NOTICES: Record<NoticeKind, { colour: Colour; sign: string }> = {
  launch: { colour: 'magenta', sign: '!' },
  raise: { colour: 'magenta', sign: '!' },
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
};

/** The launches are shown below their notice, so the notice does not list them. */
function noticeLines({ kind, title, messages, hint }: Notice, options: PlanTextOptions): string[] {
  const { paint, width, full = false } = options;
  const { colour, sign } = NOTICES[kind];
  const plainMessages = kind === 'launch' ? [] : messages.filter(({ code }) => code === null);
  const follow = plainMessages.every((message) => message.campaigns.some(({ anchor }) => anchor !== null));
  const most = full || !follow ? plainMessages.length : MAX_LISTED;
  return [
    '',
    ...wrap(paint(colour, title), width),
    ...plainLines(plainMessages, { width, most, more: ': see below' }),
    ...messages
      .filter(({ code }) => code !== null)
      .flatMap((problem) => problemLines(problem, paint(colour, `${sign} ${problem.code}`), options)),
    ...hintLines(hint, '    ', options),
  ];
}

/** `more`: how to see the others. */
export function plainLines(
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

function problemLines(
  { campaigns, text, hint, blocks }: Message,
  head: string,
  options: PlanTextOptions,
): string[] {
  const { paint, width, full = false } = options;
  const times = campaigns.length > 1 ? ` ${campaigns.length} ×` : '';
  const names = campaigns.map(({ name }) => unbroken(visibleLine(name)));
  const shown = full ? blocks : blocks.slice(0, MAX_BLOCKS);
  const hidden = blocks.length - shown.length;
  return [
    ...indented(names.length === 0 ? head : `${head}${times}  ${listed(names)}`, '  ', width),
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

function blockLines({ campaigns, sections, title }: CampaignBlock, options: PlanTextOptions): string[] {
  const { paint, width } = options;
  const [view] = campaigns;
  return [
    ...(title === null ? whereLines(view, options) : [nameLine({ ...view, name: title }, options)]),
    ...(title === null ? launchLines(view, options) : []),
    ...(view.succession === null ? [] : indented(paint('yellow', view.succession), '    ', width)),
    ...(view.origin === null ? [] : indented(paint('yellow', view.origin), '    ', width)),
    ...sections.flatMap((section) => sectionLines(section, options)),
    ...sentLines(view, options),
    ...renderCodes(view, options),
    ...(title === null ? [] : memberLines(campaigns, options)),
  ];
}

function sentLines({ sends }: CampaignView, options: PlanTextOptions): string[] {
  if (sends.length === 0) return [];
  const lines = emailLines(sends, options).map((line) => `      ${line}`);
  return [`    ${options.paint('bold', 'sends')}`, ...lines];
}

function launchLines({ mailsNewLeads, leadFacts }: CampaignView, { width }: TextOptions): string[] {
  return mailsNewLeads && leadFacts !== null ? indented(visibleLine(leadFacts), '    ', width) : [];
}

function memberLines(campaigns: readonly CampaignView[], { paint, width }: TextOptions): string[] {
  const lines = groupByFacts(campaigns).flatMap(([facts, members]) => {
    const names = members.map(({ name }) => unbroken(visibleLine(name))).join(', ');
    return indented([names, visibleLine(facts)].filter(Boolean).join(': '), '      ', width);
  });
  return [`    ${paint('bold', 'campaigns')}`, ...lines];
}

function whereLines(view: CampaignView, options: TextOptions): string[] {
  const { paint, width } = options;
  const [head, where] = [nameLine(view, options), visibleLine(view.where)];
  const length = nameLine(view, { ...options, paint: plain }).length + 2 + where.length;
  if (length <= width) return [`${head}  ${paint('dim', where)}`];
  return [head, ...indented(paint('dim', where), '    ', width)];
}

function briefLines(view: CampaignView, options: TextOptions): string[] {
  const room = Math.max(20, options.width - nameLine(view, { ...options, paint: plain }).length - 2);
  const words = [...view.themes, ...(view.isLaunch || view.leadFacts === null ? [] : [view.leadFacts])];
  const themes = cut(words.map(visibleLine).join(' · '), room);
  const themesText = themes && `  ${options.paint('dim', themes)}`;
  const subjects = view.isLaunch
    ? view.subjects.map(({ subject, isVariant }) => `${isVariant ? 'or ' : ''}"${visibleCopyLine(subject)}"`)
    : [];
  return [
    `${nameLine(view, options)}${themesText}`,
    ...launchLines(view, options),
    ...(subjects.length === 0 ? [] : indented(`sends ${subjects.join(', ')}`, '    ', options.width)),
    ...renderCodes(view, options),
  ];
}

function nameLine({ sign, name, facts }: CampaignView, { paint }: TextOptions): string {
  const [action, ...others] = facts;
  const words = others.map((fact) =>
    painted(paint, fact.look, fact.look === 'launch' ? fact.words.toUpperCase() : fact.words),
  );
  const head = painted(paint, action?.look ?? 'quiet', `${sign} ${visibleLine(name)}`);
  return `${head}  ${[action?.words ?? '', ...words].join(' · ')}`;
}

function renderCodes({ codes }: CampaignView, { paint }: TextOptions): string[] {
  return codes.length === 0 ? [] : [`    ${paint('dim', `see: ${codes.join(', ')}`)}`];
}

/** For each request, shows `METHOD path` and the body as one line of JSON. */
export function renderRequestsText(plan: Plan): string {
  const request = ({ method, path, body }: Step) =>
    `${method} ${path}\n${body === null ? '' : `  ${visibleLine(JSON.stringify(body))}\n`}`;
  return campaignsWithSteps(plan)
    .map(({ name, steps }) => `# ${visibleLine(name)}\n${steps.map(request).join('')}\n`)
    .join('');
}

export function changeLines(changes: readonly Change[], options: TextOptions): string[] {
  return groupSections(changes).flatMap((section) =>
    sectionLines({ ...section, isWithheld: false, compared: '' }, options),
  );
}

function sectionLines(
  { section, changes, isWithheld, compared }: SectionView,
  options: PlanTextOptions,
): string[] {
  const { paint } = options;
  const lines = viewChanges(changes).flatMap((change) => oneChange(change, options));
  if (section === 'campaign') return lines.map((line) => `    ${line}`);
  const mark = isWithheld ? `  ${paint('red', 'not applied')}` : '';
  const beside = compared && `  ${paint('dim', compared)}`;
  const head = `    ${paint('bold', section)}${mark}${beside}`;
  if (section === 'status') return lines.map((line) => `${head}  ${line}`);
  return [head, ...lines.map((line) => `      ${line}`)];
}

function oneChange(change: ChangeView, options: PlanTextOptions): string[] {
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

function emailLines(emails: readonly EmailView[], { width, full = false }: PlanTextOptions): string[] {
  return emails.flatMap(({ label, email, how }) => {
    const head = `${label}: ${visibleCopyLine(email.email_subject)}  (${how})`;
    if (full) return [head, ...splitLines(email.email_body).map((text) => `     ${visibleCopy(text)}`)];
    const body = email.email_body.replace(/<[^<>]*>/g, ' ').replace(/[ \t\r\n]+/g, ' ');
    const room = width - head.length - 10;
    return room < 12 ? hanging(head, width - 10) : [`${head}  ${cut(visibleCopyLine(body.trim()), room)}`];
  });
}

const MAX_LAUNCHES = 15;

export function renderQuestion(plan: Plan, width = 100): string {
  const { counts, notices } = viewPlan(plan);
  const shownCounts = (all: readonly Count[]) => all.filter(({ kind }) => SHOWN.has(kind));
  const accepted = notices.filter(({ kind }) => kind === 'accepted').flatMap(({ messages }) => messages);
  const fitted = (line: string) => (line === '' ? [] : hanging(line, width - 4));
  const launches = { width: width - 2, most: MAX_LAUNCHES, more: '' };
  const lines = [
    ...fitted(countWords({ campaigns: shownCounts(counts.campaigns), rest: shownCounts(counts.rest) })),
    ...notices
      .filter(isHeadline)
      .flatMap(({ title, messages }) => [...fitted(title), ...plainLines(messages, launches)]),
    ...[...new Set(accepted.map(({ code, hint }) => `${code}: ${visibleLine(hint)}`))].flatMap(fitted),
  ];
  const sentences = lines.map((line) => `  ${line}\n`).join('');
  return `\nThis sends ${count(plan.summary.requests, 'request')} to ${environmentWords(plan)}:\n${sentences}Type "yes" to send: `;
}

const SHOWN: ReadonlySet<Count['kind']> = new Set(['create', 'change', 'blocked', 'pause']);
