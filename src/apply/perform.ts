import type { AnswerName } from '../model/answer.js';
import { isSameName, nameIn } from '../model/characters.js';
import type { Change, SectionName, Step, StepResult } from '../model/outputs.js';
import { CREATED_STATE } from '../model/state.js';
import {
  answersFor,
  type CampaignContext,
  campaignThat,
  liveStatus,
  mayBePaused,
  NO_EFFECT,
  readableSections,
  replan,
  showsEffect,
  showsNothing,
  strangerStatus,
  totalLeads,
} from '../plan/index.js';
import { createdCampaign, type Repeat, readCampaign, type WriteGuard } from '../service/index.js';
import type { Journal } from '../state/index.js';
import { LAUNCH_TIMEOUT, readAgain, readUntil, timeFor, waitsFor, withListed } from './readback.js';
import { asFailure, type ListShows, type RunTools } from './tools.js';

/** What the run knew before it sent anything: every campaign in the list, those of state and manifests, and every name in a manifest. */
export interface Beforehand {
  ids: ReadonlySet<number>;
  ours: ReadonlySet<number>;
  names: ReadonlySet<string>;
  listShows: ListShows;
}

/**
 * A campaign in the middle of its steps: what is known of it now, and what was `planned` to change. `leads`: how many it showed
 * before anything was attached; null if not known.
 */
export interface Underway {
  manifest: string;
  context: CampaignContext;
  planned: readonly Change[];
  journal: Journal;
  beforehand: Beforehand;
  leads: number | null;
  /** What speaks against sending the step once more; null if nothing does. */
  again(): Promise<string | null>;
  /** The same while it waits to be sent. */
  guard: WriteGuard;
}

/**
 * What became of a request, and the campaign's id as far as it is known now. `again`: its answer was lost, and reading shows that
 * nothing has happened, or that doing it twice does no harm. `repeat` as in `Sent`.
 */
export interface Performed {
  result: StepResult;
  detail: string | null;
  id: number | null;
  again: boolean;
  repeat: Repeat;
  /** What the campaign showed last, where a launch was watched. */
  answers?: CampaignContext['answers'];
}

/** The same request once it is concluded: it is not to be sent again. */
function concluded(sent: Performed, result: StepResult, ...details: (string | null)[]): Performed {
  return { ...sent, result, detail: joined(...details), again: false };
}

function joined(...details: (string | null)[]): string | null {
  return details.filter((part) => part !== null).join('; ') || null;
}

/**
 * Sends one request. Whatever its answer leaves open is reconciled by reading; only if that shows that nothing has happened is
 * it sent once more, and never a third time. What cannot be reconciled stays in doubt.
 */
export async function perform(step: Step, campaign: Underway, tools: RunTools): Promise<Performed> {
  const first = await once(step, campaign, tools);
  if (!first.again || tools.stopping()) return first;
  const against = await campaign.again().catch((error) => asFailure(error).message);
  if (against !== null)
    return concluded(first, 'in_doubt', first.detail, `it was not sent once more: ${against}`);
  const second = await once(step, campaign, tools);
  const more = second.detail === null ? 'it was sent once more' : `second attempt: ${second.detail}`;
  const told = { ...second, detail: joined(first.detail, more) };
  if (second.result !== 'failed') return told;
  // The refusal may be the answer to what the first one did after all.
  const seen = await reconciled(step, campaign, { ...first, again: false }, tools);
  if (seen.result !== 'done') return told;
  if (step.id !== 'create') return seen;
  // It was not there for as long as a request may take: what shows now is rather the work of another run.
  const late = `campaign ${seen.id} may be someone else's, and nothing was sent to it. Plan again to go on with it`;
  return concluded(told, 'in_doubt', told.detail, late);
}

/** One request: noted, sent, reconciled, its outcome noted. What cannot be noted is not sent. */
async function once(step: Step, campaign: Underway, tools: RunTools): Promise<Performed> {
  const { manifest, journal, context, leads } = campaign;
  const { id, spec } = context;
  const total_leads = step.section === 'leads' ? leads : null;
  try {
    await journal.intend({ manifest, name: spec.name, id, step, total_leads });
  } catch (error) {
    const detail = `it was not sent: ${asFailure(error).message}`;
    return { result: 'failed', detail, id, again: false, repeat: 'never' };
  }
  const sent = await send(step, campaign, tools);
  const visible_in = visibleIn(step, sent);
  const conclude = ({ id: of, result, detail }: Performed) =>
    journal.conclude({ manifest, name: spec.name, step: step.id, id: of, result, detail, visible_in });
  // Reading takes time, in which the run may be ended: the next one has to know that the answer was lost.
  if (needsReading(step, sent)) await conclude({ ...sent, result: 'in_doubt' });
  const ended = await reconciled(step, campaign, sent, tools);
  await conclude(ended);
  return ended;
}

/** Whether an answer leaves open what came of a request: a launch always does. */
function needsReading(step: Step, { result }: Performed): boolean {
  return result === 'in_doubt' || (result === 'done' && step.id === 'launch');
}

/** For how long a later reading may still show something new; null if the answer says that nothing happened. */
function visibleIn(step: Step, { result, repeat }: Performed): number | null {
  if (result === 'failed' || result === 'not_run' || step.section === 'leads') return null;
  return step.id === 'launch' ? LAUNCH_TIMEOUT : timeFor(repeat);
}

/** Finds out what an answer leaves open; what then cannot be read stays in doubt. */
async function reconciled(
  step: Step,
  campaign: Underway,
  sent: Performed,
  tools: RunTools,
): Promise<Performed> {
  const { context } = campaign;
  if (!needsReading(step, sent)) return sent;
  try {
    if (step.id === 'launch') return await awaitLaunch(sent, context, tools);
    if (step.id === 'create') return await reconcileCreation(sent, campaign, tools);
    if (step.section === 'leads') return await reconcileAttachment(sent, campaign, tools);
    return await reconcileByPlanning(step, sent, campaign, tools);
  } catch (error) {
    const reason = sent.detail ?? 'the service accepted it';
    return concluded(sent, 'in_doubt', reason, `its effect could not be read: ${asFailure(error).message}`);
  }
}

async function send(
  step: Step,
  { context, beforehand, guard }: Underway,
  tools: RunTools,
): Promise<Performed> {
  const { id, spec } = context;
  const { method, path, body } = step;
  const sent = await tools.service.send({ method, path, body }, { stop: tools.stop, guard });
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
        return told('in_doubt', `the answer names campaign ${created.id}, which was there before`);
      if (created.name === spec.name) return told('done', null, of);
      return told('in_doubt', 'the answer does not name the new campaign', of);
    }
  }
}

/**
 * A request of which the planner can see the effect. One that may do harm twice is sent again only if its effect has not
 * shown after several readings.
 */
async function reconcileByPlanning(
  step: Step,
  sent: Performed,
  { context, planned }: Underway,
  tools: RunTools,
): Promise<Performed> {
  const before = planned.filter(({ section }) => section === step.section);
  const waits = waitsFor(sent.repeat);
  let nothing = false;
  const effect = await readUntil({ context, sections: [step.section], tools, waits }, (seen) => {
    if (showsEffect(step, before, seen)) return true;
    nothing = !step.irreversible || showsNothing(step, seen);
    return step.irreversible ? null : false;
  });
  if (effect === true) return concluded(sent, 'done', sent.detail, 'reading back shows that it took effect');
  const again = sent.again && nothing;
  return { ...concluded(sent, 'in_doubt', sent.detail, missing(step, nothing)), again };
}

function missing({ irreversible }: Step, nothing: boolean): string {
  if (!irreversible)
    return 'what the service shows does not prove its effect, and sending it twice does no harm';
  return nothing ? NO_EFFECT : 'the service does not show what was sent';
}

/** A campaign whose creation was not answered is found by its name, in a list that is complete or an error. */
async function reconcileCreation(sent: Performed, campaign: Underway, tools: RunTools): Promise<Performed> {
  const { context, beforehand } = campaign;
  const { name } = context.spec;
  if (sent.id !== null) {
    const called = await nameOf(sent.id, tools);
    if (called === null || called === name) return concluded(sent, 'done');
    if (called !== undefined) return renamed(sent, sent.id, called);
  }
  let listed = await tools.service.campaigns();
  const ours = () => listed.filter((one) => one.name === name);
  for (const wait of waitsFor(sent.repeat).slice(1)) {
    if (ours().length > 0 || tools.stopping()) break;
    await tools.sleep(wait);
    listed = await tools.service.campaigns();
  }
  const [only, ...others] = ours();
  if (only !== undefined && others.length === 0) {
    const stranger = await againstTaking({ ...context, id: only.id, listed: only }, campaign, tools);
    const seen = `campaign ${only.id} has that name, ${stranger}: it may be someone else's`;
    if (stranger !== null) return { ...concluded(sent, 'in_doubt', sent.detail, seen), id: null };
    return { ...concluded(sent, 'done', sent.detail, `it is listed as campaign ${only.id}`), id: only.id };
  }
  const isNew = (one: { id: number; name: string }) =>
    !beforehand.ids.has(one.id) && !beforehand.names.has(one.name);
  const newcomer = listed.find((one) => isNew(one) && isSameName(one.name, name));
  if (only === undefined && newcomer !== undefined) return renamed(sent, newcomer.id, newcomer.name);
  const ids = ours().map(({ id }) => id);
  const seen =
    ids.length === 0
      ? 'no campaign of that name is listed'
      : `${ids.length} campaigns of that name are listed (${ids.join(', ')})`;
  const again = sent.again && only === undefined;
  return { ...concluded(sent, 'in_doubt', sent.detail, seen), id: null, again };
}

/**
 * What tells that a campaign of the name is not the one that was asked for; null if nothing does. That one is new, rests and holds
 * nothing, and no other run goes on with it: a second look a moment later tells.
 */
async function againstTaking(
  context: CampaignContext,
  { planned, beforehand }: Underway,
  tools: RunTools,
): Promise<string | null> {
  const { id } = context;
  if (id === null) return null;
  if (beforehand.ids.has(id)) return 'and had another one when this was planned';
  const managed = readableSections(context);
  for (const wait of [0, A_MOMENT]) {
    if (wait > 0) await tools.sleep(wait);
    const began = tools.elapsed();
    const names = new Set<AnswerName>(['campaign', 'sequence', ...answersFor(context, managed)]);
    const answers = await readCampaign(tools.service, id, [...names]);
    const shown = await withListed({ ...context, answers }, ['leads'], tools, { since: began });
    const seen = { ...shown, recorded: CREATED_STATE };
    const status = strangerStatus(seen, false);
    if (status !== null && status.word !== null) return campaignThat(status);
    if ((totalLeads(seen) ?? 0) > 0) return 'and has leads already';
    if (answers.sequence?.none === false) return 'and has a sequence already';
    const isAsked = ({ section, kind }: Change) => section !== 'settings' || kind === 'update';
    const isDone = (name: SectionName) =>
      planned.some((change) => change.section === name && isAsked(change)) &&
      replan(seen, [name]).changes.length === 0;
    const done = managed.find((name) => name !== 'campaign' && isDone(name));
    if (done !== undefined) return `and shows the ${done} of the manifest already`;
    if (tools.stopping()) break;
  }
  return null;
}

/** Milliseconds in which another run that made a campaign has gone on with it. */
const A_MOMENT = 2_000;

/** The service gave it another name: it is remembered by its id, and nothing further is written to it. */
function renamed(sent: Performed, id: number, name: string): Performed {
  const detail = `the service made campaign ${id} and calls it "${name}", which is not the name of the manifest; nothing more was sent to it`;
  return { ...concluded(sent, 'failed', sent.detail, detail), id };
}

/** The name of a campaign; null if it is not shown, undefined if there is no such campaign. */
async function nameOf(id: number, { service }: RunTools): Promise<string | null | undefined> {
  const { none, body } = await service.read('campaign', id);
  if (none) return undefined;
  return nameIn(body);
}

/** What is attached cannot be read. It is sent again if that does no harm; the number of leads is only shown. */
async function reconcileAttachment(
  sent: Performed,
  { context, leads: before }: Underway,
  tools: RunTools,
): Promise<Performed> {
  const detail = `${sent.detail}; the service does not show what is attached`;
  if (sent.again && context.environment.service.attach_repeat === 'safe') return { ...sent, detail };
  const now = totalLeads(await readAgain(context, ['leads'], tools));
  const was = before === null ? '' : ` and was ${before} before`;
  return concluded(sent, sent.result, `${detail}${now === null ? '' : `, total_leads is ${now}${was}`}`);
}

/** Milliseconds between readings after a launch. */
const WAITS = [250, 500, 1000, 2000, 5000];

/**
 * An accepted launch has not happened yet: watches until the service says that the campaign runs, or that it failed. One whose
 * answer was lost may be sent again if nothing has moved, which a word that a person's pause or another failure gives, too, does not show.
 */
async function awaitLaunch(first: Performed, context: CampaignContext, tools: RunTools): Promise<Performed> {
  const sent = { ...first };
  const began = tools.elapsed();
  const lost = sent.result === 'in_doubt';
  let stirred = !liveStatus(context).failed;
  let moved = false;
  for (let reading = 0; ; reading++) {
    // An answer says how things stood when it was asked for: it may have been long on its way.
    const asked = tools.elapsed() - began;
    const seen = await readAgain(context, ['status'], tools);
    sent.answers = seen.answers;
    const live = liveStatus(seen);
    if (live.believed)
      return lost
        ? concluded(sent, 'in_doubt', sent.detail, 'the service shows no status')
        : concluded(sent, 'done', 'the service accepted the launch and shows no status: believed, not seen');
    stirred ||= !live.failed;
    moved ||= live.meaning !== 'stopped';
    if (live.meaning === 'running' || live.meaning === 'finished')
      return lost ? concluded(sent, 'done', sent.detail, 'the campaign runs') : concluded(sent, 'done');
    // A campaign that had failed before may show its old failure for a moment.
    if (live.failed && stirred) {
      const detail = `${lost ? sent.detail : 'the service accepted the launch'}, then said "${live.word}"`;
      return concluded(sent, 'failed', detail);
    }
    const wait = WAITS[Math.min(reading, WAITS.length - 1)] ?? LAUNCH_TIMEOUT;
    if (lost && !moved && asked >= LAUNCH_TIMEOUT) {
      const still = `the service still says "${live.word}"`;
      if (!sent.again || !(mayBePaused(live) || live.failed))
        return { ...concluded(sent, 'in_doubt', sent.detail, still), again: sent.again };
      const why = `as it does if the launch took effect and ${live.failed ? 'failed as before' : 'it was paused since'}`;
      return concluded(sent, 'in_doubt', sent.detail, `${still}, ${why}: it was not sent once more`);
    }
    const late = (moved || !lost) && tools.elapsed() - began + wait > LAUNCH_TIMEOUT;
    if (late || tools.stopping()) {
      const said =
        live.word === null
          ? 'the service shows no status (if it never does, write service: status: hidden in the project file)'
          : `the service says "${live.word}"`;
      const when = late ? 'after 60 s' : 'when the run was interrupted';
      return concluded(sent, 'in_doubt', sent.detail ?? 'the launch was accepted', `${when} ${said}`);
    }
    tools.emit({ type: 'waiting', campaign: context.spec.name, status: live.word });
    await tools.sleep(wait);
  }
}
