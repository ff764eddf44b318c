const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/** `2026-03-02` → "Mon 2 Mar 2026" */
export function dateWords(date: string): string {
  const at = new Date(`${date}T00:00:00Z`);
  return `${WEEKDAYS[at.getUTCDay()]} ${at.getUTCDate()} ${monthName(date).slice(0, 3)} ${date.slice(0, 4)}`;
}

/** `2026-03-02` → "March 2026" */
export function monthWords(date: string): string {
  return `${monthName(date)} ${date.slice(0, 4)}`;
}

/** `2026-03-02` → "March" */
export function monthName(date: string): string {
  return MONTHS[Number(date.slice(5, 7)) - 1] ?? '';
}

/** A local time in milliseconds → "09:00" */
export function timeWords(local: number): string {
  return new Date(local).toISOString().slice(11, 16);
}

/** `monday` → "Mon" */
export function weekdayWord(weekday: string): string {
  return `${weekday.slice(0, 1).toUpperCase()}${weekday.slice(1, 3)}`;
}
