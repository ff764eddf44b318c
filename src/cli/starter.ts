/** Files of a new project. The README shows its manifest; pipelines come from examples/ci. */

import { stringify } from 'yaml';
import campaignSchema from '../../schemas/campaign.schema.json' with { type: 'json' };
import projectSchema from '../../schemas/project.schema.json' with { type: 'json' };
import type { PRESETS } from '../model/environment.js';
import { editorLine, SCHEMA_FILES } from '../project/manifests.js';
import { configOf } from '../project/project.js';
import type { PIPELINES } from './pipelines.generated.js';

export type Ci = keyof typeof PIPELINES;

/** `branch`: for one of several projects in a repository, else `null`. */
export interface Remote {
  name: string;
  branch: string | null;
  id: string;
}

/** `baseUrl`: of a service to import from; `null`: a project on the sandbox. */
export interface StartRequest {
  baseUrl: string | null;
  env: string;
  tokenEnv: string;
  ci: Ci | null;
  service: keyof typeof PRESETS | null;
  /** `null` if there is none. */
  remote: Remote | null;
}

/** Texts by path. */
export async function starterFiles({ baseUrl, env, tokenEnv, ci, service, remote }: StartRequest) {
  const names = baseUrl === null;
  const token = (stage: string) => (ci === 'gitlab' ? `${tokenEnv}_${stage}` : tokenEnv);
  const production = { base_url: baseUrl ?? 'https://send.example.com', token_env: token('PRODUCTION') };
  const staging = { base_url: 'https://staging.example.com', token_env: token('STAGING') };
  const services = { ...(ci === null ? {} : { staging }), [env]: production };
  const limits = service === null ? {} : { limits: REPORTED_LIMITS[service], service: { preset: service } };
  const real = Object.entries(services).map(([name, access]) =>
    environment(name, { ...access, ...limits }, names),
  );
  const project = [
    `${editorLine('', 'project')}${HEAD}`,
    ...(remote === null ? [] : [stateOn(remote)]),
    ...(names ? ['default_environment: sandbox', '', 'environments:', SANDBOX, ''] : ['environments:']),
    ...(names && ci === null ? [commented(real.join('\n'))] : real),
    '',
  ].join('\n');
  // Validates the address and names.
  await configOf('campaignctl.yaml', project);
  return {
    'campaignctl.yaml': project,
    ...(names ? { 'campaigns/spring.yaml': `${editorLine('campaigns', 'campaign')}${MANIFEST}` } : {}),
    ...SHARED,
    [SCHEMA_FILES.campaign]: asFile(campaignSchema),
    [SCHEMA_FILES.project]: asFile(projectSchema),
  };
}

/** Requests a minute; sources in docs/service.md. */
const REPORTED_LIMITS = {
  emailbison: { requests_per_minute: 600 },
} satisfies Record<keyof typeof PRESETS, object>;

function environment(name: string, service: object, names: boolean): string {
  const text = stringify({ [name]: service }, { lineWidth: 0 })
    .trimEnd()
    .replace(/^/gm, '  ');
  return names
    ? `${text}\n    custom_variables: [FIRST_NAME, COMPANY]\n    lead_lists: { installers: 77 }`
    : text;
}

function commented(text: string): string {
  const note = 'Your workspace. The token comes from the environment variable, never from a file.';
  return `  # ${note}\n${text.replace(/^ {2}/gm, '  # ')}`;
}

function asFile(schema: object): string {
  return `${JSON.stringify(schema, null, 2)}\n`;
}

const HEAD = `# Where the manifests are, and which services they are for.
version: 1
manifests: [campaigns/**/*.yaml]`;

function stateOn({ name, branch, id }: Remote): string {
  const words = [name === 'origin' ? null : `remote: ${name}`, branch && `branch: ${branch}`, `id: ${id}`];
  const named = words.flatMap((word) => (word === null ? [] : `, ${word}`)).join('');
  return `# What campaignctl has to remember is on a branch that all machines share.\nstate: { backend: git${named} }`;
}

const SANDBOX = `  # The built-in service: try everything here, it sends no email.
  sandbox:
    sandbox: {}
    custom_variables: [FIRST_NAME, COMPANY]
    lead_lists: { installers: 12 }`;

const MANIFEST = `# One document is one campaign. Fields that are left out are not managed.
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

/** Files that may exist already, with their additions. */
export const SHARED = {
  '.gitignore': `# The sandbox, and state in folders: a checkout must not roll it back. Saved plans hold the text of emails.
.campaignctl/*
!.campaignctl/schemas/
plan.json
plan-*.json
plans/
`,
  '.gitattributes': `# Emails have the same line ends on every machine.
* text=auto eol=lf
`,
};
