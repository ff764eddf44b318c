import { groupBy } from '../model/json.js';
import type { CampaignUpdate, Imported, ImportedCampaign, UpdateResult } from '../model/outputs.js';
import { count, label, remarkLine } from '../model/words.js';
import { changeLines } from './plan-text.js';
import { type TextOptions, visible, visibleLine } from './terminal.js';
import { counts, hanging } from './words.js';

/** What an import wrote, what it left out, and what to do next. */
export function renderImportText(result: Imported, options: TextOptions): string {
  const { campaigns, skipped, dry_run, environment, notes } = result;
  const { paint, width } = options;
  const summary = [
    `${count(campaigns.length, 'campaign')} ${dry_run ? 'would be imported' : 'imported'}`,
    ...counts([skipped.length, 'skipped']),
  ];
  const parts = [
    [`Import from ${environment}`],
    [
      ...campaigns.flatMap((campaign) => campaignLines(campaign, options)),
      ...skipped.map(
        (one) => `${paint('dim', '-')} ${visibleLine(one.name)}  id ${one.id}: ${visibleLine(one.reason)}`,
      ),
    ],
    commentLines(campaigns, options),
    notes.flatMap((note) => hanging(`! ${visibleLine(note)}`, width)),
    [`${summary.join(', ')}.`],
    dry_run || campaigns.length === 0 ? [] : ['Next:', `  campaignctl plan --env ${environment}`],
  ];
  const blocks = parts.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'));
  return `${blocks.join('\n\n')}\n`;
}

function campaignLines(campaign: ImportedCampaign, options: TextOptions): string[] {
  const { id, name, manifest, files, remarks } = campaign;
  const beside = files.length > 0 ? `, ${count(files.length, 'more file')}` : '';
  const lost = remarks
    .filter(({ kind }) => kind === 'left_out')
    .flatMap((remark) => hanging(`! ${visibleLine(remarkLine(remark))}`, options.width - 4));
  return [
    `${options.paint('green', '+')} ${visibleLine(manifest)}${beside}  ${visibleLine(name)}  id ${id}`,
    ...lost.map((line) => `    ${line}`),
  ];
}

/** What the service does not show is the same for many campaigns: it is told once, without the number of leads. */
function commentLines(campaigns: readonly ImportedCampaign[], { width }: TextOptions): string[] {
  const notes = campaigns.flatMap(({ remarks }) => remarks.filter(({ kind }) => kind === 'note'));
  const lines = [...groupBy(notes, (note) => remarkLine({ ...note, leads: null }))].flatMap(([line, same]) =>
    hanging(`# ${visibleLine(line)} (${count(same.length, 'campaign')})`, width - 2),
  );
  return lines.length > 0 ? ['In comments of the manifests:', ...lines.map((line) => `  ${line}`)] : [];
}

/** What `import --update` wrote, by campaign; with nothing written, the differences of the files. */
export function renderUpdateText(result: UpdateResult, options: TextOptions): string {
  const { files, written } = result;
  const told = result.campaigns.filter(
    ({ updated, skipped, local_changes }) => updated.length + skipped.length + local_changes.length > 0,
  );
  const blocks = told.map((campaign) => updateLines(campaign, options).join('\n'));
  const diffs = written ? [] : files.map(({ diff }) => diffLines(diff, options));
  return `${[...diffs, ...blocks, closingLine(result, told)].join('\n\n')}\n`;
}

function updateLines(campaign: CampaignUpdate, options: TextOptions): string[] {
  const { manifest, name, id, updated, skipped, local_changes, other_environments } = campaign;
  const { paint } = options;
  const sign = updated.length > 0 ? paint('yellow', '~') : skipped.length > 0 ? paint('red', '!') : ' ';
  const [own = ''] = manifest.split('#');
  const files = new Set([manifest, ...updated.map(({ file }) => file).filter((file) => file !== own)]);
  const where = [...(id === null ? [] : [`id ${id}`]), visibleLine([...files].join(', '))].join(' · ');
  const others = `written for every environment: ${visibleLine(other_environments.join(', '))} too`;
  return [
    `${sign} ${paint('bold', visibleLine(name))}  ${paint('dim', where)}`,
    ...changeLines(
      updated.map((change) => ({ ...change, note: null })),
      options,
    ),
    ...(other_environments.length > 0 ? [`    ${paint('yellow', others)}`] : []),
    ...skipped.map(
      ({ section, path, reason }) =>
        `    ${paint('red', 'skipped')}       ${partOf(section, path)}: ${visibleLine(reason)}`,
    ),
    ...local_changes.map(
      ({ section, path }) =>
        `    ${paint('cyan', 'local change')}  ${partOf(section, path)}: the manifest changed it since the last apply`,
    ),
  ];
}

function partOf(section: string, path: string): string {
  return path === '' ? section : `${section}, ${label(path)}`;
}

function diffLines(diff: string, { paint }: TextOptions): string {
  const lines = diff
    .trimEnd()
    .split('\n')
    .map((line) => {
      const shown = visible(line.replace(/\r$/, ''));
      if (line.startsWith('+')) return paint('green', shown);
      return line.startsWith('-') ? paint('red', shown) : shown;
    });
  return lines.join('\n');
}

function closingLine({ files, written }: UpdateResult, told: readonly CampaignUpdate[]): string {
  const left = told.reduce((sum, { skipped }) => sum + skipped.length, 0);
  const rest = left > 0 ? ` ${count(left, 'difference')} skipped.` : '';
  const updated = told.filter(({ updated }) => updated.length > 0).length;
  if (files.length > 0 && written)
    return `${count(updated, 'campaign')} written into ${count(files.length, 'file')}.${rest}`;
  if (files.length > 0)
    return `Dry run: ${count(files.length, 'file')} would be written; nothing was written.${rest}`;
  if (left > 0) return `Nothing was written.${rest}`;
  return told.length > 0
    ? 'Nothing to update. What differs are local changes: campaignctl apply sends them.'
    : 'Nothing to update. The manifests say what the service shows.';
}
