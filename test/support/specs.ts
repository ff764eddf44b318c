import fc from 'fast-check';
import type { ServiceBehaviour } from '../../src/model/environment.js';
import type { LeadList } from '../../src/model/manifest.generated.js';
import { SETTINGS, WEEKDAYS } from '../../src/model/sections.js';
import type { CampaignSpec, ResolvedStep } from '../../src/model/spec.js';
import { UNKNOWN_SERVICE } from './environment.js';
import { type Shape, shaped } from './service/shape.js';
import type { Schedule, Store } from './service/store.js';
import { WORKDAYS } from './service/store.js';

const word = (...words: string[]) => fc.constantFrom(...words);

function partial<T extends object>(
  fields: { [name in keyof T]: fc.Arbitrary<T[name]> },
): fc.Arbitrary<Partial<T>> {
  return fc.record(fields, { requiredKeys: [] }) as fc.Arbitrary<Partial<T>>;
}

const WRITTEN = {
  integer: fc.constantFrom(0, 100, 200, 1000, null),
  boolean: fc.constantFrom(true, false, null),
  text: fc.constantFrom('Unsubscribe here', ' Leave\r\nus \n', '', null),
};
const settings = partial<NonNullable<CampaignSpec['settings']>>(
  Object.fromEntries(SETTINGS.map(({ name, type }) => [name, WRITTEN[type]])),
);

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
  .map(([texts, local]) => ({ ...texts, ...local }));
const step: fc.Arbitrary<ResolvedStep> = fc
  .tuple(
    fc.record({ ...email, wait_in_days }),
    partial<Pick<ResolvedStep, 'thread_reply' | 'variants'> & object>({
      thread_reply: fc.boolean(),
      variants: fc.array(variant, { maxLength: 2 }),
    }),
  )
  .map(([needed, local]) => ({ ...needed, ...local }));
const sequence = fc.record({
  title: word('Spring sequence', 'Winter sequence '),
  steps: fc.array(step, { minLength: 1, maxLength: 3 }),
});

const list = fc.constantFrom<(number | string)[]>(42, 77, 'installers-fr', 'installers-de');
/** 77 and `installers-fr` are one list, which a manifest contains once. */
const lists = fc
  .tuple(
    fc.uniqueArray(fc.tuple(list, fc.boolean()), {
      selector: ([name]) => (name === 'installers-fr' ? 77 : name),
      maxLength: 3,
    }),
    fc.constantFrom<(number | string)[]>(20261127, '2026-11-27', ' b '),
  )
  .map(([entries, refill]) =>
    entries.map(([name, isRefilled]): LeadList => (isRefilled ? { list: name, refill } : name)),
  );

const leads = partial<NonNullable<CampaignSpec['leads']>>({
  lists,
  ids: fc.oneof(
    fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 4 }),
    fc.constant(Array.from({ length: 501 }, (_, index) => 2000 - index)),
  ),
});

/** Specs with any sections, each with any value that the schema allows. */
export const spec: fc.Arbitrary<CampaignSpec> = partial<Omit<CampaignSpec, 'name' | 'id'>>({
  settings,
  schedule,
  sequence,
  leads,
  status: fc.constantFrom('running', 'paused'),
}).map((sections) => ({ name: 'Spring installers', ...sections }));

export const service: fc.Arbitrary<{ behaviour: ServiceBehaviour; shape: Shape }> = fc
  .record({
    variants: fc.constantFrom('step_id', 'order'),
    repost: fc.constantFrom('append', 'replace'),
    replySubject: fc.constantFrom('as-sent', 'Re: '),
    reputation: fc.constantFrom('shown', 'hidden'),
    title: fc.constantFrom('shown', 'hidden'),
    templates: fc.constantFrom('content', 'ids-only'),
    rows: fc.constantFrom('whole', 'id-name'),
    loose: fc.boolean(),
    told: fc.boolean(),
    schedule_repost: fc.constantFrom('unknown', 'replace', 'refuse'),
    attach_repeat: fc.constantFrom('unknown', 'safe'),
  })
  .map(({ told: shown, loose, repost, variants, schedule_repost, attach_repeat, ...drawn }) => {
    const shape = shaped({
      ...drawn,
      ...(loose ? LOOSE : {}),
      texts: 'trimmed',
      stepsOrder: 'reversed',
      launch: 'anything',
      sequenceRepost: repost,
      // If a second post replaces the first, variants must be in the same request as their steps.
      variants: repost === 'replace' ? 'order' : variants,
    });
    const behaviour: ServiceBehaviour = {
      ...UNKNOWN_SERVICE,
      variant_reference: shape.variants,
      sequence_repost: shown ? repost : 'unknown',
      schedule_repost,
      attach_repeat,
    };
    return { behaviour, shape };
  });

/** Writes numbers and ids as text, and flags as 0 and 1. */
export const LOOSE: Partial<Shape> = { numbers: 'text', idType: 'text', booleans: '1' };

export const DENVER: Schedule = {
  ...WORKDAYS,
  start_time: '08:00',
  end_time: '20:00',
  timezone: 'America/Denver',
};

/** A workspace without campaigns, with the templates that manifests refer to. */
export const WORKSPACE: Store = {
  campaigns: [],
  templates: [
    { id: 3, ...DENVER },
    { id: 4, ...DENVER, friday: false },
  ],
};
