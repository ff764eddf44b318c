import { groupBy } from '../model/json.js';
import type { Plan, Problem } from '../model/outputs.js';
import { count, listed, thousands } from '../model/words.js';
import { byHandMarkdown } from './by-hand.js';
import { shownBefore } from './changes.js';
import { cellCode, code, firstThatFits, fold, htmlCode, link, markdownTable, prose } from './markdown.js';
import { type Detail, sectionItems } from './markdown-changes.js';
import { type CampaignLink, type Notice, type NoticeGroup, type Saying, sayingKey } from './plan-notices.js';
import {
  approvalWords,
  type CampaignBlock,
  type CampaignView,
  type Count,
  membersOf,
  type PlanView,
  viewPlan,
} from './plan-view.js';
import { MOST_PLACES, moreFound, SEVERITIES } from './problems.js';
import { capital, cut, short } from './words.js';

/**
 * A plan as a comment on a pull request or the summary of a job, in the Markdown of GitHub and GitLab: verdict, table, what needs a look,
 * changes in folds. Foreign text stays text: see `markdown.ts`.
 */

/** Warnings stand above everything: only so many of a kind. */
const MOST_WARNINGS = 5;
/** Blocks up to which the folds are open, and lines up to which the table is; folds of no more campaigns. */
const MOST_OPEN = 3;
const MOST_LINES = 15;
/** So many leads of campaigns whose leads differ. */
const MOST_LEADS = 3;
/** Names in a list at the top: the table and the folds have all. */
const MOST_NAMED = 12;
/** Names of one fold that are links. */
const MOST_LINKS = 20;

/** Where the file of a manifest is to be seen, if it is known. */
export type LinkTo = (manifest: string) => string | null;

/** `next`: what the reader does next, where that is known. */
export interface PlanMarkdownOptions {
  linkTo?: LinkTo;
  next?: string | null;
}

/** How much of a plan is shown. `most`: items of a list at the top. `changes`: `null` without the table, too. */
export interface Level {
  most: number;
  changes: Detail | null;
  /** The parts that are left out, in words; `null` if none. */
  leavesOut: string | null;
}

/** The first level that fits is shown: everything, no email bodies, a line for each campaign, or counts. */
export const LEVELS: readonly Level[] = [
  { most: 1_000, changes: 'full', leavesOut: null },
  { most: 20, changes: 'brief', leavesOut: 'the bodies of new emails' },
  { most: 5, changes: 'line', leavesOut: 'all changes but a line for each campaign' },
  { most: 0, changes: null, leavesOut: 'the campaigns' },
];

/** A plan as Markdown of at most `limit` characters, from 2,000. */
export function renderPlanMarkdown(plan: Plan, limit = 60_000, options: PlanMarkdownOptions = {}): string {
  const view = viewPlan(plan);
  const levels = LEVELS.map((level) => () => {
    const note = level.leavesOut === null ? '' : `\n${shortened(level)}\n`;
    return planAt(view, level, { ...options, title: `### ${headline(view)}`, note });
  });
  return firstThatFits(levels, limit);
}

export function shortened({ leavesOut }: Level): string {
  return `**Too long to show here:** ${leavesOut}. \`campaignctl show\` prints the whole plan from its file.`;
}

/** A plan at one level. `note`: stands behind the changes. */
export function planAt(
  view: PlanView,
  { most, changes }: Level,
  {
    linkTo = () => null,
    next = null,
    title,
    note = '',
  }: PlanMarkdownOptions & { title: string; note?: string },
): string {
  const mostOf = (notice: Notice) => (isWarning(notice) ? Math.min(most, MOST_WARNINGS) : most);
  const noticesThat = (isWanted: (notice: Notice) => boolean) =>
    view.notices.filter(isWanted).flatMap((notice) => noticeLines(notice, mostOf(notice)));
  const below = [view.unread, view.legend].filter((line) => line !== null);
  const todo = next === null ? [] : [`**Next:** ${prose(next)}`, ''];
  const head = [[title, ...below].join('\n\n'), '', ...todo, ...noticesThat(isWarning), ''].join('\n');
  const rest = [...noticesThat((notice) => !isWarning(notice)), ...byHandMarkdown(view.byHand, most)];
  const foot = [
    '',
    ...view.notes.flatMap((notice) => noticeLines(notice, most)),
    `<sub>${code(view.base_url)} · plan ${code(view.fingerprint.slice(7, 19))}</sub>`,
    '',
  ];
  return [
    head,
    changes === null ? '' : campaignTable(view, linkTo),
    ...rest.map((line) => `${line}\n`),
    changes === null ? '' : campaignFolds(view, changes, { linkTo, untold: withoutTold(view, mostOf) }),
    note,
    foot.join('\n'),
  ].join('');
}

function isWarning({ kind }: Notice): boolean {
  return kind === 'warning';
}

/** The problems of a campaign that the lists at the top cut: they are said with it after all. */
function withoutTold(
  { notices }: PlanView,
  mostOf: (notice: Notice) => number,
): (view: CampaignView) => CampaignView['problems'] {
  const sayings = notices.flatMap((notice) =>
    notice.groups.flatMap((group) => group.sayings.slice(0, mostOf(notice))),
  );
  const told = new Set(sayings.map(({ key }) => key));
  return ({ problems }) => problems.filter((problem) => !told.has(sayingKey(problem)));
}

/** "Plan for `production`: 2 to create, 5 unchanged · 1 launch · 9 requests" */
export function headline(view: PlanView): string {
  const { heading, environment, verdict, counts, approvals } = view;
  const words = ({ number, words }: Count) => `${thousands(number)} ${words}`;
  const needed = approvals.length === 0 ? [] : [prose(cut(`needs approval: ${approvalWords(view)}`, 300))];
  const numbers = [counts.campaigns.map(words).join(', '), ...counts.rest.map(words), ...needed].join(' · ');
  // A sentence after a colon.
  const sentence = verdict && `${verdict.slice(0, 1).toLowerCase()}${verdict.slice(1).replace(/\.$/, '')}`;
  return `${heading} ${code(environment)}: ${sentence ?? numbers}`;
}

function noticeLines({ kind, title, groups }: Notice, most: number): string[] {
  const campaigns = groups.flatMap(({ sayings }) => sayings.flatMap((saying) => saying.campaigns));
  // The table has the rest of each.
  if (kind === 'launch' && most > 0 && campaigns.length > MOST_NAMED && groups[0]?.sayings.length !== 1) {
    const names = listed(campaigns.map(nameOf), most);
    return [`**${prose(title)}**`, '', fold('By name', false, [names])];
  }
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
    ...(rest > 0 ? [`  - and ${thousands(rest + group.more)} more`] : []),
    ...(rest <= 0 && group.more > 0 ? [`  - ${moreFound(group.more)}`] : []),
  ];
}

function said({ message, hint, lines, campaigns, places }: Saying, most: number): string {
  const text = `${placesOf(places)}${prose(cut(`${message} ${hint}`.trim(), 700))}${linesOfHint(lines)}`;
  return [few(campaigns, most), text].filter(Boolean).join(': ');
}

/** Lines to be copied as they are. */
function linesOfHint(lines: readonly string[] = []): string {
  return lines.map((line) => `<br>${code(cut(line, 200))}`).join('');
}

function placesOf(places: readonly string[]): string {
  const named = places.map((at) => code(cut(at, 200)));
  return named.length === 0 ? '' : `${listed(named, MOST_PLACES)}: `;
}

/** The name of a campaign, or as much of it as a line takes. */
export function nameOf({ name }: { name: string }): string {
  return code(cut(name, 120));
}

function few(campaigns: readonly CampaignLink[], most: number): string {
  if (campaigns.length > 1 && most === 0) return count(campaigns.length, 'campaign');
  return listed(campaigns.map(nameOf), Math.max(Math.min(most, MOST_NAMED), 1));
}

/** What campaigns are written with: what is said with each after all, and where their files are. */
interface Surroundings {
  untold: (view: CampaignView) => CampaignView['problems'];
  linkTo: LinkTo;
}

/** A line for each campaign, folded if they are many. */
function campaignTable({ blocks }: PlanView, linkTo: LinkTo): string {
  if (blocks.length === 0) return '';
  const table = tableOfRows(blocks.map((block) => rowOf(block, linkTo)));
  if (blocks.length <= MOST_LINES) return `${table}\n\n`;
  return `${fold(`${count(membersOf(blocks), 'campaign')}, a line for each`, false, [table])}\n`;
}

/** A fold for each campaign with its changes; within one, if they are many. */
function campaignFolds({ blocks }: PlanView, detail: Detail, surroundings: Surroundings): string {
  if (detail === 'line' || blocks.length === 0) return '';
  const open = blocks.length <= MOST_OPEN && membersOf(blocks) <= MOST_LINES;
  const folds = blocks.map((block) => blockMarkdown(block, detail, { ...surroundings, open }));
  const text = folds.map((block) => `${block}\n`).join('');
  return blocks.length > MOST_LINES ? fold('<b>All changes</b>', false, [text.trimEnd()]) : text;
}

const HEADS = ['Campaign', 'What changes', 'Launches', 'Leads', 'Flags'];

/** Columns of which no line has anything are left out. */
function tableOfRows(rows: readonly (readonly string[])[]): string {
  const used = HEADS.map((_, at) => rows.length === 0 || rows.some((row) => row[at] !== ''));
  const kept = (cells: readonly string[]) => cells.filter((_, at) => used[at]);
  return markdownTable({ heads: kept(HEADS), rows: rows.map(kept) });
}

/** A campaign, or those that are the same, as cells of Markdown. */
function rowOf({ campaigns, ownLeads }: CampaignBlock, linkTo: LinkTo): string[] {
  const [{ name, campaign, facts, themes, launch, problems }, ...others] = campaigns;
  const [action, ...more] = facts;
  const named = link(cellCode(cut(name, 120)), linkTo(campaign.manifest));
  const kinds = groupBy(problems, flagOf);
  const flags = [
    ...[...kinds].map(
      ([words, own]) => `${words}: ${[...new Set(own.map((one) => cellCode(one.code)))].join(', ')}`,
    ),
    ...more.filter(({ look }) => look !== 'launch').map(({ words }) => words),
  ];
  const number = campaigns.length;
  return [
    others.length === 0
      ? named
      : `${thousands(number)} × the same: ${named} and ${thousands(number - 1)} more`,
    [
      action?.words ?? '',
      ...[...themes, ...otherThemes(campaigns[0])].map((theme) => prose(cut(theme, 120))),
    ].join(' · '),
    launch === null ? '' : others.length === 0 ? launch : count(number, 'launch', 'launches'),
    prose(cut(leadsOfAll(campaigns, ownLeads), 120)),
    flags.join(' · '),
  ];
}

/** What changes in columns of its own, or in none: a row says it where it would say nothing. */
function otherThemes({ themes, launch, leads, sections }: CampaignView): string[] {
  const status = sections
    .find(({ section }) => section === 'status')
    ?.changes.find(({ kind }) => kind === 'update');
  const told =
    status && (launch === null || themes.length === 0)
      ? [`status ${short(shownBefore(status))} → ${short(status.to)}`]
      : [];
  return [...told, ...(leads !== null && themes.length === 0 ? ['leads'] : [])];
}

/** The leads that come to one or more of these; where they are not the same, how many get some. Empty: none come. */
function leadsOfAll(campaigns: readonly CampaignView[], ownLeads: boolean): string {
  const some = campaigns.flatMap(({ leads }) => leads ?? []);
  const kinds = [...new Set(some)];
  const more = kinds.length > MOST_LEADS ? ` and ${thousands(kinds.length - MOST_LEADS)} more` : '';
  const told = `${kinds.slice(0, MOST_LEADS).join('; ')}${more}`;
  if (!ownLeads || some.length === 0) return told;
  const who = some.length === campaigns.length ? 'each its own' : `${thousands(some.length)} of them`;
  return `${who}: ${told}`;
}

function flagOf({ severity, accepted_by = null }: Problem): string {
  return accepted_by === null ? SEVERITIES[severity].words : 'accepted';
}

/** A campaign, or those that are the same: a line, or a fold with everything that changes. */
function blockMarkdown(
  { campaigns, sections, ownLeads }: CampaignBlock,
  detail: Detail,
  { untold, linkTo, open }: Surroundings & { open: boolean },
): string {
  const [view, ...others] = campaigns;
  const facts = view.facts.map(({ look, words }) => (look === 'launch' ? `<b>${words}</b>` : words));
  const leads = leadsOfAll(campaigns, ownLeads);
  const themes = [...view.themes, ...(leads === '' ? [] : [cut(leads, 120)])];
  const about = [...facts, ...themes.map((theme) => prose(theme))].join(' · ');
  const said = new Map(
    campaigns
      .flatMap(untold)
      // Of many, the list at the top says how to see what the linter finds.
      .filter(({ at }) => others.length === 0 || at === undefined)
      .map((problem) => [sayingKey(problem), problem]),
  );
  const codes = [
    ...new Set(view.problems.filter((one) => !said.has(sayingKey(one))).map((one) => code(one.code))),
  ];
  const where = others.length === 0 ? [link(code(view.where), linkTo(view.campaign.manifest))] : [];
  const foot = [...where, ...(codes.length === 0 ? [] : [`see above: ${codes.join(', ')}`])];
  const title =
    others.length === 0 ? htmlCode(cut(view.name, 120)) : `${thousands(campaigns.length)} × the same`;
  return fold(`<b>${title}</b> · ${about}`, open, [
    ...(view.origin === null ? [] : [`> ⚠ ${prose(capital(view.origin))}.`, '']),
    ...sections.flatMap((section) => sectionItems(section, detail)),
    '',
    ...[...said.values()].flatMap(({ severity, code: kind, message, hint, lines, at }) => [
      `> ⚠ ${capital(SEVERITIES[severity].words)}: ${placesOf(at === undefined ? [] : [at])}${prose(`${message} ${hint}`.trim())} ${code(kind)}${linesOfHint(lines)}`,
      '',
    ]),
    ...(others.length === 0
      ? []
      : ['**campaigns**', '', namesOf(campaigns, { detail, ownLeads, linkTo }), '']),
    ...(foot.length === 0 ? [] : [`<sub>${foot.join(' · ')}</sub>`]),
  ]);
}

/** The names of campaigns that are the same, in brief the first of them. */
function namesOf(
  campaigns: readonly CampaignView[],
  { detail, ownLeads, linkTo }: { detail: Detail; ownLeads: boolean; linkTo: LinkTo },
): string {
  const names = campaigns.map((one, at) => {
    const named = link(nameOf(one), at < MOST_LINKS ? linkTo(one.campaign.manifest) : null);
    return ownLeads && one.leads !== null ? `${named} (${prose(one.leads)})` : named;
  });
  return listed(names, detail === 'full' ? names.length : MOST_NAMED);
}
