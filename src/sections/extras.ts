/** The parts of a live campaign that neither manifests nor the API can set, in words: "the attachment offer.pdf of email 2". */
import type { Attachments, LiveCampaign, LiveStep } from '../model/live.js';
import { count, listed } from '../model/words.js';

export interface Extra {
  /** `tags`, `limit` or the path of an email's attachments, such as `steps[1].attachments`. */
  path: string;
  /** Index of the step; `null` for a part of the whole campaign. */
  step: number | null;
  words: string;
}

/** Without the parts that were not read, or that cannot be read. */
export function extrasOf({ record, sequence }: Pick<LiveCampaign, 'record' | 'sequence'>): Extra[] {
  return [...(sequence.is === 'shown' ? attachmentsIn(sequence.value.steps) : []), ...campaignExtras(record)];
}

export function campaignExtras(record: LiveCampaign['record']): Extra[] {
  if (record.is !== 'shown') return [];
  const { tags, domainLimit } = record.value;
  const limit = `the limit of ${count(domainLimit ?? 0, 'email')} a day for each receiving domain`;
  const names = `the tag${tags.length === 1 ? '' : 's'} ${listed(tags)}`;
  return [
    ...(domainLimit === null ? [] : [{ path: 'limit', step: null, words: limit }]),
    ...(tags.length === 0 ? [] : [{ path: 'tags', step: null, words: names }]),
  ];
}

export function attachmentsIn(steps: readonly LiveStep[]): Extra[] {
  return steps.flatMap(attachmentsOf);
}

function attachmentsOf({ attachments = [], variants }: LiveStep, step: number): Extra[] {
  const email = `email ${step + 1}`;
  const own = { path: `steps[${step}].attachments`, step, words: `${filesIn(attachments)} of ${email}` };
  const others = variants.map(({ attachments: files = [] }, at) => ({
    files,
    path: `steps[${step}].variants[${at}].attachments`,
    step,
    words: `${filesIn(files)} of variant ${at + 1} of ${email}`,
  }));
  return [{ files: attachments, ...own }, ...others].flatMap(({ files, ...extra }) =>
    files.length > 0 ? extra : [],
  );
}

function filesIn(attachments: Attachments): string {
  const names = attachments.flatMap((name) => name ?? []);
  if (names.length < attachments.length) return `the ${count(attachments.length, 'attachment')}`;
  return `the attachment${names.length === 1 ? '' : 's'} ${listed(names)}`;
}
