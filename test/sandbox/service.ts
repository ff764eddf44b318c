import { request } from 'undici';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/index.js';
import { WORKDAYS } from '../support/service/store.js';

interface Answer {
  status: number;
  body: unknown;
}

/** `send(sandbox, 'POST /api/campaigns', { name: 'Spring' })` */
export async function send(sandbox: { url: string }, line: string, body?: unknown): Promise<Answer> {
  return sendRaw(sandbox, line, body === undefined ? null : JSON.stringify(body), {
    authorization: 'Bearer secret',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  });
}

/** Sends a request with this body text and these headers. */
export async function sendRaw(
  sandbox: { url: string },
  line: string,
  body: string | null,
  headers: Record<string, string>,
): Promise<Answer> {
  const [method = 'GET', path = '/'] = line.split(' ');
  const response = await request(sandbox.url + path, { method: method as 'GET', headers, body });
  return { status: response.statusCode, body: await response.body.json() };
}

/** Runs a test with a new sandbox, and closes it afterwards. */
export async function withSandbox<T>(
  options: Partial<SandboxOptions> & Pick<SandboxOptions, 'profile'>,
  use: (sandbox: Sandbox) => Promise<T>,
): Promise<T> {
  const sandbox = await startSandbox({ file: null, ...options });
  try {
    return await use(sandbox);
  } finally {
    await sandbox.close();
  }
}

export const officeHours = {
  ...WORKDAYS,
  start_time: '09:00',
  end_time: '17:00',
  timezone: 'Europe/London',
};

const firstEmail = {
  title: 'Spring sequence',
  email_subject: '{FIRST_NAME}, a question',
  email_body: '<p>Hi {FIRST_NAME},</p>\n',
  wait_in_days: 3,
  thread_reply: false,
  order: 1,
};

const followUp = {
  title: 'Spring sequence',
  email_subject: 'Re: A question',
  email_body: '<p>Any news, {FIRST_NAME}?</p>\n',
  wait_in_days: 4,
  thread_reply: true,
  order: 2,
};

/** Creates a complete campaign with id 1 and steps 1001 and 1002. */
export async function setUp(sandbox: Sandbox): Promise<void> {
  await send(sandbox, 'POST /api/campaigns', { name: 'Spring' });
  await send(sandbox, 'POST /api/campaigns/1/schedule', { ...officeHours, save_as_template: false });
  await send(sandbox, 'POST /api/campaigns/1/sequence-steps', {
    title: 'Spring sequence',
    sequence_steps: [firstEmail, followUp],
  });
}
