import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StateEntry } from '../../../src/model/state.js';
import { type Shape, shaped } from '../../support/service/shape.js';
import {
  DEFAULT_SETTINGS,
  draft,
  type Settings,
  type Store,
  type StoredCampaign,
  type StoredStep,
  type StoredTemplate,
} from '../../support/service/store.js';

/**
 * A folder that states one fact about planning. `manifest.yaml`: what is wanted, several documents where needed.
 * `live.json`: how the service differs from the base shape, and what it holds; what is left out is a draft's.
 * `project.yaml`: the project file, where it says more than the address, which is `{url}` in it. `state.json`: what
 * earlier runs remember. `flags.txt`: flags of apply, and, but for `--allow`, of plan.
 */
export interface Scenario {
  manifest: string;
  shape: Shape;
  store: Store;
  project: string;
  entries: StateEntry[];
  flags: string[];
}

const PROJECT = `version: 1
manifests: [manifest.yaml]
environments:
  production: { base_url: "{url}", token_env: CAMPAIGNS_TOKEN }
`;

type Given<T, P> = Partial<Omit<T, keyof P>> & Partial<P>;
type GivenCampaign = { id: number; name: string } & Given<
  StoredCampaign,
  { settings: Partial<Settings>; steps: Partial<StoredStep>[] }
>;

interface Live {
  shape?: Partial<Shape>;
  campaigns?: GivenCampaign[];
  templates?: StoredTemplate[];
}

/** Reads a scenario's folder. */
export function readScenario(folder: string): Scenario {
  const live = json<Live>(folder, 'live.json') ?? {};
  return {
    manifest: readFileSync(join(folder, 'manifest.yaml'), 'utf8'),
    shape: shaped(live.shape ?? {}),
    store: { campaigns: (live.campaigns ?? []).map(campaignOf), templates: live.templates ?? [] },
    project: text(folder, 'project.yaml') ?? PROJECT,
    entries: json<StateEntry[]>(folder, 'state.json') ?? [],
    flags: (text(folder, 'flags.txt') ?? '').split(/\s+/).filter(Boolean),
  };
}

function campaignOf({ settings, steps, ...given }: GivenCampaign): StoredCampaign {
  return {
    ...draft(given.id, given.name),
    ...given,
    settings: { ...DEFAULT_SETTINGS, ...settings },
    steps: (steps ?? []).map((step, index) => ({ ...stepAt(index), ...step })),
  };
}

function stepAt(index: number): StoredStep {
  return {
    id: 174 + index,
    order: index + 1,
    email_subject: 'Hello {FIRST_NAME}',
    email_body: '<p>Hi {FIRST_NAME}.</p>',
    wait_in_days: 3,
    variant: false,
    variant_from_step: null,
    thread_reply: false,
  };
}

function json<T>(folder: string, name: string): T | null {
  const found = text(folder, name);
  return found === null ? null : (JSON.parse(found) as T);
}

function text(folder: string, name: string): string | null {
  const path = join(folder, name);
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}
