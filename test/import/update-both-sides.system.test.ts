/**
 * The manifest and the service are edited independently. An update removes nothing that was added to the manifest since the
 * last apply.
 */
import fc from 'fast-check';
import equal from 'fast-deep-equal';
import { expect, test } from 'vitest';
import { parseYaml } from '../../src/manifest/parse.js';
import type { JsonObject } from '../../src/model/json.js';
import { RULES } from '../../src/rules/check.js';
import { weekOf } from '../support/service/store.js';
import { byHand, picking } from './hand.js';
import { FILE, type LiveCampaign, type LiveEmail, update } from './updating.js';

const rules = Object.fromEntries(RULES.map(({ code }) => [code, 'off' as const]));
const RUNS = { numRuns: Number(process.env.TRUST_CASES ?? 50) };

/** Single values by path. Each email has a number in its body, which identifies it wherever it is moved. */
type Leaves = Record<string, unknown>;
interface Email {
  email_subject: string;
  email_body: string;
  wait_in_days: number;
  thread_reply: boolean;
}
type Step = Email & { variants: Email[] };
interface Side {
  leaves: Leaves;
  steps: Step[];
}

const SETTINGS = {
  'settings.max_emails_per_day': [100, 200, 300, null],
  'settings.max_new_leads_per_day': [10, 20, 30],
  'settings.plain_text': [true, false],
  'settings.unsubscribe_text': ['Stop', 'No more', null],
};
const HOURS = {
  'schedule.days': [['monday'], ['monday', 'friday'], ['tuesday', 'friday', 'sunday']],
  'schedule.start_time': ['08:00', '09:00', '10:00'],
  'schedule.end_time': ['16:00', '17:00', '18:00'],
  'schedule.timezone': ['Europe/Paris', 'Europe/Rome', 'Asia/Tokyo'],
};
const WORDS: Record<string, readonly unknown[]> = {
  ...{ ...SETTINGS, ...HOURS, status: ['running', 'paused'] },
  'sequence.title': ['One', 'Two', 'Three'],
};
const PLACES = Object.keys(WORDS);

const edit = fc.record({
  what: fc.constantFrom('leaf', 'leaf', 'drop', 'field', 'field', 'field', 'add', 'remove', 'move', 'inner'),
  at: fc.nat(40),
  to: fc.nat(40),
});
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never;

/** Base emails have numbers below 100; emails that the manifest adds, from 100; emails that the service adds, from 200. */
function numbered(first: number) {
  let next = first;
  return (to: number): Email => {
    next += 1;
    const [subject, wait] = [['A question', 'One more thing', 'Hello'][to % 3] ?? '', 1 + (to % 3)];
    return {
      email_subject: subject,
      email_body: `<p>mail ${next}, ${to}</p>`,
      wait_in_days: wait,
      thread_reply: to % 4 === 0,
    };
  };
}
const numberOf = ({ email_body }: { email_body: string }) => Number(/mail (\d+)/.exec(email_body)?.[1]);

function changed(email: Email, { at, to }: Edit): void {
  if (at % 4 === 0) email.email_body = `<p>mail ${numberOf(email)}, ${100 + to}</p>`;
  else if (at % 4 === 1) email.email_subject = `Subject ${to % 3}`;
  else if (at % 4 === 2) email.wait_in_days = 1 + (to % 5);
  else email.thread_reply = !email.thread_reply;
}

/**
 * A side after a person's edits. Only a manifest can omit a value, because a service shows all. An email that the service
 * moves and rewrites counts as a new email.
 */
function edited(base: Side, edits: readonly Edit[], first: number, isManifest: boolean): Side {
  const { leaves, steps } = structuredClone(base);
  const fresh = numbered(first);
  const isRearranged = !isManifest && edits.some(({ what }) => ['add', 'remove', 'move'].includes(what));
  for (const each of edits) {
    const { what, at, to } = each;
    const place = PLACES[at % PLACES.length] ?? '';
    const words = WORDS[place] ?? [];
    const step = steps[at % Math.max(1, steps.length)];
    if (what === 'leaf') leaves[place] = words[to % words.length];
    else if (what === 'drop' && isManifest && (place.startsWith('settings.') || place === 'status'))
      delete leaves[place];
    else if (step === undefined) continue;
    else if (what === 'field') changed(step, { ...each, at: isRearranged ? 1 + (to % 3) : to });
    else if (what === 'add') steps.splice(at % (steps.length + 1), 0, { ...fresh(to), variants: [] });
    else if (what === 'remove' && steps.length > 1) steps.splice(at % steps.length, 1);
    else if (what === 'move') steps.splice(to % steps.length, 0, ...steps.splice(at % steps.length, 1));
    else if (what === 'inner') {
      const variant = step.variants[to % Math.max(1, step.variants.length)];
      if (variant === undefined || to % 3 === 0) step.variants.splice(at % 2, 0, fresh(to));
      else if (to % 3 === 1) step.variants.splice(step.variants.indexOf(variant), 1);
      else changed(variant, { ...each, at: to + 1 });
    }
  }
  return { leaves, steps };
}

function contentOf({ leaves, steps }: Side): JsonObject {
  const value: Record<string, JsonObject> = {};
  for (const [place, item] of Object.entries(leaves)) {
    const [section = '', key] = place.split('.');
    if (key === undefined) Object.assign(value, { [section]: item });
    else value[section] = { ...value[section], [key]: item as string };
  }
  if (steps.length > 0) Object.assign(value.sequence ?? {}, { steps });
  return { name: 'Spring', ...value };
}

function sideOf(text: string): Side {
  const value = parseYaml('', text).documents[0]?.value ?? {};
  const { settings, schedule, sequence, status } = value as Record<string, object | undefined>;
  const { steps = [], title } = (sequence ?? {}) as { steps?: (Partial<Step> & Email)[]; title?: string };
  const leaves: Leaves = {};
  for (const [name, section] of Object.entries({ settings, schedule }))
    for (const [key, item] of Object.entries(section ?? {})) leaves[`${name}.${key}`] = item;
  if (status !== undefined) leaves.status = status;
  if (title !== undefined) leaves['sequence.title'] = title;
  const full = (email: Partial<Email>, over: object) => ({ thread_reply: false, ...over, ...email }) as Email;
  return {
    leaves,
    steps: steps.map(({ variants = [], ...step }) => {
      const local = full(step, {});
      const { wait_in_days, thread_reply } = local;
      return { ...local, variants: variants.map((variant) => full(variant, { wait_in_days, thread_reply })) };
    }),
  };
}

function shownBy({ leaves, steps }: Side): LiveCampaign {
  const under = (section: string) =>
    Object.fromEntries(
      Object.entries(leaves).flatMap(([place, value]) =>
        place.startsWith(`${section}.`) ? [[place.slice(section.length + 1), value as string]] : [],
      ),
    );
  const { days, ...times } = under('schedule');
  const emails = steps.flatMap(({ variants, ...step }, of): LiveEmail[] => [
    step,
    ...variants.map((variant) => ({ ...variant, of })),
  ]);
  return {
    settings: under('settings'),
    status: leaves.status === 'running' ? 'active' : 'paused',
    schedule: { ...weekOf((days ?? []) as string[]), ...times },
    title: String(leaves['sequence.title']),
    emails,
  };
}

/** All emails of a side by number, each with its step's number and its position. */
function mailsOf({ steps }: Side): Map<number, Email & { of: number }> {
  return new Map(
    steps.flatMap(({ variants, ...step }) => {
      const of = numberOf(step);
      return [step, ...variants].map((email) => [numberOf(email), { ...email, of }] as const);
    }),
  );
}

/** Variants have no order. */
const unordered = ({ steps }: Side) =>
  steps.map(({ variants, ...step }) => ({
    ...step,
    variants: [...variants].sort((a, b) => numberOf(a) - numberOf(b)),
  }));

const places = fc.subarray(['settings', 'schedule', 'sequence', 'status'], { minLength: 1 });
const scene = fc.record({
  values: fc.array(fc.nat(40), { minLength: PLACES.length, maxLength: PLACES.length }),
  steps: fc.array(fc.array(fc.nat(40), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 }),
  applied: places,
  added: places,
  manifest: fc.array(edit, { maxLength: 4 }),
  service: fc.array(edit, { maxLength: 4 }),
  numbers: fc.array(fc.nat(1000), { minLength: 1, maxLength: 40 }),
});

/** A complete base, and the sections in the manifest. */
function sidesOf(created: typeof scene extends fc.Arbitrary<infer T> ? T : never) {
  const fresh = numbered(0);
  const base: Side = {
    leaves: Object.fromEntries(
      PLACES.map((place, at) => {
        const words = WORDS[place] ?? [];
        return [place, words[(created.values[at] ?? 0) % words.length]];
      }),
    ),
    steps: created.steps.map(([value = 0, ...inner]) => ({ ...fresh(value), variants: inner.map(fresh) })),
  };
  const within = ({ leaves, steps }: Side, sections: readonly string[]): Side => ({
    leaves: Object.fromEntries(
      Object.entries(leaves).filter(([place]) => sections.includes(place.split('.')[0] ?? '')),
    ),
    steps: sections.includes('sequence') ? steps : [],
  });
  return {
    applied: within(base, created.applied),
    manifest: within(edited(base, created.manifest, 100, true), [...created.applied, ...created.added]),
    service: edited(base, created.service, 200, false),
  };
}

test('changes in the manifest since the last apply stay, and changes only in the service are written', () => {
  fc.assert(
    fc.property(scene, (created) => {
      const { applied, manifest, service } = sidesOf(created);
      const write = (side: Side) => byHand(contentOf(side), picking(created.numbers), '\n');
      const source = write(manifest);
      const options = { rules, applied: write(applied) };
      const { files, update: done } = update({ [FILE]: source }, shownBy(service), options);
      const after = sideOf(files[FILE] ?? '');
      const about = JSON.stringify({ applied, manifest, service, after, done }, null, 1);

      for (const place of PLACES) {
        const [base, local, live, now] = [applied, manifest, service, after].map(
          ({ leaves }) => leaves[place],
        );
        const isOwn = JSON.stringify(local) !== JSON.stringify(base);
        const isTheirs = JSON.stringify(live) !== JSON.stringify(base);
        const isList = place === 'schedule.days';
        expect(now, `${place} ${about}`).toEqual(local === undefined || isOwn || isList ? local : live);
        if (local === undefined || JSON.stringify(local) === JSON.stringify(live)) continue;
        const [section = '', path = ''] = place.split('.');
        if (isList && !isOwn)
          expect(done.by_hand, about).toContainEqual(expect.objectContaining({ section, path }));
        if (base === undefined || !isOwn || !isTheirs) continue;
        expect(done.by_hand, about).toContainEqual(
          expect.objectContaining({ section, path, reason: expect.stringContaining('is kept') }),
        );
      }

      const [base, values] = [mailsOf(applied), mailsOf(manifest)];
      const [live, now] = [mailsOf(service), mailsOf(after)];
      for (const [number, email] of values) {
        const old = base.get(number);
        // An email that was removed in the service and not edited in the manifest may be removed.
        const mayGo = !live.has(number) && JSON.stringify(old) === JSON.stringify(email);
        const is = now.get(number);
        if (is === undefined) expect(mayGo, `${number} is gone ${about}`).toBe(true);
        else
          for (const [field, value] of Object.entries(email) as [keyof Email, unknown][]) {
            const may = value === old?.[field] ? [value, live.get(number)?.[field]] : [value];
            expect(may, `${number}.${field} ${about}`).toContain(is[field]);
          }
      }
      for (const number of now.keys())
        if (!values.has(number)) {
          expect(base.has(number), `${number} has come back ${about}`).toBe(false);
          expect(live.has(number), about).toBe(true);
        }
      const isUntouched = JSON.stringify(manifest.steps) === JSON.stringify(applied.steps);
      if (!isUntouched)
        expect(
          [...values.keys()].filter((number) => now.has(number)),
          about,
        ).toEqual([...now.keys()].filter((number) => values.has(number)));
      else if (manifest.steps.length > 0 && !equal(unordered(after), unordered(service))) {
        expect(after.steps, about).toEqual(manifest.steps);
        expect(done.by_hand, about).toContainEqual(expect.objectContaining({ path: 'steps' }));
      }
      if (JSON.stringify(service.steps) === JSON.stringify(applied.steps))
        expect(after.steps, about).toEqual(manifest.steps);

      expect(update(files, shownBy(service), options).files).toEqual(files);
    }),
    RUNS,
  );
});

test('without a base, values are written, no email is removed, and remaining differences are listed', () => {
  fc.assert(
    fc.property(scene, (created) => {
      const { applied, manifest, service } = sidesOf(created);
      const source = byHand(contentOf(manifest), picking(created.numbers), '\n');
      const { files, update: done } = update({ [FILE]: source }, shownBy(service), { rules });
      const after = sideOf(files[FILE] ?? '');
      const about = JSON.stringify({ applied, manifest, service, after, done }, null, 1);

      for (const place of PLACES) {
        const [local, live, now] = [manifest, service, after].map(({ leaves }) => leaves[place]);
        expect(now, `${place} ${about}`).toEqual(
          local === undefined || place === 'schedule.days' ? local : live,
        );
      }
      const [values, now] = [mailsOf(manifest), mailsOf(after)];
      expect(now.size, about).toBeGreaterThanOrEqual(values.size);
      // Its text may differ in the same place if no body shows that steps have moved. Without a base, moving and rewriting
      // all steps cannot be distinguished from editing them in place.
      const bodies = ({ steps }: Side) => steps.map(({ email_body }) => email_body);
      const [before, young, is] = [bodies(manifest), bodies(service), bodies(after)];
      const isMoved = before.some((body, at) => young[at] !== body && young.includes(body));
      for (const [at, body] of before.entries())
        if (!is.includes(body)) expect([isMoved, is[at]], about).toEqual([false, young[at]]);
      if (manifest.steps.length > 0 && !equal(unordered(after), unordered(service))) {
        expect(after.steps, about).toEqual(manifest.steps);
        expect(done.by_hand, about).toContainEqual(expect.objectContaining({ path: 'steps' }));
      }
      expect(update(files, shownBy(service), { rules }).files).toEqual(files);
    }),
    RUNS,
  );
});
