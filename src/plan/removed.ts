import equal from 'fast-deep-equal';
import type { Answer, ListedCampaign } from '../model/answer.js';
import { isSameName } from '../model/characters.js';
import type { Environment } from '../model/environment.js';
import { isObject } from '../model/json.js';
import type { CampaignPlan, Problem, RemovedCampaign, Step } from '../model/outputs.js';
import type { CampaignSpec } from '../model/spec.js';
import type { PendingOperations, StateEntry } from '../model/state.js';
import { listed } from '../model/words.js';
import { type CampaignContext, SECTIONS } from '../sections/index.js';
import { without } from '../sections/leads.js';
import { contradiction, HAS_RUN, liveStatus, meaningOf, status } from '../sections/status.js';
import { adoptHazard, strangerStatus } from './hazards.js';
import type { EntryLeads } from './holders.js';
import { attachedBy } from './lead-hazards.js';
import type { Match } from './match.js';
import { isMadeBy, reconcile, type Work } from './reconcile.js';

/**
 * The entries of the state whose campaigns no manifest of the project describes any more, renamed ones too, whether or not these are
 * still there. `matches` are those of all manifests: by name or id, an entry may be that of a manifest which is not planned now.
 */
export function removedEntries(entries: readonly StateEntry[], matches: readonly Match[]): StateEntry[] {
  // The plan of the campaign that replaces one has it.
  const claimed = new Set(matches.flatMap(({ id, predecessor }) => [id, predecessor?.id]));
  return entries.filter(({ id }) => !claimed.has(id));
}

/**
 * Where only some manifests are planned, removed campaigns are not told. One with the emails or some of the leads of a campaign that would
 * be created may be that campaign, whose manifest was moved and renamed at once.
 */
export function perhapsMoved(
  { id, spec, environment }: CampaignContext,
  steps: readonly Step[],
  { entries, replaced }: { entries: readonly EntryLeads[]; replaced: number | null },
): Problem[] {
  if (id !== null || steps.length === 0) return [];
  const sent = attachedBy(steps);
  const isAlike = ({ entry: { recorded }, leads }: EntryLeads) => {
    const emails = recorded.last?.spec.sequence?.steps;
    return (
      (emails !== undefined && equal(emails, spec.sequence?.steps)) || !equal(without(sent, leads), sent)
    );
  };
  const left = entries.filter(
    (one) =>
      one.spec === null &&
      one.entry.id !== replaced &&
      one.entry.recorded.superseded_by === undefined &&
      !one.isOutside &&
      one.listed !== null &&
      meaningOf(one.listed.status, environment.service.statuses) !== 'gone' &&
      isAlike(one),
  );
  if (left.length === 0) return [];
  const [which, has, it] =
    left.length === 1 ? ['Campaign', 'has', 'its own'] : ['Campaigns', 'have', 'that of one of them'];
  const told = left.map(({ entry }) => `${entry.id} ("${entry.name}", applied from ${entry.manifest})`);
  return [
    {
      code: 'perhaps-moved',
      severity: 'warning',
      message: `${which} ${listed(told, 3)} ${has} no manifest any more, and the same emails or leads. If this manifest is ${it}, moved and renamed, apply creates a second campaign beside it.`,
      hint: `Then pin it with id: ${left[0]?.entry.id ?? ''}, or write the old name. campaignctl plan without files and targets shows every campaign without a manifest.`,
    },
  ];
}

/** An entry without a manifest whose campaign is listed, and what the service shows of that. */
export interface RefreshedRemoval {
  entry: StateEntry;
  listed: ListedCampaign;
  /** Its record; null: not read, since the list shows it at rest. */
  answer: Answer | null;
  /** Its manifest is one of the project, and not among those of the environment. */
  outside: boolean;
}

/**
 * A removed campaign as the plan shows it, and the work behind it: none where it neither runs nor left anything open. `isTold`: false
 * of one at rest that was replaced, which is only left over.
 */
interface PlannedRemoval {
  campaign: RemovedCampaign;
  isTold: boolean;
  work: Work | null;
  problems: Problem[];
}

/**
 * What becomes of a campaign whose manifest was removed: nothing, or a pause if the environment asks for it; nothing of one whose
 * manifest is only not among those of the environment. One that is gone,
 * too, is not told, nor one at rest that was replaced: if that runs, it is paused whatever the environment asks for. The pause is planned as for a manifest that says `status: paused`, and is sent like any other step.
 */
export function planRemoval(
  { entry, listed, answer, outside }: RefreshedRemoval,
  { environment, pending: all }: { environment: Environment; pending: readonly PendingOperations[] },
  known: ReadonlyMap<number, unknown>,
): PlannedRemoval | null {
  const { id, manifest, recorded: before } = entry;
  // What was applied of it stays remembered: the manifest may come back.
  const spec: CampaignSpec = { ...before.last?.spec, name: entry.name, id, status: 'paused' };
  const campaign = { manifest, file: manifest, document: 0, spec, remarks: [] };
  // One that only the list has still: its row is all that is known.
  const answers = { campaign: answer?.none ? null : answer, schedule: null, sequence: null };
  const live = { environment, templates: null, spec, id, listed, answers, recorded: before };
  const shown = liveStatus(live);
  const gone = [shown.word, listed.status].some(
    (word) => meaningOf(word, environment.service.statuses) === 'gone',
  );
  const isLeft = answer?.none && listed.status === null;
  if (isLeft || (gone && !HAS_RUN.includes(shown.meaning))) return null;
  const pending = all.filter((one) =>
    one.id === null ? one.name === entry.name && one.manifest === manifest : one.id === id,
  );
  // What was sent for the manifest cannot be compared: nothing but the record of the campaign was read.
  const incomparable = pending.map((one) => ({ ...one, spec: '' }));
  const { context, problems } = reconcile(incomparable, live);
  // A run that asked for it without an answer may not have made it, and the token may show another workspace.
  const isNamed = isSameName(listed.name, entry.name);
  const isKnown = isNamed && (known.has(id) || isMadeBy(pending, id));
  const now = liveStatus(context);
  const { changes, steps, problems: told } = status.plan(context);
  const by = before.superseded_by;
  const isTold = by === undefined || steps.length > 0 || pending.length > 0;
  if (!isTold && !isNamed) return null;
  const isBelieved = now.believed || (now.meaning === 'unknown' && steps.length === 0);
  problems.push(...contradiction(context), ...told.filter(({ code }) => code === 'unknown-status'));
  // Another environment may have it now.
  const [pause = null] = (by !== undefined || environment.on_removal === 'pause') && !outside ? steps : [];
  const unlike = isNamed ? undefined : `The service calls campaign ${id} "${listed.name}" now`;
  if (pause !== null) problems.push(...adoptHazard([pause], strangerStatus(context, isKnown), unlike));
  const { name } = listed;
  const settings = SECTIONS.find((section) => section.name === 'settings')?.toManifest(context).section;
  const cap = isObject(settings) ? settings.max_emails_per_day : null;
  const plan: CampaignPlan = {
    ...{ manifest, name, id, problems: [], content: null, impact: null, last: null },
    action: pause === null ? 'none' : 'change',
    changes: pause === null ? [] : changes.map((change) => ({ ...change, origin: null })),
    steps: pause === null ? [] : [pause],
  };
  return {
    isTold,
    campaign: {
      ...{ id, name, manifest, outside, status: now.believed ? null : now.word, running: steps.length > 0 },
      basis: isBelieved ? 'believed' : now.meaning === 'unknown' ? 'unknown' : 'shown',
      ...{ max_emails_per_day: typeof cap === 'number' ? cap : null, step: pause },
      ...(by === undefined ? {} : { superseded_by: by }),
    },
    work:
      pause === null && pending.length === 0
        ? null
        : {
            ...{ campaign, context, succession: null, pending, isKnown, live: { status: shown }, plan },
            ...{ isMoved: false, resting: [], byHand: [], row: null },
          },
    problems: !isTold ? [] : problems.map((one) => ({ ...one, message: `"${entry.name}": ${one.message}` })),
  };
}
