/** Tables on a page, and the calendar. */
import { count, thousands } from '../model/words.js';
import type { CalendarBlock, Cell, Name, TableBlock } from './document.js';
import { type Fragment, fold, type Html, html } from './html-page.js';
import { linkTo, MAX_IN_HEADING, openList, section } from './html-parts.js';
import { dayCell, dayWords, togetherWords } from './launches.js';
import { capital } from './words.js';

/** Maximum number of rows of an open table. */
const MAX_ROWS = 15;
/** Maximum ratio of the capacity to the highest bar for which it is drawn. */
const MAX_SCALE = 3;
export function tablePart({ id, title, columns, rows, number, isRepeated }: TableBlock): Html | null {
  const heads = columns.map(
    ({ head, isRight }) => html`<th scope="col"${isRight ? html` class="n"` : null}>${head}</th>`,
  );
  // The first column may be a mark, which names no row.
  const nameAt = columns.findIndex(({ isName }) => isName);
  const body = rows.map((row) => {
    const cells = row.map((cell, at) => {
      if (at === nameAt) return html`<th scope="row">${cellPart(cell)}</th>`;
      const { head = '', isRight = false, isWhole = false } = columns[at] ?? {};
      const classes = [
        ...(cell === '' ? ['none'] : []),
        ...(isRight ? ['n'] : []),
        ...(isWhole ? ['whole'] : []),
        ...(at < nameAt ? ['kind'] : []),
      ].join(' ');
      return html`<td class="${classes}" data-head="${head}">${cellPart(cell)}</td>`;
    });
    return html`<tr>${cells}</tr>`;
  });
  const table = html`<table class="wide"><thead><tr>${heads}</tr></thead><tbody>${body}</tbody></table>`;
  return section(id, title, [
    !isRepeated || rows.length <= MAX_ROWS ? table : fold(`All ${thousands(number)}`, table),
  ]);
}

/** The sum of each day as a bar; a line shows the capacity. */
export function calendarPart(block: CalendarBlock): Html | null {
  const { title, days, rows, sum, isPartial, capacity } = block;
  const heads = days.map((day) => {
    const [weekday = '', ...date] = dayWords(day, false).split(' ');
    return html`<th scope="col" class="n">${weekday} <span class="date">${date.join(' ')}</span></th>`;
  });
  const body = rows.map(({ names, cells, start }) => {
    const numbers =
      cells === null
        ? html`<td colspan="${days.length}" class="off"><span class="unknown">${['not known', start].filter(Boolean).join(', ')}</span></td>`
        : cells.map((cell) => html`<td class="n${cell === 0 ? ' off' : ''}">${dayCell(cell)}</td>`);
    return html`<tr><th scope="row">${cellPart(names)}${names.length > 1 ? ' (each)' : null}</th>${numbers}</tr>`;
  });
  // A capacity far above the bars would make them invisible.
  const highest = Math.max(1, ...sum);
  const isNear = capacity !== null && capacity <= highest * MAX_SCALE;
  const most = isNear ? Math.max(highest, capacity) : highest;
  const share = (number: number) => `--part:${((100 * number) / most).toFixed(1)}%`;
  const line = !isNear ? null : html`<i class="capacity" style="${share(capacity)}"></i>`;
  const bars = sum.map((cell) => {
    const isOver = capacity !== null && cell > capacity;
    return html`<td class="n${cell === 0 ? ' off' : ''}"><span class="bar${isOver ? ' over' : ''}" style="${share(cell)}" aria-hidden="true">${line}</span>${dayCell(cell)}</td>`;
  });
  const together = capital(togetherWords(isPartial));
  const limit =
    capacity === null
      ? null
      : html`<small>launches of this plan only; capacity of all running campaigns: ${thousands(capacity)} a day</small>`;
  const table = html`<p class="sideways quiet">Scroll sideways for all days.</p><div class="scroll" tabindex="0" role="region" aria-label="${title}"><table class="calendar"><thead><tr><th scope="col">Campaign</th>${heads}</tr></thead><tbody>${body}</tbody><tfoot><tr><th scope="row">${together}${limit}</th>${bars}</tr></tfoot></table></div>`;
  const isFew = rows.length <= MAX_ROWS;
  return section('calendar', title, [isFew ? table : fold(`All ${thousands(rows.length)} launches`, table)]);
}

function cellPart(cell: Cell): Fragment {
  if (typeof cell === 'string') return cell;
  if ('look' in cell) return html`<span class="sign-words ${cell.look}">${cell.words}</span>`;
  if (cell.length > MAX_IN_HEADING)
    return fold(
      html`${count(cell.length, 'campaign')}: ${cell[0]?.name ?? ''} …`,
      openList(cell.map(nameItem)),
    );
  return cell.map((name, at) => html`${at > 0 ? ', ' : ''}${nameLink(name)}`);
}

function nameItem(name: Name): Html {
  return html`<li>${nameLink(name)}</li>`;
}

function nameLink({ name, anchor }: Name): Html {
  return linkTo({ name, anchor });
}
