import equal from 'fast-deep-equal';
import { badText } from '../manifest/errors.js';
import { isSameName } from '../model/characters.js';
import type { Json } from '../model/json.js';
import type { Change, Path } from '../model/outputs.js';
import { type CampaignSpec, desiredSequence } from '../model/spec.js';
import type { PlannedWork } from '../plan/work.js';
import { canonicalText } from '../sections/decode.js';
import type { CampaignContext } from '../sections/index.js';
import { sending } from '../sections/sending.js';
import { bareSubject, liveSequence } from '../sections/sequence.js';

/** `reason`: why a person must set the value. */
export interface LiveValue {
  path: Path;
  value: Json;
  reason: string | null;
}

/** `changes`: all differences of the campaign. */
export function liveValue(
  { section, path, kind, from, to, note }: Change,
  context: CampaignContext,
  changes: readonly Change[],
): LiveValue {
  // `steps[0].email_body` → `steps`, 0, `email_body`
  const parts = (path.match(/[^.[\]]+/g) ?? []).map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  const live = (value: Json, reason: string | null = null): LiveValue => {
    const bad = typeof value === 'string' ? badText(value) : null;
    const badReason = bad === null ? null : `the live text contains the control character ${bad.name}`;
    return { path: [section, ...parts], value, reason: reason ?? badReason };
  };
  if (note !== null) return live(null, note);
  if (section === 'campaign') return { path: [path], value: from, reason: null };
  if (section === 'leads') return live(null, 'the service does not show which leads are attached');
  if (section === 'status') {
    const { meaning, word, believed } = sending(context);
    if (believed || word === null) return live(null, 'the service shows no status');
    if (meaning === 'stopped') return live('paused');
    const isRunning = meaning === 'running' || meaning === 'starting';
    return isRunning ? live('running') : live(null, `"${word}" is not a known status`);
  }
  if (path === '') return live(null, `the service has no ${section}; remove the section to stop managing it`);
  if (section === 'schedule' && 'template' in (context.spec.schedule ?? {}))
    return live(from, 'the manifest names a template: write days, times and timezone instead');
  if (section !== 'sequence' || kind !== 'update') return live(from);
  if (path.endsWith('email_body')) return live(withLineEndsOf(String(from), to));
  if (!path.endsWith('email_subject')) return live(from);
  const sibling = path.replace(/email_subject$/, 'thread_reply');
  const thread = changes.find((change) => change.section === section && change.path === sibling);
  const step = stepsOf(context.spec)[Number(parts[1])];
  const email = parts[2] === 'variants' ? step?.variants[Number(parts[3])] : step;
  const isReply = thread === undefined ? email?.thread_reply === true : thread.from === true;
  return live(bareSubject(String(from), isReply));
}

/** Planning ignores line endings, so the manifest keeps its own. */
function withLineEndsOf(live: string, written: Json): string {
  if (typeof written !== 'string' || /\r(?!\n)/.test(live)) return live;
  const lines = live.replaceAll('\r\n', '\n');
  const text = written.endsWith('\n') && /\S$/.test(lines) ? `${lines}\n` : lines;
  return written.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text;
}

/** The reason for keeping a value. `local`: only the manifest changed it; `null`: it may be overwritten. */
type Protection = (change: Change) => string | 'local' | null;

export const WHOLE_SEQUENCE =
  'steps were added, removed or moved, or the manifest changed the sequence as well: these are the live steps';

const NOT_OURS =
  'the manifest may also have changed it since the last apply and is kept: run apply, or set the live value by hand';

/** Protects changes since the last apply. Steps have no names, so their values are only set in unchanged positions. */
export function protectionOf({ plan, context }: PlannedWork): Protection {
  const last = context.recorded.last?.spec ?? null;
  const origins = new Map(plan.changes.map((change) => [keyOf({ change }), change.origin]));
  const [manifest, live] = [stepsOf(context.spec), liveSequence(context).steps];
  const liveBodies = live.map(({ email_body }) => canonicalText(email_body));
  const bodies = manifest.map(({ email_body }) => canonicalText(email_body));
  const areSame =
    bodies.every((body, at) => liveBodies[at] === body || !liveBodies.includes(body)) &&
    manifest.length === live.length &&
    manifest.every(({ variants }, at) => variants.length === live[at]?.variants.length) &&
    (last === null || equal(manifest, stepsOf(last)));
  return (change) => {
    const { section, path } = change;
    if (section === 'campaign')
      return last !== null && isSameName(last.name, String(change.from)) ? 'local' : null;
    const origin = origins.get(keyOf({ change })) ?? null;
    const isNew =
      last !== null &&
      (section === 'settings' ? !Object.hasOwn(last.settings ?? {}, path) : last[section] === undefined);
    if (origin === 'manifest' || isNew) return 'local';
    if (section === 'sequence' && path.startsWith('steps[') && !areSame) return WHOLE_SEQUENCE;
    return last === null || origin === 'service' || origin === 'pause' ? null : NOT_OURS;
  };
}

function stepsOf({ sequence }: CampaignSpec) {
  return sequence === undefined ? [] : desiredSequence(sequence).steps;
}

export function keyOf({ change: { section, path } }: { change: Change }): string {
  return `${section} ${path}`;
}
