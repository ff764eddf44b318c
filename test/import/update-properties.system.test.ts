import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isMap, isNode, isSeq, type Node } from 'yaml';
import { composeYaml, parseYaml } from '../../src/manifest/parse.js';
import { canonicalText } from '../../src/model/canonical.js';
import { isObject, type JsonObject } from '../../src/model/json.js';
import type { Path } from '../../src/model/outputs.js';
import { RULES } from '../../src/rules/check.js';
import { WEEK, weekOf } from '../support/service/store.js';
import { byHand, picking } from './hand.js';
import { FILE, type LiveEmail, type Options, update } from './updating.js';

const rules = Object.fromEntries(RULES.map(({ code }) => [code, 'off' as const]));
const RUNS = { numRuns: Number(process.env.TRUST_CASES ?? 25) };

const HOSTILE = [
  'a\r\nb\r\n',
  'ends in blanks  ',
  'one\n---\ntwo\n...\n',
  '# no comment',
  'a # no comment',
  'key: value',
  '- item\n- item\n',
  '\ufeffmarked',
  '👋 🏽 emoji',
  '\ttabbed\n\tagain',
  '    leads with blanks\nand not\n',
  '\n\nbegins late',
  'ends late\n\n\n',
  'a\n   \nb\n   ',
  '&anchor *alias !tag |literal >folded %dir @at `tick',
  '"quoted" and \'quoted\'',
  'null',
  'true',
  '0123',
  '1e3',
  '~',
  '{FIRST_NAME} {{ x }} {% y %}',
  '[a, b]',
  'back\\slash \\n',
  'line\u2028separator\u00a0hard',
  '<p>Hi {FIRST_NAME},</p>\n\n<p>  indented\n    more</p>\n',
  'a very long line that a person has wrapped by hand, or would have, since it goes on and on and on and on\nshort\n',
];
const text = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc.stringMatching(/^[A-Za-z][A-Za-z ]{0,30}[a-z]$/),
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
    .filter((word) => word.trim() !== '' && !/[\p{Cc}\p{Surrogate}]/u.test(word)),
  fc
    .array(fc.constantFrom('word', 'two words', '', '  deep', '# x', 'a: b', '- c', 'end  '), {
      minLength: 1,
    })
    .map((lines) => lines.join('\n'))
    .filter((name) => name.trim() !== ''),
);
const line = text
  .map((word) => word.replace(/\s+/g, ' ').trim())
  .filter((name) => name.replace(/^re:/i, '').trim() !== '');
const wait = fc.integer({ min: 1, max: 9 });

const emailFields = { email_subject: line, email_body: text };
const variant = fc.record(
  { ...emailFields, wait_in_days: wait, thread_reply: fc.boolean() },
  { requiredKeys: ['email_subject', 'email_body'] },
);
const step = fc.record(
  {
    ...emailFields,
    wait_in_days: wait,
    thread_reply: fc.boolean(),
    variants: fc.array(variant, { maxLength: 3 }),
  },
  { requiredKeys: ['email_subject', 'email_body', 'wait_in_days'] },
);
const limit = fc.oneof(fc.constant(null), fc.integer({ min: 1, max: 5000 }));
const settings = {
  max_emails_per_day: limit,
  max_new_leads_per_day: limit,
  plain_text: fc.boolean(),
  can_unsubscribe: fc.boolean(),
  unsubscribe_text: fc.oneof(fc.constant(null), line),
};
const hours = fc.record({
  days: fc.subarray([...WEEK], { minLength: 1 }),
  start_time: fc.constantFrom('08:00', '09:30'),
  end_time: fc.constantFrom('17:00', '18:30'),
  timezone: fc.constantFrom('Europe/Paris', 'Europe/Rome'),
});

/** A manifest as plain data, some sections in the overlay of its environment, and how it is written. */
const manifest = fc.record({
  value: fc.record(
    {
      name: fc.constant('Spring'),
      settings: fc.record(settings, { requiredKeys: [] }).filter((each) => Object.keys(each).length > 0),
      schedule: hours,
      sequence: fc.record({ title: line, steps: fc.array(step, { minLength: 1, maxLength: 4 }) }),
      status: fc.constantFrom('running', 'paused'),
    },
    { requiredKeys: ['name'] },
  ),
  overlaid: fc.subarray(['settings', 'schedule', 'sequence', 'status']),
  numbers: fc.array(fc.nat(1000), { minLength: 1, maxLength: 60 }),
  eol: fc.constantFrom('\n', '\r\n'),
});
type Manifest = typeof manifest extends fc.Arbitrary<infer T> ? T : never;

/** Sections of the overlay are also in the base, with different values, if they can be merged. */
function written({ value, overlaid, numbers, eol }: Manifest): string {
  const values = Object.entries(value as JsonObject);
  const above = values.filter(([key]) => overlaid.includes(key));
  const base = values.filter(([key]) => !overlaid.includes(key));
  const overlay = above.length > 0 ? { environments: { production: Object.fromEntries(above) } } : {};
  return byHand({ ...Object.fromEntries(base), ...overlay }, picking(numbers), eol);
}

const live = fc.record({
  settings: fc.record(settings),
  schedule: hours,
  title: line,
  status: fc.constantFrom('active', 'paused', 'queued', 'draft'),
  steps: fc.array(step, { minLength: 1, maxLength: 4 }),
  kept: fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
});
type Live = typeof live extends fc.Arbitrary<infer T> ? T : never;

function full(email: JsonObject, over: JsonObject = {}): LiveEmail {
  const { variants: _, ...rest } = email;
  return { thread_reply: false, wait_in_days: 1, email_subject: '', email_body: '', ...over, ...rest };
}

/** The rows of a sequence for steps as in a manifest. Variants inherit from their steps. */
function rows(steps: readonly JsonObject[]): LiveEmail[] {
  return steps.flatMap((value, of) => {
    const base = full(value);
    const { wait_in_days, thread_reply } = base;
    const values = Array.isArray(value.variants) ? value.variants.filter(isObject) : [];
    return [base, ...values.map((each) => ({ ...full(each, { wait_in_days, thread_reply }), of }))];
  });
}

function shownBy({ value }: Manifest, { steps, kept, schedule, ...rest }: Live) {
  const desired = (value.sequence?.steps ?? []) as JsonObject[];
  const count = kept[0] ? steps.length : desired.length || 1;
  const mixed = Array.from({ length: count }, (_, at) => {
    const [old, young] = [desired[at], steps[at] as JsonObject | undefined];
    return (kept[at + 1] ? old : young) ?? old ?? young ?? {};
  });
  const { days, ...times } = schedule;
  return { ...rest, schedule: { ...weekOf(days), ...times }, emails: rows(mixed) };
}

const options: Options = { rules };

/** Lists, steps that moved, and keys that the manifest may not have. */
function isByHand({ path, text }: { path: string; text: string | null }): boolean {
  return text !== null && /^days$|^steps$|\.wait_in_days$|\.thread_reply$/.test(path);
}

test('after the update, a plan shows only what a person must do, whatever was written and whatever is live', () => {
  fc.assert(
    fc.property(manifest, live, (created, seen) => {
      const source = written(created);
      const shown = shownBy(created, seen);
      const { files, update: done } = update({ [FILE]: source }, shown, { ...options, applied: source });
      expect(
        done.by_hand.filter((value) => !isByHand(value)),
        source,
      ).toEqual([]);
      expect(done.in_sync).toBe(done.by_hand.length === 0);
      const after = files[FILE] ?? '';
      const again = update({ [FILE]: after }, shown, { ...options, applied: source });
      expect(again.files).toEqual({ [FILE]: after });
      expect(again.update).toEqual({
        ...done,
        updated: [],
        by_hand: done.by_hand.map((value) => ({ ...value, line: expect.any(Number) })),
      });
      if (created.eol === '\r\n') expect(after.replaceAll('\r\n', '')).not.toContain('\n');
      const gone = commentsOf(source).filter((comment) => !after.includes(comment));
      expect(gone, `${source}\n=====\n${after}`).toEqual([]);
    }),
    RUNS,
  );
});

function commentsOf(source: string): string[] {
  return source.match(/# c\d+: "x" - \[y\]/g) ?? [];
}

/** One field of one step that differs in the service. */
const altered = fc.record({
  original: manifest.filter(({ value }) => value.sequence !== undefined),
  change: fc.oneof(
    fc.record({ field: fc.constant('email_body'), to: text }),
    fc.record({ field: fc.constant('email_subject'), to: line }),
    fc.record({ field: fc.constant('wait_in_days'), to: wait }),
  ),
  at: fc.nat(),
});

test('only the bytes of changed values are edited, and texts are unchanged except for line endings', () => {
  fc.assert(
    fc.property(altered, ({ original: created, change: { field, to }, at }) => {
      const { title = '', steps = [] } = created.value.sequence ?? {};
      const index = at % steps.length;
      const bare = steps.map(({ variants: _, ...local }): JsonObject => local);
      const value = { name: 'Spring', sequence: { title, steps: bare } } as Manifest['value'];
      const source = written({ ...created, value });
      const emails = rows(
        bare.map((inner, position) => (position === index ? { ...inner, [field]: to } : inner)),
      );
      const { files, update: done } = update({ [FILE]: source }, { title, emails }, options);
      const after = files[FILE] ?? '';
      expect(after === source).toBe(done.updated.length === 0);
      if (done.updated.length === 0) return;
      const below = created.overlaid.includes('sequence') ? ['environments', 'production'] : [];
      const path = [...below, 'sequence', 'steps', index, field];
      const seen = valueAt(after, path);
      expect(field === 'email_body' ? canonicalText(String(seen)) : seen).toEqual(
        field === 'email_body' ? canonicalText(String(to)) : to,
      );
      expect(around(after, path)).toEqual(around(source, path));
    }),
    RUNS,
  );
});

function nodeOf(source: string, path: Path): Node | null {
  const composed = composeYaml(source);
  let node: unknown = 'documents' in composed ? composed.documents[0]?.contents : null;
  for (const part of path) {
    if (isSeq(node)) node = node.items[Number(part)];
    else if (isMap(node)) node = node.items.find(({ key }) => String(key) === part)?.value;
  }
  return isNode(node) ? node : null;
}

function valueAt(source: string, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, part) => (inner as Record<string, unknown>)[String(part)],
    parseYaml('', source).documents[0]?.value,
  );
}

/** The text before and after a value, without the line ending of a block. */
function around(source: string, path: Path): [before: string, behind: string] {
  const [start, end] = nodeOf(source, path)?.range ?? [0, 0];
  const value = source.slice(start, end).replace(/\r?\n$/, '');
  const head = /^[|>]/.test(value) ? (/^[^\r\n]*?( #[^\r\n]*)?(?=\r?\n)/.exec(value)?.[1] ?? '') : '';
  const behind = source.slice(start + value.length);
  return [source.slice(0, start), head === '' ? behind : head + behind];
}
