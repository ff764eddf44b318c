import { type Change, type ContentEmail, type Plan, type Step, sendingOf } from '../model/outputs.js';
import type { DesiredStep } from '../model/spec.js';
import { type ChangeView, groupSections, howSent, viewChanges } from './changes.js';
import { diffBody, type Piece } from './diffs.js';
import {
  type CampaignView,
  type Count,
  type CountKind,
  type Notice,
  type PlanView,
  placed,
  type Saying,
  type SectionView,
  viewPlan,
} from './plan-view.js';
import { problemLines, SEVERITIES } from './problems.js';
import { type Colour, type TextOptions, visible, visibleLine } from './terminal.js';
import { count, cut, scheduleLine, short, thousands, wrap } from './words.js';

/** Campaigns up to which each is shown whole; of more, new ones take a line or two. */
const MOST_WHOLE = 25;

/** A plan for a terminal: counts, what needs a look first, every campaign that differs, then what else is to be known. */
export function renderPlanText(plan: Plan, options: TextOptions): string {
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
    ...(campaigns.some(isBrief)
      ? [
          '',
          paint(
            'dim',
            'This plan is long, so it shows new campaigns in brief. --target NAME shows one in full.',
          ),
        ]
      : []),
    ...unreadableLines(view, options),
  ];
  return `${lines.join('\n')}\n`;
}

const COLOURS: Partial<Record<CountKind, Colour>> = {
  create: 'green',
  change: 'yellow',
  blocked: 'red',
  launch: 'magenta',
  drift: 'yellow',
};

function headLines(view: PlanView, { paint }: TextOptions): string[] {
  const title = `${view.title} (${view.base_url})`;
  const counted = ({ kind, number, words }: Count) => {
    const colour = COLOURS[kind];
    const text = `${thousands(number)} ${words}`;
    return colour === undefined ? text : paint(colour, text);
  };
  const { campaigns, rest } = view.counts;
  const counts = [campaigns.map(counted).join(', '), ...rest.map(counted)].join(' · ');
  return [
    paint(
      'bold',
      view.mode === 'drift'
        ? `${title}: what was changed outside campaignctl since it was applied or imported`
        : title,
    ),
    '',
    `  ${view.verdict ?? counts}`,
    ...(view.legend === null ? [] : [`  ${paint('dim', view.legend)}`]),
  ];
}

const ACCEPTED: (typeof SEVERITIES)['hazard'] = { colour: 'green', sign: '✓' };

/** There are no folds here: what concerns one campaign only stands with it, right below. Hazards stand together. */
function noticeLines(notice: Notice, options: TextOptions): string[] {
  if (notice.kind === 'removed') return removedLines(notice, options);
  if (!('groups' in notice)) return [];
  const { kind, title } = notice;
  const { paint, width } = options;
  const { colour, sign } = kind === 'accepted' ? ACCEPTED : SEVERITIES[kind];
  const isTogether = kind === 'hazard' || kind === 'accepted';
  const groups = notice.groups.flatMap(({ code, accepted_by, hint, sayings }) => {
    const told = sayings.filter(({ campaigns }) => isTogether || campaigns.length !== 1);
    if (told.length === 0) return [];
    const [only] = told.length === 1 ? told : [];
    const names = new Set(told.flatMap(({ campaigns }) => campaigns));
    const times = names.size > 1 ? ` ${names.size} ×` : '';
    const whom = only === undefined ? '' : namesOf(only, Math.max(40, width - code.length - 22));
    return [
      `  ${paint(colour, `${sign} ${code}`)}${times}${whom && `  ${whom}`}`,
      ...told.flatMap((saying) => sayingLines(saying, only === undefined, options)),
      ...hintLines(hint, options),
      ...(accepted_by === null ? [] : [`      accepted by ${visibleLine(accepted_by)}`]),
    ];
  });
  return groups.length === 0 ? [] : ['', paint(colour, title), ...groups];
}

function removedLines(
  { title, removed, hint }: Extract<Notice, { kind: 'removed' }>,
  options: TextOptions,
): string[] {
  const { paint } = options;
  return [
    '',
    paint('yellow', title),
    ...removed.map(({ name, text }) => `  ${visibleLine(name)}  ${paint('dim', visibleLine(text))}`),
    ...hintLines(hint, options),
  ];
}

function namesOf({ campaigns }: Saying, width: number): string {
  return cut(campaigns.map(({ name }) => visibleLine(name)).join(', '), width);
}

function sayingLines(saying: Saying, isNamed: boolean, options: TextOptions): string[] {
  const names = isNamed ? namesOf(saying, 40) : '';
  const lines = wrap(`${names && `${names}: `}${visibleLine(placed(saying))}`, options.width - 6);
  return [...lines.map((line) => `      ${options.paint('dim', line)}`), ...hintLines(saying.hint, options)];
}

function hintLines(hint: string, { paint, width }: TextOptions): string[] {
  if (hint === '') return [];
  return wrap(`→ ${visibleLine(hint)}`, width - 6).map((line) => `      ${paint('dim', line)}`);
}

const SIGNS: Record<CampaignView['action'], { colour: Colour; sign: string }> = {
  create: { colour: 'green', sign: '+' },
  change: { colour: 'yellow', sign: '~' },
  blocked: { colour: 'red', sign: '✗' },
  none: { colour: 'dim', sign: '=' },
  drift: { colour: 'yellow', sign: '~' },
};

function campaignLines(view: CampaignView, options: TextOptions): string[] {
  const { paint, width } = options;
  const { manifest } = view.campaign;
  const where = [view.which, visibleLine(manifest), ...(view.rest === null ? [] : [view.rest])].join(' · ');
  const origin = view.origin === null ? [] : wrap(view.origin, width - 4);
  return [
    `${nameLine(view, options)}  ${paint('dim', where)}`,
    ...impactLines(view, options),
    ...origin.map((line) => `    ${paint('yellow', line)}`),
    ...view.sections.flatMap((section) => sectionLines(section, options)),
    ...problemsOf(view, options),
  ];
}

/** A new campaign in a line, and another where it starts sending. */
function briefLines(view: CampaignView, options: TextOptions): string[] {
  const { paint, width } = options;
  const { schedule = null, sequence = null, leads = null } = view.campaign.content?.after ?? {};
  const [lists, ids] = [leads?.lists.length ?? 0, leads?.ids.length ?? 0];
  const parts = [
    ...(sequence === null ? [] : [count(sequence.steps.length, 'email')]),
    ...(schedule?.window ? [scheduleLine({ ...schedule.window })] : []),
    ...(lists > 0 ? [count(lists, 'lead list')] : []),
    ...(ids > 0 ? [count(ids, 'individual lead')] : []),
  ];
  const room = Math.max(20, width - visibleLine(view.name).length - (view.launches ? 12 : 4));
  return [
    `${nameLine(view, options)}  ${paint('dim', cut(parts.join(' · '), room))}`,
    ...impactLines(view, options),
    ...problemsOf(view, options),
  ];
}

function nameLine({ action, name, launches }: CampaignView, { paint }: TextOptions): string {
  const { colour, sign } = SIGNS[action];
  return `${paint(colour, `${sign} ${visibleLine(name)}`)}${launches ? `  ${paint('magenta', 'LAUNCH')}` : ''}`;
}

function impactLines({ impact }: CampaignView, { paint, width }: TextOptions): string[] {
  return impact === null ? [] : wrap(impact, width - 4).map((line) => `    ${paint('magenta', line)}`);
}

/** Of what a notice says of several campaigns, only the code. */
function problemsOf({ problems }: CampaignView, options: TextOptions): string[] {
  return problems.flatMap((problem) => {
    if (!problem.shared) return problemLines({ ...problem, message: placed(problem) }, options, '    ');
    const { colour, sign } = SEVERITIES[problem.severity];
    return [`    ${options.paint(colour, `${sign} ${problem.severity}`)}: ${problem.code}, see above`];
  });
}

function unreadableLines({ unreadable }: PlanView, { paint, width }: TextOptions): string[] {
  if (unreadable.length === 0) return [];
  const lines = unreadable.flatMap(({ message, campaigns }) =>
    wrap(`${visibleLine(message)} (${count(campaigns, 'campaign')})`, width - 4),
  );
  return ['', paint('dim', 'Not readable'), ...lines.map((line) => paint('dim', `  ${line}`))];
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
function sectionLines(
  { section, changes, sent }: Omit<SectionView, 'drifted'>,
  options: TextOptions,
): string[] {
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
  const [colour, sign] =
    'isNew' in change && !change.isNew ? (['red', '-'] as const) : (['green', '+'] as const);
  const line = (text: string) => paint(colour, `${sign} ${text}`);
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
  switch (change.form) {
    case 'update': {
      const values = `${short(change.from)} ${paint('yellow', '→')} ${short(change.to)}`;
      return [`${name && `${paint('yellow', '~')} ${name}  `}${values}${note}`];
    }
    case 'text':
      return [
        `${paint('yellow', '~')} ${name}${note}`,
        ...textDiff(change.from, change.to, { paint, width: width - 12 }),
      ];
    case 'value':
      return [`${line(`${name}  ${short(change.value, room)}`)}${note}`];
    case 'email':
      return [
        `${line(`${name}  ${emailLine(change.step, room)}`)}${note}`,
        ...variants(change.step, width - 30),
      ];
  }
}

/** Subject, how it is sent, and the beginning of the body. */
function emailLine(email: ContentEmail, width: number): string {
  const head = `${visibleLine(email.email_subject)}  (${howSent(email)})`;
  const words = visibleLine(
    email.email_body
      .replace(/<[^<>]*>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  );
  const room = width - head.length - 3;
  return room < 12 ? cut(head, Math.max(width, 20)) : `${head}  ${cut(words, room)}`;
}

/** Changed lines of a long text with one line around them; of a line that is too long, what is around its changes. */
function textDiff(from: string, to: string, { paint, width }: TextOptions): string[] {
  return diffBody(from, to, 1).flatMap((row) => {
    if (row.kind === 'folded') return [paint('dim', '    …')];
    const has = (kind: Piece['kind']) => row.pieces.some((piece) => piece.kind === kind);
    if (!has('removed') && !has('added')) return [paint('dim', `      ${excerpt(row.pieces, width)}`)];
    const side = (own: Piece['kind'], sign: string) => {
      const pieces = row.pieces.filter(({ kind }) => kind === 'same' || kind === own);
      return pieces.length === 0 ? [] : [`    ${sign} ${excerpt(pieces, width)}`];
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
function excerpt(pieces: readonly Piece[], width: number): string {
  const length = pieces.reduce((sum, { text }) => sum + text.length, 0);
  if (length <= width || pieces.length === 1)
    return cut(visible(pieces.map(({ text }) => text).join('')), width);
  const parts = pieces.map(({ kind, text }, index) => {
    if (kind !== 'same') return text;
    const start = index === 0 ? '' : text.slice(0, AROUND);
    const end = index === pieces.length - 1 ? '' : text.slice(-AROUND);
    return text.length <= 2 * AROUND ? text : `${start}…${end}`;
  });
  return visible(parts.join(''));
}
