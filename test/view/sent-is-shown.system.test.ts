/**
 * Everything that apply sends is either shown by the plan or already in the service: each field of each request of
 * generated plans, in the changes and in every view. The service's values come from the tests' service, not from the
 * planner.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isObject, type Json, type JsonObject } from '../../src/model/json.js';
import type { CampaignPlan, Change, Step } from '../../src/model/outputs.js';
import { SETTING_NAMES, WEEKDAYS } from '../../src/model/sections.js';
import { renderPlanHtml } from '../../src/view/plan-html.js';
import { renderPlanMarkdown } from '../../src/view/plan-markdown.js';
import { renderPlanText } from '../../src/view/plan-text.js';
import { plain } from '../../src/view/terminal.js';
import { planOf } from '../support/plans.js';
import { applyScene, planScene, type Scene } from '../support/scene.js';
import { DEFAULT_SETTINGS, OTHER_DEFAULTS, type StoredCampaign } from '../support/service/store.js';
import { service, spec, WORKSPACE } from '../support/specs.js';

const drawn = fc.record({
  wanted: spec,
  before: fc.option(spec, { nil: null }),
  service,
  kept: fc.boolean(),
  paused: fc.boolean(),
});

/** A live campaign from a different manifest, or none. Its state may be lost. */
function sceneOf({ before, service: { behaviour, shape }, kept, paused }: (typeof CASES)[number]): Scene {
  const empty: Scene = { store: WORKSPACE, entries: [], behaviour, shape };
  if (before === null) return empty;
  const { store, entries } = applyScene(planScene(before, empty), empty);
  const campaigns = store.campaigns.map((campaign) =>
    paused ? { ...campaign, status: 'paused' } : campaign,
  );
  return { ...empty, store: { ...store, campaigns }, entries: kept ? entries : [] };
}

const CASES = fc.sample(drawn, { seed: 20261122, numRuns: 150 });

/** A field and its value, in one notation for requests, changes and the service: `steps[0].email_subject`. */
type Said = [field: string, value: Json];

const PARTS = ['email_subject', 'email_body', 'wait_in_days', 'thread_reply'];
const emailIn = (at: string, email: JsonObject): Said[] =>
  PARTS.map((part) => [`${at}.${part}`, email[part] ?? null]);
const daysIn = (days: Json): Said[] =>
  WEEKDAYS.map((day) => [day, Array.isArray(days) && days.includes(day)]);
const records = (list: Json | undefined) => (Array.isArray(list) ? list.filter(isObject) : []);

function stepIn(at: string, step: JsonObject): Said[] {
  return [
    ...emailIn(at, step),
    ...records(step.variants).flatMap((value) => emailIn(`${at}.variant`, value)),
  ];
}

/** Fields of a change. */
function shownBy({ section, path, kind, to }: Change): Said[] {
  if (kind === 'remove') return [];
  const fields = isObject(to) ? Object.entries(to) : [];
  if (section === 'leads') return [to].flat().map((id) => [path, id]);
  if (section === 'status') return [['status', to]];
  if (section === 'schedule')
    return (path === '' ? fields : [[path, to] as Said]).flatMap(([name, value]) =>
      name === 'days' ? daysIn(value) : [[name, value] as Said],
    );
  if (section !== 'sequence') return [[path, to]];
  const at = path.replace(/\.variants\[\d+\]/, '.variant');
  if (path !== '') return isObject(to) ? stepIn(at, to) : [[at, to]];
  return [
    ['title', isObject(to) ? (to.title ?? null) : null],
    ...(isObject(to) ? records(to.steps) : []).flatMap((step, index) => stepIn(`steps[${index}]`, step)),
  ];
}

/** Fields of the service. */
function hadBy(live: StoredCampaign | undefined): Said[] {
  const { settings = DEFAULT_SETTINGS, schedule = null, title = null, lists = [], leads = [] } = live ?? {};
  const bases = (live?.steps ?? [])
    .filter(({ variant }) => !variant)
    .sort((a, b) => (a.order ?? 0) - (b.order ?? 0));
  const emails = (live?.steps ?? []).flatMap(({ id, variant_from_step, ...email }) => {
    const index = bases.findIndex((base) => base.id === (variant_from_step ?? id));
    return emailIn(`steps[${index}]${variant_from_step === null ? '' : '.variant'}`, email);
  });
  return [
    ...Object.entries(settings),
    ...Object.entries(schedule ?? {}),
    ...(title === null ? [] : [['title', title] as Said]),
    ...emails,
    ...lists.map((id): Said => ['lists', id]),
    ...leads.map((id): Said => ['ids', id]),
  ];
}

/** Fields of a request, without `save_as_template: false`. */
function sentBy({ section, path, body }: Step, live: StoredCampaign | undefined): Said[] {
  const fields = Object.entries(body ?? {});
  if (section === 'leads')
    return fields.flatMap(([name, value]) =>
      [value].flat().map((id): Said => [name === 'lead_list_id' ? 'lists' : 'ids', id]),
    );
  if (section === 'status') return [['status', path.endsWith('/resume') ? 'running' : 'paused']];
  if (section === 'schedule')
    return fields
      .filter(([name, value]) => name !== 'save_as_template' || value === true)
      .map(([name, value]) => [name === 'schedule_id' ? 'template' : name, value]);
  if (section !== 'sequence') return fields;
  const bases = (live?.steps ?? [])
    .filter(({ variant }) => !variant)
    .sort((a, b) => (a.order ?? 0) - (b.order ?? 0));
  const placeOf = ({ variant, variant_from_step: parent, order }: JsonObject): string => {
    if (variant !== true) return `steps[${Number(order) - 1}]`;
    const byId = bases.findIndex(({ id }) => id === parent);
    const number = Number(/^\{step (\d+)\}$/.exec(String(parent))?.[1] ?? parent);
    return `steps[${byId < 0 ? number - 1 : byId}].variant`;
  };
  const steps = records(body?.sequence_steps);
  return [
    ['title', body?.title ?? null],
    ...steps.flatMap((step): Said[] => [['title', step.title ?? null], ...emailIn(placeOf(step), step)]),
  ];
}

/** Normalises texts, because the service trims them, changes line endings and adds `Re: `. */
const spoken = ([field, value]: Said) => {
  const text =
    typeof value === 'string'
      ? value
          .trim()
          .replace(/\r\n?/g, '\n')
          .replace(/^(Re: )+/, '')
      : value;
  return `${field} = ${JSON.stringify(text === '' ? null : text)}`;
};

/** Sent fields that change the service. If a template is not named, uses the template's content. */
/** A hidden setting that may be reset is named by the hazard. */
function askedBy({ problems }: CampaignPlan): Set<string> {
  const lines = problems.filter(({ code }) => code === 'reset-unreadable').map(({ message }) => message);
  return new Set(SETTING_NAMES.filter((name) => lines.some((message) => message.includes(name))));
}

function newIn({ steps, changes }: CampaignPlan, live: StoredCampaign | undefined): Said[] {
  const had = new Set(hadBy(live).map(spoken));
  const isNamed = changes.some(({ path, to }) => path === 'template' || (isObject(to) && 'template' in to));
  const held = ([name, value]: Said): Said[] => {
    if (name !== 'template' || isNamed) return [[name, value]];
    const { id, ...hours } = WORKSPACE.templates.find((each) => each.id === value) ?? { id: 0 };
    return Object.entries(hours);
  };
  const sent = steps.flatMap((step) => sentBy(step, live)).flatMap(held);
  return sent.filter((text) => !had.has(spoken(text)));
}

/**
 * Words of which a view that shows the field must contain one; empty if they would prove nothing. `last`: the last email.
 */
function wordsOf([field, value]: Said, last: string): string[] {
  // The last email has no wait.
  if (field.startsWith(last) && field.endsWith('wait_in_days')) return [];
  if (field === 'save_as_template') return ['save_as_template', 'template'];
  if (field.endsWith('wait_in_days')) return [`wait ${value}`, `${value} day`, 'wait_in_days'];
  if (field.endsWith('thread_reply'))
    return value ? ['as a reply', 'reply in the thread', 'thread_reply'] : [];
  if (typeof value === 'number') return field === 'ids' ? [] : [String(value), value.toLocaleString('en-US')];
  if (typeof value === 'string') return [longest(value)];
  return WEEKDAYS.some((day) => day === field) ? [] : [field.replace(/^steps.*\./, '')];
}

/** The longest part that looks the same however an email is written or rendered. */
function longest(text: string): string {
  const stretches = text
    .replace(/<[^<>]*>|\{[^{}]*\}|[\r\n]+/g, '\n')
    .split('\n')
    .map((word) => word.trim());
  return stretches.sort((a, b) => b.length - a.length)[0] ?? '';
}

const VIEWS: [name: string, render: (plan: CampaignPlan) => string][] = [
  ['text', (plan) => renderPlanText(planOf([plan]), { paint: plain, width: 2000 })],
  ['Markdown', (plan) => renderPlanMarkdown(planOf([plan]), 1_000_000)],
  ['HTML', (plan) => readable(renderPlanHtml(planOf([plan])))],
];
/** The text of a page, with and without marks within words. */
const readable = (page: string) => {
  const text = unescaped(unescaped(page));
  return `${text}\n${text.replace(/<[^<>]*>/g, '')}`;
};
const unescaped = (html: string) =>
  html
    .replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, '&');

const PLANS = CASES.map((each) => {
  const scene = sceneOf(each);
  return { one: each, live: scene.store.campaigns[0], plan: planScene(each.wanted, scene).plan };
});

function eachPlan(look: (plan: CampaignPlan, live: StoredCampaign | undefined) => void): void {
  for (const [at, { one: each, live, plan }] of PLANS.entries()) {
    try {
      look(plan, live);
    } catch (error) {
      throw new Error(`case ${at}: ${JSON.stringify({ ...each, live })}`, { cause: error });
    }
  }
}

it('the check detects a field that is not shown', () => {
  const unshown = PLANS.filter(({ plan }) => plan.steps.some(({ section }) => section === 'settings'));
  expect(unshown.length).toBeGreaterThan(20);
  for (const { plan, live } of unshown) {
    const sent = plan.steps.map((step) =>
      step.section === 'settings' ? { ...step, body: { ...step.body, max_emails_per_day: 123 } } : step,
    );
    expect(newIn({ ...plan, steps: sent }, live)).toContainEqual(['max_emails_per_day', 123]);
  }
});

it('each sent field is in the changes or had that value before', () => {
  eachPlan((plan, live) => {
    const shown = new Set(plan.changes.flatMap(shownBy).map(spoken));
    const asked = askedBy(plan);
    const unsaid = newIn(plan, live).filter((text) => !shown.has(spoken(text)) && !asked.has(text[0]));
    expect(unsaid).toEqual([]);
  });
});

it('each field sent to a new campaign is shown or is its initial value in the service', () => {
  let created = 0;
  for (const { one: each, plan } of PLANS.filter(({ plan }) => plan.id === null)) {
    for (const defaults of ['documented', 'other'] as const) {
      const scene = sceneOf({ ...each, before: null });
      const before = defaults === 'other' ? OTHER_DEFAULTS : DEFAULT_SETTINGS;
      const { store } = applyScene(planScene(each.wanted, scene), {
        ...scene,
        shape: { ...scene.shape, defaults },
      });
      const shown = plan.changes
        .filter(({ section }) => section === 'settings')
        .map(({ path, to }) => [path, to]);
      // A field that is not shown may be hidden by the service; it then gets the value in the plan.
      const hidden = scene.shape.reputation === 'hidden' ? { reputation_building: false } : {};
      expect(store.campaigns[0]?.settings).toEqual({ ...before, ...hidden, ...Object.fromEntries(shown) });
      created += shown.length > 0 ? 1 : 0;
    }
  }
  expect(created).toBeGreaterThan(20);
});

it.each(VIEWS)('each sent field with a new value is in the view as %s', (_, render) => {
  eachPlan((plan, live) => {
    const page = render(plan);
    const last = `steps[${(plan.content?.after.sequence?.steps.length ?? 0) - 1}]`;
    const words = newIn(plan, live).map((text) => [spoken(text), wordsOf(text, last)] as const);
    expect(words.filter(([, any]) => any.length > 0 && !any.some((word) => page.includes(word)))).toEqual([]);
  });
});
