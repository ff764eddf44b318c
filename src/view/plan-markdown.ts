import { groupBy } from '../model/json.js';
import type { Plan, Problem } from '../model/outputs.js';
import { count, listed, thousands } from '../model/words.js';
import { byHandMarkdown } from './by-hand.js';
import { shownBefore } from './changes.js';
import { cellCode, code, fold, htmlCode, link, markdownTable, prose } from './markdown.js';
import { DETAILS, type Detail, sectionItems } from './markdown-changes.js';
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
 * A plan as a comment on a pull request, or the summary of a job: Markdown as GitHub and GitLab read it. What happens stands
 * first, then a line for each campaign, what needs a look, and all changes in folds. It fits its limit by construction, and
 * foreign text stays text: see `markdown.ts`.
 */

/** The share of the room that what needs a look may take before the changes. */
const MOST_HEAD = 0.5;
/** The share of the rest that the table may take. */
const MOST_TABLE = 0.6;
/** Characters of what stands around its rows. */
const TABLE = 240;
/** How many campaigns or messages a list at the top names, from generous to nothing but counts. */
const LENGTHS = [1_000, 100, 20, 5, 1, 0];
/** The share that warnings may take, which stand above everything, and so many of a kind. */
const MOST_WARNING = 0.15;
const WARNED = 5;
/** Characters that the note about what is missing takes at most. */
const NOTE = 260;
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

/** A plan as Markdown of at most `limit` characters, from 2,000; what had to be left out is said. */
export function renderPlanMarkdown(
  plan: Plan,
  limit = 60_000,
  { linkTo = () => null, next = null }: PlanMarkdownOptions = {},
): string {
  const view = viewPlan(plan);
  const print = `${code(view.base_url)} · plan ${code(view.fingerprint.slice(7, 19))}`;
  /** What stands around the table and the changes, where a list names `most`. */
  const frameOf = (most: number) => {
    const mostOf = (notice: Notice) => (isWarning(notice) ? warned : most);
    const written = (isWanted: (notice: Notice) => boolean, own = most) =>
      view.notices.filter(isWanted).flatMap((notice) => noticeLines(notice, own));
    const fitsTop = (own: number) => written(isWarning, own).join('\n').length <= limit * MOST_WARNING;
    const warned = [Math.min(most, WARNED), 1].find(fitsTop) ?? 0;
    const todo = next === null ? [] : [`**Next:** ${prose(next)}`, ''];
    const head = `${[titleOf(view), '', ...todo, ...written(isWarning, warned)].join('\n')}\n`;
    const middle = [...written((notice) => !isWarning(notice)), ...byHandMarkdown(view.byHand, most)]
      .map((line) => `${line}\n`)
      .join('');
    const foot = [
      '',
      ...view.notes.flatMap((notice) => noticeLines(notice, most)),
      `<sub>${print}</sub>`,
      '',
    ].join('\n');
    return { mostOf, head, middle, foot, length: head.length + middle.length + foot.length };
  };
  const fits = LENGTHS.map(frameOf).find(({ length }) => length + NOTE <= limit * MOST_HEAD);
  const { mostOf, head, middle, foot, length } = fits ?? frameOf(0);
  const { table, changes } = fitted(view, withoutTold(view, mostOf), { room: limit - length, linkTo });
  return `${head}${table}${middle}${changes}${foot}`;
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

function titleOf(view: PlanView): string {
  const { heading, environment, verdict, counts, legend, unread, approvals } = view;
  const named = `${heading} ${code(environment)}`;
  const words = ({ number, words }: Count) => `${thousands(number)} ${words}`;
  const needed = approvals.length === 0 ? [] : [prose(cut(`needs approval: ${approvalWords(view)}`, 300))];
  const numbers = [counts.campaigns.map(words).join(', '), ...counts.rest.map(words), ...needed].join(' · ');
  // A sentence after a colon.
  const said = verdict && `${verdict.slice(0, 1).toLowerCase()}${verdict.slice(1).replace(/\.$/, '')}`;
  const below = [unread, legend].filter((line) => line !== null);
  return [`### ${named}: ${said ?? numbers}`, ...below].join('\n\n');
}

function noticeLines({ kind, title, groups }: Notice, most: number): string[] {
  const campaigns = groups.flatMap(({ sayings }) => sayings.flatMap((saying) => saying.campaigns));
  // The table has the rest of each.
  if (kind === 'launch' && campaigns.length > MOST_NAMED && groups[0]?.sayings.length !== 1) {
    const names = listed(campaigns.map(nameOf), Math.max(most, 1));
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

/**
 * Campaigns in at most `room` characters: a table of all first, then the changes of as many as there is room for in more
 * detail, the first ones first. Cut between campaigns only, and what is missing is said.
 */
function fitted(
  { blocks }: PlanView,
  untold: Surroundings['untold'],
  { room, linkTo }: { room: number; linkTo: LinkTo },
): { table: string; changes: string } {
  if (blocks.length === 0) return { table: '', changes: '' };
  const rows = blocks.map((block) => rowOf(block, linkTo));
  const folded = blocks.length > MOST_LINES;
  const all = count(membersOf(blocks), 'campaign');
  const tableOf = (number: number) => {
    if (number === 0) return '';
    const table = tableOfRows(rows.slice(0, number));
    const shown = membersOf(blocks.slice(0, number));
    const title = number < rows.length ? `${thousands(shown)} of ${all}` : all;
    return `${folded ? fold(`${title}, a line for each`, false, [table]) : `${table}\n`}\n`;
  };
  const around = folded ? fold('<b>All changes</b>', false, ['']) : '';
  // Some changes are always shown.
  let left = Math.floor((room - NOTE - around.length) * MOST_TABLE) - TABLE;
  const cutAt = rows.findIndex((row) => {
    left -= row.join(' | ').length + 5;
    return left < 0;
  });
  const table = tableOf(cutAt < 0 ? rows.length : cutAt);
  left = room - NOTE - around.length - table.length;
  const open = blocks.length <= MOST_OPEN && membersOf(blocks) <= MOST_LINES;
  const shown = blocks.map((block) => ({ block, detail: 0, text: '' }));
  for (const [detail, name] of DETAILS.entries())
    for (const one of shown.filter((other) => other.detail === detail - 1)) {
      const text = `${blockMarkdown(one.block, name, { untold, linkTo, open })}\n`;
      const longer = text.length - one.text.length;
      if (longer > left) continue;
      left -= longer;
      Object.assign(one, { detail, text });
    }
  const texts = shown.map(({ text }) => text).join('');
  const isListed = (at: number) => cutAt < 0 || at < cutAt;
  const number = (isWanted: (detail: number, at: number) => boolean) =>
    membersOf(blocks.filter((_, at) => isWanted(shown[at]?.detail ?? 0, at)));
  const note = missing([
    [number((detail) => detail === 1), 'shown in part'],
    [number((detail, at) => detail === 0 && isListed(at)), 'in the table alone'],
    [number((detail, at) => detail === 0 && !isListed(at)), 'not in the table'],
  ]);
  const isAll = shown.every(({ detail }) => detail > 0);
  const title = `<b>${isAll ? 'All changes' : 'Changes'}</b>`;
  const changes = folded && texts !== '' ? fold(title, false, [texts.trimEnd()]) : texts;
  return { table, changes: `${changes}${note && `\n${note}`}` };
}

function missing(parts: readonly (readonly [number: number, how: string])[]): string {
  const some = parts.filter(([number]) => number > 0);
  if (some.length === 0) return '';
  const told = some.map(
    ([number, how], at) => `${at === 0 ? count(number, 'campaign') : thousands(number)} ${how}`,
  );
  const whole = 'The plan file has the whole plan: `campaignctl show` prints it.';
  return `**This plan is too long to show here:** ${told.join(', ')}. ${whole}\n`;
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
  if (detail === 'line') return '';
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
