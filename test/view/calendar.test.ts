import { expect, it } from 'vitest';
import type { Impact } from '../../src/model/outputs.js';
import { viewCalendar } from '../../src/view/calendar.js';
import { calendarPart } from '../../src/view/html-tables.js';
import { campaignPlan, planOf, step } from '../support/plans.js';
import { IMPACT } from './plans.js';

type Days = [date: string, emails: number][];

const launch = (name: string, days: Days, more: Partial<Impact> = {}) =>
  campaignPlan(name, {
    steps: [step('status', { id: 'launch' })],
    impact: {
      ...IMPACT,
      first: days[0] === undefined ? null : `${days[0][0]}T09:00:00Z`,
      days: days.map(([date, emails]) => ({ date, emails })),
      ...more,
    },
  });
const none = (length: number) => Array.from({ length }, () => 0);

it('a calendar has fourteen dates from the first email on, and the emails of each launch', () => {
  const spring = launch('Spring', [
    ['2026-02-27', 100],
    ['2026-03-02', 200],
    ['2026-03-13', 50],
  ]);
  const autumn = launch('Autumn', [
    ['2026-03-02', 7],
    ['2026-03-12', 5],
    // Beyond the fourteen dates.
    ['2026-03-13', 9],
  ]);
  const calendar = viewCalendar(planOf([spring, campaignPlan('Other'), autumn]));
  expect(calendar?.days).toHaveLength(14);
  expect([calendar?.days[0], calendar?.days[2], calendar?.days.at(-1)]).toEqual([
    '2026-02-27',
    '2026-03-01',
    '2026-03-12',
  ]);
  expect(calendar).toMatchObject({
    rows: [
      { campaign: { name: 'Spring' }, cells: [100, 0, 0, 200, ...none(10)] },
      { campaign: { name: 'Autumn' }, cells: [0, 0, 0, 7, ...none(9), 5] },
    ],
    sum: [100, 0, 0, 207, ...none(9), 5],
    isPartial: false,
    capacity: null,
  });
});

it('a launch whose days are not known has no cells, and the sum is partial', () => {
  const known = launch('Spring', [['2026-03-02', 10]]);
  const unknown = launch('Autumn', [], { and_more: true, first: '2026-03-01T09:00:00Z' });
  const unread = { ...launch('Winter', []), impact: null };
  const calendar = viewCalendar(planOf([known, unknown, unread]));
  // The calendar starts with the first launch, even if its numbers are not known.
  expect(calendar?.days[0]).toBe('2026-03-01');
  expect(calendar?.rows.map(({ cells }) => cells?.[1])).toEqual([10, undefined, undefined]);
  expect(calendar).toMatchObject({ sum: [0, 10, ...none(12)], isPartial: true });
});

it('a launch that is known to send nothing counts as zero', () => {
  const known = launch('Spring', [['2026-03-02', 10]]);
  const nobody = launch('Nobody', [], { people: 0, partway: 0, and_more: false });
  const never = launch('Never', [], { first: null });
  const calendar = viewCalendar(planOf([known, nobody, never]));
  expect(calendar?.rows.map(({ cells }) => cells?.[0])).toEqual([10, 0, 0]);
  expect(calendar?.sum[0]).toBe(10);
});

it('a calendar needs a launch with known days, and has the capacity of the plan', () => {
  const volume = { running: 1, cap: 200, unlimited: 0, not_shown: 0, capacity: 500, campaigns: [] };
  const known = launch('Spring', [['2026-03-02', 10]]);
  expect(viewCalendar(planOf([known], { volume }))?.capacity).toBe(500);
  expect(viewCalendar(planOf([launch('Spring', [])]))).toBeNull();
  expect(viewCalendar(planOf([{ ...known, steps: [] }]))).toBeNull();
  expect(viewCalendar(planOf([]))).toBeNull();
});

it.each([
  [300, true],
  [301, false],
])('beside bars of at most 100, a capacity of %i is drawn: %s', (capacity, isDrawn) => {
  const block = { is: 'calendar', title: 'Emails', days: ['2026-03-02'], rows: [], sum: [100] } as const;
  const part = calendarPart({ ...block, isPartial: false, capacity });
  expect(part?.markup.includes('class="capacity"')).toBe(isDrawn);
});
