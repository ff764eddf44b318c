import { isObject, type Json, type JsonObject, textOrNull } from '../model/json.js';
import { type Api, type ApiOptions, eachRow, openApi } from './api.js';
import type { CommentPlace } from './ci.js';
import type { Conversation, Written } from './comment.js';

type HostOptions = Omit<ApiOptions, 'platform' | 'url' | 'headers'>;

interface Host extends Pick<ApiOptions, 'platform' | 'url' | 'headers'> {
  title: string;
  list: string;
  query: string;
  update: { method: 'PATCH' | 'PUT'; folder: string };
  /** The account to which the token belongs; `null` if hidden. */
  readMe(api: Api): Promise<Json>;
  isMine(row: JsonObject, me: Json): boolean;
}

/** For GitHub Enterprise Server, `api` ends with `/api/v3`. */
export function openGithub({ api: url, project, number }: CommentPlace, options: HostOptions): Conversation {
  return openConversation(
    {
      platform: 'GitHub',
      url,
      headers: {
        accept: 'application/vnd.github+json',
        authorization: `Bearer ${options.token}`,
        'x-github-api-version': '2022-11-28',
      },
      title: `pull request ${number} of ${project}`,
      list: `/repos/${project}/issues/${number}/comments`,
      query: '',
      update: { method: 'PATCH', folder: `/repos/${project}/issues/comments` },
      // `GET /user` refuses workflow tokens.
      async readMe(api) {
        const graph = `/${new URL(url).pathname.replace(/\/+$/, '').replace(/\/v3$/, '')}/graphql`;
        const answer = objectIn(await api.read(graph, { query: 'query { viewer { login } }' }));
        return objectIn(objectIn(answer.data).viewer).login ?? null;
      },
      // A token without a login belongs to an app, so only comments by bots can be its own.
      isMine: ({ user }, me) => (me === null ? objectIn(user).type === 'Bot' : objectIn(user).login === me),
    },
    options,
  );
}

/** `api` ends with `/api/v4`. */
export function openGitlab({ api: url, project, number }: CommentPlace, options: HostOptions): Conversation {
  const list = `/projects/${encodeURIComponent(project)}/merge_requests/${number}/notes`;
  return openConversation(
    {
      platform: 'GitLab',
      url,
      headers: { accept: 'application/json', 'private-token': options.token },
      title: `merge request ${number} of project ${project}`,
      list,
      query: '&sort=asc&order_by=created_at',
      update: { method: 'PUT', folder: list },
      readMe: async (api) => objectIn(await api.read('/user')).id ?? null,
      isMine: ({ author }, me) => me !== null && objectIn(author).id === me,
    },
    options,
  );
}

function openConversation(host: Host, options: HostOptions): Conversation {
  const { platform, url, headers, title, list, query, update } = host;
  const api = openApi({ ...options, platform, url, headers });
  return {
    title,
    async find(marker) {
      let me: Json | undefined;
      for await (const row of eachRow(api, list, query)) {
        const { id, body, html_url } = row;
        if (typeof id !== 'number' || typeof body !== 'string' || !body.startsWith(marker)) continue;
        if (me === undefined) me = await host.readMe(api);
        if (host.isMine(row, me)) return { id, body, url: textOrNull(html_url) };
      }
      return null;
    },
    create: async (body) => located(await api.write('POST', list, { body })),
    update: async (id, body) => located(await api.write(update.method, `${update.folder}/${id}`, { body })),
    close: () => api.close(),
  };
}

function objectIn(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function located(written: { answer: Json } | null): Written | null {
  return written && { url: textOrNull(objectIn(written.answer).html_url) };
}
