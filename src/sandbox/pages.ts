import type { JsonObject } from '../model/json.js';
import type { Page } from './profile.js';
import type { Campaign } from './state.js';

/** One page, newest first. */
export function pageRows(campaigns: readonly Campaign[], page: Page): readonly Campaign[] {
  const end = Math.max(campaigns.length - (page.number - 1) * page.size, 0);
  return campaigns.slice(Math.max(end - page.size, 0), end).reverse();
}

/** `links` and `meta` of a page with `shown` rows out of `total`. Pages beyond the last are empty, not an error. */
export function pageBody(shown: number, page: Page, total: number): JsonObject {
  const last = Math.max(Math.ceil(total / page.size), 1);
  const first = (page.number - 1) * page.size + 1;
  const url = (number: number) => (number < 1 || number > last ? null : `${page.url}?page=${number}`);
  const link = (number: number, label: string) => ({
    url: url(number),
    label,
    active: label === String(page.number),
  });
  const near = [...Array(last).keys()].map((index) => index + 1).filter((number) => isNear(number, page));
  return {
    links: { first: url(1), last: url(last), prev: url(page.number - 1), next: url(page.number + 1) },
    meta: {
      current_page: page.number,
      from: shown === 0 ? null : first,
      last_page: last,
      links: [
        link(page.number - 1, '&laquo; Previous'),
        ...near.map((number) => link(number, String(number))),
        link(page.number + 1, 'Next &raquo;'),
      ],
      path: page.url,
      per_page: page.size,
      to: shown === 0 ? null : first + shown - 1,
      total,
    },
  };
}

/** Listing all numbers on every page would make long lists quadratic. */
function isNear(number: number, page: Page): boolean {
  return Math.abs(number - page.number) <= 3;
}
