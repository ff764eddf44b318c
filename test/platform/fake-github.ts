import { type Arrived, type Loopback, type Reply, serve } from '../service/loopback.js';

export interface Remark {
  id: number;
  body: string;
  user: { login: string; type: 'User' | 'Bot' };
}

export const ROBOT = { login: 'github-actions[bot]', type: 'Bot' as const };
export const STRANGER = { login: 'mallory', type: 'User' as const };
export const TOKEN = 'token-of-a-test-1';

export interface FakeGithub extends Loopback {
  remarks: Remark[];
  /** Requests as `METHOD path`; list requests are without their query. */
  calls(): string[];
}

interface Habits {
  instead?: (request: Arrived, count: number) => Reply | null;
  afterwards?: (request: Arrived, count: number) => Reply | null;
  viewer?: string | null;
}

const LIST = '/repos/acme/mailings/issues/12/comments';

/**
 * The parts of GitHub that one comment needs: pages of comments, and `GET /user`, which is refused as for workflow tokens.
 */
export async function fakeGithub(remarks: Remark[] = [], habits: Habits = {}): Promise<FakeGithub> {
  const { viewer = ROBOT.login } = habits;
  const server = await serve((request, count) => {
    const { method, path, headers, body } = request;
    const special = habits.instead?.(request, count);
    if (special) return special;
    if (headers.authorization !== `Bearer ${TOKEN}`)
      return { status: 401, json: { message: 'Bad credentials' } };
    if (path === '/graphql') {
      return {
        json: viewer === null ? { data: null, errors: [{}] } : { data: { viewer: { login: viewer } } },
      };
    }
    if (method === 'GET' && path.startsWith(`${LIST}?`)) return page(new URL(path, server.url), remarks);
    const text = String(JSON.parse(body || '{}').body ?? '');
    if (method !== 'GET' && text.length > 65_536) {
      return {
        status: 422,
        json: {
          message: 'Validation Failed',
          errors: [{ message: 'body is too long (maximum is 65536 characters)' }],
        },
      };
    }
    if (method === 'POST' && path === LIST) {
      const created = { id: 9_000_000_000 + remarks.length, body: text, user: ROBOT };
      remarks.push(created);
      return habits.afterwards?.(request, count) ?? { status: 201, json: shown(created) };
    }
    const match = remarks.find(({ id }) => path === `/repos/acme/mailings/issues/comments/${id}`);
    if (method !== 'PATCH' || match === undefined) return { status: 404, json: { message: 'Not Found' } };
    match.body = text;
    return habits.afterwards?.(request, count) ?? { json: shown(match) };
  });
  const calls = () => server.arrived.map(({ method, path }) => `${method} ${path.replace(/\?.*$/, '')}`);
  return { ...server, remarks, calls };
}

function page({ searchParams }: URL, remarks: readonly Remark[]): Reply {
  const size = Number(searchParams.get('per_page'));
  const number = Number(searchParams.get('page'));
  return { json: remarks.slice((number - 1) * size, number * size).map(shown) };
}

function shown(remark: Remark) {
  return { ...remark, html_url: `https://code.example.com/acme/mailings/pull/12#${remark.id}` };
}
