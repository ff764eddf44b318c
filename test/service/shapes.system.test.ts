import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AnswerName } from '../../src/model/answer.js';
import type { Failure } from '../../src/model/failure.js';
import type { Json } from '../../src/model/json.js';
import type { Shown } from '../../src/model/live.js';
import { createdCampaign } from '../../src/service/decode.js';
import { openReader, type Reader, readCampaigns } from '../../src/service/index.js';
import { readCases } from '../support/cases.js';
import { failureOf } from '../support/failure.js';
import { type Loopback, listen, options, type Reply, serve } from './loopback.js';
import responses from './responses.json' with { type: 'json' };

const campaign = { id: 5, name: 'Spring', status: 'draft', plain_text: true };
const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const hours = { start_time: '09:00:00', end_time: '17:00:00', timezone: 'Europe/Paris' };
const schedule = { ...Object.fromEntries(days.map((day) => [day, day === 'monday'])), ...hours };
const email = { email_body: 'Hello', wait_in_days: 3, thread_reply: false };
const steps = [
  { id: 1, email_subject: 'Hi', ...email },
  { id: 2, email_subject: 'Still there?', ...email },
];

let next: Reply = {};
let server: Loopback;
let reader: Reader;
beforeAll(async () => {
  server = await listen(() => next);
  reader = openReader(options(server.url));
});
afterAll(async () => {
  await reader.close();
  await server.close();
});

/** The decoded values, without the endpoint. */
function worded(part: Shown<unknown>, fault: (error: Failure) => string): string {
  if (part.is === 'unreadable') return fault(part.error);
  return part.is === 'shown'
    ? JSON.stringify(part.value, (_, value) =>
        value?.is === 'unreadable' ? fault(value.error) : value?.is ? (value.value ?? null) : value,
      )
    : 'nothing';
}

function read(answer: AnswerName, reply: Reply) {
  next = reply;
  return reader.read(answer, 5);
}

test('content is found in every envelope, and an unreadable response never counts as empty', async () => {
  const lines: string[] = [];
  for (const [answer, bodies] of readCases<Record<string, Json>>(import.meta.dirname, 'bodies')) {
    lines.push(`# ${answer}`);
    for (const [title, json] of Object.entries(bodies)) {
      const fault = ({ code, message }: Failure) => `${code}: ${message.replace(server.url, '')}`;
      const shown = await read(answer as AnswerName, { json }).catch(fault);
      lines.push(`${title}: ${typeof shown === 'string' ? shown : worded(shown, fault)}`);
    }
  }
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('golden/bodies.txt');
});

test.each(['campaign', 'schedule', 'sequence'] as const)('there is no %s', async (answer) => {
  const bodies = readCases<Json>(import.meta.dirname, 'nothing').map(([, json]): Reply => ({ json }));
  for (const reply of [
    ...bodies,
    { status: 404, json: { message: 'Not found' } },
    { status: 404 },
    { status: 204 },
  ]) {
    const path = { campaign: '', schedule: '/schedule', sequence: '/sequence-steps' }[answer];
    const endpoint = `GET /api/campaigns/5${path}`;
    expect(await read(answer, reply), JSON.stringify(reply)).toMatchObject({
      endpoint,
      is: expect.stringMatching(/^none/),
    });
  }
});

test.each(['schedule', 'sequence'] as const)('a message says that there is no %s', async (answer) => {
  for (const message of [
    'No schedule.',
    'The campaign has no sequence steps yet.',
    'Schedule not found for Errors',
  ])
    for (const json of [{ message }, { data: { message } }, { error: message }, { message, data: null }])
      expect(await read(answer, { json }), JSON.stringify(json)).toMatchObject({ is: 'none' });
});

test('a schedule whose fields are all null is no schedule', async () => {
  const fields = [...days, 'start_time', 'end_time', 'timezone'];
  const json = { data: { id: 7, ...Object.fromEntries(fields.map((name) => [name, null])) } };
  expect(await read('schedule', { json })).toMatchObject({ is: 'none' });
  expect(await read('schedule', { json: { data: { ...json.data, monday: true } } })).toMatchObject({
    is: 'unreadable',
  });
});

test('any other message is no schedule, and no empty sequence', async () => {
  for (const message of ['Unauthenticated.', 'Your subscription does not allow this', 'Done', ''])
    expect(await failureOf(read('sequence', { json: { message } }))).toMatchObject({
      code: 'unreadable-answer',
    });
  expect(await read('schedule', { json: { message: 'Unauthenticated.' } })).toMatchObject({
    is: 'unreadable',
  });
});

describe('hostile input', () => {
  test('as a key reaches no prototype', async () => {
    const text =
      '{"data":{"campaign":{"id":5,"__proto__":{"polluted":true}},"settings":{"__proto__":{"polluted":true}}}}';
    await read('campaign', { text });
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  test('as nesting without end is a fault', async () => {
    const text = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expect(await failureOf(read('sequence', { text }))).toMatchObject({ code: 'service-unreadable' });
  });
});

describe('steps on several announced pages', () => {
  const [first] = steps;
  test.each<[string, Reply]>([
    ['a link', { json: { data: [first], links: { next: '/api/campaigns/5/sequence-steps?page=2' } } }],
    ['a link in a header', { json: [first], headers: { link: '</steps?page=2>; rel="next"' } }],
    ['a cursor', { json: { data: [first], next_cursor: 'abc' } }],
    ['a flag', { json: { data: [first], has_more: true } }],
    ['a last page', { json: { data: [first], meta: { current_page: 1, last_page: 2 } } }],
    ['a total', { json: { data: [first], meta: { total: 2 } } }],
    ['a token of an unknown form', { json: { data: [first], continuation: 'abc' } }],
    ['a total, on an empty page', { json: { data: [], meta: { total: 2 } } }],
  ])('are unreadable, if announced by %s', async (_, reply) => {
    const before = server.arrived.length;
    expect(await failureOf(read('sequence', reply))).toMatchObject({
      code: 'unreadable-answer',
      message: expect.stringMatching(
        /^The response to GET http:\/\/127\.0\.0\.1:\d+\/api\/campaigns\/5\/sequence-steps cannot be read: .* several pages\.$/,
      ),
    });
    expect(server.arrived.length - before).toBe(1);
  });
});

describe('the id of a created campaign', () => {
  test.each([
    [{ id: 53 }, 53],
    [{ data: { id: 53, name: 'Spring' } }, 53],
    [{ data: { id: '53' } }, 53],
    [{ campaign: { id: 53 } }, 53],
    [{ result: { campaign_id: '53' } }, 53],
    [{ success: true, data: { campaign: { id: 53 } } }, 53],
    [{ success: true, campaign_id: 53 }, 53],
    [{ campaignId: 53 }, 53],
    [{ data: { campaignId: '53' } }, 53],
    [{ data: 53 }, 53],
    [53, 53],
    [[{ id: 53 }], 53],
    [null, null],
    [{}, null],
    [{ success: true }, null],
    [{ id: 1.5 }, null],
    [{ id: 2 ** 53 }, null],
    [{ id: '9007199254740993' }, null],
    [{ id: -1 }, null],
    [{ data: { uuid: '53' } }, null],
  ] as [Json, number | null][])('%j', (body, id) => {
    expect(createdCampaign(body)?.id ?? null).toBe(id);
  });
});

describe('bodies from real services', () => {
  test('of a campaign', async () => {
    next = { json: responses.campaign };
    expect(await reader.read('campaign', 52)).toMatchObject({
      value: { name: { value: responses.campaign.data.name } },
    });
  });
  test('of a schedule and of steps', async () => {
    const { schedule, sequence } = responses;
    expect(await read('schedule', { json: schedule })).toMatchObject({ is: 'shown' });
    const steps = [
      { id: 174, variants: [{ id: 176 }] },
      { id: 175, variants: [] },
    ];
    expect(await read('sequence', { json: sequence })).toMatchObject({ value: { title: null, steps } });
  });
  test.each([
    ['schedule', 200],
    ['sequence', 200],
    ['campaign', 404],
  ] as const)('that there is no %s', async (answer, status) => {
    const json = responses[`no ${answer}`];
    expect(await read(answer, { status, json })).toMatchObject({ is: 'none' });
  });
  test('of templates', async () => {
    next = { json: responses['no templates'] };
    expect(await reader.templates()).toEqual([]);
    next = { json: responses.templates };
    expect(await reader.templates()).toMatchObject(
      responses.templates.data.map(({ id }) => ({ id, hours: { is: 'shown' } })),
    );
  });
  test('of a creation', () => {
    expect(createdCampaign(responses.creation)?.id).toBe(53);
  });
  test('of an empty list', async () => {
    next = { json: responses['empty list'] };
    expect(await reader.campaigns()).toEqual([]);
  });
});

describe('the answers of several campaigns', () => {
  test('are returned in the requested order, each read once', async () => {
    const many = await serve(({ path }) => {
      const id = Number(/campaigns\/(\d+)/.exec(path)?.[1]);
      return path.endsWith('schedule')
        ? { json: { data: { ...schedule, id } } }
        : { json: { data: { ...campaign, id } } };
    });
    const local = openReader(options(many.url));
    const wanted = Array.from({ length: 300 }, (_, index) => ({
      id: 300 - index,
      names: ['campaign', 'schedule'] as const,
    }));
    const answers = await readCampaigns(local, wanted);
    expect(answers).toMatchObject(
      wanted.map(({ id }) => ({
        campaign: { endpoint: `GET /api/campaigns/${id}` },
        schedule: { endpoint: `GET /api/campaigns/${id}/schedule` },
        sequence: { is: 'not-read' },
      })),
    );
    expect(new Set(many.arrived.map(({ path }) => path)).size).toBe(600);
    expect(many.arrived.length).toBe(600);
    await local.close();
    await many.close();
  });

  test('end with the first failure, and nothing more is requested', async () => {
    let reads = 0;
    const failing: Reader = {
      campaigns: async () => [],
      someCampaigns: async () => null,
      templates: async () => [],
      expect: () => undefined,
      close: async () => undefined,
      async read(_, id) {
        reads += 1;
        await new Promise((resolve) => setImmediate(resolve));
        if (id === 1) throw new Error('no access');
        return { is: 'none', endpoint: '', answered: 'null' } as const;
      },
    };
    const wanted = Array.from({ length: 1000 }, (_, index) => ({
      id: index + 1,
      names: ['campaign'] as const,
    }));
    await expect(readCampaigns(failing, wanted)).rejects.toThrow('no access');
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(reads).toBeLessThan(200);
  });
});
