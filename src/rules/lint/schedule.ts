import type { CampaignRule, Remark } from './rule.js';

/** Times are `HH:MM` with leading zeros, so they compare as text. */
export const emptySendingWindow: CampaignRule = {
  scope: 'campaign',
  code: 'empty-sending-window',
  severity: 'error',
  summary: 'A schedule in which no email can ever go out.',
  check({ subject }) {
    const schedule = subject.spec.schedule;
    if (schedule === undefined || 'template' in schedule) return [];
    const remarks: Remark[] = [];
    if (schedule.days.length === 0) {
      remarks.push({
        message: 'schedule.days is empty: no email would ever go out.',
        hint: 'Name the weekdays, or set status to paused if nothing is to be sent.',
        place: subject.at(['schedule', 'days']),
      });
    }
    if (schedule.start_time >= schedule.end_time) {
      remarks.push({
        message: `The sending window ends at ${schedule.end_time}, ${endsWhen(schedule)}: it is empty.`,
        hint: 'Write an end_time after start_time; a window cannot pass midnight, 23:59 is the latest end.',
        place: subject.at(['schedule', 'end_time']),
      });
    }
    return remarks;
  },
};

function endsWhen({ start_time, end_time }: { start_time: string; end_time: string }): string {
  return start_time === end_time ? 'when it starts' : `before it starts at ${start_time}`;
}
