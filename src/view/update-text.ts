import type { Change } from '../model/change.js';
import type { CampaignUpdate, UpdateResult } from '../model/update.js';
import { changeLines, label } from './change-lines.js';
import type { TextOptions } from './paint.js';
import { visible, visibleLine } from './visible.js';
import { count } from './words.js';

/** What `import --update` wrote, by campaign; with nothing written, the differences of the files. */
export function renderUpdateText(result: UpdateResult, options: TextOptions): string {
  const { files, written } = result;
  const told = result.campaigns.filter(
    ({ taken, left, meant }) => taken.length + left.length + meant.length > 0,
  );
  const blocks = told.map((campaign) => campaignLines(campaign, options).join('\n'));
  const diffs = written ? [] : files.map(({ diff }) => diffLines(diff, options));
  return `${[...diffs, ...blocks, closing(result, told)].join('\n\n')}\n`;
}

function campaignLines(campaign: CampaignUpdate, options: TextOptions): string[] {
  const { manifest, name, id, taken, left, meant, also } = campaign;
  const { paint } = options;
  const sign = taken.length > 0 ? paint('yellow', '~') : left.length > 0 ? paint('red', '!') : ' ';
  const files = [...new Set(taken.map(({ file }) => file).filter((file) => file !== manifest.split('#')[0]))];
  return [
    `${sign} ${paint('bold', visibleLine(name))}  ${paint('dim', `id ${id ?? 'none'} · ${visibleLine([manifest, ...files].join(', '))}`)}`,
    ...changeLines(taken.map(changeOf), [], options),
    ...(also.length > 0
      ? [`    ${paint('yellow', `written for every environment: ${visibleLine(also.join(', '))} too`)}`]
      : []),
    ...left.map(
      ({ aspect, path, reason }) =>
        `    ${paint('red', 'left alone')}  ${partOf(aspect, path)}: ${visibleLine(reason)}`,
    ),
    ...meant.map(
      ({ aspect, path }) =>
        `    ${paint('cyan', 'for apply')}   ${partOf(aspect, path)}: it was changed in the manifest, not in the service`,
    ),
  ];
}

function partOf(aspect: string, path: string): string {
  return path === '' ? aspect : `${aspect}, ${label(path)}`;
}

function changeOf({ file: _, ...taken }: CampaignUpdate['taken'][number]): Change {
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

function closing({ files, written }: UpdateResult, told: readonly CampaignUpdate[]): string {
  const left = told.reduce((sum, campaign) => sum + campaign.left.length, 0);
  const rest = left > 0 ? ` ${count(left, 'difference')} left alone.` : '';
  if (files.length === 0) {
    if (left > 0) return `Nothing was written.${rest}`;
    return told.length > 0
      ? 'Nothing to update. Nothing else was changed in the service.'
      : 'Nothing to update. The manifests say what the service shows.';
  }
  const updated = told.filter(({ taken }) => taken.length > 0).length;
  return written
    ? `${count(updated, 'campaign')} written into ${count(files.length, 'file')}.${rest}`
    : `Dry run: ${count(files.length, 'file')} would be written, none was.${rest}`;
}
