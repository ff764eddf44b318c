/**
 * One side of a campaign as planning saw it, an section each: for views that show the whole and not only what differs. An
 * section is null where it is not managed, or is not there. Desired settings are those that the manifest writes.
 */
export interface Content {
  settings: { [name: string]: number | boolean | string | null } | null;
  schedule: ContentSchedule | null;
  sequence: ContentSequence | null;
  leads: { lists: number[]; ids: number[] } | null;
  status: string | null;
}

/** `days` as words in the order of the week, times as `HH:MM`. */
export interface SendingHours {
  days: string[];
  start_time: string;
  end_time: string;
  timezone: string;
}

/** `window` is null where the content of a template is not shown. */
export interface ContentSchedule {
  window: SendingHours | null;
  template: number | null;
  save_as_template: boolean;
}

export interface ContentEmail {
  email_subject: string;
  email_body: string;
  wait_in_days: number;
  thread_reply: boolean;
}

/** `title` is null where the service does not show it. */
export interface ContentSequence {
  title: string | null;
  steps: (ContentEmail & { variants: ContentEmail[] })[];
}

/** Both sides of a campaign; `live` is null before it exists. */
export interface BeforeAfter {
  before: Content | null;
  after: Content;
}
