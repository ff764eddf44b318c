import { Failure } from '../model/failure.js';
import { isObject } from '../model/json.js';
import type { StepResult } from '../model/outcome.js';
import type { Step } from '../model/step.js';
import { remember, replan, type Subject } from '../plan/index.js';
import { createdCampaign } from '../service/index.js';
import type { ApplyTools } from './apply.js';
import { awaitLaunch } from './launch.js';
import { lookFor } from './readback.js';

/** What became of a request, and the campaign's id as far as it is known now. */
export interface Performed {
  result: StepResult;
  detail: string | null;
  id: number | null;
}

/**
 * Sends one request, once. Whatever its answer leaves open is settled by reading; where that fails too, the request
 * stays in doubt.
 */
export async function perform(step: Step, subject: Subject, tools: ApplyTools): Promise<Performed> {
  const sent = await send(step, subject, tools);
  if (sent.result === 'done' && step.id !== 'launch') return sent;
  if (sent.result === 'failed') return sent;
  try {
    return step.id === 'launch'
      ? await awaitLaunch(sent, subject, tools)
      : await settle(step, subject, sent, tools);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const reason = sent.detail ?? 'it was accepted';
    return {
      ...sent,
      result: 'in_doubt',
      detail: `${reason}; what came of it could not be read: ${error.message}`,
    };
  }
}

/** A create answer that shows an id but not our name: whose id it is has to be seen before anything is written to it. */
const UNNAMED = 'the answer does not name the new campaign';

async function send(step: Step, { id, spec }: Subject, tools: ApplyTools): Promise<Performed> {
  const sent = await tools.service.send({ method: step.method, path: step.path, body: step.body });
  switch (sent.kind) {
    case 'refused':
      return {
        result: 'failed',
        detail: `the service refused it (HTTP ${sent.status}): ${sent.message}`,
        id,
      };
    case 'unsent':
      return { result: 'failed', detail: `it was not sent: ${sent.message}`, id };
    case 'in_doubt':
      return { result: 'in_doubt', detail: sent.message, id };
    case 'accepted': {
      if (step.id !== 'create') return { result: 'done', detail: null, id };
      const created = createdCampaign(sent.body);
      if (created?.name === spec.name) return { result: 'done', detail: null, id: created.id };
      if (created !== null) return { result: 'in_doubt', detail: UNNAMED, id: created.id };
      return { result: 'in_doubt', detail: 'the answer holds no campaign id', id };
    }
  }
}

/** Settles a request of unknown outcome by reading, never by sending it again. */
async function settle(step: Step, subject: Subject, sent: Performed, tools: ApplyTools): Promise<Performed> {
  const { id } = subject;
  const reason = sent.detail ?? '';
  if (step.id === 'create') return settleCreation({ ...subject, id: sent.id }, reason, tools);
  if (step.aspect === 'leads') {
    return { result: 'in_doubt', detail: `${reason}; what is attached cannot be read`, id };
  }
  const shown = await lookFor({ subject, aspects: [step.aspect], tools }, (seen) =>
    showsEffect(step, subject, seen) ? true : null,
  );
  if (shown === null)
    return { result: 'in_doubt', detail: `${reason}; the service does not show its effect`, id };
  return { result: 'done', detail: `${reason}; reading back shows that it took effect`, id };
}

/**
 * Whether the service shows what the step was to do: it is no longer asked for, or, where part of it is never shown,
 * all that can be seen of it is there and was not before.
 */
function showsEffect(step: Step, before: Subject, seen: Subject): boolean {
  const asked = (subject: Subject) => replan(subject, [step.aspect]);
  const isAsked = (subject: Subject) => asked(subject).steps.some(({ id }) => id === step.id);
  if (!isAsked(seen)) return true;
  const assumed = { ...seen, memory: remember(seen.memory, step, 'done') };
  return !isAsked(assumed) && asked(seen).changes.length < asked(before).changes.length;
}

/** A campaign whose creation was not answered is found by its name, in a list that is complete or an error. */
async function settleCreation({ spec, id }: Subject, reason: string, tools: ApplyTools): Promise<Performed> {
  if (id !== null && (await isCalled(spec.name, id, tools))) return { result: 'done', detail: null, id };
  const listed = (await tools.service.campaigns()).filter(({ name }) => name === spec.name);
  const [only] = listed;
  if (only !== undefined && listed.length === 1) {
    return { result: 'done', detail: `${reason}; it is listed as campaign ${only.id}`, id: only.id };
  }
  const seen =
    only === undefined ? 'none is' : `${listed.length} are (${listed.map(({ id }) => id).join(', ')})`;
  return { result: 'in_doubt', detail: `${reason}; of that name ${seen} listed`, id: null };
}

/** Whether the campaign with this id is there under this name; a service that shows no name has to be believed. */
async function isCalled(name: string, id: number, { service }: ApplyTools): Promise<boolean> {
  const { none, body } = await service.read('campaign', id);
  const shown = isObject(body) ? body.name : null;
  return !none && (typeof shown !== 'string' || shown.trim() === name);
}
