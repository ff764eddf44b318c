import { isObject, type Json } from '../model/json.js';
import { visibleLine } from './visible.js';
import { count, cut } from './words.js';

const WEEK = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

/** A value on one line, as a reviewer reads it: texts as they are, days as a range, long lists counted. */
export function short(value: Json, width = 70): string {
  if (value === null) return 'none';
  if (typeof value === 'string') return value === '' ? '""' : cut(visibleLine(value), width);
  if (Array.isArray(value)) return list(value, width);
  if (isObject(value)) return cut(visibleLine(JSON.stringify(value)), width);
  return String(value);
}

function list(values: readonly Json[], width: number): string {
  if (values.length > 0 && values.every((value) => typeof value === 'string' && WEEK.includes(value))) {
    return days(values.map(String));
  }
  const shown = values.map((value) => short(value)).join(', ');
  if (shown.length <= width || values.length <= 3) return shown;
  return `${count(values.length, 'value')}: ${short(values[0] ?? null)} … ${short(values.at(-1) ?? null)}`;
}

/** Days in the order of the week, runs of three or more as a range: "mon–fri, sun". */
function days(names: readonly string[]): string {
  const runs: string[][] = [];
  for (const day of WEEK.filter((name) => names.includes(name))) {
    const run = runs.at(-1);
    const before = run?.at(-1);
    if (run !== undefined && before !== undefined && WEEK.indexOf(before) + 1 === WEEK.indexOf(day))
      run.push(day);
    else runs.push([day]);
  }
  const brief = (name: string | undefined) => (name ?? '').slice(0, 3);
  return runs
    .map((run) => (run.length >= 3 ? `${brief(run[0])}–${brief(run.at(-1))}` : run.map(brief).join(', ')))
    .join(', ');
}

/** "mon–fri 09:00–17:00 Europe/Paris" of a schedule, whole or in part. */
export function scheduleLine(value: { [key: string]: Json }): string {
  const { template, days: on, start_time, end_time, timezone, save_as_template } = value;
  const from = typeof template === 'number' ? [`template ${template}`] : [];
  const window =
    start_time === undefined
      ? []
      : [
          `${Array.isArray(on) && on.length > 0 ? list(on, 70) : 'no day'} ${start_time}–${end_time} ${timezone}`,
        ];
  const saved = save_as_template === true ? ['also saved as a template'] : [];
  return [...from, ...window, ...saved].join(' · ');
}
