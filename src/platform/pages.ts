import { UnreadableAnswer } from '../model/failure.js';
import { isObject, type JsonObject } from '../model/json.js';
import type { Api } from './api.js';

const PER_PAGE = 100;
/** A conversation of 20,000 comments is none. */
const MOST_PAGES = 200;

/**
 * Every row of a list, page by page, oldest first. A link to a next page is believed, its address is not used: the next
 * request goes where this one went. A full page without a link is followed too, since some proxies drop the header.
 */
export async function* eachRow(api: Api, path: string, query = ''): AsyncGenerator<JsonObject> {
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const { value, more } = await api.read(`${path}?per_page=${PER_PAGE}&page=${page}${query}`);
    // Taken for empty it would lead to a second comment.
    if (!Array.isArray(value)) throw new UnreadableAnswer(`GET ${path}`, 'a list was expected', typeof value);
    yield* value.filter(isObject);
    if (value.length === 0 || (!more && value.length < PER_PAGE)) return;
  }
}
