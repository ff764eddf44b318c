import { INVENTORY_STATUSES } from '../outputs.js';
import {
  bodyOrNull,
  closed,
  counts,
  type Definitions,
  integer,
  integerOrNull,
  listOf,
  oneOf,
  orNull,
  output,
  ref,
  text,
  textOrNull,
} from './parts.js';

const environment = 'Name of the environment.';
const base_url = 'Base URL of the service; "sandbox" for the sandbox.';
const manifest = 'The manifest, relative to the project.';
const file = 'Path relative to the project.';

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
};
