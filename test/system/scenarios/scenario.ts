import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isMap, isSeq, parseDocument, stringify, visit } from 'yaml';
import { type RecordedState, type StateEntry, UNKNOWN_STATE } from '../../../src/model/state.js';
import { writeFiles } from '../../support/command.js';
import { type ProjectOptions, projectFile } from '../../support/project.js';
import type { Fault } from '../../support/service/service.js';
import type { Shape } from '../../support/service/shape.js';
import {
  DEFAULT_SETTINGS,
  draft,
  type Schedule,
  type Settings,
  type StoredCampaign,
  type StoredStep,
  type StoredTemplate,
  weekOf,
} from '../../support/service/store.js';

type Partially<T, P> = Partial<Omit<T, keyof P>> & Partial<P>;
type Hours = Pick<Schedule, 'start_time' | 'end_time' | 'timezone'>;
type GivenCampaign = { id: number; name: string } & Partially<
  StoredCampaign,
  { settings: Partial<Settings>; schedule: Hours & { days: string[] }; steps: Partial<StoredStep>[] }
>;

/** Text, or a value that is written as YAML. */
type Content = string | object;

interface Given {
  /** The text of `manifest.yaml`. */
  manifest?: string;
  /** The files of the project. */
  files?: Record<string, Content>;
  /** More keys of the environment. */
  environment?: object;
  /** Flags of `apply`, and of `plan` except `--allow`. */
  flags?: string[];
  /** Hazards to approve. An apply without approval must be refused for each; the next apply approves them. */
  allow?: string[];
  /** Differences from the base shape of the service. */
  service?: Partial<Shape>;
  /** Several services with the same facts. */
  services?: Record<string, Partial<Shape>>;
  /** Live campaigns. Omitted fields are those of a draft. */
  campaigns?: GivenCampaign[];
  templates?: StoredTemplate[];
  /** State entries of earlier runs; by default, for `manifest.yaml` with the name in the service. */
  state?: { id: number; manifest?: string; name?: string; recorded?: Partial<RecordedState> }[];
}

export interface Step {
  /** `null` deletes the file. */
  write?: Record<string, Content | null>;
  /** Rewrites the project file with these keys of the environment. */
  environment?: object;
  /** A person changes live campaigns, by id; `null` deletes one. */
  live?: Record<string, Partial<StoredCampaign> | null>;
  /** A person creates campaigns. */
  add?: GivenCampaign[];
  /** Changes the service's shape from now on. */
  service?: Partial<Shape>;
  /** Changes the service's words for statuses from now on. */
  words?: Record<string, string>;
  /** The next response to a request such as `PATCH /api/campaigns/101/pause`. */
  answer?: Record<string, Fault>;
  /** Just before the nth write of the command, a person changes live campaigns. */
  meanwhile?: Record<number, Record<string, Partial<StoredCampaign>>>;
  /** A command line; words with spaces are in double quotes. */
  run?: string;
  /** A file whose text is part of the facts. */
  read?: string;
  /** A problem code whose messages are part of the facts. */
  messages?: string;
  then?: object;
}

export interface Scenario
  extends Required<Pick<ProjectOptions, 'shape' | 'campaigns' | 'templates' | 'files'>> {
  entries: StateEntry[];
  flags: string[];
  allow: string[];
  /** Steps of the base. */
  before: Step[];
  /** `null`: plan, apply, and apply again. */
  steps: Step[] | null;
}

interface Parsed {
  /** A different file, whose steps come first and whose `given` this file completes. */
  base?: string;
  given?: Given;
  steps?: Step[];
  then?: unknown;
}

const SHARED = {
  'shared/week.yaml': 'days: [monday]\nstart_time: "09:00"\nend_time: "17:00"\ntimezone: Europe/Paris\n',
  'shared/emails.yaml':
    'title: Spring\nsteps: [{ email_subject: A question, email_body: "Hi {FIRST_NAME}", wait_in_days: 3 }]\n',
};

/** The scenario of a file, once for each service. */
export function readScenario(file: string): { scenarios: Scenario[]; expected: unknown } {
  const { given: situation, steps, then, before } = complete(file);
  const {
    manifest,
    files = {},
    flags = [],
    allow = [],
    state = [],
    campaigns = [],
    templates = [],
  } = situation;
  const services = situation.services ?? { all: situation.service ?? {} };
  const scenarios = Object.values(services).map((shape) => ({
    shape: { ...situation.service, ...shape },
    campaigns: campaigns.map(campaignOf),
    templates,
    files: {
      'campaignctl.yaml': projectWith(situation.environment),
      ...(manifest === undefined ? SHARED : { 'campaigns/manifest.yaml': manifest }),
      ...textsOf(files),
    },
    entries: state.map(({ id, recorded, ...entry }) => ({
      id,
      manifest: 'campaigns/manifest.yaml',
      name: campaigns.find((campaign) => campaign.id === id)?.name ?? '',
      ...entry,
      recorded: { ...UNKNOWN_STATE, known: true, ...recorded },
    })),
    flags,
    allow,
    before,
    steps: steps ?? null,
  }));
  return { scenarios, expected: steps?.map((step) => step.then) ?? then };
}

/**
 * Sends one request at a time. The order of creations is still not fixed, so histories create campaigns with `--target`.
 */
export function projectWith(environment: object = {}): string {
  const keys = stringify({ limits: { parallelism: 1 }, ...environment });
  return projectFile(keys.replace(/^/gm, '    ').trimEnd().concat('\n'));
}

function complete(file: string): Parsed & { given: Given; before: Step[] } {
  const { base, given: situation = {}, ...rest } = parsed(file);
  if (base === undefined) return { given: situation, before: [], ...rest };
  const { given: earlier, before, steps = [] } = complete(join(dirname(file), base));
  const files = { ...earlier.files, ...situation.files };
  return { given: { ...earlier, ...situation, files }, before: [...before, ...steps], ...rest };
}

const parsed = (file: string): Parsed => parseDocument(readFileSync(file, 'utf8'), { merge: true }).toJS();

/** Values are written as YAML. */
export function textsOf<T extends Content | null>(files: Record<string, T>) {
  return Object.fromEntries(
    Object.entries(files).map(([file, content]) => [
      file,
      content === null || typeof content === 'string' ? content : stringify(content),
    ]),
  ) as Record<string, T extends object ? string : T>;
}

/** Replaces the expected facts of a scenario. */
export async function writeExpected(file: string, facts: unknown): Promise<void> {
  const document = parseDocument(readFileSync(file, 'utf8'));
  const nodeOf = (value: unknown) => {
    const node = document.createNode(value, { aliasDuplicateObjects: false });
    visit(node, {
      Collection(_, collection) {
        collection.flow = fitsOneLine(collection.toJS(document));
      },
    });
    return node;
  };
  const steps = document.get('steps');
  if (isSeq(steps) && Array.isArray(facts))
    for (const [index, fact] of facts.entries()) {
      const step = steps.get(index);
      if (!isMap(step)) continue;
      if (fact === undefined) step.delete('then');
      else step.set('then', nodeOf(fact));
    }
  else document.set('then', nodeOf(facts));
  await writeFiles('/', { [file]: document.toString({ lineWidth: 0 }) });
}

function fitsOneLine(value: object): boolean {
  return depth(value) <= 2 && stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).length <= 90;
}

function depth(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depth));
}

export function campaignOf({ settings, schedule, steps, ...input }: GivenCampaign): StoredCampaign {
  return {
    ...draft(input.id, input.name),
    ...input,
    settings: { ...DEFAULT_SETTINGS, ...settings },
    ...(schedule && { schedule: scheduleOf(schedule) }),
    steps: (steps ?? []).map((step, index) => ({ ...stepAt(index), ...step })),
  };
}

function scheduleOf({ days, ...hours }: Hours & { days: string[] }): Schedule {
  return { ...weekOf(days), ...hours };
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
