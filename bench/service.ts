// The service of the tests in a process of its own, with long pages: what is measured talks to it, and so does the floor.
import { startService, TOKEN } from '../test/support/service/service.js';
import { shaped } from '../test/support/service/shape.js';

const service = await startService({ ...shaped({}), pageSize: 100 }, { campaigns: [], templates: [] });

process.on('message', (message) => {
  if (message === 'empty') service.store.campaigns.length = 0;
  if (message === 'forget') service.requests.length = 0;
  process.send?.(message === 'requests' ? requests() : message);
});
process.send?.({ url: service.url, token: TOKEN });

/** The requests since the last `forget`, as the floor sends them again: method, path, body. */
function requests(): [string, string, string][] {
  if (service.violations.length > 0) throw new Error(service.violations.join('\n'));
  return service.requests.map(({ method, path, query, body }) => [
    method,
    query === '' ? path : `${path}?${query}`,
    body === null ? '' : JSON.stringify(body),
  ]);
}
