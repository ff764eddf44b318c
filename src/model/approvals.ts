/** Approvals of hazards: those of `allow` in the project file, and those of `--allow`. */
import { HAZARDS, type Hazard } from './codes.js';
import { launchArgument, launchPattern } from './hold.js';

export const HAZARD_NAMES = Object.keys(HAZARDS) as Hazard[];

export type Allowed = Hazard | `launch=${string}`;

/** `by`: the source of the approval, such as `campaignctl.yaml:12` or `--allow launch`. */
export interface Approval {
  hazard: Hazard;
  by: string;
  /** Name or pattern of approved campaigns; absent for all. */
  name?: string;
}

export function isAllowed(text: unknown): text is Allowed {
  return HAZARD_NAMES.some((hazard) => hazard === text) || launchPattern(text) !== null;
}

export function parseApproval(allowed: Allowed): Approval {
  const name = launchPattern(allowed);
  if (name === null) return { hazard: allowed as Hazard, by: `--allow ${allowed}` };
  return { hazard: 'launch', by: `--allow ${launchArgument(name)}`, name };
}
