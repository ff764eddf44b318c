import { groupBy, isObject, type Json } from '../model/json.js';
import type { ByHandTask } from '../model/outputs.js';
import { decodeStep } from '../model/spec.js';
import { thousands } from '../model/words.js';
import { howSent, showing } from './changes.js';
import type { PlaceOf } from './options.js';
import { visibleLine } from './terminal.js';
import { alike, short, unseenNote } from './words.js';

export interface ByHandView {
  campaigns: { name: string; id: number | null }[];
  tasks: TaskView[];
}

/** `from`: the current value if it is short. `texts`: texts to enter; `before`: what one of them replaces, or `null`. */
export interface TaskView {
  does: ByHandTask['does'];
  words: string;
  from: string | null;
  texts: { name: string; text: string; before: string | null }[];
}

/** `isApplied`: in the result of an apply, the first email can no longer wait. */
export function viewByHand(
  tasks: readonly ByHandTask[],
  placeOf: PlaceOf,
  { isApplied = false } = {},
): ByHandView[] {
  const tasksByCampaign = groupBy(tasks, ({ campaign, id }) => JSON.stringify([campaign, id]));
  const each = [...tasksByCampaign.values()].flatMap((all) =>
    all.slice(0, 1).map(({ campaign: name, id }) => ({
      name,
      id,
      tasks: all.map((task) => viewTask(task, { flags: placeOf(task.manifest), isApplied })),
    })),
  );
  return alike(each, (campaign) => JSON.stringify(campaign.tasks)).map((same) => ({
    campaigns: same.map(({ name, id }) => ({ name, id })),
    tasks: same[0].tasks,
  }));
}

function viewTask(
  byHandTask: ByHandTask,
  { flags, isApplied }: { flags: string; isApplied: boolean },
): TaskView {
  const { does, id, section, path, place, from, to } = byHandTask;
  const task = (words: string, before: string | null = null, texts: TaskView['texts'] = []): TaskView => {
    return { does, words, from: before, texts };
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
      if (path !== '')
        return task(
          `carry over ${visibleLine(place)} from ${predecessor(byHandTask)}: the API cannot set this`,
        );
      return task(
        `carry over ${place} from ${predecessor(byHandTask)}: apply cannot, because the API does not show them${isApplied || id !== null ? '' : '. To do this before the first email, apply with --hold launch first, and launch afterwards'}`,
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
        `change ${place}${unseenNote(from, to)}`,
        brief(path, from),
        texts.map((text) => ({ ...text, before })),
      );
    }
  }
}

/** Without the id, two campaigns of one name could be confused. */
function predecessor({ from, replaces }: ByHandTask): string {
  return `"${visibleLine(String(from))}"${inBrackets(replaces ?? null)}`;
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

export function byHandTitle({
  groups,
  isSandbox,
}: {
  groups: readonly ByHandView[];
  isSandbox: boolean;
}): string {
  const number = groups.reduce((sum, { campaigns, tasks }) => sum + campaigns.length * tasks.length, 0);
  const where = isSandbox ? 'in a real service (a sandbox has no web app)' : "in the service's web app";
  return `To do by hand ${where}: ${thousands(number)}`;
}

/** The service does not show what a person carried over, so a plan lists that only until the new campaign is launched. */
export function byHandEnd(groups: readonly ByHandView[]): string {
  const isCarried = groups.some(({ tasks }) => tasks.some(({ does }) => does === 'carry'));
  const carried = isCarried
    ? '; what to carry over, only if it still has to create or launch the campaign'
    : '';
  return `The next plan lists the remaining tasks${carried}.`;
}

/** " (id 12)" */
export function inBrackets(id: number | null): string {
  return id === null ? '' : ` (id ${id})`;
}
