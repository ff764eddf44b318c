import {
  boolean,
  closed,
  counts,
  type Definitions,
  integer,
  integerOrNull,
  json,
  listOf,
  oneOf,
  orNull,
  ref,
  text,
  textOrNull,
  version,
} from './parts.js';

const environment = text('Name of the environment.');
const base_url = text('Base URL of the service; "sandbox" for the embedded one.');
const manifest = text('The manifest, relative to the project.');
const section = ref('SectionName');
const path = text('Where in that section, as in the manifest; empty for the section as a whole.');

/** What needs attention first. */
const INVENTORY_STATUSES = ['unclear', 'missing', 'gone', 'new', 'unmanaged', 'managed'];
/** What to look at first. */
const VERDICTS = ['content', 'only_from', 'only_to', 'environment', 'same'];

/** What the other commands print for machines: `validate`, `list`, `compare`, `config`, `import`. */
export const reportDefinitions: Definitions = {
  LocatedFinding: closed('A problem of a source file with its position.', {
    code: text('Stable code; docs/errors.md and docs/rules.md have a section on each.'),
    severity: ref('Severity'),
    message: text('What is the matter.'),
    hint: text('What to do about it.'),
    file: text('The file, relative to the project.'),
    line: integer('From 1.', 1),
    column: integer('From 1, in UTF-16 units.', 1),
    length: integer('How much of the line is meant.', 1),
    excerpt: text('The whole line.'),
  }),
  Findings: closed('What is wrong with manifests: the output of validate --format json.', {
    version,
    summary: counts('Counts.', {
      manifests: 'Manifests that were checked.',
      errors: 'Findings that stop everything.',
      warnings: 'Findings that stop nothing.',
    }),
    findings: listOf(ref('LocatedFinding'), 'All of them, by file and line.'),
  }),
  InventoryStatus: oneOf(
    'How a live campaign and the manifests relate, what needs attention first. unclear: which of them is meant is not certain; missing: applied before or pinned, and not there; gone: archived or deleted; new: a manifest without campaign; unmanaged: a campaign without manifest.',
    INVENTORY_STATUSES,
  ),
  InventoryEntry: closed('A live campaign, or a manifest without any.', {
    status: ref('InventoryStatus'),
    name: text('The name in the service; of a manifest without campaign the one written in it.'),
    id: integerOrNull('The live campaign, or the one that was there; null: none.'),
    live_status: textOrNull('The word of the service; null: there is none, or the list does not show it.'),
    manifest: orNull(manifest),
    last: orNull(ref('SeenLast'), 'null: never.'),
    problems: listOf(ref('Problem'), 'Why it is unclear or missing.'),
  }),
  InventorySummary: counts('Counts of entries; live: campaigns in the list of the service.', {
    live: 'Campaigns in the list of the service.',
    unclear: 'Entries of which it is not certain what belongs to what.',
    missing: 'Manifests whose campaign is not there any more.',
    gone: 'Campaigns that are archived or deleted.',
    new: 'Manifests without campaign.',
    unmanaged: 'Campaigns without manifest.',
    managed: 'Campaigns with a manifest.',
  }),
  Inventory: closed('Live campaigns beside manifests: the output of list --format json.', {
    version,
    environment,
    base_url,
    summary: ref('InventorySummary'),
    campaigns: listOf(ref('InventoryEntry'), 'What needs attention first, then by name.'),
  }),
  Verdict: oneOf(
    'What the manifests of a campaign differ in between two environments. content: in what recipients get, or when; only_from, only_to: there is none in the other; environment: only in what environments are for: id, caps, leads, template, status.',
    VERDICTS,
  ),
  CampaignComparison: closed('One campaign.', {
    manifest,
    name: text('Its name in the first environment that has it.'),
    verdict: ref('Verdict'),
    content: listOf(
      ref('Change'),
      'Name, sequence, hours, all settings but the caps; from the first to the second.',
    ),
    environment: listOf(ref('Change'), 'Id, caps, leads, template, status.'),
  }),
  Comparison: closed('How manifests differ between two environments: the output of compare --format json.', {
    version,
    from: text('Name of the first environment.'),
    to: text('Name of the second.'),
    summary: counts('Counts of campaigns.', {
      campaigns: 'All of them.',
      content: 'That differ in what recipients get, or when.',
      only_from: 'That the second has not.',
      only_to: 'That the first has not.',
      environment: 'That differ in id, caps, leads, template or status only.',
      same: 'That are the same.',
    }),
    campaigns: listOf(ref('CampaignComparison'), 'What differs in content first.'),
  }),
  SettingSource: closed('Where a setting comes from.', {
    kind: oneOf(
      'flag goes before variable, variable before file, file before default; search: found by looking; only: there is no other choice.',
      ['flag', 'variable', 'file', 'default', 'search', 'only', 'terminal'],
    ),
    name: textOrNull('The flag, variable or file; null: none.'),
    line: integerOrNull('Line in the file, from 1; null: none.'),
  }),
  EffectiveSetting: closed('One setting as it is in effect.', {
    key: text('As in the project file; below the environment where it is of one.'),
    value: json('The value in effect.'),
    origin: ref('SettingSource'),
  }),
  EnvironmentVariable: closed('An environment variable that is looked at.', {
    name: text('Its name.'),
    set: boolean('Whether it is set.'),
    value: textOrNull('null where it is not set, or may hold a secret.'),
    used_for: text('What it is for.'),
  }),
  EffectiveConfig: closed(
    'What is in effect, and where from: the output of config --format json. Never a token.',
    {
      version,
      project: closed('The project file.', {
        file: text('Relative to the working directory.'),
        origin: ref('SettingSource'),
      }),
      environment: orNull(
        closed('The environment; null: none is chosen.', {
          name: text('Its name.'),
          origin: ref('SettingSource'),
        }),
      ),
      environments: listOf(
        closed('One environment.', { name: text('Its name.'), base_url }),
        'All of the project.',
      ),
      settings: listOf(ref('EffectiveSetting'), 'Of the project, then of the environment, then of this run.'),
      variables: listOf(ref('EnvironmentVariable'), 'All of them, set or not.'),
    },
  ),
  ImportedCampaign: closed('A campaign with a manifest now.', {
    id: integer('The live campaign.'),
    name: text('Its name in the service.'),
    manifest,
    files: listOf(text('Relative to the project.'), 'The files that the manifest names.'),
    remarks: listOf(text('A comment of the manifest.'), 'What the manifest does not say, and why.'),
  }),
  SkippedCampaign: closed('A campaign without a new manifest.', {
    id: integer('The live campaign.'),
    name: text('Its name in the service.'),
    manifest: textOrNull('The manifest that manages it already; null: that is not why.'),
    reason: text('Why.'),
  }),
  Imported: closed('What was imported: the output of import --format json.', {
    version,
    environment,
    dry_run: boolean('Whether nothing was written.'),
    campaigns: listOf(ref('ImportedCampaign'), 'By id.'),
    skipped: listOf(ref('SkippedCampaign'), 'By id.'),
    files: listOf(
      closed('A file.', {
        file: text('Relative to the project.'),
        text: textOrNull('What it would hold; null: it was written.'),
      }),
      'Every file, in the order in which they are written.',
    ),
    notes: listOf(text('A note.'), 'What concerns the project as a whole.'),
  }),
  UpdatedValue: closed('A difference that the manifest does not have any more.', {
    section,
    path,
    kind: oneOf('What became of the value in the manifest.', ['add', 'update', 'remove']),
    from: json('What the manifest said.'),
    to: json('What it says now, and the service shows.'),
    file: text('The file in which it stands.'),
  }),
  SkippedDifference: closed('A difference that stays.', { section, path, reason: text('Why, in words.') }),
  CampaignUpdate: closed('One campaign of an update.', {
    manifest,
    name: text('Name of the campaign.'),
    id: integerOrNull('Id of the live campaign; null where there is none.'),
    updated: listOf(ref('UpdatedValue'), 'Differences that were written.'),
    skipped: listOf(ref('SkippedDifference'), 'Differences that were left alone.'),
    local_changes: listOf(
      closed('A difference that was made in the manifest since it was last applied.', { section, path }),
      'Differences that stay, since apply is to send them.',
    ),
    other_environments: listOf(
      text('Name of an environment.'),
      'Other environments for which the manifest says something else now.',
    ),
    in_sync: boolean('Whether nothing differs now but local changes.'),
  }),
  FileUpdate: closed('One file with a new text.', {
    file: text('Path relative to the project.'),
    diff: text('The difference as a unified diff.'),
  }),
  UpdateResult: closed('What campaignctl import --update wrote: its output with --format json.', {
    version,
    environment,
    written: boolean('Whether the files were written: not with --dry-run, and not where there are none.'),
    files: listOf(ref('FileUpdate'), 'Files that were written, or would be.'),
    campaigns: listOf(ref('CampaignUpdate'), 'Every campaign that was refreshed.'),
  }),
};
