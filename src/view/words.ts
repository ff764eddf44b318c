import { unseenDifference } from '../model/characters.js';
import { groupBy, isObject, type Json } from '../model/json.js';
import type { ServiceHead } from '../model/outputs.js';
import { WEEKDAYS } from '../model/sections.js';
import { count, dayOf, thousands } from '../model/words.js';
import { visibleLine } from './terminal.js';

/**
 * Breaks lines at spaces. A word longer than `width` gets a separate line, and a command stays on one line if it fits, so that it can
 * be pasted. Colours take no space.
 */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let [line, column] = ['', 0];
  for (const word of COMMAND.test(text) ? wordsAndCommands(text, width) : text.split(' ')) {
    const length = word.replace(COLOUR, '').length;
    if (line !== '' && column + 1 + length > width) {
      lines.push(line.trimEnd());
      [line, column] = [word, length];
    } else {
      column += length + (line === '' ? 0 : 1);
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

/** The words of a sentence in which each command that fits into a line is one word. Others are broken between their options. */
function wordsAndCommands(text: string, width: number): string[] {
  const words = [''];
  for (const [at, part] of text.split(COMMAND).entries()) {
    const isCommand = at % 2 === 1;
    const options = part.length > width ? (part.match(OPTION) ?? []) : [part];
    const [first = '', ...others] = isCommand ? options : part.split(' ');
    words.push(`${words.pop() ?? ''}${first}`, ...others);
  }
  return words;
}

/** A command with its options, up to the first word that may not belong to it; an approval; a checkout of git. */
const COMMAND =
  /(campaignctl [a-z]+(?: migrate| rebase)?(?: (?:--?[A-Za-z][\w-]*(?: (?!-)(?:\w+=)?(?:"[^"]*"|'[^']*'|[^\s"']+))?|"[^"]*"|'[^']*'|\d+|[A-Z]+)(?![\w"']))*|--(?:allow|hold) launch="[^"]*"|git checkout \S+ -- (?:"[^"]*"|[^\s"]+))/;
/** A word, or an option with the quoted text in it. */
const OPTION = /(?:"[^"]*"|'[^']*'|[^\s"'])+/g;

const COLOUR = /\u001b\[\d+m/g;

/** Keeps words on one line in `wrap`, until `broken` restores their spaces. */
export function unbroken(words: string): string {
  return words.replaceAll(' ', '\u00a0');
}

export function broken(line: string): string {
  return line.replaceAll('\u00a0', ' ');
}

export function hanging(text: string, width: number): string[] {
  return wrap(text, width).map((line, at) => (at === 0 ? line : `  ${line}`));
}

/** The same, with non-breaking spaces as spaces, after an indent. */
export function indented(text: string, indent: string, width: number): string[] {
  return hanging(text, width - indent.length).map((line) => `${indent}${broken(line)}`);
}

export function counts(...all: readonly (readonly [number: number, words: string])[]): string[] {
  return all.flatMap(([number, words]) => (number > 0 ? [`${thousands(number)} ${words}`] : []));
}

const MIN_SAME = 3;

/** Groups values by key; each group takes the position of its first value. Groups of fewer than three are split. */
export function alike<T>(values: readonly T[], key: (value: T) => string): [T, ...T[]][] {
  return [...groupBy(values, key).values()].flatMap(([first, ...others]): [T, ...T[]][] => {
    if (first === undefined) return [];
    const same: [T, ...T[]] = [first, ...others];
    return same.length < MIN_SAME ? same.map((member) => [member]) : [same];
  });
}

/** Sums each number. Needs at least one summary. */
export function summed<Numbers extends object>(all: readonly Numbers[]): Numbers {
  const keys = Object.keys(all[0] ?? {}) as (keyof Numbers)[];
  const sum = (key: keyof Numbers) => all.reduce((so, item) => so + Number(item[key]), 0);
  return Object.fromEntries(keys.map((key) => [key, sum(key)])) as Numbers;
}

/** Cuts text, preferably between words, and never within a character. */
export function cut(text: string, width: number): string {
  if (text.length <= width) return text;
  const start = text.slice(0, Math.max(0, width - 1)).replace(/[\ud800-\udbff]$/, '');
  const whole = /\s/.test(text[start.length] ?? '')
    ? start
    : (/^([\s\S]*)\s\S{0,20}$/.exec(start)?.[1] ?? start);
  return `${(width > 60 ? whole : start).replace(/[\s,]+$/, '')}…`;
}

/** "installers-fr (id 77)" → "installers-fr" */
export function plainName(name: string): string {
  return name.replace(/ \(id \d+\)$/, '');
}

export function capital(words: string): string {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

const WEEK: readonly string[] = WEEKDAYS;

let format: Intl.DateTimeFormat | null = null;

/** `2026-03-02…` → "2 March 2026" */
export function longDate(stamp: string): string {
  const date = new Date(dayOf(stamp));
  if (Number.isNaN(date.getTime())) return stamp;
  // Created on first use, because it is slow and most commands show no date.
  format ??= new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
  return format.format(date);
}

/** Shows a value on one line: strings by `show`, days as ranges, long lists as counts. */
export function short(value: Json, width = 70, show = visibleLine): string {
  if (value === null) return 'none';
  if (typeof value === 'string') return value === '' ? '""' : cut(show(value), width);
  if (Array.isArray(value)) return list(value, width);
  if (isObject(value)) return cut(visibleLine(JSON.stringify(value)), width);
  return String(value);
}

/** For two texts that look the same. */
export function unseenNote(from: Json, to: Json): string {
  const points = typeof from === 'string' && typeof to === 'string' ? unseenDifference(from, to) : null;
  return points === null ? '' : ` (they look the same, but differ in ${points})`;
}

function list(values: readonly Json[], width: number): string {
  if (values.length > 0 && values.every((value) => typeof value === 'string' && WEEK.includes(value))) {
    return dayRanges(values.map(String));
  }
  const shown = values.map((value) => short(value)).join(', ');
  if (shown.length <= width || values.length <= 3) return shown;
  return `${count(values.length, 'value')}: ${short(values[0] ?? null)} … ${short(values.at(-1) ?? null)}`;
}

export function dayRanges(names: readonly string[]): string {
  const runs: string[][] = [[]];
  for (const day of WEEK)
    if (names.includes(day)) runs.at(-1)?.push(day.slice(0, 3));
    else runs.push([]);
  return runs.flatMap((run) => (run.length > 2 ? [`${run[0]}–${run.at(-1)}`] : run)).join(', ');
}

/** "mon–fri 09:00–17:00 Europe/Paris", complete or in part. */
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

/** The service in a head: `https://send.example.com`, or `http://send.internal:8080, insecure http`. */
export function serviceWords({ base_url, insecure_http = false }: ServiceHead): string {
  return `${visibleLine(base_url)}${insecure_http ? ', insecure http' : ''}`;
}

/** For heads without the service: the environment and, if its token is sent over insecure http, the service. */
export function environmentWords({ environment, ...head }: ServiceHead & { environment: string }): string {
  return head.insecure_http ? `${environment} (${serviceWords(head)})` : environment;
}
