import { expect, it } from 'vitest';
import type { Service } from '../support/service/service.js';
import { applying, SCHEDULE, SEQUENCE } from './spring.js';

/** A list of campaigns that does not show a campaign that was applied. */

const SPEC = { schedule: SCHEDULE, sequence: SEQUENCE };
const EMPTY = { status: 200, body: { data: [] }, effect: false };

/** Hides the campaign in the next lists. */
function hide(service: Service): void {
  for (let times = 0; times < 9; times += 1) service.answerThen('GET', '/api/campaigns', EMPTY);
}

/** The problems of the next apply with all approvals, and the requests that it sends. */
const applyAgain = (before: (service: Service) => void) =>
  applying({}, async ({ service, apply }) => {
    await apply(SPEC);
    const already = service.writes().length;
    before(service);
    const { plan } = await apply(SPEC);
    service.calm();
    const problems = plan.campaigns.flatMap((campaign) => campaign.problems.map(({ code }) => code));
    return { problems, writes: service.writes().slice(already) };
  });

it('a campaign that the list does not show yet, although its record does, is not created again', () =>
  applying({}, async ({ service, apply }) => {
    await apply(SPEC);
    const already = service.writes().length;
    hide(service);
    await expect(apply(SPEC)).rejects.toMatchObject({ code: 'not-listed', exitCode: 1 });
    service.calm();
    expect((await apply(SPEC)).result).toBe('done');
    expect(service.writes()).toHaveLength(already);
  }));

it.each<[what: string, change: (service: Service) => void]>([
  [
    'has no record',
    ({ store }) => {
      store.campaigns.length = 0;
    },
  ],
  [
    'is deleted according to its record',
    ({ store }) => {
      for (const campaign of store.campaigns) campaign.status = 'deleted';
    },
  ],
])('a campaign that the list does not show and that %s can be created again', async (_, change) => {
  const { problems, writes } = await applyAgain((service) => {
    change(service);
    hide(service);
  });
  expect([problems, writes[0]?.path]).toEqual([['missing'], '/api/campaigns']);
});

it('a campaign that the list does not show, and whose record is refused, may be of another workspace', async () => {
  const { problems } = await applyAgain((service) => {
    const { id } = service.store.campaigns[0] ?? {};
    for (let times = 0; times < 9; times += 1)
      service.answerThen('GET', `/api/campaigns/${id}`, {
        status: 403,
        body: { message: 'no' },
        effect: false,
      });
    hide(service);
  });
  expect(problems).toEqual(['missing']);
});
