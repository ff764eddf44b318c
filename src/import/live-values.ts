import equal from 'fast-deep-equal';
import { badText } from '../manifest/index.js';
import { isSameName } from '../model/characters.js';
import type { Json } from '../model/json.js';
import type { Change, ContentEmail, Path } from '../model/outputs.js';
import { type CampaignSpec, type DesiredStep, desiredSequence } from '../model/spec.js';
import { type CampaignContext, liveStatus, replan, type Work } from '../plan/index.js';
import { canonicalText } from '../sections/decode.js';
import { bareSubject, liveSequence } from '../sections/sequence.js';

/** A live value and its path in the manifest; `reason`: it must be set by hand, or is not known. */
export interface LiveValue {
  path: Path;
  value: Json;
  reason: string | null;
}

/** The live value of a difference, as the manifest writes it. `changes`: all differences of the campaign. */
export function liveValue(
  { section, path, kind, from, to, note }: Change,
  context: CampaignContext,
  changes: readonly Change[],
): LiveValue {
  // `steps[0].email_body` → `steps`, 0, `email_body`
  const parts = (path.match(/[^.[\]]+/g) ?? []).map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  const live = (value: Json, reason: string | null = null): LiveValue => ({
    path: [section, ...parts],
    value,
    reason: reason ?? badValue(value),
  });
  if (note !== null) return live(null, note);
  if (section === 'campaign') return { path: [path], value: from, reason: null };
  if (section === 'leads') return live(null, 'the service does not show which leads are attached');
  if (section === 'status') {
    const { meaning, word, believed } = liveStatus(context);
    if (believed || word === null) return live(null, 'the service shows no status');
    if (meaning === 'stopped') return live('paused');
    const isRunning = meaning === 'running' || meaning === 'starting';
    return isRunning ? live('running') : live(null, `the status "${word}" is not a known word`);
  }
  if (path === '') return live(null, `the service has no ${section}; remove the section to stop managing it`);
  if (section === 'schedule' && 'template' in (context.spec.schedule ?? {}))
    return live(from, 'the manifest names a template: write days, times and timezone instead');
  if (section !== 'sequence') return live(from);
  if (kind !== 'update') return live(from, MOVED);
  if (path.endsWith('email_body')) return live(withLineEndsOf(String(from), to));
  if (!path.endsWith('email_subject')) return live(from);
  const sibling = path.replace(/email_subject$/, 'thread_reply');
  const thread = changes.find((change) => change.section === section && change.path === sibling);
  const step = stepsOf(context.spec)[Number(parts[1])];
  const email = parts[2] === 'variants' ? step?.variants[Number(parts[3])] : step;
  const isReply = thread === undefined ? email?.thread_reply === true : thread.from === true;
  return live(bareSubject(String(from), isReply));
}

function badValue(value: Json): string | null {
  const bad = typeof value === 'string' ? badText(value) : null;
  return bad === null ? null : `the live text holds the control character ${bad.name}`;
}

/** Planning ignores line ends: the text keeps those of the manifest, and its last one. */
function withLineEndsOf(live: string, written: Json): string {
  if (typeof written !== 'string' || /\r(?!\n)/.test(live)) return live;
  const lines = live.replaceAll('\r\n', '\n');
  const text = written.endsWith('\n') && /\S$/.test(lines) ? `${lines}\n` : lines;
  return written.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text;
}

const WAYS = 'and the manifest stays: apply, or set the live value by hand';
const UNKNOWN = `it is not known who changed it since the last apply, ${WAYS}`;
const BOTH = `the manifest and the service both changed it since the last apply, ${WAYS}`;

/** The reason why an update must not overwrite what the manifest says; `local`: only the manifest changed it; `null`: it may. */
export type Protection = (change: Change) => string | 'local' | null;

/** Protects what the manifest changed since the last apply. Without one, live values are taken as long as steps are in the same places. */
export function protectionOf({ plan, context }: Work): Protection {
  const last = context.recorded.last?.spec ?? null;
  const origins = new Map(plan.changes.map((change) => [keyOf({ change }), change.origin]));
  const isMoved = areStepsMoved(context, last);
  return (change) => {
    if (change.section === 'campaign')
      return last !== null && isSameName(last.name, String(change.from)) ? 'local' : null;
    const origin = origins.get(keyOf({ change })) ?? null;
    if (isMoved && isOfStep(change)) return origin === 'manifest' ? 'local' : MOVED;
    if (last === null || origin === 'service') return null;
    if (origin === 'manifest' || isNew(change, last)) return 'local';
    return origin === 'both' ? BOTH : UNKNOWN;
  };
}

/** The last apply did not manage it. */
function isNew({ section, path }: Change, last: CampaignSpec): boolean {
  if (section === 'settings') return !Object.hasOwn(last.settings ?? {}, path);
  return section !== 'campaign' && last[section] === undefined;
}

export const MOVED =
  'steps were added, removed or moved, or both sides changed some: these are the live ones';

/**
 * Steps have no names and are compared by their places. They are only taken over if manifest, service and last apply have the same
 * places, and the manifest did not change them.
 */
function areStepsMoved(context: CampaignContext, last: CampaignSpec | null): boolean {
  const [manifest, base] = [stepsOf(context.spec), last === null ? [] : stepsOf(last)];
  if (manifest.length === 0) return false;
  const live = liveSequence(context).steps;
  const sides = base.length === 0 ? [manifest, live] : [manifest, live, base];
  if (sides.some((side) => sides.some((other) => hasMoved(side, other)))) return true;
  if (last === null || base.length === 0 || equal(manifest, base)) return false;
  return replan({ ...context, spec: last }, ['sequence']).changes.some(isOfStep);
}

function isOfStep({ section, path }: Change): boolean {
  return section === 'sequence' && path.startsWith('steps[');
}

type Emails = ContentEmail & { variants: readonly ContentEmail[] };

/** Another number of emails, or a body that stands in another place. */
function hasMoved(side: readonly Emails[], other: readonly Emails[]): boolean {
  const bodies = [side, other].map((steps) => steps.map(({ email_body }) => canonicalText(email_body)));
  const [before = [], after = []] = bodies;
  return (
    side.length !== other.length ||
    side.some(({ variants }, at) => variants.length !== other[at]?.variants.length) ||
    before.some((body, at) => after[at] !== body && after.includes(body))
  );
}

function stepsOf({ sequence }: CampaignSpec): DesiredStep[] {
  return sequence === undefined ? [] : desiredSequence(sequence).steps;
}

/** Identifies a difference before and after an edit. */
export function keyOf({ change: { section, path } }: { change: Change }): string {
  return `${section} ${path}`;
}
