import { groupBy, isObject, type Json } from '../model/json.js';
import type { ByHandTask } from '../model/outputs.js';
import { decodeStep } from '../model/spec.js';
import { listed, thousands } from '../model/words.js';
import { howSent, showing } from './changes.js';
import { splitLines } from './diffs.js';
import { copied, exactly, type Html, html, unseen } from './html-page.js';
import { code, fence, fold, prose } from './markdown.js';
import type { PlaceOf } from './plan-notices.js';
import { type TextOptions, visibleCopy, visibleLine } from './terminal.js';
import { textDiff } from './text-diff.js';
import { alike, capital, cut, hanging, short } from './words.js';

export interface ByHandView {
  campaigns: { name: string; id: number | null }[];
  tasks: TaskView[];
}

/** `from`: the current value if it is short. `texts`: texts to enter; `before`: what one of them replaces, or `null`. */
interface TaskView {
  words: string;
  from: string | null;
  texts: { name: string; text: string; before: string | null }[];
}

export function viewByHand(tasks: readonly ByHandTask[], placeOf: PlaceOf): ByHandView[] {
  const tasksByCampaign = groupBy(tasks, ({ campaign, id }) => JSON.stringify([campaign, id]));
  const each = [...tasksByCampaign.values()].flatMap((all) =>
    all.slice(0, 1).map(({ campaign: name, id }) => ({
      name,
      id,
      tasks: all.map((task) => viewTask(task, placeOf(task.manifest))),
    })),
  );
  return alike(each, (campaign) => JSON.stringify(campaign.tasks)).map((same) => ({
    campaigns: same.map(({ name, id }) => ({ name, id })),
    tasks: same[0].tasks,
  }));
}

function viewTask(byHandTask: ByHandTask, flags: string): TaskView {
  const { does, id, section, path, place, from, to } = byHandTask;
  const task = (words: string, before: string | null = null, texts: TaskView['texts'] = []): TaskView => {
    return { words, from: before, texts };
  };
  switch (does) {
    case 'rename':
      return task('rename it', String(from), listTexts('name', to));
    case 'restore':
      return task(`restore it: the service shows "${visibleLine(String(from))}"`);
    case 'delete':
      return task(`delete or archive it: ${whyLeft(byHandTask)}`);
    case 'attach':
      return task(
        `attach sender accounts${id === null ? ' once apply has created it' : ''}, then apply again`,
      );
    case 'carry':
      return task(
        `carry over ${place} from "${visibleLine(String(from))}": apply cannot, because the API does not show them. To do this before the first email, apply with --hold launch first, and launch afterwards`,
      );
    case 'remove':
      if (section !== 'leads')
        return task(`delete ${place}${quotedValue(decodeEmail(from)?.email_subject ?? brief(path, from))}`);
      return task(
        `remove ${leadIds(path, from)}, then run campaignctl forget ${id} --removed-leads ${flags}`,
      );
    case 'add': {
      const email = decodeEmail(to);
      if (email !== null) return task(`add ${place} (${howSent(email)})`, null, emailTexts(email));
      const texts = listTexts(path, to);
      return task(`add ${place}${texts.length > 0 ? '' : `: ${short(to)}`}`, null, texts);
    }
    case 'update': {
      const texts = listTexts(path, to);
      if (texts.length === 0) return task(`change ${place} from ${short(from)} to ${short(to)}`);
      const before = typeof from === 'string' && from !== '' ? from : null;
      return task(
        `change ${place}`,
        brief(path, from),
        texts.map((text) => ({ ...text, before })),
      );
    }
  }
}

function quotedValue(value: string | null): string {
  return value === null ? '' : `, "${visibleLine(value)}"`;
}

function whyLeft({ superseded_by }: ByHandTask): string {
  const why = superseded_by === undefined ? 'no manifest describes it' : 'another campaign has replaced it';
  return `${why}, and it was not sending when this was planned`;
}

function listTexts(name: string, value: Json): TaskView['texts'] {
  return typeof value === 'string'
    ? [{ name: /[a-z_]*$/.exec(name)?.[0] ?? name, text: value, before: null }]
    : [];
}

/** Returns `null` if the value does not fit on one line. */
function brief(path: string, value: Json): string | null {
  if (typeof value === 'string' && (value === '' || value.includes('\n') || value.length > 100)) return null;
  return value === null || isObject(value) || Array.isArray(value) ? null : short(value, 100, showing(path));
}

function decodeEmail(value: Json) {
  return isObject(value) && typeof value.email_subject === 'string'
    ? decodeStep({ variants: [], ...value })
    : null;
}

function emailTexts({ variants, ...email }: NonNullable<ReturnType<typeof decodeEmail>>): TaskView['texts'] {
  return [email, ...variants].flatMap((message, at) =>
    (['email_subject', 'email_body'] as const).map((field) => ({
      name: at === 0 ? field : `variant ${at}: ${field}`,
      text: message[field],
      before: null,
    })),
  );
}

/** Lists every lead, because no plan can detect that they were removed. */
function leadIds(path: string, value: Json): string {
  const ids = Array.isArray(value) ? value : [];
  return `${path === 'lists' ? 'lead list' : 'individual lead'}${ids.length === 1 ? '' : 's'} ${ids.join(', ')}`;
}

export function byHandTitle(groups: readonly ByHandView[]): string {
  const number = groups.reduce((sum, { campaigns, tasks }) => sum + campaigns.length * tasks.length, 0);
  return `To do by hand in the service's web app: ${thousands(number)}`;
}

const END = 'The next plan lists the remaining tasks.';

/** More lines than that are shown as a difference, if the current text is known. */
const MAX_LINES = 10;

export function byHandText(
  groups: readonly ByHandView[],
  { paint, width, full = false }: TextOptions & { full?: boolean },
): string[] {
  if (groups.length === 0) return [];
  let isShortened = false;
  const textLines = ({ name, text, before }: TaskView['texts'][number]): string[] => {
    const lines = splitLines(text).map(visibleCopy);
    if (!full && before !== null && lines.length > MAX_LINES) {
      isShortened = true;
      return [`  ${name}`, ...textDiff({ from: before, to: text }, { paint, width: width - 8 })];
    }
    const [only] = lines.length === 1 ? lines : [];
    // These texts are not wrapped, so that they can be copied.
    const whole =
      only === undefined ? [`+ ${name}`, ...lines.map((line) => `    ${line}`)] : [`+ ${name}  ${only}`];
    return whole.map((line) => paint('green', line));
  };
  const lines = groups.flatMap(({ campaigns, tasks }) => [
    ...hanging(campaignNames(campaigns, full), width - 4).map((line) => `  ${line}`),
    ...tasks.flatMap(({ words, from, texts }) => [
      ...hanging(`[ ] ${visibleLine(words)}`, width - 6).map((line) => `    ${line}`),
      ...(from === null ? [] : [`        ${paint('red', `- ${visibleLine(from)}`)}`]),
      ...texts.flatMap(textLines).map((line) => `        ${line}`),
    ]),
  ]);
  const end = isShortened ? `${END} --full prints the texts to enter.` : END;
  return ['', paint('yellow', byHandTitle(groups)), ...lines, `  ${paint('dim', end)}`];
}

/** Cards have the other names. */
const MAX_NAMES = 6;

function campaignNames(campaigns: ByHandView['campaigns'], full: boolean): string {
  const names = campaigns.map(({ name, id }) => `${visibleLine(name)}${inBrackets(id)}`);
  const [only = ''] = names;
  return names.length === 1
    ? only
    : `${thousands(names.length)} × the same: ${listed(names, full ? names.length : MAX_NAMES)}`;
}

function inBrackets(id: number | null): string {
  return id === null ? '' : ` (id ${id})`;
}

/** A checklist of at most `most` tasks. Omits long texts if `most` is below 20. */
export function byHandMarkdown(groups: readonly ByHandView[], most: number): string[] {
  if (groups.length === 0) return [];
  const items = groups.flatMap(({ campaigns, tasks }) =>
    tasks.map((task) => ({ who: whoseMarkdown(campaigns, most), task, number: campaigns.length })),
  );
  const isWhole = most >= 20;
  const rest = items.slice(most).reduce((sum, { number }) => sum + number, 0);
  const lines = [
    `**${prose(byHandTitle(groups))}**`,
    '',
    ...items.slice(0, most).flatMap(({ who, task }) => itemLines(who, task, isWhole)),
    ...(rest > 0
      ? [`- ${most === 0 ? '' : 'and '}${thousands(rest)} more: \`campaignctl show\` lists them`]
      : []),
  ];
  return [lines.join('\n').trimEnd()];
}

function whoseMarkdown(campaigns: ByHandView['campaigns'], most: number): string {
  const names = campaigns.map(({ name, id }) => `${code(cut(name, 120))}${inBrackets(id)}`);
  return listed(names, Math.max(1, Math.min(most, 12)));
}

function itemLines(who: string, { words, from, texts }: TaskView, isWhole: boolean): string[] {
  const item = `- [ ] ${who}: ${prose(cut(words, 1_000))}${from === null ? '' : ` from ${code(from)}`}`;
  const [only] = texts.length === 1 ? texts : [];
  if (only !== undefined && !only.text.includes('\n') && only.text.length <= 200)
    return [`${item}${from === null ? ':' : ' to'} ${code(only.text, showing(only.name))}`];
  if (texts.length === 0) return [item];
  if (!isWhole) return [`${item} (\`campaignctl show\` prints the text)`];
  const blocks = texts.flatMap(({ name, text }) => [
    prose(name),
    '',
    fence(splitLines(text).map(visibleCopy).join('\n')),
    '',
  ]);
  const indented = fold('the text to enter', false, blocks).trimEnd().split('\n');
  return [item, '', ...indented.map((line) => (line === '' ? '' : `  ${line}`)), ''];
}

export function byHandHtml(groups: readonly ByHandView[]): Html | null {
  if (groups.length === 0) return null;
  const parts = groups.map(({ campaigns, tasks }) => {
    const [first] = campaigns;
    const names = campaigns.map(
      ({ name, id }) => html`${name}${id === null ? null : html` <small>id ${id}</small>`}`,
    );
    const head =
      campaigns.length === 1
        ? html`<h3>${names}</h3>`
        : html`<details class="fold"><summary>${thousands(campaigns.length)} × the same: ${first?.name ?? ''} …</summary><ul class="links">${names.map((name) => html`<li>${name}</li>`)}</ul></details>`;
    const whom = ` for ${listed(campaigns.map(({ name }) => name))}`;
    const items = tasks.map(({ words, from, texts }) => {
      const now = from === null ? null : html` <del>${copied(from)}</del>`;
      return html`<li><label><input type="checkbox"> ${capital(words)}${unseen(whom)}</label>${now}${texts.map((text) => copyable(text, whom))}</li>`;
    });
    return html`<div class="group">${head}<ul class="tasks">${items}</ul></div>`;
  });
  return html`<section class="notice blocked by-hand" aria-labelledby="by-hand"><h2 id="by-hand">${byHandTitle(groups)}</h2>${parts}<p class="hint">${END}</p></section>`;
}

function copyable({ name, text }: TaskView['texts'][number], whom: string): Html {
  return html`<figure><figcaption>${name} <button type="button" class="copy" hidden aria-label="Copy ${name}${whom}" data-text="${exactly(text)}">Copy</button></figcaption><pre tabindex="0">${copied(text)}</pre></figure>`;
}

/** The script works offline and without permission to use the clipboard. */
export const COPY_SCRIPT = `
for (const button of document.querySelectorAll('button.copy')) {
  button.hidden = false;
  button.addEventListener('click', async () => {
    const { text } = button.dataset;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const field = document.createElement('textarea');
      field.value = text;
      button.after(field);
      field.select();
      document.execCommand('copy');
      field.remove();
    }
    button.textContent = 'Copied';
    button.removeAttribute('aria-label');
  });
}
`;
