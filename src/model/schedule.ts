/** The days of the week, in the order in which they are shown, as manifests and the API write them. */
export const WEEKDAYS = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;

export type Weekday = (typeof WEEKDAYS)[number];

/** The time zones that the API allows, in its order; compared as text. */
export const TIMEZONES: readonly string[] = `
  Pacific/Kwajalein Pacific/Midway Pacific/Apia Pacific/Honolulu America/Anchorage America/Los_Angeles
  America/Tijuana America/Phoenix America/Denver America/Chihuahua America/Mazatlan America/Chicago
  America/Managua America/Mexico_City America/Monterrey America/Regina America/New_York
  America/Indiana/Indianapolis America/Bogota America/Lima America/Halifax America/Caracas America/La_Paz
  America/Santiago America/St_Johns America/Sao_Paulo America/Argentina/Buenos_Aires America/Godthab
  America/Noronha Atlantic/Azores Atlantic/Cape_Verde Africa/Casablanca Europe/London Europe/Lisbon
  Africa/Monrovia Europe/Amsterdam Europe/Belgrade Europe/Berlin Europe/Bratislava Europe/Brussels
  Europe/Budapest Europe/Copenhagen Europe/Ljubljana Europe/Madrid Europe/Paris Europe/Prague Europe/Rome
  Europe/Sarajevo Europe/Skopje Europe/Stockholm Europe/Vienna Europe/Warsaw Africa/Lagos Europe/Zagreb
  Europe/Athens Europe/Bucharest Africa/Cairo Africa/Harare Europe/Helsinki Europe/Istanbul Asia/Jerusalem
  Europe/Kiev Europe/Minsk Africa/Johannesburg Europe/Riga Europe/Sofia Europe/Tallinn Europe/Vilnius
  Asia/Baghdad Asia/Kuwait Europe/Moscow Africa/Nairobi Asia/Riyadh Europe/Volgograd Asia/Tehran Asia/Muscat
  Asia/Baku Asia/Tbilisi Asia/Yerevan Asia/Kabul Asia/Yekaterinburg Asia/Karachi Asia/Tashkent Asia/Kolkata
  Asia/Kathmandu Asia/Almaty Asia/Dhaka Asia/Novosibirsk Asia/Colombo Asia/Rangoon Asia/Bangkok Asia/Jakarta
  Asia/Krasnoyarsk Asia/Hong_Kong Asia/Chongqing Asia/Irkutsk Asia/Kuala_Lumpur Australia/Perth
  Asia/Singapore Asia/Taipei Asia/Urumqi Asia/Tokyo Asia/Seoul Asia/Yakutsk Australia/Adelaide
  Australia/Darwin Australia/Brisbane Australia/Sydney Pacific/Guam Australia/Hobart Australia/Melbourne
  Pacific/Port_Moresby Asia/Vladivostok Asia/Magadan Pacific/Auckland Pacific/Fiji Asia/Kamchatka
  Pacific/Tongatapu
`
  .trim()
  .split(/\s+/);
