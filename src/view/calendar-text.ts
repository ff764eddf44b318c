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
import type { TextOptions } from './paint.js';
import { visibleLine } from './visible.js';
import { cut, wrap } from './words.js';

/** When each email first goes out and, with a number of leads, how long they take: for a terminal. */
export function renderCalendarText(calendars: readonly CampaignCalendar[], options: TextOptions): string {
  return calendars.map((calendar) => `${calendarLines(calendar, options).join('\n')}\n`).join('\n');
}

function calendarLines(calendar: CampaignCalendar, { paint, width }: TextOptions): string[] {
  const head = [
    paint('bold', visibleLine(calendar.name)),
    ...wrap(`Sends ${rulesLine(calendar)}`, width - 2).map((line) => `  ${line}`),
  ];
  const silence = silenceLine(calendar);
  if (silence !== null)
    return [...head, ...wrap(silence, width - 2).map((line) => `  ${paint('red', line)}`)];
  const outlook = forecastTable(calendar);
  return [
    ...head,
    '',
    ...tableLines(stepsTable(calendar), { paint, width }),
    ...(outlook === null
      ? []
      : [
          '',
          ...wrap(forecastLine(calendar) ?? '', width - 2).map((line) => `  ${line}`),
          '',
          ...tableLines(outlook, { paint, width }),
        ]),
    '',
    ...noteLines(calendar).flatMap((note) =>
      wrap(note, width - 4).map((line, at) => paint('dim', `${at === 0 ? '  ' : '    '}${line}`)),
    ),
  ];
}

/** Columns two spaces apart; the last one is cut where the line ends. */
function tableLines({ head, right, rows }: Table, { paint, width }: TextOptions): string[] {
  const shown = [head, ...rows].map((cells) => cells.map(visibleLine));
  const widths = head.map((_, column) => Math.max(...shown.map((cells) => (cells[column] ?? '').length)));
  const lines = shown.map((cells) => {
    const padded = cells.map((cell, column) => {
      const space = widths[column] ?? 0;
      if (right[column]) return cell.padStart(space);
      return column < cells.length - 1 ? cell.padEnd(space) : cell;
    });
    return cut(`  ${padded.join('  ')}`, width);
  });
  return lines.map((line, index) => (index === 0 ? paint('dim', line) : line));
}
