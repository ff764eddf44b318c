import { isObject, type Json, type JsonObject, objectOf, property } from '../model/json.js';
import { NOT_KNOWN, type Problem, type Step } from '../model/outputs.js';
import {
  DEFAULT_SETTINGS,
  newLeadsAboveEmails,
  SETTING_NAMES,
  SETTINGS,
  type SettingName,
  type Settings,
  type SettingType,
} from '../model/sections.js';
import type { CampaignSpec } from '../model/spec.js';
import type { RecordedState } from '../model/state.js';
import { boolean, canonicalText, type Fields, fieldsOf, integer, text } from './decode.js';
import {
  added,
  type CampaignContext,
  defineSection,
  type ManifestSection,
  NOT_SHOWN,
  note,
  notReadable,
  type SectionContext,
  type SectionDifference,
  type StepEffect,
  updated,
} from './section.js';

const TYPES: Record<SettingType, JsonObject & { type: string }> = {
  integer: { type: 'integer', minimum: 0 },
  boolean: { type: 'boolean' },
  text: { type: 'string' },
};

/** Fields of the update operation. */
const schema: JsonObject = property(
  objectOf(
    'SettingsSpec',
    Object.fromEntries(
      SETTINGS.map(({ name, type, nullable, default: standard, description, examples }) => {
        const { type: word, ...limits } = TYPES[type];
        const types = nullable ? [word, 'null'] : word;
        return [name, property({ type: types, ...limits, default: standard }, description, ...examples)];
      }),
    ),
  ),
  'Campaign settings. A setting that is left out is not managed: its live value is kept.',
  { max_emails_per_day: 200, can_unsubscribe: true, unsubscribe_text: 'Unsubscribe here' },
);

/** Desired: written values. Live: shown values. */
type SomeSettings = Partial<Settings>;

/** Only written values are managed, but an update carries all of them. */
export const settings = defineSection<SomeSettings | null, SomeSettings>({
  name: 'settings',
  properties: { settings: schema },
  reads: ['campaign'],
  defaults: null,
  normalize,
  decode,
  diff,
  steps: (live, desired, { recorded }) => [
    {
      id: 'settings',
      title: 'update the settings',
      method: 'PATCH',
      path: '/api/campaigns/{campaign_id}/update',
      body: { ...wholeSettings(live ?? DEFAULT_SETTINGS, desired, recorded) },
      irreversible: false,
    },
  ],
  record,
  setsBack(planned, now, desired, { recorded }) {
    const sent = wholeSettings(planned ?? DEFAULT_SETTINGS, desired, recorded);
    return SETTING_NAMES.filter((field) => now?.[field] !== undefined && now[field] !== sent[field]);
  },
  toView: (live) => live,
  toManifest,
});

function normalize(spec: CampaignSpec): SomeSettings | null {
  if (spec.settings === undefined) return null;
  return canonical({ endpoint: '', record: { ...spec.settings }, at: '' });
}

/** The update of a new campaign: unmanaged settings keep the service's initial values. */
export function settingsOfMade(context: CampaignContext): JsonObject {
  return { ...wholeSettings(decode(context), normalize(context.spec) ?? {}, context.recorded) };
}

/** A contradiction that shows only with the service's initial values. */
export function crossedOfMade(context: CampaignContext): Problem | null {
  return crossed(decode(context), normalize(context.spec) ?? {}, context.recorded)[0] ?? null;
}

export function showsSettings(context: CampaignContext): boolean {
  return Object.keys(decode(context)).length > 0;
}

/** Flat in the record or under `settings`. A missing key is unreadable. */
function decode(context: CampaignContext): SomeSettings {
  const answer = context.answers?.campaign ?? null;
  if (answer === null) return {};
  const { endpoint, record } = fieldsOf(answer);
  const nested = isObject(record.settings) ? record.settings : {};
  return canonical({ endpoint, record: { ...record, ...nested }, at: '' });
}

function canonical(fields: Fields): SomeSettings {
  const found: Record<string, number | boolean | string | null> = {};
  for (const { name, type } of SETTINGS) {
    if (fields.record[name] === undefined) continue;
    if (type === 'integer') found[name] = integer(fields, name);
    else if (type === 'boolean') found[name] = boolean(fields, name) ?? false;
    else found[name] = canonicalText(text(fields, name) ?? '') || null;
  }
  return found as SomeSettings;
}

/** Compares with shown values, else with the last applied ones. */
function diff(
  live: SomeSettings | null,
  desired: SomeSettings,
  { recorded }: SectionContext,
): SectionDifference {
  if (live === null) return ofNew(desired, recorded);
  const { changes, problems }: SectionDifference = { changes: [], problems: [] };
  for (const name of SETTING_NAMES) {
    const to = desired[name];
    if (to === undefined) continue;
    const shown = live[name];
    const from = shown !== undefined ? shown : lastApplied(recorded, name);
    const isUnknown = from === undefined;
    if (shown === undefined) problems.push(notShown(name, isUnknown));
    const unseen = isUnknown ? NOT_KNOWN : NOT_SHOWN;
    if (from !== to) changes.push(updated(name, from ?? null, to, shown === undefined ? unseen : null));
  }
  const unseen = SETTING_NAMES.filter((name) => live[name] === undefined && desired[name] === undefined);
  if (changes.length > 0 && unseen.length > 0)
    problems.push((recorded.at_defaults ? defaultsSent : resetHazard)(unseen, recorded));
  if (changes.length > 0) problems.push(...crossed(live, desired, recorded));
  return { changes, problems };
}

/** A new campaign gets every written value: services may deviate from documented defaults. */
function ofNew(desired: SomeSettings, recorded: RecordedState): SectionDifference {
  const changes = SETTING_NAMES.flatMap((name) => {
    const [from, to] = [DEFAULT_SETTINGS[name], desired[name]];
    if (to === undefined) return [];
    return [from === to ? added(name, to) : updated(name, from, to)];
  });
  return { changes, problems: changes.length > 0 ? crossed(null, desired, recorded) : [] };
}

/** All settings: an omitted boolean becomes false. Neither written nor shown: last applied, else the documented default. */
function wholeSettings(live: SomeSettings, desired: SomeSettings, recorded: RecordedState): Settings {
  const applied = SETTING_NAMES.map((name) => [name, lastApplied(recorded, name)]);
  const known = Object.fromEntries(applied.filter(([, value]) => value !== undefined));
  return { ...DEFAULT_SETTINGS, ...known, ...live, ...desired };
}

/** Undefined if never applied or in doubt. */
function lastApplied({ applied }: RecordedState, name: SettingName): Json | undefined {
  const { settings, settings_in_doubt: doubt } = applied;
  const before = isObject(settings) ? settings[name] : undefined;
  return isObject(doubt) && doubt[name] !== before ? undefined : before;
}

/** Contradicting settings of which one is live or a default. */
function crossed(live: SomeSettings | null, desired: SomeSettings, recorded: RecordedState): Problem[] {
  const whole = wholeSettings(live ?? DEFAULT_SETTINGS, desired, recorded);
  const { max_new_leads_per_day: leads, max_emails_per_day: emails } = whole;
  const unwritten = (['max_new_leads_per_day', 'max_emails_per_day'] as const).find(
    (name) => desired[name] === undefined,
  );
  if (unwritten === undefined || leads === null || emails === null || leads <= emails) return [];
  const shown = recorded.at_defaults ? 'as the service made it' : 'the live value';
  const kept = live?.[unwritten] === undefined ? 'the last known or default value' : shown;
  const by = ` (${live === null ? 'the default of a new campaign' : kept})`;
  const from: [string, string] = unwritten === 'max_emails_per_day' ? ['', by] : [by, ''];
  return [
    { code: 'new-leads-above-emails', severity: 'warning', ...newLeadsAboveEmails({ leads, emails }, from) },
  ];
}

function notShown(name: SettingName, isUnknown: boolean): Problem {
  const instead = isUnknown
    ? 'what was last applied is not known, so it is sent'
    : 'it was compared with what was last applied';
  return notReadable(`The service does not show settings.${name}: ${instead}.`);
}

/** A crashed run did not send the settings of a new campaign. */
function defaultsSent(names: SettingName[], recorded: RecordedState): Problem {
  const values = wholeSettings({}, {}, recorded);
  const listed = names.map((name) => `${name} ${JSON.stringify(values[name])}`).join(', ');
  return notReadable(
    `The manifest leaves out settings that the service does not show: the update sends the documented defaults, ${listed}.`,
  );
}

function resetHazard(names: SettingName[], recorded: RecordedState): Problem {
  const values = wholeSettings({}, {}, recorded);
  const listed = names.map((name) => `${name} (would become ${JSON.stringify(values[name])})`).join(', ');
  return {
    code: 'reset-unreadable',
    severity: 'hazard',
    message: `An update always sets all settings, and the service does not show ${listed}.`,
    hint: `Write ${names.join(', ')} under settings in the manifest, or accept it with --allow reset-unreadable.`,
  };
}

/** Remembers the whole update. In doubt, beside the values applied before. */
function record(recorded: RecordedState, step: Step, effect: StepEffect): RecordedState {
  const { settings_in_doubt: _, ...applied } = recorded.applied;
  if (step.id !== 'settings') return recorded;
  if (effect === 'in_doubt') return { ...recorded, applied: { ...applied, settings_in_doubt: step.body } };
  return { ...recorded, at_defaults: false, applied: { ...applied, settings: step.body } };
}

/** All shown values, defaults too: omitted settings are not managed. */
function toManifest(live: SomeSettings | null): ManifestSection {
  const hidden = SETTING_NAMES.filter((name) => live?.[name] === undefined);
  return {
    section: hidden.length === SETTING_NAMES.length ? null : { ...live },
    remarks: hidden.map((name) =>
      note(`${name}: not shown by the service; write it before you change another setting`),
    ),
  };
}
