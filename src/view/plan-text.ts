import {
  type Change,
  type ContentEmail,
  campaignsWithSteps,
  type Plan,
  type Step,
} from '../model/outputs.js';
import type { DesiredStep } from '../model/spec.js';
import { count, thousands } from '../model/words.js';
import { byHandText } from './by-hand.js';
import { type ChangeView, groupSections, howSent, showing, shownPair, viewChanges } from './changes.js';
import { diffBody, linesOf, type Stretch, sidesOf, stretchText } from './diffs.js';
import type { Notice, NoticeKind, Saying } from './plan-notices.js';
import {
  approvalSteps,
  type CampaignBlock,
  type CampaignView,
  type Look,
  type PlanView,
  type SectionView,
  viewPlan,
} from './plan-view.js';
import { hintLines, moreFound, placed } from './problems.js';
import {
  type Colour,
  plain,
  type TextOptions,
  visibleCopy,
  visibleCopyLine,
  visibleLine,
} from './terminal.js';
import { broken, cut, hanging, namesWithin, short, unbroken, wrap } from './words.js';

/** Campaigns shown completely; above, new ones take a line or two. */
const MOST_WHOLE = 25;
const BRIEF =
  'New campaigns are shown in brief, since the plan is long. --target NAME shows one in full, --full all of them.';
/** Lines after which the summary is repeated. */
const SCREEN = 30;
/** Campaigns that a message lists. */
const MOST_LISTED = 12;
/** Names of equal campaigns. */
const MOST_NAMES = 60;

/** `full`: nothing shortened. `asks`: a question with the summary follows. */
export interface PlanTextOptions extends TextOptions {
  full?: boolean;
  asks?: boolean;
}

/** Counts, alerts, differing campaigns, notes, and the counts again. */
export function renderPlanText(plan: Plan, options: PlanTextOptions = { paint: plain, width: 100 }): string {
  const { paint, full = false, asks = false } = options;
  const view = viewPlan(plan);
  const { blocks } = view;
  const isBrief = (block: CampaignBlock | undefined) =>
    !full &&
    blocks.length > MOST_WHOLE &&
    block?.campaigns.length === 1 &&
    block.campaigns[0].action === 'create';
  const lines = [
    ...headLines(view, options),
    ...view.notices.flatMap((notice, at) => noticeLines(notice, options, at === 0)),
  ];
  for (const [at, block] of blocks.entries()) {
    if (!isBrief(block)) lines.push('', ...blockLines(block, options));
    else lines.push(...(isBrief(blocks[at - 1]) ? [] : ['']), ...briefLines(block.campaigns[0], options));
  }
  if (blocks.some(isBrief)) lines.push('', ...wrap(BRIEF, options.width).map((line) => paint('dim', line)));
  lines.push(
    ...view.notes.flatMap((notice) => noticeLines(notice, options, false)),
    ...byHandText(view.byHand, options),
  );
  if (lines.length > SCREEN && !asks) lines.push('', ...closingLines(view, options));
  return lines.map((line) => `${line}\n`).join('');
}

const COLOURS: Record<Look, Colour | null> = {
  new: 'green',
  changed: 'yellow',
  blocked: 'red',
  launch: 'magenta',
  quiet: null,
};

function headLines(view: PlanView, { paint, width }: TextOptions): string[] {
  const { heading, environment, base_url, legend, unread, volume } = view;
  const unreadLines = unread === null ? [] : wrap(unread, width - 2);
  return [
    ...wrap(`${heading} ${environment} (${base_url})`, width).map((line) => paint('bold', line)),
    '',
    ...summaryLines(view, { paint, width: width - 2 }).map((line) => `  ${line}`),
    ...(volume === null ? [] : wrap(volume, width - 2).map((line) => `  ${line}`)),
    ...unreadLines.map((line) => `  ${paint('yellow', line)}`),
    ...(legend === null ? [] : [`  ${paint('dim', legend)}`]),
  ];
}

/** Breaks between counts. */
function summaryLines({ verdict, counts }: PlanView, { paint, width }: TextOptions, lead = ''): string[] {
  if (verdict !== null) return hanging(`${lead}${verdict}`, width);
  const last = counts.campaigns.length - 1;
  const all = [...counts.campaigns, ...counts.rest];
  const parts = all.map(({ look, number, words }, at) => {
    const end = at < last ? ',' : at < all.length - 1 ? ' ·' : '';
    return { look, text: `${thousands(number)} ${words}`, end };
  });
  const lines = [lead];
  let column = lead.length;
  for (const [at, { look, text, end }] of parts.entries()) {
    const isNext = column > 0 && column + 1 + text.length + end.length > width;
    const gap = isNext ? '  ' : at === 0 ? '' : ' ';
    const countText = `${gap}${painted(paint, look, text)}${end}`;
    if (isNext) lines.push(countText);
    else lines.push(`${lines.pop()}${countText}`);
    column = (isNext ? 0 : column) + gap.length + text.length + end.length;
  }
  return lines;
}

/** Repeats what has left the screen. */
function closingLines(view: PlanView, { paint, width }: TextOptions): string[] {
  const { heading, environment, approvals } = view;
  const title = `${heading} ${environment}: `;
  const needed = approvalSteps(view).map(visibleLine).join(' ');
  return [
    ...summaryLines(view, { paint, width }, title).map((line) => line.replace(title, paint('bold', title))),
    ...(approvals.length === 0 ? [] : hanging(needed, width).map((line) => paint('magenta', line))),
  ];
}

function painted(paint: TextOptions['paint'], look: Look, text: string): string {
  const colour = COLOURS[look];
  return colour === null ? text : paint(colour, text);
}

const NOTICES: Record<NoticeKind, { colour: Colour; sign: string }> = {
  launch: { colour: 'magenta', sign: '!' },
  hazard: { colour: 'magenta', sign: '!' },
  accepted: { colour: 'green', sign: '✓' },
  blocked: { colour: 'red', sign: '✗' },
  removed: { colour: 'yellow', sign: '!' },
  drift: { colour: 'yellow', sign: '!' },
  warning: { colour: 'yellow', sign: '!' },
  irreversible: { colour: 'yellow', sign: '!' },
  calm: { colour: 'green', sign: '✓' },
  unreadable: { colour: 'dim', sign: '!' },
};

function noticeLines(
  { kind, title, sayings, hint }: Notice,
  options: PlanTextOptions,
  isFirst: boolean,
): string[] {
  const { paint, width } = options;
  const { colour, sign } = NOTICES[kind];
  const titles = wrap(title, width).map((line) => paint(colour, line));
  const problems = sayings.filter(({ code }) => code !== null);
  const plainOnes = sayings.filter(({ code }) => code === null);
  const follow = plainOnes.every((saying) => saying.campaigns.some(({ anchor }) => anchor !== null));
  const most = options.full || !follow ? plainOnes.length : MOST_LISTED;
  const rest = plainOnes.slice(most).reduce((sum, saying) => sum + saying.campaigns.length, 0);
  return [
    ...(isFirst && kind === 'irreversible' ? [] : ['']),
    ...titles,
    ...plainOnes.slice(0, most).flatMap((saying) => {
      const text = [namesOf(saying, width), visibleLine(saying.message)].filter(Boolean).join(': ');
      return hanging(text, width - 4).map((line) => `  ${line}`);
    }),
    ...(rest === 0 ? [] : [`  and ${thousands(rest)} more: --full lists them`]),
    ...problems.flatMap((saying) =>
      problemSaying(saying, (code) => paint(colour, `${sign} ${code}`), options),
    ),
    ...hintLines(hint, '    ', options),
  ];
}

function namesOf({ campaigns }: Saying, room: number): string {
  return namesWithin(
    campaigns.map(({ name }) => visibleLine(name)),
    room,
  );
}

/** Campaigns with lines to copy. */
const MOST_BLOCKS = 2;

function problemSaying(saying: Saying, head: (code: string) => string, options: PlanTextOptions): string[] {
  const { paint, width, full = false } = options;
  const { code, campaigns, hint, blocks, more, accepted_by } = saying;
  const times = campaigns.length > 1 ? ` ${campaigns.length} ×` : '';
  const whom = namesOf(saying, Math.max(40, width - (code ?? '').length - 22));
  const shown = full ? blocks : blocks.slice(0, MOST_BLOCKS);
  const hidden = blocks.length - shown.length;
  return [
    `  ${head(code ?? '')}${times}${whom && `  ${whom}`}`,
    ...wrap(visibleLine(placed(saying)), width - 6).map((line) => `      ${paint('dim', line)}`),
    ...(more === 0 ? [] : [`      ${paint('dim', moreFound(more))}`]),
    ...hintLines(hint, '      ', options),
    ...shown.flatMap(({ where, lines }) => [
      ...wrap(visibleLine(where), width - 8).map((line) => `        ${paint('dim', line)}`),
      ...lines.map((line) => `          ${visibleLine(line)}`),
    ]),
    ...(hidden === 0
      ? []
      : [`        ${paint('dim', `--full shows the lines for ${thousands(hidden)} more.`)}`]),
    ...(accepted_by === null ? [] : [`      accepted by ${visibleLine(accepted_by)}`]),
  ];
}

function blockLines(
  { campaigns, sections, title, differs }: CampaignBlock,
  options: PlanTextOptions,
): string[] {
  const { paint, width, full = false } = options;
  const [view] = campaigns;
  const most = full ? campaigns.length : MOST_NAMES;
  const rest = campaigns.length - most;
  const origin = view.origin === null ? [] : wrap(view.origin, width - 4);
  const shown = campaigns.slice(0, most);
  const names = differs
    ? shown.flatMap(({ name, leadFacts }) =>
        hanging(visibleLine(leadFacts === null ? name : `${name}: ${leadFacts}`), width - 6).map(
          (line) => `      ${line}`,
        ),
      )
    : listLines(
        shown.map(({ name }) => visibleLine(name)),
        width - 6,
      );
  return [
    ...(title === null ? whereLines(view, options) : [nameLine({ ...view, name: title }, options)]),
    ...origin.map((line) => `    ${paint('yellow', line)}`),
    ...sections.flatMap((section) => sectionLines(section, options)),
    ...launchedEmails(view, options),
    ...codesOf(view, options),
    ...(title === null
      ? []
      : [
          `    ${paint('bold', 'campaigns')}`,
          ...names,
          ...(rest > 0 ? [`      and ${thousands(rest)} more: --full lists them`] : []),
        ]),
  ];
}

/** Unchanged emails of a launch. */
function launchedEmails({ emails }: CampaignView, options: PlanTextOptions): string[] {
  if (emails === null || emails.length === 0) return [];
  const { paint, width } = options;
  return [
    `    ${paint('bold', 'sends')}`,
    ...emails.flatMap((email, at) => [
      `      ${at + 1}. ${emailLine(email, { ...options, width: width - 10 })}`,
      ...wholeBody(email, options).map((line) => `      ${line}`),
    ]),
  ];
}

/** Where the campaign is, below if there is no room beside. */
function whereLines(view: CampaignView, options: TextOptions): string[] {
  const { paint, width } = options;
  const [head, where] = [nameLine(view, options), visibleLine(view.where)];
  const length = nameLine(view, { ...options, paint: plain }).length + 2 + where.length;
  if (length <= width) return [`${head}  ${paint('dim', where)}`];
  return [head, ...wrap(where, width - 4).map((line) => `    ${paint('dim', line)}`)];
}

function listLines(names: readonly string[], width: number): string[] {
  const parts = names.map((name, at) => unbroken(`${name}${at < names.length - 1 ? ' ·' : ''}`));
  return wrap(parts.join(' '), width).map((line) => `      ${broken(line)}`);
}

function briefLines(view: CampaignView, options: TextOptions): string[] {
  const room = Math.max(20, options.width - nameLine(view, { ...options, paint: plain }).length - 2);
  const words = [...view.themes, ...(view.leads === null ? [] : [view.leads])];
  const themes = cut(words.map(visibleLine).join(' · '), room);
  const themesText = themes && `  ${options.paint('dim', themes)}`;
  return [`${nameLine(view, options)}${themesText}`, ...codesOf(view, options)];
}

function nameLine({ sign, name, facts }: CampaignView, { paint }: TextOptions): string {
  const [action, ...others] = facts;
  const words = others.map((fact) =>
    painted(paint, fact.look, fact.look === 'launch' ? fact.words.toUpperCase() : fact.words),
  );
  const head = painted(paint, action?.look ?? 'quiet', `${sign} ${visibleLine(name)}`);
  return `${head}  ${[action?.words ?? '', ...words].join(' · ')}`;
}

function codesOf({ problems }: CampaignView, { paint }: TextOptions): string[] {
  const codes = [...new Set(problems.map(({ code }) => code))].filter((code) => code !== 'launch');
  return codes.length === 0 ? [] : [`    ${paint('dim', `see above: ${codes.join(', ')}`)}`];
}

/** `METHOD path`, and the body as a line of JSON. */
export function renderRequestsText(plan: Plan): string {
  const request = ({ method, path, body }: Step) =>
    `${method} ${path}\n${body === null ? '' : `  ${visibleLine(JSON.stringify(body))}\n`}`;
  return campaignsWithSteps(plan)
    .map(({ name, steps }) => `# ${visibleLine(name)}\n${steps.map(request).join('')}\n`)
    .join('');
}

/** A block a section. */
export function changeLines(changes: readonly Change[], options: TextOptions): string[] {
  return groupSections(changes).flatMap((section) =>
    sectionLines({ ...section, sent: true, compared: null }, options),
  );
}

function sectionLines(view: Omit<SectionView, 'drift'>, options: PlanTextOptions): string[] {
  const { section, changes, sent, compared } = view;
  const { paint } = options;
  const head = `    ${paint('bold', section)}`;
  const mark = sent ? '' : `  ${paint('red', 'not sent')}`;
  const lines = viewChanges(changes).flatMap((change) => oneChange(change, options));
  if (section === 'campaign') return lines.map((line) => `    ${line}`);
  if (section === 'status') return lines.map((line) => `${head}  ${line}${mark}`);
  const beside = compared && `  ${paint('dim', compared)}`;
  return [`${head}${mark}${beside ?? ''}`, ...lines.map((line) => `      ${line}`)];
}

function oneChange(change: ChangeView, options: PlanTextOptions): string[] {
  const { paint, width } = options;
  const note = change.note && paint('dim', `  (${visibleLine(change.note)})`);
  const isGone = 'isNew' in change && !change.isNew;
  const line = (text: string) => (isGone ? paint('red', `- ${text}`) : paint('green', `+ ${text}`));
  const emails = ({ variants, ...email }: DesiredStep, lead: string, room: number, suffix: string) => [
    `${line(`${lead}${emailLine(email, { ...options, width: room })}`)}${suffix}`,
    ...wholeBody(email, options).map(line),
    ...variants.flatMap((variant, at) => [
      line(`   variant ${at + 1}  ${emailLine(variant, { ...options, width: room - 10 })}`),
      ...wholeBody(variant, options).map(line),
    ]),
  ];
  if (change.form === 'line') return [`${line(change.line)}${note}`];
  if (change.form === 'sequence')
    return [
      `${line(`"${change.title}", ${count(change.steps.length, 'email')}`)}${note}`,
      ...change.steps.flatMap((step, at) => emails(step, `${at + 1}. `, width - 14, '')),
    ];
  const { name } = change;
  const room = Math.max(30, width - name.length - 12);
  const show = showing(name);
  switch (change.form) {
    case 'update': {
      const [from, to] = shownPair(change, 70);
      const arrow = paint('yellow', '→');
      const head = name && `${paint('yellow', '~')} ${name}`;
      const length = name.length + `${from}${to}`.length + 14;
      if (name === '' || length <= width) {
        const line = `${head}${head && '  '}${from} ${arrow} ${to}`;
        if (length + change.note.length <= width + 6) return [`${line}${note}`];
        return [
          line,
          ...wrap(`(${visibleLine(change.note)})`, width - 12).map(
            (noteLine) => `    ${paint('dim', noteLine)}`,
          ),
        ];
      }
      const side = (text = '') => wrap(text, width - 12);
      return [
        `${head}${note}`,
        ...side(from).map((line) => `      ${line}`),
        ...side(to).map((line, at) => `    ${at === 0 ? arrow : ' '} ${line}`),
      ];
    }
    case 'text':
      return [
        `${paint('yellow', '~')} ${name}${note}`,
        ...textDiff(change.from, change.to, { ...options, width: width - 12 }),
      ];
    case 'value':
      return [`${line(`${name}  ${short(change.value, room, show)}`)}${note}`];
    case 'email':
      return emails(change.step, `${name}  `, room, note);
  }
}

/** The body, with `full`. */
function wholeBody({ email_body }: ContentEmail, { full = false }: PlanTextOptions): string[] {
  return full ? linesOf(email_body).map((text) => `     ${visibleCopy(text)}`) : [];
}

/** Subject, mode, and the body's beginning unless it follows. */
function emailLine(email: ContentEmail, { width, full = false }: PlanTextOptions): string {
  const head = `${visibleCopyLine(email.email_subject)}  (${howSent(email)})`;
  if (full) return head;
  const body = email.email_body.replace(/<[^<>]*>/g, ' ').replace(/[ \t\r\n]+/g, ' ');
  const words = visibleCopyLine(body.replace(/^ | $/g, ''));
  const room = width - head.length - 3;
  return room < 12 ? cut(head, Math.max(width, 20)) : `${head}  ${cut(words, room)}`;
}

const SIDES = { ' ': 'dim', '-': 'red', '+': 'green' } as const;

/** Changed lines with one line around; long lines are shortened. `full`: everything. */
function textDiff(from: string, to: string, { paint, width, full = false }: PlanTextOptions): string[] {
  return diffBody(from, to, full ? Number.MAX_SAFE_INTEGER : 1).flatMap((row) => {
    if (row.kind === 'folded') return [paint('dim', '    …')];
    const line = row.stretches.map((stretch) => ({ ...stretch, text: stretchText(stretch) }));
    return sidesOf(line).map(({ sign, stretches }) => {
      const shown = excerpt(stretches, full ? Number.MAX_SAFE_INTEGER : width);
      return paint(SIDES[sign], `    ${sign} ${shown}`);
    });
  });
}

/** Characters shown on either side of a change in a long line. */
const AROUND = 24;

/** Shortens unchanged stretches to `width`. */
function excerpt(stretches: readonly Stretch[], width: number): string {
  const length = stretches.reduce((sum, { text }) => sum + text.length, 0);
  if (length <= width || stretches.length === 1)
    return cut(visibleCopy(stretches.map(({ text }) => text).join('')), width);
  const parts = stretches.map(({ kind, text }, index) => {
    if (kind !== 'same') return text;
    const start = index === 0 ? '' : text.slice(0, AROUND);
    const end = index === stretches.length - 1 ? '' : text.slice(-AROUND);
    return text.length <= 2 * AROUND ? text : `${start}…${end}`;
  });
  return visibleCopy(parts.join(''));
}
