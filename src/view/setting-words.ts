import { SETTINGS } from '../model/sections.js';

/** "at most 200 emails a day", "no open tracking". `value`: as views show it, with `none` for `null`. */
export function settingWords(name: string, value: string): string {
  const setting = SETTINGS.find((row) => row.name === name);
  if (setting === undefined) return `${name} ${value}`;
  const [set, unset] = setting.said;
  return value === 'false' || value === 'none' ? unset : set.replace('%', () => value);
}
