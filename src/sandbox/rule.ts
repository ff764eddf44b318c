import type { Json, JsonObject } from '../model/json.js';
import type { Event } from './event.js';
import type { Fault } from './fields.js';
import type { Profile } from './profile.js';
import type { Campaign, State } from './state.js';

/** An answer before it goes out. */
export interface Reply {
  status: number;
  body: Json;
  headers: Readonly<Record<string, string>>;
}

/** What a rule decides: what happens (null: nothing), and the answer, drawn from the state after it. */
export interface Verdict {
  event: Event | null;
  reply(after: State): Reply;
}

/** What stays the same for every request of one embedded service. `token` null: any bearer token will do. */
export interface Terms {
  profile: Profile;
  token: string | null;
  pageSize: number;
  launchDelayReads: number;
}

/** A request whose body has passed the field checks of its route. */
export interface Call {
  state: State;
  terms: Terms;
  body: JsonObject;
  page: number;
  origin: string;
  /** Whether a launch is to fail a moment after it was accepted. */
  launchFails: boolean;
}

/** The same for a route below one campaign. */
export interface CampaignCall extends Call {
  campaign: Campaign;
}

export type WorkspaceRule = (call: Call) => Verdict;
export type CampaignRule = (call: CampaignCall) => Verdict;

export function reply(status: number, body: Json, headers: Reply['headers'] = {}): Reply {
  return { status, body, headers };
}

/** An answer without effect: a read or a refusal. */
export function answered(answer: Reply): Verdict {
  return { event: null, reply: () => answer };
}

/** The refusal of a body: 422 with a sentence per field. */
export function refused(faults: readonly [Fault, ...Fault[]]): Verdict {
  const errors: { [path: string]: string[] } = Object.create(null);
  for (const { path, message } of faults) errors[path] = [...(errors[path] ?? []), message];
  const more = faults.length - 1;
  const rest = more === 0 ? '' : ` (and ${more} more error${more === 1 ? '' : 's'})`;
  return answered(reply(422, { message: faults[0].message + rest, errors: { ...errors } }));
}

/** Whether there is anything to refuse; narrows the list for `refused`. */
export function some(faults: Fault[]): faults is [Fault, ...Fault[]] {
  return faults.length > 0;
}

/** An event of one campaign, answered with what `show` makes of that campaign afterwards. */
export function accepted(event: Event, id: number, show: (campaign: Campaign) => Reply): Verdict {
  return {
    event,
    reply(after) {
      const campaign = after.campaigns[id - 1];
      if (campaign === undefined) throw new Error(`campaign ${id} is gone`);
      return show(campaign);
    },
  };
}
