import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/model/json.js';
import { decodePart } from '../../src/service/live.js';
import { type Project, SCHEDULE, withProject } from '../support/project.js';
import { draft, type StoredCampaign, type StoredStep, weekOf } from '../support/service/store.js';

const step = (id: number, rest: Partial<StoredStep>): StoredStep => ({
  id,
  order: null,
  email_subject: 'A question',
  email_body: 'Hi {FIRST_NAME},\n\n    - worth a look?\n',
  wait_in_days: 3,
  variant: false,
  variant_from_step: null,
  thread_reply: false,
  ...rest,
});

const SPRING: StoredCampaign = {
  ...draft(42, 'Spring'),
  status: 'active',
  schedule: {
    ...weekOf(['monday']),
    ...{ start_time: '09:00', end_time: '17:00', timezone: 'Europe/Paris' },
  },
  steps: [
    step(1, { order: 1 }),
    step(2, {
      order: 2,
      attachments: [
        { id: 7, name: 'offer.pdf' },
        { id: 8, name: 'map.png' },
      ],
    }),
    step(3, { variant: true, variant_from_step: 2, attachments: [{ uuid: 'a' }] }),
  ],
  counters: { daily_max_sends_per_receiving_domain: 20, tags: [{ id: 1, name: 'VIP', default: false }] },
};

const SPRING_2 = `name: Spring 2
replaces: Spring
${SCHEDULE}sequence:
  title: Spring
  steps:
    - { email_subject: A question, email_body: "Hello {FIRST_NAME}", wait_in_days: 3 }
leads: { lists: [77] }
status: running
`;

const scene = (use: (project: Project) => Promise<void>) =>
  withProject({ shape: { totals: 'shown' }, campaigns: [structuredClone(SPRING)] }, use);

describe('attachments, a limit for each receiving domain and tags of a live campaign', () => {
  it('become comments of an imported manifest, those of an email at its step', () =>
    scene(async ({ exits, read, plan }) => {
      const { out } = await exits(0, 'import Spring');
      const text = await read('campaigns/spring.yaml');
      expect(text).toMatch(/^settings:\n(?: {2}#.*\n)* {2}# the tag VIP: manifests cannot hold this$/m);
      expect(text).toContain(
        '  # the limit of 20 emails a day for each receiving domain: manifests cannot hold this\n',
      );
      expect(text).toContain(
        `      wait_in_days: 3
    # the attachments offer.pdf, map.png of email 2: manifests cannot hold this
    # the 1 attachment of variant 1 of email 2: manifests cannot hold this
    - email_subject: A question
`,
      );
      expect(text.match(/attachment/g)).toHaveLength(2);
      expect(out.replace(/\s+/g, ' ')).toContain('the tag VIP: manifests cannot hold this');
      expect(await plan()).toMatchObject({ summary: { unchanged: 1, requests: 0 } });
    }));

  it.each(['text', 'markdown', 'html'])('as %s, are tasks by hand if the campaign is replaced', (format) =>
    scene(async ({ write, run }) => {
      await write({ 'campaigns/spring-2.yaml': SPRING_2 });
      const out = (await run(`plan --format ${format}`)).out
        .replace(/<[^>]*>/g, ' ')
        .replace(/&#34;/g, '"')
        .replace(/\s+/g, ' ');
      for (const words of [
        'the attachments offer.pdf, map.png of email 2',
        'the 1 attachment of variant 1 of email 2',
        'the limit of 20 emails a day for each receiving domain',
        'the tag VIP',
      ])
        expect(out).toContain(`arry over ${words} from "Spring" (id 42): the API cannot set this`);
    }),
  );

  it.each<[Json, readonly (string | null)[]]>([
    [null, []],
    [[], []],
    [0, []],
    [{}, []],
    ['offer.pdf', ['offer.pdf']],
    [
      [{ file_name: 'a.pdf' }, { filename: 'b.pdf' }],
      ['a.pdf', 'b.pdf'],
    ],
    [
      [{ name: 7 }, { url: ['x'] }, null, ' '],
      [null, null],
    ],
  ])('never make a campaign unreadable: %j', (attachments, names) => {
    const steps = [{ ...step(1, { order: 1 }), attachments }];
    const sequence = decodePart('sequence', {
      endpoint: 'GET steps',
      body: { steps: steps },
    });
    if (sequence.is !== 'shown') throw new Error(sequence.is);
    expect(sequence.value.steps[0]?.attachments ?? []).toEqual(names);
    const body = { name: 'Spring', tags: attachments, daily_max_sends_per_receiving_domain: attachments };
    expect(decodePart('campaign', { endpoint: 'GET campaign', body })).toMatchObject({
      is: 'shown',
      value: { tags: names.filter((name) => name !== null), domainLimit: null },
    });
  });
});
