import { randomBytes } from 'node:crypto';
import { checkWorkspace } from '../apply/index.js';
import { applyEdit } from '../import/index.js';
import { addressOf } from '../model/environment.js';
import { Failure, problemOf } from '../model/failure.js';
import type { ProbeResult } from '../model/outputs.js';
import { isOfProbe, scratchName } from '../model/probe.js';
import { unfinishedProbes } from '../plan/index.js';
import { MOST_REQUESTS, probeService } from '../probe/index.js';
import { configOf, rewriteFiles } from '../project/index.js';
import { systemClock } from '../service/index.js';
import type { ProbeIntent } from '../view/probe.js';
import { withWriter } from './connect.js';
import { describeRun, withLock } from './run.js';
import type { ProjectPlace } from './session.js';
import type { Interrupt } from './world.js';

/** What a probe is asked for. `write`: into the project file what it finds; `lockTimeout` in seconds. */
export interface ProbeRequest {
  place: ProjectPlace;
  write: boolean;
  lockTimeout: number;
}

/** Where a probe can still be stopped. `confirm`: null where there is no question. */
export interface ProbeListener {
  confirm: ((intent: ProbeIntent) => Promise<void>) | null;
  sending(): void;
  /** What is done now, a line for each step. */
  tell(line: string): void;
}

/**
 * Finds out on scratch campaigns what the service does where the API is silent. Under the lock of the environment, since its journal
 * is one of the state; of the manifests it reads nothing.
 */
export async function probeEnvironment(
  { place, write, lockTimeout }: ProbeRequest,
  listener: ProbeListener,
  interrupt: Interrupt,
): Promise<ProbeResult> {
  const { environment, project, world } = place;
  const { guard, signal } = interrupt;
  const { clock = systemClock } = world;
  const base_url = addressOf(environment);
  const probe = (lease: Parameters<Parameters<typeof withLock>[2]>[0]) =>
    withWriter({ ...place, campaigns: [] }, lease, async (service) => {
      const { store } = lease;
      const open = (await store.pending()).filter(isOfProbe);
      await guard(checkWorkspace(environment, service));
      const listed = open.length === 0 ? [] : await guard(service.campaigns());
      const left = unfinishedProbes(open, listed);
      const intent = { environment: environment.name, base_url, requests: MOST_REQUESTS, left };
      await guard(listener.confirm?.(intent) ?? Promise.resolve());
      const head = await guard(describeRun(project.root, world));
      listener.sending();
      await store.closePending(open);
      const { now } = clock;
      const names = [scratchName(now(), random()), scratchName(now(), random())] as const;
      const sleep = (milliseconds: number) => clock.sleep(milliseconds, signal);
      const probed = await probeService(environment, names, head, {
        service,
        store,
        now,
        sleep,
        tell: listener.tell,
        stop: signal,
      });
      const made = { version: 1, environment: environment.name, base_url, ...probed, written: null } as const;
      const result = { ...made, problems: [...made.problems, ...left] };
      return write ? await written(result, place) : result;
    });
  return withLock(place, { seconds: lockTimeout, signal }, probe, stoppedBy);
}

function stoppedBy(result: ProbeResult, failure: Failure): ProbeResult {
  return { ...result, complete: false, problems: [...result.problems, problemOf(failure)] };
}

/** All that tells scratch campaigns from each other. */
function random(): string {
  return randomBytes(4).toString('hex');
}

/** Writes what was found into the project file, in place, and nothing else. What keeps that from being done is a problem of the result. */
async function written(result: ProbeResult, { project, environment }: ProjectPlace): Promise<ProbeResult> {
  const { file, text, root } = project;
  try {
    const { value, document } = await configOf(file, text);
    const known = value.environments[environment.name]?.service ?? {};
    const changes: NonNullable<ProbeResult['written']>['changes'] = [];
    let after = text;
    for (const [key, to] of Object.entries(result.service)) {
      const from = Object.entries(known).find(([name]) => name === key)?.[1] ?? null;
      if (from === to) continue;
      const path = ['environments', environment.name, 'service', key];
      after = applyEdit(after, { file, document, kind: 'set', path, value: to }) ?? notWritable(file);
      changes.push({ key, from: typeof from === 'string' ? from : null, to });
    }
    if (changes.length > 0) await rewriteFiles(root, [{ file, before: text, after }]);
    return { ...result, written: { file, changes } };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return stoppedBy(result, error);
  }
}

function notWritable(file: string): never {
  throw new Failure({
    code: 'file-not-written',
    message: `${file} cannot say it without a change of something else, such as what an alias shares. Nothing was written.`,
    hint: 'Write the keys under service: yourself, as the probe shows them.',
  });
}
