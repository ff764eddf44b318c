/**
 * Compares requests with what was shown and approved. It sees only the service, the manifests and the output, and does not
 * use the planner.
 */

import type { Hazard } from '../../../src/model/codes.js';
import { otherCampaigns, type Plan } from '../../../src/model/outputs.js';
import type { Recorded } from '../../support/service/service.js';
import { showsStatus, showsTotals } from '../../support/service/shape.js';
import { leadsOf, type StoredCampaign } from '../../support/service/store.js';
import type { Scenario, Written } from './draws.js';
import { type Ran, writesOf } from './runs.js';
import { EMAILS, keysOf, type Scene, SENDING, STRANGER, VARIANT } from './slips.js';

/** Throws at the first violation. */
export function observe(ran: Ran, scene: Scene): void {
  const { slip, shown, ended } = ran;
  const { service } = scene;
  const sent = writesOf(ran);
  const fail = (what: string) => {
    throw new Error([what, ...storyOf(ran, scene)].join('\n'));
  };
  const hold = (fact: boolean, what: string) => fact || fail(what);

  const early = writesOf({ requests: ran.requests.slice(0, ran.from) });
  hold(early.length === 0, 'something was sent before it was said');
  if (ended.result === 'refused') hold(sent.length === 0, 'something was sent by a run that refused');
  if (shown === null) hold(sent.length === 0, 'something was sent and nothing was shown');
  else holdShown(shown, sent, scene, hold);
  for (const write of sent) holdAllowed(write, ran, scene, hold);
  const names = service.store.campaigns.map(({ name }) => name);
  hold(new Set(names).size === names.length, 'there are two campaigns of one name');
  if (ended.result === 'done') holdDone(ran, scene, hold);
  if (ended.result === 'done' && sent.length === 0 && slip.only === null) holdRest(ran, scene, hold);
  note(ran, scene);
}

function storyOf({ slip, shown, ended, before, hands, requests }: Ran, { written }: Scene): string[] {
  const brief = (list: readonly unknown[]) => `${list.slice(0, 9)}${list.length > 9 ? ' …' : ''}`;
  const campaign = ({ id, name, status, lists, leads }: StoredCampaign) =>
    `${id} ${name} ${status}, lists ${brief(lists)}, leads ${brief(leads)}`;
  return [
    `run: ${JSON.stringify({ ...slip, faults: slip.faults.length })}, ended: ${ended.said}`,
    ...written.map((each) => `manifest: ${JSON.stringify({ ...each, ids: brief(each.ids) })}`),
    ...before.map((other) => `before: ${campaign(other)}`),
    ...(shown?.campaigns ?? []).map(
      ({ name, steps, problems }) =>
        `plan: ${name}: ${steps.map(({ id }) => id)}; ${problems.map(({ code }) => code)}`,
    ),
    ...hands.map(({ id, before: at }) => `by hand: ${id} before request ${at}`),
    ...requests.map(({ method, path, body, status, effect, found: match }, at) =>
      method === 'GET'
        ? `${at}: GET ${path} ${status}`
        : `${at}: ${method} ${path} ${JSON.stringify(body)?.slice(0, 120)} ${status} ${effect} of ${match && campaign(match)}`,
    ),
  ];
}

function note(ran: Ran, scene: Scene): void {
  const { slip, ended, before, hands } = ran;
  const { service, drawn, mailed } = scene;
  const { checkout } = slip;
  const sent = writesOf(ran);
  for (const { path, body, found: match } of sent) {
    if (!path.includes('/attach-') || match === null) continue;
    for (const key of refillsOf(body, match, ran))
      scene.refilled.set(key, scene.refilled.get(key) === true || ended.result === 'done');
    const live = service.store.campaigns.find(({ id }) => id === match.id);
    const isSeen = ended.result === 'done' && drawn.lag === 0 && !mailed.has(match.id);
    const key = `${checkout} ${match.id}`;
    if (isSeen && live) scene.looked.set(key, leadsOf(live));
    else scene.looked.delete(key);
  }
  for (const { effect, found: hit } of sent) {
    const created = madeId(effect);
    if (created !== null || hit !== null) scene.ours.add(`${checkout} ${created ?? hit?.id}`);
    if (effect === 'resumed' && hit)
      mailed.set(hit.id, new Set([...(mailed.get(hit.id) ?? []), ...keysOf(hit)]));
  }
  const hadRest = ({ id, status }: StoredCampaign) =>
    !SENDING.test(status) && hands.every((hand) => hand.id !== id || !isPlanned(hand, ran));
  // A run that was killed before its first request saw nothing.
  if (ended.result !== 'refused' && ran.requests.length > 0)
    // An apply with `adopt` takes over what it means, also if it was launched by hand meanwhile and nothing was left to send.
    for (const campaign of before)
      if ((hadRest(campaign) || slip.allow.includes('adopt')) && meaning(campaign, ran.asked).length > 0)
        scene.ours.add(`${checkout} ${campaign.id}`);
  if (sent.length > 0) scene.stale.add(checkout === 'a' ? 'b' : 'a');
}

type Hold = (fact: boolean, what: string) => unknown;

function madeId(effect: string | null): number | null {
  const initial = /^created (\d+)$/.exec(effect ?? '')?.[1];
  return initial === undefined ? null : Number(initial);
}

/** The manifests of a campaign, by id or name. */
function meaning({ id, name }: Pick<StoredCampaign, 'id' | 'name'>, written: readonly Written[]): Written[] {
  return written.filter((each) => (each.id === null ? each.name === name : each.id === id));
}

function isMeant(replaces: string | null, { id, name }: StoredCampaign, { pinned }: Scene): boolean {
  return replaces !== null && (replaces === name || pinned.get(replaces) === id);
}

export function isTelling({ shape, words, told: shown }: Scenario): boolean {
  return showsStatus(shape) && (words === 'usual' || (words === 'own' && shown));
}

function holdShown(plan: Plan, sent: readonly Recorded[], { drawn: { repeat } }: Scene, hold: Hold): void {
  const steps = [
    ...plan.campaigns.flatMap((campaign) => campaign.steps),
    ...otherCampaigns(plan).flatMap(({ step }) => step ?? []),
  ];
  const shown = steps.map(({ method, path, body }) => lineOf(method, path, body));
  const created = new Set(sent.flatMap(({ effect }) => madeId(effect) ?? []));
  const effects = new Map<string, number>();
  for (const { method, path, body, effect, found: match } of sent) {
    const id = path.split('/')[3] ?? '';
    const isMade = created.has(Number(id));
    const line = lineOf(method, isMade ? path.replace(`/${id}/`, '/{campaign_id}/') : path, body);
    const stays = ([name, value]: [string, unknown]) =>
      Object.entries(match?.settings ?? {}).some(([text, had]) => text === name && had === value);
    const settings = isMade && path.endsWith('/update') ? Object.entries(body ?? {}) : [];
    const isOfMade =
      settings.length > 0 &&
      steps.some(
        ({ id: of, body: result }) =>
          of === 'settings' &&
          settings.every((expected) => stays(expected) || result?.[expected[0]] === expected[1]),
      );
    hold(isOfMade || shown.includes(line), `this was not shown: ${line}`);
    const times = (effects.get(`${id} ${line}`) ?? 0) + (effect === null ? 0 : 1);
    effects.set(`${id} ${line}`, times);
    const harmless = /update$|schedule|pause$/.test(path) || (repeat === 'safe' && path.includes('attach'));
    hold(harmless || times < 2, `this had its effect twice: ${line}`);
  }
}

/** Ids of emails that do not exist yet are shown as placeholders. */
function lineOf(method: string, path: string, body: unknown): string {
  const text = JSON.stringify(body, (key, value) =>
    key === 'variant_from_step' && value !== null ? 'an email' : value,
  );
  return `${method} ${path} ${text ?? 'null'}`;
}

/** Checks each request: a manifest requires it, and it has the necessary approval. */
function holdAllowed(write: Recorded, ran: Ran, scene: Scene, hold: Hold): void {
  const { path, body, found: match } = write;
  const { slip } = ran;
  const { written, drawn } = scene;
  const { shape, onRemoval } = drawn;
  const allowed = (name: Hazard) => slip.allow.includes(name);
  const what = path.split('/').at(-1) ?? '';
  if (what === 'campaigns') {
    const { name } = body as { name: string };
    const isNamed = ran.asked.some((each) => each.id === null && each.name === name);
    hold(isNamed, 'a campaign was made that no manifest names');
    return;
  }
  if (match === null) return void hold(false, 'something was sent to a campaign that is not there');
  const all = meaning(match, written);
  const asked = meaning(match, ran.asked)[0];
  const isRemoved = what === 'pause' && all.length === 0 && onRemoval === 'pause' && slip.only === null;
  const isReplaced =
    what === 'pause' &&
    (ran.asked.some(({ replaces }) => isMeant(replaces, match, scene)) ||
      (slip.only === null && all.length === 0 && scene.replaced.has(match.name)));
  hold(
    asked !== undefined || isRemoved || isReplaced,
    'a campaign was changed that no manifest names, or that was not asked for',
  );
  hold(all.length < 2, 'a campaign was changed that two manifests mean');
  const was = ran.before.find(({ id }) => id === match.id);
  // If a person paused it before it was read, or if its launch failed meanwhile, it is idle for this run.
  const wasPaused =
    match.status === 'failed' || ran.hands.some((hand) => hand.id === match.id && isPlanned(hand, ran));
  const wasSending =
    was !== undefined && SENDING.test(was.status) && !(wasPaused && !SENDING.test(match.status));
  const isForeign = wasSending && !scene.ours.has(`${slip.checkout} ${match.id}`);
  const isHarmless = what === 'pause' && (asked !== undefined || isReplaced);
  hold(
    !isForeign || isHarmless || allowed('adopt'),
    'a running campaign was changed unasked that the state does not know',
  );
  if (asked === undefined || isReplaced) return;
  const isUnseen = !showsStatus(shape) || !isSeenBy(write, ran, scene);
  const isSending = SENDING.test(match.status) && !isUnseen;
  switch (what) {
    case 'pause':
      hold(asked.status === 'paused', 'a campaign was paused that no manifest pauses');
      return;
    case 'resume': {
      hold(asked.status === 'running', 'a campaign was launched that no manifest launches');
      hold(allowed('launch') && !slip.hold, 'a launch was not allowed');
      hold(!isSending, 'a campaign was launched that was running');
      const isPaused = handBefore(write, ran) !== null && !isUnseen && isTelling(drawn);
      hold(!isPaused, 'a campaign was launched that a person had launched or paused meanwhile');
      hold(isWhole(match, asked), 'a campaign was launched that is not as its manifest says');
      holdAlone(write, asked, ran, scene, hold);
      const mailed = scene.mailed.get(match.id);
      holdElsewhere(
        keysOf(match).filter((key) => !mailed?.has(key)),
        match,
        ran,
        scene,
        hold,
      );
      return;
    }
    case 'update': {
      const now = body as Record<string, unknown>;
      const values = ['max_emails_per_day', 'max_new_leads_per_day', 'reputation_building'];
      const others = Object.entries(match.settings).filter(([name]) => !values.includes(name));
      const isKept = others.every(([name, value]) => now[name] === value);
      hold(isKept, 'a setting was changed that no manifest writes');
      return;
    }
    case 'sequence-steps': {
      const posted = (body as { sequence_steps: { email_subject: string }[] }).sequence_steps;
      const there = new Set(match.steps.map(({ email_subject }) => plainSubject(email_subject)));
      const again = posted.some(({ email_subject }) => there.has(plainSubject(email_subject)));
      hold(!again || shape.sequenceRepost === 'replace', 'an email was added that was there');
      return;
    }
    case 'attach-lead-list':
    case 'attach-leads':
      hold(!isSending || allowed('attach-running'), 'leads were added to a running campaign unasked');
      holdAttached(body as Attached, { found: match, asked }, ran, scene, hold);
  }
}

/** A campaign is launched only after the one that it replaces was paused, if that was running. */
function holdAlone(
  write: Recorded,
  { replaces }: Written,
  { before, hands, requests, slip }: Ran,
  { drawn, service, ours, stale }: Scene,
  hold: Hold,
): void {
  const old = before.find(({ name, status }) => name === replaces && SENDING.test(status));
  if (old === undefined || hands.some(({ id }) => id === old.id)) return;
  // A queued launch may have failed.
  if (old.status === 'queued' && drawn.shape.resume === 'failed') return;
  // If no status is shown, the last status set counts, so a launch by a person since then is not visible.
  const isKnown = ours.has(`${slip.checkout} ${old.id}`) && !stale.has(slip.checkout);
  const sent = service
    .writes()
    .filter(({ path, effect }) => isLaunchOrPause(path, old.id) && effect !== null);
  const wasLaunched =
    isKnown && sent.findLast((each) => !requests.includes(each))?.path.endsWith('/resume') === true;
  if (!showsStatus(drawn.shape) && !wasLaunched) return;
  const pause = `/api/campaigns/${old.id}/pause`;
  const earlier = requests.slice(0, requests.indexOf(write));
  const isPaused = earlier.some(({ path, effect }) => path === pause && effect !== null);
  hold(isPaused, `a campaign was launched beside campaign ${old.id}, which it replaces`);
}

function isLaunchOrPause(path: string, id: number): boolean {
  return path === `/api/campaigns/${id}/pause` || path === `/api/campaigns/${id}/resume`;
}

function isPlanned({ id, before }: Ran['hands'][number], { requests, from }: Ran): boolean {
  const record = `/api/campaigns/${id}`;
  return requests.slice(before, from).some(({ path }) => path === record || path === '/api/campaigns');
}

/**
 * The last request before which a person launched or paused the campaign, between the plan and the write; `null` if there
 * is none.
 */
function handBefore(write: Recorded, ran: Ran): number | null {
  const at = ran.requests.indexOf(write);
  const isOwn = (hand: Ran['hands'][number]) => hand.id === write.found?.id && hand.before <= at;
  return ran.hands.findLast((hand) => isOwn(hand) && !isPlanned(hand, ran))?.before ?? null;
}

/**
 * True if campaignctl can have known the campaign's status. Earlier reads do not show what a person did since, and a
 * response that takes two seconds may be outdated.
 */
function isSeenBy(write: Recorded, ran: Ran, { drawn: { shape, lag, latency } }: Scene): boolean {
  const isHidden = shape.status !== 'shown' || lag > 0;
  if (isHidden && ran.hands.some(({ id }) => id === write.found?.id)) return false;
  const hand = handBefore(write, ran);
  if (hand === null) return true;
  if (latency < 2_000) return false;
  const record = `/api/campaigns/${write.found?.id}`;
  return ran.requests
    .slice(hand, ran.requests.indexOf(write))
    .some(({ method, path }) => path === record || (method !== 'GET' && path.startsWith(`${record}/`)));
}

/** The key of a list that is attached for a value of `refill`; empty for any other request. */
function refillsOf(body: unknown, campaign: StoredCampaign, { slip, asked }: Ran): string[] {
  const { lead_list_id: list } = (body ?? {}) as Attached;
  const refill = meaning(campaign, asked)[0]?.refill ?? null;
  return list === undefined || refill === null ? [] : [refillKey(slip.checkout, campaign, list, refill)];
}

function refillKey(checkout: string, { id }: StoredCampaign, list: number, refill: number): string {
  return `${checkout} ${id} ${list} ${refill}`;
}

interface Attached {
  lead_list_id?: number;
  lead_ids?: number[];
}

function holdAttached(
  { lead_list_id: list, lead_ids: leads = [] }: Attached,
  { found: match, asked }: { found: StoredCampaign; asked: Written },
  ran: Ran,
  scene: Scene,
  hold: Hold,
): void {
  const { shape, repeat, sync } = scene.drawn;
  const { checkout, allow } = ran.slip;
  const keys = keysOf({ lists: list === undefined ? [] : [list], leads });
  const wanted = new Set(keysOf({ lists: asked.lists, leads: asked.ids }));
  hold(
    keys.every((key) => wanted.has(key)),
    'leads were attached that the manifest does not name',
  );
  const refills = refillsOf({ lead_list_id: list }, match, ran);
  hold(
    scene.stale.has(checkout) || refills.every((key) => scene.refilled.get(key) !== true),
    'a list was attached again for a value of refill that it had',
  );
  const there = new Set(keysOf(match));
  const has = keys.some((key) => there.has(key));
  const isAccepted = allow.includes('repeat-attach') || repeat === 'safe';
  hold(!has || scene.stale.has(checkout) || isAccepted, 'leads were attached again unasked');
  const looked = scene.looked.get(`${checkout} ${match.id}`) ?? Number.POSITIVE_INFINITY;
  const isCounted = showsTotals(shape) && (sync === 0 || !ran.mailed.has(match.id));
  const hasGrown = ran.before.some((campaign) => campaign.id === match.id && leadsOf(campaign) > looked);
  hold(!hasGrown || !isCounted || isAccepted, 'leads were attached beside others unasked');
  holdElsewhere(keys, match, ran, scene, hold);
}

const isList4 = (body: unknown) => (body as Attached | null)?.lead_list_id === 4;

/** Without approval, no lead is mailed again by a different campaign that this checkout knows. */
function holdElsewhere(
  keys: readonly string[],
  { id: value }: StoredCampaign,
  { slip, mailed }: Ran,
  { ours, stale, unseen, service }: Scene,
  hold: Hold,
): void {
  const { checkout, allow } = slip;
  if (stale.has(checkout) || allow.includes('shared-leads')) return;
  for (const [id, had] of mailed) {
    if (id === value || !ours.has(`${checkout} ${id}`) || unseen.has(id)) continue;
    const isTold =
      id !== STRANGER ||
      service.requests.some(({ path, body }) => path.includes(`/${STRANGER}/`) && isList4(body));
    const again = keys.filter((key) => had.has(key) && (isTold || key !== 'list 4'));
    hold(again.length === 0, `${again} would be mailed again unasked, which campaign ${id} has mailed`);
  }
}

const plainSubject = (text: string) => text.replace(/^Re: /, '');

/** True if the campaign matches its manifest, except for its status. */
function isWhole({ settings, schedule, steps, lists, leads }: StoredCampaign, asked: Written): boolean {
  const bases = steps
    .filter(({ variant }) => !variant)
    .map(({ email_subject }) => plainSubject(email_subject));
  const variants = steps.filter(({ variant }) => variant);
  const first = steps.find(({ email_subject }) => email_subject === EMAILS[0]?.email_subject);
  const there = new Set(keysOf({ lists, leads }));
  return (
    settings.max_emails_per_day === asked.cap &&
    settings.reputation_building === true &&
    schedule?.monday === true &&
    JSON.stringify(bases.sort()) ===
      JSON.stringify(EMAILS.map(({ email_subject }) => email_subject).sort()) &&
    variants.length === 1 &&
    variants.every(
      ({ email_subject, variant_from_step }) =>
        email_subject === VARIANT.email_subject && variant_from_step === first?.id,
    ) &&
    keysOf({ lists: asked.lists, leads: asked.ids }).every((key) => there.has(key))
  );
}

/** Nothing is reported as done that is not. Unread campaigns are not reported, but changes in the list must be noticed. */
function holdDone(ran: Ran, { service, drawn, refilled }: Scene, hold: Hold): void {
  const { slip, asked: all, hands, shown } = ran;
  const { shape, lag } = drawn;
  const isListed = shape.updated === 'shown' && shape.rows === 'whole' && lag === 0 && hands.length === 0;
  const remaining = new Set(shown?.campaigns.flatMap(({ action, id }) => (action === 'not_read' ? id : [])));
  for (const asked of all) {
    const live = service.store.campaigns.find((campaign) => meaning(campaign, [asked]).length > 0);
    if (live !== undefined && remaining.has(live.id) && !isListed) continue;
    if (live === undefined) hold(false, 'it is done, and a campaign is not there');
    else {
      hold(isWhole(live, asked), 'it is done, and a campaign is not as its manifest says');
      const sent = new Set(
        writesOf(ran).flatMap(({ body, found }) => (found ? refillsOf(body, found, ran) : [])),
      );
      const isRefilled = (list: number) => {
        const key = asked.refill === null ? null : refillKey(slip.checkout, live, list, asked.refill);
        return key === null || sent.has(key) || refilled.has(key);
      };
      hold(asked.lists.every(isRefilled), 'it is done, and a list was not attached for its value of refill');
      const isHeld =
        asked.status === null ||
        !isTelling(drawn) ||
        hands.some(({ id }) => id === live.id) ||
        (slip.hold && asked.status === 'running');
      const stands = asked.status === 'paused' ? /^(draft|paused|failed)$/ : SENDING;
      hold(
        isHeld || stands.test(live.status) || shownStatuses(live, ran).some((status) => stands.test(status)),
        'it is done, and the status is another one',
      );
    }
  }
}

/**
 * The statuses that a run saw of a campaign whose status it did not change; empty if it launched or paused it. A status may
 * change at any time, for example after an earlier launch.
 */
function shownStatuses({ id }: StoredCampaign, { requests }: Ran): string[] {
  const isLeft = requests.every(
    ({ path, found: match }) => match?.id !== id || !/\/(?:resume|pause)$/.test(path),
  );
  return isLeft ? requests.flatMap(({ told: statuses }) => statuses.get(id) ?? []) : [];
}

/**
 * If nothing remains to do, no campaign without a manifest is running unnoticed: it is paused if configured, otherwise
 * reported.
 */
function holdRest(
  { slip, shown, printed, before, hands }: Ran,
  { drawn, ours, written }: Scene,
  hold: Hold,
): void {
  const { onRemoval, shape, lag } = drawn;
  if (lag > 0 || hands.length > 0 || !showsStatus(shape)) return;
  const isLeft = (campaign: StoredCampaign) =>
    SENDING.test(campaign.status) &&
    ours.has(`${slip.checkout} ${campaign.id}`) &&
    meaning(campaign, written).length === 0;
  for (const other of before.filter(isLeft)) {
    hold(
      onRemoval === 'warn' || !isTelling(drawn),
      `campaign ${other.id} runs without a manifest, and was to be paused`,
    );
    // A process with nothing to send journals no plan, so its output is used.
    const isTold =
      (printed?.includes(`- ${other.name}  `) && printed.includes(`id ${other.id} · `)) ||
      (shown && otherCampaigns(shown).some(({ id, running }) => id === other.id && running)) ||
      shown?.campaigns.some(({ replaces }) => replaces?.id === other.id && replaces.running);
    hold(isTold === true, `campaign ${other.id} runs without a manifest, and nothing says so`);
  }
}
