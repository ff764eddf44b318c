import { isObject, type JsonObject } from '../../model/json.js';
import type { CampaignSpec } from '../../model/spec.js';
import { boolean, integer, record, text } from '../decode.js';
import type { CampaignContext } from '../section.js';
import { canonicalOptionalText } from '../text.js';

/** The seven settings in their canonical form: a null boolean is false, an empty text is null. */
export interface Settings {
  max_emails_per_day: number | null;
  max_new_leads_per_day: number | null;
  plain_text: boolean;
  open_tracking: boolean;
  reputation_building: boolean;
  can_unsubscribe: boolean;
  unsubscribe_text: string | null;
}
export type SettingName = keyof Settings;

/** What the interface documents for a setting that was never sent. Its keys are the order in which settings are shown. */
export const DEFAULTS: Settings = {
  max_emails_per_day: 1000,
  max_new_leads_per_day: 1000,
  plain_text: false,
  open_tracking: false,
  reputation_building: false,
  can_unsubscribe: false,
  unsubscribe_text: null,
};
export const SETTING_NAMES = Object.keys(DEFAULTS) as SettingName[];

/** Desired: only what the manifest writes. Live: only what the service shows. */
export type SomeSettings = Partial<Settings>;

export function normalize(spec: CampaignSpec): SomeSettings | null {
  return spec.settings === undefined
    ? null
    : canonical({ endpoint: '', record: { ...spec.settings }, at: '' });
}

/** Settings stand flat in the record or under `settings`. A key that is absent cannot be read. */
export function decode(context: CampaignContext): SomeSettings {
  const answer = context.answers?.campaign ?? null;
  if (answer === null) return {};
  const whole = record(answer);
  const nested = isObject(whole.settings) ? whole.settings : {};
  const picked: JsonObject = {};
  for (const name of SETTING_NAMES) {
    const value = name in nested ? nested[name] : whole[name];
    if (value !== undefined) picked[name] = value;
  }
  return canonical({ endpoint: answer.endpoint, record: picked, at: '' });
}

function canonical(fields: { endpoint: string; record: JsonObject; at: string }): SomeSettings {
  const settings: Record<string, number | boolean | string | null> = {};
  for (const name of SETTING_NAMES) {
    if (fields.record[name] === undefined) continue;
    const standard = DEFAULTS[name];
    if (typeof standard === 'number') settings[name] = integer(fields, name);
    else if (typeof standard === 'boolean') settings[name] = boolean(fields, name) ?? false;
    else settings[name] = canonicalOptionalText(text(fields, name));
  }
  return settings as SomeSettings;
}
