import { randomBytes } from 'node:crypto';
import { checkWorkspace } from '../apply/index.js';
import { setValue } from '../import/index.js';
import { addressOf } from '../model/environment.js';
import { Failure, problemOf } from '../model/failure.js';
import { isOfProbe, type ProbeResult, scratchName } from '../model/probe.js';
import { unfinishedProbes } from '../plan/index.js';
import { probeService } from '../probe/probe.js';
import { MOST_REQUESTS } from '../probe/requests.js';
import { configOf, rewriteFiles } from '../project/index.js';
import { systemClock } from '../service/index.js';
import type { ProbeIntent } from '../view/probe.js';
import { withWriter } from './connect.js';
import { describeRun, withLock } from './run.js';
import type { ProjectPlace } from './session.js';
import type { Interrupt } from './world.js';

/** `write`: write the values into the project file. `lockTimeout`: in seconds. */
export interface ProbeRequest {
  place: ProjectPlace;
  write: boolean;
  lockTimeout: number;
}

export interface ProbeListener {
  /** Throws to stop the probe before anything is sent; `null` to go on without asking. */
  confirm: ((intent: ProbeIntent) => Promise<void>) | null;
  sending(): void;
  /** Receives one line for each action. */
  tell(line: string): void;
}

/** Probes the service under the lock of the environment, because its journal is part of the state. Reads no manifests. */
export async function probeEnvironment(
  { place, write, lockTimeout }: ProbeRequest,
  listener: ProbeListener,
  { guard, signal }: Interrupt,
): Promise<ProbeResult> {
  const { environment, project, world } = place;
  const { clock = systemClock } = world;
  const { now } = clock;
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
      const name = () => scratchName(now(), randomBytes(4).toString('hex'));
      const sleep = (milliseconds: number) => clock.sleep(milliseconds, signal);
      const tools = { service, store, now, sleep, tell: listener.tell, stop: signal };
      const probed = await probeService(environment, [name(), name()], head, tools);
      const problems = [...probed.problems, ...left];
      const result = { ...probed, environment: environment.name, base_url, problems, written: null };
      return write ? writeService(result, place) : result;
    });
  return withLock(place, { seconds: lockTimeout, signal }, probe, stoppedBy);
}

function stoppedBy(result: ProbeResult, failure: Failure): ProbeResult {
  return { ...result, complete: false, problems: [...result.problems, problemOf(failure)] };
}

/** Sets the keys that differ in the project file. A Failure becomes a problem, and the result shows the lines to write. */
async function writeService(
  result: ProbeResult,
  { project: { file, text, root }, environment }: ProjectPlace,
): Promise<ProbeResult> {
  try {
    const { value, document } = await configOf(file, text);
    const service = new Map(Object.entries(value.environments[environment.name]?.service ?? {}));
    const changes: NonNullable<ProbeResult['written']>['changes'] = [];
    let after = text;
    for (const { key, value: to } of result.findings) {
      const from = service.get(key) ?? null;
      if (to === null || from === to) continue;
      const path = ['environments', environment.name, 'service', key];
      after = setValue(after, { document, path }, to) ?? notWritable(file);
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
    message: `${file} cannot take these values without changing something else, such as what an alias shares. Nothing was written.`,
    hint: 'Write the keys under service: yourself, as the probe shows them.',
  });
}
