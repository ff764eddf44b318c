import { canonicalText } from '../model/canonical.js';
import { excerpt, type Json, type JsonObject, objectAt, objectSchema, property } from '../model/json.js';
import { NOT_READ, shownValue } from '../model/live.js';
import { type Change, NOT_KNOWN, type PlanProblem, type Step } from '../model/outputs.js';
import {
  DEFAULT_SETTINGS,
  newLeadsAboveEmails,
  SETTING_NAMES,
  SETTINGS,
  type SettingName,
  type Settings,
  type SettingType,
  type SomeSettings,
} from '../model/sections.js';
import type { NotKept, RecordedState } from '../model/state.js';
import type { Target } from '../model/target.js';
import { listed } from '../model/words.js';
import { campaignExtras } from './extras.js';
import {
  added,
  defineSection,
  NOT_SHOWN,
  note,
  notHeld,
  notReadable,
  type SectionChange,
  type SectionDifference,
  type SectionStep,
  updated,
} from './section.js';

const TYPES: Record<SettingType, JsonObject & { type: string }> = {
  integer: { type: 'integer', minimum: 0 },
  boolean: { type: 'boolean' },
  text: { type: 'string' },
};

const schema: JsonObject = property(
  objectSchema(
    'SettingsSpec',
    Object.fromEntries(
      SETTINGS.map(({ name, type, default: standard, description, examples }) => {
        const { type: word, ...limits } = TYPES[type];
        const value = { type: [word, 'null'], ...limits, default: standard };
        return [name, property(value, description, ...examples)];
      }),
    ),
  ),
  'Campaign settings. A setting that you leave out is not managed: it keeps its live value.',
  { max_emails_per_day: 200, can_unsubscribe: true, unsubscribe_text: 'Unsubscribe here' },
);

/**
 * Only declared settings are managed, but an update always sends all settings. The live value is `null` before the campaign
 * exists.
 */
export const settings = defineSection<SomeSettings | null, SomeSettings>({
  name: 'settings',
  properties: { settings: schema },
  reads: ['campaign'],
  normalize,
  decode: (target) => (target.id === null ? null : shownSettings(target)),
  diff,
  /** Records the whole update. If the outcome is in doubt, keeps only the values that the update would not change. */
  recordStep(recorded, { body }, effect) {
    const before = objectAt(recorded.applied, 'settings');
    const sent = Object.entries(body ?? {});
    const known = effect === 'done' ? sent : sent.filter(([name, value]) => before[name] === value);
    const applied = { ...recorded.applied, settings: Object.fromEntries(known) };
    const after = { ...recorded, at_defaults: effect !== 'done' && recorded.at_defaults, applied };
    return keepingNotKept(after, (name, { sent: value }) => value === body?.[name]);
  },
  recordShown: (recorded, live) =>
    keepingNotKept(recorded, (name, { shown }) => live !== null && live[name] === shown),
  toView: (live) => live,
  /** Includes all values shown, even defaults, because omitted settings are not managed. */
  toManifest(live, target) {
    const hidden = SETTING_NAMES.filter((name) => live?.[name] === undefined);
    return {
      section: hidden.length === SETTING_NAMES.length ? null : { ...live },
      remarks: [
        ...hidden.map((name) =>
          note(`${name}: not shown by the service; set it here before you change another setting`),
        ),
        ...(target.live === null ? [] : campaignExtras(target.live.record).map(notHeld)),
      ],
    };
  },
});

function normalize({ spec }: Target): SomeSettings | null {
  if (spec.settings === undefined) return null;
  const { settings: written } = spec;
  const values = SETTINGS.flatMap(({ name, type }) => {
    const value = written[name];
    return value === undefined ? [] : [[name, canonical(value, type)] as const];
  });
  return Object.fromEntries(values) as SomeSettings;
}

function canonical(value: string | number | boolean | null, type: SettingType) {
  if (type === 'boolean') return value ?? false;
  return type === 'text' ? canonicalText(String(value ?? '')) || null : value;
}

/** Empty if the campaign was not read. */
export function shownSettings({ live }: Target): SomeSettings {
  return (live && shownValue(live.settings)) ?? {};
}

/** The body of a new campaign's update, in which unmanaged settings keep the service's initial values. */
export function initialUpdate(target: Target): JsonObject {
  return { ...wholeSettings(shownSettings(target), normalize(target) ?? {}, target.recorded) };
}

/**
 * The settings that are not as `before` or as sent, with both values. Compares only what both show. A service may lower a limit
 * and add a text of its own: neither mails anybody more.
 */
export function changedSettings(before: Target, sent: JsonObject, now: Target): string[] {
  const [was, is] = [before, now].map(({ live }) => live?.settings ?? NOT_READ);
  const wanted: JsonObject = { ...(was?.is === 'shown' ? was.value : {}), ...sent };
  if (is?.is !== 'shown')
    return is?.is === 'unreadable' && Object.keys(wanted).length > 0 ? ['settings'] : [];
  const shown: JsonObject = { ...is.value };
  return SETTING_NAMES.flatMap((name) => {
    const [from, to] = [wanted[name], shown[name]];
    if (from === undefined || to === undefined || from === to) return [];
    const isLower = typeof to === 'number' && (from === null || (typeof from === 'number' && to < from));
    const isAdded = typeof to === 'string' && from === null;
    return name in sent && (isLower || isAdded) ? [] : [`settings.${name} (${from} → ${to})`];
  });
}

export function overwrittenSettings(update: Step, now: Target): SettingName[] {
  const live = shownSettings(now);
  return SETTING_NAMES.filter((name) => live[name] !== undefined && live[name] !== update.body?.[name]);
}

/**
 * Compares with the value shown or, if there is none, with the last applied one. A new campaign gets every declared value.
 */
function diff(live: SomeSettings | null, desired: SomeSettings, { recorded }: Target): SectionDifference {
  const shown: SomeSettings = live ?? DEFAULT_SETTINGS;
  const changes: SectionChange[] = [];
  const notKept: SectionChange[] = [];
  const problems: PlanProblem[] = [];
  for (const name of SETTING_NAMES) {
    const to = desired[name];
    if (to === undefined) continue;
    const isShown = shown[name] !== undefined;
    const from = isShown ? shown[name] : objectAt(recorded.applied, 'settings')[name];
    const note = from === undefined ? NOT_KNOWN : NOT_SHOWN;
    if (!isShown) problems.push(notShown(name, from === undefined));
    const known = recorded.not_kept?.[name];
    if (isShown && from !== to && known?.sent === to && known.shown === from)
      notKept.push(updated(name, from ?? null, to, NOT_KEPT));
    else if (from !== to) changes.push(updated(name, from ?? null, to, isShown ? null : note));
    // A service's defaults may differ from the documented ones.
    else if (live === null) changes.push(added(name, to));
  }
  if (notKept.length > 0) problems.push(notKeptProblem(notKept));
  if (changes.length === 0) return { changes, problems, steps: [], byHand: notKept };
  const unseen = unseenSettings(shown, desired);
  if (unseen.length > 0 && recorded.at_defaults) problems.push(defaultsSent(unseen, recorded));
  const whole = wholeSettings(shown, desired, recorded);
  const update: SectionStep = {
    id: 'settings',
    stage: 'settings',
    title: 'update the settings',
    method: 'PATCH',
    path: '/api/campaigns/{campaign_id}/update',
    body: { ...whole },
    irreversible: false,
  };
  return {
    // The update sends these values as well.
    changes: [...changes, ...notKept],
    problems: [...problems, ...contradictingCaps(whole, live, desired)],
    steps: [update],
    byHand: notKept,
  };
}

const NOT_KEPT = 'not kept by the service when it was last sent';

function keepingNotKept(
  { not_kept = {}, ...recorded }: RecordedState,
  isKept: (name: SettingName, values: NotKept) => boolean,
): RecordedState {
  const kept = SETTING_NAMES.flatMap((name) => {
    const values = not_kept[name];
    return values !== undefined && isKept(name, values) ? [[name, values] as const] : [];
  });
  return kept.length === 0 ? recorded : { ...recorded, not_kept: Object.fromEntries(kept) };
}

export function withNotKept(
  recorded: RecordedState,
  values: Readonly<Record<string, NotKept>>,
): RecordedState {
  if (Object.keys(values).length === 0) return recorded;
  return { ...recorded, not_kept: { ...recorded.not_kept, ...values } };
}

export function withoutNotKept(recorded: RecordedState): RecordedState {
  return keepingNotKept(recorded, () => false);
}

/** The values among `remaining`, the differences after an accepted update, that the service shows and did not keep. */
export function notKeptIn(remaining: readonly Change[]): Record<string, NotKept> {
  const values = remaining.filter(({ section, note }) => section === 'settings' && note === null);
  return Object.fromEntries(values.map(({ path, from, to }) => [path, { sent: to, shown: from }]));
}

/** "settings.unsubscribe_text (sent "Leave", shown none)" */
export function describeNotKept(values: Readonly<Record<string, NotKept>>): string {
  return listed(
    Object.entries(values).map(
      ([name, { sent, shown }]) => `settings.${name} (sent ${valueWords(sent)}, shown ${valueWords(shown)})`,
    ),
  );
}

function valueWords(value: Json): string {
  return value === null ? 'none' : excerpt(value);
}

function notKeptProblem(changes: readonly SectionChange[]): PlanProblem {
  const values = Object.fromEntries(changes.map(({ path, from, to }) => [path, { sent: to, shown: from }]));
  return {
    code: 'not-kept',
    severity: 'warning',
    message: `Not kept by the service: ${describeNotKept(values)}. It accepted the update, but shows a different value, so apply does not send the same value again by itself.`,
    hint: "Set the value in the service's web app, or write the shown value in the manifest, or remove the setting from it. A different value is sent again.",
  };
}

/**
 * Returns all settings, because the service sets an omitted boolean to false. Values not shown are the last applied ones or
 * the documented defaults.
 */
function wholeSettings(live: SomeSettings, desired: SomeSettings, recorded: RecordedState): Settings {
  return { ...DEFAULT_SETTINGS, ...objectAt(recorded.applied, 'settings'), ...live, ...desired };
}

/** Reports contradicting caps if one of them is live or a default. */
function contradictingCaps(
  { max_new_leads_per_day: leads, max_emails_per_day: emails }: Settings,
  live: SomeSettings | null,
  desired: SomeSettings,
): PlanProblem[] {
  const caps = ['max_new_leads_per_day', 'max_emails_per_day'] as const;
  const unwritten = caps.find((name) => desired[name] === undefined);
  if (unwritten === undefined || leads === null || emails === null || leads <= emails) return [];
  const kept = live?.[unwritten] === undefined ? 'the last known or default value' : 'the live value';
  const source = ` (${live === null ? 'the default of a new campaign' : kept})`;
  const sources: [string, string] = unwritten === 'max_emails_per_day' ? ['', source] : [source, ''];
  const sentences = newLeadsAboveEmails({ leads, emails }, sources);
  return [{ code: 'new-leads-above-emails', severity: 'warning', ...sentences }];
}

function notShown(name: SettingName, isUnknown: boolean): PlanProblem {
  const instead = isUnknown
    ? 'and the last applied value is unknown, so apply sends the value in the manifest'
    : 'so the value in the manifest was compared with the last applied one';
  return notReadable(`The service does not show settings.${name}, ${instead}.`);
}

/** For a new campaign whose first run failed or crashed before its settings were applied. */
function defaultsSent(names: SettingName[], recorded: RecordedState): PlanProblem {
  const values = wholeSettings({}, {}, recorded);
  const sent = names.map((name) => `${name} ${JSON.stringify(values[name])}`).join(', ');
  return notReadable(
    `The manifest leaves out settings that the service does not show, so the update sends their documented defaults: ${sent}.`,
  );
}

function unseenSettings(shown: SomeSettings, desired: SomeSettings): SettingName[] {
  return SETTING_NAMES.filter((name) => shown[name] === undefined && desired[name] === undefined);
}

export function resetHazard(target: Target): PlanProblem[] {
  const { id, recorded } = target;
  const names = unseenSettings(shownSettings(target), normalize(target) ?? {});
  if (id === null || recorded.at_defaults || names.length === 0) return [];
  const values = wholeSettings({}, {}, recorded);
  const applied = objectAt(recorded.applied, 'settings');
  const reset = names.map((name) => {
    const source = name in applied ? ', as last applied' : '';
    return `${name} (would become ${JSON.stringify(values[name])}${source})`;
  });
  const since = names.some((name) => name in applied)
    ? " A value that was last applied may have been changed in the service's web app since."
    : '';
  return [
    {
      code: 'reset-unreadable',
      severity: 'hazard',
      message: `An update always sets every setting, but the service does not show ${reset.join(', ')}.${since}`,
      hint: `Write ${names.join(', ')} under settings in the manifest, or accept the reset with --allow reset-unreadable.`,
    },
  ];
}
