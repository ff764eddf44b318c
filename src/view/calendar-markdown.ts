import type { CampaignCalendar } from '../email/calendar.js';
import {
  forecastLine,
  forecastTable,
  noteLines,
  rulesLine,
  silenceLine,
  stepsTable,
  type Table,
} from './calendar-words.js';
import { cellCode, code } from './markdown/escape.js';

/** The calendar for a comment on GitHub or GitLab: the numbers per day are folded. Names and subjects are code, so nothing in them works. */
export function renderCalendarMarkdown(calendars: readonly CampaignCalendar[]): string {
  return calendars.map((calendar) => `${blocks(calendar).join('\n\n')}\n`).join('\n');
}

function blocks(calendar: CampaignCalendar): string[] {
  const head = [`#### Sending calendar: ${code(calendar.name)}`, `Sends ${code(rulesLine(calendar))}`];
  const silence = silenceLine(calendar);
  if (silence !== null) return [...head, `**${words(silence)}**`];
  const steps = stepsTable(calendar);
  const rows = steps.rows.map((cells) => [...cells.slice(0, -1).map(words), cellCode(cells.at(-1) ?? '')]);
  const outlook = forecastTable(calendar);
  return [
    ...head,
    table({ ...steps, rows }),
    ...(outlook === null ? [] : [words(forecastLine(calendar) ?? ''), fold(table(outlook))]),
    noteLines(calendar)
      .map((note) => `- ${words(note)}`)
      .join('\n'),
  ];
}

function table({ head, right, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(right.map((number) => (number ? '--:' : '---'))), ...rows.map(line)].join('\n');
}

function fold(content: string): string {
  return `<details><summary>Emails per day</summary>\n\n${content}\n\n</details>`;
}

/** Our own words: nothing in them is markup. */
function words(text: string): string {
  return text.replace(/[\\`*_[\]<>&#|~]/g, '\\$&');
}
