/** What is looked at again before a write, and while it waits: whether the campaign is still as it was when the write was planned. */
import type { CampaignOutcome, SectionName, Step } from '../model/outputs.js';
import { listed as inOneLine } from '../model/words.js';
import {
  type CampaignContext,
  campaignThat,
  howToDeclare,
  type LiveStatus,
  sendingStatus,
  setBack,
  showsNothing,
  strangerStatus,
  type Work,
} from '../plan/index.js';
import type { WriteGuard } from '../service/index.js';
import { againstCreation, againstHolding, againstOthers, againstStatus } from './gate.js';
import type { Beforehand } from './perform.js';
import { READ_WAITS, readAgain, readUntil } from './readback.js';
import { againstLaunchBeside } from './succession.js';
import type { LookTools, RunTools } from './tools.js';

/**
 * Milliseconds for which a look holds: a write that leaves later, after a wait of any kind, needs another one. A second, since a write
 * may be as long on its way and in line behind others of a busy run: a shorter bound reads more and still leaves that gap.
 */
const HOLDS = 1_000;

/** A campaign whose step is next. */
interface Guarded {
  step: Step;
  work: Work;
  context: CampaignContext;
  outcomes: CampaignOutcome['steps'];
  /** When it was last seen that nothing speaks against writing to it, by the clock that only grows: looks set it. */
  seen: { at: number };
  beforehand: Beforehand;
}

/** What speaks against sending one step; null if nothing does. */
interface Watch {
  /** Found before it is sent, after waiting for what shows late. Nothing was read where the plan, or this run, has just seen it. */
  refused: string | null;
  /** Before it is sent once more. */
  again(): Promise<string | null>;
  /** In its turn, right before it leaves. */
  guard: WriteGuard;
}

/** One reading of the record; `waits`: before each reading of what may show late; `rows` as in `readAgain`. */
type LookAgain = (tools: LookTools, waits: readonly number[], rows: number | null) => Promise<string | null>;

/** Failure if what the campaign shows cannot be read. */
export async function watch(guarded: Guarded, tools: RunTools): Promise<Watch> {
  const { step, work, context, seen, beforehand } = guarded;
  if (step.id === 'create') return watchCreation(guarded, tools);
  const isLaunch = step.id === 'launch';
  const made = work.plan.id === null && canMail(step) ? madeSending(context) : null;
  const against = isLaunch ? againstLaunching(guarded) : againstSending(guarded);
  const isHeld = (isLaunch || step.section === 'leads') && work.resting.length > 0;
  // The list is read for a launch, as that of its name is, and after a wait: not for each write of a busy run.
  const look = async (by: LookTools, waits: readonly number[], isLate: boolean) => {
    const began = tools.elapsed();
    const rows = isLate ? seen.at : isLaunch ? 0 : null;
    const refused =
      (rows !== null && isHeld ? await againstHolding(work, by, rows) : null) ??
      (await against?.look(by, waits, rows)) ??
      null;
    if (refused === null) seen.at = began;
    return refused;
  };
  // One that makes a campaign of the name later finds this one: names need not be compared again while a launch waits.
  const inLine = async (waits: readonly number[], isLate: boolean) =>
    (isLaunch ? await againstOthers(context, beforehand.ours, tools) : null) ??
    (await look(tools, waits, isLate));
  const settingBack = againstSettingBack(guarded, tools);
  return {
    refused: made ?? (against?.always ? await inLine(READ_WAITS, false) : null),
    again: async () => (await inLine([0], true)) ?? (await settingBack(-1)),
    async guard(service) {
      const isSeen = (against === null && !isHeld) || tools.elapsed() - seen.at <= HOLDS;
      const refused = isSeen ? null : await look({ ...tools, service }, [0], true);
      return refused ?? (await settingBack(HOLDS, { service }));
    },
  };
}

/** What was changed since the plan, and the request would set back without a word of it in the plan: it sets more than what differs. */
function againstSettingBack({ step, work: { plan }, context, seen }: Guarded, tools: RunTools) {
  const { elapsed } = tools;
  const isWhole = plan.changes.some(({ section, path }) => section === step.section && path === '');
  const isPart = step.id === 'settings' || (step.id === 'schedule' && !isWhole);
  let at = plan.id === null ? seen.at : Number.NEGATIVE_INFINITY;
  return async (holds: number, { service }: Pick<LookTools, 'service'> = tools): Promise<string | null> => {
    if (!isPart || elapsed() - at <= holds) return null;
    const began = elapsed();
    const now = await readAgain(context, [step.section], { ...tools, service });
    at = began;
    const fields = now.answers?.campaign?.none ? [] : setBack(step, context, now, plan.changes);
    if (fields.length === 0) return null;
    const names = inOneLine(fields.map((field) => `${step.section}.${field}`));
    const then = plan.id === null ? 'the campaign was created' : 'the plan';
    return `${names} changed in the service since ${then}, and the request would set that back. Plan again to see it`;
  };
}

/** That the name is still free was seen when this was planned: a creation that then waits, or is sent once more, looks again. */
function watchCreation({ context, beforehand }: Guarded, { elapsed, list }: RunTools): Watch {
  let left = elapsed();
  return {
    refused: null,
    // Reading has just shown that there is none.
    again: async () => null,
    async guard(service) {
      const isFresh = elapsed() - left <= HOLDS;
      const against = isFresh ? null : againstCreation(context, beforehand, await list(left, service));
      left = elapsed();
      return against;
    },
  };
}

/** What may speak against a step, and whether it is `always` looked for before it is sent. */
interface Against {
  look: LookAgain;
  always: boolean;
}

/** A launch is compared with the plan, also that of a campaign of ours. */
function againstLaunching({ work, context }: Guarded): Against {
  return {
    always: true,
    look: async (tools, _, rows) =>
      (await againstStatus(work, context, tools, rows)) ?? (await againstLaunchBeside(work, tools)),
  };
}

/** Whether people may be mailed because of this step. */
export function canMail({ id, section }: Step): boolean {
  return section === 'leads' || section === 'sequence' || id === 'launch';
}

/** What speaks against sending anything that mails to a new campaign: it is not known to rest, as it was read once it was made. */
function madeSending(context: CampaignContext): string | null {
  const status = sendingStatus(context);
  if (status === null) return null;
  return `the service made it as ${campaignThat(status)}. Plan again to see what needs approval${howToDeclare(status)}`;
}

/** Null where a campaign that sends by now would make no difference: it was planned as one. */
function againstSending({ step, work, context, outcomes }: Guarded): Against | null {
  const { plan, isKnown } = work;
  const isAdopted = plan.problems.some(({ code }) => code === 'adopt');
  const isStrange = !isKnown && plan.id !== null && !isAdopted;
  const paused = outcomes.some(({ id }) => id === 'pause');
  const rests = canMail(step) && (paused || sendingStatus(work.context) === null);
  if (context.id === null || (!isStrange && !rests)) return null;
  return {
    always: plan.id !== null,
    async look(tools, waits, rows) {
      let [now, status] = [context, sendingStatus(context)];
      const sections: SectionName[] = step.id === 'sequence' ? ['campaign', 'sequence'] : ['campaign'];
      const readBack = { context, sections, tools, rows };
      await readUntil({ ...readBack, waits: paused && rests ? waits : [0] }, (shown) => {
        now = shown;
        status = sendingStatus(shown);
        return status === null ? true : null;
      });
      const stranger = isStrange ? sendsForOthers(now) : null;
      if (stranger !== null) return stranger;
      // A second one would be added to it, or take its place.
      if (step.id === 'sequence' && !showsNothing(step, now))
        return 'its sequence is another now than when this was planned: it was changed outside this run';
      if (!rests || status === null) return null;
      if (paused) return `the service accepted the pause, but this is still ${campaignThat(status)}`;
      return sendsNow(status, plan.id === null ? 'it was created' : 'this was planned');
    },
  };
}

function sendsNow(status: LiveStatus, then: string): string {
  return `it is ${campaignThat(status)} now, which it was not when ${then}`;
}

/** What speaks against a request to a campaign that the state did not know when the run began: it sends now, and did not then. */
function sendsForOthers(seen: CampaignContext): string | null {
  const status = strangerStatus(seen, false);
  return (
    status &&
    `${sendsNow(status, 'this was planned')}, and the state does not know it: it may be someone else's`
  );
}
