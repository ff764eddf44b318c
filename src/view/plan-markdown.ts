import { groupBy } from '../model/json.js';
import type { Plan, Problem } from '../model/outputs.js';
import { count, listed, thousands } from '../model/words.js';
import { byHandMarkdown } from './by-hand.js';
import { howSent, shownBefore } from './changes.js';
import { linesOf } from './diffs.js';
import {
  alert,
  cellCode,
  code,
  fence,
  firstThatFits,
  fold,
  htmlCode,
  link,
  markdownTable,
  prose,
} from './markdown.js';
import { type Detail, sectionItems } from './markdown-changes.js';
import type { CampaignLink, Notice, NoticeKind, Saying } from './plan-notices.js';
import {
  approvalWords,
  blocksOf,
  type CampaignBlock,
  type CampaignView,
  type Count,
  membersOf,
  type PlanView,
  viewPlan,
} from './plan-view.js';
import { MOST_PLACES, moreFound, SEVERITIES } from './problems.js';
import { visibleCopy, visibleCopyLine } from './terminal.js';
import { capital, cut, short } from './words.js';

/** A plan for GitHub and GitLab: verdict, launches with emails, alerts, a table, changes in folds, warnings. */

/** Open folds, and rows of an open table. */
const MOST_OPEN = 3;
const MOST_ROWS = 15;
/** Names in a list. */
const MOST_NAMED = 12;
/** Campaigns with lines to copy. */
const MOST_BLOCKS = 3;

/** `null` if unknown. */
export type LinkTo = (manifest: string) => string | null;

/** `next`: the reader's next action. */
export interface PlanMarkdownOptions {
  linkTo?: LinkTo;
  next?: string | null;
}

/** `most`: messages of an alert. `changes`: `null` also omits campaigns. */
export interface Level {
  most: number;
  changes: Detail | null;
  /** `null` if nothing is omitted. */
  leavesOut: string | null;
}

/** Everything, no bodies, a line a campaign, or counts: the first that fits. */
export const LEVELS: readonly Level[] = [
  { most: 1_000, changes: 'full', leavesOut: null },
  { most: 20, changes: 'brief', leavesOut: 'the bodies of new emails' },
  { most: 5, changes: 'line', leavesOut: 'all changes but a line for each campaign' },
  { most: 0, changes: null, leavesOut: 'the campaigns' },
];

/** At most `limit` characters, from 2,000. */
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

/** https://docs.github.com/get-started/writing-on-github, also GitLab. */
const ALERTS: Record<NoticeKind, 'CAUTION' | 'WARNING' | 'IMPORTANT' | 'NOTE' | null> = {
  launch: 'CAUTION',
  hazard: 'WARNING',
  accepted: 'NOTE',
  blocked: 'WARNING',
  removed: 'IMPORTANT',
  drift: 'IMPORTANT',
  warning: 'NOTE',
  irreversible: null,
  calm: null,
  unreadable: null,
};

/** `note`: after the changes. */
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
  const launched = view.campaigns.filter(({ launch }) => launch !== null);
  const launches = blocksOf(launched);
  const others = view.blocks.filter(({ campaigns: [{ launch }] }) => launch === null);
  const noticesOf = (isWanted: (kind: NoticeKind) => boolean) =>
    view.notices.filter(({ kind }) => isWanted(kind)).flatMap((notice) => noticeLines(notice, most));
  const parts = [
    title,
    ...[view.unread, view.legend].filter((line) => line !== null),
    ...(next === null ? [] : [`**Next:** ${prose(next)}`]),
    ...noticesOf((kind) => kind === 'launch'),
    ...(changes === null ? [] : launchFolds(launches, changes, linkTo)),
    ...noticesOf((kind) => kind !== 'launch' && kind !== 'warning'),
    ...(changes === null ? [] : [campaignTable(others, linkTo), campaignFolds(others, changes, linkTo)]),
    ...byHandMarkdown(view.byHand, most),
    ...noticesOf((kind) => kind === 'warning'),
    note.trim(),
    ...view.notes.flatMap((notice) => noticeLines(notice, most)),
    `<sub>${code(view.base_url)} · plan ${code(view.fingerprint.slice(7, 19))}</sub>`,
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** "Plan for `production`: 2 to create, 5 unchanged · 1 launch · 9 requests" */
export function headline(view: PlanView): string {
  const { heading, environment, verdict, counts, approvals } = view;
  const words = ({ number, words }: Count) => `${thousands(number)} ${words}`;
  const needed = approvals.length === 0 ? [] : [prose(cut(`needs approval: ${approvalWords(view)}`, 300))];
  const numbers = [counts.campaigns.map(words).join(', '), ...counts.rest.map(words), ...needed].join(' · ');
  // Follows a colon.
  const sentence = verdict && `${verdict.slice(0, 1).toLowerCase()}${verdict.slice(1).replace(/\.$/, '')}`;
  return `${heading} ${code(environment)}: ${sentence ?? numbers}`;
}

/** Launches follow their alert; without campaigns, it names them. */
function noticeLines({ kind, title, sayings, hint }: Notice, most: number): string[] {
  const shown = kind === 'launch' ? [] : sayings.slice(0, Math.max(most, 1));
  const rest = kind === 'launch' ? 0 : sayings.length - shown.length;
  const lines = [
    `**${prose(title)}**`,
    ...(shown.length === 0 ? [] : ['', ...shown.flatMap((saying) => sayingLines(saying, most))]),
    ...(rest > 0 ? [`- and ${thousands(rest)} more`] : []),
    ...(hint === '' ? [] : ['', prose(cut(hint, most === 0 ? 200 : 500))]),
  ];
  const name = ALERTS[kind];
  return [name === null ? lines.join('\n') : alert(name, lines)];
}

/** Shortened without campaigns. */
function sayingLines(
  { code: kind, campaigns, blocks, accepted_by, places, more, ...saying }: Saying,
  most: number,
): string[] {
  const text = prose(cut(`${saying.message} ${saying.hint}`.trim(), most === 0 ? 200 : 900));
  const names = few(campaigns, most);
  if (kind === null) return [`- ${[names, text].filter(Boolean).join(': ')}`];
  const accepted = accepted_by === null ? '' : `, accepted by ${code(accepted_by)}`;
  const where =
    places.length === 0
      ? ''
      : `${listed(
          places.map((at) => code(cut(at, 200))),
          MOST_PLACES,
        )}: `;
  const shown = most < 20 ? [] : blocks.slice(0, MOST_BLOCKS);
  const lines = shown.flatMap((block) => [
    prose(block.where),
    ...block.lines.map((line) => code(cut(line, 200))),
  ]);
  const hidden = blocks.length - shown.length;
  return [
    `- ${code(kind)}${names && ` for ${names}`}${accepted}: ${where}${text}${lines.map((line) => `<br>${line}`).join('')}${hidden > 0 && blocks.length > 0 ? `<br>\`campaignctl show\` has the lines for ${thousands(hidden)} more.` : ''}`,
    ...(more > 0 ? [`- ${moreFound(more)}`] : []),
  ];
}

/** Shortened to a line. */
export function nameOf({ name }: { name: string }): string {
  return code(cut(name, 120));
}

function few(campaigns: readonly CampaignLink[], most: number): string {
  if (campaigns.length > 1 && most === 0) return count(campaigns.length, 'campaign');
  return listed(campaigns.map(nameOf), Math.max(Math.min(most, MOST_NAMED), 1));
}

/** Facts, emails and other changes of each launch. */
function launchFolds(blocks: readonly CampaignBlock[], detail: Detail, linkTo: LinkTo): string[] {
  if (detail === 'line')
    return [
      blocks
        .flatMap(({ campaigns }) => campaigns)
        .map((view) => `- ${linked(view, linkTo)}: ${prose(view.leadFacts ?? '')}`)
        .join('\n'),
    ];
  const open = blocks.length <= MOST_OPEN;
  return blocks.map((block) => blockFold(block, detail, { linkTo, open }));
}

function linked({ name, campaign }: CampaignView, linkTo: LinkTo): string {
  return link(nameOf({ name }), linkTo(campaign.manifest));
}

/** A row for each campaign without launch. */
function campaignTable(blocks: readonly CampaignBlock[], linkTo: LinkTo): string {
  if (blocks.length === 0) return '';
  const rows = blocks.map((block) => rowOf(block, linkTo));
  const heads = ['Campaign', 'Changes', 'Leads', 'Flags'];
  const used = heads.map((_, at) => rows.some((row) => row[at] !== ''));
  const kept = (cells: readonly string[]) => cells.filter((_, at) => used[at]);
  const table = markdownTable({ heads: kept(heads), rows: rows.map(kept) });
  if (blocks.length <= MOST_ROWS) return table;
  return fold(`${count(membersOf(blocks), 'campaign')}, a line for each change`, false, [table]).trimEnd();
}

function rowOf({ campaigns, title, differs }: CampaignBlock, linkTo: LinkTo): string[] {
  const [view] = campaigns;
  const { name, campaign, facts, problems, leads } = view;
  const [action, ...more] = facts;
  const named = link(cellCode(cut(name, 120)), linkTo(campaign.manifest));
  const flags = [...groupBy(problems, flagOf)].map(
    ([words, flagged]) =>
      `${words}: ${[...new Set(flagged.map((problem) => cellCode(problem.code)))].join(', ')}`,
  );
  return [
    title === null ? named : `${title}: ${named} and ${thousands(campaigns.length - 1)} more`,
    [action?.words ?? '', ...changesOf(view).map((theme) => prose(cut(theme, 120)))].join(' · '),
    differs ? 'each its own' : prose(cut(leads ?? '', 120)),
    [...flags, ...more.map(({ words }) => words)].join(' · '),
  ];
}

function changesOf({ themes, sections }: CampaignView): string[] {
  const status = sections
    .find(({ section }) => section === 'status')
    ?.changes.find(({ kind }) => kind === 'update');
  return [...themes, ...(status ? [`status ${short(shownBefore(status))} → ${short(status.to)}`] : [])];
}

function flagOf({ severity, accepted_by = null }: Problem): string {
  return accepted_by === null ? SEVERITIES[severity].words : 'accepted';
}

/** Nested if there are many. */
function campaignFolds(blocks: readonly CampaignBlock[], detail: Detail, linkTo: LinkTo): string {
  if (detail === 'line' || blocks.length === 0) return '';
  const open = blocks.length <= MOST_OPEN && membersOf(blocks) <= MOST_ROWS;
  const text = blocks.map((block) => blockFold(block, detail, { linkTo, open })).join('\n\n');
  return blocks.length > MOST_ROWS ? fold('<b>All changes</b>', false, [text]).trimEnd() : text;
}

function blockFold(
  { campaigns, sections, title, differs }: CampaignBlock,
  detail: Detail,
  { linkTo, open }: { linkTo: LinkTo; open: boolean },
): string {
  const [view] = campaigns;
  const { launch, leadFacts, origin, problems, name, where, campaign } = view;
  const words = view.facts.map((fact) => fact.words).filter((word) => launch === null || word !== 'launch');
  const facts =
    launch === null ? [...words, ...changesOf(view)] : [...words, ...(differs ? [] : [leadFacts ?? launch])];
  const seenProblems = problems.filter((problem) => problem.code !== 'launch');
  const codes = [...new Set(seenProblems.map((problem) => code(problem.code)))];
  const foot = [
    ...(title === null ? [link(code(where), linkTo(campaign.manifest))] : []),
    ...(codes.length === 0 ? [] : [`see ${launch === null ? 'above' : 'below'}: ${codes.join(', ')}`]),
  ];
  const summary = [
    `<b>${title ?? htmlCode(cut(name, 120))}</b>`,
    ...facts.map((fact) => prose(cut(fact, 300))),
  ];
  return fold(summary.join(' · '), open, [
    ...(origin === null ? [] : [`> ⚠ ${prose(capital(origin))}.`, '']),
    ...sections.flatMap((section) => sectionItems(section, detail)),
    '',
    ...emailLines(view, detail),
    ...(title === null
      ? []
      : ['**campaigns**', '', ...memberLines(campaigns, { differs, detail, linkTo }), '']),
    ...(foot.length === 0 ? [] : [`<sub>${foot.join(' · ')}</sub>`]),
  ]).trimEnd();
}

/** Unchanged emails of a launch. */
function emailLines({ emails }: CampaignView, detail: Detail): string[] {
  if (emails === null) return [];
  return [
    '**sends**',
    '',
    ...emails.flatMap((email, at) => [
      `${at + 1}\\. ${code(email.email_subject, visibleCopyLine)} (${howSent(email)})`,
      '',
      ...(detail === 'full' ? [fence(linesOf(email.email_body).map(visibleCopy).join('\n')), ''] : []),
    ]),
  ];
}

/** Names, with leads and dates if these differ. */
function memberLines(
  campaigns: readonly CampaignView[],
  { differs, detail, linkTo }: { differs: boolean; detail: Detail; linkTo: LinkTo },
): string[] {
  if (differs)
    return campaigns.map(
      (view) => `- ${linked(view, linkTo)}${view.leadFacts === null ? '' : `: ${prose(view.leadFacts)}`}`,
    );
  const names = campaigns.map((view, at) => (at < MOST_NAMED ? linked(view, linkTo) : nameOf(view)));
  return [listed(names, detail === 'full' ? names.length : MOST_NAMED)];
}
