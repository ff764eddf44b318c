import type { Environment } from '../model/environment.js';
import { EXIT, Failure } from '../model/failure.js';
import { decode, isDeeper } from '../model/json.js';
import type { Plan } from '../model/outputs.js';
import type { CampaignSpec } from '../model/spec.js';
import type { SavedPlan } from './files.generated.js';
import {
  type Difference,
  decided,
  differences,
  fingerprint,
  isByFlag,
  planFingerprint,
} from './fingerprint.js';
import { createImpact } from './impact.js';
import { isDeclared, type PlannedWork } from './work.js';

/** `today`: the time of its launches. */
interface MadePlan {
  plan: Plan;
  works: readonly PlannedWork[];
  today: number;
}

/** A plan with what proves that it still holds. Contains no token. */
export function savePlan(
  { plan, works, today }: MadePlan,
  origins: Pick<SavedPlan, 'selection' | 'sources' | 'environment'>,
  by: Omit<SavedPlan['made'], 'at'>,
): SavedPlan {
  const declared = works.filter(isDeclared);
  const specs = declared.map(({ context }) => context.spec);
  const live = declared.map((work) => work.live);
  const made = { at: new Date(today).toISOString(), ...by };
  const head = { kind: 'campaignctl plan', version: 1, made } as const;
  const unsealed = { ...head, ...origins, plan, shown: fingerprint({ made, plan }), specs, live };
  return { ...unsealed, checksum: fingerprint(unsealed) };
}

/** Failure if invalid; exit code 3 if edited or inconsistent. */
export async function openPlan(file: string, text: string): Promise<SavedPlan> {
  const { isSavedPlan } = await import('./validators.generated.js');
  const { value, wrong } = decode(text, isSavedPlan);
  const broken = wrong ?? (isDeeper(value, DEEPEST) ? 'it is nested too deeply' : null);
  const fault = broken ?? (value && findFault(value));
  if (value !== null && fault === null) return value;
  throw new Failure(
    {
      code: broken === null ? 'plan-altered' : 'plan-file-unusable',
      message: `The plan file ${file} is not as campaignctl plan --out wrote it: ${fault}.`,
      hint: 'Nothing was sent. Plan again with --out, look at the plan, and apply that file.',
    },
    { exitCode: broken === null ? EXIT.refused : EXIT.error },
  );
}

/** Maximum nesting that can be written, hashed and compared. */
const DEEPEST = 200;

/**
 * Checks what a valid file could still falsify; `null` if consistent. Hashes are not a signature, so apply compares everything
 * that was shown.
 */
function findFault({ checksum, ...rest }: SavedPlan): string | null {
  if (checksum !== fingerprint(rest)) return 'it was changed, or cut off (checksum does not match)';
  const { made, plan, shown, live, specs, selection } = rest;
  const { fingerprint: print, ...body } = plan;
  for (const [name, { length }] of Object.entries({ live, specs }))
    if (length !== plan.campaigns.length) return `${name} does not belong to plan.campaigns`;
  if ([plan, ...plan.campaigns].some(({ problems }) => problems.some(isByFlag)))
    return 'it says that an option of apply accepts a hazard, which no saved plan does';
  if (Number.isNaN(Date.parse(made.at))) return 'made.at is no date';
  if (print !== planFingerprint(body, live.map(fingerprint), selection))
    return 'what it shows is not what it applies (plan.fingerprint does not match)';
  return shown === fingerprint({ made, plan }) ? null : 'what it shows was changed (shown does not match)';
}

/** A saved plan belongs to one environment. */
export function refuseOtherEnvironment({ plan }: SavedPlan, asked: string | null): void {
  if (asked === null || asked === plan.environment) return;
  throw stale(
    'plan-environment',
    `The plan was made for the environment ${plan.environment}, and ${asked} is asked for.`,
    [],
    `A saved plan belongs to one environment. Plan for ${asked} with --out and apply that.`,
  );
}

/** Failure if a source file changed, with the differing values. */
export function refuseOtherSources(
  saved: SavedPlan,
  sources: Record<string, string>,
  now: { environment: Environment; specs: ReadonlyMap<string, CampaignSpec | undefined> } | null,
  projectFile: string,
): void {
  const names = [...new Set([...Object.keys(saved.sources), ...Object.keys(sources)])].sort();
  const changed = names.filter((name) => saved.sources[name] !== sources[name]);
  if (changed.length === 0) return;
  const how = (name: string) =>
    saved.sources[name] === undefined
      ? 'is new'
      : sources[name] === undefined
        ? 'was removed'
        : 'has changed';
  const project = changed.includes(projectFile);
  const files = changed.map((name) => `${name} ${how(name)}`);
  const values = now && [
    ...differenceLines(saved.plan.environment, differences(saved.environment, now.environment)),
    ...saved.specs.flatMap((spec, index) => {
      const { manifest = '', name = '' } = saved.plan.campaigns[index] ?? {};
      return differenceLines(name, differences(spec, now.specs.get(manifest) ?? null));
    }),
  ];
  throw stale(
    project ? 'plan-project-changed' : 'plan-manifests-changed',
    project
      ? `The project file ${projectFile} has changed since the plan was made${when(saved)}.`
      : `The manifests have changed since the plan was made${when(saved)}.`,
    [...files, ...(values ?? [])],
  );
}

/** Failure if the service or the state changed. */
export function refuseOtherLive(saved: SavedPlan, { plan, works }: Pick<MadePlan, 'plan' | 'works'>): void {
  const work = works.filter(isDeclared);
  const forecasts = plan.fingerprint === saved.plan.fingerprint ? changedImpacts(saved, work) : null;
  if (forecasts?.length === 0) return;
  const lines = forecasts ?? changedCampaigns(saved, work);
  const ofPlan = ({ problems, removed }: Plan) => ({ problems, removed });
  throw stale(
    'plan-stale',
    `The service, or what the state remembers of it, has changed since the plan was made${when(saved)}.`,
    lines.length > 0 ? lines : differenceLines('plan', differences(ofPlan(saved.plan), ofPlan(plan))),
  );
}

/** Launch facts are recomputed for the time of the plan: they were approved. */
function changedImpacts({ plan, made }: SavedPlan, work: readonly PlannedWork[]): string[] {
  const impactOf = createImpact(Date.parse(made.at));
  return work.flatMap(({ context, plan: { name, content, changes, impact } }, index) => {
    const now = impact && content && impactOf(context, content, changes);
    return differenceLines(name, differences({ impact: plan.campaigns[index]?.impact }, { impact: now }));
  });
}

/** Launches with more leads than shown, which fingerprints leave out. */
export function launchesWithMoreLeads({ campaigns }: Plan, now: Plan): string[] {
  return now.campaigns.flatMap(({ name, impact }, index) => {
    const [before, after] = [campaigns[index]?.impact?.leads ?? 0, impact?.leads ?? 0];
    return after > before ? [`${name}: leads was ${before}, is ${after}`] : [];
  });
}

function changedCampaigns(saved: SavedPlan, work: readonly PlannedWork[]): string[] {
  return work.flatMap(({ plan: now, live }, index) => {
    const before = saved.plan.campaigns[index];
    if (before?.action === 'not_read' && now.action !== 'not_read')
      return [`${now.name}: it was not read for the plan, and shows a change now`];
    const seen = differences(saved.live[index], live);
    return differenceLines(
      now.name,
      seen.length > 0 ? seen : differences(before && decided(before), decided(now)),
    );
  });
}

function when({ made }: SavedPlan): string {
  return ` (${made.at}, ${made.who})`;
}

function differenceLines(name: string, changes: readonly Difference[]): string[] {
  const most = 5;
  const lines = changes.slice(0, most).map(({ path, from, to }) => `${name}: ${path} was ${from}, is ${to}`);
  return changes.length > most ? [...lines, `${name}: and ${changes.length - most} more`] : lines;
}

function stale(
  code: string,
  message: string,
  details: readonly string[],
  hint = 'Nothing was sent. Plan again with --out, look at what it shows now, and apply that file.',
): Failure {
  return new Failure({ code, message, hint }, { exitCode: EXIT.refused, details });
}
