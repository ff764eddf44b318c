import type { ListedCampaign } from '../model/answer.js';
import { Failure } from '../model/failure.js';
import { isObject, type Json, type JsonObject } from '../model/json.js';
import type { Channel } from './channel.js';
import { decodeListed, decodeSequence, type Origin, unreadable } from './decode.js';
import { isNothing, unwrap } from './envelope.js';
import { readId } from './id.js';
import { readPageInfo } from './next-page.js';
import type { Page, PagedList } from './pages.js';
import { type Reading, readPath } from './reading.js';
import { findRefusal } from './refusal.js';

/** Statuses with which services refuse a query that they do not know. */
const REFUSED_QUERY = [400, 404, 405, 422];

/** GET /api/campaigns. A list that is not there is not an empty list, unless words say that there is nothing. */
export function campaignList(channel: Channel, path: string): PagedList<ListedCampaign> {
  const contradicts = (first: ListedCampaign, again: ListedCampaign) => first.name !== again.name;
  const about = { label: 'The list of campaigns', path, numbered: true, accepted: [], contradicts };
  return pagedList(channel, about, ({ body, headers, origin }) => {
    const { inner, layers } = unwrap(body, 'campaigns');
    const saidEmpty = (findRefusal(body)?.message ?? '') !== '';
    if (!Array.isArray(inner) && !saidEmpty)
      throw unreadable(origin, 'a list of campaigns is missing', inner);
    const rows = (Array.isArray(inner) ? inner : []).map((row) => decodeListed(row, origin));
    const keyed = rows.map((row) => ({ key: String(row.id), row }));
    return { rows: keyed, announced: readPageInfo(layers, headers) };
  });
}

/** GET /api/campaigns/schedule/templates. */
export function templateList(channel: Channel, path: string): PagedList<JsonObject> {
  const about = {
    label: 'The list of schedule templates',
    path,
    numbered: true,
    accepted: [404],
    contradicts: never,
  };
  return pagedList(channel, about, ({ status, body, headers, origin }) => {
    const { inner, layers } = unwrap(body, 'templates');
    const none = status === 404 || isNothing(inner) || findRefusal(body) !== null;
    const list = none ? [] : Array.isArray(inner) ? inner : [inner];
    return { rows: list.map((row) => keyedTemplate(row, origin)), announced: readPageInfo(layers, headers) };
  });
}

/** GET /api/campaigns/{id}/sequence-steps, where it turns out to be paged: only what a page announces is followed. */
export function stepList(channel: Channel, path: string): PagedList<JsonObject> {
  const about = {
    label: 'The list of sequence steps',
    path,
    numbered: false,
    accepted: [],
    contradicts: never,
  };
  return pagedList(channel, about, ({ body, headers, origin }) => {
    const steps = decodeSequence(body, origin)?.steps ?? [];
    const rows = steps.map((row) => ({ key: String(readId(row.id) ?? JSON.stringify(row)), row }));
    return { rows, announced: readPageInfo(unwrap(body, 'sequence').layers, headers) };
  });
}

function keyedTemplate(row: Json, origin: Origin): { key: string; row: JsonObject } {
  if (!isObject(row)) throw unreadable(origin, 'a schedule template is not an object', row);
  const id = readId(row.id);
  if (id === null) throw unreadable(origin, 'a schedule template has no usable id', row.id);
  return { key: String(id), row };
}

/** Other records may hold fields that change with each reading. */
function never(): boolean {
  return false;
}

/** `accepted`: refusals of the list itself, not of a query, that `decode` understands. */
function pagedList<Row>(
  channel: Channel,
  {
    accepted,
    ...about
  }: Pick<PagedList<Row>, 'label' | 'path' | 'numbered' | 'contradicts'> & {
    accepted: readonly number[];
  },
  decode: (reading: Reading) => Page<Row>,
): PagedList<Row> {
  return {
    ...about,
    clock: channel.clock,
    closed: channel.closed,
    async readPage(path) {
      const queried = path.includes('?');
      const reading = await readPath(channel, path, queried ? REFUSED_QUERY : accepted);
      if (queried && reading.status >= 400) return null;
      return { ...decode(reading), partial: reading.status === 206, bytes: reading.bytes };
    },
    resolveLink: (link, path) => resolveLink(channel, link, `${channel.origin}${path}`),
  };
}

/** The token goes nowhere else: a link to another origin ends the reading. */
function resolveLink({ origin, quote }: Channel, link: string, page: string): string {
  const url = URL.canParse(link, page) ? new URL(link, page) : null;
  // Behind a proxy that ends TLS, services write http into links to themselves; the request goes to https all the same.
  const own = url !== null && (url.origin === origin || url.origin.replace(/^http:/, 'https:') === origin);
  if (own && url.username === '') return `${url.pathname}${url.search}`;
  throw new Failure({
    code: 'foreign-link',
    message: `GET ${quote(new URL(page).pathname)} links to its next page at another address: ${quote(link)}. It is not followed, the token stays here.`,
    hint: 'Set base_url to the address that the service gives itself, if that is where it is.',
  });
}
