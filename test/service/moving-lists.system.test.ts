import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openReader } from '../../src/service/index.js';
import { pageOf } from '../support/service/pages.js';
import { CHOICES, shaped } from '../support/service/shape.js';
import { listen, options } from './loopback.js';

type Act =
  | { kind: 'move'; at: number; to: number }
  | { kind: 'add' | 'remove' | 'move-page' | 'add-page' | 'remove-page'; at: number; to: null }
  | null;

interface Row {
  id: number;
  name: string;
}

const place = fc.nat({ max: 11 });
const move = fc.record({ kind: fc.constant('move' as const), at: place, to: place });
const change = (kind: 'add' | 'remove' | 'move-page' | 'add-page' | 'remove-page') =>
  fc.record({ kind: fc.constant(kind), at: place, to: fc.constant(null) });

/** A total proves nothing if one campaign is created and another deleted, so with totals, only one of the two happens. */
const TOTALS: readonly string[] = ['numbered', 'numbered-meta', 'paginator', 'total'];
/**
 * Lists whose pages do not say whether another page follows. An empty or repeated page 2 ends them. Rows that are removed,
 * and whole pages that move, between the first two requests are not detected (docs/decisions/0003).
 */
const SILENT: readonly string[] = ['numbered-silent', 'numbered-clamped', 'numbered-404', 'total'];

const cases = fc
  .record({ list: fc.constantFrom(...CHOICES.list), envelope: fc.constantFrom(...CHOICES.envelope) })
  .chain(({ list, envelope }) =>
    fc.record({
      shape: fc
        .integer({ min: SILENT.includes(list) ? 2 : 1, max: 4 })
        .map((pageSize) => ({ ...shaped({ list, envelope }), pageSize })),
      count: fc.nat({ max: 9 }),
      acts: fc.constantFrom('add' as const, 'remove' as const).chain((word) => {
        const changes = (TOTALS.includes(list) ? [word] : (['add', 'remove'] as const)).flatMap((kind) => [
          change(kind),
          change(`${kind}-page`),
        ]);
        const silent = fc.oneof(fc.constant(null), move, change('add'));
        const spoken = fc.oneof(fc.constant(null), move, change('move-page'), ...changes);
        const act: fc.Arbitrary<Act> = SILENT.includes(list) ? silent : spoken;
        return fc.array(act, { maxLength: 40 });
      }),
      ofPage: fc.constantFrom(...(list === 'numbered-silent' ? [null, 'count', 'total'] : [null])),
    }),
  );

/** The list after one change. Campaigns are moved and added at the top, as in a service that lists recent changes first. */
function acted(rows: readonly Row[], act: Act, size: number, id: number): Row[] {
  if (act === null) return [...rows];
  const rowsFrom = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ id: id + at, name: `Campaign ${id + at}` }));
  if (act.kind === 'add') return rows.toSpliced(act.at % (rows.length + 1), 0, ...rowsFrom(1));
  if (act.kind === 'add-page') return [...rowsFrom(size), ...rows];
  if (rows.length === 0) return [];
  const page = Math.floor((act.at % rows.length) / size) * size;
  if (act.kind === 'move-page') return [...rows.slice(page, page + size), ...rows.toSpliced(page, size)];
  if (act.kind === 'remove-page') return rows.toSpliced(page, size);
  if (act.to === null) return rows.toSpliced(act.at % rows.length, 1);
  const [moved, ...none] = rows.slice(act.at % rows.length);
  const others = rows.filter((row) => row !== moved);
  return moved === undefined ? none : others.toSpliced(act.to % rows.length, 0, moved);
}

test('a campaign that exists the whole time is never missing from a moving list', async () => {
  let [input, refused] = [0, 0];
  await fc.assert(
    fc.asyncProperty(cases, async ({ shape, count, acts, ofPage }) => {
      let rows: Row[] = Array.from({ length: count }, (_, at) => ({
        id: at + 1,
        name: `Campaign ${at + 1}`,
      }));
      const lasting = new Set(rows.map(({ id }) => id));
      const server = await listen(({ path }, arrived) => {
        rows = acted(rows, acts[arrived - 1] ?? null, shape.pageSize, 100 * arrived);
        const there = new Set(rows.map(({ id }) => id));
        for (const id of lasting) if (!there.has(id)) lasting.delete(id);
        const url = new URL(path, server.url);
        const asked = { query: url.searchParams, url: `${server.url}${url.pathname}`, name: 'campaigns' };
        const page = pageOf(rows, (row) => row, asked, shape);
        if (page === null) return { status: 404, json: {} };
        const number = Number(url.searchParams.get('page') ?? 1);
        const length = rows.slice((number - 1) * shape.pageSize, number * shape.pageSize).length;
        const isList = ofPage === null || Array.isArray(page.body);
        const json = isList ? page.body : { ...(page.body as object), [ofPage]: length };
        return { headers: page.headers, json };
      });
      const reader = openReader(options(server.url));
      try {
        const read = await reader.campaigns().catch((error: Error) => error);
        if (read instanceof Error) {
          refused += 1;
          expect(read).toMatchObject({ code: 'incomplete-list' });
          // Two of four readings at most are disturbed: the others agree.
          expect(acts.slice(2).some((act) => act !== null)).toBe(true);
        } else {
          input += 1;
          const seen = read.map(({ id }) => id);
          expect([...lasting].filter((id) => !seen.includes(id))).toEqual([]);
          expect(new Set(seen).size).toBe(seen.length);
        }
      } finally {
        await reader.close();
        await server.close();
      }
    }),
    { numRuns: Number(process.env.TRUST_CASES ?? 120) },
  );
  expect(Math.min(input, refused)).toBeGreaterThan(2);
}, 120_000);
