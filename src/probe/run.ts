import { addressOf, type Environment } from '../model/environment.js';
import { Failure, problemOf, UnreadableAnswer } from '../model/failure.js';
import type { ProbeResult, Problem, RunHead } from '../model/outputs.js';
import { PROBE } from '../model/probe.js';
import { fingerprint } from '../plan/index.js';
import { keysOf, wholeOf } from './findings.js';
import { probePlan } from './requests.js';
import type { ProbeRun, ProbeSheet, ProbeTools } from './scratch.js';
import { make, trySchedule, trySequence, tryVariantById, tryVariantByOrder } from './tries.js';

type Probed = Omit<ProbeResult, 'version' | 'environment' | 'base_url' | 'written'>;

/**
 * Makes a scratch campaign, a second one where the first does not tell all, and finds out by doing. Each write is noted before it leaves
 * and sent once; none is repeated. What stops it on its way is a problem of the result, beside all that is known by then. Failure only
 * where nothing could be noted, and so nothing was sent.
 */
export async function probeService(
  environment: Environment,
  names: readonly [string, string],
  head: Omit<RunHead, 'environment'>,
  tools: ProbeTools,
): Promise<Probed> {
  const { service, store, now, stop } = tools;
  const before = await service.campaigns();
  const about = { environment: environment.name, base_url: addressOf(environment) };
  const plan = probePlan({ ...about, fingerprint: fingerprint(names) }, names);
  const journal = await store.begin({ ...head, environment: environment.name, plan, specs: {} }, () =>
    new Date(now()).toISOString(),
  );
  const sheet: ProbeSheet = { found: [], campaigns: [], requests: 0, byId: [] };
  const run = { environment, before, journal, sheet, tools };
  const stopped = await work(names, run).then(() => null, asProblem);
  // Of one that is only perhaps there the next run has to look.
  const isOpen = (name: string) => sheet.campaigns.some((one) => one.name === name && one.made === 'perhaps');
  for (const name of names) if (!isOpen(name)) journal.reconciled({ manifest: PROBE, name });
  const end = stop.aborted ? 'interrupted' : stopped === null ? 'done' : 'incomplete';
  const unkept = await journal.end(end).then(() => null, asProblem);
  const problems = [stopped, unkept].filter((problem) => problem !== null);
  const why =
    stopped === null ? 'The answers do not tell.' : 'Not known: the probe stopped before it could tell.';
  const findings = wholeOf(sheet.found, why);
  const { campaigns, requests } = sheet;
  const complete = problems.length === 0;
  return { run: head.run, complete, requests, campaigns, findings, service: keysOf(findings), problems };
}

/** For `catch`: what stopped a probe; an error that is no Failure is a mistake in the program and goes on. */
function asProblem(error: unknown): Problem {
  if (!(error instanceof Failure)) throw error;
  return problemOf(error);
}

async function work([one, other]: readonly [string, string], run: ProbeRun): Promise<void> {
  const { sheet } = run;
  const first = await make(one, run, true);
  await readable(() => trySchedule(first, run));
  const isKnown = await readable(() => trySequence(first, run));
  if (isKnown !== true) return;
  await readable(() => tryVariantById(first, run));
  if (sheet.found.some(({ topic }) => topic === 'variant_reference')) return;
  const second = await make(other, run, false);
  await readable(() => tryVariantByOrder(second, run));
}

/** What the service answers in a form that cannot be read tells nothing of this, and does not stop the rest. */
async function readable<T>(part: () => Promise<T>): Promise<T | null> {
  return part().catch((error: unknown) => {
    if (error instanceof UnreadableAnswer) return null;
    throw error;
  });
}
