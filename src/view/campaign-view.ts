/** A campaign of a plan, as all views show it. */
import {
  type Action,
  activeEmails,
  activeSteps,
  type CampaignPlan,
  type Change,
  type ContentSequence,
  isLaunched,
  type Plan,
  type Problem,
  type SectionName,
  type Succession,
} from '../model/outputs.js';
import { decodeCap } from '../model/volume.js';
import { count, leadsNamed } from '../model/words.js';
import {
  type EmailView,
  emailViews,
  groupSections,
  isWithheld,
  leadWords,
  listThemes,
  markedChanges,
  originLine,
  withBefore,
} from './changes.js';
import type { CardFact } from './document.js';
import { capPerDay, changedConcerns, isResumed, launchConcerns, launchLine } from './launches.js';
import { earlierName } from './plan-approvals.js';
import {
  attachesWhileSending,
  type CampaignLink,
  changedTimes,
  hasDrift,
  isAttended,
  isRefused,
  isStopped,
  loweredCap,
  raisedCap,
} from './plan-notices.js';
import { visibleLine } from './terminal.js';

export interface CampaignView extends CampaignLink {
  anchor: string;
  campaign: CampaignPlan;
  sign: string;
  facts: CardFact[];
  themes: string[];
  isLaunch: boolean;
  /** True for a launch, and if leads are added to a campaign that is or may be sending. */
  mailsNewLeads: boolean;
  /** Its leads and, for a launch, its cap and dates; `null` if it has no leads. */
  leadFacts: string | null;
  subjects: readonly { subject: string; isVariant: boolean }[];
  /** All emails after the plan, unless the changes already contain them. */
  emails: readonly EmailView[];
  /** Those that new leads get: the current ones, if apply cannot change them. */
  sends: readonly EmailView[];
  /** "id 12 · campaigns/spring.yaml" */
  where: string;
  origin: string | null;
  /** The fate of the campaign that this one replaces; `null` if it replaces none. */
  succession: string | null;
  sections: SectionView[];
  problems: Problem[];
  /** Codes of its problems, except "launch". Notices explain them. */
  codes: string[];
}

export interface SectionView {
  section: SectionName;
  changes: Change[];
  /** Empty unless its emails are compared with those of the replaced campaign. */
  compared: string;
  isWithheld: boolean;
}

const ACTIONS: Record<Action, CardFact & { sign: string }> = {
  create: { sign: '+', look: 'new', words: 'create', filter: 'create' },
  change: { sign: '~', look: 'changed', words: 'change', filter: 'change' },
  blocked: { sign: '✗', look: 'blocked', words: 'blocked', filter: 'blocked' },
  none: { sign: '=', look: 'quiet', words: 'unchanged' },
  not_read: { sign: '=', look: 'quiet', words: 'not read' },
  drift: { sign: '~', look: 'changed', words: 'drift', filter: 'drift' },
};

export function viewCampaign(campaign: CampaignPlan, anchor: string, plan: Plan): CampaignView {
  const { name, action, id, problems, manifest, replaces } = campaign;
  const attended = problems.filter((problem) => isAttended(problem, campaign));
  const loss = problems.some(({ code }) => code === 'rename') ? 'renamed' : 'missing';
  const which = id !== null ? [`id ${id}`] : action === 'drift' ? [loss] : [];
  const predecessor =
    replaces && `replaces ${replaces.id} "${replaces.name}" (${replaces.status ?? 'status not shown'})`;
  return {
    name,
    anchor,
    campaign,
    sign: ACTIONS[action].sign,
    facts: cardFacts(campaign, plan),
    themes: listThemes(campaign),
    isLaunch: isLaunched(campaign),
    mailsNewLeads: mailsLeads(campaign),
    leadFacts: describeLeadFacts(campaign),
    ...viewEmails(campaign),
    where: [...which, manifest, ...(predecessor === undefined ? [] : [predecessor])].join(' · '),
    origin: originLine(campaign),
    succession: replaces === undefined || id !== null ? null : successionLine(replaces),
    sections: viewSections(campaign),
    problems: attended,
    codes: [...new Set(attended.map(({ code }) => code))].filter((code) => code !== 'launch'),
  };
}

function cardFacts(campaign: CampaignPlan, plan: Plan): CardFact[] {
  const { action, problems, steps, replaces } = campaign;
  const { sign: _, ...what } = ACTIONS[action];
  const launches = isLaunched(campaign);
  const pauses = isStopped(campaign);
  const concerns = launches ? launchConcerns(campaign) : changedConcerns(campaign);
  const status = campaign.content?.before?.status ?? null;
  const isStatusShown = launches || pauses || action === 'drift';
  const facts: readonly (CardFact | false)[] = [
    what,
    problems.some(isRefused) && { look: 'blocked', words: `not applied to ${earlierName(plan)}` },
    launches && { look: 'launch', words: isResumed(campaign) ? 'resume' : 'launch', filter: 'launch' },
    ...concerns.map((words) => ({ look: 'blocked' as const, words })),
    action === 'create' && !launches && { look: 'quiet', words: 'sends nothing yet' },
    status !== null && !isStatusShown && { look: 'quiet', words: `status ${status}` },
    pauses && { look: 'changed', words: 'pause', filter: 'stops' },
    raisedCap(campaign) !== null && {
      look: 'changed',
      words: 'higher daily cap',
      filter: 'higher daily cap',
    },
    loweredCap(campaign) !== null && { look: 'changed', words: 'lower daily cap' },
    changedTimes(campaign) !== null && { look: 'changed', words: 'other sending times' },
    replaces?.running === true && {
      look: 'changed',
      words: `replaces ${visibleLine(replaces.name)}, which is paused first`,
    },
    replaces?.running === false && steps.length > 0 && { look: 'quiet', words: 'replaces a campaign' },
    action !== 'drift' && hasDrift(campaign) && { look: 'changed', words: 'drift', filter: 'drift' },
    action === 'blocked' &&
      steps.length > 0 && {
        look: 'quiet',
        words: `apply will make the other changes in ${count(steps.length, 'request')}`,
      },
  ];
  return facts.filter((fact) => fact !== false);
}

/** "Spring stops: its 40 leads (lead list fair-visitors (id 77)) get no further emails" */
function successionLine({ name, running, stops }: Succession): string {
  const { lists, list_names, ids, leads } = stops;
  const end = `${visibleLine(name)} ${running ? 'stops' : 'does not start again'}`;
  if (leads === 0 && lists.length === 0 && ids.length === 0) return `${end}: this campaign has all its leads`;
  const kinds = [
    ...(lists.length > 0 ? [`lead list${lists.length === 1 ? '' : 's'} ${list_names.join(', ')}`] : []),
    ...(ids.length > 0 ? [leadsNamed('ids', ids)] : []),
  ];
  const named = kinds.join(' and ');
  const counted = leads === null ? null : `its ${count(leads, 'lead')}${named && ` (${named})`}`;
  const whose = counted ?? (named || 'leads that only it has (the state knows none)');
  return `${end}: ${whose} ${leads === 1 || (leads === null && lists.length === 0 && ids.length === 1) ? 'gets' : 'get'} no further emails`;
}

function describeLeadFacts(campaign: CampaignPlan): string | null {
  const { impact } = campaign;
  if (isLaunched(campaign) && impact !== null) return launchLine(impact);
  const leads = leadWords(campaign);
  if (leads === null || !attachesWhileSending(campaign)) return leads && `attaches ${leads}`;
  const { before = null, after } = campaign.content ?? {};
  const steps = activeSteps(sentSequence(campaign)).length;
  const cap = decodeCap({ ...before?.settings, ...after?.settings }.max_emails_per_day);
  const emails = steps === 0 ? '' : `${count(steps, 'email')}, `;
  const sending = 'is or may be sending';
  const where =
    campaign.refill === undefined ? ` to a campaign that ${sending}` : `; the campaign ${sending}`;
  return `attaches ${leads}${where}: ${emails}${capPerDay(cap)}`;
}

function viewEmails(campaign: CampaignPlan): Pick<CampaignView, 'subjects' | 'emails' | 'sends'> {
  const { changes, content, replaces } = campaign;
  const sequence = content?.after.sequence ?? content?.before?.sequence ?? null;
  const copy = replaces?.copy ?? changes.filter(({ section }) => section === 'sequence');
  const all = withBefore(emailViews(sequence?.steps ?? [], true), copy);
  const subjects = activeSteps(sentSequence(campaign))
    .map(activeEmails)
    .flatMap((sent) => sent.map(({ email_subject: subject }, at) => ({ subject, isVariant: at > 0 })));
  const isCompared = replaces !== undefined && replaces.copy !== null;
  const isNew = changes.some(({ section, path }) => section === 'sequence' && path === '');
  const emails = isCompared || !isNew ? all : [];
  const sent = keepsEmails(campaign) ? emailViews(sentSequence(campaign)?.steps ?? [], true) : emails;
  return { subjects, emails, sends: isCompared || mailsLeads(campaign) ? sent : [] };
}

/** What recipients get after the plan: the current emails, if apply cannot change them. `null` if they are not known. */
function sentSequence(campaign: CampaignPlan): ContentSequence | null {
  const { content } = campaign;
  const before = content?.before?.sequence ?? null;
  return keepsEmails(campaign) ? before : (content?.after.sequence ?? before);
}

function keepsEmails({ running_emails }: CampaignPlan): boolean {
  return running_emails?.emails === 'old';
}

function mailsLeads(campaign: CampaignPlan): boolean {
  return isLaunched(campaign) || attachesWhileSending(campaign);
}

function viewSections(campaign: CampaignPlan): SectionView[] {
  // A new campaign has no settings yet; the planner compared the manifest with the documented defaults.
  const changes = markedChanges(campaign).map((change): Change => {
    const isNew = campaign.id === null && change.section === 'settings';
    return isNew ? { ...change, kind: 'add', from: null } : change;
  });
  return groupSections(changes).map(({ section, changes }) => ({
    section,
    ...compareWithPredecessor(campaign, section, changes),
    isWithheld: isWithheld(campaign, section),
  }));
}

/** A new campaign that replaces another one is compared with it. `own`: its changes, for other campaigns and sections. */
function compareWithPredecessor(
  { id, replaces, content }: CampaignPlan,
  section: SectionName,
  own: Change[],
): Pick<SectionView, 'changes' | 'compared'> {
  const alone = { changes: own, compared: '' };
  if (replaces === undefined || id !== null) return alone;
  const name = visibleLine(replaces.name);
  if (section === 'sequence') {
    if (replaces.copy === null) return alone;
    const emails = count(content?.after.sequence?.steps.length ?? 0, 'email');
    const how = replaces.copy.length === 0 ? 'the same as' : 'compared with';
    return { changes: replaces.copy, compared: `${emails}, ${how} those of ${name}` };
  }
  if (section !== 'settings' && section !== 'schedule') return alone;
  const changes = replaces[section];
  if (changes === null) return { ...alone, compared: `${section} of ${name} not known` };
  const compared = changes.length === 0 ? `as in ${name}` : `compared with ${name}`;
  return { changes, compared };
}
