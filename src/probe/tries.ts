import type { Answer, ListedCampaign } from '../model/answer.js';
import { UnreadableAnswer } from '../model/failure.js';
import { isObject } from '../model/json.js';
import type { ProbeResult, ProbeSeen, Step } from '../model/outputs.js';
import { isScratch } from '../model/probe.js';
import { SECTIONS } from '../sections/index.js';
import { liveSequence } from '../sections/sequence.js';
import type { LiveSequence } from '../sections/sequence-diff.js';
import { readCampaign, type Sent } from '../service/index.js';
import {
  answerOf,
  emailsOf,
  finding,
  hasVariant,
  ofCreation,
  ofList,
  ofSchedule,
  ofSequence,
  ofSettings,
  ofStatus,
  ofTexts,
  short,
} from './findings.js';
import {
  create,
  emails,
  FIRST,
  LATER,
  REPLY,
  STARTS,
  schedule,
  variantById,
  variantByOrder,
} from './requests.js';
import { idIn, look, type ProbeRun, pathOf, readUntil, type Scratch, send, stoppedBy } from './scratch.js';

/** What a probe tries, each with what it found: a campaign, two schedules, a sequence and one more email, a variant in two ways. */

/** Makes a scratch campaign. It counts as there once the list has it, or its record, under its name. */
export async function make(name: string, run: ProbeRun, isFirst: boolean): Promise<Scratch> {
  const { sheet, tools } = run;
  const { service } = tools;
  const step = create(name);
  const entry: ProbeResult['campaigns'][number] = { id: null, name, made: 'perhaps' };
  sheet.campaigns.push(entry);
  const replaceEntry = (...by: ProbeResult['campaigns']) =>
    sheet.campaigns.splice(sheet.campaigns.indexOf(entry), 1, ...by);
  const sent = await send(step, { id: null, name }, run).catch((error: unknown) => {
    replaceEntry();
    throw error;
  });
  const seen = [{ request: `POST ${step.path} ${short(step.body)}`, answer: answerOf(sent) }];
  if (sent.kind === 'refused') {
    replaceEntry();
    throw stoppedBy(
      `The service refused to create a scratch campaign (HTTP ${sent.status}): ${sent.message}.`,
    );
  }
  const told = sent.kind === 'accepted' ? idIn(sent, run) : null;
  entry.id = told;
  const named = async () => (await service.campaigns()).filter((one) => one.name === name);
  const rows = await readUntil(named, (some) => some.length > 0, sent, run);
  const [row, ...twins] = rows;
  if (twins.length > 0) {
    replaceEntry(...rows.map(({ id }) => ({ id, name, made: 'yes' as const })));
    throw stoppedBy(`One request made ${rows.length} campaigns: ${rows.map(({ id }) => id).join(', ')}.`);
  }
  const id = row?.id ?? told;
  if (id === null)
    throw stoppedBy(
      `Whether "${name}" was made is not known: ${answerOf(sent)}, and the list does not show it. It was not sent again.`,
    );
  if (told !== null && told !== id)
    throw stoppedBy(`The answer calls the new campaign ${told}, and the list calls it ${id}.`);
  Object.assign(entry, { id, made: 'yes' });
  const scratch: Scratch = { name, id, steps: null };
  if (!isFirst) return scratch;
  sheet.found.push(ofCreation(sent, id, seen), ofList(await service.firstPage(), row !== undefined));
  const context = await readUntil(
    () => look(scratch, ['campaign'], run),
    (now) => now.answers?.campaign?.none === false,
    sent,
    run,
  );
  const answer = context.answers?.campaign;
  if (!answer || answer.none)
    throw stoppedBy(`The service does not show the record of campaign ${id}, which it has just made.`);
  const listed = await service.campaigns();
  const others = await readOthers(listed, run);
  sheet.found.push(ofSettings(context, answer), ...ofStatus(context, answer, { rows: listed, others }));
  return scratch;
}

/** Campaigns that no probe made, of which the records are read: the oldest have most likely been launched. */
const MOST_OTHERS = 3;

/** Their records, as far as they can be read. */
async function readOthers(listed: readonly ListedCampaign[], { tools }: ProbeRun): Promise<Answer[]> {
  const others = listed.filter(({ name }) => !isScratch(name)).sort((a, b) => a.id - b.id);
  const answers = others.slice(0, MOST_OTHERS).map(({ id }) =>
    readCampaign(tools.service, id, ['campaign']).then(
      ({ campaign }) => (campaign === null || campaign.none ? [] : [campaign]),
      (error: unknown) => {
        if (error instanceof UnreadableAnswer) return [];
        throw error;
      },
    ),
  );
  return (await Promise.all(answers)).flat();
}

export async function trySchedule(scratch: Scratch, run: ProbeRun): Promise<void> {
  const hours = SECTIONS.find(({ name }) => name === 'schedule');
  const read = async () => {
    const context = await look(scratch, ['schedule'], run);
    const section = hours?.toManifest(context).section ?? null;
    return isObject(section) && typeof section.start_time === 'string' ? section.start_time : null;
  };
  const seen: ProbeSeen[] = [];
  const post = async (which: keyof typeof STARTS) => {
    const step = schedule(which);
    const sent = await send(step, scratch, run);
    const start = await readUntil(read, (now) => now === STARTS[which] || sent.kind === 'refused', sent, run);
    const path = pathOf(step, scratch);
    seen.push(
      { request: `POST ${path}, start_time ${STARTS[which]}`, answer: answerOf(sent) },
      { request: `GET ${path}`, answer: start === null ? 'no schedule' : `start_time ${start}` },
    );
    return { sent, start };
  };
  if ((await post('first')).start !== STARTS.first) {
    const said = 'The first schedule was not taken, or is not shown.';
    run.sheet.found.push(finding('schedule_repost', null, said, seen));
    return;
  }
  const { sent, start } = await post('second');
  run.sheet.found.push(ofSchedule(sent, start, seen));
}

/** Posts emails, and reads until the sequence is as they should make it. Gives what was seen as well. */
async function post(
  step: Step,
  what: string,
  scratch: Scratch,
  enough: (live: LiveSequence) => boolean,
  run: ProbeRun,
): Promise<{ sent: Sent; live: LiveSequence; seen: ProbeSeen[] }> {
  const sent = await send(step, scratch, run);
  const read = async () => liveSequence(await look(scratch, ['sequence'], run));
  const live = await readUntil(read, (now) => enough(now) || sent.kind === 'refused', sent, run);
  const path = pathOf(step, scratch);
  const shown = live.steps.map(({ id, variants }, at) => {
    const others =
      variants.length === 0
        ? ''
        : ` with ${variants.length === 1 ? 'a variant' : `${variants.length} variants`}`;
    return `${emailsOf(live)[at]} (id ${id})${others}`;
  });
  const seen = [
    { request: `POST ${path}, ${what}`, answer: answerOf(sent) },
    { request: `GET ${path}`, answer: shown.join(', ') || 'no emails' },
  ];
  return { sent, live, seen };
}

/** Whether what the sequence holds is known by now: without that, nothing more is sent to it. */
export async function trySequence(scratch: Scratch, run: ProbeRun): Promise<boolean> {
  const { found } = run.sheet;
  const is = (live: LiveSequence, wanted: string) => emailsOf(live).join() === wanted;
  const base = emails('sequence', 'create a sequence of 2 emails', [FIRST, REPLY], 1);
  const made = await post(base, '2 emails', scratch, (live) => is(live, 'first,reply'), run);
  if (!is(made.live, 'first,reply')) {
    found.push(
      finding(
        'sequence_repost',
        null,
        'The service did not take the first emails, or does not show them as they were sent.',
        made.seen,
      ),
    );
    return false;
  }
  found.push(...ofTexts(made.live));
  const later = emails('sequence-again', 'post another email', [LATER], 3);
  const again = await post(later, '1 more email', scratch, (live) => !is(live, 'first,reply'), run);
  // What is on its way to a longer sequence may look like another one for a moment.
  await run.tools.sleep(500);
  const live = liveSequence(await look(scratch, ['sequence'], run));
  const told = is(live, emailsOf(again.live).join()) ? emailsOf(live) : [];
  const repost = ofSequence(again.sent, told, [...made.seen, ...again.seen]);
  found.push(repost);
  scratch.steps = live;
  return repost.value !== null;
}

/** Tries a variant by the id of its email. Without a finding, it was not taken so. */
export async function tryVariantById(scratch: Scratch, run: ProbeRun): Promise<void> {
  const { found } = run.sheet;
  const steps = scratch.steps?.steps ?? [];
  // Of a small id it could not be told whether it was taken for a position.
  const parent = steps.find(({ id }) => id > steps.length + 1);
  if (parent === undefined) {
    const said = 'The ids of the emails could be positions as well. Another probe makes others.';
    found.push(finding('variant_reference', null, said, []));
    return;
  }
  const isTaken = (live: LiveSequence) => hasVariant(live, parent.id, steps.length);
  const what = `a variant of id ${parent.id}`;
  const { sent, live, seen } = await post(variantById(parent.id), what, scratch, isTaken, run);
  if (isTaken(live))
    found.push(finding('variant_reference', 'step_id', 'A variant names its email by its id.', seen));
  else if (sent.kind === 'in_doubt')
    found.push(finding('variant_reference', null, 'The variant was not answered, and is not shown.', seen));
  else run.sheet.byId.push(...seen);
}

export async function tryVariantByOrder(scratch: Scratch, run: ProbeRun): Promise<void> {
  const isTaken = (live: LiveSequence) => hasVariant(live, null, 1);
  const what = '1 email and a variant of position 1';
  const { live, seen } = await post(variantByOrder(), what, scratch, isTaken, run);
  const [value, said] = isTaken(live)
    ? ['order', 'A variant names its email by its position in the same request.']
    : [null, 'A variant was taken neither by the id nor by the position of its email.'];
  run.sheet.found.push(finding('variant_reference', value, said, [...run.sheet.byId, ...seen]));
}
