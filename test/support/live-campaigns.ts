import fc from 'fast-check';
import { SETTINGS, WEEKDAYS } from '../../src/model/sections.js';
import {
  draft,
  type Schedule,
  type Settings,
  type StoredCampaign,
  type StoredStep,
} from './service/store.js';
import { anyText } from './texts.js';

const OPEN = ['$', '{{'].join('');

/** Texts that result from years of copy and paste, and texts that are difficult in YAML. */
const NASTY = [
  'Hi {FIRST_NAME},\n\nworth a look?\n',
  'Hi {FIRST_NAME},\n\nworth a look?',
  '<p>Hi {FIRST_NAME},</p>\n<p>worth a look?</p>\n',
  '<!doctype html>\n<html>\n  <body style="a: b">\n\t<p>{Hi|Hello}</p>\n  </body>\n</html>\n\n',
  'windows\r\nlines\r\n',
  'old mac\rlines\r',
  'mixed\r\nlines\nof\rall kinds',
  'one line and CRLF\r\n',
  '\ttab at the start\n\tand inside\t\n',
  '   blanks at the start\nand at the end   ',
  '\n\n  first lines empty\n',
  'last lines empty\n\n\n',
  'only blanks between\n   \n\t\nend',
  'trailing blanks   \non each line \n',
  '---\nname: another document\n...\n',
  '---',
  '# x',
  'x # not a comment',
  'key: value',
  '- a\n- b\n',
  '? a\n: b\n',
  '"quoted"',
  "it's 'quoted'",
  '\\ backslash \\n \\u0041 "',
  '&anchor *alias !tag !!str |\n>-\n',
  '*alias',
  '%YAML 1.1\n---\nno',
  '@at `tick`',
  '{{ liquid }} and {% if x %}y{% endif %}',
  `price ${OPEN} x }} and $${OPEN} y }} and $ {{`,
  '{a|{b|c}|d} {|}',
  'unbalanced { brace',
  '{first_name} {No Such Variable} {FRIST_NAME}',
  'emoji 👩‍👩‍👧‍👦 and 𝒜stral 🇫🇷',
  'NEL \u0085 inside',
  'line\u2028separator\u2029paragraph',
  'no\u00a0break',
  'zero\u200bwidth\u200e and \u202ebidi\u202c',
  '\ufeffBOM at the start',
  '\ufeffBOM at the start\nof lines\n',
  'BOM \ufeff inside',
  'control \u0000\u0001\u0007\u000b\u001b[31m\u007f\u009f end',
  'control \u000b\nin lines\n',
  'lone \ud800 and \udfff halves',
  'null',
  'true',
  '42',
  '09:00',
  '1e3',
  '~',
  '=',
  '<<',
  'a'.repeat(70_000),
  `${'long line of words '.repeat(400)}\n${'and another '.repeat(300)}`,
  Array.from({ length: 40 }, (_, line) => `line ${line}`).join('\n'),
  '\u00df\u0130 caf\u00e9 e\u0301',
];

const NAMES = [
  'Spring installers',
  'spring installers',
  'SPRING  installers',
  'Frühjahr | Straße',
  'a/b\\c',
  '../../etc/passwd',
  '..',
  '🚀🚀',
  'n'.repeat(300),
  'null',
  'true',
  '42',
  ' blanks around ',
  'tab\tand\nline',
  'con',
  '.hidden',
  '# hash',
  'key: value',
  `{{ x }} ${OPEN} y }}`,
  '*',
  '"quoted"',
  'zero\u200bwidth',
  'e\u0301t\u00e9',
];

export const nastyText = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...NASTY) },
  {
    weight: 1,
    arbitrary: fc
      .array(fc.constantFrom(...NASTY), { minLength: 2, maxLength: 3 })
      .map((all) => all.join('\n')),
  },
  { weight: 1, arbitrary: anyText({ minLength: 1, maxLength: 40 }) },
  {
    weight: 1,
    arbitrary: fc
      .array(fc.constantFrom(...'a \n\t#:-\'"{}\\|$\u0085\ufeff', '\r\n', '<p>'), {
        minLength: 1,
        maxLength: 25,
      })
      .map((all) => all.join('')),
  },
);

const email = fc.record({
  email_subject: fc.oneof(
    fc.constantFrom('A question', 'Re: a question', 're:Re: twice', '{FIRST_NAME}, hi'),
    nastyText,
  ),
  email_body: nastyText,
  wait_in_days: fc.constantFrom(0, 1, 3),
  thread_reply: fc.boolean(),
});
const step = fc.record({ base: email, variants: fc.array(email, { maxLength: 2 }) });

const schedule = fc.record({
  ...Object.fromEntries(WEEKDAYS.map((day) => [day, fc.boolean()])),
  start_time: fc.constantFrom('09:00', '00:00', '08:30'),
  end_time: fc.constantFrom('17:00', '23:59', '08:00'),
  timezone: fc.constantFrom('Europe/Paris', 'America/New_York', 'Etc/GMT+12', 'Mars/Olympus'),
}) as fc.Arbitrary<Schedule>;
const STORED = {
  integer: fc.constantFrom(0, 50, 1000, null),
  boolean: fc.constantFrom(true, false, null),
  text: fc.option(nastyText, { nil: null }),
};
const settings = fc.record(
  Object.fromEntries(SETTINGS.map(({ name, type }) => [name, STORED[type]])),
) as fc.Arbitrary<Settings>;

const campaign = fc.record({
  name: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...NAMES) },
    { weight: 1, arbitrary: anyText({ maxLength: 12 }) },
  ),
  status: fc.constantFrom(
    'draft',
    'active',
    'paused',
    'queued',
    'completed',
    'archived',
    'failed',
    'odd\nword # x: "y',
  ),
  settings,
  schedule: fc.option(schedule, { nil: null }),
  title: fc.option(nastyText, { nil: null }),
  steps: fc.array(step, { maxLength: 3 }),
});

/** Live campaigns that were not created by campaignctl; some share a name. */
export const liveCampaigns: fc.Arbitrary<StoredCampaign[]> = fc
  .array(campaign, { minLength: 1, maxLength: 6 })
  .map((all) => {
    let next = 5000;
    return all.map(({ steps, ...rest }, at) => ({
      ...draft(101 + at, rest.name),
      ...rest,
      lists: [1],
      steps: steps.flatMap(({ base, variants }, index): StoredStep[] => {
        const id = next++;
        const row = { ...base, id, order: index + 1, variant: false, variant_from_step: null };
        const others = variants.map((variant) => ({
          ...variant,
          id: next++,
          order: null,
          variant: true,
          variant_from_step: id,
        }));
        return [row, ...others];
      }),
    }));
  });
