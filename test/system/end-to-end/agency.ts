import type { Shape } from '../../support/service/shape.js';
import { draft, keptText, type Store, type StoredCampaign } from '../../support/service/store.js';
import { DENVER } from '../../support/specs.js';

/**
 * A project with three campaigns that together use every endpoint except for pause, and the expected state of the service.
 */

const SPRING_BODY = '<p>Hi {FIRST_NAME},</p>\n<p>worth a look at {COMPANY}?</p>\n';
const LEAD_IDS = Array.from({ length: 501 }, (_, index) => 20_000 - index);

const SPRING = `name: Spring installers
settings:
  max_emails_per_day: 200
  max_new_leads_per_day: 50
  plain_text: false
  open_tracking: true
  reputation_building: true
  can_unsubscribe: true
  unsubscribe_text: Unsubscribe here
schedule:
  days: [monday, tuesday, wednesday, thursday, friday]
  start_time: "09:00"
  end_time: "17:30"
  timezone: Europe/Paris
sequence:
  title: Spring sequence
  steps:
    - email_subject: "{FIRST_NAME}, a question"
      email_body: |
        <p>Hi {FIRST_NAME},</p>
        <p>worth a look at {COMPANY}?</p>
      wait_in_days: 3
      variants:
        - email_subject: Installers at {COMPANY}
          email_body: "<p>{Hi|Hello} {FIRST_NAME}</p>"
        - email_subject: A word on installers
          email_body: "<p>Short one, {FIRST_NAME}.</p>"
          wait_in_days: 2
    - email_subject: Any news?
      email_body: "<p>Any news?</p>"
      wait_in_days: 4
      thread_reply: true
      variants:
        - email_subject: Still there?
          email_body: "<p>Still there?</p>"
    - email_subject: Goodbye {FIRST_NAME}
      email_body_file: ../emails/goodbye.html
      wait_in_days: 1
leads:
  lists: [42, installers-fr]
  ids_file: ../leads/fr.txt
status: running
`;

const OFFICE = `name: Office hours | by template
schedule: { template: office-hours }
sequence:
  title: Office
  steps:
    - { email_subject: One, email_body: "<p>One</p>", wait_in_days: 1 }
    - { email_subject: Two, email_body: "<p>Two</p>", wait_in_days: 2, thread_reply: true }
`;

const QUIET = `name: Quiet one
settings: { max_emails_per_day: null, plain_text: true, open_tracking: null, unsubscribe_text: null }
status: paused
`;

const GOODBYE = '<p>Goodbye.</p>\n';

/** The project's files for a service with this address and shape. */
export function projectFiles(url: string, shape: Shape): Record<string, string> {
  return {
    'campaignctl.yaml': `version: 1
manifests: [campaigns/**/*.yaml]
environments:
  production:
    base_url: ${url}
    token_env: CAMPAIGNS_TOKEN
    custom_variables: [FIRST_NAME, COMPANY]
    lead_lists: { installers-fr: 77 }
    schedule_templates: { office-hours: 3 }
    service: { variant_reference: ${shape.variants} }
`,
    'campaigns/spring.yaml': SPRING,
    'campaigns/others.yaml': `${OFFICE}---\n${QUIET}`,
    'emails/goodbye.html': GOODBYE,
    'leads/fr.txt': `# one id a line\n${LEAD_IDS.join('\n')}\n`,
  };
}

/** A workspace in which others have been before: their campaigns must not be touched. */
export function usedWorkspace(): Store {
  const others = ['Spring installers (old)', 'spring installers', 'Autumn', 'Winter'];
  return {
    campaigns: others.map((name, index) => draft(11 + index, name)),
    templates: [1, 2, 3, 4].map((id) => ({
      ...DENVER,
      id,
      start_time: id === 3 ? '08:00' : '07:00',
    })),
  };
}

/** The expected campaigns of the service, by name. Ids of steps are omitted; parents are given by subject. */
export function wanted(shape: Shape) {
  const text = (value: string) => keptText(value, shape);
  const reply = (subject: string) => (shape.replySubject === 'Re: ' ? `Re: ${subject}` : subject);
  const base = (order: number, subject: string, rest: { body: string; wait: number; reply?: boolean }) => ({
    order,
    email_subject: rest.reply ? reply(subject) : subject,
    email_body: text(rest.body),
    wait_in_days: rest.wait,
    parent: null,
    thread_reply: rest.reply ?? false,
  });
  const variant = (
    parent: string,
    subject: string,
    rest: { body: string; wait: number; reply?: boolean },
  ) => ({ ...base(0, subject, rest), order: null, parent });
  const question = '{FIRST_NAME}, a question';
  return {
    'Spring installers': {
      status: 'active',
      settings: {
        max_emails_per_day: 200,
        max_new_leads_per_day: 50,
        plain_text: false,
        open_tracking: true,
        reputation_building: true,
        can_unsubscribe: true,
        unsubscribe_text: 'Unsubscribe here',
      },
      schedule: {
        ...DENVER,
        start_time: '09:00',
        end_time: '17:30',
        timezone: 'Europe/Paris',
      },
      title: 'Spring sequence',
      steps: [
        base(1, question, { body: SPRING_BODY, wait: 3 }),
        variant(question, 'Installers at {COMPANY}', { body: '<p>{Hi|Hello} {FIRST_NAME}</p>', wait: 3 }),
        variant(question, 'A word on installers', { body: '<p>Short one, {FIRST_NAME}.</p>', wait: 2 }),
        base(2, 'Any news?', { body: '<p>Any news?</p>', wait: 4, reply: true }),
        variant(reply('Any news?'), 'Still there?', { body: '<p>Still there?</p>', wait: 4, reply: true }),
        base(3, 'Goodbye {FIRST_NAME}', { body: GOODBYE, wait: 1 }),
      ],
      lists: [42, 77],
      leads: [...LEAD_IDS].sort((a, b) => a - b),
    },
    'Office hours | by template': {
      status: 'draft',
      settings: draft(0, '').settings,
      schedule: DENVER,
      title: 'Office',
      steps: [
        base(1, 'One', { body: '<p>One</p>', wait: 1 }),
        base(2, 'Two', { body: '<p>Two</p>', wait: 2, reply: true }),
      ],
      lists: [],
      leads: [],
    },
    'Quiet one': {
      status: 'draft',
      settings: {
        ...draft(0, '').settings,
        max_emails_per_day: null,
        plain_text: true,
        open_tracking: false,
      },
      schedule: null,
      title: null,
      steps: [],
      lists: [],
      leads: [],
    },
  };
}

export function held({ campaigns }: Store): Record<string, ReturnType<typeof heldCampaign>> {
  const others = usedWorkspace().campaigns.map(({ id }) => id);
  const created = campaigns.filter(({ id }) => !others.includes(id));
  return Object.fromEntries(created.map((campaign) => [campaign.name, heldCampaign(campaign)]));
}

function heldCampaign(campaign: StoredCampaign) {
  const { id, name, pending, steps, lists, leads, ...rest } = campaign;
  const bases = steps.filter(({ variant }) => !variant).sort((a, b) => Number(a.order) - Number(b.order));
  const family = bases.flatMap((base) => [
    base,
    ...steps.filter(({ variant_from_step }) => variant_from_step === base.id),
  ]);
  return {
    ...rest,
    steps: family.map(({ id: _, variant, variant_from_step, ...step }) => ({
      ...step,
      parent: steps.find((email) => email.id === variant_from_step)?.email_subject ?? null,
    })),
    lists: [...lists].sort((a, b) => a - b),
    leads: [...leads].sort((a, b) => a - b),
  };
}
