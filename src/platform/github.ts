import { isObject, type Json } from '../model/json.js';
import { type ApiOptions, openApi } from './api.js';
import type { Conversation, Place, Written } from './conversation.js';
import { eachRow } from './pages.js';

/** GitHub refuses a comment of more characters. */
const LIMIT = 65_536;

/** The comments of a pull request on GitHub, or on a GitHub Enterprise Server (`api` ends with `/api/v3`). */
export function openGithub(
  place: Place,
  options: Omit<ApiOptions, 'platform' | 'url' | 'headers'>,
): Conversation {
  const { project, number } = place;
  const api = openApi({
    ...options,
    platform: 'GitHub',
    url: place.api,
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${options.token}`,
      'x-github-api-version': '2022-11-28',
    },
  });
  const list = `/repos/${project}/issues/${number}/comments`;
  const graph = `/${new URL(place.api).pathname.replace(/\/+$/, '').replace(/\/v3$/, '')}/graphql`;

  /**
   * The login behind the token; null where it is not told. Asked in GraphQL: `GET /user` refuses the tokens of apps, and so
   * that of every workflow.
   */
  async function whoAmI(): Promise<string | null> {
    const { value } = await api.read(graph, { query: 'query { viewer { login } }' });
    const data = isObject(value) && isObject(value.data) ? value.data : {};
    const login = isObject(data.viewer) ? data.viewer.login : null;
    return typeof login === 'string' ? login : null;
  }

  return {
    title: `pull request ${number} of ${project}`,
    limit: LIMIT,
    async find(marker) {
      let me: string | null | undefined;
      for await (const row of eachRow(api, list)) {
        const { id, body, user, html_url: url } = row;
        if (typeof id !== 'number' || typeof body !== 'string' || !body.startsWith(marker)) continue;
        if (me === undefined) me = await whoAmI();
        if (isMine(user, me)) return { id, body, url: typeof url === 'string' ? url : null };
      }
      return null;
    },
    create: async (body) => located(await api.write('POST', list, { body })),
    update: async (id, body) =>
      located(await api.write('PATCH', `/repos/${project}/issues/comments/${id}`, { body })),
    close: () => api.close(),
  };
}

/** Where nobody tells who we are we are an app: a person's comment is certainly not ours. */
function isMine(user: Json | undefined, me: string | null): boolean {
  if (!isObject(user)) return false;
  return me === null ? user.type === 'Bot' : user.login === me;
}

function located(written: Written & { value?: Json }): Written {
  if (written.kind !== 'done') return written;
  const url = isObject(written.value) ? written.value.html_url : null;
  return { kind: 'done', url: typeof url === 'string' ? url : null };
}
