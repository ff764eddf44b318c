/**
 * The embedded service: all 14 endpoints of the API on a loopback port, strict about everything that is
 * documented, in two profiles: as the document has it, or as installations were reported to be. It promises
 * that a write it answered is kept and that the same requests give the same answers. It must not reach beyond the
 * loopback interface or hold a token, and nothing may learn from it what a real service does.
 */

import { createFaults, createRateLimit, parseFault, type RateLimit } from './fault.js';
import { PROFILES } from './profiles.js';
import { servePort } from './server.js';
import type { SandboxState } from './state.js';
import { type JournalEntry, openWorkspace } from './workspace.js';

export type { SandboxState } from './state.js';
export type { JournalEntry } from './workspace.js';

export interface SandboxOptions {
  profile: keyof typeof PROFILES;
  /** Where it persists; null: in memory only. One sandbox at a time may use a file. */
  file: string | null;
  /** 0 or absent: any free one. */
  port?: number;
  /** If given, only this bearer token is accepted; otherwise any that is not empty. */
  token?: string | null;
  /** Rows of a page, where lists are paged (`reported`). Default 15. */
  pageSize?: number;
  /** How many reads of a campaign say `queued` after its launch before `active` (`reported`). Default 1. */
  launchDelayReads?: number;
  /** What goes wrong, as for `--fault`: `POST /api/campaigns#1=drop-after`. Failure for a bad one. */
  faults?: readonly string[];
  /** Requests a minute; beyond, 429 without effect. */
  rateLimit?: Partial<RateLimit> & Pick<RateLimit, 'perMinute'>;
  /** Told of every request before its answer goes out. */
  onRequest?: (entry: JournalEntry) => void;
}

export interface Sandbox {
  url: string;
  journal(): readonly JournalEntry[];
  /** A copy of everything stored, shown in answers or not: for tests and for looking inside. */
  state(): SandboxState;
  close(): Promise<void>;
}

/** Starts an embedded service. Throws a Failure if its file cannot be read or its port cannot be had. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const terms = {
    profile: PROFILES[options.profile],
    token: options.token ?? null,
    pageSize: options.pageSize ?? 15,
    launchDelayReads: options.launchDelayReads ?? 1,
  };
  const faulty = createFaults((options.faults ?? []).map(parseFault));
  const { rateLimit } = options;
  const limited =
    rateLimit === undefined
      ? () => null
      : createRateLimit({ retryAfter: 'seconds', now: Date.now, ...rateLimit });
  const strike = (method: string, target: string) => limited() ?? faulty(method, target);
  const workspace = await openWorkspace(options.file, terms, options.onRequest ?? (() => {}));
  const port = await servePort(options.port ?? 0, { strike, carryOut: workspace.carryOut });
  let closed: Promise<void> | null = null;
  return {
    url: port.url,
    journal: workspace.journal,
    state: workspace.state,
    close() {
      closed ??= port.close().then(workspace.close);
      return closed;
    },
  };
}
