/** match → read → plan, with a reader that cannot write. */
import type { AnswerName, ListedCampaign } from '../model/answer.js';
import { isSameName } from '../model/characters.js';
import type { Environment } from '../model/environment.js';
import { Failure } from '../model/failure.js';
import {
  isNone,
  type LiveParts,
  liveCampaign,
  nameIn,
  statusIn,
  type Template,
  UNREAD,
} from '../model/live.js';
import type { ReportProgress } from '../model/progress.js';
import type { CheckoutHistory } from '../model/state.js';
import type { Target } from '../model/target.js';
import { classifyStatus, isVanished, othersShowStatus } from '../sections/sending.js';
import { withFacts } from '../sections/target.js';
import { type Reader, readCampaigns } from '../service/index.js';
import { type BuiltPlan, buildPlan } from './build.js';
import type { PlanInput } from './campaign.js';
import { commitsInQuestion } from './hazards.js';
import type { KnownState, PlanRequest, PlanWorkspace } from './input.js';
import { type LeadOwner, leadOwners, ownersToRead } from './leads.js';
import { matchTargets, renaming } from './match.js';
import { problem } from './messages.js';
import { type OutstandingRequest, outstandingRequests } from './outstanding.js';
import { declaredOf, isDeclared, type Planned } from './planned.js';
import { isFromRow, isUnremarkable, standingRows } from './rows.js';

/** The service, and whoever else is asked. */
export interface Sources {
  reader: Reader;
  /** Resolves once the service has had the time to show the requests. */
  wait(outstanding: readonly OutstandingRequest[]): Promise<void>;
  /** Asks git about the commits of earlier applies; called only if the plan may undo one of them. */
  askHistory(commits: ReadonlySet<string>): Promise<CheckoutHistory>;
  report: ReportProgress | undefined;
}

interface RefreshInput extends PlanWorkspace, KnownState, PlanRequest, Sources {}

export interface Refresh extends BuiltPlan {
  listed: readonly ListedCampaign[];
  /** Ids of campaigns that are in the state or match a manifest. */
  knownIds: ReadonlySet<number>;
  names: ReadonlySet<string>;
  /** For drift: live names of campaigns that were renamed in the service, by the names in the manifests. */
  renamed: ReadonlyMap<string, string>;
  /** Assumed time of the launches, in milliseconds since 1970. */
  now: number;
}

/**
 * Waits only for requests of earlier runs that the service does not show yet, and reads a campaign again only if the service
 * contradicts the state, because a single incorrect response should not cause a refusal.
 */
export async function refresh(
  sources: Sources,
  workspace: PlanWorkspace,
  known: KnownState,
  request: PlanRequest,
): Promise<Refresh> {
  const { reader, forget } = rememberParts(sources.reader);
  const input: RefreshInput = { ...workspace, ...known, ...request, ...sources };
  const { planned, doubted } = await planFromRows({ ...input, reader }, new Set());
  const outstanding = outstandingRequests(input.pending, planned.works, planned.listed);
  if (outstanding.length > 0) {
    await input.wait(outstanding);
    return readAndPlan(input, null);
  }
  const contradicted = planned.works.filter(isContradicted).flatMap(({ target }) => target.id ?? []);
  if (contradicted.length === 0) return planned;
  forget(new Set(contradicted));
  return (await planFromRows({ ...input, reader }, doubted)).planned;
}

/**
 * Rows stand for records until the plan shows which campaigns differ or need attention: it is then made again from their
 * records. `doubted`: ids of these campaigns.
 */
async function planFromRows(
  input: RefreshInput,
  doubted: ReadonlySet<number>,
): Promise<{ planned: Refresh; doubted: ReadonlySet<number> }> {
  const planned = await readAndPlan(input, doubted);
  const remarkable = planned.works.filter(
    (work) => isFromRow(work.target) && (!isUnremarkable(work) || isContradicted(work)),
  );
  if (remarkable.length === 0) return { planned, doubted };
  const ids = remarkable.flatMap(({ target }) => target.id ?? []);
  return planFromRows(input, new Set([...doubted, ...ids]));
}

const CONTRADICTIONS = ['sequence-missing', 'schedule-missing', 'status-contradicted'];

/** True if the service contradicts what it or campaignctl knew. */
function isContradicted({ target: { live, status }, plan }: Planned): boolean {
  if (live?.isRead !== true) return false;
  const isDoubtful = isVanished(status) || status.doubt === 'draft_again';
  return isDoubtful || plan.problems.some(({ code }) => CONTRADICTIONS.includes(code));
}

/** Nothing is read or decoded twice. `forget`: the list and these campaigns are read again. */
function rememberParts(reader: Reader): { reader: Reader; forget(ids: ReadonlySet<number>): void } {
  let list: Promise<ListedCampaign[]> | null = null;
  let templates: Promise<Template[]> | null = null;
  const parts = new Map<string, Promise<LiveParts[AnswerName]>>();
  return {
    reader: {
      ...reader,
      campaigns(report) {
        list ??= reader.campaigns(report);
        return list;
      },
      templates() {
        templates ??= reader.templates();
        return templates;
      },
      read<Name extends AnswerName>(name: Name, id: number) {
        const key = `${name} ${id}`;
        const part = parts.get(key) ?? reader.read(name, id);
        parts.set(key, part);
        return part as Promise<LiveParts[Name]>;
      },
    },
    forget(ids) {
      list = null;
      for (const key of parts.keys()) if (ids.has(Number(key.split(' ')[1]))) parts.delete(key);
    },
  };
}

/** `doubted`: campaigns whose records are read; `null` for all. */
async function readAndPlan(input: RefreshInput, doubted: ReadonlySet<number> | null): Promise<Refresh> {
  const { environment, campaigns, reader, pending, mode, drift, other, now } = input;
  await checkWorkspace(environment, reader);
  const listed = await reader.campaigns(input.report);
  const matched = matchTargets({ ...input, listed });
  const targets = await Promise.all(matched.targets.map((target) => checkMissing(target, input)));
  const { entries, manifests } = matched;
  const owners = leadOwners(entries, manifests, { environment, listed, pending });
  const standing =
    doubted === null || drift || mode !== 'all' || other !== null
      ? new Map<number, LiveParts['campaign']>()
      : standingRows(matched, { environment, pending, doubted });
  const read = await readTargets(targets, owners, { input, listed, standing });
  const built = await buildWithHistory({ ...input, ...read, listed, history: null }, input);
  return {
    ...built,
    listed,
    knownIds: new Set([...entries, ...manifests].flatMap(({ id }) => id ?? [])),
    names: new Set(campaigns.map(({ spec }) => spec.name)),
    renamed: new Map(drift ? declaredOf(built.works).flatMap(({ target }) => renaming(target)) : []),
    now,
  };
}

/**
 * The list may lag behind a creation. So if it does not show a campaign that was applied, the campaign's own record is read, and
 * only if the service has none may apply create the campaign again.
 */
async function checkMissing(target: Target, { reader, environment }: RefreshInput): Promise<Target> {
  const { earlier, problems } = target;
  if (earlier === null || problems.every(({ code }) => code !== 'missing')) return target;
  const record = await reader.read('campaign', earlier.id).catch((error: unknown) => {
    // The token may belong to a workspace that refuses this id.
    if (error instanceof Failure) return null;
    throw error;
  });
  if (record === null || isNone(record)) return target;
  if (classifyStatus(statusIn(record), environment.service.statuses) === 'gone') return target;
  const found = problem('not-listed', earlier);
  return { ...target, problems: problems.map((each) => (each.code === 'missing' ? found : each)) };
}

async function buildWithHistory(input: PlanInput, { askHistory }: Sources): Promise<BuiltPlan> {
  const built = buildPlan(input);
  const commits = commitsInQuestion(built.works);
  if (commits.size === 0) return built;
  return buildPlan({ ...input, history: await askHistory(commits) });
}

/** `standing`: by id, the rows that may stand for records. */
interface ReadContext {
  input: RefreshInput;
  listed: readonly ListedCampaign[];
  standing: ReadonlyMap<number, LiveParts['campaign']>;
}

async function readTargets(
  targets: readonly Target[],
  owners: readonly LeadOwner[],
  { input: { environment, reader, report }, listed, standing }: ReadContext,
): Promise<{ targets: Target[]; owners: LeadOwner[] }> {
  const declared = targets.filter(
    (target) => isDeclared(target) && (target.id === null || target.reads !== null),
  );
  const owning = [...ownersToRead(owners, declared, { environment, listed })].flatMap(({ id }) => id ?? []);
  const isOwning = new Set(owning);
  const rows = new Map([...standing].filter(([id]) => !isOwning.has(id)));
  const reads = targets.flatMap(({ id, reads: names, shows }) =>
    id === null || names === null
      ? []
      : [{ id, names: names.filter((name) => name !== 'campaign' || !rows.has(id)), shows }],
  );
  const isRead = new Set(reads.flatMap(({ id, names }) => (names.includes('campaign') ? id : [])));
  const shared = owning.flatMap((id) => (isRead.has(id) ? [] : [{ id, names: ['campaign'] as const }]));
  const isTemplated = declared.some(
    ({ campaign: { spec } }) => spec.schedule !== undefined && 'template' in spec.schedule,
  );
  const [templates, responses] = await Promise.all([
    isTemplated ? reader.templates() : null,
    readCampaigns(reader, [...reads, ...shared], report),
  ]);
  const parts = new Map(
    [...reads, ...shared].map(({ id }, index): [number, LiveParts] => {
      const read = responses[index] ?? UNREAD;
      return [id, { ...read, campaign: rows.get(id) ?? read.campaign }];
    }),
  );
  const isTarget = new Set(reads.map(({ id }) => id));
  return {
    targets: targets.map((target) => {
      const { id, row } = target;
      if (id === null) return { ...target, templates };
      const read = isTarget.has(id) ? (parts.get(id) ?? null) : null;
      const live = liveCampaign(read, { row, othersShowStatus: othersShowStatus(id, listed) });
      return withFacts({ ...target, templates }, { live });
    }),
    owners: owners.map((owner) => {
      const { campaign } = (owner.id === null ? undefined : parts.get(owner.id)) ?? UNREAD;
      return { ...owner, live: owner.live && liveCampaign({ ...UNREAD, campaign }, owner.live) };
    }),
  };
}

/** A token may act on whichever workspace a person has opened in the web app. */
export async function checkWorkspace(
  { name: environment, workspace }: Environment,
  reader: Reader,
): Promise<void> {
  if (workspace === null) return;
  const { campaign_id, name } = workspace;
  const record = await reader.read('campaign', campaign_id);
  const [none, shown] = [isNone(record), nameIn(record)];
  if (!none && shown !== null && isSameName(shown, name)) return;
  const seen = none
    ? 'has no such campaign'
    : shown === null
      ? 'shows it without a name'
      : `calls it "${shown}"`;
  throw new Failure({
    code: 'wrong-workspace',
    message: `The environment ${environment} is pinned to the workspace where campaign ${campaign_id} is called "${name}"; this token's workspace ${seen}. Nothing was sent.`,
    hint: 'Check the token: it may belong to a different workspace. If the campaign was renamed, correct workspace: in the project file.',
  });
}
