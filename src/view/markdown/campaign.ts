import type { Change, SectionName } from '../../model/change.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import type { Action, CampaignPlan } from '../../model/plan.js';
import { label, leftSections } from '../change-lines.js';
import { areLong } from '../diffs.js';
import { code, htmlCode, prose } from '../markdown.js';
import { markedChanges, originLine } from '../origin-words.js';
import { capital, count, cut, scheduleLine, short } from '../words.js';
import { changedBody, wholeBody } from './body.js';
import { nameOf } from './head.js';

/** How much of a campaign is shown: `line` is its name and counts, `brief` leaves out the bodies of new emails. */
export const DETAILS = ['line', 'brief', 'full'] as const;
export type Detail = (typeof DETAILS)[number];

const WORDS: Record<Action, string> = {
  create: 'create',
  change: 'change',
  blocked: 'blocked',
  none: 'nothing to do',
  drift: 'changed in the service',
};

/** One campaign: a line, or a fold with everything that changes. */
export function campaignMarkdown(campaign: CampaignPlan, detail: Detail, open: boolean): string {
  if (detail === 'line') return `- ${nameOf(campaign.name)}: ${about(campaign).join(', ')}\n`;
  const { name, problems, manifest } = campaign;
  const changes = markedChanges(campaign);
  const origin = originLine(campaign);
  const left = leftSections(campaign);
  const summary = [`<b>${htmlCode(cut(name, 120))}</b>`, ...about(campaign)].join(' · ');
  const told = problems.filter(
    ({ severity, code: kind }) => severity === 'warning' && kind !== 'not-readable',
  );
  const blocks = [
    `<details${open ? ' open' : ''}><summary>${summary}</summary>`,
    '',
    ...(origin === null ? [] : [`> ⚠ ${prose(capital(origin))}.`, '']),
    ...changeItems(changes, left, detail),
    '',
    ...told.flatMap(({ message, hint }) => [`> ⚠ ${prose(`${message} ${hint}`.trim())}`, '']),
    `<sub>${code(manifest)}</sub>`,
    '',
    '</details>',
  ];
  return `${blocks.filter((block, index) => block !== '' || blocks[index - 1] !== '').join('\n')}\n`;
}

/** Changes as items of lists, an section a block; `left`: sections of which nothing is sent. */
export function changeItems(
  changes: readonly Change[],
  left: readonly SectionName[],
  detail: Detail,
): string[] {
  return changes.flatMap((change, index) => {
    const opens = changes[index - 1]?.section !== change.section && change.section !== 'campaign';
    const mark = left.includes(change.section) ? ' (not sent)' : '';
    return [...(opens ? ['', `**${change.section}**${mark}`, ''] : []), ...lines(change, detail)];
  });
}

/** "change", "id 12", "launch", "3 requests". */
function about({ action, id, steps }: CampaignPlan): string[] {
  const launch = steps.some((step) => step.id === 'launch');
  return [
    WORDS[action],
    ...(id === null ? [] : [`id ${id}`]),
    ...(launch ? ['<b>launch</b>'] : []),
    ...(steps.length > 0 ? [count(steps.length, 'request')] : []),
  ];
}

/** One change: an item of a list, and what has to stand apart from it between empty lines. */
function lines(change: Change, detail: Detail): string[] {
  const { section, path, kind, from, to } = change;
  const note = change.note === null ? '' : ` (${prose(change.note)})`;
  if (section === 'campaign') return kind === 'update' ? [`- ${path}: ${arrow(from, to)}`] : [];
  if (section === 'status') return [`- ${arrow(from ?? 'draft', to)}${note}`];
  if (section === 'leads') {
    const noun = path === 'lists' ? 'lead list' : 'single lead';
    return [`- attach ${count(Array.isArray(to) ? to.length : 0, noun)}: ${code(short(to))}${note}`];
  }
  if (path === '' && isObject(to)) {
    return section === 'sequence'
      ? newSequence(to, note, detail)
      : [`- new: ${code(scheduleLine(to))}${note}`];
  }
  const name = prose(label(path));
  if (kind !== 'update') {
    const value = kind === 'add' ? to : from;
    const verb = kind === 'add' ? 'new' : 'gone';
    return isObject(value)
      ? [`- ${verb}: ${name}${note}`, '', ...email(value, detail)]
      : [`- ${verb}: ${name} ${code(short(value, 200))}${note}`];
  }
  if (areLong(from, to)) {
    return [`- ${name}${note}`, '', changedBody(String(from), String(to), detail === 'full' ? 2 : 0), ''];
  }
  return [`- ${name}: ${arrow(from, to)}${note}`];
}

function arrow(from: Json, to: Json): string {
  return `${code(short(from, 200))} → ${code(short(to, 200))}`;
}

function newSequence({ title, steps }: JsonObject, note: string, detail: Detail): string[] {
  const emails = Array.isArray(steps) ? steps.filter(isObject) : [];
  return [
    `- new: ${code(short(title ?? null))}, ${count(emails.length, 'email')}${note}`,
    '',
    ...emails.flatMap((one, index) => [
      `${index + 1}\\. ${headOf(one)}`,
      '',
      ...bodyOf(one, detail),
      ...variantsOf(one, detail),
    ]),
  ];
}

function email(value: JsonObject, detail: Detail): string[] {
  return [headOf(value), '', ...bodyOf(value, detail), ...variantsOf(value, detail)];
}

function variantsOf({ variants }: JsonObject, detail: Detail): string[] {
  const list = Array.isArray(variants) ? variants.filter(isObject) : [];
  return list.flatMap((one, index) => [`variant ${index + 1}: ${headOf(one)}`, '', ...bodyOf(one, detail)]);
}

function headOf({ email_subject, wait_in_days, thread_reply }: JsonObject): string {
  const how = `${thread_reply === true ? 'as a reply, ' : ''}then ${count(Number(wait_in_days), 'day')} wait`;
  return `${code(String(email_subject))} (${how})`;
}

function bodyOf({ email_body }: JsonObject, detail: Detail): string[] {
  return detail === 'full' ? [wholeBody(String(email_body)), ''] : [];
}
