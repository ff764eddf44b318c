import { TIMEZONES } from '../model/sections.js';

/** Zones as people write them, by the allowed zone that is meant. The first zones of a clock are proposed first. */
const ABBREVIATIONS: { readonly [zone: string]: string } = {
  'Europe/London': 'GMT BST UK',
  'Europe/Lisbon': 'WET WEST',
  'Europe/Paris': 'CET CEST MET MEZ MESZ',
  'Europe/Athens': 'EET EEST',
  'Europe/Moscow': 'MSK',
  'America/New_York': 'ET EST EDT EST5EDT EASTERN',
  'America/Chicago': 'CT CST CDT CST6CDT CENTRAL',
  'America/Denver': 'MT MST MDT MST7MDT MOUNTAIN',
  'America/Los_Angeles': 'PT PST PDT PST8PDT PACIFIC',
  'America/Anchorage': 'AKST AKDT',
  'America/Halifax': 'AST ADT ATLANTIC',
  'America/Sao_Paulo': 'BRT',
  'Pacific/Honolulu': 'HST HAWAII',
  'Asia/Kolkata': 'IST INDIA',
  'Asia/Hong_Kong': 'HKT',
  'Asia/Singapore': 'SGT',
  'Asia/Tokyo': 'JST JAPAN',
  'Asia/Seoul': 'KST KOREA',
  'Asia/Muscat': 'GST',
  'Australia/Sydney': 'AEST AEDT',
  'Australia/Adelaide': 'ACST ACDT',
  'Australia/Perth': 'AWST',
  'Pacific/Auckland': 'NZST NZDT NZ',
  'Africa/Johannesburg': 'SAST',
  'Africa/Nairobi': 'EAT',
  'Africa/Lagos': 'WAT',
};

const PROPOSED: readonly string[] = [...new Set([...Object.keys(ABBREVIATIONS), ...TIMEZONES])];

/**
 * The allowed zone that is meant: by its name, its city, an abbreviation, or an offset, or the one with the same clock.
 * `null` if the text is none of these, or no allowed zone has its clock.
 */
export function zoneMeant(text: string): string | null {
  const word = text.trim().replaceAll(/\s+/g, '_').toLowerCase();
  const named = TIMEZONES.find(
    (zone) => zone.toLowerCase() === word || zone.toLowerCase().endsWith(`/${word}`),
  );
  if (named !== undefined) return named;
  const [short] =
    Object.entries(ABBREVIATIONS).find(([, words]) => words.split(' ').includes(word.toUpperCase())) ?? [];
  return short ?? zoneAt(word) ?? zoneLike(text.trim().replaceAll(/\s+/g, '_'));
}

/** The zone whose winter has the offset, such as `UTC+2` or `+05:30`, because clocks are set forward from it in summer. */
function zoneAt(word: string): string | null {
  if (/^(?:utc|z|zulu|gmt[+-]?0)$/.test(word)) return zoneLike('UTC');
  const [, etc, sign, hours, minutes = '0'] =
    /^(etc\/)?(?:utc|gmt)?([+-])(\d{1,2}):?(\d{2})?$/.exec(word) ?? [];
  if (hours === undefined) return null;
  const size = Number(hours) * 60 + Number(minutes);
  // In these names, the sign is reversed.
  const offset = (sign === '-') !== (etc !== undefined) ? -size : size;
  return PROPOSED.find((zone) => Math.min(...clock(zone)) === offset) ?? null;
}

function zoneLike(name: string): string | null {
  const wanted = clock(name).join();
  if (wanted === '') return null;
  const region = name.split('/')[0] ?? '';
  const same = PROPOSED.filter((zone) => clock(zone).join() === wanted);
  return same.find((zone) => zone.startsWith(`${region}/`)) ?? same[0] ?? null;
}

/** The middle of each month of a year. */
const MOMENTS = Array.from({ length: 12 }, (_, month) => Date.UTC(2026, month, 15, 12));

const clocks = new Map<string, readonly number[]>();

/** Minutes from UTC in each month; empty for a name that is no zone. */
function clock(zone: string): readonly number[] {
  const known = clocks.get(zone) ?? readClock(zone);
  clocks.set(zone, known);
  return known;
}

function readClock(zone: string): number[] {
  try {
    const format = new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      dateStyle: 'short',
      timeStyle: 'short',
    });
    return MOMENTS.map((moment) => {
      const [day, month, year, hour, minute] = format.format(moment).split(/\D+/).map(Number);
      const local = Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute);
      return (local - moment) / 60_000;
    });
  } catch {
    return [];
  }
}
