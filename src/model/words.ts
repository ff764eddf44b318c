import type { ImportRemark } from './reports.js';

export function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${thousands(number)} ${number === 1 ? noun : plural}`;
}

/** 1200 → "1,200", in every locale. */
export function thousands(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}

/** `a, b, c and 4 more` */
export function listed(words: readonly string[], most = 12): string {
  const shown = words.slice(0, most).join(', ');
  return words.length > most ? `${shown} and ${words.length - most} more` : shown;
}

/** `[1, 2, 3, 7]` → "1–3", "7" */
export function idRanges(ids: readonly number[]): string[] {
  const runs: number[][] = [];
  for (const id of ids) {
    const run = runs.at(-1);
    if (run?.at(-1) === id - 1) run.push(id);
    else runs.push([id]);
  }
  return runs.flatMap((run) => (run.length > 2 ? [`${run[0]}–${run.at(-1)}`] : run.map(String)));
}

export function few(ids: readonly number[]): string {
  const ranges = idRanges(ids);
  return ranges.length <= 5 ? ranges.join(', ') : `${ranges.slice(0, 4).join(', ')}, … ${ranges.at(-1)}`;
}

/** "lead lists 42, 77", "1,200 individual leads (1–1199, 1204)" */
export function leadsNamed(kind: 'lists' | 'ids', ids: readonly number[]): string {
  if (kind === 'lists') return `lead list${ids.length === 1 ? '' : 's'} ${few(ids)}`;
  return `${count(ids.length, 'individual lead')} (${few(ids)})`;
}

export function remarkLine({ key, kind, text, leads }: ImportRemark): string {
  if (kind === 'left_out') return `${key} is left out: ${text}`;
  return `${key}: ${text}${leads === null ? '' : ` (${count(leads, 'lead')} now)`}`;
}

/** As the API documents. */
export const LEAD_DELAY = 'the service picks up new leads of an active campaign within five minutes';

/** `steps[1].variants[0].email_body` → `step 2, variant 1: email_body`. */
export function label(path: string): string {
  return path
    .replace(/^steps\[(\d+)\]/, (_, step) => `step ${Number(step) + 1}`)
    .replace(/\.variants\[(\d+)\]/, (_, variant) => `, variant ${Number(variant) + 1}`)
    .replace(/^(step \d+(?:, variant \d+)?)\.(.+)$/, '$1: $2');
}

/** Keeps the `+` of a commit from which files differed. */
export function shortCommit(commit: string): string {
  return commit.slice(0, 8) + (commit.length > 8 && commit.endsWith('+') ? '+' : '');
}

export function percent(rate: number): string {
  return `${(rate * 100).toFixed(1).replace(/\.0$/, '')}%`;
}

/** A campaign as an argument on the command line: its name or, if a shell or campaignctl could misread that, its id. */
export function argumentOf({ id, name }: { id: number | null; name: string }): string {
  const isPlain = /^(?=.*[A-Za-z_])\w[\w .-]*$/.test(name);
  return isPlain || id === null ? JSON.stringify(name) : String(id);
}

/** Of an ISO 8601 time; `between`: what separates the date from the time of day. */
export function minuteOf(at: string, between = ' '): string {
  return `${at.slice(0, '2026-11-27T09:00'.length).replace('T', between)} UTC`;
}

/** The date of an ISO 8601 time. */
export function dayOf(at: string): string {
  return at.slice(0, '2026-11-27'.length);
}

/** Completes "This campaign …". */
export function wasHeld(at: string, campaigns = 1): string {
  return campaigns === 1
    ? `wants to run; its launch was held on ${dayOf(at)}`
    : `want to run; their launches were held on ${dayOf(at)}`;
}

/** The title of the step that launches a campaign which has begun to send before. */
export const RESUME = 'resume the campaign';

/** Starts the titles of the steps that attach leads. */
export const ATTACH = 'attach ';

/** Starts the detail of a request that the service refused, which repeating does not help. */
export const REFUSED = 'the service refused it';
