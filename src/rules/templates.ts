import { namesInserted, substituteIn } from '../manifest/expressions.js';
import type { WrittenCampaign } from '../manifest/resolve.js';
import { isObject, type Json, mapValues } from '../model/json.js';
import type { Path } from '../model/outputs.js';
import type { CampaignSpec } from '../model/spec.js';
import { listed } from '../model/words.js';
import type { Flaw } from './rule.js';

/** The campaign with its texts as they are written, with expressions. */
export function templateOf(campaign: WrittenCampaign): WrittenCampaign {
  const within = (value: Json, path: Path): Json => {
    if (Array.isArray(value)) return value.map((item, index) => within(item, [...path, index]));
    if (isObject(value)) return mapValues(value, (item, key) => within(item, [...path, key]));
    return typeof value === 'string' ? (campaign.templateAt(path) ?? value) : value;
  };
  const spec = within(campaign.spec as unknown as Json, []) as unknown as CampaignSpec;
  return { ...campaign, spec };
}

/** `templates`: the flaws of the campaign's texts as they are written. */
export function wordedAsWritten(
  flaws: readonly Flaw[],
  campaign: WrittenCampaign,
  templates: readonly Flaw[],
): Flaw[] {
  return flaws.map((flaw) => {
    const values = campaign.valuesAt(flaw.path);
    const expanded = (text: string) => {
      const result = substituteIn(text, values);
      return 'text' in result ? result.text : text;
    };
    const same = templates.filter(
      ({ path, hint }) => path.join('/') === flaw.path.join('/') && expanded(hint) === flaw.hint,
    );
    const written = same.find(({ message }) => expanded(message) === flaw.message) ?? same[0];
    const template = campaign.templateAt(flaw.path);
    if (written !== undefined || template === null) return written ?? flaw;
    return { ...flaw, hint: hintForValues(flaw.hint, namesInserted(template), values) };
  });
}

/** An inserted value has the flaw. A line that repeats the value would replace the expression. */
function hintForValues(
  hint: string,
  names: readonly string[],
  values: Readonly<Record<string, Json>> | null,
): string {
  const all = listed([...new Set(names)]);
  const inserted = names.map((name) => String(values?.[name] ?? ''));
  const isRepeated = inserted.some((value) => value !== '' && hint.includes(value));
  return isRepeated ? `Correct the value of ${all}.` : `${hint} It comes from the value of ${all}.`;
}
