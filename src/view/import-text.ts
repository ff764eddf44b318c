import type { Imported, ImportedCampaign } from '../model/imported.js';
import { type TextOptions, visibleLine } from './terminal.js';
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
