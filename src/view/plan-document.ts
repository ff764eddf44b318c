/** A plan as a document: which blocks a reader sees, and in which order. */

import { literalGlob } from '../model/glob.js';
import { launchArgument } from '../model/hold.js';
import { groupBy } from '../model/json.js';
import type { Impact, Plan } from '../model/outputs.js';
import { count, listed, thousands } from '../model/words.js';
import type { CampaignView, SectionView } from './campaign-view.js';
import { emailsOf, fateOf, viewChanges } from './changes.js';
import type {
  Block,
  Card,
  Cards,
  Cell,
  Decision,
  Document,
  Fact,
  Head,
  Member,
  Name,
  Part,
  TableBlock,
} from './document.js';
import { dayWords, isResumed, launchCells, launchCounts } from './launches.js';
import type { PlanDocumentOptions } from './options.js';
import { type OtherView, otherCard, otherRow } from './other-campaigns.js';
import { approvalWords } from './plan-approvals.js';
import { type CampaignLink, isAwaited, isHeadline, type Notice } from './plan-notices.js';
import { type CampaignBlock, countMembers, type PlanView, viewPlan } from './plan-view.js';
import { visibleLine } from './terminal.js';

export function planDocument(plan: Plan, options: PlanDocumentOptions = {}): Document {
  const view = viewPlan(plan, options);
  return [headOf(view, options), ...noticeBlocks(view.notices.filter(isHeadline)), ...planBlocks(view)];
}

/**
 * Below the headlines: what needs a decision, what is blocked, the launches, all changes, and last what needs no attention.
 * `applied`: the part that apply does not refuse.
 */
export function planBlocks(view: PlanView, applied: PlanView = view): Block[] {
  const { notices, launches, others, byHand } = view;
  const cards = withSameEmails([...launches, ...others].map(cardOf));
  const [first, rest] = [cards.slice(0, launches.length), cards.slice(launches.length)];
  return [
    ...noticeBlocks(notices.filter(isDecision)),
    ...stepsOf({ ...applied, refusal: view.refusal }),
    ...noticeBlocks(notices.filter(isBlocked)),
    ...launchTable(launches),
    ...calendarOf(view),
    ...noticeBlocks(notices.filter(isOther)),
    ...noticeBlocks(notices.filter(isWarning)),
    ...(byHand.length === 0 ? [] : [{ is: 'tasks', groups: byHand, isSandbox: view.isSandbox } as const]),
    ...campaignTable(others, view.unmanaged),
    ...cardsBlock({ id: 'launches', title: 'Launches', cards: first }),
    ...cardsBlock({
      id: 'campaigns',
      title: launches.length > 0 ? 'Other campaigns' : 'Campaigns',
      cards: rest,
    }),
    ...cardsBlock({
      id: 'unmanaged',
      title: 'Without a manifest',
      cards: view.unmanaged.map(otherCard),
      except: 'markdown',
    }),
    ...(view.notes.length === 0 ? [] : [{ is: 'notes', notices: view.notes } as const]),
  ];
}

/** The launches follow their notice, so it does not list them. */
export function noticeBlocks(notices: readonly Notice[]): Block[] {
  return notices.map((notice) => {
    return { is: 'notice', ...notice, messages: notice.kind === 'launch' ? [] : notice.messages };
  });
}

function isOther(notice: Notice): boolean {
  return ![isDecision, isHeadline, isBlocked, isWarning].some((isKind) => isKind(notice));
}

function isDecision({ kind }: Notice): boolean {
  return kind === 'error' || kind === 'hazard';
}

function isBlocked({ kind }: Notice): boolean {
  return kind === 'blocked';
}

function isWarning({ kind }: Notice): boolean {
  return kind === 'warning';
}

export function headOf(view: PlanView, { about = [] }: Pick<PlanDocumentOptions, 'about'> = {}): Head {
  const { heading, environment, service, isInsecure, isSandbox, counts, verdict, approvals } = view;
  const { volume, unread, legend } = view;
  return {
    is: 'head',
    title: heading,
    subject: environment,
    service,
    isInsecure,
    mark: markOf(isSandbox),
    about,
    counts: [counts.campaigns, counts.rest],
    verdict,
    lines: [...line('quiet', volume), ...line('changed', unread), ...line('quiet', legend)],
    needed: approvalWords(approvals),
    refused: view.refusal === null ? '' : 'refused',
    free: freeWords(view),
    fingerprint: view.fingerprint,
  };
}

function freeWords({ command, approvals, refusal, notices }: PlanView): string {
  const isFree =
    command !== null &&
    approvals.length === 0 &&
    refusal === null &&
    notices.every(({ kind }) => kind !== 'calm');
  const accepted = notices.filter(({ kind }) => kind === 'accepted').flatMap(({ messages }) => messages);
  const codes = [...new Set(accepted.map(({ code }) => code))];
  if (!isFree) return '';
  return codes.length === 0 ? 'no approval needed' : `approved: ${codes.join(', ')}`;
}

export function markOf(isSandbox: boolean): Fact {
  return isSandbox
    ? { look: 'quiet', words: 'Sandbox: no email is sent' }
    : { look: 'blocked', words: 'Real service' };
}

function line(look: Fact['look'], words: string | null): Fact[] {
  return words === null ? [] : [{ look, words }];
}

function stepsOf(view: PlanView): Block[] {
  const { refusal, applying, mode } = view;
  const review = mode === 'drift' ? [] : reviewSteps(view);
  if (refusal === null && applying.length === 0 && review.length === 0) return [];
  return [{ is: 'steps', refusal, review, applying, decision: decisionOf(view) }];
}

/** What a reviewer does, in order. */
function reviewSteps(view: PlanView): string[] {
  const { approvals, byHand, campaigns, applying, refusal, isSandbox } = view;
  const launched = campaigns.filter(({ isLaunch }) => isLaunch).map(({ campaign }) => campaign);
  const blocked = campaigns.filter(({ campaign }) => campaign.action === 'blocked').length;
  const isDecided = applying.length > 0 || refusal !== null;
  if (!isDecided && byHand.length === 0 && blocked === 0) return [];
  const decisions = approvals.filter(({ code }) => code !== 'launch');
  const right = blocked > 0 ? 'If the rest is right' : 'If everything is right';
  const approved = approvals.length === 0 ? '' : ', and tell the person who applies it what you approve';
  return [
    launched.length > 0
      ? `Review the emails, leads and dates of ${launchCounts(launched).join(' and ')}.`
      : 'Review the changes.',
    ...(decisions.length > 0 ? [`Decide whether to approve ${approvalWords(decisions)}.`] : []),
    ...(blocked > 0
      ? [
          `${count(blocked, 'campaign')} with blocked changes: ${isSandbox ? '' : byHand.length > 0 ? 'do the tasks that are left to do by hand, ' : "make the changes in the service's web app, "}undo the changes in the manifests, or replace the campaigns. Then plan again.`,
        ]
      : []),
    ...(isDecided ? [`${right}, approve the change in the review${approved}.`] : []),
    ...(blocked === 0 && byHand.length > 0 ? [tasksStep(view, isDecided)] : []),
  ];
}

/** Tasks follow the apply that creates their campaign, and precede its launch. */
function tasksStep({ waiting, isSandbox }: PlanView, isDecided: boolean): string {
  if (isSandbox)
    return 'In a real service, the tasks that are left to do by hand would follow. A sandbox has no web app.';
  if (waiting.length > 0)
    return `Apply with the launch of ${listed(waiting.map(visibleLine))} held, do the tasks that are left to do by hand in the service's web app, then apply again to launch.`;
  return `${isDecided ? 'After the apply, do' : 'Do'} the tasks that are left to do by hand in the service's web app.`;
}

function decisionOf({
  approvals,
  command,
  refusal,
  environment,
  campaigns,
  heldNote: note,
  fingerprint,
  waiting,
}: PlanView): Decision | null {
  if (approvals.length === 0 || (command === null && refusal === null)) return null;
  const resumed = new Set(
    campaigns
      .filter(({ campaign }) => isResumed(campaign))
      .flatMap(({ name, campaign }) => [name, campaign.name]),
  );
  const options = approvals.flatMap(({ code, names }) =>
    code === 'launch'
      ? [...groupBy(names, (name) => name)].map(([name, { length }]) => ({
          words: `${resumed.has(name) ? 'resume' : 'launch'} of ${visibleLine(name)}${length > 1 ? ` (${count(length, 'campaign')})` : ''}`,
          allow: `--allow ${launchArgument(literalGlob(name))}`,
          hold: `--hold ${launchArgument(literalGlob(name))}`,
          isCarried: waiting.includes(name),
        }))
      : [
          {
            words: hazardWords(code, names),
            allow: `--allow ${code}`,
            hold: '',
            isCarried: false,
          },
        ],
  );
  return { environment, fingerprint, command, options, note };
}

/** An approval is for the hazard as a whole, also if later plans have more of it. */
function hazardWords(code: string, names: readonly string[]): string {
  if (names.length === 0) return code;
  return `${code} as a whole, now for ${listed(names.map(visibleLine))}`;
}

const NAME = { head: 'Campaign', least: 16, isName: true } as const;

/** Each launch once, with the numbers to decide on. Equal launches share a row. */
function launchTable(blocks: readonly CampaignBlock[]): TableBlock[] {
  const views = blocks.flatMap(({ campaigns }) => campaigns);
  if (views.length === 0) return [];
  const cells = launchCells(views.map(({ campaign }) => campaign.impact));
  const rows = cells.flatMap(({ people, emails, firstDay, first, last, cap }, at) => {
    const view = views[at];
    if (view === undefined) return [];
    return [{ view, row: [happening(view), people, emails, firstDay, first, last, cap] }];
  });
  return [
    {
      is: 'table',
      id: 'launch-table',
      title: 'Launches at a glance',
      number: views.length,
      columns: [
        NAME,
        { head: 'What happens', drop: 2 },
        { head: 'People', isRight: true },
        { head: 'Emails', isRight: true },
        { head: 'First day', isRight: true },
        { head: 'First', isWhole: true },
        { head: 'Last', isWhole: true },
        { head: 'Cap a day', isRight: true },
      ],
      rows: [...groupBy(rows, ({ row }) => JSON.stringify(row)).values()].map((same): Cell[] => [
        same.map(({ view }) => nameOf(view)),
        ...same[0].row,
      ]),
      isRepeated: true,
    },
  ];
}

/** Equal launches share a row. */
function calendarOf({ calendar, launches }: PlanView): Block[] {
  if (calendar === null) return [];
  const names = new Map(
    launches.flatMap(({ campaigns }) => campaigns.map((view) => [view.campaign, nameOf(view)] as const)),
  );
  const rows = calendar.rows.flatMap(({ campaign, cells }) => {
    const name = names.get(campaign);
    return name === undefined ? [] : [{ name, cells, start: startOf(campaign.impact) }];
  });
  const same = [...groupBy(rows, ({ cells, start }) => JSON.stringify([cells, start])).values()];
  return [
    {
      is: 'calendar',
      title: 'Emails a day in the first two weeks, if applied now',
      days: calendar.days,
      rows: same.map(([first, ...others]) => ({
        names: [first.name, ...others.map(({ name }) => name)],
        cells: first.cells,
        start: first.start,
      })),
      sum: calendar.sum,
      isPartial: calendar.isPartial,
      capacity: calendar.capacity,
    },
  ];
}

/** "at most 20 on Sun 29 Nov", for a launch whose days are not known; empty if the first one is not known either. */
function startOf(impact: Impact | null): string {
  if (!impact?.first) return '';
  const most = impact.first_day === null ? 'from' : `at most ${thousands(impact.first_day)} on`;
  return `${most} ${dayWords(impact.first, false)}`;
}

/** "launch · no unsubscribe link · create" */
function happening({ facts: [action, ...more] }: CampaignView): string {
  return [...more, ...(action === undefined ? [] : [action])].map(({ words }) => words).join(' · ');
}

/** For Markdown; on a page and in a terminal, the cards have these facts in sight. */
function campaignTable(blocks: readonly CampaignBlock[], unmanaged: readonly OtherView[]): TableBlock[] {
  if (blocks.length + unmanaged.length === 0) return [];
  const rows = blocks.map(({ campaigns, title }): Cell[] => {
    const [{ facts, themes, leadFacts, codes }] = campaigns;
    const [action, ...more] = facts;
    const leads = title !== null || leadFacts === null ? [] : [leadFacts];
    return [
      campaigns.map(nameOf),
      [...(title === null ? [] : [title]), action?.words ?? '', ...themes, ...leads].join(' · '),
      [...codes, ...more.map(({ words }) => words)].join(' · '),
    ];
  });
  const columns = [NAME, { head: 'Changes' }, { head: 'Flags' }];
  const table = {
    id: 'changes',
    title: 'Changes',
    number: countMembers(blocks) + unmanaged.length,
    columns,
    rows: [...rows, ...unmanaged.map(otherRow)],
    isRepeated: true,
  } as const;
  return [{ is: 'table', ...table, only: 'markdown' }];
}

function nameOf({ name, anchor, campaign }: CampaignView): Name {
  return { name, anchor, manifest: campaign.manifest };
}

function cardsBlock(block: Omit<Cards, 'is'>): Block[] {
  return block.cards.length === 0 ? [] : [{ is: 'cards', ...block }];
}

/** New campaigns often share their emails: only the first card has to show them. */
function withSameEmails(cards: readonly Card[]): Card[] {
  const firsts = new Map<string, CampaignLink>();
  const marked = (part: Part, { name, anchor }: Member): Part => {
    const [change, ...others] = part.is === 'changes' ? part.changes : [];
    if (part.is !== 'changes' || change?.form !== 'emails' || others.length > 0) return part;
    if (!change.isNew || change.name === '') return part;
    const key = JSON.stringify([change.emails, part.isPlain]);
    const sameAs = firsts.get(key) ?? null;
    if (sameAs === null) firsts.set(key, { name, anchor });
    return { ...part, sameAs };
  };
  return cards.map((card) => ({ ...card, parts: card.parts.map((part) => marked(part, card.members[0])) }));
}

function cardOf({ campaigns, sections, title }: CampaignBlock): Card {
  const [view] = campaigns;
  const { sign, facts, themes, leadFacts, subjects, where, succession, origin, codes, problems } = view;
  const { isLaunch, mailsNewLeads, campaign, name } = view;
  const [first, ...others] = campaigns;
  return {
    ...{ sign, title: title ?? name, facts, themes, codes, isLaunch },
    explainsLeads: mailsNewLeads || campaign.refill !== undefined,
    leads: title === null ? leadFacts : null,
    subjects: mailsNewLeads ? subjects : [],
    where: title === null ? where : '',
    remarks: [origin, succession].filter((words) => words !== null),
    parts: partsOf(view, sections, title !== null),
    members: [memberOf(first), ...others.map(memberOf)],
    isNew: campaign.action === 'create',
    isAwaited: problems.some(isAwaited),
  };
}

function memberOf(view: CampaignView): Member {
  const { name, anchor, campaign, where, leadFacts, sections } = view;
  const leads = sections.filter(({ section }) => section === 'leads');
  return {
    ...{ name, anchor, manifest: campaign.manifest, where, leads: leadFacts },
    parts: leads.map((section) => changesPart(section, view)),
  };
}

function partsOf(view: CampaignView, sections: readonly SectionView[], isGroup: boolean): Part[] {
  const { emails, sends, mailsNewLeads } = view;
  const sequence = sections.find(({ section }) => section === 'sequence');
  const isShown = emails.length > 0 && (mailsNewLeads || (sequence !== undefined && !isGroup));
  const changed = sequence?.isWithheld === true ? viewChanges(sequence.changes).flatMap(emailsOf) : [];
  const emailsPart: Part = {
    is: 'emails',
    emails,
    sent: sends,
    withheld: new Set(changed),
    isPlain: isPlain(view),
  };
  return [...sections.map((section) => changesPart(section, view)), ...(isShown ? [emailsPart] : [])];
}

function changesPart({ section, changes, isWithheld, compared }: SectionView, view: CampaignView): Part {
  const isPartial = view.campaign.action === 'blocked';
  const mark = isWithheld || isPartial ? fateOf(view.campaign, section) : null;
  return {
    ...{ is: 'changes', section, mark, compared, sameAs: null },
    ...{ changes: viewChanges(changes), isPlain: isPlain(view) },
  };
}

function isPlain({ campaign: { content } }: CampaignView): boolean {
  return (content?.after.settings?.plain_text ?? content?.before?.settings?.plain_text) === true;
}
