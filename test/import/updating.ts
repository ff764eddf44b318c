import type { ManifestReading } from '../../src/import/reading.js';
import { updateCampaign } from '../../src/import/update.js';
import { manifestParser } from '../../src/manifest/documents.js';
import type { ReadFile } from '../../src/manifest/files.js';
import type { RuleSwitch } from '../../src/manifest/resolve.js';
import type { Environment } from '../../src/model/environment.js';
import type { Json, JsonObject } from '../../src/model/json.js';
import type { CampaignUpdate } from '../../src/model/reports.js';
import { UNKNOWN_STATE } from '../../src/model/state.js';
import { buildPlan } from '../../src/plan/build.js';
import { checkCampaigns } from '../../src/rules/check.js';
import { answer } from '../support/context.js';
import { environment } from '../support/environment.js';
import { planInput, targetOf } from '../support/works.js';

/** An email in the service. `of`: for a variant, the index of its step. */
export interface LiveEmail {
  email_subject: string;
  email_body: string;
  wait_in_days: number;
  thread_reply: boolean;
  of?: number;
}

export interface LiveCampaign {
  settings?: JsonObject;
  status?: string;
  schedule?: JsonObject;
  title?: string;
  emails?: LiveEmail[];
}

export const FILE = 'campaigns/spring.yaml';
const AT = '2026-03-02T09:00:00.000Z';
export const STAGING: Environment = { ...environment(), name: 'staging' };

export interface Options {
  environments?: Environment[];
  document?: number;
  rules?: Record<string, RuleSwitch>;
  /** The last applied manifest; omitted if it was never applied. */
  applied?: string;
  /** The new name if it was renamed in the web app. */
  newName?: string | null;
  status?: string | null;
}

/** Updates the first campaign of `campaigns/spring.yaml` with live values. Returns the new texts of all files. */
export function update(
  files: Record<string, string>,
  live: LiveCampaign,
  {
    environments = [environment(), STAGING],
    document = 0,
    rules = {},
    applied,
    newName = null,
    status = null,
  }: Options = {},
): { files: Record<string, string>; update: CampaignUpdate } {
  const readFile: ReadFile = (file) => {
    const text = files[file];
    return text === undefined ? { problem: 'file-not-found' } : { text };
  };
  const here = environments[0] ?? environment();
  const names = environments.map(({ name }) => name);
  const read = (text = '') => {
    const parsed = manifestParser(names, readFile).parse(FILE, text);
    const { campaigns, findings } = checkCampaigns(parsed.documents, here, { readFile, rules });
    const campaign = campaigns[document];
    if (campaign === undefined) throw new Error(JSON.stringify([parsed.findings, findings]));
    return campaign;
  };
  const campaign = read(files[FILE]);
  const last = applied === undefined ? null : { at: AT, how: 'apply' as const, spec: read(applied).spec };
  const { name } = campaign.spec;
  const entry = { id: 42, manifest: FILE, name, recorded: { ...UNKNOWN_STATE, status, last } };
  const match = { campaign, id: 42, listed: null };
  const { works } = buildPlan(
    planInput({
      environment: here,
      targets: [{ ...targetOf({ ...match, answers: answersOf(name, live), service: here }), templates: [] }],
      listed: [],
      entries: last === null && status === null ? [] : [entry],
      pending: [],
      now: 0,
    }),
  );
  const [work] = works;
  if (work === undefined) throw new Error('one campaign was expected');
  const input: ManifestReading = {
    readFile,
    environments,
    rules,
    policies: [],
    environment: here,
  };
  const updated = updateCampaign(work, newName, new Map(), input);
  return { files: { ...files, ...Object.fromEntries(updated.texts) }, update: updated.update };
}

function answersOf(name: string, { settings = {}, status, schedule, title, emails = [] }: LiveCampaign) {
  const campaign: Json = { id: 42, name, ...(status === undefined ? {} : { status }), ...settings };
  const baseIds = emails.flatMap(({ of }, index) => (of === undefined ? [index + 1] : []));
  const rows = emails.map(
    ({ of, ...email }, index): JsonObject => ({
      ...email,
      id: index + 1,
      order: of === undefined ? baseIds.indexOf(index + 1) + 1 : null,
      variant: of !== undefined,
      variant_from_step: of === undefined ? null : (baseIds[of] ?? 0),
    }),
  );
  return {
    campaign: answer('GET /api/campaigns/42', campaign),
    schedule: answer('GET /api/campaigns/42/schedule', schedule ?? null),
    sequence: answer(
      'GET /api/campaigns/42/sequence-steps',
      emails.length === 0 ? null : { title: title ?? null, steps: rows },
    ),
  };
}

export function email(subject: string, body: string, more: Partial<LiveEmail> = {}): LiveEmail {
  return { email_subject: subject, email_body: body, wait_in_days: 3, thread_reply: false, ...more };
}

/** The differences that a person must edit, by section and path. */
export function byHand(text: string, live: LiveCampaign, options: Options = {}) {
  const { files, update: updated } = update({ [FILE]: text }, live, options);
  return {
    files,
    byHand: updated.by_hand.map(({ section, path, reason }) => `${section} ${path}: ${reason}`),
  };
}

/** A manifest with one step. */
export const steps = (body: string, more = '') =>
  `name: Spring\nsequence:\n  title: T\n  steps:\n    - email_subject: S\n      email_body: ${body}\n      wait_in_days: 3\n${more}`;
