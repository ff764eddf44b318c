import type { Answers } from '../model/answer.js';
import type { Environment } from '../model/environment.js';
import type { CampaignRecord } from '../model/memory.js';
import type { Plan } from '../model/plan.js';
import type { Campaign } from '../model/spec.js';
import { buildPlan, type Match, matchCampaigns, resourcesOf, type Work } from '../plan/index.js';
import { type Reader, readAnswers } from '../service/index.js';

export interface SurveyInput {
  environment: Environment;
  campaigns: readonly Campaign[];
  /** Names of the campaigns to plan; empty: all. The others only tell whose records are whose. */
  targets: readonly string[];
  records: readonly CampaignRecord[];
  reader: Reader;
  holdLaunch: boolean;
}

/** A plan and the work behind each of its campaigns, in the same order. */
export interface Survey {
  plan: Plan;
  work: Work[];
}

/** Reads what the manifests manage, and nothing else, and plans. Sends no write: it is given a reader only. */
export async function survey({
  environment,
  campaigns,
  targets,
  records,
  reader,
  holdLaunch,
}: SurveyInput): Promise<Survey> {
  const isMeant = ({ spec }: Campaign) => targets.length === 0 || targets.includes(spec.name);
  const meant = campaigns.filter(isMeant);
  const pinned = meant.every(({ spec }) => spec.id !== undefined);
  const templated = meant.some(({ spec }) => spec.schedule !== undefined && 'template' in spec.schedule);
  const [listed, templates] = await Promise.all([
    pinned ? [] : reader.campaigns(),
    templated ? reader.templates() : null,
  ]);
  const matches = matchCampaigns(campaigns, listed, records).filter(({ campaign }) => isMeant(campaign));
  const answers = await readMatches(reader, matches);
  const looked = matches.map((match, index) => ({ ...match, answers: answers[index] ?? null }));
  return buildPlan({ environment, looked, templates, records, liveCount: listed.length, holdLaunch });
}

async function readMatches(reader: Reader, matches: readonly Match[]): Promise<(Answers | null)[]> {
  const wanted = matches.flatMap(({ id, campaign }) =>
    id === null ? [] : [{ id, resources: resourcesOf(campaign.spec) }],
  );
  const answers = await readAnswers(reader, wanted);
  let next = 0;
  return matches.map(({ id }) => (id === null ? null : (answers[next++] ?? null)));
}
