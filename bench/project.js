// A project of many campaigns, as they are written in practice: settings, schedule, three emails, a variant.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

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
  for (let number = 1; number <= count; number++) {
    writeFileSync(join(folder, 'campaigns', `${String(number).padStart(6, '0')}.yaml`), manifest(number));
  }
}

function manifest(number) {
  return `name: Campaign ${number}
settings:
  max_emails_per_day: 200
  max_new_leads_per_day: 100
  can_unsubscribe: true
  unsubscribe_text: Unsubscribe here
schedule:
  days: [monday, tuesday, wednesday, thursday, friday]
  start_time: "09:00"
  end_time: "17:00"
  timezone: Europe/Paris
sequence:
  title: Sequence ${number}
  steps:
${[1, 2, 3]
  .map(
    (step) => `    - email_subject: "{FIRST_NAME}, question ${step}"
      email_body: |
        <p>Hi {FIRST_NAME},</p>
        <p>{Worth a look|Open to a look} at number ${number} for {COMPANY}?</p>
        <p>We have helped forty companies like yours with exactly this, and most of them saw the effect in the first month.</p>
      wait_in_days: ${step + 1}
${
  step === 1
    ? `      variants:
        - email_subject: "Number ${number} at {COMPANY}"
          email_body: <p>Hi {FIRST_NAME}, one question about {COMPANY}.</p>
`
    : ''
}`,
  )
  .join('')}`;
}
