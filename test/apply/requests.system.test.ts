/** How many requests one changed setting costs. */
import { expect, it } from 'vitest';
import { run } from '../support/apply.js';
import { campaign } from '../support/campaigns.js';
import { environment } from '../support/environment.js';
import { withFolder } from '../support/folder.js';
import { openService, TOKEN } from '../support/service/service.js';
import { shaped } from '../support/service/shape.js';
import { wireTo } from '../support/service/wire.js';
import { SPEC } from '../system/trust/full-campaign.js';

it('a changed setting costs seven requests: the list, three readings, a check, the update, a reading back', () =>
  withFolder(async (folder) => {
    const service = openService(shaped({}), { campaigns: [], templates: [] });
    const { status: _status, leads: _leads, ...spec } = SPEC;
    const apply = (max_emails_per_day: number) =>
      run({
        ...{ url: 'https://send.example.com', token: TOKEN, folder, wire: () => wireTo(service) },
        environment: environment(),
        campaigns: [campaign('spring.yaml', { ...spec, settings: { ...spec.settings, max_emails_per_day } })],
      });
    expect((await apply(200)).result).toBe('done');
    service.requests.splice(0);
    expect((await apply(300)).result).toBe('done');
    const sent = service.requests.map(
      ({ method, path }) => `${method} ${path.replace('/api/campaigns', '')}`,
    );
    expect([...sent].sort()).toEqual([
      ...['GET ', 'GET /101', 'GET /101', 'GET /101'],
      ...['GET /101/schedule', 'GET /101/sequence-steps', 'PATCH /101/update'],
    ]);
  }));
