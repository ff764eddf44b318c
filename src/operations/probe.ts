import { randomBytes } from 'node:crypto';
import { serviceAddress } from '../model/environment.js';
import { Failure, toProblem } from '../model/failure.js';
import type { ProbeResult } from '../model/reports.js';
import { isOfProbe, scratchName } from '../model/scratch.js';
import { unfinishedProbes } from '../plan/reconcile.js';
import { checkWorkspace } from '../plan/refresh.js';
import { probeService } from '../probe/probe.js';
import { MAX_REQUESTS } from '../probe/requests.js';
import { systemClock } from '../service/index.js';
import type { Lease } from '../state/backend.js';
import type { ProbeIntent } from '../view/probe.js';
import { withWriter } from './connect.js';
import { describeRun, withLock } from './lock.js';
import { type ProjectPlace, setInProject } from './place.js';
import type { Interrupt } from './world.js';

interface ProbeRequest {
  place: ProjectPlace;
  write: boolean;
  lockTimeout: number;
}

interface ProbeListener {
  /** Rejects to stop the probe; `null` if no confirmation is needed. */
  confirm: ((intent: ProbeIntent) => Promise<void>) | null;
  sending(): void;
  tell(line: string): void;
}

/** Takes the lock, because the journal is part of the state. Reads no manifests. */
export async function probeEnvironment(
  { place, write, lockTimeout }: ProbeRequest,
  { confirm, sending, tell }: ProbeListener,
  { guard, signal }: Interrupt,
): Promise<ProbeResult> {
  const { environment, world } = place;
  const { clock: system = systemClock } = world;
  const base_url = serviceAddress(environment);
  const probe = (lease: Lease) =>
    withWriter(place, lease, async (service) => {
      const { store } = lease;
      const open = (await store.pending()).filter(isOfProbe);
      await guard(checkWorkspace(environment, service));
      const unfinished = unfinishedProbes(open, open.length === 0 ? [] : await guard(service.campaigns()));
      const intent = { environment: environment.name, base_url, requests: MAX_REQUESTS, unfinished };
      if (confirm !== null) await guard(confirm(intent));
      sending();
      await store.closePending(open);
      const name = () => scratchName(system.now(), randomBytes(4).toString('hex'));
      const clock = { ...system, sleep: (milliseconds: number) => system.sleep(milliseconds, signal) };
      const tools = { service, store, clock, tell, stop: signal };
      const probed = await probeService(environment, [name(), name()], describeRun(world), tools);
      const problems = [...probed.problems, ...unfinished];
      const result = { ...probed, environment: environment.name, base_url, problems, written: null };
      return write ? writeService(result, place).catch((error: unknown) => stoppedBy(result, error)) : result;
    });
  return withLock(place, { seconds: lockTimeout, signal }, probe, stoppedBy);
}

function stoppedBy(result: ProbeResult, error: unknown): ProbeResult {
  if (!(error instanceof Failure)) throw error;
  return { ...result, complete: false, problems: [...result.problems, toProblem(error)] };
}

async function writeService(
  result: ProbeResult,
  { project, environment }: ProjectPlace,
): Promise<ProbeResult> {
  const service = new Map(Object.entries(project.config.environments[environment.name]?.service ?? {}));
  const values = result.findings.flatMap(({ key, value }) =>
    value === null || value === service.get(key)
      ? []
      : [[['environments', environment.name, 'service', key], value] as const],
  );
  await setInProject(project, values);
  return { ...result, written: project.file };
}
