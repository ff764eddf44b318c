import { isObject } from '../model/json.js';
import { type ApiOptions, openApi } from './api.js';
import type { Conversation, Place } from './conversation.js';
import { eachRow } from './pages.js';

/** GitLab refuses a note of more characters. */
const LIMIT = 1_000_000;

/** The notes of a merge request on GitLab; `api` ends with `/api/v4`. */
export function openGitlab(
  place: Place,
  options: Omit<ApiOptions, 'platform' | 'url' | 'headers'>,
): Conversation {
  const { project, number } = place;
  const api = openApi({
    ...options,
    platform: 'GitLab',
    url: place.api,
    headers: { accept: 'application/json', 'private-token': options.token },
  });
  const list = `/projects/${encodeURIComponent(project)}/merge_requests/${number}/notes`;

  async function whoAmI(): Promise<number | null> {
    const { value } = await api.read('/user');
    return isObject(value) && typeof value.id === 'number' ? value.id : null;
  }

  return {
    title: `merge request ${number} of project ${project}`,
    limit: LIMIT,
    async find(marker) {
      let me: number | null | undefined;
      for await (const { id, body, author } of eachRow(api, list, '&sort=asc&order_by=created_at')) {
        if (typeof id !== 'number' || typeof body !== 'string' || !body.startsWith(marker)) continue;
        if (me === undefined) me = await whoAmI();
        if (me !== null && isObject(author) && author.id === me) return { id, body, url: null };
      }
      return null;
    },
    create: (body) => api.write('POST', list, { body }),
    update: (id, body) => api.write('PUT', `${list}/${id}`, { body }),
    close: () => api.close(),
  };
}
