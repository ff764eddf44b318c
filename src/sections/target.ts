import type { Environment } from '../model/environment.js';
import type { Campaign, CampaignSpec } from '../model/spec.js';
import { UNKNOWN_STATE } from '../model/state.js';
import type { Target } from '../model/target.js';
import { NEW, statusOf } from './sending.js';

/** A campaign about which nothing is known but its manifest. */
export function newTarget(campaign: Campaign, environment: Environment): Target {
  return {
    role: 'declared',
    campaign,
    spec: campaign.spec,
    environment,
    id: null,
    row: null,
    live: null,
    recorded: UNKNOWN_STATE,
    status: NEW,
    templates: null,
    entry: null,
    earlier: null,
    candidates: [],
    predecessor: null,
    problems: [],
    pending: [],
    outside: false,
    isOurs: false,
    reads: null,
    shows: [],
  };
}

/** A spec without a file. */
export function specTarget(spec: CampaignSpec, environment: Environment): Target {
  return newTarget({ manifest: '', file: '', document: 0, spec, remarks: [] }, environment);
}

/** What a reading or a request changes. */
interface Facts {
  id?: Target['id'];
  live?: Target['live'];
  recorded?: Target['recorded'];
}

/** The campaign after a reading, or after a request of this or an earlier run. The only way to change what is known of it. */
export function withFacts(target: Target, facts: Facts): Target {
  const now = { ...target, ...facts };
  return { ...now, status: statusOf(now) };
}
