import { createConnection } from 'node:net';
import { Agent, request } from 'undici';
import { describe, expect, it } from 'vitest';
import { type SandboxExchange, startSandbox } from '../../src/sandbox/index.js';
import { firstEmail, followUp, officeHours, onSandbox, send, setUp, withSandbox } from './service.js';

const test = onSandbox('documented');

const fresh = {
  id: 1,
  name: 'Spring',
  status: 'draft',
  max_emails_per_day: 1000,
  max_new_leads_per_day: 1000,
  plain_text: false,
  open_tracking: false,
  reputation_building: false,
  can_unsubscribe: false,
  unsubscribe_text: null,
};

const step = (id: number, sent: object, more: object = {}) => {
  const { title: _, ...fields } = sent as Record<string, unknown>;
  return { variant: false, variant_from_step: null, ...fields, id, ...more };
};

describe('as documented, bodies are bare', () => {
  test('a campaign is created, listed and read, and names are not unique', async (send) => {
    expect(await send('GET /api/campaigns')).toEqual({ status: 200, body: [] });
    expect(await send('POST /api/campaigns', { name: 'Spring' })).toEqual({
      status: 200,
      body: fresh,
    });
    await send('POST /api/campaigns', { name: 'Spring' });
    expect(await send('GET /api/campaigns?page=2')).toEqual({
      status: 200,
      body: [fresh, { ...fresh, id: 2 }],
    });
    expect(await send('GET /api/campaigns/1')).toEqual({ status: 200, body: fresh });
  });

  test('an update resets the booleans that it does not send and keeps the rest', async (send, sandbox) => {
    await setUp(sandbox);
    const first = {
      max_emails_per_day: 200,
      plain_text: true,
      reputation_building: true,
      unsubscribe_text: 'No',
    };
    await send('PATCH /api/campaigns/1/update', first);
    const second = { can_unsubscribe: true, max_new_leads_per_day: null };
    const expected = { ...fresh, max_emails_per_day: 200, unsubscribe_text: 'No', ...second };
    expect(await send('PATCH /api/campaigns/1/update', second)).toEqual({
      status: 200,
      body: expected,
    });
    expect((await send('GET /api/campaigns/1')).body).toEqual(expected);
  });

  test('a schedule is read as written, a second one replaces it, and one can become a template', async (send) => {
    await send('POST /api/campaigns', { name: 'Spring' });
    expect(await send('GET /api/campaigns/1/schedule')).toMatchObject({ status: 404 });
    const post = { ...officeHours, save_as_template: true };
    const read = { status: 200, body: officeHours };
    expect(await send('POST /api/campaigns/1/schedule', post)).toEqual(read);
    expect(await send('GET /api/campaigns/1/schedule')).toEqual(read);
    const later = { ...officeHours, start_time: '10:30' };
    await send('POST /api/campaigns/1/schedule', { ...later, save_as_template: false });
    expect((await send('GET /api/campaigns/1/schedule')).body).toEqual(later);
    expect((await send('GET /api/campaigns/schedule/templates')).body).toEqual([
      { ...officeHours, id: 1, timezone: 'Europe/Paris' },
      { ...officeHours, id: 2, start_time: '08:00', end_time: '18:00', timezone: 'America/New_York' },
      { ...officeHours, id: 3 },
    ]);
  });

  test('a template becomes the schedule, also of a campaign that has one', async (send, sandbox) => {
    await setUp(sandbox);
    const expected = { ...officeHours, timezone: 'Europe/Paris' };
    const post = 'POST /api/campaigns/1/create-schedule-from-template';
    expect(await send(post, { schedule_id: 1 })).toEqual({ status: 200, body: expected });
    expect((await send('GET /api/campaigns/1/schedule')).body).toEqual(expected);
  });

  test('steps are read as sent, variants behind their step, and a second post appends', async (send) => {
    await send('POST /api/campaigns', { name: 'Spring' });
    expect(await send('GET /api/campaigns/1/sequence-steps')).toEqual({ status: 200, body: [] });
    const bases = { title: 'Spring sequence', sequence_steps: [followUp, firstEmail] };
    const both = [step(1001, firstEmail), step(1002, followUp)];
    expect(await send('POST /api/campaigns/1/sequence-steps', bases)).toEqual({
      status: 200,
      body: both,
    });

    const { order: _, ...other } = { ...firstEmail, email_subject: 'Installers at {COMPANY}' };
    const variant = { ...other, variant: true, variant_from_step: 1001 };
    await send('POST /api/campaigns/1/sequence-steps', { title: 'B', sequence_steps: [variant] });
    await send('POST /api/campaigns/1/sequence-steps', {
      title: 'C',
      sequence_steps: [firstEmail],
    });
    expect((await send('GET /api/campaigns/1/sequence-steps')).body).toEqual([
      step(1001, firstEmail),
      step(1003, variant, { order: 1 }),
      step(1002, followUp),
      step(1004, firstEmail, { order: 3 }),
    ]);
  });

  test('leads and lists are attached once each', async (send, sandbox) => {
    await send('POST /api/campaigns', { name: 'Spring' });
    for (const lead_list_id of [77, 42, 77]) {
      const answer = await send('POST /api/campaigns/1/leads/attach-lead-list', { lead_list_id });
      expect(answer).toEqual({ status: 200, body: { message: 'Attached.' } });
    }
    for (const lead_ids of [[9, 8, 9], [8], [1001, 8]]) {
      expect(await send('POST /api/campaigns/1/leads/attach-leads', { lead_ids })).toMatchObject({
        status: 200,
      });
    }
    expect(sandbox.state().campaigns[0]).toMatchObject({ lists: [42, 77], leads: [8, 9, 1001] });
    const effects = sandbox.requests().map(({ effect }) => effect);
    expect(effects).toEqual([true, true, true, false, true, false, true]);
  });

  test('a campaign with schedule and sequence is launched at once, and paused', async (send, sandbox) => {
    await setUp(sandbox);
    const running = { status: 200, body: { ...fresh, status: 'active' } };
    expect(await send('PATCH /api/campaigns/1/resume')).toEqual(running);
    expect(await send('GET /api/campaigns/1')).toEqual(running);
    const paused = { status: 200, body: { ...fresh, status: 'paused' } };
    expect(await send('PATCH /api/campaigns/1/pause', {})).toEqual(paused);
    expect(await send('GET /api/campaigns/1')).toEqual(paused);
    expect(sandbox.state().campaigns[0]).toMatchObject({ resumes: 1 });
  });

  test('a campaign that is not set up is not launched', async (send) => {
    await send('POST /api/campaigns', { name: 'Spring' });
    await send('POST /api/campaigns/1/create-schedule-from-template', { schedule_id: 2 });
    const answer = await send('PATCH /api/campaigns/1/resume');
    expect(answer).toMatchObject({ status: 400, body: { success: false } });
    expect((await send('GET /api/campaigns/1')).body).toEqual(fresh);
  });
});

describe('the port', () => {
  it('many requests share a few connections', async () => {
    await withSandbox({ profile: 'documented' }, async (sandbox) => {
      const agent = new Agent({ connections: 4 });
      let connections = 0;
      agent.on('connect', () => {
        connections += 1;
      });
      const create = async (number: number) => {
        const headers = { authorization: 'Bearer secret', 'content-type': 'application/json' };
        const body = JSON.stringify({ name: `Campaign ${number}` });
        const answer = await request(`${sandbox.url}/api/campaigns`, {
          dispatcher: agent,
          method: 'POST',
          headers,
          body,
        });
        return (await answer.body.json()) as { id: number };
      };
      const made = await Promise.all(Array.from({ length: 500 }, (_, index) => create(index)));
      expect(new Set(made.map(({ id }) => id)).size).toBe(500);
      expect(connections).toBe(4);
      await agent.close();
    });
  });

  it('closing ends connections that are idle, and those in the middle of a request', async () => {
    const sandbox = await startSandbox({ profile: 'documented', file: null });
    await send(sandbox, 'GET /api/campaigns');
    const half = createConnection(Number(new URL(sandbox.url).port), '127.0.0.1');
    const ended = new Promise((resolve) => half.on('close', resolve));
    half.on('error', () => {});
    await new Promise((resolve) => {
      half.write(
        'POST /api/campaigns HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"na',
        resolve,
      );
    });
    await sandbox.close();
    await ended;
    await sandbox.close();
    await expect(request(sandbox.url)).rejects.toThrow();
    expect(sandbox.requests()).toHaveLength(1);
  });

  it('a port that is taken is an error that says so', async () => {
    await withSandbox({ profile: 'documented' }, async (sandbox) => {
      const port = Number(new URL(sandbox.url).port);
      await expect(startSandbox({ profile: 'documented', file: null, port })).rejects.toMatchObject({
        name: 'Failure',
        code: 'sandbox-port',
      });
    });
  });
});

describe('the journal', () => {
  it('tells every request with its answer and whether it wrote, in order', async () => {
    const told: SandboxExchange[] = [];
    await withSandbox({ profile: 'reported', onRequest: (entry) => told.push(entry) }, async (sandbox) => {
      await setUp(sandbox);
      await send(sandbox, 'GET /api/campaigns?page=1&per_page=100');
      await send(sandbox, 'POST /api/campaigns', {});
      expect(sandbox.requests()).toEqual(told);
      expect(
        told.map(({ number, method, path, status, effect }) => [number, method, path, status, effect]),
      ).toEqual([
        [1, 'POST', '/api/campaigns', 201, true],
        [2, 'POST', '/api/campaigns/1/schedule', 200, true],
        [3, 'POST', '/api/campaigns/1/sequence-steps', 200, true],
        [4, 'GET', '/api/campaigns?page=1&per_page=100', 200, false],
        [5, 'POST', '/api/campaigns', 422, false],
      ]);
      expect(told[4]).toMatchObject({ body: {}, answer: { message: 'The name field is required.' } });
      expect(told[3]).toMatchObject({ body: null });
    });
  });
});
