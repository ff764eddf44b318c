import { TIMEZONES } from '../model/sections.js';
import { nearest } from './nearest.js';

/**
 * Abbreviations, countries and cities, by the allowed zone that has their clock. The first zones of a clock are proposed first. Only
 * what `Intl` does not know, or has a zone of the list that is more telling.
 */
const OTHER_NAMES: { readonly [zone: string]: string } = {
  'Europe/London':
    'BST UK GB ENGLAND BRITAIN GREAT_BRITAIN UNITED_KINGDOM SCOTLAND WALES MANCHESTER BIRMINGHAM LEEDS LIVERPOOL EDINBURGH GLASGOW CARDIFF',
  'Europe/Lisbon': 'WET WEST PORTO',
  'Europe/Paris':
    'CET CEST MET MEZ MESZ CENTRAL_EUROPE CENTRAL_EUROPEAN FRANCE LYON MARSEILLE TOULOUSE NICE BORDEAUX LILLE NANTES STRASBOURG GENEVA GENEVE BASEL BERN LAUSANNE SWITZERLAND NORWAY LUXEMBOURG',
  'Europe/Athens': 'EET EEST GREECE THESSALONIKI',
  'Europe/Moscow': 'MSK SAINT_PETERSBURG ST_PETERSBURG',
  'America/New_York':
    'ET EST EDT EST5EDT EASTERN NYC NEW_YORK_CITY BOSTON MIAMI ATLANTA WASHINGTON WASHINGTON_DC PHILADELPHIA CHARLOTTE ORLANDO TAMPA PITTSBURGH BALTIMORE CLEVELAND COLUMBUS CINCINNATI RALEIGH OTTAWA',
  'America/Chicago':
    'CT CST CDT CST6CDT CENTRAL DALLAS HOUSTON AUSTIN SAN_ANTONIO FORT_WORTH MINNEAPOLIS NASHVILLE MEMPHIS MILWAUKEE NEW_ORLEANS ST_LOUIS SAINT_LOUIS KANSAS_CITY',
  'America/Denver': 'MT MST MDT MST7MDT MOUNTAIN SALT_LAKE_CITY ALBUQUERQUE CALGARY',
  'America/Los_Angeles':
    'PT PST PDT PST8PDT PACIFIC LA SF SAN_FRANCISCO SAN_DIEGO SAN_JOSE SACRAMENTO OAKLAND SEATTLE PORTLAND LAS_VEGAS',
  'America/Anchorage': 'AKST AKDT ALASKA',
  'America/Halifax': 'AST ADT ATLANTIC',
  'America/Sao_Paulo': 'BRT RIO RIO_DE_JANEIRO BRASILIA',
  'Pacific/Honolulu': 'HST HAWAII',
  'Asia/Kolkata':
    'IST INDIA MUMBAI BOMBAY DELHI NEW_DELHI BANGALORE BENGALURU CHENNAI HYDERABAD PUNE AHMEDABAD CALCUTTA',
  'Asia/Hong_Kong': 'HKT CHINA BEIJING PEKING SHENZHEN GUANGZHOU',
  'Asia/Singapore': 'SGT',
  'Asia/Tokyo': 'JST JAPAN OSAKA KYOTO NAGOYA YOKOHAMA',
  'Asia/Seoul': 'KST KOREA SOUTH_KOREA BUSAN',
  'Asia/Muscat': 'GST UAE ABU_DHABI',
  'Australia/Sydney': 'AEST AEDT',
  'Australia/Adelaide': 'ACST ACDT',
  'Australia/Perth': 'AWST',
  'Pacific/Auckland': 'NZST NZDT NZ NEW_ZEALAND WELLINGTON',
  'Africa/Johannesburg': 'SAST SOUTH_AFRICA CAPE_TOWN CAPETOWN DURBAN PRETORIA',
  'Africa/Nairobi': 'EAT KENYA',
  'Africa/Lagos': 'WAT NIGERIA ABUJA',
  'Africa/Casablanca': 'MOROCCO RABAT',
  'America/Phoenix': 'ARIZONA TUCSON',
  'Asia/Jakarta': 'INDONESIA',
  'Asia/Bangkok': 'THAILAND',
  'Asia/Karachi': 'PAKISTAN LAHORE ISLAMABAD',
  'Asia/Riyadh': 'SAUDI_ARABIA JEDDAH',
  'Asia/Jerusalem': 'TEL_AVIV',
  'Europe/Amsterdam': 'NETHERLANDS HOLLAND ROTTERDAM THE_HAGUE UTRECHT',
  'Europe/Berlin':
    'GERMANY MUNICH MUENCHEN MUNCHEN HAMBURG FRANKFURT COLOGNE KOELN KOLN STUTTGART DUSSELDORF',
  'Europe/Brussels': 'BELGIUM ANTWERP',
  'Europe/Bucharest': 'ROMANIA',
  'Europe/Budapest': 'HUNGARY',
  'Europe/Copenhagen': 'DENMARK',
  'Europe/Helsinki': 'FINLAND',
  'Europe/Istanbul': 'ANKARA',
  'Europe/Kiev': 'KYIV UKRAINE',
  'Europe/Madrid': 'SPAIN BARCELONA VALENCIA SEVILLE',
  'Europe/Prague': 'CZECHIA CZECH_REPUBLIC',
  'Europe/Rome': 'ITALY MILAN MILANO TURIN NAPLES FLORENCE',
  'Europe/Sofia': 'BULGARIA',
  'Europe/Stockholm': 'SWEDEN GOTHENBURG',
  'Europe/Vienna': 'AUSTRIA SALZBURG',
  'Europe/Warsaw': 'KRAKOW WROCLAW',
};

const PROPOSED: readonly string[] = [...new Set([...Object.keys(OTHER_NAMES), ...TIMEZONES])];

const AREAS = ['Europe', 'America', 'Asia', 'Africa', 'Australia', 'Pacific', 'Atlantic', 'Indian', 'US'];

/**
 * The allowed zone that is meant: by its name, its city, an abbreviation, or an offset, or the one with the same clock.
 * `null` if the text is none of these, or no allowed zone has its clock.
 */
export function zoneMeant(text: string): string | null {
  const name = nameOf(text);
  const word = name.toLowerCase();
  const named = TIMEZONES.find(
    (zone) => zone.toLowerCase() === word || zone.toLowerCase().endsWith(`/${word}`),
  );
  return (
    named ?? zoneByName(word) ?? zoneByOffset(word) ?? zoneByClock(name) ?? zoneByCity(name) ?? misspelt(word)
  );
}

/** Without what other programs write around the name of a zone: `(GMT-05:00) Eastern Time (US & Canada)`. */
function nameOf(text: string): string {
  return text
    .trim()
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/^\((?:GMT|UTC)[^()]*\)\s*(?=\S)|\s*\(US (?:&|and) Canada\)$/gi, '')
    .replace(/(?<=\S)(?:\s+(?:standard|daylight|summer))?\s+time$/i, '')
    .replaceAll(/[\s.]+/g, '_');
}

/** By another name, or a city with its area. A city of the same name in another area is not meant. */
function zoneByName(word: string): string | null {
  const [, area = null, city = ''] = /^(?:(.+)\/)?([^/]*)$/.exec(word) ?? [];
  const [zone] =
    Object.entries(OTHER_NAMES).find(([, names]) => names.split(' ').includes(city.toUpperCase())) ?? [];
  const isThere = area === null || zone?.toLowerCase().startsWith(`${area === 'us' ? 'america' : area}/`);
  return isThere === true ? (zone ?? null) : null;
}

/** A city that is not in the list, without its area. */
function zoneByCity(name: string): string | null {
  if (name.includes('/')) return null;
  const [zone = null] = AREAS.flatMap((area) => zoneByClock(`${area}/${name}`) ?? []);
  return zone;
}

/** Cities that are not in the list may have similar names, so only slips count. */
function misspelt(word: string): string | null {
  const [area = '', city = ''] = word.split('/');
  const inArea = TIMEZONES.filter((zone) => zone.toLowerCase().startsWith(`${area}/`));
  return nearest(word, inArea, city.length < 8 ? 1 : 2);
}

/** A zone that has the offset, such as `UTC+2` or `+05:30`, all year; otherwise, one that has it in winter. */
function zoneByOffset(word: string): string | null {
  const offset = offsetOf(word);
  return offset === null ? null : (zoneAllYear(offset) ?? zoneInWinter(offset));
}

/** A sentence about the zone proposed for an offset, because most countries with the offset leave it in summer. */
export function offsetNote(text: string): string {
  const offset = offsetOf(nameOf(text).toLowerCase());
  const seasonal = offset === null ? null : zoneInWinter(offset);
  if (offset === null || seasonal === null) return '';
  const summer = offsetText(Math.max(...clock(seasonal)));
  return zoneAllYear(offset) === null
    ? ` This zone has ${offsetText(offset)} only in winter; in summer, it has ${summer}.`
    : ` This zone has ${offsetText(offset)} all year. For a clock that is set forward to ${summer} in summer, write timezone: ${seasonal}.`;
}

function zoneAllYear(offset: number): string | null {
  return PROPOSED.find((zone) => clock(zone).every((minutes) => minutes === offset)) ?? null;
}

/** Clocks are set forward in summer. */
function zoneInWinter(offset: number): string | null {
  const hasWinter = (zone: string) =>
    Math.min(...clock(zone)) === offset && Math.max(...clock(zone)) > offset;
  return PROPOSED.find(hasWinter) ?? null;
}

/** In minutes; `null` if the word is no offset. */
function offsetOf(word: string): number | null {
  if (/^(?:etc\/)?(?:utc|gmt|z|zulu|universal|gmt[+-]?0)$/.test(word)) return 0;
  const [, etc, sign, hours, minutes = '0'] =
    /^(etc\/)?(?:utc|gmt)?([+-])(\d{1,2}):?(\d{2})?$/.exec(word) ?? [];
  if (hours === undefined) return null;
  const size = Number(hours) * 60 + Number(minutes);
  // In these names, the sign is reversed.
  return (sign === '-') !== (etc !== undefined) ? -size : size;
}

function offsetText(minutes: number): string {
  if (minutes === 0) return 'UTC';
  const size = Math.abs(minutes);
  const rest = size % 60 === 0 ? '' : `:${String(size % 60).padStart(2, '0')}`;
  return `UTC${minutes < 0 ? '-' : '+'}${Math.floor(size / 60)}${rest}`;
}

function zoneByClock(name: string): string | null {
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
