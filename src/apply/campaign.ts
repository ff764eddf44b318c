import equal from 'fast-deep-equal';
import { Failure } from '../model/failure.js';
import { isObject, type JsonObject } from '../model/json.js';
import {
  type CampaignOutcome,
  type Change,
  isPauseOfReplaced,
  type SectionName,
  type Step,
  type StepOutcome,
  type StepResult,
} from '../model/outputs.js';
import { NO_LEADS } from '../model/state.js';
import { count, LEAD_DELAY } from '../model/words.js';
import {
  type CampaignContext,
  crossedOfMade,
  hasRun,
  isSeenAtRest,
  isUnmoved,
  lastAfter,
  liveStatus,
  readableSections,
  recordSent,
  recordShown,
  replan,
  seenNow,
  sendingStatus,
  sentLeads,
  settingsOfMade,
  showsSettings,
  strangerStatus,
  totalAfter,
  totalLeads,
  totalNow,
  unchangedSections,
  union,
  type Work,
  withoutPause,
  withPausedWord,
} from '../plan/index.js';
import { type Journal, moment } from '../state/index.js';
import { canMail, watch } from './guard.js';
import { type Beforehand, perform } from './perform.js';
import { READ_WAITS, readAgain, readUntil, remaining, withLaterLeads } from './readback.js';
import { againstBeginning, pauseReplaced } from './succession.js';
import { asFailure, type RunTools, sideBySide } from './tools.js';

/** What is known of a campaign now, and what became of its steps so far. After a failure, the steps left are only reported. */
export interface Progress {
  context: CampaignContext;
  outcomes: StepOutcome[];
  failed: boolean;
  /** As in `watch`. */
  seen: { at: number };
}

/** The outcome of a campaign with nothing to send. */
export function untouched({ plan }: Work): CampaignOutcome {
  const blocked = plan.problems.some(({ severity }) => severity === 'blocked');
  const { manifest, name, id } = plan;
  return {
    manifest,
    name,
    id,
    result: blocked ? 'blocked' : 'done',
    steps: [],
    remaining: blocked ? plan.changes.map(({ origin: _origin, ...change }) => change) : [],
  };
}

/** What all campaigns of a run share. */
interface ApplyRun {
  journal: Journal;
  beforehand: Beforehand;
  tools: RunTools;
}

function launchOf({ plan }: Pick<Work, 'plan'>): Step | undefined {
  return plan.steps.find(({ id }) => id === 'launch');
}

/** Sends the steps of one campaign in order, all but its launch. */
export async function sendSteps(work: Work, run: ApplyRun): Promise<Progress> {
  const launch = launchOf(work);
  const seen = { at: Number.NEGATIVE_INFINITY };
  const context = { ...work.context, recorded: recordShown(work.context) };
  let progress: Progress = { context, outcomes: [], failed: false, seen };
  for (const step of work.plan.steps) if (step !== launch) progress = await next(step, progress, work, run);
  return progress;
}

/** Whether this campaign is launched, now that its other steps were sent. */
export function isLaunchDue(work: Work, { failed }: Progress): boolean {
  return launchOf(work) !== undefined && !failed;
}

/** Reads back what the steps of one campaign changed, and only then launches. */
export async function concludeCampaign(work: Work, sent: Progress, run: ApplyRun): Promise<CampaignOutcome> {
  const { plan } = work;
  const launch = launchOf(work);
  const proof = await readBack(work, sent, run.tools);
  let progress = { ...proof.progress, context: await withTotal(work, proof, run.tools) };
  if (launch !== undefined)
    progress = withLaterLeads(await next(launch, progress, work, run), work, proof.seen);
  progress = await record({ ...progress, context: withLast(plan, progress, proof, run.tools) }, work, run);
  const before = untouched(work);
  const isSent = (name: SectionName) => plan.steps.some((step) => step !== launch && step.section === name);
  const left = before.remaining.filter(({ section }) => !isSent(section));
  return {
    ...before,
    id: progress.context.id,
    result: progress.failed ? 'incomplete' : before.result,
    steps: progress.outcomes,
    remaining: [...proof.remaining, ...left],
  };
}

/** One step: bound to what is known by now, sent, reconciled, remembered. */
async function next(step: Step, progress: Progress, work: Work, run: ApplyRun): Promise<Progress> {
  const { context, outcomes } = progress;
  const { tools } = run;
  if (progress.failed || tools.stopping()) {
    return { ...progress, outcomes: [...outcomes, outcome(step, 'not_run', null)], failed: true };
  }
  const told = { campaign: work.plan.name, step: step.id, title: step.title };
  tools.emit({ type: 'step-started', ...told });
  const ended = await attempt(step, progress, work, run);
  tools.emit({ type: 'step-ended', ...told, result: ended.outcome.result });
  const failed = ended.outcome.result !== 'done';
  return {
    ...progress,
    context: { ...context, ...ended.known },
    outcomes: [...outcomes, ended.outcome],
    failed,
  };
}

/** What the service showed before the first attachment of this run; after it, the number means something else. */
function leadsBefore({ plan, context }: Work, outcomes: readonly StepOutcome[]): number | null {
  const attached = new Set(plan.steps.filter(({ section }) => section === 'leads').map(({ id }) => id));
  if (outcomes.some(({ id }) => attached.has(id))) return null;
  return plan.id === null ? 0 : totalLeads(context);
}

async function attempt(
  step: Step,
  { context: before, outcomes, seen }: Progress,
  work: Work,
  { journal, beforehand, tools }: ApplyRun,
): Promise<{ outcome: StepOutcome; known: Pick<CampaignContext, 'id' | 'recorded' | 'answers'> }> {
  const unsent = (detail: string) => ({ outcome: outcome(step, 'failed', detail), known: before });
  if (isPauseOfReplaced(step)) {
    const { result, detail } = await pauseReplaced(step, work, { id: before.id, journal, beforehand, tools });
    return { outcome: outcome(step, result, detail), known: before };
  }
  const early = outcomes.length === 0 ? await againstBeginning(work, tools).catch(asFailure) : null;
  if (early !== null) return unsent(`it was not sent: ${early instanceof Failure ? early.message : early}`);
  const context = await withMade(before, work, needsMade(step), tools).catch(asFailure);
  if (context instanceof Failure) return unsent(`it was not sent: ${context.message}`);
  const { recorded } = context;
  const guarded = { step, work, context, outcomes, seen, beforehand };
  const watched = await watch(guarded, tools).catch(asFailure);
  if (watched instanceof Failure) return unsent(`it was not sent: ${watched.message}`);
  const { refused, again, guard } = watched;
  if (refused !== null) return unsent(`it was not sent: ${refused}`);
  const bound = await bind(step, context, work, tools).catch(asFailure);
  if (bound instanceof Failure) return unsent(bound.message);
  const { manifest, changes: planned } = work.plan;
  const leads = leadsBefore(work, outcomes);
  const underway = { manifest, context, planned, journal, beforehand, leads, again, guard };
  const { result, detail, id, answers = context.answers } = await perform(bound, underway, tools);
  const sent = { step: bound, total_leads: leads };
  const hasEffect = result === 'done' || result === 'in_doubt';
  const now = hasEffect ? recordSent(recorded, sent, result, context) : recorded;
  const known = { ...context, id, answers, recorded: now };
  const ended = { outcome: outcome(bound, result, detail), known };
  if (step.id !== 'create' || result !== 'done') return ended;
  seen.at = tools.elapsed();
  // What cannot be read now, also by its form, is read again before the first step that needs it, and holds that back.
  const made = await withMade(known, work, work.plan.steps.some(needsMade), tools).catch(asFailure);
  return made instanceof Failure ? ended : { ...ended, known: made };
}

/** Whether a step to a new campaign depends on how the service made it: on the settings, or on whether it sends. */
function needsMade(step: Step): boolean {
  return step.id === 'settings' || canMail(step);
}

/** A new campaign as the service made it, read once. It may not be there yet, or without its settings, or on its way to rest. */
async function withMade(
  context: CampaignContext,
  { plan }: Work,
  isNeeded: boolean,
  tools: RunTools,
): Promise<CampaignContext> {
  if (plan.id !== null || context.id === null || context.answers !== null || !isNeeded) return context;
  const mails = plan.steps.some(canMail);
  let made: CampaignContext | null = null;
  await readUntil({ context, sections: ['campaign'], tools, waits: READ_WAITS }, (now) => {
    if (now.answers?.campaign?.none !== false) return null;
    const status = sendingStatus(now);
    made = now;
    const isSettled = !mails || status === null || status.word === null;
    return isSettled && (context.spec.settings === undefined || showsSettings(now)) ? true : null;
  });
  if (made !== null) return made;
  const message = `The service does not show campaign ${context.id}, which it has just made.`;
  throw new Failure({ code: 'made-not-shown', message, hint: 'Plan again once it does.' });
}

/**
 * Writes the state entry. The next run then need not reconcile this campaign, unless something is still in doubt. A state
 * that cannot be written is told at the last step.
 */
async function record(progress: Progress, work: Work, { journal, tools }: ApplyRun): Promise<Progress> {
  const { context, outcomes, failed } = progress;
  const { id, spec } = context;
  const { manifest } = work.plan;
  // Once the run that made a campaign is through, its settings may be changed elsewhere: they are not defaults for sure.
  const at_defaults = failed && context.recorded.at_defaults;
  // The list was read before: what it shows of what was sent, the next run finds out.
  const recorded = { ...context.recorded, at_defaults, has_run: hasRun(context), seen: null };
  try {
    if (id !== null) await tools.store.save({ id, manifest, name: spec.name, recorded });
    // What was accepted and not read back may show later: the next run has to wait for it.
    const proven = outcomes.some(({ id: of, result }) => of === READ_BACK.id && result === 'done');
    if (proven && outcomes.every(({ result }) => result !== 'in_doubt'))
      journal.reconciled({ manifest, name: spec.name });
    return progress;
  } catch (error) {
    const { message } = asFailure(error);
    const told = outcomes.map((one, index) =>
      index === outcomes.length - 1
        ? { ...one, detail: [one.detail, message].filter(Boolean).join('; ') }
        : one,
    );
    return { ...progress, outcomes: told, failed: true };
  }
}

/** What reading showed (`seen`; null: nothing): where the service still differs, and which sections are as the manifest says. */
interface Proof {
  progress: Progress;
  seen: CampaignContext | null;
  remaining: Change[];
  proven: SectionName[];
}

/**
 * Proves by reading that the service shows what was sent; before a launch, everything that the manifest manages. An
 * answer of 200 is no proof.
 */
async function readBack({ plan }: Work, progress: Progress, tools: RunTools): Promise<Proof> {
  const { context, outcomes } = progress;
  const launches = plan.steps.some(({ id }) => id === 'launch');
  const sent = plan.steps.filter(({ id }) => id !== 'launch').map(({ section }) => section);
  // No request says in which status a campaign is made.
  const isMadePaused = plan.id === null && context.spec.status === 'paused';
  const managed = launches ? readableSections(context) : isMadePaused ? (['status'] as const) : [];
  const sections = [...new Set<SectionName>([...managed, ...sent])];
  const told = (result: StepResult, detail: string | null, proof: Omit<Proof, 'progress'>) => ({
    progress: {
      ...progress,
      context: { ...context, recorded: proof.seen === null ? context.recorded : withWord(proof.seen) },
      outcomes: [...outcomes, { ...READ_BACK, result, detail }],
      failed: result !== 'done',
    },
    ...proof,
  });
  const withWord = (seen: CampaignContext) => {
    if (unmoved(plan, seen) !== null) return withoutPause(context.recorded);
    return sections.includes('status') ? withPausedWord(seen) : context.recorded;
  };
  const nothing = { seen: null, remaining: [], proven: [] };
  if (progress.failed || tools.stopping()) return told('not_run', null, nothing);
  try {
    const hasMoved = (now: CampaignContext) => unmoved(plan, now) === null;
    const { changes, seen } = await remaining(context, sections, tools, hasMoved);
    const proven = sections.filter((name) => changes.every(({ section }) => section !== name));
    const proof = { seen, remaining: changes, proven };
    const details = [pauseNow(plan, seen), leadsNow(plan, seen)].filter((one) => one !== null);
    const still = unmoved(plan, seen);
    if (changes.length === 0 && still !== null) return told('failed', still, proof);
    if (changes.length === 0) return told('done', details.join('; ') || null, proof);
    return told('failed', 'the service answered every request as done, but shows something else', proof);
  } catch (error) {
    return told('failed', asFailure(error).message, nothing);
  }
}

/** A pause after which a word that is not known is still the one from before may have had no effect; null if it is not so. */
function unmoved({ steps, changes }: Work['plan'], seen: CampaignContext): string | null {
  const isPaused = steps.some(({ id }) => id === 'pause');
  if (!isPaused || !isUnmoved(changes, seen)) return null;
  const { word } = liveStatus(seen);
  return word === null
    ? 'the service accepted the pause and shows no status: look in its web app whether the campaign rests; if it never shows one, write status: hidden under service in the project file'
    : `the service accepted the pause and still shows "${word}", which is not a known status: look in its web app whether the campaign rests, and say under service.statuses in the project file what the word means`;
}

/** A pause is seen nowhere where the service shows no status, or a word that is not known. */
function pauseNow({ steps }: Work['plan'], seen: CampaignContext): string | null {
  const { word, meaning, believed } = liveStatus(seen);
  if (steps.every(({ id }) => id !== 'pause') || (!believed && meaning !== 'unknown')) return null;
  const shown = believed || word === null ? 'no status' : `"${word}", which is not a known status`;
  return `the service shows ${shown}: the pause is believed, not seen`;
}

/** The service never shows what is attached. It may show how many leads there are, which helps if you know the lists. */
function leadsNow({ id, steps }: Work['plan'], seen: CampaignContext): string | null {
  if (steps.every(({ section }) => section !== 'leads')) return null;
  const total = totalLeads(seen);
  const { lists, ids } = steps.map(sentLeads).reduce(union);
  // Of a new campaign it is known how many there should be, unless a list was attached.
  const few = id === null && lists.length === 0 && total !== null && total < ids.length;
  const shown =
    total === null
      ? null
      : `the service shows ${few ? `${total} of ${count(ids.length, 'lead')}` : count(total, 'lead')}`;
  const status = sendingStatus(seen);
  if (status === null) return shown;
  return shown === null ? LEAD_DELAY : `${shown}; ${LEAD_DELAY}`;
}

/** Remembers how many leads there are: once some were attached, the number is read even where the run has failed. */
async function withTotal(
  { plan, context: planned }: Work,
  { progress: { context, outcomes }, seen }: Pick<Proof, 'progress' | 'seen'>,
  tools: RunTools,
): Promise<CampaignContext> {
  const { recorded } = context;
  const asked = new Set(plan.steps.filter(({ section }) => section === 'leads').map(({ id }) => id));
  const sent = outcomes.filter(
    ({ id, result }) => asked.has(id) && (result === 'done' || result === 'in_doubt'),
  );
  if (sent.length === 0) return { ...context, recorded: totalNow(recorded, totalLeads(planned)) };
  const read = tools.stopping() ? null : () => readAgain(context, ['leads'], tools).catch(() => null);
  const shown = seen ?? (await read?.()) ?? null;
  const [was, total] = [totalLeads(planned), shown === null ? null : totalLeads(shown)];
  // What is in doubt explains nothing. More than the state explained was accepted.
  const isDone = (step: Step) => sent.some(({ id, result }) => id === step.id && result === 'done');
  const done = plan.steps.filter(isDone).map(sentLeads).reduce(union, NO_LEADS);
  const before = { ...totalNow(planned.recorded, was), total_leads: was ?? recorded.total_leads };
  // What could not be read says nothing against what was seen before.
  const isShown = shown?.answers?.campaign?.none === false;
  const rests = isSeenAtRest(isShown ? shown : plan.id === null ? context : planned);
  const told = { before, total, rests, sent: done, at: moment() };
  return { ...context, recorded: totalAfter(recorded, told) };
}

const READ_BACK = { id: 'read-back', title: 'read back', method: 'GET', path: '' };

function outcome(step: Step, result: StepResult, detail: string | null): StepOutcome {
  const { id, title, method, path } = step;
  return { id, title, method, path, result, detail };
}

/**
 * Fills in what was not known when the step was planned: the campaign's id, the settings with which the service makes a campaign, and
 * the ids of base steps. For those it is planned again: the step is sent only if the new plan asks for just this step.
 */
async function bind(step: Step, context: CampaignContext, { plan }: Work, tools: RunTools): Promise<Step> {
  const addressed = { ...step, path: step.path.replace('{campaign_id}', String(context.id)) };
  // A path with a place for the id is of a campaign that this run has made.
  if (step.id === 'settings' && addressed.path !== step.path) {
    const crossed = crossedOfMade(context);
    if (crossed !== null && plan.problems.every(({ code }) => code !== crossed.code)) {
      const message = `it was not sent: ${crossed.message} The plan could not know it. ${crossed.hint} To send it as it is, apply again.`;
      throw new Failure({ ...crossed, message });
    }
    return { ...addressed, body: settingsOfMade(context) };
  }
  if (!hasPlaceholder(step.body)) return addressed;
  const readBack = { context, sections: [step.section], tools, waits: READ_WAITS };
  const bound = await readUntil(readBack, (seen) => {
    const [same, ...others] = replan(seen, [step.section]).steps;
    return same?.id === step.id && others.length === 0 ? same : null;
  });
  if (bound !== null) return bound;
  throw new Failure({
    code: 'base-steps-differ',
    message:
      'The service does not show the base steps as apply sent them, so apply did not send the variants.',
    hint: 'Plan again to see the difference.',
  });
}

/** A step's id is a number; its placeholder `{step N}` a text. */
function hasPlaceholder(body: JsonObject | null): boolean {
  const list = body?.sequence_steps;
  return (
    Array.isArray(list) && list.some((step) => isObject(step) && typeof step.variant_from_step === 'string')
  );
}

/** The campaign with what is as its manifest says, by reading or because its launch was seen, as last applied. */
function withLast(
  plan: Work['plan'],
  { context, outcomes }: Progress,
  { remaining, proven }: Pick<Proof, 'remaining' | 'proven'>,
  { now }: Pick<RunTools, 'now'>,
): CampaignContext {
  const { spec, recorded } = context;
  const launched = outcomes.some(({ id, result }) => id === 'launch' && result === 'done');
  const isLeft = (name: SectionName) => remaining.some(({ section }) => section === name);
  const unchanged = unchangedSections(plan).filter((name) => !isLeft(name));
  const seen: SectionName[] = launched ? [...proven, 'status'] : proven;
  const at = new Date(now()).toISOString();
  const last = lastAfter(recorded.last, spec, { proven: [...unchanged, ...seen], sent: seen.length > 0, at });
  return { ...context, recorded: { ...recorded, last } };
}

/**
 * Remembers of campaigns with nothing to send what of them is as the manifest says: it counts as applied. Written only if that
 * is news, and never for a campaign that may be someone else's, or of which a hazard speaks: it may not be the one that is meant.
 */
export async function recordUnchanged(
  works: readonly Work[],
  tools: RunTools,
  read: Parameters<typeof seenNow>[1],
): Promise<void> {
  const { store, parallelism, emit } = tools;
  const at = new Date(tools.now()).toISOString();
  const isUnchanged = ({ context, isKnown, plan: { action, steps, problems } }: Work) =>
    action !== 'not_read' &&
    strangerStatus(context, isKnown) === null &&
    steps.length === 0 &&
    problems.every(({ severity }) => severity !== 'hazard');
  const record = async (work: Work) => {
    const { plan, context } = work;
    const { id, spec, recorded } = context;
    const last = lastAfter(recorded.last, spec, { proven: unchangedSections(plan), sent: false, at });
    const shown = { ...context, recorded: recordShown(context) };
    const counted = totalNow(withPausedWord(shown), totalLeads(context));
    const now = { ...counted, has_run: hasRun(context), last, seen: seenNow(work, read) };
    // A manifest that is renamed next is told by the file that its entry names.
    const isNews = work.isMoved || !equal(last === null ? counted : now, recorded);
    if (id === null || !isNews || tools.stopping()) return;
    const entry = { id, manifest: plan.manifest, name: spec.name };
    await store.save({ ...entry, recorded: now });
  };
  await sideBySide(works.filter(isUnchanged), parallelism, record).catch((error) => {
    emit({ type: 'trouble', message: asFailure(error).message });
  });
}
