import { type Arrived, type Loopback, type Reply, serve } from '../service/loopback.js';

export interface Note {
  id: number;
  body: string;
  author: { id: number };
}

export const OURS = { id: 40 };
export const TOKEN = 'token-of-a-test-2';

export interface FakeGitlab extends Loopback {
  api: string;
  notes: Note[];
  /** Requests as `METHOD path`, without the query. */
  calls(): string[];
}

const LIST = '/api/v4/projects/77/merge_requests/5/notes';

/** The parts of GitLab that one note needs. */
export async function fakeGitlab(
  notes: Note[] = [],
  instead: (request: Arrived, count: number) => Reply | null = () => null,
): Promise<FakeGitlab> {
  const server = await serve((request, count) => {
    const { method, path, headers, body } = request;
    const special = instead(request, count);
    if (special) return special;
    if (headers['private-token'] !== TOKEN) return { status: 401, json: { message: '401 Unauthorized' } };
    if (path === '/api/v4/user') return { json: OURS };
    if (method === 'GET' && path.startsWith(`${LIST}?`)) {
      const query = new URL(path, server.url).searchParams;
      const size = Number(query.get('per_page'));
      const from = (Number(query.get('page')) - 1) * size;
      return { json: notes.slice(from, from + size) };
    }
    const text = String(JSON.parse(body || '{}').body ?? '');
    if (method === 'POST' && path === LIST) {
      const created = { id: notes.length + 1, body: text.trimEnd(), author: OURS };
      notes.push(created);
      return { status: 201, json: created };
    }
    const match = notes.find(({ id }) => path === `${LIST}/${id}`);
    if (method !== 'PUT' || match === undefined) return { status: 404, json: { message: '404 Not found' } };
    match.body = text.trimEnd();
    return { json: match };
  });
  const calls = () => server.arrived.map(({ method, path }) => `${method} ${path.replace(/\?.*$/, '')}`);
  return { ...server, api: `${server.url}/api/v4`, notes, calls };
}
