import type { CampaignUpdate, Change, Imported, ImportedCampaign, UpdateResult } from '../model/outputs.js';
import { changeLines, label } from './change-lines.js';
import { type TextOptions, visible, visibleLine } from './terminal.js';
import { count, wrap } from './words.js';

/** What an import wrote, what it left out, and what to do next. */
export function renderImportText(result: Imported, options: TextOptions): string {
  const { campaigns, skipped, dry_run, environment, notes } = result;
  const told = [
    ...campaigns.flatMap((campaign) => campaignLines(campaign, options)),
    ...skipped.map(
      ({ id, name, reason }) =>
        `${options.paint('dim', '-')} ${visibleLine(name)}  id ${id}: ${visibleLine(reason)}`,
    ),
  ];
  const verb = dry_run ? 'would be imported' : 'imported';
  const summary = [
    `${count(campaigns.length, 'campaign')} ${verb}`,
    ...(skipped.length > 0 ? [`${skipped.length} skipped`] : []),
  ];
  const parts = [
    [`Import from ${environment}`],
    told,
    commentLines(campaigns, options),
    notes.flatMap((note) => paragraph(visibleLine(note), '! ', options)),
    [`${summary.join(', ')}.`],
    dry_run || campaigns.length === 0 ? [] : ['Next:', `  campaignctl plan --env ${environment}`],
  ];
  return `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function campaignLines(
  { id, name, manifest, files, remarks }: ImportedCampaign,
  options: TextOptions,
): string[] {
  const beside = files.length > 0 ? `, ${count(files.length, 'more file')}` : '';
  const lost = remarks.filter(isLoss);
  return [
    `${options.paint('green', '+')} ${manifest}${beside}  ${visibleLine(name)}  id ${id}`,
    ...lost.flatMap((remark) => paragraph(visibleLine(remark), '    ! ', options)),
  ];
}

/** What the service does not show is the same for many campaigns: it is told once. */
function commentLines(campaigns: readonly ImportedCampaign[], options: TextOptions): string[] {
  const counts = new Map<string, number>();
  for (const remark of campaigns.flatMap(({ remarks }) => remarks.filter((one) => !isLoss(one)))) {
    const general = remark.replace(/ \(\d+ leads? now\)/, '');
    counts.set(general, (counts.get(general) ?? 0) + 1);
  }
  const lines = [...counts].flatMap(([remark, number]) =>
    paragraph(`${visibleLine(remark)} (${count(number, 'campaign')})`, '  # ', options),
  );
  return lines.length > 0 ? ['In comments of the manifests:', ...lines] : [];
}

function isLoss(remark: string): boolean {
  return remark.includes(': left out, since ');
}

function paragraph(text: string, mark: string, { width }: TextOptions): string[] {
  const indent = ' '.repeat(mark.length);
  return wrap(text, width - mark.length).map((line, index) => `${index === 0 ? mark : indent}${line}`);
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
  const files = [
    ...new Set(updated.map(({ file }) => file).filter((file) => file !== manifest.split('#')[0])),
  ];
  return [
    `${sign} ${paint('bold', visibleLine(name))}  ${paint('dim', `id ${id ?? 'none'} · ${visibleLine([manifest, ...files].join(', '))}`)}`,
    ...changeLines(updated.map(changeOf), [], options),
    ...(other_environments.length > 0
      ? [
          `    ${paint('yellow', `written for every environment: ${visibleLine(other_environments.join(', '))} too`)}`,
        ]
      : []),
    ...skipped.map(
      ({ section, path, reason }) =>
        `    ${paint('red', 'left alone')}  ${partOf(section, path)}: ${visibleLine(reason)}`,
    ),
    ...local_changes.map(
      ({ section, path }) =>
        `    ${paint('cyan', 'for apply')}   ${partOf(section, path)}: it was changed in the manifest, not in the service`,
    ),
  ];
}

function partOf(section: string, path: string): string {
  return path === '' ? section : `${section}, ${label(path)}`;
}

function changeOf({ file: _, ...taken }: CampaignUpdate['updated'][number]): Change {
  return { ...taken, note: null };
}

function diffLines(diff: string, { paint }: TextOptions): string {
  return diff
    .trimEnd()
    .split('\n')
    .map((line) => visible(line.replace(/\r$/, '')))
    .map((line) => {
      if (line.startsWith('+')) return paint('green', line);
      return line.startsWith('-') ? paint('red', line) : line;
    })
    .join('\n');
}

function closingLine({ files, written }: UpdateResult, told: readonly CampaignUpdate[]): string {
  const left = told.reduce((sum, campaign) => sum + campaign.skipped.length, 0);
  const rest = left > 0 ? ` ${count(left, 'difference')} left alone.` : '';
  if (files.length === 0) {
    if (left > 0) return `Nothing was written.${rest}`;
    return told.length > 0
      ? 'Nothing to update. Nothing else was changed in the service.'
      : 'Nothing to update. The manifests say what the service shows.';
  }
  const updated = told.filter(({ updated }) => updated.length > 0).length;
  return written
    ? `${count(updated, 'campaign')} written into ${count(files.length, 'file')}.${rest}`
    : `Dry run: ${count(files.length, 'file')} would be written, none was.${rest}`;
}
