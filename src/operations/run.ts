import { execFile } from 'node:child_process';
import { relative } from 'node:path';
import { promisify } from 'node:util';
import { type Allowed, parseApproval } from '../model/environment.js';
import { differs, type Plan, type RemovedCampaign } from '../model/outputs.js';
import type { UnkeptState } from '../plan/hazards.js';
import { type Refresh, refresh } from '../plan/refresh.js';
import { repositoryOf } from '../project/files.js';
import { type Reader, systemClock } from '../service/index.js';
import { applyAtWork } from './lock.js';
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
  if (repositoryOf(folder) === null) return null;
  const name = relative(project.root, folder);
  if (!['', '0', 'false'].includes(world.env.CI ?? '')) return { reason: 'ci', folder: name };
  return (await isTracked(project.root, name)) ? { reason: 'tracked', folder: name } : null;
}

/** Variables that git needs; others may be secrets. */
const NEEDED = [
  ...['PATH', 'HOME', 'XDG_CONFIG_HOME', 'USERPROFILE', 'SYSTEMROOT'],
  ...['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE'],
  ...['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM'],
];

/** Fetches nothing and runs no program that the repository configures. */
async function isTracked(root: string, folder: string): Promise<boolean> {
  const needed = NEEDED.map((name) => [name, process.env[name]]);
  // Git before 2.45 knows only the second of these.
  const env = { ...Object.fromEntries(needed), GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: '' };
  const words = [
    '-c',
    'core.fsmonitor=false',
    '-c',
    'safe.bareRepository=explicit',
    'ls-files',
    '--',
    folder,
  ];
  const listed = promisify(execFile)('git', words, { cwd: root, timeout: 5_000, env });
  // Outside of a repository, git fails without output.
  const { stdout } = await listed.catch((failure: { stdout: string }) => failure);
  return stdout !== '';
}
