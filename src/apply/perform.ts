import { Failure } from '../model/failure.js';
import { isObject } from '../model/json.js';
import type { StepResult } from '../model/outcome.js';
import type { Step } from '../model/step.js';
import { type Subject, showsEffect, showsNothing, totalLeads } from '../plan/index.js';
import { createdCampaign } from '../service/index.js';
import type { ApplyTools } from './apply.js';
import { awaitLaunch } from './launch.js';
import { lookFor, PATIENT, readAgain } from './readback.js';
import type { Underway } from './underway.js';

/**
 * What became of a request, and the campaign's id as far as it is known now. `again`: its answer was lost, and reading
 * shows that nothing has happened, or that doing it twice does no harm.
 */
export interface Performed {
  result: StepResult;
  detail: string | null;
  id: number | null;
  again: boolean;
}

/**
 * Sends one request. Whatever its answer leaves open is settled by reading; only where that shows that nothing has
 * happened is it sent once more, and never a third time. What cannot be settled stays in doubt.
 */
export async function perform(step: Step, campaign: Underway, tools: ApplyTools): Promise<Performed> {
  const first = await once(step, campaign, tools);
  if (!first.again || tools.stopping()) return first;
  const second = await once(step, campaign, tools);
  const story = (last: string | null) =>
    [`${first.detail}; it was sent once more`, last].filter((part) => part !== null).join('; ');
  if (second.result !== 'failed') return { ...second, detail: story(second.detail) };
  // The refusal may be the answer to what the first one did after all.
  const seen = await settled(step, campaign, { ...first, again: false }, tools);
  return seen.result === 'done' ? seen : { ...second, detail: story(second.detail) };
}

/** One request: noted, sent, settled, its outcome noted. What cannot be noted is not sent. */
async function once(step: Step, campaign: Underway, tools: ApplyTools): Promise<Performed> {
  const { manifest, journal, subject } = campaign;
  const { id, spec } = subject;
  const total_leads = step.aspect === 'leads' ? totalLeads(subject) : null;
  try {
    await journal.intend({ manifest, name: spec.name, id, step, total_leads });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { result: 'failed', detail: `it was not sent: ${error.message}`, id, again: false };
  }
  const ended = await settled(step, campaign, await send(step, campaign, tools), tools);
  const { result, detail } = ended;
  await journal.conclude({ manifest, step: step.id, id: ended.id, result, detail });
  return ended;
}

/** Settles what an answer leaves open; what then cannot be read stays in doubt. */
async function settled(
  step: Step,
  campaign: Underway,
  sent: Performed,
  tools: ApplyTools,
): Promise<Performed> {
  const { subject } = campaign;
  if (sent.result === 'failed' || sent.result === 'not_run') return sent;
  if (sent.result === 'done' && step.id !== 'launch') return sent;
  try {
    if (step.id === 'launch') return await awaitLaunch(sent, subject, tools);
    if (step.id === 'create') return await settleCreation(sent, { ...subject, id: sent.id }, tools);
    if (step.aspect === 'leads') return await settleAttachment(sent, subject, tools);
    return await settleByPlanning(step, sent, campaign, tools);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const reason = sent.detail ?? 'it was accepted';
    const detail = `${reason}; what came of it could not be read: ${error.message}`;
    return { ...sent, result: 'in_doubt', detail, again: false };
  }
}

/** A create answer that shows an id but not our name: whose id it is has to be seen before anything is written to it. */
const UNNAMED = 'the answer does not name the new campaign';

async function send(step: Step, { subject }: Underway, tools: ApplyTools): Promise<Performed> {
  const { id, spec } = subject;
  const { method, path, body } = step;
  const sent = await tools.service.send({ method, path, body }, tools.stop);
  const told = (result: StepResult, detail: string | null, of = id, again = false) => ({
    result,
    detail,
    id: of,
    again,
  });
  switch (sent.kind) {
    case 'refused':
      return told('failed', `the service refused it (HTTP ${sent.status}): ${sent.message}`);
    case 'unsent':
      return told(tools.stopping() ? 'not_run' : 'failed', `it was not sent: ${sent.message}`);
    case 'in_doubt':
      return told('in_doubt', sent.message, id, true);
    case 'accepted': {
      if (step.id !== 'create') return told('done', null);
      const created = createdCampaign(sent.body);
      if (created?.name === spec.name) return told('done', null, created.id);
      if (created !== null) return told('in_doubt', UNNAMED, created.id);
      return told('in_doubt', 'the answer holds no campaign id');
    }
  }
}

/**
 * A request of which the planner can see the effect. One that may do harm twice is sent again only if its effect has not
 * shown after several looks.
 */
async function settleByPlanning(
  step: Step,
  sent: Performed,
  { subject, planned }: Underway,
  tools: ApplyTools,
): Promise<Performed> {
  const before = planned.filter(({ aspect }) => aspect === step.aspect);
  let nothing = false;
  const effect = await lookFor({ subject, aspects: [step.aspect], tools, looks: PATIENT }, (seen) => {
    if (showsEffect(step, before, seen)) return true;
    nothing = !step.one_way || showsNothing(step, seen);
    return step.one_way ? null : false;
  });
  const [result, shown] =
    effect === true
      ? (['done', 'reading back shows that it took effect'] as const)
      : (['in_doubt', 'the service does not show its effect'] as const);
  const detail = `${sent.detail}; ${shown}`;
  return { ...sent, result, detail, again: sent.again && result === 'in_doubt' && nothing };
}

/** A campaign whose creation was not answered is found by its name, in a list that is complete or an error. */
async function settleCreation(sent: Performed, { spec, id }: Subject, tools: ApplyTools): Promise<Performed> {
  if (id !== null && (await isCalled(spec.name, id, tools)))
    return { ...sent, result: 'done', detail: null, again: false };
  const find = async () => (await tools.service.campaigns()).filter(({ name }) => name === spec.name);
  let listed = await find();
  for (const wait of PATIENT.slice(1)) {
    if (listed.length > 0 || tools.stopping()) break;
    await tools.sleep(wait);
    listed = await find();
  }
  const [only] = listed;
  if (only !== undefined && listed.length === 1) {
    const detail = `${sent.detail}; it is listed as campaign ${only.id}`;
    return { result: 'done', detail, id: only.id, again: false };
  }
  const seen =
    only === undefined ? 'none is' : `${listed.length} are (${listed.map(({ id }) => id).join(', ')})`;
  const detail = `${sent.detail}; of that name ${seen} listed`;
  return { result: 'in_doubt', detail, id: null, again: sent.again && only === undefined };
}

/** Whether the campaign with this id is there under this name; a service that shows no name has to be believed. */
async function isCalled(name: string, id: number, { service }: ApplyTools): Promise<boolean> {
  const { none, body } = await service.read('campaign', id);
  const shown = isObject(body) ? body.name : null;
  return !none && (typeof shown !== 'string' || shown.trim() === name);
}

/** What is attached cannot be read. It is sent again where that does no harm; the number of leads is only shown. */
async function settleAttachment(sent: Performed, subject: Subject, tools: ApplyTools): Promise<Performed> {
  const detail = `${sent.detail}; what is attached cannot be read`;
  if (sent.again && subject.environment.service.attach_repeat === 'safe') return { ...sent, detail };
  const before = totalLeads(subject);
  const now = totalLeads(await readAgain(subject, ['leads'], tools));
  const shown = now === null ? '' : `, total_leads is ${now}${before === null ? '' : ` and was ${before}`}`;
  return { ...sent, detail: `${detail}${shown}`, again: false };
}
