import type { Change, Plan } from '../model/outputs.js';
import type { DesiredStep } from '../model/spec.js';
import { count, listed, thousands } from '../model/words.js';
import { type ChangeView, groupSections, howSent, showing, viewChanges } from './changes.js';
import { diffBody, linesOf, type Row, type Stretch, wholeLines } from './diffs.js';
import { code, fold, html, htmlCode, prose } from './markdown.js';
import { type CampaignLink, type Notice, type NoticeGroup, type Saying, sayingKey } from './plan-notices.js';
import { type CampaignView, type Count, type PlanView, type SectionView, viewPlan } from './plan-view.js';
import { SEVERITIES } from './problems.js';
import { visibleCopy, visibleCopyLine } from './terminal.js';
import { capital, cut, short } from './words.js';

/**
 * A plan as a comment on a pull request, or the summary of a job: Markdown as GitHub and GitLab read it. What needs a look stands
 * first and outside of any fold. It fits its limit by construction, and foreign text stays text: see `markdown.ts`.
 */

/** The share of the room that what needs a look may take before the campaigns. */
const MOST_HEAD = 0.7;
/** How many campaigns or messages a list at the top names, from generous to nothing but counts. */
const LENGTHS = [1_000, 100, 20, 5, 1, 0];
/** Characters that the note about what is missing takes at most. */
const NOTE = 200;
/** Campaigns up to which the folds are open. */
const MOST_OPEN = 3;

/** A plan as Markdown of at most `limit` characters, from 2,000; what had to be left out is said. */
export function renderPlanMarkdown(plan: Plan, limit = 60_000): string {
  const view = viewPlan(plan);
  const print = `${code(view.base_url)} · plan ${code(view.fingerprint.slice(7, 19))}`;
  /** What stands before and after the campaigns, where a list names `most`. */
  const frameOf = (most: number) => {
    const written = (notices: readonly Notice[]) => notices.flatMap((notice) => noticeLines(notice, most));
    const head = [titleOf(view), '', ...written(view.notices), ''].join('\n');
    const foot = ['', ...written(view.notes), `<sub>${print}</sub>`, ''].join('\n');
    return { most, head, foot, length: head.length + foot.length };
  };
  const fits = LENGTHS.map(frameOf).find(({ length }) => length + NOTE <= limit * MOST_HEAD);
  const { most, head, foot, length } = fits ?? frameOf(0);
  return `${head}${fitted(withoutTold(view, most), limit - length)}${foot}`;
}

/** The campaigns; what the list at the top cuts is said with its campaign after all. */
function withoutTold({ campaigns, notices }: PlanView, most: number): CampaignView[] {
  const sayings = notices.flatMap(({ groups }) => groups.flatMap((group) => group.sayings.slice(0, most)));
  const told = new Set(sayings.map(({ key }) => key));
  return campaigns.map((view) => {
    const left = view.above.filter((problem) => !told.has(sayingKey(problem)));
    const above = view.above.filter((problem) => told.has(sayingKey(problem)));
    return { ...view, above, problems: [...left, ...view.problems] };
  });
}

function titleOf({ heading, environment, verdict, counts, legend }: PlanView): string {
  const named = `${heading} ${code(environment)}`;
  const words = ({ number, words }: Count) => `${thousands(number)} ${words}`;
  const numbers = [counts.campaigns.map(words).join(', '), ...counts.rest.map(words)].join(' · ');
  // A sentence after a colon.
  const said = verdict && `${verdict.slice(0, 1).toLowerCase()}${verdict.slice(1).replace(/\.$/, '')}`;
  return `### ${named}: ${said ?? numbers}${legend === null ? '' : `\n\n${legend}`}`;
}

function noticeLines({ title, groups }: Notice, most: number): string[] {
  return [
    `**${prose(title)}**`,
    '',
    ...groups.flatMap((group) => groupLines(group, most)),
    ...(groups.length === 0 ? [] : ['']),
  ];
}

/** A kind of problem with its messages and what to do; where there is no room, with the number of its campaigns. */
function groupLines(group: NoticeGroup, most: number): string[] {
  const { code: kind, campaigns, sayings, accepted_by } = group;
  const [only] = sayings;
  const hint = group.hint && prose(cut(group.hint, most === 0 ? 200 : 500));
  const rest = sayings.length - most;
  if (kind === null) {
    const more = most === 0 ? `- ${rest} of them` : `- and ${rest} more`;
    const shown = sayings.slice(0, most).map((saying) => `- ${said(saying, most)}`);
    return [...shown, ...(rest > 0 ? [more] : []), ...(hint === '' ? [] : ['', hint])];
  }
  // Some may be said of the plan as a whole.
  const isOfAll = sayings.some((saying) => saying.campaigns.length === 0);
  const number = isOfAll ? '' : ` for ${count(campaigns.length, 'campaign')}`;
  const accepted = accepted_by === null ? '' : `, accepted by ${code(accepted_by)}`;
  const whom = `${campaigns.length > 0 ? ` for ${few(campaigns, most)}` : ''}${accepted}`;
  // Where there is no room for both, what happens matters more than what to do about it.
  const alone =
    sayings.length === 1 && prose(cut(`${only?.message} ${only?.hint} ${group.hint}`.trim(), 200));
  if (most === 0) return [`- ${code(kind)}${whom}${(alone || hint) && `: ${alone || hint}`}`];
  if (only !== undefined && sayings.length === 1)
    return [`- ${code(kind)}${whom}: ${said({ ...only, campaigns: [] }, most)}${hint && ` ${hint}`}`];
  return [
    `- ${code(kind)}${number}${accepted}:${hint && ` ${hint}`}`,
    ...sayings.slice(0, most).map((saying) => `  - ${said(saying, most)}`),
    ...(rest > 0 ? [`  - and ${rest} more`] : []),
  ];
}

function said({ message, hint, campaigns, at }: Saying, most: number): string {
  const text = `${placeOf(at)}${prose(cut(`${message} ${hint}`.trim(), 700))}`;
  return [few(campaigns, most), text].filter(Boolean).join(': ');
}

function placeOf(at: string | undefined): string {
  return at === undefined ? '' : `${code(cut(at, 200))}: `;
}

/** The name of a campaign, or as much of it as a line takes. */
export function nameOf({ name }: { name: string }): string {
  return code(cut(name, 120));
}

function few(campaigns: readonly CampaignLink[], most: number): string {
  if (campaigns.length > 1 && most === 0) return count(campaigns.length, 'campaign');
  return listed(campaigns.map(nameOf), Math.max(most, 1));
}

/** How much of a campaign is shown: `line` is its name and counts, `brief` leaves out the bodies of new emails. */
export const DETAILS = ['line', 'brief', 'full'] as const;
export type Detail = (typeof DETAILS)[number];

/**
 * Campaigns in at most `room` characters: each on a line first, then as many as there is room for in more detail, the first
 * ones first. Cut between campaigns only, and what is missing is said.
 */
function fitted(campaigns: readonly CampaignView[], room: number): string {
  const open = campaigns.length <= MOST_OPEN;
  const textOf = (campaign: CampaignView, detail: Detail) => campaignMarkdown(campaign, detail, open);
  const shown = campaigns.map((campaign) => ({ campaign, detail: 0, text: textOf(campaign, 'line') }));
  let left = room - NOTE;
  for (const [at, { text }] of shown.entries()) {
    left -= text.length;
    if (left >= 0) continue;
    const lines = shown.slice(0, at).map((one) => one.text);
    return `${lines.join('')}\n${missing(campaigns.length - at, 'not shown at all')}`;
  }
  for (const [detail, name] of DETAILS.entries())
    for (const one of shown.filter((other) => other.detail === detail - 1)) {
      const text = `${textOf(one.campaign, name)}\n`;
      // One more for the empty line after a line before it.
      const longer = text.length - one.text.length + 1;
      if (longer > left) continue;
      left -= longer;
      Object.assign(one, { detail, text });
    }
  const part = shown.filter(({ detail }) => detail < DETAILS.length - 1).length;
  const texts = shown.map(({ text, detail }, at) =>
    detail === 0 && (shown[at + 1]?.detail ?? 0) > 0 ? `${text}\n` : text,
  );
  return `${texts.join('')}${part === 0 ? '' : `\n${missing(part, 'shown in part')}`}`;
}

function missing(campaigns: number, how: string): string {
  const whole = 'The plan file has the whole plan: `campaignctl show` prints it.';
  return `**This plan is too long to show here:** ${count(campaigns, 'campaign')} ${how}. ${whole}\n`;
}

/** One campaign: a line, or a fold with everything that changes. */
function campaignMarkdown(view: CampaignView, detail: Detail, open: boolean): string {
  const about = [
    ...view.facts.map(({ look, words }) => (look === 'launch' ? `<b>${words}</b>` : words)),
    ...view.themes.map((theme) => prose(theme)),
  ].join(' · ');
  if (detail === 'line') return `- ${nameOf(view)}: ${about}\n`;
  const codes = [...new Set(view.above.map((problem) => code(problem.code)))];
  return fold(`<b>${htmlCode(cut(view.name, 120))}</b> · ${about}`, open, [
    ...(view.origin === null ? [] : [`> ⚠ ${prose(capital(view.origin))}.`, '']),
    ...view.sections.flatMap((section) => sectionItems(section, detail)),
    '',
    ...view.problems.flatMap(({ severity, code: kind, message, hint, at }) => [
      `> ⚠ ${capital(SEVERITIES[severity].words)}: ${placeOf(at)}${prose(`${message} ${hint}`.trim())} ${code(kind)}`,
      '',
    ]),
    `<sub>${code(view.where)}${codes.length === 0 ? '' : ` · see above: ${codes.join(', ')}`}</sub>`,
  ]);
}

/** Changes as items of lists, a section a block. */
export function changeItems(changes: readonly Change[], detail: Detail): string[] {
  return groupSections(changes).flatMap((section) => sectionItems({ ...section, sent: true }, detail));
}

function sectionItems({ section, changes, sent }: Omit<SectionView, 'drift'>, detail: Detail): string[] {
  const head = section === 'campaign' ? [] : ['', `**${section}**${sent ? '' : ' (not sent)'}`, ''];
  return [...head, ...viewChanges(changes).flatMap((change) => changeBlocks(change, detail))];
}

/** One change: an item of a list, and what has to stand apart from it between empty lines. */
function changeBlocks(change: ChangeView, detail: Detail): string[] {
  const note = change.note && ` (${prose(change.note)})`;
  const name = 'name' in change ? prose(change.name) : '';
  const show = showing('name' in change ? change.name : '');
  const verb = 'isNew' in change && !change.isNew ? 'removed' : 'new';
  switch (change.form) {
    case 'update': {
      const [from, to] = [change.from, change.to].map((value) => code(short(value, 200, show), show));
      return [`- ${name && `${name}: `}${from} → ${to}${note}`];
    }
    case 'text': {
      const rows = diffBody(change.from, change.to, detail === 'full' ? 2 : 0);
      return [`- ${name}${note}`, '', block(rows), ''];
    }
    case 'value':
      return [`- ${verb}: ${name} ${code(short(change.value, 200, show), show)}${note}`];
    case 'line':
      return [`- new: ${code(change.line)}${note}`];
    case 'email':
      return [`- ${verb}: ${name}${note}`, '', ...stepBlocks(change.step, detail)];
    case 'sequence':
      return [
        `- new: ${code(change.title)}, ${count(change.steps.length, 'email')}${note}`,
        '',
        ...change.steps.flatMap((step, at) => stepBlocks(step, detail, `${at + 1}\\. `)),
      ];
  }
}

function stepBlocks({ variants, ...email }: DesiredStep, detail: Detail, lead = ''): string[] {
  return [email, ...variants].flatMap((one, at) => {
    // A text that is new, as it is.
    const rows = wholeLines(linesOf(one.email_body), 'same');
    const head = `${at === 0 ? lead : `variant ${at}: `}${code(one.email_subject, visibleCopyLine)} (${howSent(one)})`;
    return [head, '', ...(detail === 'full' ? [block(rows), ''] : [])];
  });
}

/** Columns after which a line of a body is wrapped: comments do not wrap what stands in `pre`. */
const WIDTH = 96;

/** Lines as a block of HTML in which the words that go are struck out and those that come are bold and underlined. */
function block(rows: readonly Row[]): string {
  const lines = rows.flatMap((row) =>
    row.kind === 'line' ? wrapped(row.stretches).map(written) : [`<i>⋯ ${count(row.lines, 'more line')}</i>`],
  );
  return `<pre>${lines.join('\n')}\n</pre>`;
}

function written(stretches: readonly Stretch[]): string {
  return stretches
    .map(({ kind, text }) => {
      if (kind === 'same') return html(text, visibleCopy);
      // Without this, a blank that comes or goes could not be seen.
      const shown = html(text, visibleCopy).replace(/^ +| +$/g, (blanks) => '␣'.repeat(blanks.length));
      return kind === 'added' ? `<ins><b>${shown}</b></ins>` : `<del>${shown}</del>`;
    })
    .join('');
}

/** Breaks a line after blanks; a word that is longer than a line stays whole. */
function wrapped(stretches: readonly Stretch[]): Stretch[][] {
  const lines: Stretch[][] = [[]];
  let column = 0;
  for (const { kind, text } of stretches)
    for (const word of text.match(/\S+\s*|\s+/g) ?? []) {
      if (column > 0 && column + word.trimEnd().length > WIDTH) {
        lines.push([]);
        column = 0;
      }
      const last = lines.at(-1)?.at(-1);
      if (last?.kind === kind) last.text += word;
      else lines.at(-1)?.push({ kind, text: word });
      column += word.length;
    }
  return lines;
}
