/** How many requests one changed setting costs. */
import { expect, it } from 'vitest';
import { SPEC } from '../system/trust/full-campaign.js';
import { applying } from './spring.js';

it('a changed setting costs seven requests: the list, three readings, a check, the update, a reading back', () =>
  applying({}, async ({ service, apply }) => {
    const { status: _status, leads: _leads, settings, ...spec } = SPEC;
    expect((await apply({ ...spec, settings: settings ?? {} })).result).toBe('done');
    service.requests.splice(0);
    expect((await apply({ ...spec, settings: { ...settings, max_emails_per_day: 300 } })).result).toBe(
      'done',
    );
    const sent = service.requests.map(
      ({ method, path }) => `${method} ${path.replace('/api/campaigns', '')}`,
    );
    expect([...sent].sort()).toEqual([
      ...['GET ', 'GET /101', 'GET /101', 'GET /101'],
      ...['GET /101/schedule', 'GET /101/sequence-steps', 'PATCH /101/update'],
    ]);
  }));
