import { describe, expect, test } from 'vitest';
import { failureOf } from '../support/failure.js';
import { type Arrived, connect, type Reply, serve } from './loopback.js';
import responses from './responses.json' with { type: 'json' };

/** Campaigns 1 to `count` as the service lists them. */
function campaigns(count: number) {
  return Array.from({ length: count }, (_, index) => ({
    id: index + 1,
    name: `Campaign ${index + 1}`,
    status: 'draft',
  }));
}

/** The rows as the reader returns them. None of these services shows lead counts. */
function listed(rows: readonly ReturnType<typeof campaigns>[number][]) {
  return rows.map((row) => ({ ...row, total_leads: null, updated_at: null }));
}

type Query = { page: number | null; cursor: string | null; url: URL };

/** Reads the list from a server whose responses depend on the query. Returns campaigns or the failure, and the requests. */
async function readFrom(reply: (query: Query, request: Arrived, count: number) => Reply) {
  const server = await serve((request, count) => {
    const url = new URL(request.path, 'http://service.test');
    const page = url.searchParams.get('page');
    return reply(
      { url, page: page === null ? null : Number(page), cursor: url.searchParams.get('cursor') },
      request,
      count,
    );
  });
  const reader = connect(server.url);
  const result = await reader.campaigns().catch((error: Error) => error);
  const asked = server.arrived.map(({ path }) => path.replace('/api/campaigns', ''));
  return { result, asked };
}

/** Rows of the page, three per page. */
function slice<Row>(all: readonly Row[], page: number | null): Row[] {
  const first = ((page ?? 1) - 1) * 3;
  return all.slice(first, first + 3);
}

const all = campaigns(8);

/** A page of three campaigns by number or cursor, and the number of the next page; `null` on the last. */
function paged({ page, cursor }: Query) {
  const number = page ?? 1;
  const at = Number(cursor?.replace('c', '') ?? 1);
  const next = number >= 3 ? null : number + 1;
  const after = at >= 3 ? null : at + 1;
  return { rows: slice(all, page), next, link: next && `?page=${next}`, found: slice(all, at), after };
}

describe('a list is read whole', () => {
  const bodies: [string, (shown: ReturnType<typeof paged>) => unknown][] = [
    ['unpaged, page ignored', () => ({ data: all })],
    ['unpaged and bare', () => all],
    ['unpaged, named', () => ({ campaigns: all })],
    ['numbered without metadata', ({ rows }) => rows],
    ['numbered, the total is that of the page', ({ rows }) => ({ data: rows, meta: { total: rows.length } })],
    [
      'numbered, the total is that of the page and stays the first one',
      ({ rows }) => ({ total: 3, data: rows }),
    ],
    [
      'links and meta',
      ({ rows, link }) => ({
        data: rows,
        links: { next: link },
        meta: { last_page: 3, total: 8, links: [{ url: null, label: '1' }] },
      }),
    ],
    ['links only, absent at the end', ({ rows, link }) => ({ data: rows, ...(link && { next: link }) })],
    ['metadata at the root, numbers as text', ({ rows }) => ({ data: rows, last_page: '3', total: '8' })],
    ['Laravel at the root', ({ rows, link }) => ({ data: rows, last_page: 3, next_page_url: link })],
    [
      'metadata inside data',
      ({ rows }) => ({ success: true, data: { campaigns: rows, pagination: { total_pages: 3 } } }),
    ],
    [
      'meta.pagination',
      ({ rows }) => ({ campaigns: rows, meta: { pagination: { total_pages: 3, total: 8 } } }),
    ],
    [
      'links in objects',
      ({ rows, link }) => ({ data: rows, ...(link && { paging: { next: { after: 'x', link } } }) }),
    ],
    ['total_results only', ({ rows }) => ({ data: rows, meta: { total_results: 8 } })],
    [
      'unpaged, with fields that only resemble pagination',
      () => ({
        ...{ data: all, message: 'next page', request_id: 'abc', path: '/next', next_send_at: '2026-11-02' },
        links: { first: 'a', prev: 'b', self: 'c' },
        meta: { per_page: 15, count: 3, prev_cursor: 'abc', current_page: 1, cursor: null, continuation: '' },
      }),
    ],
    [
      'numbered without metadata, with an unknown token',
      ({ rows, next }) => ({ data: rows, meta: { continuation: `abc${next}` } }),
    ],
    [
      'unpaged, with an unknown token and a total that is reached',
      () => ({ data: all, after: 'abc', total: 8 }),
    ],
    ['total only', ({ rows }) => ({ items: rows, total: 8 })],
    ['has_more', ({ rows, next }) => ({ data: rows, has_more: next !== null })],
    ['next page as number', ({ rows, next }) => ({ data: rows, next_page: next })],
    [
      'cursors, page ignored',
      ({ found: matches, after }) => ({ data: matches, meta: { next_cursor: after && `${after}` } }),
    ],
    [
      'cursors in a separate object',
      ({ found, after }) => ({ data: found, meta: { cursor: { next: after && `c${after}` } } }),
    ],
    [
      'cursors in links',
      ({ found, after }) => ({ data: found, links: { next: after && `/api/campaigns?cursor=${after}` } }),
    ],
    [
      'a cursor after the last row, has_more false',
      ({ found, after }) => ({ data: found, next_cursor: `${after ?? 4}`, has_more: after !== null }),
    ],
    ['each row in an envelope', ({ rows }) => rows.map((campaign) => ({ campaign }))],
    [
      'ids as text under a different name',
      ({ rows }) => rows.map(({ id, ...rest }) => ({ campaign_id: String(id), ...rest })),
    ],
  ];
  const refused = { status: 422, json: {} };
  const replies: [string, (query: Query, request: Arrived) => Reply][] = [
    [
      'unpaged, page refused with 400',
      ({ page }) => (page === null ? { json: all } : { ...refused, status: 400 }),
    ],
    ['unpaged, page refused with 422', ({ page }) => (page === null ? { json: all } : refused)],
    [
      'unpaged, further pages refused',
      ({ page }) => (page === 1 ? { json: all } : { ...refused, status: 404 }),
    ],
    [
      'numbered without metadata, the last page repeated',
      ({ page }) => ({ json: slice(all, Math.min(page ?? 1, 3)) }),
    ],
    [
      'absolute links',
      (query, { headers }) => {
        const { rows, link } = paged(query);
        return {
          json: { data: rows, links: { next: link && `http://${headers.host}/api/campaigns${link}` } },
        };
      },
    ],
    [
      'numbered without metadata, further pages refused, with an unknown token',
      ({ page }) => (page === 1 ? { json: { data: all, cursor: 'abc' } } : { ...refused, status: 404 }),
    ],
    [
      'Link header',
      (query) => {
        const { rows, link } = paged(query);
        const header = `</api/campaigns?page=1>; rel="first", </api/campaigns${link}>; rel="next"`;
        return { json: rows, headers: link === null ? {} : { link: header } };
      },
    ],
    [
      'cursors, page refused',
      (query) => {
        const { found, after } = paged(query);
        return query.page === null ? { json: { data: found, next_cursor: after && `${after}` } } : refused;
      },
    ],
  ];
  const table = [
    ...bodies.map(
      ([title, body]) =>
        [title, (query: Query) => ({ json: body(paged(query)) })] as (typeof replies)[number],
    ),
    ...replies,
  ];
  test.each(table)('%s', async (_, reply) => {
    const { result, asked } = await readFrom(reply);
    expect(result).toEqual(listed(all));
    // Several pages without a total are read until two readings agree.
    const pages = new Set(asked);
    expect(pages.size).toBeLessThanOrEqual(5);
    expect([pages.size, 2 * pages.size]).toContain(asked.length);
  });

  const three = all.slice(0, 3);
  test.each<[string, (page: number | null) => Reply]>([
    ['repeats page 1', () => ({ json: three })],
    ['is empty', (page) => ({ json: page === 1 ? three : [] })],
    ['is refused', (page) => (page === 1 ? { json: three } : { status: 404, json: {} })],
    ['repeats page 1 with its number of rows', () => ({ json: { data: three, total: 3 } })],
  ])('one page without page information takes two requests: page 2 %s', async (_, reply) => {
    const { result, asked } = await readFrom(({ page }) => reply(page));
    expect(result).toEqual(listed(three));
    expect(asked).toEqual(['?page=1', '?page=2']);
  });

  test('an announced page that is empty, because page 1 was deleted meanwhile, causes another reading', async () => {
    const six = all.slice(0, 6);
    const { result } = await readFrom(({ page }, _, count) => {
      const rows = count === 1 ? six : six.slice(3);
      const shown = slice(rows, page);
      return { json: { data: shown, total: shown.length, has_more: rows.length > 3 * (page ?? 1) } };
    });
    expect(result).toEqual(listed(six.slice(3)));
  });

  test('many numbered pages, each requested once', async () => {
    const many = campaigns(300);
    const { result, asked } = await readFrom(({ page }) => ({
      json: { data: slice(many, page), meta: { last_page: 100, total: 300 } },
    }));
    expect(result).toEqual(listed(many));
    expect([...asked].sort()).toEqual(Array.from({ length: 100 }, (_, index) => `?page=${index + 1}`).sort());
  });

  test('pages of real services', async () => {
    const { list: first } = responses;
    const { result } = await readFrom(({ page, url }, { headers }) => {
      const text = JSON.stringify(first).replaceAll('https://send.example.com', `http://${headers.host}`);
      const json = JSON.parse(text);
      if (page === 1) return { json: { ...json, meta: { ...json.meta, total: 5 } } };
      return {
        json: {
          data: [
            { id: 51, name: 'Q2', status: 'paused' },
            { id: 50, name: 'Q1', status: ' ' },
            { id: 49, name: 'Q0', max_emails_per_day: null, settings: { max_emails_per_day: 100 } },
          ],
          links: { next: null },
          meta: { total: 5, path: url.pathname },
        },
      };
    });
    const updated_at = '2026-09-13T20:11:34.000000Z';
    const nothing = { sent: 0, replies: 0, bounced: 0, leads: 0, leads_contacted: 0 };
    const some = { sent: 120, replies: 4, bounced: 0, leads: 300, leads_contacted: 88 };
    expect(result).toEqual([
      {
        ...{ id: 53, name: 'Q3 Installers | Google', status: 'draft', total_leads: 0, updated_at },
        numbers: { results: nothing, cap: 1000 },
        record: expect.objectContaining({ id: 53, status: 'draft', plain_text: expect.any(Boolean) }),
      },
      {
        ...{ id: 52, name: 'Q3 Installers | Microsoft', status: 'active', total_leads: 300, updated_at },
        numbers: { results: some, cap: 1000 },
        record: expect.objectContaining({ id: 52, status: 'active' }),
      },
      { id: 51, name: 'Q2', status: 'paused', total_leads: null, updated_at: null },
      { id: 50, name: 'Q1', status: null, total_leads: null, updated_at: null },
      {
        ...{ id: 49, name: 'Q0', status: null, total_leads: null, updated_at: null },
        // As in the record, `settings` has precedence.
        numbers: {
          results: { sent: null, replies: null, bounced: null, leads: null, leads_contacted: null },
          cap: 100,
        },
      },
    ]);
  });

  test('a full page before an empty one', async () => {
    const fifteen = all.slice(0, 5);
    const meta = { per_page: 5, from: 1, to: 5 };
    const { result } = await readFrom(({ page }) => ({
      json: { data: page === 1 ? fifteen : [], meta: page === 1 ? meta : {} },
    }));
    expect(result).toEqual(listed(fifteen));
  });

  test('a message that nothing exists', async () => {
    expect(
      (await readFrom(() => ({ json: { data: { success: false, message: 'No campaigns found' } } }))).result,
    ).toEqual([]);
  });

  test('a list that moved while it was read is read again', async () => {
    const { result, asked } = await readFrom(({ page }, _, count) => {
      // On the first walk a campaign of page 1 is deleted before page 2 is read, so campaign 4 slides to page 1.
      const live = count === 1 ? all.slice(0, 5) : all.slice(1, 5);
      return { json: { data: slice(live, page), meta: { last_page: 2, total: live.length } } };
    });
    expect(result).toEqual(listed(all.slice(1, 5)));
    expect(asked).toEqual(['?page=1', '?page=2', '?page=1', '?page=2']);
  });
});

describe('an incomplete list is an error', () => {
  const bodies: [string, (page: number | null) => unknown, string][] = [
    ['fewer than the total', () => ({ data: all, meta: { total: 9, last_page: 1 } }), 'rows read: 8 of 9'],
    [
      'an announced page is empty',
      (page) => ({ data: page === 1 ? all : [], has_more: true }),
      'contains nothing new; rows read: 8',
    ],
    ['an announced page repeats page 1', () => ({ data: all, last_page: 2 }), 'contains nothing new'],
    ['a link leads back', () => ({ data: all, next: '/api/campaigns?page=1' }), 'links back'],
    [
      'the total shrinks while reading',
      (page) => ({
        data: slice(all.slice(0, 5), page).slice(page === 2 ? 1 : 0),
        ...{ last_page: 2, total: page === 1 ? 5 : 4 },
      }),
      'its total changed from 5 to 4 while it was being read',
    ],
    [
      'a row of page 1 is repeated on page 2',
      (page) => ({ data: page === 2 ? all.slice(2, 5) : slice(all.slice(0, 5), page) }),
      'it changed while it was being read: id 3 is on two pages',
    ],
    [
      'a page in the middle is short',
      (page) => ({ data: slice(all, page).slice(page === 2 ? 1 : 0), last_page: 3 }),
      'shorter than the first',
    ],
    [
      'the last page is empty despite a larger total',
      (page) => ({ data: slice(all.slice(0, 6), page), total: 8 }),
      'contains nothing new; rows read: 6 of 8',
    ],
    [
      'the total grows while reading, the last page does not',
      (page) => ({ data: slice(all, page), last_page: 3, total: page === 3 ? 9 : 8 }),
      'its total changed from 8 to 9 while it was being read',
    ],
    [
      'fewer than the total, under a different name',
      () => ({ data: all, pagination: { totalCount: 9 }, has_more: false }),
      'rows read: 8 of 9',
    ],
    [
      'a full page is repeated as the next',
      () => ({ data: all, meta: { per_page: 8 } }),
      'page 1 is full (8 rows), and page 2 repeats it',
    ],
    ['a full page by its limit', () => ({ data: all, limit: 8 }), 'page 1 is full (8'],
    [
      'fewer than it counts',
      () => ({ count: 40, next: null, results: all }),
      'rows read: 8, but the response indicates at least 40',
    ],
    [
      'two campaigns with one id',
      () => [...all, { id: 3, name: 'Another', status: 'draft' }],
      'id 3 is listed twice, with different names',
    ],
    ...[
      { meta: { continuation: 'abc' } },
      { paging: { after: 'abc' } },
      { paging: { next: { after: 'abc' } } },
      { continuationToken: 'abc' },
      { next_offset: 15 },
      { cursor: 'abc' },
      { isTruncated: true },
      { meta: { scroll_id: 'abc' } },
    ].map((beside): [string, () => unknown, string] => [
      `page 2 repeats page 1, with ${JSON.stringify(beside)}`,
      () => ({ data: all, ...beside }),
      'it may have more pages: the response contains "',
    ]),
    [
      'a next page that needs an unknown parameter',
      () => ({ data: slice(all, 1), nextPageToken: 'abc' }),
      '',
    ],
    ['no rows despite a total', () => ({ data: [], total: 3 }), 'rows read: 0 of 3'],
  ];
  const replies: [string, (page: number | null) => Reply, string][] = [
    [
      'an announced page is unknown',
      (page) => (page === 1 ? { json: { data: all, last_page: 2 } } : { status: 404, json: {} }),
      'contains nothing new',
    ],
    ['a part, by its status', () => ({ status: 206, json: all }), 'the response is partial (status 206)'],
    [
      'a part, by its range',
      () => ({ status: 206, headers: { 'content-range': 'items 0-7/40' }, json: all }),
      'rows read: 8 of 40',
    ],
    [
      'fewer than the total of a header',
      () => ({ headers: { 'x-total-count': '40' }, json: all }),
      'rows read: 8 of 40',
    ],
    [
      'a token that is not known, and a service that refuses page numbers',
      (page) =>
        page === null ? { json: { data: all, paging: { after: 'abc' } } } : { status: 422, json: {} },
      'contains "after"',
    ],
  ];
  const table = [
    ...bodies.map(([title, body, text]): (typeof replies)[number] => [
      title,
      (page) => ({ json: body(page) }),
      text,
    ]),
    ...replies,
  ];
  test.each(table)('%s', async (_, reply, expected) => {
    const { result } = await readFrom(({ page }) => reply(page));
    expect(result).toMatchObject({ code: 'incomplete-list', exitCode: 1 });
    expect((result as Error).message).toContain(expected);
  });

  test.each([
    ['no list', { message: 'ok' }],
    ['null', null],
    ['{}', {}],
    ['data: null', { data: null }],
    ['success: false without a message', { success: false }],
    ['a row without id', [{ name: 'Spring' }]],
    ['a row with an id beyond exact numbers', [{ id: 2 ** 53, name: 'Spring' }]],
    ['a row without name', [{ id: 1 }]],
    ['a row that is text', ['Spring']],
  ])('%s', async (_, json) => {
    expect((await readFrom(() => ({ json }))).result).toMatchObject({ code: 'unreadable-answer' });
  });

  test('an empty list with an error', async () => {
    const { result } = await readFrom(() => ({ json: { data: [], error: 'timeout' } }));
    expect(result).toMatchObject({ code: 'service-unreadable', message: expect.stringContaining('timeout') });
  });

  test('the response is quoted, shortened and with visible characters', async () => {
    const { result } = await readFrom(() => ({
      json: [{ id: `\u001b[31m\u202e${'x'.repeat(200)}`, name: 'Spring' }],
    }));
    expect((result as Error).message).toContain(` got "\\u001b[31m<U+202E>${'x'.repeat(68)}….`);
  });

  test('a page in the middle that cannot be read', async () => {
    for (const meta of [{}, { last_page: 3 }]) {
      const { result } = await readFrom(({ page }) =>
        page === 2
          ? { status: 500, json: { message: 'Server Error' } }
          : { json: { data: slice(all, page), meta } },
      );
      expect(result).toMatchObject({
        code: 'service-unreadable',
        message: expect.stringMatching(/\?page=2 .*tried 5 times.* 500: Server Error\.$/),
      });
    }
  });

  test('unless the campaign that was listed twice is listed once in the next reading', async () => {
    const { result } = await readFrom((_, __, count) => ({
      json: count === 1 ? [...all, { id: 3, name: 'Another', status: 'draft' }] : all,
    }));
    expect(result).toEqual(listed(all));
  });

  test.each([
    [404, 'service-refused'],
    [204, 'unreadable-answer'],
    [403, 'no-access'],
  ])('status %i', async (status, code) => {
    expect(
      (await readFrom(() => ({ status, ...(status === 204 ? {} : { json: { message: 'no' } }) }))).result,
    ).toMatchObject({ code });
  });
});

describe('templates', () => {
  test('are read from all pages under their own name', async () => {
    const rows = [1, 2].map((id) => ({ id, monday: true }));
    const server = await serve(({ path }) => ({
      json: {
        templates: [rows[path.includes('page=2') ? 1 : 0]],
        links: { next: path.includes('page=2') ? null : '?page=2' },
      },
    }));
    const reader = connect(server.url);
    expect((await reader.templates()).map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
  });

  test.each([
    { status: 404, json: { message: 'Not found' } },
    { json: { data: null } },
    { json: { success: false, message: 'No templates yet' } },
  ] as Reply[])('may be none: %j', async (reply) => {
    const server = await serve(() => reply);
    const reader = connect(server.url);
    expect(await reader.templates()).toEqual([]);
  });

  test('without an id are an error', async () => {
    const server = await serve(() => ({ json: { data: [{ monday: true }] } }));
    const reader = connect(server.url);
    expect(await failureOf(reader.templates())).toMatchObject({ code: 'unreadable-answer' });
  });
});

test('an endless list becomes an error, and does not fill the memory', async () => {
  let page = 0;
  const name = 'x'.repeat(8 * 1024 * 1024);
  const { result } = await readFrom(() => {
    page += 1;
    return {
      json: { data: [{ id: page, name, status: 'draft' }], next_page_url: `/api/campaigns?page=${page + 1}` },
    };
  });
  expect(result).toMatchObject({ code: 'endless-list', exitCode: 1 });
  expect(page).toBeLessThan(40);
});
