import { readFileSync } from 'node:fs';
import { parseDocument } from 'yaml';
import type { StateEntry } from '../../../src/model/state.js';
import { writeFiles } from '../../support/command.js';
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

/** A YAML file that states one fact about planning: its `given`. */
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

type Partially<T, P> = Partial<Omit<T, keyof P>> & Partial<P>;
type GivenCampaign = { id: number; name: string } & Partially<
  StoredCampaign,
  { settings: Partial<Settings>; steps: Partial<StoredStep>[] }
>;

interface Given {
  /** The text of `manifest.yaml`. */
  manifest: string;
  /** The project file, with `{url}`; default: one environment and nothing else. */
  project?: string;
  /** Of `apply`, and of `plan` except `--allow`. */
  flags?: string[];
  /** Differences from the base shape of the fake. */
  service?: Partial<Shape>;
  /** Live campaigns; omitted fields are those of a draft. */
  campaigns?: GivenCampaign[];
  templates?: StoredTemplate[];
  /** State entries of earlier runs. */
  state?: StateEntry[];
}

export function readScenario(file: string): { scenario: Scenario; expected: unknown } {
  const { given, then } = parseDocument(readFileSync(file, 'utf8')).toJS() as { given: Given; then: unknown };
  const { manifest, project = PROJECT, flags = [], state = [], campaigns = [], templates = [] } = given;
  const store = { campaigns: campaigns.map(campaignOf), templates };
  const scenario = { manifest, project, flags, store, entries: state, shape: shaped(given.service ?? {}) };
  return { scenario, expected: then };
}

/** Replaces the expected facts of a scenario. */
export async function writeExpected(file: string, facts: object): Promise<void> {
  const document = parseDocument(readFileSync(file, 'utf8'));
  document.set('then', document.createNode(facts, { aliasDuplicateObjects: false }));
  await writeFiles('/', { [file]: document.toString({ lineWidth: 0 }) });
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
