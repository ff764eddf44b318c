import { Failure } from '../model/failure.js';
import { isObject } from '../model/json.js';
import type { Change, Step, StepResult } from '../model/outputs.js';
import {
  type CampaignContext,
  type LiveStatus,
  liveStatus,
  showsEffect,
  showsNothing,
  spelling,
  totalLeads,
} from '../plan/index.js';
import { createdCampaign, type Repeat } from '../service/index.js';
import type { Journal } from '../state/index.js';
import { lookFor, looksFor, readAgain, timeFor } from './readback.js';
import type { ApplyTools } from './tools.js';

/**
 * What became of a request, and the campaign's id as far as it is known now. `again`: its answer was lost, and reading
 * shows that nothing has happened, or that doing it twice does no harm. `repeat` as in `Sent`.
 */
export interface Performed {
  result: StepResult;
  detail: string | null;
  id: number | null;
  again: boolean;
  repeat: Repeat;
}

/**
 * Sends one request. Whatever its answer leaves open is reconciled by reading; only where that shows that nothing has
 * happened is it sent once more, and never a third time. What cannot be reconciled stays in doubt.
 */
export async function perform(step: Step, campaign: Underway, tools: ApplyTools): Promise<Performed> {
  const first = await once(step, campaign, tools);
  if (!first.again || tools.stopping()) return first;
  const second = await once(step, campaign, tools);
  const story = (last: string | null) =>
    [`${first.detail}; it was sent once more`, last].filter((part) => part !== null).join('; ');
  if (second.result !== 'failed') return { ...second, detail: story(second.detail) };
  // The refusal may be the answer to what the first one did after all.
  const seen = await reconciled(step, campaign, { ...first, again: false }, tools);
  return seen.result === 'done' ? seen : { ...second, detail: story(second.detail) };
}

/** One request: noted, sent, reconciled, its outcome noted. What cannot be noted is not sent. */
async function once(step: Step, campaign: Underway, tools: ApplyTools): Promise<Performed> {
  const { manifest, journal, context, leads } = campaign;
  const { id, spec } = context;
  const total_leads = step.section === 'leads' ? leads : null;
  try {
    await journal.intend({ manifest, name: spec.name, id, step, total_leads });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return {
      result: 'failed',
      detail: `it was not sent: ${error.message}`,
      id,
      again: false,
      repeat: 'never',
    };
  }
  const sent = await send(step, campaign, tools);
  const visible = visibleBy(step, sent, tools.now());
  const conclude = ({ id: of, result, detail }: Performed) =>
    journal.conclude({ manifest, step: step.id, id: of, result, detail, visible });
  // Looking takes time, in which the run may be ended: the next one has to know that the answer was lost.
  if (needsLook(step, sent)) await conclude({ ...sent, result: 'in_doubt' });
  const ended = await reconciled(step, campaign, sent, tools);
  await conclude(ended);
  return ended;
}

/** Whether an answer leaves open what came of a request: a launch always does. */
function needsLook(step: Step, { result }: Performed): boolean {
  return result === 'in_doubt' || (result === 'done' && step.id === 'launch');
}

/** Until when a later look may still show something new; null where the answer says that nothing happened. */
function visibleBy(step: Step, { result, repeat }: Performed, now: number): string | null {
  if (result === 'failed' || result === 'not_run' || step.section === 'leads') return null;
  const launched = result === 'done' && step.id === 'launch';
  return new Date(now + (launched ? LAUNCH_PATIENCE : timeFor(repeat))).toISOString();
}

/** Finds out what an answer leaves open; what then cannot be read stays in doubt. */
async function reconciled(
  step: Step,
  campaign: Underway,
  sent: Performed,
  tools: ApplyTools,
): Promise<Performed> {
  const { context } = campaign;
  if (!needsLook(step, sent)) return sent;
  try {
    if (step.id === 'launch') return await awaitLaunch(sent, context, tools);
    if (step.id === 'create') return await reconcileCreation(sent, campaign, tools);
    if (step.section === 'leads') return await reconcileAttachment(sent, campaign, tools);
    return await reconcileByPlanning(step, sent, campaign, tools);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const reason = sent.detail ?? 'it was accepted';
    const detail = `${reason}; what came of it could not be read: ${error.message}`;
    return { ...sent, result: 'in_doubt', detail, again: false };
  }
}

async function send(step: Step, { context, beforehand }: Underway, tools: ApplyTools): Promise<Performed> {
  const { id, spec } = context;
  const { method, path, body } = step;
  const sent = await tools.service.send({ method, path, body }, tools.stop);
  const told = (result: StepResult, detail: string | null, more: Partial<Performed> = {}): Performed => ({
    result,
    detail,
    id,
    again: false,
    repeat: 'never',
    ...more,
  });
  switch (sent.kind) {
    case 'refused':
      return told('failed', `the service refused it (HTTP ${sent.status}): ${sent.message}`);
    case 'unsent':
      return told(tools.stopping() ? 'not_run' : 'failed', `it was not sent: ${sent.message}`);
    case 'in_doubt':
      return told('in_doubt', sent.message, { again: sent.repeat !== 'never', repeat: sent.repeat });
    case 'accepted': {
      if (step.id !== 'create') return told('done', null);
      const created = createdCampaign(sent.body);
      if (created === null) return told('in_doubt', 'the answer holds no campaign id');
      const of = { id: created.id };
      // Whose id it is has to be seen before anything is written to it.
      if (beforehand.ids.has(created.id))
        return told('in_doubt', `the answer names campaign ${created.id}, which was there before`, of);
      if (created.name === spec.name) return told('done', null, of);
      return told('in_doubt', 'the answer does not name the new campaign', of);
    }
  }
}

/**
 * A request of which the planner can see the effect. One that may do harm twice is sent again only if its effect has not
 * shown after several looks.
 */
async function reconcileByPlanning(
  step: Step,
  sent: Performed,
  { context, planned }: Underway,
  tools: ApplyTools,
): Promise<Performed> {
  const before = planned.filter(({ section }) => section === step.section);
  const looks = looksFor(sent.repeat);
  let nothing = false;
  const effect = await lookFor({ context, sections: [step.section], tools, looks }, (seen) => {
    if (showsEffect(step, before, seen)) return true;
    nothing = !step.irreversible || showsNothing(step, seen);
    return step.irreversible ? null : false;
  });
  const [result, shown] =
    effect === true
      ? (['done', 'reading back shows that it took effect'] as const)
      : (['in_doubt', missing(step, nothing)] as const);
  const detail = `${sent.detail}; ${shown}`;
  return { ...sent, result, detail, again: sent.again && result === 'in_doubt' && nothing };
}

function missing({ irreversible }: Step, nothing: boolean): string {
  if (!irreversible)
    return 'what the service shows does not prove its effect, and sending it twice does no harm';
  return nothing
    ? 'the service does not show its effect'
    : 'the service shows something else than what was sent';
}

/** A campaign whose creation was not answered is found by its name, in a list that is complete or an error. */
async function reconcileCreation(sent: Performed, campaign: Underway, tools: ApplyTools): Promise<Performed> {
  const { context, beforehand } = campaign;
  const { name } = context.spec;
  const done = (detail: string | null, id: number): Performed => ({
    ...sent,
    result: 'done',
    detail,
    id,
    again: false,
  });
  if (sent.id !== null && !beforehand.ids.has(sent.id)) {
    const called = await nameOf(sent.id, tools);
    if (called !== undefined) {
      return called === null || called === name ? done(null, sent.id) : renamed(sent, sent.id, called);
    }
  }
  let listed = await tools.service.campaigns();
  const ours = () => listed.filter((one) => one.name === name);
  for (const wait of looksFor(sent.repeat).slice(1)) {
    if (ours().length > 0 || tools.stopping()) break;
    await tools.sleep(wait);
    listed = await tools.service.campaigns();
  }
  const [only, ...others] = ours();
  if (only !== undefined && others.length === 0)
    return done(`${sent.detail}; it is listed as campaign ${only.id}`, only.id);
  const newcomer = listed.find(
    (one) =>
      !beforehand.ids.has(one.id) && !beforehand.names.has(one.name) && spelling(one.name) === spelling(name),
  );
  if (only === undefined && newcomer !== undefined) return renamed(sent, newcomer.id, newcomer.name);
  const seen =
    only === undefined
      ? 'none is'
      : `${ours().length} are (${ours()
          .map(({ id }) => id)
          .join(', ')})`;
  const detail = `${sent.detail}; of that name ${seen} listed`;
  return { ...sent, result: 'in_doubt', detail, id: null, again: sent.again && only === undefined };
}

/** It is there under a name that we did not send: it is remembered by its id, and nothing further is written to it. */
function renamed(sent: Performed, id: number, name: string): Performed {
  const detail = `${sent.detail === null ? '' : `${sent.detail}; `}the service made campaign ${id} and calls it "${name}", which is not the name of the manifest; nothing more was sent to it`;
  return { ...sent, result: 'failed', detail, id, again: false };
}

/** The name of a campaign; null where it is not shown, undefined where there is no such campaign. */
async function nameOf(id: number, { service }: ApplyTools): Promise<string | null | undefined> {
  const { none, body } = await service.read('campaign', id);
  if (none) return undefined;
  return isObject(body) && typeof body.name === 'string' ? body.name.trim() : null;
}

/** What is attached cannot be read. It is sent again where that does no harm; the number of leads is only shown. */
async function reconcileAttachment(
  sent: Performed,
  { context, leads: before }: Underway,
  tools: ApplyTools,
): Promise<Performed> {
  const detail = `${sent.detail}; the service does not show what is attached`;
  if (sent.again && context.environment.service.attach_repeat === 'safe') return { ...sent, detail };
  const now = totalLeads(await readAgain(context, ['leads'], tools));
  const was = before === null ? '' : ` and was ${before} before`;
  const shown = now === null ? '' : `, total_leads is ${now}${was}`;
  return { ...sent, detail: `${detail}${shown}`, again: false };
}

/** How long a launch may take to show as running, in milliseconds, and the waits between looks. */
export const LAUNCH_PATIENCE = 60_000;
const WAITS = [250, 500, 1000, 2000, 5000];

/**
 * An accepted launch has not happened yet: watches until the service says that the campaign runs, or that it failed. One
 * whose answer was lost may be sent again if nothing has moved.
 */
export async function awaitLaunch(
  sent: Performed,
  context: CampaignContext,
  tools: ApplyTools,
): Promise<Performed> {
  const began = tools.now();
  const before = liveStatus(context);
  const lost = sent.result === 'in_doubt';
  let stirred = !before.failed;
  let moved = false;
  const doubt = (detail: string, again = false): Performed => ({
    ...sent,
    result: 'in_doubt',
    detail,
    again,
  });
  for (let look = 0; ; look++) {
    const live = liveStatus(await readAgain(context, ['status'], tools));
    stirred ||= !live.failed;
    moved ||= live.meaning !== 'stopped';
    if (live.meaning === 'running' || live.meaning === 'finished')
      return {
        ...sent,
        result: 'done',
        detail: lost ? `${sent.detail}; the campaign runs` : null,
        again: false,
      };
    // A campaign that had failed before may show its old failure for a moment.
    if (live.failed && stirred) {
      const detail = `${lost ? sent.detail : 'the service accepted the launch'}, then said "${live.word}"`;
      return { ...sent, result: 'failed', detail, again: false };
    }
    const wait = WAITS[Math.min(look, WAITS.length - 1)] ?? LAUNCH_PATIENCE;
    const waited = tools.now() - began;
    if (lost && !moved && waited >= timeFor(sent.repeat))
      return doubt(`${sent.detail}; the service still says "${live.word}"`, sent.again);
    if (waited + wait > LAUNCH_PATIENCE) return doubt(undecided(sent, live, 'after 60 s'));
    if (tools.stopping()) return doubt(undecided(sent, live, 'when the run was interrupted'));
    tools.emit({ type: 'waiting', campaign: context.spec.name, status: live.word });
    await tools.sleep(wait);
  }
}

function undecided(sent: Performed, { word }: LiveStatus, when: string): string {
  const said = word === null ? 'the service shows no status' : `the service says "${word}"`;
  return `${sent.detail === null ? 'the launch was accepted' : sent.detail}; ${when} ${said}`;
}

/** What the whole run knew before it sent anything: every campaign that was listed, and every name of a manifest. */
export interface Beforehand {
  ids: ReadonlySet<number>;
  names: ReadonlySet<string>;
}

/**
 * A campaign in the middle of its steps: what is known of it now, and what was `planned` to change. `leads`: how many it
 * showed before anything was attached; null where that is not known.
 */
export interface Underway {
  manifest: string;
  context: CampaignContext;
  planned: readonly Change[];
  journal: Journal;
  beforehand: Beforehand;
  leads: number | null;
}
