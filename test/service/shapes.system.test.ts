import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AnswerName } from '../../src/model/answer.js';
import type { Json } from '../../src/model/json.js';
import { createdCampaign, openReader, type Reader, readAnswers } from '../../src/service/index.js';
import { failureOf, type Loopback, listen, options, type Reply, serve } from './loopback.js';
import responses from './responses.json' with { type: 'json' };

const campaign = { id: 5, name: 'Spring', status: 'draft', plain_text: true };
const schedule = { monday: true, start_time: '09:00:00', timezone: 'Europe/Paris' };
const step = { id: 1, title: 'not of the sequence', email_subject: 'Hi', order: 1 };
const steps = [step, { ...step, id: 2, order: 2 }];
const untitled = { title: null, steps };
const titled = { title: 'Spring sequence', steps };

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

function read(answer: AnswerName, reply: Reply) {
  next = reply;
  return reader.read(answer, 5);
}

describe('content is found in every envelope', () => {
  const table: [AnswerName, string, Json, Json][] = [
    ['campaign', 'bare', campaign, campaign],
    ['campaign', 'data', { data: campaign }, campaign],
    ['campaign', 'result', { result: campaign }, campaign],
    ['campaign', 'named', { campaign }, campaign],
    ['campaign', 'data and name', { success: true, data: { campaign } }, campaign],
    ['campaign', 'data beside an empty name', { campaign: null, data: campaign }, campaign],
    ['campaign', 'array of one', { data: [campaign] }, campaign],
    [
      'campaign',
      'id as text under campaign_id',
      { campaign_id: '5', name: 'Spring' },
      { campaign_id: '5', name: 'Spring' },
    ],
    [
      'campaign',
      'settings inside',
      { data: { ...campaign, settings: { a: 1 } } },
      { ...campaign, settings: { a: 1 } },
    ],
    ['campaign', 'settings beside', { campaign, settings: { a: 1 } }, { ...campaign, settings: { a: 1 } }],
    [
      'campaign',
      'settings beside, inside data',
      { data: { campaign, settings: { a: 1 } } },
      { ...campaign, settings: { a: 1 } },
    ],
    [
      'campaign',
      'with parts of its own',
      { ...campaign, schedule, data: { x: 1 } },
      { ...campaign, schedule, data: { x: 1 } },
    ],
    ['schedule', 'bare', schedule, schedule],
    ['schedule', 'data', { data: schedule }, schedule],
    ['schedule', 'named', { schedule }, schedule],
    ['schedule', 'named in full', { result: { campaign_schedule: schedule } }, schedule],
    ['schedule', 'array of one', { data: [schedule] }, schedule],
    ['schedule', 'in its campaign', { data: { campaign: { ...campaign, schedule } } }, schedule],
    ['sequence', 'bare', steps, untitled],
    ['sequence', 'data', { data: steps }, untitled],
    ['sequence', 'named', { sequence_steps: steps }, untitled],
    ['sequence', 'named shortly', { data: { steps } }, untitled],
    ['sequence', 'one step', { data: [step] }, { title: null, steps: [step] }],
    [
      'sequence',
      'in its sequence',
      { sequence: { id: 3, title: 'Spring sequence', sequence_steps: steps } },
      titled,
    ],
    [
      'sequence',
      'in its sequence under data',
      { data: { id: 3, title: 'Spring sequence', sequence_steps: steps } },
      titled,
    ],
    [
      'sequence',
      'beside its sequence',
      { sequence: { title: 'Spring sequence' }, sequence_steps: steps },
      titled,
    ],
    ['sequence', 'array of one sequence', { data: [{ title: 'Spring sequence', steps }] }, titled],
    ['sequence', 'one page', { current_page: 1, data: steps, last_page: 1, next_page_url: null }, untitled],
  ];
  test.each(table)('%s: %s', async (answer, _, body, expected) => {
    const path = { campaign: '', schedule: '/schedule', sequence: '/sequence-steps' }[answer];
    expect(await read(answer, { json: body })).toEqual({
      endpoint: `GET /api/campaigns/5${path}`,
      none: false,
      body: expected,
    });
  });
});

describe('there is nothing', () => {
  const names: AnswerName[] = ['campaign', 'schedule', 'sequence'];
  const table: [string, Reply][] = [
    ['404 with JSON', { status: 404, json: { message: 'Not found' } }],
    ['404 without body', { status: 404 }],
    ['204', { status: 204 }],
    ['null', { json: null }],
    ['{}', { json: {} }],
    ['[]', { json: [] }],
    ['data: null', { json: { data: null } }],
    ['data: {}', { json: { data: {} } }],
    ['data: []', { json: { data: [] } }],
    ['success: false', { json: { data: { success: false } } }],
    [
      'in words',
      { json: { data: { success: false, message: 'Schedule does not exist for Tokens | Error' } } },
    ],
    [
      'in words about a quoted name',
      { json: { success: false, message: "Campaign 'Errors' has no steps yet" } },
    ],
    ['in words at the root', { json: { success: false, message: 'Record not found.', data: null } }],
  ];
  for (const answer of names) {
    test.each(table)(`${answer}: %s`, async (_, reply) => {
      expect(await read(answer, reply)).toMatchObject({ none: true, body: null });
    });
  }
  test.each([
    ['schedule', { data: { schedule: null } }],
    ['sequence', { data: { title: 'Spring', sequence_steps: [] } }],
    ['campaign', { campaign: null }],
  ] as [AnswerName, Json][])('%s named and empty', async (answer, json) => {
    expect(await read(answer, { json })).toMatchObject({ none: true });
  });
});

describe('what cannot be read is never taken for empty', () => {
  test.each([
    'Too many requests',
    'Not permitted for this workspace',
    'Token has no access',
    'Schedule could not be loaded, try again later',
    'Rate limit exceeded for No Schedule',
    'Something happened',
    'Service not available',
  ])('success: false with "%s"', async (message) => {
    const failure = await failureOf(read('schedule', { json: { data: { success: false, message } } }));
    expect(failure.message).toContain(message);
    expect(failure.message).toContain('GET /api/campaigns/5/schedule');
  });

  test.each([
    ['schedule', { error: 'timeout', data: null }],
    ['sequence', { data: [], errors: ['timeout'] }],
    ['campaign', { status: 'error', message: 'timeout' }],
  ] as [AnswerName, Json][])('%s: %j with 200', async (answer, json) => {
    const failure = await failureOf(read(answer, { json }));
    expect(failure).toMatchObject({
      code: 'service-unreadable',
      message: expect.stringContaining('timeout'),
    });
  });

  test.each([
    ['sequence', { data: 'none' }, 'a list of sequence steps is missing'],
    ['sequence', { message: 'Unauthenticated.' }, 'a list of sequence steps is missing'],
    ['sequence', [1], 'a sequence step is not an object'],
    ['sequence', { success: false, data: steps }, 'success: false and content'],
    ['schedule', { success: false, data: schedule }, 'success: false and content'],
    ['schedule', [schedule, schedule], 'an object with the schedule is missing'],
    ['campaign', 'hello', 'an object with the campaign is missing'],
    ['campaign', { data: { id: 6, name: 'Autumn' } }, 'expected campaign 5; got {"id":6}'],
  ] as [AnswerName, Json, string][])('%s: %j', async (answer, json, said) => {
    const failure = await failureOf(read(answer, { json }));
    expect(failure).toMatchObject({ code: 'unreadable-answer' });
    expect(failure.message).toContain(said);
  });

  test('hostile keys reach no prototype', async () => {
    const text =
      '{"data":{"campaign":{"id":5,"__proto__":{"polluted":true}},"settings":{"__proto__":{"polluted":true}}}}';
    await read('campaign', { text });
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  test('nesting without end is a fault', async () => {
    const text = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expect(await failureOf(read('sequence', { text }))).toMatchObject({ code: 'service-unreadable' });
  });
});

describe('steps that are announced on more pages', () => {
  test('are all read', async () => {
    const paged = await serve(({ path }) => {
      const second = path.includes('page=2');
      const link = second ? null : '/api/campaigns/5/sequence-steps?page=2';
      return { json: { data: [steps[second ? 1 : 0] ?? null], links: { next: link }, meta: { total: 2 } } };
    });
    const own = openReader(options(paged.url));
    expect(await own.read('sequence', 5)).toMatchObject({ none: false, body: untitled });
    await own.close();
    await paged.close();
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

describe('bodies that were seen', () => {
  test('of a campaign', async () => {
    next = { json: responses.campaign };
    expect((await reader.read('campaign', 52)).body).toEqual(responses.campaign.data);
  });
  test('of a schedule and of steps', async () => {
    const { schedule, sequence } = responses;
    expect((await read('schedule', { json: schedule })).body).toEqual(schedule.data);
    const list = { title: null, steps: sequence.data };
    expect((await read('sequence', { json: sequence })).body).toEqual(list);
  });
  test.each([
    ['schedule', 200],
    ['sequence', 200],
    ['campaign', 404],
  ] as const)('that there is no %s', async (answer, status) => {
    const json = responses[`no ${answer}`];
    expect(await read(answer, { status, json })).toMatchObject({ none: true, body: null });
  });
  test('of templates', async () => {
    next = { json: responses['no templates'] };
    const endpoint = 'GET /api/campaigns/schedule/templates';
    expect(await reader.templates()).toEqual({ endpoint, none: true, body: null });
    next = { json: responses.templates };
    expect(await reader.templates()).toEqual({ endpoint, none: false, body: responses.templates.data });
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
  test('come in the order asked for, each read once', async () => {
    const many = await serve(({ path }) => {
      const id = Number(/campaigns\/(\d+)/.exec(path)?.[1]);
      return path.endsWith('schedule')
        ? { json: { data: { ...schedule, id } } }
        : { json: { data: { ...campaign, id } } };
    });
    const own = openReader(options(many.url));
    const wanted = Array.from({ length: 300 }, (_, index) => ({
      id: 300 - index,
      names: ['campaign', 'schedule'] as const,
    }));
    const answers = await readAnswers(own, wanted);
    expect(answers).toMatchObject(
      wanted.map(({ id }) => ({ campaign: { body: { id } }, schedule: { body: { id } }, sequence: null })),
    );
    expect(new Set(many.arrived.map(({ path }) => path)).size).toBe(600);
    expect(many.arrived.length).toBe(600);
    await own.close();
    await many.close();
  });

  test('end with the first failure, and nothing more is asked for', async () => {
    let reads = 0;
    const failing: Reader = {
      campaigns: async () => [],
      templates: async () => ({ endpoint: '', none: true, body: null }),
      close: async () => undefined,
      async read(_, id) {
        reads += 1;
        await new Promise((resolve) => setImmediate(resolve));
        if (id === 1) throw new Error('no access');
        return { endpoint: '', none: true, body: null };
      },
    };
    const wanted = Array.from({ length: 1000 }, (_, index) => ({
      id: index + 1,
      names: ['campaign'] as const,
    }));
    expect(await failureOf(readAnswers(failing, wanted))).toMatchObject({ message: 'no access' });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(reads).toBeLessThan(200);
  });
});
