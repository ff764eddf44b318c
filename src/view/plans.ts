/** Plans of several projects as one report: a verdict for each, then each change once. */
import { posix } from 'node:path';
import { areOfSandbox, isOfSandbox, SANDBOX } from '../model/environment.js';
import { literalGlob, parseGlob } from '../model/glob.js';
import { type Hold, launchPattern } from '../model/hold.js';
import { type CampaignPlan, EMPTY_SUMMARY, type Plan, type PlanProblem } from '../model/outputs.js';
import { shellWord } from '../model/shell.js';
import { count } from '../model/words.js';
import { type Block, type Document, type Fact, paragraph, problemsBlock } from './document.js';
import { documentMarkdown } from './document-markdown.js';
import { type Lost, lostProblems, unreadLost } from './lost.js';
import type { LinkTo, PlaceFile, PlaceText, PlanDocumentOptions } from './options.js';
import { FOLDER, placedCommands, withLines, withPaths } from './placed.js';
import { approvalWords, namedByFlags, refusedCampaigns } from './plan-approvals.js';
import { countWords } from './plan-counts.js';
import { headOf, markOf, noticeBlocks, planBlocks } from './plan-document.js';
import { isAwaited, isHeadline, isRefused, type NameOf, type Notice } from './plan-notices.js';
import { type PlanView, type ViewOptions, viewPlan } from './plan-view.js';
import {
  failuresBlock,
  folderNote,
  namesOf,
  type ProjectPart,
  projectFlags,
  projectName,
  projectsHead,
  resultsOf,
} from './projects.js';
import { summed } from './words.js';

/** `env`: the environment or pattern that was asked for. */
type PlansDocumentOptions = Pick<PlanDocumentOptions, 'about' | 'saved'> & {
  lost?: Lost;
  env?: string | null;
};

export function plansDocument(
  parts: readonly ProjectPart<Plan>[],
  { about = [], saved = null, lost = null, env = null }: PlansDocumentOptions = {},
): Document {
  const planned = placedPlans(parts);
  const plans = planned.map(({ plan }) => plan);
  // A project may lie in the folder of another one.
  const deepest = [...planned].sort((a, b) => b.name.length - a.name.length);
  const ofManifest = (manifest: string) => deepest.find(({ name }) => manifest.startsWith(`${name}/`));
  const labelOf: NameOf = ({ manifest, name }) => `${ofManifest(manifest)?.name ?? ''}: ${name}`;
  const placeText = textPlacer(ofManifest);
  const placeFile = filePlacer(ofManifest);
  const whole = mergedPlan(planned.map(({ placed }) => placed));
  const flagName = namedByFlags(whole, labelOf);
  const placeIn = (some: readonly PlacedPlan[]) => (manifest: string) =>
    ofManifest(manifest)?.flags ?? allFlags(some, planned, env);
  const viewOf = (some: readonly PlacedPlan[]) =>
    viewPlan(mergedPlan(some.map(({ placed }) => placed)), {
      ...{ placeOf: placeIn(some), placeText, placeFile, labelOf, flagName, saved },
    });
  const placeOf = placeIn(planned);
  const view = viewOf(planned);
  const open = viewOf(applicable(planned));
  // Apply refuses the others whatever is approved.
  const applied = view.refusal === null || open.command === null ? view : open;
  const { common, nameOf } = namesOf([...parts, ...(lost?.projects ?? [])]);
  return [
    {
      ...headOf(view, { about }),
      title: `${projectsHead(parts, 'planned')}${common === null ? '' : ` for ${common}`}`,
      subject: '',
      ...(view.refusal !== null && applied === open ? { refused: 'refused in part' } : {}),
      service: '',
      mark: mixedMark(plans),
      ...(plans.length === 0 ? { counts: [], verdict: null } : {}),
    },
    ...noticeBlocks(
      planHeadlines(
        planned.map(({ placed }) => placed),
        { labelOf, placeOf, placeText, placeFile },
      ),
    ),
    {
      is: 'results',
      results: resultsOf(parts, { done: 'planned', totals: planTotals, isOpen: isOpenPlan }, nameOf),
    },
    ...failuresBlock(parts, UNPLANNED, nameOf),
    ...problemsBlock(lostProblems(lost, nameOf)),
    ...unreadLost(lost),
    ...noteBlocks(view, planned),
    ...planBlocks(view, applied),
  ];
}

/**
 * The plans that can be applied now. An apply to the earlier environment may end a refusal, and an approval that was meant for
 * that environment must not launch in the later one, so environments with a refused plan are left out if others remain; and so
 * are all but the first of these if no pattern selects them without a refused one.
 */
function applicable(planned: readonly PlacedPlan[]): readonly PlacedPlan[] {
  const isRefusing = ({ plan }: PlacedPlan) => refusedCampaigns(plan).length > 0;
  const refused = new Set(planned.filter(isRefusing).map(({ plan }) => plan.environment));
  const settled = planned.filter(({ plan }) => !refused.has(plan.environment));
  const [first] = settled;
  if (first === undefined) return planned.filter((each) => !isRefusing(each));
  const pattern = parseGlob(sharedPattern(environmentsOf(settled)));
  const isExact = [...refused].every((name) => pattern?.test(name) !== true);
  return isExact ? settled : settled.filter(({ plan }) => plan.environment === first.plan.environment);
}

function environmentsOf(planned: readonly PlacedPlan[]): string[] {
  return [...new Set(planned.map(({ plan }) => plan.environment))];
}

/** Flags that select the plans of `some` among those that were `planned`: "--recursive --env '*'". */
function allFlags(some: readonly PlacedPlan[], planned: readonly PlacedPlan[], env: string | null): string {
  const names = environmentsOf(some);
  const [name = '', ...others] = names;
  // A pattern alone selects environments of the nearest project.
  const isNearest = planned.every(({ project }) => /^\.\.?(?:\/|$)/.test(project));
  const recursive = isNearest && env !== null && parseGlob(env) !== null ? '' : '--recursive ';
  if (others.length === 0) return name === '' ? '--recursive' : `${recursive}--env ${name}`;
  // Without `--env`, each project has its default environment. A pattern selects no sandbox.
  const isChosen = new Set(planned.map(({ project }) => project)).size < planned.length;
  const isWhole = planned.every(({ plan }) => names.includes(plan.environment));
  if (env !== null && (isWhole || !isChosen)) return `${recursive}--env ${shellWord(env)}`;
  if (!isChosen || planned.some(({ plan }) => isOfSandbox(plan))) return '--recursive';
  return `${recursive}--env '${sharedPattern(names)}'`;
}

/** The narrowest of "*-staging", "eu-*" and "*" that all names match. */
function sharedPattern([first = '', ...others]: readonly string[]): string {
  const lengths = [...first].map((_, at) => at + 1).reverse();
  const end = lengths.find((length) => others.every((name) => name.endsWith(first.slice(-length))));
  const start = lengths.find((length) => others.every((name) => name.startsWith(first.slice(0, length))));
  if (end !== undefined) return `*${first.slice(-end)}`;
  return start === undefined ? '*' : `${first.slice(0, start)}*`;
}

const UNPLANNED = 'a plan, left out of all numbers; an apply goes on with the other projects';

/** `env`: the environment or pattern that was asked for. `linksOf`: links to the manifests of a project. */
interface PlansMarkdownOptions {
  lost?: Lost;
  env?: string | null;
  linksOf?: (project: string) => LinkTo;
  next?: string;
  page?: string | null;
}

/** Has at most `limit` characters. */
export function renderPlansMarkdown(
  parts: readonly ProjectPart<Plan>[],
  limit = 60_000,
  { linksOf = () => () => null, lost = null, env = null, ...options }: PlansMarkdownOptions = {},
): string {
  const links = placedPlans(parts).map(({ name, project }) => ({
    start: `${name}/`,
    linkTo: linksOf(project),
  }));
  const linkTo: LinkTo = (manifest) => {
    const own = links.find(({ start }) => manifest.startsWith(start));
    return own?.linkTo(manifest.slice(own.start.length)) ?? null;
  };
  return documentMarkdown(plansDocument(parts, { lost, env }), limit, { ...options, linkTo });
}

function mixedMark(plans: readonly Plan[]): Fact {
  const sandboxes = plans.filter(isOfSandbox).length;
  if (sandboxes === 0 || sandboxes === plans.length) return markOf(areOfSandbox(plans));
  return {
    look: 'blocked',
    words: `${count(plans.length - sandboxes, 'real service')}, ${count(sandboxes, 'sandbox', 'sandboxes')}`,
  };
}

export function planTotals(plans: readonly Plan[]): string {
  const { mode, verdict, counts, unread, approvals, isInsecure } = viewPlan(mergedPlan(plans));
  if (mode === 'drift') return verdict ?? '';
  const needed = approvals.length === 0 ? '' : ` · needs approval: ${approvalWords(approvals)}`;
  const insecure = isInsecure ? ' · insecure http' : '';
  return [`${countWords(counts)}${needed}${insecure}`, ...(unread === null ? [] : [unread])].join('. ');
}

/** "Real people" is said of the launches that reach them, never of those in a sandbox. */
function planHeadlines(
  plans: readonly Plan[],
  views: Pick<ViewOptions, 'labelOf' | 'placeOf' | 'placeText' | 'placeFile'>,
): Notice[] {
  return [plans.filter((plan) => !isOfSandbox(plan)), plans.filter(isOfSandbox)].flatMap((some) =>
    some.length === 0 ? [] : viewPlan(mergedPlan(some), views).notices.filter(isHeadline),
  );
}

/** True if something in a plan is blocked, refused or not approved. */
export function isOpenPlan({ problems, campaigns }: Plan): boolean {
  const all = [...problems, ...campaigns.flatMap((campaign) => campaign.problems)];
  return all.some((problem) => isRefused(problem) || isAwaited(problem) || problem.severity === 'blocked');
}

/** Commands that concern several projects are for each of them. */
function textPlacer(ofManifest: (manifest: string) => PlacedPlan | undefined): PlaceText {
  return (text, manifests) => {
    const [first, ...others] = new Set(manifests.flatMap((manifest) => ofManifest(manifest) ?? []));
    if (first === undefined) return text;
    const { environment } = first.plan;
    const isCommon = others.every(({ plan }) => plan.environment === environment);
    return placedCommands(text, others.length === 0 ? first.project : FOLDER, {
      environment: isCommon ? environment : null,
    });
  };
}

/** A file that several projects have, each its own, is in the folder of each. Outside of them, they may share it. */
function filePlacer(ofManifest: (manifest: string) => PlacedPlan | undefined): PlaceFile {
  return (file, manifests) => {
    const projects = manifests.flatMap((manifest) => ofManifest(manifest)?.project ?? []);
    const [path = file, ...others] = new Set(projects.map((project) => posix.join(project, file)));
    return others.length === 0 ? path : posix.join(FOLDER, file);
  };
}

function noteBlocks({ notices, notes }: PlanView, planned: readonly PlacedPlan[]): Block[] {
  const hints = [...notices, ...notes].flatMap(({ hint, messages }) => [
    hint,
    ...messages.flatMap((message) => [message.hint, message.text]),
  ]);
  const note = folderNote(hints, planned);
  return note === null ? [] : paragraph([note]);
}

export function mergedPlan(plans: readonly Plan[]): Plan {
  const environments = new Set(plans.map(({ environment }) => environment));
  const hold = [...new Set(plans.flatMap((plan) => plan.hold ?? []))];
  const [required, ...others] = new Set(plans.flatMap(({ require_applied }) => require_applied ?? []));
  return {
    version: 1,
    environment: [...environments].join(', '),
    base_url: areOfSandbox(plans) ? SANDBOX : '',
    ...(plans.some(({ insecure_http }) => insecure_http) ? { insecure_http: true } : {}),
    ...(required !== undefined && others.length === 0 ? { require_applied: required } : {}),
    ...(hold.length > 0 ? { hold } : {}),
    fingerprint: '',
    mode: plans.find(({ mode }) => mode === 'drift')?.mode ?? plans[0]?.mode ?? 'all',
    summary: summed([EMPTY_SUMMARY, ...plans.map(({ summary }) => summary)]),
    problems: plans.flatMap(({ problems }) => problems),
    campaigns: plans.flatMap(({ campaigns }) => campaigns),
    removed: plans.flatMap(({ removed }) => removed),
    replaced: plans.flatMap(({ replaced }) => replaced),
    by_hand: plans.flatMap(({ by_hand }) => by_hand),
  };
}

/** A plan of one of several projects. `placed`: its paths and tasks name the project. */
export interface PlacedPlan {
  project: string;
  name: string;
  flags: string;
  plan: Plan;
  placed: Plan;
}

/** Folders have their real paths, unless a project has plans of several environments. */
export function placedPlans(parts: readonly ProjectPart<Plan>[]): PlacedPlan[] {
  const isOnly = ({ project }: ProjectPart<Plan>) =>
    parts.filter((part) => part.project === project && part.result !== null).length === 1;
  const plans = parts.flatMap(({ result }) => result ?? []);
  return parts.flatMap((part) => {
    const { result: plan, project } = part;
    const name = isOnly(part) ? project : projectName(part);
    if (plan === null) return [];
    const placed = { ...inProject({ name, project }, plan), ...holdsIn(name, plan, plans) };
    return [{ project, name, flags: projectFlags(part), plan, placed }];
  });
}

/** A hold that not all plans have is for one project: `launch=clients/acme: Spring`. */
function holdsIn(name: string, { hold = [] }: Plan, plans: readonly Plan[]): Pick<Plan, 'hold'> {
  const holds = hold.map((each): Hold => {
    const pattern = launchPattern(each);
    const isShared = plans.every((plan) => plan.hold?.includes(each));
    return pattern === null || isShared ? each : `launch=${literalGlob(name)}: ${pattern}`;
  });
  return holds.length === 0 ? {} : { hold: holds };
}

function inProject({ name, project }: Pick<PlacedPlan, 'name' | 'project'>, plan: Plan): Plan {
  const placed = <Part extends { manifest: string }>(part: Part): Part => ({
    ...part,
    manifest: `${name}/${part.manifest}`,
  });
  const place = (text: string) => placedCommands(text, project, plan);
  const named = (problem: PlanProblem): PlanProblem => ({
    ...withPaths(problem, project),
    message: `${name}: ${place(problem.message)}`,
    hint: place(problem.hint),
  });
  // What accepts a hazard is placed with its group, for several projects may share it.
  const located = (problem: PlanProblem, campaign: CampaignPlan): PlanProblem => ({
    ...withLines(withPaths(problem, project), campaign, name),
    ...('accepted_by' in problem && { accepted_by: problem.accepted_by }),
  });
  return {
    ...plan,
    problems: plan.problems.map(named),
    campaigns: plan.campaigns.map((campaign) => ({
      ...placed(campaign),
      problems: campaign.problems.map((problem) => located(problem, campaign)),
    })),
    removed: plan.removed.map(placed),
    replaced: plan.replaced.map(placed),
    by_hand: plan.by_hand.map((task) => ({ ...placed(task), campaign: `${name}: ${task.campaign}` })),
  };
}
