/**
 * Holds what reached the service against what was shown and allowed. It sees the service, the manifests
 * and what was printed, and knows nothing of how campaignctl plans.
 */

import type { Hazard } from '../../../src/model/environment.js';
import { Failure } from '../../../src/model/failure.js';
import type { Plan } from '../../../src/model/outputs.js';
import type { Recorded } from '../../support/service/service.js';
import type { StoredCampaign } from '../../support/service/store.js';
import { EMAILS, type Ran, type Scene, VARIANT, type Written } from './slips.js';

const SENDING = /^(active|queued|launching)$/;

/** Throws at the first thing that should not have happened. */
export function observe(ran: Ran, scene: Scene): void {
  const { slip, shown, early, sent, ended } = ran;
  const said = ended instanceof Failure ? ended.message : ended === 'died' ? ended : ended.result;
  const tell = (what: string) => {
    const seen = sent.map(({ method, path, body, status, effect, found }) => ({
      ...{ method, path, body, status, effect },
      found: found && `${found.status} lists ${found.lists} leads ${found.leads}`,
    }));
    const { steps = [], problems = [] } = {
      steps: shown?.campaigns.map(({ name, steps: all }) => `${name}: ${all.map(({ id }) => id)}`),
      problems: shown?.campaigns.flatMap((one) => one.problems.map(({ code }) => code)),
    };
    throw new Error(
      `${what}\n${JSON.stringify({ slip, said, written: scene.written, steps, problems, sent: seen }, null, 1)}`,
    );
  };
  const hold = (fact: boolean, what: string) => fact || tell(what);

  hold(early.length === 0, 'something was sent before it was said');
  if (ended instanceof Failure) hold(sent.length === 0, 'something was sent by a run that refused');
  if (shown === null) hold(sent.length === 0, 'something was sent and nothing was shown');
  else holdShown(shown, ran, scene, hold);
  for (const write of sent) holdAllowed(write, ran, scene, hold);
  const names = scene.service.store.campaigns.map(({ name }) => name);
  hold(new Set(names).size === names.length, 'there are two campaigns of one name');
  if (typeof ended === 'object' && 'result' in ended && ended.result === 'done') holdDone(ran, scene, hold);
  for (const { effect, found } of sent) if (effect === 'resumed' && found) scene.ran.add(found.id);
  for (const { path, found } of sent) {
    if (!path.includes('/attach-') || found === null) continue;
    const live = scene.service.store.campaigns.find(({ id }) => id === found.id);
    const isSeen = said === 'done' && scene.drawn.lag === 0 && !scene.ran.has(found.id);
    const key = `${slip.checkout} ${found.id}`;
    if (isSeen && live) scene.looked.set(key, leadsOn(live));
    else scene.looked.delete(key);
  }
  if (sent.length > 0) scene.stale.add(slip.checkout === 'a' ? 'b' : 'a');
  if (!(ended instanceof Failure)) scene.empty.delete(slip.checkout);
}

type Hold = (fact: boolean, what: string) => unknown;

/** What was shown is what is sent, and what may do harm twice has its effect once. */
function holdShown(plan: Plan, { sent }: Ran, { drawn: { repeat } }: Scene, hold: Hold): void {
  const steps = [
    ...plan.campaigns.flatMap((campaign) => campaign.steps),
    ...plan.removed.flatMap(({ step }) => step ?? []),
  ];
  const shown = steps.map(({ method, path, body }) => lineOf(method, path, body));
  const made = new Set(sent.flatMap(({ effect }) => /^created (\d+)$/.exec(effect ?? '')?.[1] ?? []));
  const effects = new Map<string, number>();
  for (const { method, path, body, effect, found } of sent) {
    const id = path.split('/')[3] ?? '';
    const line = lineOf(method, made.has(id) ? path.replace(`/${id}/`, '/{campaign_id}/') : path, body);
    // What a service makes of a new campaign is known once it is there, and stays as it is.
    const stays = ([name, value]: [string, unknown]) =>
      Object.entries(found?.settings ?? {}).some(([own, had]) => own === name && had === value);
    const settings = made.has(id) && path.endsWith('/update') ? Object.entries(body ?? {}) : [];
    const isOfMade =
      settings.length > 0 &&
      steps.some(
        ({ id: of, body: told }) =>
          of === 'settings' && settings.every((said) => stays(said) || told?.[said[0]] === said[1]),
      );
    hold(isOfMade || shown.includes(line), `this was not shown: ${line}`);
    const times = (effects.get(`${id} ${line}`) ?? 0) + (effect === null ? 0 : 1);
    effects.set(`${id} ${line}`, times);
    const harmless = /update$|schedule|pause$/.test(path) || (repeat === 'safe' && path.includes('attach'));
    hold(harmless || times < 2, `this had its effect twice: ${line}`);
  }
}

/** The ids of emails that are not there yet are shown as placeholders. */
function lineOf(method: string, path: string, body: unknown): string {
  const text = JSON.stringify(body, (key, value) =>
    key === 'variant_from_step' && value !== null ? 'an email' : value,
  );
  return `${method} ${path} ${text ?? 'null'}`;
}

/** Each request by itself: a manifest asks for it, and what needs approval has it. */
function holdAllowed(write: Recorded, ran: Ran, scene: Scene, hold: Hold): void {
  const { path, body, found } = write;
  const { slip } = ran;
  const { written, drawn, stale } = scene;
  const { shape, onRemoval, repeat } = drawn;
  const allowed = (name: Hazard) => slip.allow.includes(name);
  const what = path.split('/').at(-1) ?? '';
  if (what === 'campaigns') {
    const { name } = body as { name: string };
    hold(
      written.some((one) => one.name === name),
      'a campaign was made that no manifest names',
    );
    return;
  }
  if (found === null) return void hold(false, 'something was sent to a campaign that is not there');
  const asked = written.find(({ name }) => name === found.name);
  const isRemoved = what === 'pause' && asked === undefined && onRemoval === 'pause';
  hold(asked !== undefined || isRemoved, 'a campaign was changed that no manifest names');
  if (asked === undefined) return;
  const isSending = shape.status === 'shown' && SENDING.test(found.status);
  const wasSending = ran.before.some(({ id, status }) => id === found.id && SENDING.test(status));
  const isForeign = shape.status === 'shown' && wasSending && scene.empty.has(slip.checkout);
  hold(!isForeign || allowed('adopt'), 'a running campaign was changed unasked that the state does not know');
  switch (what) {
    case 'pause':
      hold(asked.status === 'paused', 'a campaign was paused that no manifest pauses');
      return;
    case 'resume':
      hold(asked.status === 'running', 'a campaign was launched that no manifest launches');
      hold(allowed('launch') && !slip.hold, 'a launch was not allowed');
      hold(!isSending, 'a campaign was launched that was running');
      hold(isWhole(found, asked), 'a campaign was launched that is not as its manifest says');
      return;
    case 'update': {
      const now = body as Record<string, unknown>;
      const own = ['max_emails_per_day', 'max_new_leads_per_day', 'reputation_building'];
      const others = Object.entries(found.settings).filter(([name]) => !own.includes(name));
      hold(
        others.every(([name, value]) => now[name] === value),
        'a setting was changed that no manifest writes',
      );
      return;
    }
    case 'sequence-steps': {
      const posted = (body as { sequence_steps: { email_subject: string }[] }).sequence_steps;
      const there = new Set(found.steps.map(({ email_subject }) => plainSubject(email_subject)));
      const again = posted.some(({ email_subject }) => there.has(plainSubject(email_subject)));
      hold(!again || shape.sequenceRepost === 'replace', 'an email was added that was there');
      return;
    }
    case 'attach-lead-list':
    case 'attach-leads': {
      const { lead_list_id: list, lead_ids: ids = [] } = body as {
        lead_list_id?: number;
        lead_ids?: number[];
      };
      const lists = list === undefined ? [] : [list];
      const wanted =
        lists.every((id) => asked.lists.includes(id)) && ids.every((id) => asked.ids.includes(id));
      hold(wanted, 'leads were attached that the manifest does not name');
      hold(!isSending || allowed('attach-running'), 'leads were added to a running campaign unasked');
      const has = (one: StoredCampaign) =>
        lists.some((id) => one.lists.includes(id)) || ids.some((id) => one.leads.includes(id));
      const isAccepted = allowed('repeat-attach') || repeat === 'safe';
      hold(!has(found) || stale.has(slip.checkout) || isAccepted, 'leads were attached again unasked');
      // What an older state does not know shows in the number of leads, if in anything.
      const looked = scene.looked.get(`${slip.checkout} ${found.id}`) ?? Number.POSITIVE_INFINITY;
      const hasGrown = ran.before.some((one) => one.id === found.id && leadsOn(one) > looked);
      hold(!hasGrown || shape.totals === 'hidden' || isAccepted, 'leads were attached beside others unasked');
      const isAbandoned = ({ id, name }: StoredCampaign) =>
        id !== found.id && scene.ran.has(id) && written.every((one) => one.name !== name);
      const elsewhere = ran.before.some((one) => isAbandoned(one) && has(one));
      hold(
        !elsewhere || stale.has(slip.checkout) || allowed('leads-elsewhere'),
        'leads were attached unasked that a campaign without a manifest has mailed',
      );
    }
  }
}

/** As many as the service shows. */
const leadsOn = ({ lists, leads }: StoredCampaign) => 100 * lists.length + leads.length;

const plainSubject = (text: string) => text.replace(/^Re: /, '');

/** As its manifest says, but for its status. */
function isWhole({ settings, schedule, steps, lists, leads }: StoredCampaign, asked: Written): boolean {
  const bases = steps
    .filter(({ variant }) => !variant)
    .map(({ email_subject }) => plainSubject(email_subject));
  const variants = steps.filter(({ variant }) => variant);
  const first = steps.find(({ email_subject }) => email_subject === EMAILS[0]?.email_subject);
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
    asked.lists.every((id) => lists.includes(id)) &&
    asked.ids.every((id) => leads.includes(id))
  );
}

/** Nothing is said to be done that is not. */
function holdDone({ slip }: Ran, { written, service, drawn }: Scene, hold: Hold): void {
  for (const asked of written) {
    const live = service.store.campaigns.find(({ name }) => name === asked.name);
    if (live === undefined) hold(false, 'it is done, and a campaign is not there');
    else {
      hold(isWhole(live, asked), 'it is done, and a campaign is not as its manifest says');
      const isHeld =
        asked.status === null || drawn.shape.status === 'hidden' || (slip.hold && asked.status === 'running');
      const stands = asked.status === 'paused' ? /^(draft|paused|failed)$/ : SENDING;
      hold(isHeld || stands.test(live.status), 'it is done, and the status is another one');
    }
  }
}
