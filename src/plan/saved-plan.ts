import { EXIT, Failure } from '../model/failure.js';
import { decode, isDeeper, isObject, type Json } from '../model/json.js';
import { isByFlag, type Plan } from '../model/outputs.js';
import type { LostProjects } from '../model/reports.js';
import type { Run } from '../model/state.js';
import { label } from '../model/words.js';
import {
  covered,
  coveredCampaign,
  type Difference,
  differingPlaces,
  fingerprint,
  planFingerprint,
} from './fingerprint.js';
import { createImpact } from './impact.js';
import type { Selection } from './input.js';
import { declaredOf, type Planned } from './planned.js';

export type { LostProjects };

/** A saved plan never contains the token. */
export interface SavedPlan {
  kind: 'campaignctl plan';
  version: 1;
  created: PlanOrigin;
  selection: Selection;
  /** Hashes by file: the environment's under the project file, each campaign's under its manifest. */
  sources: { [file: string]: string };
  plan: Plan;
  /** Decoded values of each campaign, in the order of the plan. */
  live: unknown[];
  /** Hash of all other fields. */
  checksum: string;
}

interface PlanOrigin {
  /**
   * Time used for launch forecasts (ISO 8601, UTC).
   * @pattern ^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$
   */
  at: string;
  who: string;
  /** Path of the project file, relative to its repository; outside of a repository, the name of the file. */
  project: string;
  /** Git commit of the project; `null` if unknown. */
  commit: string | null;
  tool: string;
}

interface Plans {
  plan: Plan;
  works: readonly Planned[];
}

interface PlansAt extends Plans {
  now: number;
}

/** What a plan was made from. */
interface PlanSources {
  selection: Selection;
  sources: Record<string, string>;
}

export function savePlan(
  { plan, works, now }: PlansAt,
  origins: PlanSources,
  by: Omit<PlanOrigin, 'at'>,
): SavedPlan {
  const created = { at: new Date(now).toISOString(), ...by };
  const live = declaredOf(works).map(({ sections }) => sections);
  const unsealed = { kind: 'campaignctl plan', version: 1, created, ...origins, plan, live } as const;
  return { ...unsealed, checksum: fingerprint(unsealed) };
}

/** Fails if the file is invalid; the exit code is 3 if it was edited or is inconsistent. */
export async function openPlan(file: string, text: string): Promise<SavedPlan> {
  const { isSavedPlan } = await import('./validators.generated.js');
  const { value, wrong } = decode(text, isSavedPlan);
  const broken = wrong ?? (isDeeper(value, DEEPEST) ? 'it is nested too deeply' : null);
  const fault = broken ?? (value && findFault(value));
  if (value !== null && fault === null) return value;
  throw new Failure(
    {
      code: broken === null ? 'plan-altered' : 'plan-file-unusable',
      message: `The plan file ${file} is not a file that campaignctl plan --out wrote: ${fault}.`,
      hint: 'Nothing was sent. Plan again with --out, review the plan, and apply that file.',
    },
    { exitCode: broken === null ? EXIT.refused : EXIT.error },
  );
}

/** Maximum depth of values that can be written, hashed and compared. */
const DEEPEST = 200;

/**
 * Returns why a well-formed file is inconsistent, or `null`. A hash is not a signature, so apply compares everything that
 * was shown.
 */
function findFault({ checksum, ...rest }: SavedPlan): string | null {
  if (checksum !== fingerprint(rest)) return 'it was changed or truncated (checksum does not match)';
  const { created, plan, live, selection } = rest;
  const { fingerprint: print, ...body } = plan;
  if (live.length !== plan.campaigns.length) return 'live and plan.campaigns do not match';
  if ([plan, ...plan.campaigns].some(({ problems }) => problems.some(isByFlag)))
    return 'it contains a hazard accepted by an option of apply, which a saved plan cannot contain';
  if (Number.isNaN(Date.parse(created.at))) return 'created.at is not a date';
  return print === planFingerprint(body, live.map(fingerprint), selection)
    ? null
    : 'its contents do not match plan.fingerprint';
}

export function refuseOtherEnvironment({ plan }: SavedPlan, asked: string | null): void {
  if (asked === null || asked === plan.environment) return;
  throw stale(
    'plan-environment',
    `The plan was made for ${plan.environment}, not for ${asked}.`,
    [],
    `A saved plan belongs to one environment. Plan for ${asked} with --out, and apply that plan.`,
  );
}

/** `extended`: the file that the project file extends; `null` if there is none. */
export function refuseOtherSources(
  saved: SavedPlan,
  sources: Record<string, string>,
  { file: projectFile, extended }: { file: string; extended: { file: string } | null },
): void {
  const both = extended === null ? '' : ` or ${extended.file}, which it extends,`;
  const names = [...new Set([...Object.keys(saved.sources), ...Object.keys(sources)])].sort();
  const changed = names.filter((name) => saved.sources[name] !== sources[name]);
  if (changed.length === 0) return;
  const [code, subject] = changed.includes(projectFile)
    ? ['plan-project-changed', `The project file ${projectFile}${both} has`]
    : ['plan-manifests-changed', 'The manifests have'];
  const lines = changed.map((name) => {
    if (saved.sources[name] === undefined) return `${name} is new`;
    return `${name}${name === projectFile ? both : ''} ${sources[name] === undefined ? 'was removed' : 'has changed'}`;
  });
  throw stale(code, `${subject} changed since the plan was made${creation(saved)}.`, lines);
}

/** Returns the refusal, or `null` if the plan still holds. */
export function otherLive(saved: SavedPlan, { plan, works }: Plans): Failure | null {
  const work = declaredOf(works);
  const forecasts = plan.fingerprint === saved.plan.fingerprint ? changedImpacts(saved, work) : null;
  if (forecasts?.length === 0) return null;
  const lines = forecasts ?? changedCampaigns(saved, work);
  const ofPlan = (whole: Plan) => {
    const { problems, removed, replaced } = covered(whole);
    return { problems, removed, replaced };
  };
  return stale(
    'plan-stale',
    `The service, the state, or what lint rules or policies report has changed since the plan was made${creation(saved)}.`,
    lines.length > 0 ? lines : differenceLines('plan', ofPlan(saved.plan), ofPlan(plan)),
  );
}

/** The refusal of a plan that one of these runs applied; otherwise `null`. */
export function alreadyApplied({ plan, created }: SavedPlan, runs: readonly Run[]): Failure | null {
  // An equal plan may have been applied before this one was made.
  const applied = runs.find(({ fingerprint, at }) => fingerprint === plan.fingerprint && at > created.at);
  if (applied === undefined) return null;
  const { run, at, who, result } = applied;
  const message = `This plan was already applied, by run ${run} (${at}, ${who})`;
  const show = `campaignctl history ${run} shows what it sent`;
  return result === 'done'
    ? stale('plan-stale', `${message}.`, [], `Nothing was sent again. ${show}.`)
    : stale(
        'plan-stale',
        `${message}, which did not complete.`,
        [],
        `Nothing was sent now. ${show}. Plan again with --out, review the new plan, and apply that file.`,
      );
}

/** Recomputes the effects of launches for the time of the approved plan. */
function changedImpacts({ plan, created }: SavedPlan, work: readonly Planned[]): string[] {
  const impactOf = createImpact(Date.parse(created.at));
  return work.flatMap(({ target, plan: { name, content, changes, impact } }, index) => {
    const now = impact && content && impactOf(target, content, changes);
    return differenceLines(name, { impact: plan.campaigns[index]?.impact }, { impact: now });
  });
}

/** Finds launches with more leads than were approved, because fingerprints do not cover that number. */
export function launchesWithMoreLeads({ campaigns }: Plan, now: Plan): string[] {
  return now.campaigns.flatMap(({ name, impact }, index) => {
    const [before, after] = [campaigns[index]?.impact?.leads ?? 0, impact?.leads ?? 0];
    return after > before ? [`${name}: the number of leads was ${before} and is now ${after}`] : [];
  });
}

function changedCampaigns(saved: SavedPlan, work: readonly Planned[]): string[] {
  return work.flatMap(({ plan: now, sections: live }, index) => {
    const before = saved.plan.campaigns[index];
    if (before?.action === 'not_read' && now.action !== 'not_read')
      return [`${now.name}: was not read for the plan, and now has changes`];
    const lines = differenceLines(now.name, saved.live[index], live);
    return lines.length > 0
      ? lines
      : differenceLines(now.name, before && coveredCampaign(before), coveredCampaign(now));
  });
}

function creation({ created }: SavedPlan): string {
  return ` (${created.at}, ${created.who})`;
}

const MAX_LINES = 5;

function differenceLines(name: string, from: unknown, to: unknown): string[] {
  const places = withoutDerived(differingPlaces(from as Json, to as Json));
  const lines = places.slice(0, MAX_LINES).map((place) => `${name}: ${differenceLine(place)}`);
  const { length } = places;
  return length > MAX_LINES ? [...lines, `${name}: and ${length - MAX_LINES} more`] : lines;
}

/** The words that the service shows as the status, first as its list shows it. */
const STATUS = ['campaign.status', 'status.word'];

/** Of a status, only the word: its other fields follow from it. */
function withoutDerived(places: readonly Difference[]): readonly Difference[] {
  const word = STATUS.find((path) => places.some((place) => place.path === path));
  if (word === undefined) return places;
  return places.filter(({ path }) => path === word || !/^(?:campaign\.)?status\b/.test(path));
}

/** Emails are counted from 1. */
function subject({ path }: Difference): string {
  if (STATUS.includes(path)) return 'the status';
  return path === '' ? 'it' : label(path.replace(/^sequence\.(?=steps\[)/, ''));
}

const LONGEST = 30;

function differenceLine(place: Difference): string {
  const [from, to] = [shown(place.from), shown(place.to)];
  const isShort = from.length <= LONGEST && to.length <= LONGEST;
  return `${subject(place)} ${isShort ? `was ${from} and is now ${to}` : 'has changed'}`;
}

/** A problem is shown as its code. */
function shown(value: Json | undefined): string {
  if (value === undefined) return 'not there';
  return JSON.stringify(isObject(value) && typeof value.code === 'string' ? value.code : value);
}

function stale(
  code: string,
  message: string,
  details: readonly string[],
  hint = 'Nothing was sent. Plan again with --out, review the new plan, and apply that file.',
): Failure {
  return new Failure({ code, message, hint }, { exitCode: EXIT.refused, details });
}
