import type { Answers } from '../model/answer.js';
import type { Environment } from '../model/environment.js';
import { Failure } from '../model/failure.js';
import { isObject } from '../model/json.js';
import { type CampaignRecord, UNKNOWN } from '../model/memory.js';
import type { Plan } from '../model/plan.js';
import type { Campaign } from '../model/spec.js';
import type { Trail } from '../model/trail.js';
import { buildPlan, type Match, matchCampaigns, resourcesOf, type Work } from '../plan/index.js';
import { type Reader, readAnswers } from '../service/index.js';

export interface SurveyInput {
  environment: Environment;
  campaigns: readonly Campaign[];
  /** Names of the campaigns to plan; empty: all. The others only tell whose records are whose. */
  targets: readonly string[];
  records: readonly CampaignRecord[];
  /** What earlier runs did not bring to an end, oldest first. */
  trails: readonly Trail[];
  reader: Reader;
  holdLaunch: boolean;
  /** Milliseconds since 1970. */
  now: number;
}

/** A plan and the work behind each of its campaigns, in the same order. */
export interface Survey {
  plan: Plan;
  work: Work[];
}

/** Reads what the manifests manage, and nothing else, and plans. Sends no write: it is given a reader only. */
export async function survey(input: SurveyInput): Promise<Survey> {
  const { environment, campaigns, targets, trails, reader, holdLaunch, now } = input;
  await checkWorkspace(environment, reader);
  const isMeant = ({ spec }: Campaign) => targets.length === 0 || targets.includes(spec.name);
  const meant = campaigns.filter(isMeant);
  const pinned = meant.every(({ spec }) => spec.id !== undefined);
  const templated = meant.some(({ spec }) => spec.schedule !== undefined && 'template' in spec.schedule);
  const [listed, templates] = await Promise.all([
    pinned ? [] : reader.campaigns(),
    templated ? reader.templates() : null,
  ]);
  const records = [...madeBy(trails, input.records), ...input.records];
  const matches = matchCampaigns(campaigns, listed, records).filter(({ campaign }) => isMeant(campaign));
  const answers = await readMatches(reader, matches);
  const looked = matches.map((match, index) => ({ ...match, answers: answers[index] ?? null }));
  return buildPlan({ environment, looked, templates, listed, records, trails, holdLaunch, now });
}

/** Tokens may follow the workspace that a person has open: where the environment pins it, it has to be the one. */
async function checkWorkspace({ name: environment, workspace }: Environment, reader: Reader): Promise<void> {
  if (workspace === null) return;
  const { campaign_id, name } = workspace;
  const { none, body } = await reader.read('campaign', campaign_id);
  const shown = isObject(body) && typeof body.name === 'string' ? body.name.trim() : null;
  if (!none && shown === name.trim()) return;
  const seen = none ? 'has no such campaign' : `calls it ${shown === null ? 'nothing' : `"${shown}"`}`;
  throw new Failure({
    code: 'wrong-workspace',
    message: `The environment ${environment} is pinned to the workspace in which campaign ${campaign_id} is called "${name}"; the one that the token shows ${seen}. Nothing was sent.`,
    hint: 'Check the token: it may belong to, or have moved to, another workspace. If the campaign was renamed, correct workspace: in the project file.',
  });
}

/** Campaigns of which an earlier run learned the id, and did not come to write their records. */
function madeBy(trails: readonly Trail[], records: readonly CampaignRecord[]): CampaignRecord[] {
  const known = new Set(records.map(({ id }) => id));
  return trails.flatMap(({ id, manifest, name }) =>
    id === null || known.has(id) ? [] : [{ id, manifest, name, memory: UNKNOWN }],
  );
}

async function readMatches(reader: Reader, matches: readonly Match[]): Promise<(Answers | null)[]> {
  const wanted = matches.flatMap(({ id, campaign }) =>
    id === null ? [] : [{ id, resources: resourcesOf(campaign.spec) }],
  );
  const answers = await readAnswers(reader, wanted);
  let next = 0;
  return matches.map(({ id }) => (id === null ? null : (answers[next++] ?? null)));
}
