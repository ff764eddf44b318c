/** A service may make a campaign otherwise than documented: an update then sends what was shown, and what the service had. */
import { expect, it } from 'vitest';
import { withProject } from '../../support/project.js';
import type { TestService } from '../../support/service/service.js';
import type { Shape } from '../../support/service/shape.js';
import { OTHER_DEFAULTS } from '../../support/service/store.js';

/** Applies a new campaign with these settings, and plans again. */
function applied(
  settings: string,
  shape: Partial<Shape> = {},
  before: (service: TestService) => void = () => {},
) {
  const files = { 'campaigns/spring.yaml': `name: Spring\nsettings: ${settings}\n` };
  return withProject({ shape: { defaults: 'other', ...shape }, files }, async ({ live, run, service }) => {
    before(service);
    const { code, out } = await run('apply --yes');
    return { code, out, settings: live('Spring').settings, plan: (await run('plan')).out };
  });
}

it.each([{}, { rows: 'id-name' }, { settings: 'nested', numbers: 'text', booleans: '"1"' }] as const)(
  'settings that the manifest leaves out stay as the service made them: %j',
  async (shape) => {
    const { code, out, settings, plan } = await applied(
      '{ can_unsubscribe: true, unsubscribe_text: Bye }',
      shape,
    );
    expect(code).toBe(0);
    expect(settings).toEqual({ ...OTHER_DEFAULTS, can_unsubscribe: true, unsubscribe_text: 'Bye' });
    expect(out.replace(/\s+/g, ' ')).toContain(
      'If the service does not show them, apply sends the documented defaults: max_emails_per_day 1000, max_new_leads_per_day 1000',
    );
    expect(plan).toContain('No changes.');
  },
);

it('a documented default that is written is shown and sent', async () => {
  const { code, out, settings, plan } = await applied('{ max_emails_per_day: 1000 }');
  expect(code).toBe(0);
  expect(out).toContain('+ max_emails_per_day  1000');
  expect(settings).toEqual({ ...OTHER_DEFAULTS, max_emails_per_day: 1000 });
  expect(plan).toContain('No changes.');
});

const PATH = '/api/campaigns/101';

it('settings that show a moment after the campaign are waited for', async () => {
  const early = { effect: false, status: 200, body: { data: { id: 101, name: 'Spring' } } };
  const { code, settings } = await applied('{ can_unsubscribe: true }', {}, (service) =>
    service.answerThen('GET', PATH, early),
  );
  expect(code).toBe(0);
  expect(settings).toEqual({ ...OTHER_DEFAULTS, can_unsubscribe: true });
});

it('an update that an earlier run did not send says which defaults go out for settings that are not shown', async () => {
  const refused = { effect: false, status: 422, body: { message: 'Not now.' } };
  const { code, plan } = await applied('{ can_unsubscribe: true }', { reputation: 'hidden' }, (service) =>
    service.answerThen('PATCH', `${PATH}/update`, refused),
  );
  expect(code).toBe(4);
  expect(plan.replace(/\s+/g, ' ')).toContain(
    'leaves out settings that the service does not show: the update sends the documented defaults, reputation_building false.',
  );
});

it('caps of which the plan has told already are sent as planned', async () => {
  const { code, settings } = await applied('{ max_emails_per_day: 200 }');
  expect([code, settings.max_emails_per_day]).toEqual([0, 200]);
});
