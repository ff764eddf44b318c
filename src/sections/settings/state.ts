import { isObject, type JsonObject } from '../../model/json.js';
import { SETTING_NAMES, SETTINGS, type Settings } from '../../model/settings.js';
import type { CampaignSpec } from '../../model/spec.js';
import { boolean, integer, record, text } from '../decode.js';
import type { CampaignContext } from '../section.js';
import { canonicalOptionalText } from '../text.js';

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
  for (const { name, type } of SETTINGS) {
    if (fields.record[name] === undefined) continue;
    if (type === 'integer') settings[name] = integer(fields, name);
    else if (type === 'boolean') settings[name] = boolean(fields, name) ?? false;
    else settings[name] = canonicalOptionalText(text(fields, name));
  }
  return settings as SomeSettings;
}
