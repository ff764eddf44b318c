import { groupBy } from '../model/json.js';
import type { CampaignUpdate, ImportResult, UpdateResult } from '../model/reports.js';
import { count, label, remarkLine } from '../model/words.js';
import { type TextOptions, visibleCopy, visibleLine } from './terminal.js';
import { counts, environmentWords, hanging, short, unseenNote } from './words.js';

export function renderImportText(result: ImportResult, { paint, width }: TextOptions): string {
  const { campaigns, skipped, environment } = result;
  const imported = campaigns.flatMap(({ id, name, manifest, remarks }) => [
    `${paint('green', '+')} ${visibleLine(manifest)}  ${visibleLine(name)}  id ${id}`,
    ...remarks
      .filter(({ kind }) => kind === 'left_out')
      .flatMap((remark) => hanging(`! ${visibleLine(remarkLine(remark))}`, width - 4))
      .map((line) => `    ${line}`),
  ]);
  const comments = campaigns.flatMap(({ remarks }) => remarks.filter(({ kind }) => kind === 'note'));
  const same = [...groupBy(comments, (remark) => remarkLine({ ...remark, leads: null }))].flatMap(
    ([line, { length }]) => hanging(`# ${visibleLine(line)} (${count(length, 'campaign')})`, width - 2),
  );
  const blocks = [
    [`Import from ${environmentWords(result)}`],
    [
      ...imported,
      ...skipped.map(
        ({ id, name, reason }) =>
          `${paint('dim', '-')} ${visibleLine(name)}  id ${id}: ${visibleLine(reason)}`,
      ),
    ],
    variablesLines(result, width),
    same.length > 0 ? ['In comments of the manifests:', ...same.map((line) => `  ${line}`)] : [],
    [`${importedWords(campaigns.length, skipped.length)}.`],
    campaigns.length === 0 ? [] : ['Next:', `  campaignctl plan --env ${environment}`],
  ];
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

/** True if nothing was imported, left out, updated or left to a person. */
export function isNothing(result: ImportResult | UpdateResult): boolean {
  return 'skipped' in result
    ? result.campaigns.length + result.skipped.length === 0
    : changedIn(result).length === 0;
}

/** "6 campaigns imported, 1 skipped", "2 campaigns written into 2 files · 1 difference to set by hand" */
export function importTotals(results: readonly (ImportResult | UpdateResult)[]): string {
  const [imports, updates] = [
    results.flatMap((result) => ('skipped' in result ? result : [])),
    results.flatMap((result) => ('skipped' in result ? [] : result)),
  ];
  if (imports.length > 0)
    return importedWords(
      imports.reduce((sum, { campaigns }) => sum + campaigns.length, 0),
      imports.reduce((sum, { skipped }) => sum + skipped.length, 0),
    );
  const campaigns = updates.flatMap(changedIn);
  const written = campaigns.filter(({ updated }) => updated.length > 0).length;
  const open = campaigns.reduce((sum, { by_hand }) => sum + by_hand.length, 0);
  const files = updates.reduce((sum, update) => sum + update.files.length, 0);
  if (files + open === 0) return 'nothing to update';
  return [
    `${count(written, 'campaign')} written into ${count(files, 'file')}`,
    ...(open > 0 ? [`${count(open, 'difference')} to set by hand`] : []),
  ].join(' · ');
}

function importedWords(imported: number, skipped: number): string {
  return [`${count(imported, 'campaign')} imported`, ...counts([skipped, 'skipped'])].join(', ');
}

function changedIn({ campaigns }: UpdateResult): CampaignUpdate[] {
  return campaigns.filter(
    ({ updated, by_hand, local_changes }) => updated.length + by_hand.length + local_changes.length > 0,
  );
}

function variablesLines(
  { variables: { names, file, key, copied_from } }: Pick<ImportResult, 'variables'>,
  width: TextOptions['width'],
): string[] {
  if (names.length === 0 || key === null) return [];
  const list = visibleLine(names.join(', '));
  const from = copied_from === null ? '' : visibleLine(copied_from);
  const copy = from === '' ? '' : ` and the list of ${from}, which it replaces`;
  const copied = from === '' ? '' : ` The list of ${from} was copied, because this one replaces it.`;
  return hanging(
    file === null
      ? `! Add these variables${copy} to ${key} in the project file: ${list}`
      : `~ ${visibleLine(file)}: added to ${key}: ${list}.${copied} Check that the workspace has them.`,
    width,
  );
}

export function renderUpdateText(result: UpdateResult, options: TextOptions): string {
  const shown = changedIn(result);
  const blocks = shown.map((campaign) => updateLines(campaign, options).join('\n'));
  const variables = variablesLines(result, options.width);
  if (variables.length > 0) blocks.push(variables.join('\n'));
  return `${[...blocks, closingLine(result, shown)].join('\n\n')}\n`;
}

function updateLines(campaign: CampaignUpdate, { paint }: TextOptions): string[] {
  const { manifest, name, id, updated, by_hand, local_changes } = campaign;
  const sign = updated.length > 0 ? paint('yellow', '~') : by_hand.length > 0 ? paint('red', '!') : ' ';
  const where = [...(id === null ? [] : [`id ${id}`]), visibleLine(manifest)].join(' · ');
  const placed = ({ section, path, file, line }: CampaignUpdate['local_changes'][number]) =>
    `${visibleLine(file)}:${line}  ${section}${path === '' ? '' : `, ${label(path)}`}`;
  return [
    `${sign} ${paint('bold', visibleLine(name))}  ${paint('dim', where)}`,
    ...updated.map(
      (value) =>
        `    ${paint('yellow', 'set')}           ${placed(value)}: ${short(value.from)} → ${short(value.to)}${unseenNote(value.from, value.to)}`,
    ),
    ...by_hand.flatMap((value) => [
      `    ${paint('red', 'set by hand')}   ${placed(value)}: ${visibleLine(value.reason)}`,
      ...(value.text ?? '')
        .split('\n')
        .filter((line, at, { length }) => line !== '' || at < length - 1)
        .map((line) => `        ${visibleCopy(line)}`.trimEnd()),
    ]),
    ...local_changes.map(
      (value) =>
        `    ${paint('cyan', 'local change')}  ${placed(value)}: changed in the manifest since the last apply`,
    ),
  ];
}

function closingLine({ files }: UpdateResult, shown: readonly CampaignUpdate[]): string {
  const open = shown.reduce((sum, { by_hand }) => sum + by_hand.length, 0);
  const rest = open > 0 ? ` ${count(open, 'difference')} to set by hand.` : '';
  const updated = shown.filter((campaign) => campaign.updated.length > 0).length;
  if (files.length > 0)
    return `${count(updated, 'campaign')} written into ${count(files.length, 'file')}.${rest}`;
  if (open > 0) return `Nothing was written.${rest}`;
  return shown.length > 0
    ? 'Nothing to update. The differences are local changes: campaignctl apply sends them.'
    : 'Nothing to update. The manifests match the service.';
}
