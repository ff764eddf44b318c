import type { Change, SectionName } from '../../model/change.js';
import type { Environment } from '../../model/environment.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import type { CampaignSpec } from '../../model/spec.js';
import { UNKNOWN_STATE } from '../../model/state-entry.js';
import { SECTIONS } from '../../sections/index.js';

/** The sections of a spec but its leads, in canonical form: sections as objects, empty where not managed. */
export interface Parts {
  campaign: JsonObject;
  settings: JsonObject;
  schedule: JsonObject;
  sequence: JsonObject;
  status: Json | undefined;
}

/** Normalizes with the sections, as planning does. */
export function partsOf(spec: CampaignSpec, environment: Environment): Parts {
  const portray = (name: SectionName): Json => {
    const context = { environment, templates: null, spec, id: null, listed: null, answers: null };
    const section = SECTIONS.find((one) => one.name === name);
    return (section?.toView({ ...context, recorded: UNKNOWN_STATE }).desired ?? null) as Json;
  };
  const section = (name: SectionName): JsonObject => {
    const value = portray(name);
    return isObject(value) ? value : {};
  };
  const { window = null, save_as_template } = section('schedule');
  const hours = isObject(window) ? { ...window, save_as_template: save_as_template ?? false } : {};
  return {
    campaign: { name: spec.name, ...(spec.id === undefined ? {} : { id: spec.id }) },
    settings: section('settings'),
    schedule: hours,
    sequence: section('sequence'),
    status: spec.status,
  };
}

type Specified = readonly [spec: CampaignSpec, environment: Environment];

/** Templates are the same where both have the same name; else their names are told, or, where one has none, their ids. */
export function templateChange(left: Specified, right: Specified): Change | null {
  const [from, to] = [templateOf(left), templateOf(right)];
  if (from === null && to === null) return null;
  const change = { section: 'schedule', path: 'template', note: null } as const;
  if (from === null || to === null) {
    const kind = from === null ? 'add' : 'remove';
    return { ...change, kind, from: from?.written ?? null, to: to?.written ?? null };
  }
  const bothNamed = typeof from.written === 'string' && typeof to.written === 'string';
  if (bothNamed && from.written !== to.written)
    return { ...change, kind: 'update', from: from.written, to: to.written };
  if (from.id === to.id) return null;
  const note = bothNamed ? `${from.written} in both` : null;
  return { ...change, kind: 'update', from: from.id, to: to.id, note };
}

function templateOf([{ schedule }, { schedule_templates }]: Specified) {
  if (schedule === undefined || !('template' in schedule)) return null;
  const written = schedule.template;
  return { written, id: typeof written === 'number' ? written : (schedule_templates[written] ?? null) };
}
