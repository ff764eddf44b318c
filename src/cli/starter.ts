/** Files of a new project. The README shows its manifest; pipelines come from examples/ci. */

import campaignSchema from '../../schemas/campaign.schema.json' with { type: 'json' };
import projectSchema from '../../schemas/project.schema.json' with { type: 'json' };
import { editorLine, SCHEMA_FILES } from '../project/manifests.js';
import type { PIPELINES } from './pipelines.generated.js';

export type Ci = keyof typeof PIPELINES;

/** `branch`: set if the repository has several projects; otherwise `null`. */
export interface Remote {
  name: string;
  branch: string | null;
  id: string;
}

/** `ci`, `remote`: `null` if there is none. */
export function starterFiles({ ci, remote }: { ci: Ci | null; remote: Remote | null }) {
  const services =
    ci === null
      ? `  # Your workspace. The token comes from the environment variable, never from a file.\n${service('production', 'CAMPAIGNS_TOKEN').replace(/^ {2}/gm, '  # ')}`
      : ['staging', 'production'].map((name) => service(name, tokenOf(name, ci))).join('');
  return {
    'campaignctl.yaml': `${editorLine('', 'project')}${HEAD}${remote === null ? '' : stateOn(remote)}${SANDBOX}${services}`,
    'campaigns/spring.yaml': `${editorLine('campaigns', 'campaign')}${MANIFEST}`,
    ...SHARED,
    [SCHEMA_FILES.campaign]: asFile(campaignSchema),
    [SCHEMA_FILES.project]: asFile(projectSchema),
  };
}

function tokenOf(environment: string, ci: Ci): string {
  return ci === 'gitlab' ? `CAMPAIGNS_TOKEN_${environment.toUpperCase()}` : 'CAMPAIGNS_TOKEN';
}

function service(name: string, token: string): string {
  return `  ${name}:
    base_url: https://${name === 'production' ? 'send' : name}.example.com
    token_env: ${token}
    custom_variables: [FIRST_NAME, COMPANY]
    lead_lists: { installers: 77 }
`;
}

function asFile(schema: object): string {
  return `${JSON.stringify(schema, null, 2)}\n`;
}

const HEAD = `# Where the manifests are, and which services they are for.
version: 1
manifests: [campaigns/**/*.yaml]
`;

function stateOn({ name, branch, id }: Remote): string {
  const words = [name === 'origin' ? null : `remote: ${name}`, branch && `branch: ${branch}`, `id: ${id}`];
  const options = ['backend: git', ...words].filter(Boolean).join(', ');
  return `# campaignctl keeps its state on a branch that all machines share.\nstate: { ${options} }\n`;
}

const SANDBOX = `default_environment: sandbox

environments:
  # The built-in service. Try everything here: it sends no email.
  sandbox:
    sandbox: {}
    custom_variables: [FIRST_NAME, COMPANY]
    lead_lists: { installers: 12 }

`;

const MANIFEST = `# Each document is one campaign. Fields that are left out are not managed.
name: Spring installers
settings:
  max_emails_per_day: 200
  max_new_leads_per_day: 80
  plain_text: true
  reputation_building: true
  can_unsubscribe: true
  unsubscribe_text: No more emails, please
schedule:
  days: [monday, tuesday, wednesday, thursday, friday]
  start_time: "09:00"
  end_time: "17:00"
  timezone: Europe/London
sequence:
  title: Spring installers
  steps:
    - email_subject: "{FIRST_NAME}, a sample for {COMPANY}?"
      email_body: |
        {Hi|Hello} {FIRST_NAME},

        Our clamp sets fit without drilling. Shall I send one to {COMPANY}?
      wait_in_days: 3
    - email_subject: "{FIRST_NAME}, a sample for {COMPANY}?"
      email_body: |
        Just an address is enough, {FIRST_NAME}.
      wait_in_days: 4
      thread_reply: true
leads:
  lists: [installers]
# status: running launches the campaign, which needs --allow launch.
status: paused
`;

export const SHARED = {
  '.gitignore': `# The sandbox, and state in folders: a checkout must not roll it back. Saved plans contain the text of emails.
.campaignctl/*
!.campaignctl/schemas/
plan.json
plan-*.json
plans/
`,
  '.gitattributes': `# Emails have the same line endings on every machine.
* text=auto eol=lf
`,
};
