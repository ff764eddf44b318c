import { PROFILE_NAMES } from '../environment.js';
import type { JsonObject } from '../json.js';
import { COMPARISON_STATUSES, INVENTORY_STATUSES } from '../outputs.js';
import {
  bodyOrNull,
  boolean,
  closed,
  counts,
  type Definitions,
  integer,
  integerOrNull,
  listOf,
  oneOf,
  orNull,
  output,
  type Properties,
  ref,
  text,
  textOrNull,
} from './parts.js';

const environment = 'Name of the environment.';
const base_url = 'Base URL of the service; "sandbox" for the sandbox.';
const manifest = 'The manifest, relative to the project.';
const name = 'Its name in the service.';
const file = 'Path relative to the project.';

/** What a command did. */
function did(command: string, description: string, facts: Properties): JsonObject {
  return output(description, { command: oneOf('Which one.', [command]), ...facts });
}

/** The commands with a few facts to tell, each with its own. */
const COMMAND_REPORTS: Definitions = {
  ProjectWritten: did('init', 'A project was written.', {
    folder: 'Its folder, relative to the working directory.',
    written: listOf(text('A path in that folder.'), 'Files that were written.'),
    kept: listOf(text('A path in that folder.'), 'Files that were there; stderr says what to add to them.'),
    next: listOf(text('A command line.'), 'What to do next.'),
  }),
  CommentPut: did('comment', 'A comment on a pull or merge request was put.', {
    request: 'What it is on.',
    what: oneOf('none: there was nothing to say; too-large: no comment holds it. Nothing was written then.', [
      'created',
      'updated',
      'unchanged',
      'none',
      'too-large',
    ]),
    url: textOrNull('Its address; null if there is none, or it is not known.'),
    labels: {
      type: ['array', 'null'],
      items: text('A label.'),
      description: 'Labels that the request has of this plan; null without --labels.',
    },
  }),
  CampaignForgotten: did('forget', 'A campaign was taken out of the state.', {
    environment,
    id: integerOrNull('Its id; null if the state knew only requests of unknown outcome.'),
    name,
    managed_by: textOrNull('The manifest that still manages it; null: none.'),
  }),
  LeadsForgotten: did(
    'forget --removed-leads',
    'Leads that a person removed left the list of what is to be done by hand.',
    {
      environment,
      campaign: 'The campaign as it was asked for: its name or id.',
      lists: listOf(integer('Id of a lead list.', 1), 'Lead lists that count as of unknown outcome now.'),
      ids: listOf(integer('Id of a lead.', 1), 'Individual leads, likewise.'),
    },
  ),
  StateMoved: did('state migrate', 'The state was moved, or was there already.', {
    environment,
    to: oneOf('Where it is now: on a branch, or in a folder.', ['git', 'file']),
    files: integer('Files of the state.', 0),
    moved: boolean('false: it was there already.'),
    configured: boolean('false: the project file does not say so yet.'),
  }),
  StateRebased: did('state rebase', 'The state belongs to the present address of its service.', {
    environment,
    from: 'The address that the state recorded.',
    to: 'The address that it records now.',
    changed: boolean('false: it recorded this address already.'),
  }),
  LockRemoved: did('unlock', 'The lock of an environment was removed, or there was none.', {
    environment,
    removed: boolean('false: no apply held it.'),
    holder: orNull(
      closed('Who held it.', {
        who: 'Whose apply it was.',
        pid: integer('Its process, by number.'),
        host: 'Its machine.',
        at: 'When it took the lock.',
        alive: {
          type: ['boolean', 'null'],
          description: 'Whether it still runs; null: this machine cannot tell.',
        },
      }),
      'null: there was none, or the lock could not be read.',
    ),
  }),
  SandboxServed: did('sandbox', 'The sandbox listens; requests are told on stderr.', {
    url: 'Its base URL.',
    profile: oneOf('How it behaves.', PROFILE_NAMES),
    file: 'The file that keeps its campaigns.',
  }),
  CompletionScript: did('completion', 'A completion script.', {
    shell: oneOf('For this shell.', ['bash', 'zsh', 'fish', 'powershell']),
    script: 'The script.',
  }),
  ToolVersion: did('version', 'The version of campaignctl.', { tool: 'The version.' }),
};

/** The values of `validate`, `list`, `compare`, `config` and `import`. */
export const reportDefinitions: Definitions = {
  LocatedFinding: closed('A problem of a source file with its position.', {
    code: 'Stable code; docs/errors.md and docs/rules.md have a section on each.',
    severity: ref('Severity'),
    message: 'What is wrong.',
    hint: 'What to do about it.',
    file,
    line: integer('From 1.', 1),
    column: integer('From 1, in UTF-16 units.', 1),
    length: integer('How much of the line is meant.', 1),
    excerpt: 'The whole line.',
  }),
  Findings: output('What is wrong with manifests: the output of validate --format json.', {
    summary: counts('Counts.', {
      manifests: 'Manifests that were checked.',
      errors: 'Findings that stop plan and apply.',
      warnings: 'Findings that stop nothing.',
    }),
    findings: listOf(ref('LocatedFinding'), 'All of them, by file and line.'),
  }),
  CommandError: closed('Why a command failed.', {
    code: 'Stable code; campaignctl explain CODE explains it.',
    message: 'What is wrong.',
    hint: 'What to do about it.',
    details: listOf(text('A line.'), 'More about it.'),
    others: listOf(ref('Problem'), 'Further problems that stop the command as well.'),
    findings: listOf(ref('LocatedFinding'), 'What is wrong in files of the project.'),
  }),
  FailureReport: output('A command that failed: its output with --format json in place of a result.', {
    exit_code: integer('With which the command ends.', 1),
    error: ref('CommandError'),
  }),
  ProjectsReport: output('Several projects: the output of a command with --recursive --format json.', {
    exit_code: integer('The worst of them, with which the command ends.', 0),
    projects: listOf(
      closed('One project and environment.', {
        project: 'Its folder, relative to the working directory.',
        environment: textOrNull('Its environment; null: all of them, or not known.'),
        exit_code: integer('What the command would end with in this project alone.', 0),
        result: bodyOrNull('What the command prints for this project alone; null where it failed.'),
        error: orNull(ref('CommandError'), 'null: it did not fail.'),
      }),
      'By folder.',
    ),
  }),
  InventoryStatus: oneOf(
    'How a live campaign and the manifests relate, what needs attention first. unclear: it is not certain which of them is meant; missing: applied before or pinned, and not there; gone: archived or deleted; removed: applied before, and its manifest was removed; outside: applied before, and its manifest is not among those of the environment; superseded: another campaign has replaced it; new: a manifest without a campaign; unmanaged: a campaign without a manifest; scratch: one that a probe made.',
    INVENTORY_STATUSES,
  ),
  InventoryEntry: closed('A live campaign, or a manifest without one.', {
    status: ref('InventoryStatus'),
    name: 'The name in the service; for a manifest without a campaign, the name in the manifest.',
    id: integerOrNull('Id of the live campaign; null if there is none.'),
    live_status: textOrNull('The word of the service; null if there is none or the list does not show it.'),
    manifest: orNull(text(manifest)),
    last: orNull(ref('SeenLast'), 'null: never.'),
    problems: listOf(ref('Problem'), 'Why it is unclear or missing.'),
  }),
  InventorySummary: counts('Counts of entries; live: campaigns in the list of the service.', {
    live: 'Campaigns in the list of the service.',
    unclear: 'Entries where it is not certain which campaign a manifest means.',
    missing: 'Manifests whose campaign is not there any more.',
    gone: 'Campaigns that are archived or deleted.',
    removed: 'Campaigns that were applied before, and whose manifests were removed.',
    outside:
      'Campaigns that were applied before, and whose manifests are not among those of the environment.',
    superseded: 'Campaigns that another one has replaced.',
    new: 'Manifests without a campaign.',
    unmanaged: 'Campaigns without a manifest.',
    scratch: 'Campaigns that a probe made, to delete in the web app.',
    managed: 'Campaigns with a manifest.',
  }),
  Inventory: output('Live campaigns beside manifests: the output of list --format json.', {
    environment,
    base_url,
    summary: ref('InventorySummary'),
    campaigns: listOf(ref('InventoryEntry'), 'What needs attention first, then by name.'),
  }),
  CampaignComparison: closed('One campaign.', {
    manifest,
    name: 'Its name in the first environment that has it.',
    status: oneOf('only_from, only_to: the other environment does not have it.', COMPARISON_STATUSES),
    changes: listOf(ref('Change'), 'From the first to the second.'),
  }),
  Comparison: output('Differences between the manifests of two environments.', {
    from: 'Name of the first environment.',
    to: 'Name of the second.',
    summary: counts('Counts of campaigns.', {
      campaigns: 'All of them.',
      differs: 'That differ.',
      only_from: 'That only the first has.',
      only_to: 'That only the second has.',
      same: 'That are the same.',
    }),
    campaigns: listOf(ref('CampaignComparison'), 'Those that differ first.'),
  }),
  Explanations: output('What codes mean: the output of explain --format json.', {
    codes: listOf(
      closed('A code that messages end with.', {
        code: 'The code.',
        kind: oneOf('hazard: it needs approval.', ['error', 'hazard', 'message', 'policy', 'rule']),
        exit_code: integerOrNull('With which a command ends for it; null: that depends on the command.'),
        page: 'Its page in the package.',
        text: 'What it means and what to do, in Markdown.',
      }),
      'The one that was asked for, or all of them.',
    ),
  }),
  Calendars: output('When emails can first go out: the output of preview --format json.', {
    environment,
    campaigns: listOf(
      closed('A campaign with emails and hours of its own.', {
        manifest,
        name,
        emails: listOf(
          closed('An email, and the hours in which it can first go out.', {
            step: integer('From 1.', 1),
            wait_in_days: integer('Days since the step before; 0 for the first.', 0),
            subject: 'As it is sent, with its variables.',
            date: 'YYYY-MM-DD in the time zone of the schedule.',
            start_at: 'When these hours begin, in UTC.',
            end_at: 'When they end, in UTC.',
          }),
          'Those that can go out within ten years.',
        ),
        forecast: orNull(
          closed('How long the leads take.', {
            leads: integer('As --leads says.', 0),
            emails: integer('Leads times steps.', 0),
            unsent: integer('Emails that do not go out within ten years.', 0),
            sending_days: integer('Days on which something is sent.', 0),
            first_at: 'When the first can go out, in UTC.',
            last_at: 'When the last has gone out, in UTC.',
          }),
          'null without --leads.',
        ),
      }),
      'In the order of their manifests.',
    ),
  }),
  CommandReport: {
    description:
      'What a command did: its output with --format json, of commands that have a few facts to tell.',
    oneOf: Object.keys(COMMAND_REPORTS).map(ref),
  },
  ...COMMAND_REPORTS,
};
