/**
 * The tests' service in a separate process, with long pages whose rows show the whole record, for the program and for the floor. A message restarts it at the
 * same address with a given latency and number of campaigns.
 */
import { startService, TOKEN } from '../test/support/service/service.js';
import { shaped } from '../test/support/service/shape.js';
import { draft, type StoredCampaign } from '../test/support/service/store.js';
import { stored } from './project.js';

interface Start {
  latency: number;
  campaigns: number;
}

let service = await start({ latency: 0, campaigns: 0 }, 0);

process.on('message', async (message: Start | 'forget' | 'requests') => {
  if (message === 'requests') {
    process.send?.(requests());
    return;
  }
  if (message === 'forget') service.requests.length = 0;
  else {
    const { port } = new URL(service.url);
    await service.close();
    service = await start(message, Number(port));
  }
  process.send?.('done');
});
process.send?.({ url: service.url, token: TOKEN });

function start({ latency, campaigns: count }: Start, port: number) {
  const campaigns = Array.from({ length: count }, (_, at) => applied(at + 1));
  return startService(
    { ...shaped({ totals: 'shown' }), pageSize: 100 },
    { campaigns, templates: [] },
    { latency, port },
  );
}

/** The campaign that results from applying a manifest. */
function applied(number: number): StoredCampaign {
  const { settings, ...content } = stored(number);
  const created = draft(content.id, content.name);
  return { ...created, ...content, settings: { ...created.settings, ...settings } };
}

/** The requests since the last `forget`, for the floor to repeat: method, path, body. */
function requests(): [string, string, string][] {
  if (service.violations.length > 0) throw new Error(service.violations.slice(0, 5).join('\n'));
  return service.requests.map(({ method, path, query, body }) => [
    method,
    query === '' ? path : `${path}?${query}`,
    body === null ? '' : JSON.stringify(body),
  ]);
}
