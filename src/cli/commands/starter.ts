const PROJECT = `# campaignctl: where the manifests are, and which services they are for.
version: 1
manifests: [campaigns/**/*.yaml]
default_environment: sandbox

environments:
  # A service inside campaignctl: try everything here, nothing is mailed to anybody.
  sandbox:
    sandbox: {}
    custom_variables: [FIRST_NAME, COMPANY]
    lead_lists: { installers: 1 }

  # Your workspace. The token is read from the environment variable, never from a file.
  # production:
  #   base_url: https://send.example.com
  #   token_env: CAMPAIGNS_TOKEN
  #   custom_variables: [FIRST_NAME, COMPANY]
  #   lead_lists: { installers: 77 }
`;

const MANIFEST = `# One document is one campaign. What is left out is not managed.
name: Spring installers

settings:
  max_emails_per_day: 200
  max_new_leads_per_day: 100
  plain_text: false
  reputation_building: true
  can_unsubscribe: true
  unsubscribe_text: Unsubscribe here

schedule:
  days: [monday, tuesday, wednesday, thursday, friday]
  start_time: "09:00"
  end_time: "17:00"
  timezone: Europe/Paris

sequence:
  title: Spring sequence
  steps:
    - email_subject: "{FIRST_NAME}, a question about {COMPANY}"
      email_body: |
        <p>Hi {FIRST_NAME},</p>
        <p>{Worth a look|Open to a look} at how other installers plan their spring?</p>
      wait_in_days: 3
      variants:
        - email_subject: "Spring at {COMPANY}"
          email_body_file: ../emails/spring-b.html
    - email_subject: "{FIRST_NAME}, a question about {COMPANY}"
      email_body: |
        <p>Hi {FIRST_NAME},</p>
        <p>did you see my last mail?</p>
      wait_in_days: 4
      thread_reply: true

leads:
  lists: [installers]

# paused until you mean it: running launches the campaign, and that needs --allow launch.
status: paused
`;

const BODY = `<p>Hi {FIRST_NAME},</p>
<p>how does {COMPANY} plan its spring?</p>
`;

/** What does not belong into version control. */
export const IGNORED = `# The embedded service and what was applied to it. The state of real environments belongs into version control.
.campaignctl/sandbox/
.campaignctl/state/sandbox/
.campaignctl/state/*/lock*
`;

/** The files of a new project: path → text. */
export const STARTER: Record<string, string> = {
  'campaignctl.yaml': PROJECT,
  'campaigns/spring-installers.yaml': MANIFEST,
  'emails/spring-b.html': BODY,
  '.gitignore': IGNORED,
};
