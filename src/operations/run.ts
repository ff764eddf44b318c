import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type Allowed, parseApproval } from '../model/environment.js';
import { differs, type Plan, type RemovedCampaign } from '../model/outputs.js';
import type { UnkeptState } from '../plan/hazards.js';
import { type Refresh, refresh } from '../plan/refresh.js';
import { type Reader, systemClock } from '../service/index.js';
import { applyAtWork, git } from './lock.js';
import { readState, type Session } from './session.js';
import { version } from './version.js';

/** Reads service and state, and plans. */
export async function refreshProject(
  session: Session,
  reader: Reader,
  signal: AbortSignal,
  { allow = [] }: { allow?: readonly Allowed[] } = {},
): Promise<Refresh> {
  const { environment, campaigns, selected, selection, backend, world } = session;
  const { entries, pending, probes, outside } = await readState(session);
  const other = await applyAtWork(backend, world);
  const { clock = systemClock } = world;
  // An apply in progress reconciles its own requests.
  const isOpen = other?.certain !== true;
  return refresh({
    environment,
    campaigns,
    selected,
    outside,
    selection,
    entries,
    pending: isOpen ? pending : [],
    probes: isOpen ? probes : [],
    other,
    unkept: await unkeptState(session),
    refresh: session.refresh,
    again: session.again,
    tool: version,
    reader,
    approvals: allow.map(parseApproval),
    today: world.now(),
    async wait(milliseconds) {
      const seconds = Math.ceil(milliseconds / 1000);
      world.err(
        `An earlier run ended before it read back what it sent. Waiting ${seconds} s until the service shows it.\n`,
      );
      await clock.sleep(milliseconds, signal);
    },
  });
}

/** Any difference from the manifests, changeable or not. */
export function isPending({ campaigns, removed, mode }: Plan): boolean {
  const isDue = ({ running, step }: RemovedCampaign) => (mode === 'drift' ? running : step !== null);
  return campaigns.some(differs) || removed.some(isDue);
}

/** `null` if later runs will see the folder. */
async function unkeptState({ environment, folder, project, world }: Session): Promise<UnkeptState | null> {
  if (environment.sandbox !== null || environment.state.backend !== 'file') return null;
  if (!isInWorkTree(folder)) return null;
  const name = relative(project.root, folder);
  if (!['', '0', 'false'].includes(world.env.CI ?? '')) return { reason: 'ci', folder: name };
  const tracked = await git(project.root, ['ls-files', '-z', '--', name]).catch(() => '');
  return tracked === '' ? null : { reason: 'tracked', folder: name };
}

function isInWorkTree(folder: string): boolean {
  const parent = dirname(folder);
  return existsSync(join(folder, '.git')) || (parent !== folder && isInWorkTree(parent));
}
