import {
  type Change,
  type ContentEmail,
  groupProblems,
  type Plan,
  type Step,
  sendingOf,
} from '../model/outputs.js';
import type { DesiredStep } from '../model/spec.js';
import { count, thousands } from '../model/words.js';
import { type ChangeView, groupSections, howSent, showing, viewChanges } from './changes.js';
import { diffBody, type Stretch } from './diffs.js';
import { isLaunched, type Notice, type NoticeGroup, type NoticeKind } from './plan-notices.js';
import {
  type CampaignView,
  type Count,
  type Look,
  type PlanView,
  type SectionView,
  viewPlan,
} from './plan-view.js';
import { hintLines, placed, problemLines } from './problems.js';
import {
  type Colour,
  plain,
  type TextOptions,
  visibleCopy,
  visibleCopyLine,
  visibleLine,
} from './terminal.js';
import { cut, hanging, namesWithin, short, wrap } from './words.js';

/** Campaigns up to which each is shown whole; of more, new ones take a line or two. */
const MOST_WHOLE = 25;
const BRIEF = 'This plan is long, so it shows new campaigns in brief. --target NAME shows one in full.';

/** A plan for a terminal: counts, what needs a look first, every campaign that differs, then what else is to be known. */
export function renderPlanText(plan: Plan, options: TextOptions = { paint: plain, width: 100 }): string {
  const { paint } = options;
  const view = viewPlan(plan);
  const { campaigns } = view;
  const isBrief = (campaign: CampaignView | undefined) =>
    campaigns.length > MOST_WHOLE && campaign?.action === 'create';
  const lines = [
    ...headLines(view, options),
    ...view.notices.flatMap((notice) => noticeLines(notice, options)),
    ...campaigns.flatMap((campaign, at) => {
      if (!isBrief(campaign)) return ['', ...campaignLines(campaign, options)];
      return [...(isBrief(campaigns[at - 1]) ? [] : ['']), ...briefLines(campaign, options)];
    }),
    ...(campaigns.some(isBrief) ? ['', paint('dim', BRIEF)] : []),
    ...view.notes.flatMap((notice) => noticeLines(notice, options)),
  ];
  return `${lines.join('\n')}\n`;
}

const COLOURS: Record<Look, Colour | null> = {
  new: 'green',
  changed: 'yellow',
  blocked: 'red',
  launch: 'magenta',
  quiet: null,
};

function headLines(
  { heading, environment, base_url, counts, verdict, legend }: PlanView,
  { paint }: TextOptions,
): string[] {
  const counted = ({ look, number, words }: Count) => painted(paint, look, `${thousands(number)} ${words}`);
  const numbers = [counts.campaigns.map(counted).join(', '), ...counts.rest.map(counted)].join(' · ');
  return [
    paint('bold', `${heading} ${environment} (${base_url})`),
    '',
    `  ${verdict ?? numbers}`,
    ...(legend === null ? [] : [`  ${paint('dim', legend)}`]),
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

function noticeLines({ kind, title, groups }: Notice, options: TextOptions): string[] {
  const { paint, width } = options;
  const { colour, sign } = NOTICES[kind];
  const head = (code: string) => paint(colour, `${sign} ${code}`);
  const lines = groups.flatMap((group) => groupLines(group, head, options));
  return ['', ...wrap(title, width).map((line) => paint(colour, line)), ...lines];
}

/** A kind of problem: its code, then what is said of whom. A plain list has a line for each campaign. */
function groupLines(
  { code, accepted_by, hint, campaigns, sayings }: NoticeGroup,
  head: (code: string) => string,
  options: TextOptions,
): string[] {
  const { paint, width } = options;
  const names = (own: typeof campaigns, room: number) =>
    namesWithin(
      own.map(({ name }) => visibleLine(name)),
      room,
    );
  if (code === null)
    return [
      ...sayings.flatMap((saying) => {
        const text = [names(saying.campaigns, width), visibleLine(saying.message)].filter(Boolean);
        return hanging(text.join(': '), width - 4).map((line) => `  ${line}`);
      }),
      ...hintLines(hint, '    ', options),
    ];
  const isOne = sayings.length === 1;
  const times = campaigns.length > 1 ? ` ${campaigns.length} ×` : '';
  const whom = isOne ? names(campaigns, Math.max(40, width - code.length - 22)) : '';
  return [
    `  ${head(code)}${times}${whom && `  ${whom}`}`,
    ...sayings.flatMap((saying) => {
      const who = isOne || saying.campaigns.length === 0 ? '' : `${names(saying.campaigns, 40)}: `;
      const lines = wrap(`${who}${visibleLine(placed(saying))}`, width - 6);
      return [
        ...lines.map((line) => `      ${paint('dim', line)}`),
        ...hintLines(saying.hint, '      ', options),
      ];
    }),
    ...hintLines(hint, '      ', options),
    ...(accepted_by === null ? [] : [`      accepted by ${visibleLine(accepted_by)}`]),
  ];
}

function campaignLines(view: CampaignView, options: TextOptions): string[] {
  const { paint, width } = options;
  const origin = view.origin === null ? [] : wrap(view.origin, width - 4);
  return [
    `${nameLine(view, options)}  ${paint('dim', visibleLine(view.where))}`,
    ...origin.map((line) => `    ${paint('yellow', line)}`),
    ...view.sections.flatMap((section) => sectionLines(section, options)),
    ...problemsOf(view, options),
  ];
}

/** A new campaign in a line. */
function briefLines(view: CampaignView, options: TextOptions): string[] {
  const room = Math.max(20, options.width - nameLine(view, { ...options, paint: plain }).length - 2);
  const themes = cut(view.themes.map(visibleLine).join(' · '), room);
  const told = themes && `  ${options.paint('dim', themes)}`;
  return [`${nameLine(view, options)}${told}`, ...problemsOf(view, options)];
}

/** The sign, the name, and what happens. */
function nameLine({ sign, name, facts }: CampaignView, { paint }: TextOptions): string {
  const [action, ...others] = facts;
  const words = others.map((fact) =>
    painted(paint, fact.look, fact.look === 'launch' ? fact.words.toUpperCase() : fact.words),
  );
  const head = painted(paint, action?.look ?? 'quiet', `${sign} ${visibleLine(name)}`);
  return `${head}  ${[action?.words ?? '', ...words].join(' · ')}`;
}

function problemsOf({ problems, above }: CampaignView, options: TextOptions): string[] {
  const codes = [...new Set(above.map(({ code }) => code))];
  return [
    ...problems.flatMap((problem) => problemLines({ ...problem, message: placed(problem) }, options, '    ')),
    ...(codes.length === 0 ? [] : [`    ${options.paint('dim', `see above: ${codes.join(', ')}`)}`]),
  ];
}

/** Every request of a plan in order, as `METHOD path` and, below, the body as one line of JSON. */
export function renderRequestsText(plan: Plan): string {
  return sendingOf(plan)
    .map(({ name, steps }) => `# ${visibleLine(name)}\n${steps.map(requestText).join('')}\n`)
    .join('');
}

function requestText({ method, path, body }: Step): string {
  return `${method} ${path}\n${body === null ? '' : `  ${visibleLine(JSON.stringify(body))}\n`}`;
}

/** Changes as indented lines, a section a block. */
export function changeLines(changes: readonly Change[], options: TextOptions): string[] {
  return groupSections(changes).flatMap((section) => sectionLines({ ...section, sent: true }, options));
}

/** The changes of one section below its name. */
function sectionLines(view: Omit<SectionView, 'drift'>, options: TextOptions): string[] {
  const { section, changes, sent } = view;
  const { paint } = options;
  const head = `    ${paint('bold', section)}`;
  const mark = sent ? '' : `  ${paint('red', 'not sent')}`;
  const lines = viewChanges(changes).flatMap((change) => oneChange(change, options));
  if (section === 'campaign') return lines.map((line) => `    ${line}`);
  if (section === 'status') return lines.map((line) => `${head}  ${line}${mark}`);
  return [`${head}${mark}`, ...lines.map((line) => `      ${line}`)];
}

function oneChange(change: ChangeView, { paint, width }: TextOptions): string[] {
  const note = change.note && paint('dim', `  (${visibleLine(change.note)})`);
  const isGone = 'isNew' in change && !change.isNew;
  const line = (text: string) => (isGone ? paint('red', `- ${text}`) : paint('green', `+ ${text}`));
  const variants = (step: DesiredStep, room: number) =>
    step.variants.map((variant, at) => line(`   variant ${at + 1}  ${emailLine(variant, room)}`));
  if (change.form === 'line') return [`${line(change.line)}${note}`];
  if (change.form === 'sequence') {
    const steps = change.steps.flatMap((step, at) => [
      line(`${at + 1}. ${emailLine(step, width - 14)}`),
      ...variants(step, width - 24),
    ]);
    return [`${line(`"${change.title}", ${count(change.steps.length, 'email')}`)}${note}`, ...steps];
  }
  const { name } = change;
  const room = Math.max(30, width - name.length - 12);
  const show = showing(name);
  switch (change.form) {
    case 'update': {
      const values = `${short(change.from, 70, show)} ${paint('yellow', '→')} ${short(change.to, 70, show)}`;
      return [`${name && `${paint('yellow', '~')} ${name}  `}${values}${note}`];
    }
    case 'text':
      return [
        `${paint('yellow', '~')} ${name}${note}`,
        ...textDiff(change.from, change.to, { paint, width: width - 12 }),
      ];
    case 'value':
      return [`${line(`${name}  ${short(change.value, room, show)}`)}${note}`];
    case 'email':
      return [
        `${line(`${name}  ${emailLine(change.step, room)}`)}${note}`,
        ...variants(change.step, width - 30),
      ];
  }
}

/** Subject, how it is sent, and the beginning of the body. */
function emailLine(email: ContentEmail, width: number): string {
  const head = `${visibleCopyLine(email.email_subject)}  (${howSent(email)})`;
  const body = email.email_body.replace(/<[^<>]*>/g, ' ').replace(/[ \t\r\n]+/g, ' ');
  const words = visibleCopyLine(body.replace(/^ | $/g, ''));
  const room = width - head.length - 3;
  return room < 12 ? cut(head, Math.max(width, 20)) : `${head}  ${cut(words, room)}`;
}

/** Changed lines of a long text with one line around them; of a line that is too long, what is around its changes. */
function textDiff(from: string, to: string, { paint, width }: TextOptions): string[] {
  return diffBody(from, to, 1).flatMap((row) => {
    if (row.kind === 'folded') return [paint('dim', '    …')];
    const has = (kind: Stretch['kind']) => row.stretches.some((stretch) => stretch.kind === kind);
    if (!has('removed') && !has('added')) return [paint('dim', `      ${excerpt(row.stretches, width)}`)];
    const side = (own: Stretch['kind'], sign: string) => {
      const stretches = row.stretches.filter(({ kind }) => kind === 'same' || kind === own);
      return stretches.length === 0 ? [] : [`    ${sign} ${excerpt(stretches, width)}`];
    };
    return [
      ...side('removed', '-').map((line) => paint('red', line)),
      ...side('added', '+').map((line) => paint('green', line)),
    ];
  });
}

/** Characters of a long line that are shown on either side of a change. */
const AROUND = 24;

/** What a line says, cut in the stretches that do not change if it is longer than `width`. */
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

const LONGEST = 200;

/** What apply is about to send, in the counts of the plan and in names, and the question whether it may. */
export function renderQuestion(plan: Plan): string {
  const { summary, environment, campaigns } = plan;
  const { counts } = viewPlan(plan);
  const steps = campaigns.flatMap((campaign) => campaign.steps);
  const launched = campaigns.filter(isLaunched).map(({ name }) => visibleLine(name));
  const mailing = `${count(launched.length, 'launch', 'launches')}, mailing real people`;
  const irreversible = steps.filter((step) => step.irreversible).length;
  const accepted = groupProblems(plan, ({ accepted_by = null }) => accepted_by !== null);
  const said = [...counts.campaigns, ...counts.rest].filter(({ kind }) => !UNSAID.has(kind));
  const lines = [
    said.map(({ number, words }) => `${thousands(number)} ${words}`).join(', '),
    launched.length > 0 ? `${mailing}: ${namesWithin(launched, LONGEST)}` : '',
    attached(plan),
    irreversible > 0 ? `${count(irreversible, 'request')} irreversible` : '',
    ...accepted.map(({ code, accepted_by }) => `${code} is accepted by ${accepted_by}`),
  ];
  const told = lines.filter((line) => line !== '').map((line) => `  ${line}\n`);
  return `\nThis sends ${count(summary.requests, 'request')} to ${environment}:\n${told.join('')}Send? Only "yes" sends: `;
}

/** Said elsewhere in the question, or nothing that is sent. */
const UNSAID: ReadonlySet<Count['kind']> = new Set(['unchanged', 'launch', 'removed', 'requests', 'drift']);

/** "leads attached: lists 12, 77 and 340 individual leads". */
function attached({ campaigns }: Plan): string {
  const bodies = campaigns.flatMap(({ steps }) =>
    steps.filter(({ section }) => section === 'leads').map(({ body }) => body),
  );
  const lists = [...new Set(bodies.flatMap((body) => body?.lead_list_id ?? []))].map(Number);
  const leads = bodies.flatMap((body) => body?.lead_ids ?? []).length;
  const ids = lists.sort((one, other) => one - other).join(', ');
  const parts = [
    ...(lists.length > 0 ? [cut(`list${lists.length === 1 ? '' : 's'} ${ids}`, LONGEST)] : []),
    ...(leads > 0 ? [count(leads, 'individual lead')] : []),
  ];
  return parts.length === 0 ? '' : `leads attached: ${parts.join(' and ')}`;
}
