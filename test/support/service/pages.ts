import { wrapped } from './answers.js';
import type { Shape } from './shape.js';

export interface Page {
  body: unknown;
  headers: Record<string, string>;
}

interface Asked {
  query: URLSearchParams;
  /** The list's address, without a query. */
  url: string;
  /** Name of the content, for envelopes that use it. */
  name: string;
}

/**
 * Returns the requested page in the shape's form, or `null` if the service has no such page. Ignores `per_page`, as
 * services do. `dress` formats a row.
 */
export function pageOf<T>(
  rows: readonly T[],
  dress: (row: T) => unknown,
  { query, url, name }: Asked,
  shape: Shape,
): Page | null {
  const { list, pageSize: size } = shape;
  if (list === 'no-queries' && query.size > 0) return null;
  const last = Math.max(1, Math.ceil(rows.length / size));
  const cursors = list.startsWith('cursor');
  const asked = cursors ? decodeCursor(query.get('cursor')) : Number(query.get('page') ?? 1);
  const number = list === 'numbered-clamped' ? Math.min(asked, last) : asked;
  if (list === 'numbered-404' && number > last) return null;
  const whole = list === 'unpaged' || list === 'no-queries';
  const slice = (whole ? rows : rows.slice((number - 1) * size, number * size)).map(dress);
  const base = list === 'cursor-relative' ? new URL(url).pathname : url;
  const address = (page: number) => `${base}?${cursors ? `cursor=${encodeCursor(page)}` : `page=${page}`}`;
  const next = number < last ? address(number + 1) : null;
  const prev = number > 1 ? address(number - 1) : null;
  const counts = {
    current_page: number,
    from: slice.length === 0 ? null : (number - 1) * size + 1,
    last_page: last,
    per_page: size,
    to: slice.length === 0 ? null : (number - 1) * size + slice.length,
    total: rows.length,
  };
  const links = { first: cursors ? null : address(1), last: cursors ? null : address(last), prev, next };
  const enveloped = (more: object, headers: Record<string, string>): Page =>
    shape.envelope === 'bare'
      ? { body: slice, headers }
      : { body: { ...(wrapped(slice, name, shape) as object), ...more }, headers: {} };
  // A bare list has no room for metadata, so metadata that has no header needs an envelope.
  const roomy = shape.envelope === 'bare' ? { ...shape, envelope: 'data' as const } : shape;
  const withMeta = (meta: object): Page => ({
    body: { ...(wrapped(slice, name, roomy) as object), meta },
    headers: {},
  });
  switch (list) {
    case 'unpaged':
    case 'no-queries':
    case 'numbered-silent':
    case 'numbered-clamped':
    case 'numbered-404':
      return { body: wrapped(slice, name, shape), headers: {} };
    case 'numbered':
      return enveloped({ links, meta: { ...counts, path: url } }, linkHeader(next));
    case 'numbered-links':
      return enveloped({ links }, linkHeader(next));
    case 'numbered-meta':
      return withMeta(counts);
    case 'cursor-link':
    case 'cursor-relative':
      return enveloped({ links, meta: { path: url, per_page: size } }, linkHeader(next));
    case 'cursor-token':
      return withMeta({ per_page: size, next_cursor: next === null ? null : encodeCursor(number + 1) });
    case 'total':
      return enveloped({ total: rows.length }, { 'x-total-count': String(rows.length) });
    case 'paginator': {
      const paginator = { ...counts, data: slice, path: url, next_page_url: next, prev_page_url: prev };
      // A paginator has a `data` key itself, so it is not wrapped in `data`.
      const envelope = shape.envelope === 'data' ? 'bare' : shape.envelope;
      return { body: wrapped(paginator, name, { ...shape, envelope }), headers: {} };
    }
  }
}

function linkHeader(next: string | null): Record<string, string> {
  return next === null ? {} : { link: `<${next}>; rel="next"` };
}

function encodeCursor(page: number): string {
  return Buffer.from(JSON.stringify({ page })).toString('base64url');
}

function decodeCursor(cursor: string | null): number {
  if (cursor === null) return 1;
  return Number(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')).page);
}
