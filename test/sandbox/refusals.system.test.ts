import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { firstEmail, followUp, officeHours, send, sendRaw, setUp, withSandbox } from './service.js';

const schedule = { ...officeHours, save_as_template: false };
const without = (value: object, key: string) =>
  Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
const steps = (...sequence_steps: unknown[]) => ({ title: 'Spring sequence', sequence_steps });
const { order: _, ...other } = firstEmail;

const create = 'POST /api/campaigns';
const update = 'PATCH /api/campaigns/1/update';
const postSchedule = 'POST /api/campaigns/1/schedule';
const applyTemplate = 'POST /api/campaigns/1/create-schedule-from-template';
const postSteps = 'POST /api/campaigns/1/sequence-steps';
const attachList = 'POST /api/campaigns/1/leads/attach-lead-list';
const attachLeads = 'POST /api/campaigns/1/leads/attach-leads';

const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

/** Request line, the fields that the refusal names, and the body. Campaign 1 has steps 1001 and 1002. */
const refusals: [string, string[], unknown][] = [
  [create, ['name'], {}],
  [create, ['name'], { name: '' }],
  [create, ['name'], { name: null }],
  [create, ['name'], { name: 7 }],
  [create, ['type'], { name: 'Spring', type: 'outbound' }],
  [`${create}?page=1`, ['page'], { name: 'Spring' }],
  [update, ['max_emails_per_day'], { max_emails_per_day: '200' }],
  [update, ['max_emails_per_day'], { max_emails_per_day: 1.5 }],
  [update, ['plain_text', 'open_tracking'], { plain_text: 1, open_tracking: 'true' }],
  [update, ['unsubscribe_text'], { unsubscribe_text: false }],
  [update, ['name'], { name: 'Summer' }],
  [update, ['constructor'], { constructor: 1 }],
  ...weekdays.map((day): [string, string[], unknown] => [postSchedule, [day], without(schedule, day)]),
  [postSchedule, ['sunday'], { ...schedule, sunday: null }],
  [postSchedule, ['sunday'], { ...schedule, sunday: 0 }],
  [postSchedule, ['start_time'], without(schedule, 'start_time')],
  [postSchedule, ['start_time'], { ...schedule, start_time: '9:00' }],
  [postSchedule, ['start_time'], { ...schedule, start_time: '09:00:00' }],
  [postSchedule, ['end_time'], { ...schedule, end_time: '24:00' }],
  [postSchedule, ['end_time'], { ...schedule, end_time: 1700 }],
  [postSchedule, ['timezone'], { ...schedule, timezone: 'Europe/Oslo' }],
  [postSchedule, ['timezone'], { ...schedule, timezone: 'europe/paris' }],
  [postSchedule, ['timezone'], without(schedule, 'timezone')],
  [postSchedule, ['save_as_template'], without(schedule, 'save_as_template')],
  [postSchedule, ['id'], { ...schedule, id: 3 }],
  [applyTemplate, ['schedule_id'], {}],
  [applyTemplate, ['schedule_id'], { schedule_id: '1' }],
  [applyTemplate, ['schedule_id'], { schedule_id: 3 }],
  [applyTemplate, ['schedule_id'], { schedule_id: 0 }],
  [postSteps, ['title'], { sequence_steps: [firstEmail] }],
  [postSteps, ['sequence_steps'], { title: 'Spring sequence' }],
  [postSteps, ['sequence_steps'], steps()],
  [postSteps, ['sequence_steps'], { title: 'Spring sequence', sequence_steps: firstEmail }],
  [postSteps, ['order'], { ...steps(firstEmail), order: 1 }],
  [postSteps, ['sequence_steps.0'], steps('Hi')],
  [postSteps, ['sequence_steps.1.title'], steps(firstEmail, without(followUp, 'title'))],
  [postSteps, ['sequence_steps.0.email_subject'], steps(without(firstEmail, 'email_subject'))],
  [postSteps, ['sequence_steps.0.email_body'], steps(without(firstEmail, 'email_body'))],
  [postSteps, ['sequence_steps.0.wait_in_days'], steps(without(firstEmail, 'wait_in_days'))],
  [postSteps, ['sequence_steps.0.wait_in_days'], steps({ ...firstEmail, wait_in_days: '3' })],
  [postSteps, ['sequence_steps.0.thread_reply'], steps(without(firstEmail, 'thread_reply'))],
  [postSteps, ['sequence_steps.0.thread_reply'], steps({ ...firstEmail, thread_reply: 'no' })],
  [postSteps, ['sequence_steps.0.order'], steps({ ...firstEmail, order: 0 })],
  [postSteps, ['sequence_steps.0.attachments'], steps({ ...firstEmail, attachments: [] })],
  [postSteps, ['sequence_steps.0.variant'], steps({ ...firstEmail, variant: 'yes' })],
  [postSteps, ['sequence_steps.0.variant_from_step'], steps({ ...other, variant: true })],
  [
    postSteps,
    ['sequence_steps.0.variant_from_step'],
    steps({ ...other, variant: true, variant_from_step: 1 }),
  ],
  [
    postSteps,
    ['sequence_steps.0.variant_from_step'],
    steps({ ...other, variant: true, variant_from_step: 1003 }),
  ],
  [attachList, ['lead_list_id'], {}],
  [attachList, ['lead_list_id'], { lead_list_id: '42' }],
  [attachList, ['lead_list_id'], { lead_list_id: 1000 }],
  [attachLeads, ['lead_ids'], {}],
  [attachLeads, ['lead_ids'], { lead_ids: [] }],
  [attachLeads, ['lead_ids'], { lead_ids: 1001 }],
  [attachLeads, ['lead_ids.1'], { lead_ids: [1001, '1002'] }],
  [attachLeads, ['lead_ids.1', 'lead_ids.2'], { lead_ids: [1001, 1_000_000, -1] }],
  ['PATCH /api/campaigns/1/resume', ['force'], { force: true }],
  ['PATCH /api/campaigns/1/pause', ['force'], { force: true }],
  ['GET /api/campaigns?status=active', ['status'], undefined],
  ['GET /api/campaigns/1?page=1', ['page'], undefined],
];

describe.each(['documented', 'reported'] as const)('profile %s', (profile) => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox({ profile, file: null });
    await setUp(sandbox);
  });
  afterAll(() => sandbox.close());

  test.each(refusals)('%s with wrong %j is refused and changes nothing', async (line, fields, body) => {
    const before = sandbox.state();
    const { status, body: answer } = await send(sandbox, line, body);
    const { message, errors } = answer as { message: string; errors: Record<string, string[]> };
    expect({ status, fields: Object.keys(errors) }).toEqual({ status: 422, fields });
    expect(message).toContain(errors[fields[0] ?? '']?.[0]);
    expect(sandbox.state()).toEqual(before);
    expect(sandbox.requests().at(-1)).toMatchObject({ status: 422, effect: false });
  });

  test.each([
    'GET /',
    'GET /campaigns',
    'GET /api/campaigns/',
    'GET /api/campaigns/abc',
    'GET /api/campaigns/1/leads',
    'GET /api//campaigns',
    'DELETE /api/campaign',
  ])('%s leads nowhere: 404', async (line) => {
    expect((await send(sandbox, line)).status).toBe(404);
  });

  test.each([
    ['DELETE /api/campaigns/1', 'GET'],
    ['PATCH /api/campaigns/1', 'GET'],
    ['PUT /api/campaigns', 'POST, GET'],
    ['POST /api/campaigns/1/resume', 'PATCH'],
    ['PATCH /api/campaigns/1/schedule', 'POST, GET'],
  ])('%s is the wrong method: 405', async (line, supported) => {
    const { status, body } = await send(sandbox, line);
    const [method, path] = line.split(' ');
    const message = `The ${method} method is not supported for route ${path?.slice(1)}. Supported methods: ${supported}.`;
    expect({ status, body }).toEqual({ status: 405, body: { message } });
  });

  test.each([
    'GET /api/campaigns/2',
    'PATCH /api/campaigns/2/update',
    'POST /api/campaigns/2/create-schedule-from-template',
    'POST /api/campaigns/2/schedule',
    'GET /api/campaigns/2/schedule',
    'POST /api/campaigns/2/sequence-steps',
    'GET /api/campaigns/2/sequence-steps',
    'POST /api/campaigns/2/leads/attach-lead-list',
    'POST /api/campaigns/2/leads/attach-leads',
    'PATCH /api/campaigns/2/resume',
    'PATCH /api/campaigns/99999999999999999999/pause',
  ])('%s names no campaign: 404', async (line) => {
    expect((await send(sandbox, line)).status).toBe(404);
  });

  test.each([
    [{}],
    [{ authorization: 'Bearer ' }],
    [{ authorization: 'Bearer' }],
    [{ authorization: 'Basic secret' }],
  ])('headers %j are no access: 401', async (headers) => {
    const answer = await sendRaw(sandbox, 'GET /api/campaigns', null, headers as Record<string, string>);
    expect(answer).toEqual({ status: 401, body: { message: 'Unauthenticated.' } });
  });

  test('a body without its content type is refused: 415', async () => {
    const headers = { authorization: 'Bearer secret' };
    expect((await sendRaw(sandbox, create, '{"name":"Spring"}', headers)).status).toBe(415);
    const text = { ...headers, 'content-type': 'text/plain' };
    expect((await sendRaw(sandbox, create, '{"name":"Spring"}', text)).status).toBe(415);
  });

  test('a body that is not JSON is refused, and one that is no object too', async () => {
    const headers = { authorization: 'Bearer secret', 'content-type': 'application/json; charset=utf-8' };
    expect((await sendRaw(sandbox, create, '{"name":', headers)).status).toBe(400);
    expect(sandbox.requests().at(-1)).toMatchObject({ body: '{"name":', status: 400 });
    expect((await sendRaw(sandbox, create, '["Spring"]', headers)).status).toBe(422);
  });

  test('a variant of a variant, or of a step of another campaign, is refused', async () => {
    await withSandbox({ profile }, async (own) => {
      await setUp(own);
      await send(own, postSteps, steps({ ...other, variant: true, variant_from_step: 1001 }));
      await send(own, create, { name: 'Summer' });
      const ofVariant = await send(
        own,
        postSteps,
        steps({ ...other, variant: true, variant_from_step: 1003 }),
      );
      const elsewhere = 'POST /api/campaigns/2/sequence-steps';
      const ofOther = await send(own, elsewhere, steps({ ...other, variant: true, variant_from_step: 1001 }));
      expect([ofVariant.status, ofOther.status]).toEqual([422, 422]);
    });
  });
});
