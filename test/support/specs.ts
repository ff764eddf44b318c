import fc from 'fast-check';
import type { ServiceBehaviour } from '../../src/model/environment.js';
import type { CampaignSpec, ResolvedStep } from '../../src/model/spec.js';
import { UNKNOWN_SERVICE } from './environment.js';
import type { Quirks } from './service-model.js';

const word = (...words: string[]) => fc.constantFrom(...words);

/** An object of which any key may be absent. */
function partial<T extends object>(
  fields: { [name in keyof T]: fc.Arbitrary<T[name]> },
): fc.Arbitrary<Partial<T>> {
  return fc.record(fields, { requiredKeys: [] }) as fc.Arbitrary<Partial<T>>;
}

const flag = fc.constantFrom(true, false, null);
const limit = fc.constantFrom(0, 100, 200, 1000, null);
const settings = partial<NonNullable<CampaignSpec['settings']>>({
  max_emails_per_day: limit,
  max_new_leads_per_day: limit,
  plain_text: flag,
  open_tracking: flag,
  reputation_building: flag,
  can_unsubscribe: flag,
  unsubscribe_text: fc.constantFrom('Unsubscribe here', ' Leave\r\nus \n', '', null),
});

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
const schedule: fc.Arbitrary<NonNullable<CampaignSpec['schedule']>> = fc.oneof(
  fc.record({
    days: fc.shuffledSubarray([...WEEKDAYS]),
    start_time: word('08:00', '09:00'),
    end_time: word('17:00', '20:00'),
    timezone: word('Europe/Paris', 'America/Denver'),
    save_as_template: fc.boolean(),
  }),
  fc.record({ template: fc.constantFrom<(number | string)[]>(3, 4, 'office-hours') }),
);

const email = {
  email_subject: word('{FIRST_NAME}, a question', ' Any news? ', 'Re: Any news?', '{Hi|Hello} {COMPANY}'),
  email_body: word(
    '<p>Hi {FIRST_NAME},</p>\n',
    'Hi {FIRST_NAME},\r\n\r\nworth a look?\r\n',
    '<p>Last call</p>',
  ),
};
const wait_in_days = fc.integer({ min: 1, max: 3 });
const variant = fc
  .tuple(
    fc.record(email),
    partial<{ wait_in_days: number; thread_reply: boolean }>({ wait_in_days, thread_reply: fc.boolean() }),
  )
  .map(([texts, own]) => ({ ...texts, ...own }));
const step: fc.Arbitrary<ResolvedStep> = fc
  .tuple(
    fc.record({ ...email, wait_in_days }),
    partial<Pick<ResolvedStep, 'thread_reply' | 'variants'> & object>({
      thread_reply: fc.boolean(),
      variants: fc.array(variant, { maxLength: 2 }),
    }),
  )
  .map(([needed, own]) => ({ ...needed, ...own }));
const sequence = fc.record({
  title: word('Spring sequence', 'Winter sequence '),
  steps: fc.array(step, { minLength: 1, maxLength: 3 }),
});

const leads = partial<NonNullable<CampaignSpec['leads']>>({
  lists: fc.array(fc.constantFrom<(number | string)[]>(42, 77, 'installers-fr', 'installers-de'), {
    maxLength: 3,
  }),
  ids: fc.oneof(
    fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 4 }),
    fc.constant(Array.from({ length: 501 }, (_, index) => 2000 - index)),
  ),
});

/** A manifest of one campaign: any of the sections, each in any state that the schema allows. */
export const spec: fc.Arbitrary<CampaignSpec> = partial<Omit<CampaignSpec, 'name' | 'id'>>({
  settings,
  schedule,
  sequence,
  leads,
  status: fc.constantFrom('running', 'paused'),
}).map((sections) => ({ name: 'Spring installers', ...sections }));

/** What the service does, and what the project file says of it, which is the truth or that it is not known. */
export const service: fc.Arbitrary<{ behaviour: ServiceBehaviour; quirks: Quirks }> = fc
  .record({
    reference: fc.constantFrom('step_id', 'order'),
    repost: fc.constantFrom('append', 'replace'),
    replies: fc.constantFrom('as sent', 'Re: '),
    shows: fc.record({
      reputation: fc.boolean(),
      title: fc.boolean(),
      templates: fc.boolean(),
      status: fc.boolean(),
    }),
    loose: fc.boolean(),
    told: fc.boolean(),
    schedule_repost: fc.constantFrom('unknown', 'replace', 'refuse'),
    attach_repeat: fc.constantFrom('unknown', 'safe'),
  })
  // Where a second request replaces the first, variants cannot follow their steps: they go by order.
  .map(({ told, schedule_repost, attach_repeat, ...drawn }) => {
    const quirks: Quirks = { ...drawn, reference: drawn.repost === 'replace' ? 'order' : drawn.reference };
    const behaviour: ServiceBehaviour = {
      ...UNKNOWN_SERVICE,
      variant_reference: quirks.reference,
      sequence_repost: told ? quirks.repost : 'unknown',
      schedule_repost,
      attach_repeat,
    };
    return { behaviour, quirks };
  });
