// A project of many typical campaigns: settings, a schedule, three emails and a variant.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SETTINGS = {
  max_emails_per_day: 200,
  max_new_leads_per_day: 100,
  can_unsubscribe: true,
  unsubscribe_text: 'Unsubscribe here',
};
const DAYS = { monday: true, tuesday: true, wednesday: true, thursday: true, friday: true };
const HOURS = { start_time: '09:00', end_time: '17:00', timezone: 'Europe/Paris' };

export function writeProject(folder, { count, url }) {
  mkdirSync(join(folder, 'campaigns'), { recursive: true });
  writeFileSync(
    join(folder, 'campaignctl.yaml'),
    `version: 1
manifests: [campaigns/*.yaml]
environments:
  bench:
    base_url: ${url}
    token_env: BENCH_TOKEN
    custom_variables: [FIRST_NAME, COMPANY]
    allow: [mass-change]
`,
  );
  for (let number = 1; number <= count; number++) writeFileSync(fileOf(folder, number), manifest(number));
}

/** Rewrites some manifests with a different limit. */
export function edit(folder, numbers, limit = SETTINGS.max_emails_per_day) {
  for (const number of numbers) {
    const text = manifest(number).replace(/max_emails_per_day: \d+/, `max_emails_per_day: ${limit}`);
    writeFileSync(fileOf(folder, number), text);
  }
}

function fileOf(folder, number) {
  return join(folder, 'campaigns', `${String(number).padStart(6, '0')}.yaml`);
}

function manifest(number) {
  return `name: ${nameOf(number)}
settings:
${Object.entries(SETTINGS)
  .map(([key, value]) => `  ${key}: ${value}\n`)
  .join('')}schedule:
  days: [${Object.keys(DAYS).join(', ')}]
  start_time: "${HOURS.start_time}"
  end_time: "${HOURS.end_time}"
  timezone: ${HOURS.timezone}
sequence:
  title: Sequence ${number}
  steps:
${[1, 2, 3]
  .map(
    (step) => `    - email_subject: "${subject(step)}"
      email_body: |
${body(number).replace(/^(?=.)/gm, '        ')}      wait_in_days: ${step + 1}
${
  step === 1
    ? `      variants:
        - email_subject: "${variant(number).email_subject}"
          email_body: ${variant(number).email_body}
`
    : ''
}`,
  )
  .join('')}`;
}

/** The values of a manifest in the form that the tests' service stores. */
export function stored(number) {
  const step = (at, changes) => ({
    id: number * 10 + at,
    order: at,
    email_subject: subject(at),
    email_body: body(number),
    wait_in_days: at + 1,
    variant: false,
    variant_from_step: null,
    thread_reply: false,
    ...changes,
  });
  const weekend = { saturday: false, sunday: false };
  return {
    id: 100 + number,
    name: nameOf(number),
    settings: SETTINGS,
    schedule: { ...DAYS, ...weekend, ...HOURS },
    title: `Sequence ${number}`,
    steps: [
      ...[1, 2, 3].map((at) => step(at, {})),
      step(4, {
        ...variant(number),
        order: null,
        wait_in_days: 2,
        variant: true,
        variant_from_step: number * 10 + 1,
      }),
    ],
  };
}

function nameOf(number) {
  return `Campaign ${number}`;
}

function subject(step) {
  return `{FIRST_NAME}, question ${step}`;
}

function body(number) {
  return `<p>Hi {FIRST_NAME},</p>
<p>{Worth a look|Open to a look} at number ${number} for {COMPANY}?</p>
<p>We have helped forty companies like yours with exactly this, and most of them saw the effect in the first month.</p>
`;
}

function variant(number) {
  return {
    email_subject: `Number ${number} at {COMPANY}`,
    email_body: '<p>Hi {FIRST_NAME}, one question about {COMPANY}.</p>',
  };
}
