import { describe, expect } from 'vitest';
import { firstEmail, followUp, officeHours, onSandbox, setUp } from './service.js';

const test = onSandbox('reported');

const fresh = {
  id: 1,
  sequence_id: null,
  name: 'Spring',
  type: 'outbound',
  status: 'draft',
  ...{ emails_sent: 0, unique_replies: 0, bounced: 0, total_leads_contacted: 0 },
  total_leads: 0,
  max_emails_per_day: 1000,
  max_new_leads_per_day: 1000,
  plain_text: false,
  open_tracking: false,
  can_unsubscribe: false,
  unsubscribe_text: null,
  created_at: '2026-01-05T08:00:01.000000Z',
  updated_at: '2026-01-05T08:00:01.000000Z',
};

const refusal = (message: string) => ({ data: { success: false, message } });

const wrong = (path: string, message: string) => ({
  status: 422,
  body: { message, errors: { [path]: [message] } },
});

describe('as reported, bodies are wrapped and refusals can have status 200', () => {
  test('a campaign is created with 201 and read without its spam protection', async (send) => {
    const created = await send('POST /api/campaigns', { name: '  Spring ' });
    expect(created).toEqual({ status: 201, body: { data: fresh } });
    expect(await send('GET /api/campaigns/1')).toEqual({ status: 200, body: { data: fresh } });
  });

  test('an update resets what it does not send, numbers too, and stores what it never shows', async (send, sandbox) => {
    await send('POST /api/campaigns', { name: 'Spring' });
    await send('PATCH /api/campaigns/1/update', { max_new_leads_per_day: 50, plain_text: true });
    const sent = { reputation_building: true, can_unsubscribe: true, unsubscribe_text: '  ' };
    const answer = await send('PATCH /api/campaigns/1/update', sent);
    const updated = { ...fresh, can_unsubscribe: true, updated_at: '2026-01-05T08:00:03.000000Z' };
    expect(answer).toEqual({ status: 200, body: { data: updated } });
    expect(sandbox.state().campaigns[0]?.settings).toMatchObject({ reputation_building: true });
  });

  test('more new leads than emails a day are refused, defaults included', async (send) => {
    await send('POST /api/campaigns', { name: 'Spring' });
    const message = 'The max emails per day field must be at least max new leads per day.';
    const answer = await send('PATCH /api/campaigns/1/update', { max_emails_per_day: 200 });
    expect(answer).toEqual(wrong('max_emails_per_day', message));
    const unbounded = { max_emails_per_day: null };
    expect((await send('PATCH /api/campaigns/1/update', unbounded)).status).toBe(200);
    const both = { max_emails_per_day: 200, max_new_leads_per_day: 200 };
    expect((await send('PATCH /api/campaigns/1/update', both)).status).toBe(200);
  });

  test('a schedule is read with seconds, and a second one is refused with status 200', async (send, sandbox) => {
    await send('POST /api/campaigns', { name: 'Spring' });
    const none = { status: 200, body: refusal('Schedule does not exist for Spring') };
    expect(await send('GET /api/campaigns/1/schedule')).toEqual(none);
    const shown = {
      ...officeHours,
      id: 7001,
      type: 'Campaign Schedule',
      start_time: '09:00:00',
      end_time: '17:00:00',
      created_at: '2026-01-05T09:56:41.000000Z',
      updated_at: '2026-01-05T09:56:41.000000Z',
    };
    const read = { status: 200, body: { data: shown } };
    const post = { ...officeHours, save_as_template: false };
    expect(await send('POST /api/campaigns/1/schedule', post)).toEqual(read);
    const exists = { status: 200, body: refusal('Schedule already exists for Spring') };
    const second = { ...post, monday: false, save_as_template: true };
    expect(await send('POST /api/campaigns/1/schedule', second)).toEqual(exists);
    const template = 'POST /api/campaigns/1/create-schedule-from-template';
    expect(await send(template, { schedule_id: 2 })).toEqual(exists);
    expect(await send('GET /api/campaigns/1/schedule')).toEqual(read);
    expect(sandbox.state().templates).toHaveLength(2);
    const effects = sandbox.requests().map(({ effect }) => effect);
    expect(effects).toEqual([true, false, true, false, false, false]);
  });

  test('a template becomes the schedule, and templates come unpaged', async (send) => {
    await send('POST /api/campaigns', { name: 'Spring' });
    const paris = {
      ...officeHours,
      timezone: 'Europe/Paris',
      start_time: '09:00:00',
      end_time: '17:00:00',
    };
    const template = 'POST /api/campaigns/1/create-schedule-from-template';
    const answer = await send(template, { schedule_id: 1 });
    expect(answer).toMatchObject({ status: 200, body: { data: { ...paris, type: 'Campaign Schedule' } } });
    const templates = await send('GET /api/campaigns/schedule/templates');
    expect(templates).toMatchObject({
      status: 200,
      body: {
        data: [
          { ...paris, id: 1, type: 'Schedule template' },
          { id: 2, timezone: 'America/New_York' },
        ],
      },
    });
    expect(Object.keys(templates.body as object)).toEqual(['data']);
  });

  test('steps are trimmed, replies get a "Re: " more, variants have no order, and a second post appends', async (send, sandbox) => {
    await send('POST /api/campaigns', { name: 'Spring' });
    const none = { status: 200, body: refusal('Sequence steps do not exist for Spring') };
    expect(await send('GET /api/campaigns/1/sequence-steps')).toEqual(none);
    const bases = { title: 'Spring sequence', sequence_steps: [firstEmail, followUp] };
    const stamps = { created_at: '2026-01-05T08:16:41.000000Z', updated_at: '2026-01-05T08:16:41.000000Z' };
    const first = {
      id: 1001,
      order: 1,
      active: true,
      email_subject: '{FIRST_NAME}, a question',
      email_body: '<p>Hi {FIRST_NAME},</p>',
      wait_in_days: 3,
      variant: false,
      variant_from_step: null,
      attachments: null,
      thread_reply: false,
      ...stamps,
    };
    const reply = { id: 1002, order: 2, email_subject: 'Re: Re: A question', thread_reply: true };
    const posted = await send('POST /api/campaigns/1/sequence-steps', bases);
    expect(posted).toMatchObject({
      status: 200,
      body: { data: { id: 5001, type: 'Campaign sequence', title: null, sequence_steps: [first, reply] } },
    });
    const { order: _, ...other } = { ...followUp, email_subject: 'Still there?' };
    const variant = { ...other, variant: true, variant_from_step: 1002 };
    const more = { title: 'B', sequence_steps: [variant, firstEmail] };
    await send('POST /api/campaigns/1/sequence-steps', more);
    const read = await send('GET /api/campaigns/1/sequence-steps');
    expect(read).toMatchObject({
      status: 200,
      body: {
        data: [
          first,
          reply,
          { id: 1003, order: 3, variant: false },
          {
            id: 1004,
            order: null,
            variant: true,
            variant_from_step: 1002,
            email_subject: 'Re: Still there?',
          },
        ],
      },
    });
    expect((read.body as { data: object[] }).data[0]).toEqual(first);
    expect(sandbox.state().campaigns[0]?.sequenceTitles).toEqual(['Spring sequence', 'B']);
    expect((await send('GET /api/campaigns/1')).body).toMatchObject({
      data: { sequence_id: 5001 },
    });
  });

  test('a wait below one day and a blank text are refused by their place', async (send, sandbox) => {
    await send('POST /api/campaigns', { name: 'Spring' });
    const post = (sequence_steps: object[]) =>
      send('POST /api/campaigns/1/sequence-steps', { title: 'Spring sequence', sequence_steps });
    expect(await post([{ ...firstEmail, wait_in_days: 0 }])).toEqual(
      wrong('sequence_steps.0.wait_in_days', 'The sequence_steps.0.wait_in_days field must be at least 1.'),
    );
    expect(await post([firstEmail, { ...followUp, email_subject: ' ' }])).toEqual(
      wrong('sequence_steps.1.email_subject', 'The sequence_steps.1.email_subject field is required.'),
    );
    expect(sandbox.state().campaigns[0]?.steps).toEqual([]);
  });

  test('leads that are attached already are skipped, and the campaign counts the rest', async (send) => {
    await send('POST /api/campaigns', { name: 'Spring' });
    const message = 'Leads successfully added to Spring. Existing leads were not added.';
    const added = { status: 200, body: { data: { success: true, message } } };
    const attach = 'POST /api/campaigns/1/leads/attach-leads';
    expect(await send(attach, { lead_ids: [1001, 1002] })).toEqual(added);
    expect(await send(attach, { lead_ids: [1002, 1003] })).toEqual(added);
    expect(await send('POST /api/campaigns/1/leads/attach-lead-list', { lead_list_id: 42 })).toEqual(added);
    expect((await send('GET /api/campaigns/1')).body).toMatchObject({
      data: { total_leads: 103 },
    });
  });

  test('a launch is queued for one read, then active', async (send, sandbox) => {
    await setUp(sandbox);
    const answer = await send('PATCH /api/campaigns/1/resume');
    expect(answer).toMatchObject({ status: 200, body: { data: { status: 'queued' } } });
    expect(await send('GET /api/campaigns/1')).toMatchObject({
      body: { data: { status: 'queued' } },
    });
    expect(await send('GET /api/campaigns/1')).toMatchObject({
      body: { data: { status: 'active' } },
    });
    expect(await send('GET /api/campaigns')).toMatchObject({
      body: { data: [{ status: 'active' }] },
    });
    const paused = await send('PATCH /api/campaigns/1/pause');
    expect(paused).toMatchObject({ status: 200, body: { data: { status: 'paused' } } });
    const reads = sandbox.requests().filter((entry) => entry.method === 'GET');
    expect(reads.some((entry) => entry.effect)).toBe(false);
  });

  test('a campaign that is not set up is refused with 400', async (send, sandbox) => {
    await send('POST /api/campaigns', { name: 'Spring' });
    const steps = { title: 'Spring sequence', sequence_steps: [firstEmail] };
    await send('POST /api/campaigns/1/sequence-steps', steps);
    expect(await send('PATCH /api/campaigns/1/resume')).toEqual({
      status: 400,
      body: refusal('Campaign is missing a sequence, schedule, sender emails or leads.'),
    });
    expect(sandbox.state().campaigns[0]).toMatchObject({ status: 'draft', resumes: 0 });
  });

  test('an unknown campaign is a record that was not found', async (send) => {
    expect(await send('GET /api/campaigns/53/schedule')).toEqual({
      status: 404,
      body: {
        data: { success: false, message: 'Record not found.', record_not_found: { campaign: '53' } },
      },
    });
  });
});

describe('as reported, the list of campaigns is paged', () => {
  const names = (body: unknown) => (body as { data: { name: string }[] }).data.map(({ name }) => name);

  test('newest first, fifteen a page, with links to the pages around, whatever per_page asks', async (send, sandbox) => {
    const all = Array.from({ length: 31 }, (_, index) => `Campaign ${index + 1}`);
    for (const name of all) await send('POST /api/campaigns', { name });
    const url = `${sandbox.url}/api/campaigns`;
    const first = await send('GET /api/campaigns');
    const second = await send('GET /api/campaigns?page=2&per_page=100');
    const last = await send('GET /api/campaigns?page=3');
    expect([first, second, last].flatMap(({ body }) => names(body))).toEqual(all.toReversed());
    expect(second.body).toMatchObject({
      links: {
        first: `${url}?page=1`,
        last: `${url}?page=3`,
        prev: `${url}?page=1`,
        next: `${url}?page=3`,
      },
      meta: { current_page: 2, from: 16, last_page: 3, path: url, per_page: 15, to: 30, total: 31 },
    });
    expect(last.body).toMatchObject({ links: { next: null }, meta: { from: 31, to: 31 } });
    expect(await send('GET /api/campaigns?page=4')).toMatchObject({
      body: { data: [], links: { prev: `${url}?page=3`, next: null }, meta: { from: null, to: null } },
    });
  });

  test('an empty workspace has one empty page', async (send, sandbox) => {
    const url = `${sandbox.url}/api/campaigns`;
    expect((await send('GET /api/campaigns?page=1')).body).toEqual({
      data: [],
      links: { first: `${url}?page=1`, last: `${url}?page=1`, prev: null, next: null },
      meta: {
        current_page: 1,
        from: null,
        last_page: 1,
        path: url,
        per_page: 15,
        to: null,
        total: 0,
      },
    });
  });
});
