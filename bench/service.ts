/**
 * The service of the tests in a process of its own, with long pages: what is measured talks to it, and so does the floor. A message
 * starts it anew at the same address, with an answer time and with as many campaigns of the project as it says.
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
  return startService({ ...shaped({}), pageSize: 100 }, { campaigns, templates: [] }, { latency, port });
}

/** The campaign of a manifest once it is applied. */
function applied(number: number): StoredCampaign {
  const { settings, ...content } = stored(number);
  const made = draft(content.id, content.name);
  return { ...made, ...content, settings: { ...made.settings, ...settings } };
}

/** The requests since the last `forget`, as the floor sends them again: method, path, body. */
function requests(): [string, string, string][] {
  if (service.violations.length > 0) throw new Error(service.violations.slice(0, 5).join('\n'));
  return service.requests.map(({ method, path, query, body }) => [
    method,
    query === '' ? path : `${path}?${query}`,
    body === null ? '' : JSON.stringify(body),
  ]);
}
